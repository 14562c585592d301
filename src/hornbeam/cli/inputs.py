"""The tables that commands read: options for reading them, what their columns are for, the rows for a model.

One idea: what a file looks like is recognised by `hornbeam.read_table`, and what is guessed (the target, the
task, columns that only name rows) is guessed here and reported by the command; an option overrides each.
Options that belong together arrive as one parameter: `reading`, `outcome`, and with a model `request`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import click

from hornbeam._base.atomic import is_stream, shown_name
from hornbeam.cli.exit_codes import Failure, column_hint, list_names, usage_error
from hornbeam.cli.options import argument, option
from hornbeam.cli.terminal import Messages


@dataclass(frozen=True)
class ReadOptions:
    """How a file is read, where that is not left to be recognised."""

    section: ClassVar[str] = "Reading the table"
    delimiter: str | None = option("Character between cells: , ; | or the words tab, space.", metavar="CHAR")
    header: bool | None = option("Whether the first line names the columns.", "--header/--no-header")
    decimal: str | None = option("Decimal point: . or ,", metavar="CHAR")
    quote: str | None = option("Character around cells that hold the delimiter.", metavar="CHAR")
    encoding: str | None = option("Encoding of the text, such as utf-8 or latin-1.", metavar="NAME")
    missing: tuple[str, ...] = option(
        "Text that means a missing value; may be repeated.", default=(), metavar="TEXT"
    )
    columns: str | None = option(
        "Kinds of columns: numeric, nominal, ordinal(a<b), boolean, date, drop.", metavar="NAME=KIND,..."
    )
    sheet: str | None = option("Sheet of a workbook, by name or number.", metavar="NAME")
    input_format: str | None = option(
        "File format, if not known by the name: csv, parquet, arff, ...", metavar="NAME"
    )

    def keywords(self) -> dict[str, Any]:
        """As `hornbeam.read_table` takes them."""
        options = self.to_dict()
        if "input_format" in options:
            options["format"] = options.pop("input_format")
        if self.sheet is not None and self.sheet.isdigit():
            options["sheet"] = int(self.sheet)
        return options

    def to_dict(self) -> dict[str, Any]:
        """The options that were set, as a file can hold them."""
        options = (
            {"input_format": None} | asdict(self) | {"missing": list(self.missing)}
        )  # the order of files
        return {name: value for name, value in options.items() if value not in (None, [])}


@dataclass(frozen=True)
class OutcomeColumns:
    """Which columns of a table are no inputs: the one to predict, the rows' weights, their counts, events."""

    target: str | None = option("Column to predict.", "-t", metavar="COL")
    weight: str | None = option("Column with the weight of each row.", metavar="COL")
    counts: str | None = option("Column with the number of times each row counts.", metavar="COL")
    event: str | None = option(
        "Survival: column with 1 where the event came, 0 where observation ended; --target is the time.",
        metavar="COL",
    )


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """A model, and the table whose rows it is shown: None for those it was fitted on."""

    model: str = argument()
    data: str | None = argument()
    outcome: OutcomeColumns
    reading: ReadOptions


# What a parameter of several commands is declared by.
EXCLUDE = option("Column to leave out; may be repeated.", "--exclude", "--drop", metavar="COL")
FOLDS_SEED = option("Random seed of the folds.", least=0, default=0)
CONFIDENCE = option(
    "Confidence level of the intervals.",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
)


def holds_model(source: str) -> bool:
    """Whether a file is a saved model, by how it begins."""
    path = Path(source)
    if reads_once(source) or not path.is_file():
        return False
    with path.open("rb") as file:
        return b'"hornbeam-tree"' in file.read(200)


def reads_once(source: str) -> bool:
    """Whether a table is standard input or a pipe, so that it cannot be read again.

    >>> reads_once("-"), reads_once("titanic.csv")
    (True, False)
    """
    return source == "-" or (not source.startswith("demo:") and is_stream(Path(source)))


def refuse_model(source: str) -> None:
    """Raise if a saved model is named where a table is needed."""
    if holds_model(source):
        sentence = f"{source_name(source)} is a saved model, not a table"
        raise Failure(sentence, f"look at it: hornbeam show {source}")


def read_source(source: str, reading: ReadOptions, messages: Messages) -> Any:
    """The table of a file, with a line about what was read."""
    import hornbeam as hb

    refuse_model(source)
    sheet = hb.read_table(source, **reading.keywords())
    report_read(source, sheet.data, messages)
    for note in sheet.notes:
        messages.info((f"         {note}", "dim"))
    return sheet


def report_read(source: str, data: Any, messages: Messages) -> None:
    """One line about what was read."""
    rows, columns = (f"{data.num_rows:,}", "number"), (f"{data.num_columns:,}", "number")
    messages.info(("read ", "dim"), source_name(source), "  ", rows, " rows × ", columns, " columns")


def source_name(source: str) -> str:
    """What a source is called in a sentence.

    >>> source_name("tables/titanic.csv"), source_name("-"), source_name("demo:tennis")
    ('titanic.csv', 'standard input', 'demo:tennis')
    """
    if source == "-" or source.startswith("demo:"):
        return "standard input" if source == "-" else source
    return shown_name(Path(source))


