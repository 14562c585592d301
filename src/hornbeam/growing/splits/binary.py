"""Two branches: the values of a nominal column are parted into two sets (R31)."""

from __future__ import annotations

from hornbeam.data.columns import Column
from hornbeam.growing.splits.base import Splitting


class Binary(Splitting):
    """Two branches everywhere; a nominal column is parted into two sets of values.

    Parameters
    ----------
    threshold_at : "midpoint" or "value"
        Where a numeric column is cut: midway between two training values, or at the largest value of the
        training table that is not above the middle, as C4.5 does.

    Examples
    --------
    >>> from hornbeam.data.columns import Column
    >>> Binary().kind(Column("colour", "nominal", ("blue", "red")))
    'subset'
    """

    name, about = "binary", "two sets of values (CART)"

    def __init__(self, threshold_at: str = "midpoint") -> None:
        self.threshold_at = threshold_at

    def nominal(self, column: Column) -> str:  # noqa: ARG002 (the same for all columns)
        """Name of the test for a nominal column."""
        return "subset"
