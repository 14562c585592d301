"""Oblique splits: a node may test a weighted sum of numeric columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

from hornbeam._base.parameters import check_choice, is_number, is_whole
from hornbeam.data.columns import Column
from hornbeam.growing.part import check_whole, column_place, resolve
from hornbeam.growing.splits.column_splits import CHOICES, Splitting

__all__ = ["Oblique"]

_AIMS = ("gain", "leaves")
MOST_TERMS = 40  # where sums may take indicators, no more are searched at a node: those that alone gain most


@dataclass(eq=False, repr=False)
class Oblique(Splitting):
    """Nodes test weighted sums of numeric columns, ``x1 - 0.5*x2 <= 3``, where they gain more than a column.

    At every node the best plain test is searched first. Then sums of the best 2, the best 4 and all numeric
    columns are searched: directions of ridge regression, improved one weight at a time, each with its exact
    best threshold. A sum is taken only if it gains more than every plain test, so (unless `aim` says
    otherwise) a split never gains less than the best plain test of its node. Weights that are hardly needed
    are left out, the others are rounded as far as the rows of the node stay apart. Of the sums that gain
    enough the one is taken that leaves least to do; for that a table of classes of up to 16,384 rows is grown
    twice, the second time with the directions of the first tree at hand.

    A sum of k > 2 columns is tried only at nodes of at least 2 k rows. A row with a gap in one of the
    columns has no sum, and the choice of `missing` decides as for a column. With `max_features` a sum takes
    the columns drawn. The search is the same every time: it draws from `random_state`, and from 0 if that
    is None.

    Parameters
    ----------
    columns : list of columns (names or positions), or None
        The numeric columns that sums may take; None: all of them but dates and times.
    max_columns : int or None
        The most columns of a sum; None: no limit.
    sparsity : float
        The share of its advantage over the best plain test that a sum may lose to have fewer columns, from
        0 to below 1; with 0 a column is left out only if nothing is lost.
    restarts : int
        How often the search starts again from a random direction.
    ridge : float
        The penalty of the ridge regression, relative to the variance of the standardised columns.
    others : "binary", "multiway", "one-vs-rest", or a part of `hornbeam.parts`
        How nominal columns are tested.
    aim : "gain" or "leaves"
        What decides between the cuts of a node of up to 4,096 rows of a class target. "gain": of the sums
        that gain more than the best plain test the one whose tree would be smallest. "leaves": of all cuts
        the one whose tree would be smallest, though it may gain less than a plain test; this takes longer,
        and pays where corners or boards lie at a slant.
    indicators : bool
        Whether sums may take, beside numeric columns, whether a nominal column has a value, as 1 or 0:
        ``x1 + 2 * (colour == 'red') <= 3``. A node keeps such a sum as an expression. Where there are more
        than 40 terms, the 40 that alone gain most are searched. Where `columns` names columns, the values
        of all nominal columns may still be taken.

    References
    ----------
    Breiman, L., Friedman, J., Olshen, R. & Stone, C. (1984). Classification and Regression Trees, section
    5.2.2.

    Murthy, S., Kasif, S. & Salzberg, S. (1994). A system for induction of oblique decision trees. Journal of
    Artificial Intelligence Research 2, 1-32.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X = {"width": [1, 2, 3, 4, 1, 2, 3, 4], "height": [1, 2, 3, 4, 2, 3, 4, 5], "depth": [3, 1] * 4}
    >>> y = ["wide"] * 4 + ["tall"] * 4
    >>> print(hb.show(hb.TreeClassifier(split="oblique").fit(X, y), charset="ascii"))
    width - height?  Gini decrease 0.5  50 % tall  n=8 (4:4)
    |-- <= -0.5  -> tall  100 %  n=4 (4:0)
    `-- > -0.5  -> wide  100 %  n=4 (0:4)
    counts are tall:wide
    """

    name, about = "oblique", "weighted sums of numeric columns (CART-LC, OC1)"
    method = "stepwise"

    columns: Sequence[Any] | None = None
    max_columns: int | None = None
    sparsity: float = 0.1
    restarts: int = 4
    ridge: float = 0.1
    others: Any = "binary"
    aim: str = "gain"
    _: KW_ONLY
    indicators: bool = False

    def check(self) -> None:
        """Raise if a number or a list is not allowed."""
        if self.columns is not None:
            if (
                isinstance(self.columns, str)
                or not isinstance(self.columns, Sequence)
                or not all(isinstance(given, str | Integral) for given in self.columns)
            ):
                raise TypeError(
                    f"columns={self.columns!r} must be a list of columns, such as ['x1', 'x2'], or None"
                )
            if len(set(self.columns)) < 2:
                raise ValueError(f"columns={self.columns!r} must name at least two different columns")
        if self.max_columns is not None and not (is_whole(self.max_columns) and self.max_columns >= 2):
            raise ValueError(
                f"max_columns={self.max_columns!r} must be a whole number of at least 2, or None for no limit"
            )
        if not is_number(self.sparsity) or not 0 <= self.sparsity < 1:
            raise ValueError(f"sparsity={self.sparsity!r} must be a number from 0 to below 1")
        check_whole("restarts", self.restarts, 0)
        if not is_number(self.ridge) or not 0 < self.ridge < math.inf:
            raise ValueError(f"ridge={self.ridge!r} must be a number above 0")
        if not isinstance(self.indicators, bool):
            raise TypeError(f"indicators={self.indicators!r} must be True or False")
        check_choice("aim", self.aim, _AIMS)
        if resolve("others", self.others, CHOICES, Splitting).draws_tests:
            raise ValueError(
                f"others={self.others!r} draws tests, but sums compete with the best ones: use 'binary'"
            )

    def threshold_place(self) -> str:
        """Where single numeric columns are cut."""
        return resolve("others", self.others, CHOICES, Splitting).threshold_place()

    def check_columns(self, columns: Sequence[Column]) -> None:
        """Raise if a column named is not there, or cannot be in a sum."""
        self.summable(columns)
        resolve("others", self.others, CHOICES, Splitting).check_columns(columns)

    def nominal(self, column: Column) -> str:
        """Name of the test for a nominal column."""
        return resolve("others", self.others, CHOICES, Splitting).nominal(column)

    def summable(self, columns: Sequence[Column]) -> tuple[int, ...]:
        """The columns of a table that sums may take, in column order."""
        if self.columns is None:
            return tuple(k for k, column in enumerate(columns) if _fits(column))
        numbers = set()
        for given in self.columns:
            k = column_place("Oblique names the column", given, columns)
            if not _fits(columns[k]):
                kind = "time" if columns[k].is_time else columns[k].kind
                raise ValueError(
                    f"Oblique names the {kind} column {columns[k].name!r}, which has no place in a sum:"
                    " name numeric columns only, or turn it into numbers first"
                )
            numbers.add(k)
        return tuple(sorted(numbers))


def _fits(column: Column) -> bool:
    return column.kind == "numeric" and not column.is_time
