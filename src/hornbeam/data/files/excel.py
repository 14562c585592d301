"""Excel workbooks (.xlsx), through openpyxl.

One idea: cells carry their types, so a column of numbers is numeric; a column that mixes numbers with text is
read as text and guessed like one of a CSV file.

A workbook is a zip archive of XML, and both can be small and unpack to anything. So before its parser may
have it, the sizes that the archive declares are bounded (zipfile never unpacks more than declared), a
document type declaration, which a workbook has no use for and entities need, is refused, and how often parts
are read is counted.
"""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO
from xml.parsers import expat

import pyarrow as pa
import pyarrow.compute as pc

from hornbeam._base.parameters import did_you_mean
from hornbeam.data.files.column_types import header_names, raw_table, renamed_columns, table_slices
from hornbeam.data.files.csv import defuse_formulas
from hornbeam.data.files.kinds import guess
from hornbeam.data.files.request import RawTable, ReadRequest
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError, guarded
from hornbeam.data.files.text_columns import Writing, as_dictionary, read_numbers, relabel, used_values

_ROWS = 1 << 20  # of a sheet of Excel
_CELLS = 1 << 23  # with the empty ones between those that are filled
_SPARSE = 64  # beyond that: how many cells there may be for one that is filled
_FREE = 1 << 20  # bytes that a workbook may always unpack to
_RATIO = 100  # beyond that: how many times its own size
_PARTS = 10_000
_PROLOG = 1 << 20  # bytes in which the first element of a part must begin
_TIMES = 6  # how often the same bytes may be read: once here, then for the size of a sheet and for its rows


def read_xlsx(source: Source, request: ReadRequest) -> RawTable:
    """One sheet of a workbook."""
    openpyxl = _openpyxl()
    with (
        guarded(source.name, "read as Excel", "check that it is a complete .xlsx file"),
        source.open() as file,
    ):
        if source.path is None or source.packed:
            source.keep()
            file = source.open()
        counted = CountedFile(file, source.name)
        check_archive(counted, source.name)
        book = _book(openpyxl, counted)
        try:
            page = _page(book, request.sheet, source.name)
            rows = _rows(page, request.limit)
            details = {"sheet": page.title, "sheets": list(book.sheetnames)}
        finally:
            book.close()
        has_header = _has_header(rows) if request.dialect.header is None else request.dialect.header
        table, marks, renamed = _table(rows, request, has_header=has_header)
        missing = sorted(marks if request.missing is None else request.missing)
        details |= {"header": has_header, "missing": missing}
        whys = {name: f"another column called {written}" for name, written in renamed.items()}
        return raw_table(table, request, source.name, details=details, whys=whys)


def stream_xlsx(source: Source, request: ReadRequest, rows: int) -> Iterator[Any]:
    """A sheet in pieces; a workbook is small, so it is read whole first."""
    yield from table_slices(read_xlsx(source, request).table, rows)


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise TableError(
            "Excel files need the package openpyxl", "pip install 'hornbeam[excel]', or use CSV"
        ) from None
    return openpyxl


def _book(openpyxl: Any, file: CountedFile) -> Any:
    try:
        return openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
    except ValueError:
        if file.fault is not None:  # openpyxl says it in its own words
            raise file.fault from None
        raise


def _page(book: Any, sheet: str | int | None, name: str) -> Any:
    names = book.sheetnames
    if not names:
        raise TableError(f"{name} has no sheets", "check that it is a complete .xlsx file")
    if isinstance(sheet, str) and sheet in names:
        return book[sheet]
    if sheet is None or (isinstance(sheet, int) and 0 <= sheet < len(names)):
        return book[names[sheet or 0]]
    raise TableError(
        f"{name} has no sheet={sheet!r}{did_you_mean(sheet, names)}",
        f"its sheets are {', '.join(map(repr, names))}",
    )


