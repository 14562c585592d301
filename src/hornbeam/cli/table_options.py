"""How a table is to be read: the options of every command that reads one, and the reading itself.

One idea: what a file looks like is found out by `hornbeam.read_table`; an option overrides one thing that was
found. What was read is said in one line, on stderr.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from hornbeam._base.streams import is_stream, shown_name
from hornbeam.cli.exit_codes import Failure, listed, meant, misfit
from hornbeam.cli.terminal import Talk


@dataclass(frozen=True)
class Reading:
    """The overrides of what is found out about a file."""

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
        found = asdict(self)
        found["format"] = found.pop("input_format")
        found["missing"] = list(self.missing) or None
        found["sheet"] = int(self.sheet) if self.sheet is not None and self.sheet.isdigit() else self.sheet
        return {name: value for name, value in found.items() if value is not None}

    def given(self) -> dict[str, Any]:
        """What is not left to be found out, as a file can hold it."""
        plain = asdict(self) | {"missing": list(self.missing)}
        return {name: value for name, value in plain.items() if value not in (None, [])}


_OPTIONS = (
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
    click.option("--input-format", metavar="NAME", help="csv, parquet, arff, ... if the name does not say."),
)


def reads(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of reading; they arrive as one parameter, `reading`."""
    names = tuple(Reading.__dataclass_fields__)

    @wraps(function)
    def packed(*args: Any, **params: Any) -> Any:
        given = {name: params.pop(name) for name in names}
        return function(*args, reading=Reading(**given), **params)

    wrapped: Callable[..., Any] = packed
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


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
    """Raise if a saved model is named where a table is wanted."""
    if holds_model(source):
        raise Failure(
            f"{name_of(source)} is a saved model, not a table", f"look at it: hornbeam show {source}"
        )


def read_sheet(source: str, reading: Reading, talk: Talk) -> Any:
    """The table of a file, with a line about what was found."""
    import hornbeam as hb

    refuse_model(source)
    sheet = hb.read_table(source, **reading.keywords())
    say_read(source, sheet.data, talk)
    return sheet


def say_read(source: str, data: Any, talk: Talk) -> None:
    """One line about what was read."""
    talk.say(
        ("read ", "dim"),
        name_of(source),
        "  ",
        (f"{data.num_rows:,}", "number"),
        " rows × ",
        (f"{data.num_columns:,}", "number"),
        " columns",
    )


def name_of(source: str) -> str:
    """What a source is called in a sentence.

    >>> name_of("tables/titanic.csv"), name_of("-"), name_of("demo:tennis")
    ('titanic.csv', 'standard input', 'demo:tennis')
    """
    if source == "-" or source.startswith("demo:"):
        return "standard input" if source == "-" else source
    return shown_name(Path(source))


def check_column(name: str, data: Any, source: str) -> None:
    """Raise unless an Arrow table has a column."""
    names = data.column_names
    if name not in names:
        raise Failure(
            f"column {name!r} not found in {name_of(source)}",
            meant(name, names) or f"its columns are {listed(names)}",
        )


def check_fits(columns: Any, names: list[str], source: str) -> None:
    """Raise, as data that do not fit, unless all columns of a model are there."""
    for column in columns:
        if column.name not in names:
            raise misfit(
                f"column {column.name!r} of the model not found in {name_of(source)}",
                meant(column.name, names) or f"its columns are {listed(names)}",
            )


def kinds_of(data: Any) -> Mapping[str, int]:
    """How many columns of each kind an Arrow table has."""
    import pyarrow.types as pt

    found = {"numeric": 0, "nominal": 0, "date": 0}
    for field in data.schema:
        kind = field.type
        number = pt.is_integer(kind) or pt.is_floating(kind) or pt.is_decimal(kind)
        found["numeric" if number else "date" if pt.is_temporal(kind) else "nominal"] += 1
    return {name: n for name, n in found.items() if n}
