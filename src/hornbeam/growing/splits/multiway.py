"""One branch for each value of a nominal column (R29); the column is used up below (K10)."""

from __future__ import annotations

from hornbeam.data.columns import Column
from hornbeam.growing.splits.base import Splitting


class Multiway(Splitting):
    """One branch for each value of a nominal column.

    Parameters
    ----------
    threshold_at : "midpoint" or "value"
        Where a numeric column is cut: midway between two training values, or at the largest value of the
        training table that is not above the middle, as C4.5 does.

    Examples
    --------
    >>> from hornbeam.data.columns import Column
    >>> Multiway().kind(Column("colour", "nominal", ("blue", "red")))
    'multiway'
    """

    name, about = "multiway", "one branch for each value (ID3, C4.5)"

    def __init__(self, threshold_at: str = "midpoint") -> None:
        self.threshold_at = threshold_at

    def nominal(self, column: Column) -> str:  # noqa: ARG002 (the same for all columns)
        """Name of the test for a nominal column."""
        return "multiway"
