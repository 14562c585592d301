"""One value against the rest (R30); the other values may be tested lower down."""

from __future__ import annotations

from hornbeam.data.columns import Column
from hornbeam.growing.splits.base import Splitting


class OneVsRest(Splitting):
    """A test `A = v` for a nominal column.

    Parameters
    ----------
    threshold_at : "midpoint" or "value"
        Where a numeric column is cut: midway between two training values, or at the largest value of the
        training table that is not above the middle, as C4.5 does.

    Examples
    --------
    >>> from hornbeam.data.columns import Column
    >>> OneVsRest().kind(Column("colour", "nominal", ("blue", "red")))
    'equals'
    """

    name, about = "one-vs-rest", "one value against the rest"

    def __init__(self, threshold_at: str = "midpoint") -> None:
        self.threshold_at = threshold_at

    def nominal(self, column: Column) -> str:  # noqa: ARG002 (the same for all columns)
        """Name of the test for a nominal column."""
        return "equals"
