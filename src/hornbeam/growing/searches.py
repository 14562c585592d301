"""Searches: the slot `search`, how the tests of a whole tree are looked for.

Greedy growth takes the best test of a node and never comes back to it. Looking ahead judges a test by the
best tests below it. An optimal search tries every tree of a depth, as far as bounds do not rule it out, and
proves that none is better.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hornbeam._base.parameters import check_above, is_number
from hornbeam.growing.part import Part, check_whole

__all__ = ["Greedy", "Lookahead", "Optimal", "TreeSearch"]

_UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9}


class TreeSearch(Part):
    """How the tests of a tree are looked for."""

    method: ClassVar[str] = "core"  # the method of growing that can do it


class Greedy(TreeSearch):
    """The best test of each node, one after the other.

    Examples
    --------
    >>> import hornbeam as hb
    >>> iris = hb.datasets.load("tennis")
    >>> hb.TreeClassifier(search="greedy", max_depth=1).fit(iris.X, iris.y).tree_.statistics()["leaves"]
    2
    """

    name, about = "greedy", "the best test of each node, one after the other"


@dataclass(eq=False, repr=False)
class Lookahead(TreeSearch):
    """The test whose best tests below it leave the fewest errors.

    At each node the first test of the best tree of `depth` levels is taken. Where no such tree makes fewer
    errors than a leaf, the criterion decides as in greedy growth.

    Parameters
    ----------
    depth : int
        How many levels are looked at: 2 costs little more than greedy growth.

    Examples
    --------
    >>> import hornbeam as hb, numpy as np
    >>> X = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 1]] * 5, dtype=float)
    >>> y = (X[:, 0] != X[:, 1]).astype(int)  # the third column has nothing to do with it
    >>> model = hb.TreeClassifier(search="lookahead", max_depth=2).fit(X, y)
    >>> model.score(X, y)
    1.0
    """

    depth: int = 2

    name, about = "lookahead", "tests judged by the best tests below them"
    method = "stepwise"

    def check(self) -> None:
        """Raise if `depth` is no number of levels."""
        check_whole("depth", self.depth, 1)


@dataclass(eq=False, repr=False)
class Optimal(TreeSearch):
    """The tree of least error of a depth, with a proof that there is none better.

    Needs `max_depth`. The estimator's `certificate_` says what was proven.

    Parameters
    ----------
    time_limit : float
        Seconds after which the best tree so far is kept, with what is proven about it.
    max_gap : float
        Stop when the tree is proven to be within this share of the best possible one.
    memory : str or int
        For what is remembered of sets of rows: bytes, or "256MB".
    price : float
        Errors that a leaf must save: the objective is the errors plus this for each leaf.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = hb.TreeClassifier(search="optimal", max_depth=2).fit(X, y)
    >>> print(model.certificate_)
    No tree of depth 2 makes fewer than 6 errors on these 150 rows; greedy growth makes 6.
    """

    time_limit: float = 60.0
    max_gap: float = 0.0
    memory: Any = "256MB"
    price: float = 0.0

    name, about = "optimal", "a proven best tree of a small depth"
    method = "stepwise"
    all_sizes: ClassVar[bool] = False

    def check(self) -> None:
        """Raise if one of the numbers is not allowed."""
        check_above("time_limit", self.time_limit, 0, "seconds")
        for name in ("max_gap", "price"):
            value = getattr(self, name)
            if not is_number(value) or not 0 <= value < float("inf"):
                raise ValueError(f"{name}={value!r} must be a number of at least 0")
        self.bytes()

    def bytes(self) -> int:
        """The memory in bytes.

        >>> Optimal(memory="2 GB").bytes()
        2000000000
        """
        text = str(self.memory).strip().lower().replace(" ", "")
        digits = text.rstrip("kmgb")
        if not isinstance(self.memory, bool) and text[len(digits) :] in _UNITS:
            try:
                size = int(float(digits) * _UNITS[text[len(digits) :]])
            except (ValueError, OverflowError):
                size = 0
            if size >= 2**20:
                return min(size, 2**62)
        raise ValueError(
            f"memory={self.memory!r} must be at least 1 MB: a number of bytes, or text such as '256MB'"
        )


@dataclass(eq=False, repr=False)
class OptimalOfPath(Optimal):
    """The same search for the trees of every size, which is run once: later fits take its answers."""

    all_sizes = True

    def __post_init__(self) -> None:
        self.answers: list[Any] = []


SEARCH: Mapping[str, type[TreeSearch]] = {part.name: part for part in (Greedy, Lookahead, Optimal)}
