"""One branch for each value of a nominal column (R29); the column is used up below (K10)."""

from __future__ import annotations

from hornbeam.columns import Column
from hornbeam.splitting._base import Splitting


class Multiway(Splitting):
    """One branch for each value of a nominal column.

    Examples
    --------
    >>> from hornbeam.columns import Column
    >>> Multiway().kind(Column("colour", "nominal", ("blue", "red")))
    'multiway'
    """

    name, about = "multiway", "one branch for each value (ID3, C4.5)"

    def nominal(self, column: Column) -> str:  # noqa: ARG002 (the same for all columns)
        """Name of the test for a nominal column."""
        return "multiway"
