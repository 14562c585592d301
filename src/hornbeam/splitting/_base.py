"""What every choice of splitting answers: the kind of test for one column."""

from __future__ import annotations

from collections.abc import Sequence

from hornbeam.columns import Column
from hornbeam.parts import Part


class Splitting(Part):
    """Which kind of test a column gets. Numeric and ordinal columns are always cut at a threshold."""

    def kind(self, column: Column) -> str:
        """Name of the test for `column`, one of `hornbeam.tree.KINDS`."""
        return "threshold" if column.kind != "nominal" else self.nominal(column)

    def check_columns(self, columns: Sequence[Column]) -> None:
        """Raise a ValueError if the choice does not fit the columns of the table."""

    def plain_columns(self, columns: Sequence[int]) -> tuple[int, ...]:
        """Those of the columns that are tested alone."""
        return tuple(columns)

    def nominal(self, column: Column) -> str:
        """Name of the test for a nominal column."""
        raise TypeError(f"{type(self).__name__} does not say how to split the nominal column {column.name!r}")
