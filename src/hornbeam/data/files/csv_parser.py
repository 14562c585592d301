"""Options for Arrow's reader of delimited text, and its errors as sentences for people.

One idea: an error about one cell is not final: the column is read again as text, or the file in another
encoding. If that fails too, the error becomes a sentence that names the line or the column.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from hornbeam.data.files.arrow_stream import ArrowStream, read_whole
from hornbeam.data.files.csv_dialect import Dialect, csv_reader
from hornbeam.data.files.kinds import Guess
from hornbeam.data.files.request import ReadRequest
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError
from hornbeam.data.files.text_bytes import LONGEST_LINE, long_line, longest_line, one_byte

TEXT = pa.dictionary(pa.int32(), pa.string())
MOST_BYTES = 2 * LONGEST_LINE  # that Arrow takes at a time
_TYPES = {"whole": pa.int64(), "real": pa.float64(), "boolean": pa.bool_(), "date": pa.timestamp("us")}
_CONVERSION = re.compile(
    r"In CSV column #(\d+): CSV conversion error to (\w+)(?:.*invalid value '(.*)')?", re.S
)


def options_for(
    dialect: Dialect,
    width: int,
    types: Mapping[int, Any],
    nulls: Sequence[str],
    *,
    newlines: bool,
    block: int = 1 << 22,
) -> dict[str, Any]:
    """The options for columns called 0, 1, 2 and so on; text is never a gap yet, numbers are by `nulls`."""
    return {
        "read_options": pacsv.ReadOptions(
            column_names=[str(j) for j in range(width)],
            skip_rows=int(dialect.names_delimiter),
            skip_rows_after_names=1 + dialect.blank_lines if dialect.header else 0,  # Arrow counts blank ones
            encoding="utf8" if dialect.encoding in ("utf-8", "utf-8-sig") else dialect.encoding,
            block_size=block,
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


def block_size(source: Source, least: int = 1 << 22) -> int:
    """Bytes Arrow takes at a time: several lines, however long they are."""
    line = source.head.find(b"\n")
    return max(least, 8 * (line if line >= 0 else len(source.head)))


def parse_delimited(
    source: Source, request: ReadRequest, dialect: Dialect, names: Sequence[str], guesses: dict[int, Guess]
) -> tuple[Any, Dialect]:
    """All cells; a column whose cells contradict its guess is read again, as text."""
    types = {j: _TYPES.get(guessed.kind, TEXT) for j, guessed in guesses.items()}
    nulls = sorted({mark for j, guessed in guesses.items() if types[j] is not TEXT for mark in guessed.marks})
    quotes = _quotes(source, dialect)
    block = block_size(source)
    tries = 0
    while True:
        options = options_for(dialect, len(names), types, nulls, newlines=quotes > 0, block=block)
        try:
            table = _read_rows(source, options, request.limit)
            if quotes % 2:
                _refuse_open_quote(table, source)
            return table, dialect
        except UnicodeError as error:
            raise TableError(
                f"{source.name} is not written in {dialect.encoding}: {error}", "name another encoding"
            ) from None
        except pa.ArrowInvalid as error:
            conversion = _CONVERSION.search(str(error))
            if conversion and "UTF8" in str(error) and not request.encoding and dialect.encoding == "utf-8":
                dialect = replace(dialect, encoding=one_byte(_all_bytes(source)))
            elif (fault := column_at_fault(error, types)) is not None:
                tries += 1
                types = dict.fromkeys(types, TEXT) if tries > 3 else types | {fault: TEXT}
            elif is_cut_line(error) and block < MOST_BYTES:
                block = min(8 * block, MOST_BYTES)
            else:
                raise explain_error(error, source, names, dialect) from None


def _read_rows(source: Source, options: dict[str, Any], limit: int | None) -> Any:
    if limit is None:
        return read_whole(source, options)
    batches, rows = [], 0
    with ArrowStream(source, options) as reader:
        for batch in reader:
            batches.append(batch.slice(0, limit - rows))
            rows += batches[-1].num_rows
            if rows >= limit:
                break
        return pa.Table.from_batches(batches, reader.schema)


def _quotes(source: Source, dialect: Dialect) -> int:
    """How many quotes there are: only if there are any can a line break be inside a cell."""
    if not dialect.quote:
        return 0
    n, mark = 0, dialect.quote.encode()
    with source.open() as file:
        while block := file.read(1 << 22):
            n += block.count(mark)
    return n


def _refuse_open_quote(table: Any, source: Source) -> None:
    """Arrow lets a quote that is never closed run to the end of the file, into the last cell."""
    for column in table.columns:
        last = column[-1].as_py() if len(column) and column.type == TEXT else ""
        if "\n" in last:
            start = last.split("\n", 1)[0]
            raise TableError(
                f"a quote in {source.name} is never closed: the one before {start[:40]!r}",
                "close it, or say quote='' if quotes are ordinary characters",
            )


def _all_bytes(source: Source) -> bytes:
    with source.open() as file:
        return bytes(set(file.read()))


def column_at_fault(error: Exception, types: Mapping[int, Any]) -> int | None:
    """The column whose cells are not of the type asked for, if text would do."""
    conversion = _CONVERSION.search(str(error))
    return int(conversion[1]) if conversion and types[int(conversion[1])] is not TEXT else None


def is_cut_line(error: Exception) -> bool:
    """Whether a row was longer than what Arrow takes at a time."""
    return "straddl" in str(error)


def explain_error(error: Exception, source: Source, names: Sequence[str], dialect: Dialect) -> TableError:
    """Arrow's error as a sentence."""
    text = str(error)
    conversion = _CONVERSION.search(text)
    if conversion and "UTF8" in text:
        return TableError(
            f"{source.name} is not written in UTF-8", "name its encoding, such as encoding='cp1252'"
        )
    if conversion:
        name = names[int(conversion[1])]
        return TableError(
            f"column {name!r} of {source.name} is to be numeric, but holds {conversion[3]!r}",
            f"mend it, name it as a missing mark (missing=), or say {name}=nominal",
        )
    if "Expected" in text and "columns" in text:
        return ragged_sentence(source, dialect, len(names))
    if is_cut_line(error):
        if not source.can_reopen:
            return long_line(source.name, None)
        with source.open() as file:
            return long_line(source.name, longest_line(file))
    return TableError(f"{source.name} cannot be read as delimited text: {text.splitlines()[0]}")


