"""Sets of columns: a node may test the values of several columns together (R35)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import AnyArray
from hornbeam.data.columns import Column
from hornbeam.growing.splits.extra_tests import Beside

__all__ = ["ColumnSets"]

_MOST_NUMBERS = 12  # a numeric column of more values is no column of categories


class ColumnSets(Beside):
    """Nodes may test several columns together, with one branch for each tuple of values some row of the node
    has.

    A set of columns may hold nominal and ordinal columns, and numeric ones of at most 12 values, all of them
    whole numbers. A node takes the test of the best score; of tied ones plain columns come first, then sets
    in order. The columns of a set are used up below it, as the column of a multiway test is. A row with a
    gap in one of the columns has no tuple, and the choice of `missing` decides as for a column. So it does
    in prediction for a tuple that no row of the node had.

    Parameters
    ----------
    sets : list of tuples of columns (names or positions), or None
        The sets to try; None: all sets of 2 up to `size` columns that may be in one.
    size : int
        The largest number of columns in a set, where `sets` is None.
    max_branches : int
        A set with more tuples among the rows of a node is not tried there.
    columns : "binary", "multiway", "one-vs-rest", a part of `hornbeam.parts`, or None
        How plain columns are tested beside the sets; None: only sets are tested.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from hornbeam.parts import ColumnSets
    >>> xor = hb.datasets.load("xor2")
    >>> hb.TreeClassifier("entropy", split=ColumnSets()).fit(xor.X, xor.y).tree_.text()
    '(X1,X2)[{(0,0)}: 0(1:0) | {(0,1)}: 1(0:1) | {(1,0)}: 1(0:1) | {(1,1)}: 0(1:0)]'
    >>> for found in hb.candidates(xor.X, xor.y, split=ColumnSets()):
    ...     print(found)
    X1<=0.5  gain 0  gain ratio 0
    X2<=0.5  gain 0  gain ratio 0
    (X1,X2)  gain 1  gain ratio 0.5
    """

    name, about = "column-sets", "the values of several columns together"

    def __init__(
        self,
        sets: Sequence[Sequence[Any]] | None = None,
        size: int = 2,
        max_branches: int = 64,
        columns: Any = "binary",
    ) -> None:
        self.sets = sets
        self.size = size
        self.max_branches = max_branches
        self.columns = columns

    def check(self) -> None:
        """Raise if a number or a set is not allowed."""
        for name in ("size", "max_branches"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < 2:
                raise ValueError(f"{name}={value!r} must be a whole number of at least 2")
        if self.sets is not None:
            if isinstance(self.sets, str) or not isinstance(self.sets, Sequence) or not len(self.sets):
                raise TypeError(
                    f"sets={self.sets!r} must be a list of sets of columns, such as [('x1', 'x2')]"
                )
            for place, members in enumerate(self.sets):
                if isinstance(members, str) or not isinstance(members, Sequence) or len(set(members)) < 2:
                    raise ValueError(
                        f"sets[{place}]={members!r} must name at least two different columns, such as"
                        " ('x1', 'x2')"
                    )
        self.check_plain()

    def check_columns(self, columns: Sequence[Column]) -> None:
        """Raise if a set names a column that is not there."""
        self._given(columns)
        self.check_plain_columns(columns)

    def sets_in(self, columns: Sequence[Column], arrays: Sequence[AnyArray]) -> list[tuple[int, ...]]:
        """The sets to try on a table, as numbers of columns."""
        fits = [_fits(column, array) for column, array in zip(columns, arrays, strict=True)]
        if self.sets is None:
            able = [k for k, fit in enumerate(fits) if fit]
            return [some for size in range(2, self.size + 1) for some in combinations(able, size)]
        given = self._given(columns)
        for place, members in enumerate(given):
            for k in members:
                if not fits[k]:
                    raise ValueError(
                        f"sets[{place}] names the numeric column {columns[k].name!r}, which has more than"
                        f" {_MOST_NUMBERS} values or values that are no whole numbers: bin it, declare it in"
                        " categorical_features, or leave it out"
                    )
        return given

    def _given(self, columns: Sequence[Column]) -> list[tuple[int, ...]]:
        names = [column.name for column in columns]
        found = []
        for place, members in enumerate(self.sets or ()):
            for member in members:
                if not _is_position(member, len(names)) and member not in names:
                    raise ValueError(
                        f"sets[{place}] names the column {member!r}, which X does not have"
                        f"{did_you_mean(member, names)}: its columns are {', '.join(names)}"
                    )
            numbers = [k if _is_position(k, len(names)) else names.index(k) for k in members]
            found.append(tuple(int(k) for k in dict.fromkeys(numbers)))
        return found


def _is_position(member: Any, n_columns: int) -> bool:
    return not isinstance(member, bool) and isinstance(member, Integral) and 0 <= int(member) < n_columns


def _fits(column: Column, array: AnyArray) -> bool:
    """Whether a column can be in a set."""
    if column.kind != "numeric":
        return True
    values = np.unique(array[~np.isnan(array)])
    return len(values) <= _MOST_NUMBERS and bool((values == np.floor(values)).all())
