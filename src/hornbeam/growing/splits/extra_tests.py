"""Tests beside those of single columns: sets of columns and predicates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from hornbeam._base.parameters import check_choice
from hornbeam._base.types import AnyArray
from hornbeam.data.columns import Column
from hornbeam.growing.part import check_whole, column_place
from hornbeam.growing.splits.column_splits import Splitting, plain_choice
from hornbeam.tree.expressions.from_tree import expression_of
from hornbeam.tree.expressions.language import Expression, Function
from hornbeam.tree.tree import Tree

_MOST_NUMBERS = 12  # a numeric column of more values is no column of categories


class ExtraTests(Splitting):
    """Special tests compete with the plain ones of the columns; `columns=None` leaves those out."""

    method = "stepwise"
    columns: Any

    def threshold_place(self) -> str:
        """Where plain numeric columns are cut."""
        return plain_choice("columns", self.columns or "binary").threshold_place()

    def check_plain(self) -> None:
        """Raise if the choice for plain columns is not known."""
        if self.columns is not None:
            plain_choice("columns", self.columns)

    def check_plain_columns(self, columns: Sequence[Column]) -> None:
        """Raise if the choice for plain columns does not fit the table."""
        if self.columns is not None:
            plain_choice("columns", self.columns).check_columns(columns)

    def nominal(self, column: Column) -> str:
        """Name of the test for a nominal column."""
        return plain_choice("columns", self.columns or "binary").nominal(column)

    def plain_columns(self, columns: Sequence[int]) -> tuple[int, ...]:
        """Those of the columns that are tested beside the special ones."""
        return () if self.columns is None else tuple(columns)


@dataclass(eq=False, repr=False)
class ColumnSets(ExtraTests):
    """Nodes may test several columns together, with one branch for each tuple of values some row of the node
    has, or two branches for the best two sets of these tuples.

    A set of columns may hold nominal and ordinal columns, and numeric ones of at most 12 values, all of them
    whole numbers. A node takes the test of the best score; of tied ones plain columns come first, then sets
    in order. Where every tuple has a branch, the columns are used up below it, as the column of a multiway
    test is. A row with a gap in one of the columns has no tuple, and the choice of `missing` decides as for a
    column. So it does in prediction for a tuple that no row of the node had.

    Parameters
    ----------
    sets : list of tuples of columns (names or positions), or None
        The sets to try; None: all sets of 2 up to `size` columns that may be in one.
    size : int
        The largest number of columns in a set, where `sets` is None.
    max_branches : int
        A set with more tuples among the rows of a node is not tried there.
    branches : "tuples" or "two"
        "two": the tuples are parted into two sets as the values of a nominal column are by "binary".
    columns : "binary", "multiway", "one-vs-rest", a part of `hornbeam.parts`, or None
        How plain columns are tested beside the sets; None: only sets are tested.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from hornbeam.parts import ColumnSets
    >>> xor = hb.datasets.load("xor2")
    >>> model = hb.TreeClassifier("entropy", split=ColumnSets()).fit(xor.X, xor.y)
    >>> model.tree_.text()
    '(X1,X2)[{(0,0)}: 0(1:0) | {(0,1)}: 1(0:1) | {(1,0)}: 1(0:1) | {(1,1)}: 0(1:0)]'
    >>> for candidate in hb.candidates(model, xor.X, xor.y):
    ...     print(candidate)
    (X1,X2): rank 1, gain 1 bit
    X1<=0.5: rank 2, gain 0 bits
    X2<=0.5: rank 3, gain 0 bits
    >>> hb.TreeClassifier("entropy", split=ColumnSets(branches="two")).fit(xor.X, xor.y).tree_.text()
    '(X1,X2)[{(0,0),(1,1)}: 0(2:0) | {(0,1),(1,0)}: 1(0:2)]'
    """

    name, about = "column-sets", "the values of several columns together"

    sets: Sequence[Sequence[Any]] | None = None
    size: int = 2
    max_branches: int = 64
    columns: Any = "binary"
    branches: str = "tuples"

    def check(self) -> None:
        """Raise if a number or a set is not allowed."""
        for name in ("size", "max_branches"):
            check_whole(name, getattr(self, name), 2)
        check_choice("branches", self.branches, ("tuples", "two"))
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
            return [
                some for size in range(2, min(self.size, len(able)) + 1) for some in combinations(able, size)
            ]
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
        sets = []
        for place, members in enumerate(self.sets or ()):
            who = f"sets[{place}] names the column"
            sets.append(tuple(dict.fromkeys(column_place(who, member, columns) for member in members)))
        return sets


def _fits(column: Column, array: AnyArray) -> bool:
    """Whether a column can be in a set."""
    if column.kind != "numeric":
        return True
    values = np.unique(array[~np.isnan(array)])
    return len(values) <= _MOST_NUMBERS and bool((values == np.floor(values)).all())


class Predicates(ExtraTests):
    """Nodes test predicates, beside the plain columns or instead of them.

    A node takes the test of the best score; of tied ones plain columns come first, then predicates in the
    order given. A predicate that is the same for all rows of a node is no candidate there; it is never used
    up, so it may be tested again below. True goes to the first branch. Where a predicate cannot be told
    because of a missing value, the choice of `missing` decides as for a column.

    Parameters
    ----------
    predicates : list
        Each of them one of

        - text in a small closed language: columns by name (in backticks if the name is no word), numbers,
          strings, `+ - * / **`, comparisons, `in (...)`, `and`, `or`, `not`; for example ``"head == body"``
          or ``"X1 + X2 > 0.5"``. Nothing is ever executed.
        - a Tree, or a fitted classifier, that answers True or False (or 1 and 0): true where it answers True.
          Of any other tree of classes every class is a predicate, true where the tree answers it (of two
          classes the first); a pair ``(tree, label)`` picks one. The tree is written out as an expression.
        - a Python function that takes the table and gives True or False for each row. The table is a mapping
          from column names to arrays: numbers with nan for gaps, categories as objects with None. It is
          called on any number of rows, so it must look at each row alone. Such a tree predicts and pickles
          (if the function does), but saving or exporting it is refused.

    columns : "binary", "multiway", "one-vs-rest", a part of `hornbeam.parts`, or None
        How plain columns are tested beside the predicates; None: only predicates are tested.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from hornbeam.parts import Predicates
    >>> xor = hb.datasets.load("xor2")
    >>> lines = Predicates(["X1 + X2 > 0.5", "X1 + X2 > 1.5"], columns=None)
    >>> hb.TreeClassifier("entropy", split=lines).fit(xor.X, xor.y).tree_.text()
    '(X1 + X2 > 0.5)[yes: (X1 + X2 > 1.5)[yes: 0(1:0) | no: 1(0:2)] | no: 0(1:0)]'
    >>> robots = hb.datasets.load("robots")
    >>> model = hb.TreeClassifier("entropy", split=Predicates(["head == body"], columns=None))
    >>> useless, = hb.candidates(model, robots.X, robots.y)
    >>> useless.gain
    0.0
    """

    name, about = "predicates", "tests of the user's own"

    def __init__(self, predicates: Sequence[Any], columns: Any = "binary") -> None:
        self.predicates = predicates
        self.columns = columns

    def check(self) -> None:
        """Raise unless there is at least one predicate, and each is of a known sort."""
        if isinstance(self.predicates, str) or not isinstance(self.predicates, Sequence):
            raise TypeError(
                f"predicates={self.predicates!r} must be a list of predicates, such as ['x1 + x2 > 0.5']"
            )
        if not self.predicates:
            raise ValueError("predicates=[] is empty: give at least one, such as 'x1 + x2 > 0.5'")
        for place, given in enumerate(self.predicates):
            if isinstance(given, str):
                _named(place, Expression.parse, given)
            elif _tree_of(given) is None and not callable(given):
                raise TypeError(
                    f"predicates[{place}]={given!r} must be text, a Python function, a Tree of classes, or"
                    " a pair of a Tree and one of its classes"
                )
        self.check_plain()

    def check_columns(self, columns: Sequence[Column]) -> None:
        """Raise if a predicate does not fit the columns."""
        self.tests(columns)
        self.check_plain_columns(columns)

    def tests(self, columns: Sequence[Column]) -> list[Expression]:
        """The predicates, ready to be evaluated on a table of these columns."""
        expressions: list[Expression] = []
        for place, given in enumerate(self.predicates):
            for text in _named(place, _texts, place, given, columns):
                expression = Expression.parse(text)
                _named(place, expression.check, columns)
                expressions.append(expression)
        return expressions


def _named(place: int, action: Callable[..., Any], *arguments: Any) -> Any:
    """What an action gives; its error names the predicate."""
    try:
        return action(*arguments)
    except ValueError as error:
        raise ValueError(f"predicates[{place}]: {error}") from None


def _texts(place: int, given: Any, columns: Sequence[Column]) -> list[str]:
    """A predicate as texts of the language, or as a Function."""
    if isinstance(given, str):
        return [given]
    pair = _tree_of(given)
    if pair is None:
        name = getattr(given, "__name__", type(given).__name__)
        return [Function.of(given, name if name != "<lambda>" else f"function {place}")]
    tree, labels = pair
    return [expression_of(tree, label, columns) for label in labels]


def _tree_of(given: Any) -> tuple[Tree, list[Any]] | None:
    """The tree of a predicate with the classes that make it true; None if it has none."""
    if isinstance(given, tuple) and len(given) == 2:
        pair = _tree_of(given[0])
        return None if pair is None else (pair[0], [given[1]])
    tree = getattr(given, "tree_", given)
    if not isinstance(tree, Tree):
        return None
    classes = tree.classes or ()
    if len(classes) == 2 and set(classes) == {False, True}:
        return tree, [True]
    return tree, list(classes[:1] if len(classes) == 2 else classes) or [None]
