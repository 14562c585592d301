"""The tables that commands read: the options for reading them, and what their columns are for.

One idea: what a file looks like is recognised by `hornbeam.read_table`; an option overrides one thing of it.
Options that belong together arrive as one parameter: `reading`, `outcome`, and with a model `request`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from hornbeam._base.atomic import is_stream, shown_name
from hornbeam.cli.exit_codes import Failure, column_hint, misfit
from hornbeam.cli.help_pages import integer_option, pack_options
from hornbeam.cli.tables import format_option
from hornbeam.cli.terminal import Messages


@dataclass(frozen=True)
class ReadOptions:
    """How a file is read, where that is not left to be recognised."""

    input_format: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    decimal: str | None = None
    quote: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()
    columns: str | None = None
    sheet: str | None = None

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
        options = asdict(self) | {"missing": list(self.missing)}
        return {name: value for name, value in options.items() if value not in (None, [])}


@dataclass(frozen=True)
class OutcomeColumns:
    """Which columns of a table are no inputs: the one to predict, the rows' weights, their counts."""

    target: str | None = None
    weight: str | None = None
    counts: str | None = None


@dataclass(frozen=True)
class ModelRequest:
    """A model, and the table whose rows it is shown: None for those it was fitted on."""

    model: str
    data: str | None
    outcome: OutcomeColumns
    reading: ReadOptions


read_options = pack_options(
    "reading",
    tuple(ReadOptions.__dataclass_fields__),
    lambda values: ReadOptions(**values),
    (
        click.option("--delimiter", metavar="CHAR", help="Between cells: , ; | or tab, space."),
        click.option("--header/--no-header", default=None, help="Whether the first line names the columns."),
        click.option("--decimal", metavar="CHAR", help="Decimal sign: . or ,"),
        click.option("--quote", metavar="CHAR", help="Around cells that hold the delimiter."),
        click.option("--encoding", metavar="NAME", help="Of the text, such as utf-8 or latin-1."),
        click.option("--missing", multiple=True, metavar="TEXT", help="What marks a gap; may be repeated."),
        click.option(
            "--columns", metavar="NAME=KIND,...", help="numeric, nominal, ordinal(a<b), boolean, date, drop."
        ),
        click.option("--sheet", metavar="NAME", help="Of a workbook: name or number."),
        click.option(
            "--input-format", metavar="NAME", help="csv, parquet, arff, ... if the name does not say."
        ),
    ),
)
outcome_options = pack_options(
    "outcome",
    ("target", "weight", "counts"),
    lambda values: OutcomeColumns(**values),
    (
        click.option("-t", "--target", metavar="COL", help="Column to predict."),
        click.option("--weight", metavar="COL", help="Column of the rows' weights."),
        click.option("--counts", metavar="COL", help="Column of how often each row stands for itself."),
    ),
)
model_and_table = pack_options(  # MODEL, [DATA], its columns, how it is read, --format
    "request",
    ("model", "data", "outcome", "reading"),
    lambda values: ModelRequest(**values),
    (
        click.argument("model"),
        click.argument("data", required=False),
        outcome_options,
        read_options,
        format_option,
    ),
)
folds_seed_option = integer_option("--seed", least=0, default=0, show_default=True, help="Of the folds.")
confidence_option = click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the intervals.",
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


def check_fits(columns: Any, names: list[str], source: str) -> None:
    """Raise, as data that do not fit, unless all columns of a model are there."""
    for column in columns:
        if column.name not in names:
            sentence = f"column {column.name!r} of the model not found in {source_name(source)}"
            raise misfit(sentence, column_hint(column.name, names))


def count_kinds(data: Any) -> Mapping[str, int]:
    """How many columns of each kind an Arrow table has."""
    import pyarrow.types as pt

    def kind_of(kind: Any) -> str:
        if pt.is_integer(kind) or pt.is_floating(kind) or pt.is_decimal(kind):
            return "numeric"
        return "date" if pt.is_temporal(kind) else "nominal"

    counts = Counter(kind_of(field.type) for field in data.schema)
    return {kind: counts[kind] for kind in ("numeric", "nominal", "date") if counts[kind]}
