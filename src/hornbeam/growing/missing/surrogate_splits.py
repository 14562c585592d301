"""CART's surrogates: another column imitates the test where its own is missing (R58)."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from hornbeam.data.table import Table
from hornbeam.growing.missing.base import MissingRule


class Surrogates(MissingRule):
    """Where a test's column is missing, the column that imitates it best is asked, then the next.

    A test is judged by the rows whose value is known: its gain is what it gains on them times their share
    of the node's weight. Then every other column is searched for the cut, or the sides of its values, that
    sends the most rows the same way. Its *agreement* is the share of rows sent the same way, its
    *association* (agreement - majority) / (1 - majority), where the majority is the share of the larger
    branch. Cuts lie between neighbouring values of the node, of rows with the gap, too; a category that
    agrees with both branches equally often goes with the larger one. Rows weigh what they do in growing,
    priors included. Only columns that do better than the majority are kept, best first, of equal ones the
    first in column order. A row that no surrogate knows follows the heavier branch. So does a category never
    seen. Prediction does the same.

    Parameters
    ----------
    max_surrogates : int
        How many are kept at a test; 0 sends every gap the majority's way.
    min_side : int
        Rows that a surrogate must send to either side.
    shares_of : "known" or "both"
        Shares are of all rows known in the test's own column, as in rpart, or of those known in both
        columns, as in the book.

    References
    ----------
    Breiman, L., Friedman, J., Olshen, R. & Stone, C. (1984). Classification and Regression Trees, section
    5.3.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X = {"x1": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "x2": [2, 1, 4, 3, 5, 8, 6, 9, 7, 10]}
    >>> model = hb.TreeClassifier(missing=Surrogates(), max_depth=1).fit(X, list("aaaaabbbbb"))
    >>> hb.surrogates(model)[0].test, hb.surrogates(model)[0].association
    ('x2<=5.5', 1.0)
    >>> model.predict({"x1": [None, None], "x2": [3, 9]})
    array(['a', 'b'], dtype='<U1')
    """

    name, about = "surrogates", "the column that imitates the test best decides (CART)"
    core_rule = 4

    def __init__(self, max_surrogates: int = 5, min_side: int = 2, shares_of: str = "known") -> None:
        self.max_surrogates = max_surrogates
        self.min_side = min_side
        self.shares_of = shares_of

    def check(self) -> None:
        """Raise if a number is out of its range."""
        for name, least in (("max_surrogates", 0), ("min_side", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
                raise ValueError(f"{name}={value!r} must be a whole number of at least {least}")
        if self.shares_of not in ("known", "both"):
            raise ValueError(f"shares_of={self.shares_of!r} must be 'known' or 'both'")

    def in_trials(self, table: Table) -> MissingRule:
        """Without surrogates if no row has a gap: nobody would ask them."""
        gaps = any(
            bool(np.isnan(array).any() if array.dtype.kind == "f" else (array < 0).any())
            for array in table.arrays
        )
        return self if gaps else Surrogates(0, self.min_side, self.shares_of)

    def surrogate_rule(self) -> dict[str, Any]:
        """How surrogates are searched, as the core reads it."""
        return {
            "most": min(int(self.max_surrogates), 2**31 - 1),
            "min_side": int(self.min_side),
            "known_in_both": self.shares_of == "both",
        }

    def check_kinds(self, kinds: Mapping[str, str]) -> None:
        """Raise if a column is split into more than two branches, which no surrogate imitates."""
        for column, kind in kinds.items():
            if kind == "multiway":
                raise ValueError(
                    f"missing='surrogates' imitates tests of two branches, but column {column!r} gets one for"
                    " each value: use split='binary' or split='one-vs-rest', or missing='fractional'"
                )
