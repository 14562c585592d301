"""Predicates: tests given by the user, of any columns together (R14, R36)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hornbeam.data.columns import Column
from hornbeam.growing.splits.extra_tests import Beside
from hornbeam.tree.expressions.from_tree import expression_of
from hornbeam.tree.expressions.functions import Function
from hornbeam.tree.expressions.language import Expression
from hornbeam.tree.tree import Tree

__all__ = ["Predicates"]


class Predicates(Beside):
    """Nodes test predicates, beside the plain columns or instead of them.

    A node takes the test of the best score; of tied ones plain columns come first, then predicates in the
    order given. A predicate that is the same for all rows of a node is no candidate there; it is never used
    up, so it may be tested again below. True goes to the first branch. Where a predicate cannot be told
    because of a missing value, the choice of `missing` decides as for a column.

    Parameters
    ----------
    predicates : list
        Each of them one of

        - text in a small closed language: columns by name (`` `in backticks` `` if the name is no word),
        numbers,
          strings, `+ - * / **`, comparisons, `in (...)`, `and`, `or`, `not`; for example ``"head == body"``
          or ``"X1 + X2 > 0.5"``. Nothing is ever executed.
        - a Tree, or a fitted classifier, that answers True or False (or 1 and 0): true where it answers True.
        Of any
          other tree of classes every class is a predicate, true where the tree answers it (of two classes the
          first); a pair ``(tree, label)`` picks one. The tree is written out as an expression.
        - a Python function that takes the table and gives True or False for each row. The table is a mapping
        from
          column names to arrays: numbers with nan for gaps, categories as objects with None. It is called on
          any number of rows, so it must look at each row alone. Such a tree predicts and pickles (if the
          function does), but saving or exporting it is refused.
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
    >>> useless, = hb.candidates(robots.X, robots.y, split=Predicates(["head == body"], columns=None))
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
        found: list[Expression] = []
        for place, given in enumerate(self.predicates):
            for text in _named(place, _texts, place, given, columns):
                expression = Expression.parse(text)
                _named(place, expression.check, columns)
                found.append(expression)
        return found


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
    found = _tree_of(given)
    if found is None:
        name = getattr(given, "__name__", type(given).__name__)
        return [Function.of(given, name if name != "<lambda>" else f"function {place}")]
    tree, labels = found
    return [expression_of(tree, label, columns) for label in labels]


def _tree_of(given: Any) -> tuple[Tree, list[Any]] | None:
    """The tree of a predicate with the classes that make it true; None if it has none."""
    if isinstance(given, tuple) and len(given) == 2:
        found = _tree_of(given[0])
        return None if found is None else (found[0], [given[1]])
    tree = getattr(given, "tree_", given)
    if not isinstance(tree, Tree):
        return None
    classes = tree.classes or ()
    if len(classes) == 2 and set(classes) == {False, True}:
        return tree, [True]
    return tree, list(classes[:1] if len(classes) == 2 else classes) or [None]
