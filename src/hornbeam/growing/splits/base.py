"""What every choice of splitting answers: the kind of test for one column."""

from __future__ import annotations

from collections.abc import Sequence

from hornbeam.data.columns import Column
from hornbeam.growing.part import Part

PLACES = ("midpoint", "value")


class Splitting(Part):
    """Which kind of test a column gets. Numeric and ordinal columns are always cut at a threshold.

    A threshold lies midway between two training values of its node, unless `threshold_at` is "value": then it
    is moved down to the largest value of the whole training table that is not above the middle (C4.5, K7).
    """

    threshold_at: str = PLACES[0]

    def check(self) -> None:
        """Raise if the place of thresholds is not known."""
        if self.threshold_at not in PLACES:
            raise ValueError(f"threshold_at={self.threshold_at!r} must be 'midpoint' or 'value'")

    def kind(self, column: Column) -> str:
        """Name of the test for `column`, one of `hornbeam.tree.tree.KINDS`."""
        return "threshold" if column.kind != "nominal" else self.nominal(column)

    def check_columns(self, columns: Sequence[Column]) -> None:
        """Raise a ValueError if the choice does not fit the columns of the table."""

    def plain_columns(self, columns: Sequence[int]) -> tuple[int, ...]:
        """Those of the columns that are tested alone."""
        return tuple(columns)

    def nominal(self, column: Column) -> str:
        """Name of the test for a nominal column."""
        raise TypeError(f"{type(self).__name__} does not say how to split the nominal column {column.name!r}")