def _rows(page: Any, limit: int | None) -> list[Sequence[Any]]:
    """The rows without empty ones, as wide as the widest filled cell."""
    most = _ROWS if limit is None else limit + 1
    page.reset_dimensions()
    rows: list[Sequence[Any]] = []
    n_filled = n_cells = 0
    for k, row in enumerate(islice(page.iter_rows(values_only=True), _ROWS + 1), 1):
        if not row and k <= _ROWS:
            continue
        filled = [j for j, value in enumerate(row) if value is not None]
        n_filled, n_cells = n_filled + len(filled), n_cells + len(row)
        if k > _ROWS or n_cells > max(_CELLS, _SPARSE * n_filled):
            raise TableError(
                f"sheet {page.title!r} has {n_filled:,} filled cells in {k:,} rows, far from each other",
                "save the cells that form the table as CSV",
            )
        if filled:
            rows.append(row[: filled[-1] + 1])
        if len(rows) >= most:
            break
    if not rows:
        raise TableError(f"sheet {page.title!r} is empty", "name another with sheet=")
    width = max(map(len, rows))
    return [(*row, *[None] * (width - len(row))) for row in rows]


def _has_header(rows: Sequence[Sequence[Any]]) -> bool:
    first = [value for value in rows[0] if value is not None]
    if not all(isinstance(value, str) for value in first):
        return False
    below = [value for row in rows[1:50] for value in row if value is not None]
    if below and not all(isinstance(value, str) for value in below):
        return True
    is_unlike = not below or not set(first) & set(below)
    return is_unlike and len(set(first)) == len(first)  # a name may stand there twice, but texts do so more


def _table(
    rows: Sequence[Sequence[Any]], request: ReadRequest, *, has_header: bool
) -> tuple[Any, set[str], dict[str, str]]:
    """The table, the marks of missing values in it, and what columns with another name were called."""
    first = ["" if value is None else str(value) for value in rows[0]]
    names, renamed = renamed_columns(header_names(first, has_header=has_header))
    body = (rows[1:] if has_header else rows)[: request.limit]
    marks: set[str] = set()
    columns = {}
    for j, column in enumerate(names):
        columns[column] = _column([row[j] for row in body], request, marks)
    return pa.table(columns), marks, renamed


def _column(values: list[Any], request: ReadRequest, marks: set[str]) -> Any:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        floats = [None if value is None else float(value) for value in values]
        return pa.array(floats, pa.float64()) if float in kinds else _whole(values)
    if kinds <= {dt.datetime, dt.date}:
        moments = [dt.datetime(*v.timetuple()[:3]) if type(v) is dt.date else v for v in values]
        return pa.array(moments, pa.timestamp("us"))
    if kinds == {bool} or kinds == {dt.time} or kinds == {dt.timedelta}:
        return pa.array(values)
    column = as_dictionary(
        pa.array([None if value is None else _text(value) for value in values], pa.string())
    )
    guessed = guess(used_values(column), ".", request.missing)
    marks.update(mark.strip() for mark in guessed.marks)
    writing = Writing(marks=tuple(mark.strip() for mark in guessed.marks))
    if guessed.kind in ("whole", "real") and kinds & {int, float}:
        return read_numbers(column, "", writing)
    return relabel(column, column.dictionary, writing).cast(pa.string())


def _whole(values: list[Any]) -> Any:
    try:
        return pa.array(values, pa.int64())
    except (pa.ArrowInvalid, OverflowError):
        return pa.array([None if value is None else str(value) for value in values], pa.string())


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else str(value)


# Limits ---------------------------------------------------------------------------------------------------