def check_column(name: str, data: Any, source: str) -> None:
    """Raise unless an Arrow table has a column."""
    names = data.column_names
    if name not in names:
        raise Failure(f"column {name!r} not found in {source_name(source)}", column_hint(name, names))


@dataclass(frozen=True)
class ModelRows:
    """What a model is fitted or measured on, in the words of `fit`."""

    X: Any
    y: Any
    weight: Any = None
    counts: Any = None
    formats: Mapping[str, str] = field(default_factory=dict)  # of dates that are not ISO

    def keywords(self) -> dict[str, Any]:
        """Weights and counts, those there are, as `fit` takes them."""
        both = {"sample_weight": self.weight, "counts": self.counts}
        return {name: value for name, value in both.items() if value is not None}

    def as_tuple(self) -> tuple[Any, Any, Any, Any]:
        """X, y, weights and counts, as a parameter `validation` takes them."""
        return self.X, self.y, self.weight, self.counts

    @property
    def n_rows(self) -> int:
        """Rows as written."""
        return int(self.X.num_rows)

    def take(self, rows: Any) -> ModelRows:
        """Some of the rows, by an Arrow or numpy array of their positions."""
        import numpy as np

        columns = [None if column is None else column.take(rows) for column in (self.X, self.y)]
        numbers = [None if array is None else array[np.asarray(rows)] for array in (self.weight, self.counts)]
        return ModelRows(columns[0], columns[1], numbers[0], numbers[1], self.formats)


def split_rows(data: Any, source: str, outcome: OutcomeColumns, exclude: Sequence[str] = ()) -> ModelRows:
    """The columns of an Arrow table by what they are for."""
    from hornbeam.data.files import TableFile

    target, weight, counts = outcome.target, outcome.weight, outcome.counts
    for name in (target, weight, counts, outcome.event, *exclude):
        if name is not None:
            check_column(name, data, source)
    X, y, weights, copies = TableFile(data, {}).split(target, weight=weight, counts=counts)
    if outcome.event is not None:
        y = data.select([target, outcome.event])
        X = X.drop_columns([outcome.event])
    if set(X.column_names) <= set(exclude):
        raise Failure(f"{source_name(source)} has no column left to learn from")
    return ModelRows(X, y, weights, copies)


def bundled_counts(data: Any, source: str) -> str | None:
    """The column in which a bundled table says how often its rows stand for themselves."""
    return "count" if source.startswith("demo:") and "count" in data.column_names else None


def read_rows(
    source: str,
    reading: ReadOptions,
    outcome: OutcomeColumns,
    messages: Messages,
    exclude: Sequence[str] = (),
    *,
    density: bool = False,
) -> tuple[ModelRows, OutcomeColumns]:
    """The rows of a file whose outcome is known, and the columns that are no inputs, also guessed ones.

    The columns of `exclude`, which the model will leave out, must be there and stay in the rows.
    """
    sheet = read_source(source, reading, messages)
    target = None if density else target_of(outcome.target, sheet, source)
    counts = outcome.counts or bundled_counts(sheet.data, source)
    outcome = replace(outcome, target=target, counts=counts)
    rows = replace(split_rows(sheet.data, source, outcome, exclude), formats=sheet.formats)
    return (rows if target is None else rows_with_target(rows, target, messages)), outcome


def target_of(target: str | None, sheet: Any, source: str) -> str:
    """The column to predict: that of the option, or what the file itself names."""
    if target is not None or sheet.target_hint:
        return str(target if target is not None else sheet.target_hint)
    raise usage_error(
        f"which column of {source_name(source)} is to be predicted? say --target COL",
        f"its columns are {list_names(sheet.data.column_names)}",
    )


def rows_with_target(rows: ModelRows, target: str, messages: Messages) -> ModelRows:
    """The rows whose outcome is known."""
    import pyarrow.compute as pc

    known = pc.is_valid(rows.y) if hasattr(rows.y, "type") else None
    if known is None:  # time and event
        known = pc.and_(*map(pc.is_valid, rows.y.columns))
    unknown = len(rows.y) - pc.sum(known).as_py()
    if not unknown:
        return rows
    if unknown == len(rows.y):
        raise Failure(f"the target {target!r} is missing in every row")
    messages.warn(f"the target {target!r} is missing in {unknown} of {len(rows.y)} rows, which are left out")
    return rows.take(pc.indices_nonzero(known))


def decoded(column: Any) -> Any:
    """A column with text instead of a dictionary of text."""
    import pyarrow.types as pt

    return column.cast(column.type.value_type) if pt.is_dictionary(column.type) else column


def refuse_input_as_output(output: str | None, *inputs: str | None) -> None:
    """Raise if a command would write over a file that it reads, which would be lost."""
    for path in inputs:
        if output is None or path is None or not (Path(output).exists() and Path(path).exists()):
            continue
        if Path(path).samefile(output):
            raise Failure(f"{output} is what this command reads: it would be lost", "write another file (-o)")
