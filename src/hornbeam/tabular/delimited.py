"""CSV and TSV: text cells with a delimiter between them.

One idea: a sample (the head of the file and slices from further on) decides what to tell Arrow's reader,
which does the work. A cell that contradicts the sample makes its column be read as text and judged by all its
values, so what is found hardly depends on where the sample lay.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from hornbeam.tabular.asking import Asked, Raw
from hornbeam.tabular.declaring import Declared
from hornbeam.tabular.dialect import MAX_COLUMNS, Dialect, sniff
from hornbeam.tabular.encodings import checked_encoding, decoded, encoding_of, one_byte
from hornbeam.tabular.errors import TableError, guarded
from hornbeam.tabular.guessing import LARGE, Guess, guess
from hornbeam.tabular.naming import header_names
from hornbeam.tabular.ragged import ragged_sentence
from hornbeam.tabular.shaping import shape
from hornbeam.tabular.slices import slices
from hornbeam.tabular.sources import HEAD, Source
from hornbeam.tabular.texts import Writing, as_dictionary, used_values

_TEXT = pa.dictionary(pa.int32(), pa.string())
_TYPES = {"whole": pa.int64(), "real": pa.float64(), "boolean": pa.bool_(), "date": pa.timestamp("us")}
_KINDS = {"whole": "numeric", "real": "numeric", "empty": "numeric"}
_CONVERSION = re.compile(
    r"In CSV column #(\d+): CSV conversion error to (\w+)(?:.*invalid value '(.*)')?", re.S
)
_EXACT = 2**53


def read_delimited(source: Source, asked: Asked) -> Raw:
    """The whole of a delimited file."""
    source.keep()
    dialect, names = _opening(source, asked)
    is_whole = len(source.head) < HEAD
    guesses = _guesses(source, asked, dialect, names, is_whole=is_whole)
    table, dialect = _parsed(source, asked, dialect, names, guesses)
    arrays: list[Any] = []
    kinds: dict[str, str] = {}
    whys: dict[str, str] = {}
    marks = dict.fromkeys(m for g in guesses.values() for m in g.marks)
    for j, name in enumerate(names):
        declared = asked.declared.get(name)
        if declared is not None and declared.kind == "drop":
            continue
        array, found = _column(table.column(j), name, declared, guesses[j], dialect)
        marks |= dict.fromkeys(found.marks)
        arrays.append(array)
        kinds[name], whys[name] = found.kind, found.why
    data = pa.table(arrays, names=list(kinds))
    missing = sorted({mark.strip() for mark in marks})
    return Raw(data, _details(dialect, missing), whys, dropped=frozenset(names) - set(kinds))


def stream_delimited(source: Source, asked: Asked, rows: int) -> Iterator[Any]:
    """Batches of a delimited file whose columns are declared; others are text."""
    dialect, names = _opening(source, asked)
    types = {j: _stream_type(asked.declared.get(name)) for j, name in enumerate(names)}
    marks = tuple(asked.missing) if asked.missing is not None else asked.marks
    options = _options(dialect, len(names), types, marks, newlines=True)
    with guarded(source.name, "read as delimited text"), source.open() as file:
        try:
            for batch in pacsv.open_csv(file, **options):
                for start in range(0, batch.num_rows, rows):
                    yield _shaped_batch(batch.slice(start, rows), names, asked.declared, dialect, marks)
        except pa.ArrowInvalid as error:
            raise _translated(error, source, names, dialect) from None


def _shaped_batch(
    batch: Any, names: Sequence[str], declared: Mapping[str, Declared], dialect: Dialect, marks: Any
) -> Any:
    arrays = {}
    for j, name in enumerate(names):
        what = declared.get(name) or Declared("nominal")
        if what.kind != "drop":
            arrays[name] = shape(batch.column(j), name, what, _writing(dialect, marks))
    return pa.table(arrays)


def _stream_type(declared: Declared | None) -> Any:
    return pa.float64() if declared is not None and declared.kind == "numeric" else _TEXT


# Opening ----------------------------------------------------------------------------------------------------


def _opening(source: Source, asked: Asked) -> tuple[Dialect, list[str]]:
    """The dialect and the names."""
    if not source.head.strip(b"\r\n\t \xef\xbb\xbf"):
        raise TableError(f"{source.name} is empty", "give a file with a header or at least one row")
    is_whole = len(source.head) < HEAD
    encoding = (
        checked_encoding(asked.encoding)
        if asked.encoding
        else encoding_of(source.head, source.name, is_whole=is_whole)
    )
    dialect = replace(asked.dialect, encoding=encoding)
    text = decoded(source.head, encoding, source.name, is_whole=is_whole).lstrip("\ufeff")
    if "\0" in text:
        raise TableError(
            f"{source.name} holds bytes that are no text", "name its format (format=) or its encoding"
        )
    dialect, rows = sniff(text, dialect, source.name, is_whole=is_whole)
    names = header_names(rows[0], source.name, has_header=bool(dialect.header))
    if len(names) > MAX_COLUMNS:
        raise TableError(f"{source.name} has {len(names):,} columns, but at most {MAX_COLUMNS:,} are read")
    return dialect, names


def _options(
    dialect: Dialect, width: int, types: Mapping[int, Any], nulls: Sequence[str], *, newlines: bool
) -> Any:
    labels = [str(j) for j in range(width)]
    return {
        "read_options": pacsv.ReadOptions(
            column_names=labels,
            skip_rows_after_names=1 if dialect.header else 0,
            encoding="utf8" if dialect.encoding in ("utf-8", "utf-8-sig") else dialect.encoding,
            block_size=1 << 22,
        ),
        "parse_options": pacsv.ParseOptions(
            delimiter=dialect.delimiter, quote_char=dialect.quote or False, newlines_in_values=newlines
        ),
        "convert_options": pacsv.ConvertOptions(
            column_types={str(j): arrow_type for j, arrow_type in types.items()},
            null_values=list(nulls),
            strings_can_be_null=False,
            quoted_strings_can_be_null=True,
            true_values=["true", "True", "TRUE"],
            false_values=["false", "False", "FALSE"],
            decimal_point=dialect.decimal,
        ),
    }


# Guessing from a sample -------------------------------------------------------------------------------------


def _guesses(
    source: Source, asked: Asked, dialect: Dialect, names: Sequence[str], *, is_whole: bool
) -> dict[int, Guess]:
    """A guess for each column from the head of the file and, for a long one, from slices further on."""
    sample = [
        _text_table(source.head if is_whole else _lines(source.head), dialect, len(names), is_head=True)
    ]
    if not is_whole:
        sample += [_text_table(part, dialect, len(names), is_head=False) for part in slices(source, dialect)]
    tables = [table for table in sample if table is not None]
    if not tables:  # Arrow will say what is wrong when it reads the whole
        tables = [pa.table({str(j): pa.array([], _TEXT) for j in range(len(names))})]
    whole = pa.concat_tables(tables)
    guesses = {}
    for j, name in enumerate(names):
        guesses[j] = guess(
            used_values(as_dictionary(whole.column(j))), dialect.decimal or ".", dialect.missing
        )
        declared = asked.declared.get(name)
        if declared is not None and declared.kind != _KINDS.get(guesses[j].kind, guesses[j].kind):
            guesses[j] = Guess("nominal")  # read as text, then as declared
    return guesses


def _lines(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1] or data


def _text_table(data: bytes, dialect: Dialect, width: int, *, is_head: bool) -> Any:
    dialect = dialect if is_head else replace(dialect, header=False)
    options = _options(dialect, width, dict.fromkeys(range(width), _TEXT), (), newlines=True)
    try:
        return pacsv.read_csv(io.BytesIO(data), **options)
    except (pa.ArrowException, UnicodeError):
        return None


# Reading ----------------------------------------------------------------------------------------------------


def _parsed(
    source: Source, asked: Asked, dialect: Dialect, names: Sequence[str], guesses: dict[int, Guess]
) -> tuple[Any, Dialect]:
    """All cells; a column whose cells contradict its guess is read again, as text."""
    types = {j: _TYPES.get(found.kind, _TEXT) for j, found in guesses.items()}
    nulls = sorted({mark for j, found in guesses.items() if types[j] is not _TEXT for mark in found.marks})
    newlines = _has_quotes(source, dialect)
    tries = 0
    while True:
        options = _options(dialect, len(names), types, nulls, newlines=newlines)
        try:
            with source.open() as file:
                return _limited(file, options, asked.limit), dialect
        except UnicodeError as error:
            raise TableError(
                f"{source.name} is not written in {dialect.encoding}: {error}", "name another encoding"
            ) from None
        except pa.ArrowInvalid as error:
            found = _CONVERSION.search(str(error))
            if found and "UTF8" in str(error) and not asked.encoding and dialect.encoding == "utf-8":
                dialect = replace(dialect, encoding=one_byte(_all_bytes(source)))
            elif found and types[int(found[1])] is not _TEXT:
                tries += 1
                types = dict.fromkeys(types, _TEXT) if tries > 3 else types | {int(found[1]): _TEXT}
            else:
                raise _translated(error, source, names, dialect) from None


def _limited(file: Any, options: Any, limit: int | None) -> Any:
    if limit is None:
        return pacsv.read_csv(file, **options)
    batches, rows = [], 0
    reader = pacsv.open_csv(file, **options)
    for batch in reader:
        batches.append(batch.slice(0, limit - rows))
        rows += batches[-1].num_rows
        if rows >= limit:
            break
    return pa.Table.from_batches(batches, reader.schema)


def _has_quotes(source: Source, dialect: Dialect) -> bool:
    """Whether a quote occurs at all: only then can a line break be inside a cell."""
    if not dialect.quote:
        return False
    mark = dialect.quote.encode()
    with source.open() as file:
        while block := file.read(1 << 22):
            if mark in block:
                return True
    return False


def _all_bytes(source: Source) -> bytes:
    with source.open() as file:
        return bytes(set(file.read()))


def _column(
    column: Any, name: str, declared: Declared | None, guessed: Guess, dialect: Dialect
) -> tuple[Any, Guess]:
    """The column in the type a Sheet holds, and what it was taken for."""
    is_text = pa.types.is_dictionary(column.type)
    if is_text:
        column = as_dictionary(column)
        guessed = guess(used_values(column), dialect.decimal or ".", dialect.missing)
    elif guessed.kind == "whole" and _is_large(column):
        return shape(column, name, Declared("nominal")), Guess("nominal", guessed.marks, LARGE)
    kind = declared.kind if declared else _KINDS.get(guessed.kind, guessed.kind)
    marks = guessed.marks if dialect.missing is None else dialect.missing
    writing = _writing(dialect, tuple(mark.strip() for mark in marks))
    what = declared or Declared(kind)
    why = "declared" if declared else guessed.why
    try:
        return shape(column, name, what, writing), Guess(kind, guessed.marks, why)
    except TableError:
        if declared or kind != "date":
            raise
        return shape(column, name, Declared("nominal"), writing), Guess(
            "nominal", guessed.marks, "not all are dates"
        )


def _is_large(column: Any) -> bool:
    bounds = pc.min_max(column).as_py()
    return bounds["max"] is not None and max(abs(bounds["min"]), abs(bounds["max"])) > _EXACT


def _writing(dialect: Dialect, marks: Sequence[str]) -> Writing:
    return Writing(dialect.decimal or ".", tuple(marks), dialect.padded)


def _details(dialect: Dialect, missing: Sequence[str]) -> dict[str, Any]:
    return {
        "encoding": dialect.encoding,
        "delimiter": dialect.delimiter,
        "header": dialect.header,
        "decimal": dialect.decimal,
        "quote": dialect.quote,
        "padded": dialect.padded,
        "missing": list(missing),
    }


def _translated(error: Exception, source: Source, names: Sequence[str], dialect: Dialect) -> TableError:
    """Arrow's complaint as a sentence."""
    text = str(error)
    found = _CONVERSION.search(text)
    if found and "UTF8" in text:
        return TableError(
            f"{source.name} is not written in UTF-8", "name its encoding, such as encoding='cp1252'"
        )
    if found:
        name = names[int(found[1])]
        return TableError(
            f"column {name!r} of {source.name} is to be numeric, but holds {found[3]!r}",
            f"mend it, name it as a missing mark (missing=), or say {name}=nominal",
        )
    if "Expected" in text and "columns" in text:
        return ragged_sentence(source, dialect, len(names))
    return TableError(f"{source.name} cannot be read as delimited text: {text.splitlines()[0]}")