class CountedFile(io.RawIOBase):
    """The bytes of a workbook, none of them read more than a few times.

    A workbook may name one part as a thousand sheets; every one of them would be read.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name
        self._times: Counter[int] = Counter()
        self.size = file.seek(0, io.SEEK_END)
        self.end_of_parts = self.size  # where the directory begins, once it is known
        self.fault: TableError | None = None
        file.seek(0)

    def readable(self) -> bool:
        """It is."""
        return True

    seekable = readable

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """As in any file."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """As in any file."""
        return self._file.tell()

    def readinto(self, out: Any) -> int:
        """Read, and count."""
        offset = self._file.tell()
        self._times[offset] += 1
        if self._times[offset] > _TIMES and offset < self.end_of_parts:
            self.fault = TableError(
                f"{self._name} names the same part as several sheets", "check where it comes from"
            )
            raise self.fault
        data = self._file.read(len(out))
        out[: len(data)] = data
        return len(data)


def check_archive(file: CountedFile, name: str) -> None:
    """Raise unless what the archive holds is of bearable size, and without a document type."""
    with zipfile.ZipFile(file) as archive:
        parts, file.end_of_parts = archive.infolist(), archive.start_dir
        unpacked, packed = sum(part.file_size for part in parts), sum(part.compress_size for part in parts)
        if unpacked > max(_FREE, _RATIO * file.size) or packed > file.size or len(parts) > _PARTS:
            raise TableError(
                f"{name} has {file.size:,} bytes and unpacks to {len(parts):,} parts of {unpacked:,} bytes",
                "open it with a program that you trust and save it as CSV",
            )
        for part in parts:
            with archive.open(part) as data:
                if _has_document_type(data):
                    raise TableError(
                        f"{part.filename} in {name} declares a document type, which no workbook needs",
                        "check where it comes from",
                    )


class _Begun(Exception):  # noqa: N818 (it ends the search, nothing is wrong)
    """The first element, or a document type, has begun; nothing after it may be parsed."""


def _has_document_type(data: Any) -> bool:
    """Whether an XML text declares a document type before its first element."""

    def begin(*name_and_more: Any) -> None:
        raise _Begun(len(name_and_more) > 2)  # a document type has four arguments, an element two

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = parser.StartElementHandler = begin
    try:
        for _ in range(_PROLOG >> 12):
            block = data.read(1 << 12)
            parser.Parse(block, not block)
            if not block:
                break
    except _Begun as begun:
        return bool(begun.args[0])
    except expat.ExpatError:
        pass  # what is no XML, its reader will refuse
    return False


# Writing --------------------------------------------------------------------------------------------------


def write_xlsx(table: Any, file: Any, *, escape_formulas: bool = False) -> None:
    """Write a table as one sheet; text that looks like a formula stays text."""
    openpyxl = _openpyxl()
    if table.num_rows >= _ROWS or table.num_columns > 1 << 14:
        raise TableError(
            "a sheet of Excel has at most 1,048,576 rows and 16,384 columns", "write Parquet or CSV"
        )
    table = pa.table(
        [_excel(c, escape_formulas=escape_formulas) for c in table.columns], names=table.column_names
    )
    names = _names(table, escape_formulas=escape_formulas)
    texts = [pa.types.is_dictionary(column.type) for column in table.columns]
    for column in (pa.chunked_array([names.dictionary_encode()]), *table.columns):
        _check(column)  # before anything is written
    book = openpyxl.Workbook(write_only=True)
    page = book.create_sheet("table")
    page.append([_cell(page, name) for name in names.to_pylist()])
    for batch in table.to_batches(max_chunksize=1 << 14):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            page.append(
                [_cell(page, v) if t and v is not None else v for v, t in zip(row, texts, strict=True)]
            )
    packed = io.BytesIO()  # a zip archive that fails half-way would try to write on when it is collected
    book.save(packed)
    file.write(packed.getbuffer())


def _check(column: Any) -> None:
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    if pa.types.is_timestamp(column.type) and pc.any(pc.less(pc.year(column), 1901)).as_py():
        raise TableError("Excel has no dates before 1900", "write Parquet or CSV")
    if not pa.types.is_dictionary(column.type):
        return
    for chunk in column.chunks:
        for text in chunk.dictionary.to_pylist():
            if text is not None and (ILLEGAL_CHARACTERS_RE.search(text) or len(text) > 32_767):
                raise TableError(
                    f"the text {text[:40]!r} cannot be in an Excel sheet", "write Parquet or CSV"
                )


def _names(table: Any, *, escape_formulas: bool) -> Any:
    names = pa.array(table.column_names, pa.string())
    return defuse_formulas(names) if escape_formulas else names


def _cell(page: Any, text: str) -> Any:
    """A cell that is text even if it begins like a formula."""
    from openpyxl.cell import WriteOnlyCell

    cell = WriteOnlyCell(page, value=text)
    cell.data_type = "s"
    return cell


def _excel(column: Any, *, escape_formulas: bool) -> Any:
    """The column in a type whose values openpyxl writes."""
    if pa.types.is_dictionary(column.type) and escape_formulas:
        return defuse_formulas(column.cast(pa.string())).dictionary_encode()
    if pa.types.is_timestamp(column.type) and column.type.tz is not None:
        return column.cast(pa.timestamp("us", tz="UTC")).cast(pa.timestamp("us"))
    return column.cast(pa.float64()) if pa.types.is_decimal(column.type) else column
