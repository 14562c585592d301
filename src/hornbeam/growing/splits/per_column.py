"""Another choice for some columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam.data.columns import Column
from hornbeam.growing.part import resolve
from hornbeam.growing.splits.base import Splitting
from hornbeam.growing.splits.binary import Binary
from hornbeam.growing.splits.multiway import Multiway
from hornbeam.growing.splits.one_vs_rest import OneVsRest

CHOICES: Mapping[str, type[Splitting]] = {part.name: part for part in (Binary, Multiway, OneVsRest)}


class PerColumn(Splitting):
    """Named columns split their own way, the others as `default` says.

    Parameters
    ----------
    columns : dict from the name of a nominal column to "binary", "multiway" or "one-vs-rest"
    default : the choice for all other columns

    Examples
    --------
    >>> from hornbeam.data.columns import Column
    >>> split = PerColumn({"city": "one-vs-rest"}, default="multiway")
    >>> [split.kind(Column(name, "nominal", ("a", "b"))) for name in ("city", "colour")]
    ['equals', 'multiway']
    """

    name, about = "per-column", "a choice for each column"

    def __init__(self, columns: Mapping[str, Any], default: Any = "binary") -> None:
        self.columns = columns
        self.default = default

    def check(self) -> None:
        """Raise if a choice is not known."""
        if not isinstance(self.columns, Mapping):
            raise TypeError(f"columns={self.columns!r} must be a dict from column name to a kind of split")
        plain_choice("default", self.default)
        for name, choice in self.columns.items():
            plain_choice(f"columns[{name!r}]", choice)

    def check_columns(self, columns: Sequence[Column]) -> None:
        """Raise if a named column is not there, or is not nominal."""
        kinds = {column.name: column.kind for column in columns}
        for name in self.columns:
            if name not in kinds:
                raise ValueError(
                    f"PerColumn names the column {name!r}, which X does not have{did_you_mean(name, kinds)}:"
                    f" its columns are {', '.join(kinds)}"
                )
            if kinds[name] != "nominal":
                raise ValueError(
                    f"PerColumn names the {kinds[name]} column {name!r}, which is always cut at a threshold:"
                    " name nominal columns only"
                )

    def nominal(self, column: Column) -> str:
        """Name of the test for a nominal column."""
        choice = self.columns.get(column.name, self.default)
        return resolve("split", choice, CHOICES, Splitting).nominal(column)


def plain_choice(parameter: str, value: Any) -> Splitting:
    """The choice a parameter of a part stands for: one that tests every column alone.

    >>> plain_choice("columns", "multiway")
    Multiway()
    """
    part = resolve(parameter, value, CHOICES, Splitting)
    if isinstance(part, (*CHOICES.values(), PerColumn)):
        return part
    raise ValueError(
        f"{parameter}={value!r} must be a choice that tests every column alone:"
        f" {', '.join(map(repr, CHOICES))}, or PerColumn(...)"
    )