# Lines of another length ----------------------------------------------------------------------------------
# Arrow reads in blocks and cannot say where it was; only when a file is refused is it walked through once
# more, to name the line.


def ragged_sentence(source: Source, dialect: Dialect, width: int) -> TableError:
    """Name the first line whose number of cells is not `width`."""
    fault = f"a line of {source.name} does not have {width:,} cells"
    line, cells = _first(source, dialect, width) if source.can_reopen else (0, 0)
    if line:
        count = f"{cells:,} cell{'s' * (cells != 1)}"
        wanted = f"{width:,} {'is' if width == 1 else 'are'} expected"
        fault = f"line {line:,} of {source.name} has {count} where {wanted}"
    hint = "mend the line, or name the delimiter and the quote if they were guessed wrongly"
    return TableError(fault, hint)


def _first(source: Source, dialect: Dialect, width: int) -> tuple[int, int]:
    with source.open() as file:
        text = io.TextIOWrapper(file, encoding=dialect.encoding, errors="replace", newline="")
        start = 1
        with csv_reader(text, dialect.delimiter or ",", dialect.quote or "") as reader:
            for k, row in enumerate(reader):
                if row and len(row) != width and (k or not dialect.names_delimiter):
                    return start, len(row)
                start = reader.line_num + 1
    return 0, 0
