"""One value against the rest (R30); the other values may be tested lower down."""

from __future__ import annotations

from hornbeam.columns import Column
from hornbeam.splitting._base import Splitting


class OneVsRest(Splitting):
    """A test `A = v` for a nominal column.

    Examples
    --------
    >>> from hornbeam.columns import Column
    >>> OneVsRest().kind(Column("colour", "nominal", ("blue", "red")))
    'equals'
    """

    name, about = "one-vs-rest", "one value against the rest"

    def nominal(self, column: Column) -> str:  # noqa: ARG002 (the same for all columns)
        """Name of the test for a nominal column."""
        return "equals"
