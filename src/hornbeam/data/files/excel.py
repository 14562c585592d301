"""Excel workbooks (.xlsx), through openpyxl.

One idea: cells carry their types, so a column of numbers is numeric; a column that mixes numbers with text is
read as text and guessed like one of a CSV file. `workbook_parts.py` looks at the file before.
"""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

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
from hornbeam.data.files.workbook_parts import CountedFile, check_archive, check_formulas

_ROWS = 1 << 20  # of a sheet of Excel
_CELLS = 1 << 23  # with the empty ones between those that are filled
_SPARSE = 64  # beyond that: how many cells there may be for one that is filled


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
            check_formulas(counted, page.title, getattr(page, "_worksheet_path", ""))
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
