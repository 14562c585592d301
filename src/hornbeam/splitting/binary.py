"""Two branches: the values of a nominal column are parted into two sets (R31)."""

from __future__ import annotations

from hornbeam.columns import Column
from hornbeam.splitting._base import Splitting


class Binary(Splitting):
    """Two branches everywhere; a nominal column is parted into two sets of values.

    Examples
    --------
    >>> from hornbeam.columns import Column
    >>> Binary().kind(Column("colour", "nominal", ("blue", "red")))
    'subset'
    """

    name, about = "binary", "two sets of values (CART)"

    def nominal(self, column: Column) -> str:  # noqa: ARG002 (the same for all columns)
        """Name of the test for a nominal column."""
        return "subset"
