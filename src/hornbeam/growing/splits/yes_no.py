"""Two branches at every test: the finite class of yes/no questions of DT(S) (R41)."""

from __future__ import annotations

from hornbeam.data.columns import Column
from hornbeam.growing.splits.base import Splitting


class YesNo(Splitting):
    """A nominal column of two values is one question; of more values a question `A = v` for each value.

    Examples
    --------
    >>> from hornbeam.data.columns import Column
    >>> sizes = {"smoker": ("no", "yes"), "city": ("Brno", "Plzeň", "Zlín")}
    >>> [YesNo().kind(Column(name, "nominal", values)) for name, values in sizes.items()]
    ['multiway', 'equals']
    """

    name, about = "yes-no", "two branches: a column of two values, or one value against the rest"

    def nominal(self, column: Column) -> str:
        """Name of the test for a nominal column."""
        return "multiway" if len(column.categories) == 2 else "equals"
