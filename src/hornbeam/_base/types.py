"""Short names for the types of arrays; the task of a tree; midpoints; sums that no order of rows changes.

Whole numbers add up exactly in any order; others are added in the order of their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]


class Task(StrEnum):
    """What a tree answers about a row: its class, a number, how densely such rows lie, its risk of an event.

    The risk of a survival tree is a number, a mean of rates, and is treated as one but for its words.

    A Task is its text: files and documents hold "classes", and comparing with that text works.

    >>> Task("real") == "real", Task.REAL, Task.REAL.is_real
    (True, 'real', True)
    """

    CLASSES = "classes"
    REAL = "real"
    DENSITY = "density"
    SURVIVAL = "survival"

    __repr__ = str.__repr__

    def __init__(self, text: str) -> None:
        self.is_classes = text == "classes"  # whether nodes answer classes
        self.is_real = text in ("real", "survival")  # numbers
        self.has_spread = text == "real"  # numbers whose standard deviation says something
        self.is_survival = text == "survival"  # risks of events
        self.is_density = text == "density"  # densities

    @property
    def tree_name(self) -> str:
        """What a tree of the task is called in sentences."""
        names = {"classes": "tree of classes", "real": "regression tree"}
        return f"a {names.get(self, f'{self} tree')}"

    @property
    def usual_criterion(self) -> str:
        """The criterion that judges splits unless another is chosen."""
        return _USUAL_CRITERION[self]

    def stats_width(self, n_classes: int) -> int:
        """How many numbers the Stats of a node hold; counts of events need one more."""
        return n_classes if self.is_classes else 4 if self.is_survival else 3 if self.is_real else 1


_USUAL_CRITERION = {
    "classes": "gini",
    "real": "variance",
    "density": "density",
    "survival": "log-rank",
}

_EXACT = 2.0**53

TIE = 1e-12  # of the larger number: what is closer than this is equal, whatever the rounding of the sums


def midpoint(low: AnyArray | float, high: AnyArray | float) -> Floats:
    """Halfway between neighbouring values (K7): safe from overflow, and always below the upper one.

    >>> midpoint(np.array([1.0, 1e308]), np.array([2.0, 1.5e308]))
    array([1.50e+000, 1.25e+308])
    """
    with np.errstate(over="ignore"):
        width = np.subtract(high, low)
    middle = np.where(np.isfinite(width), low + width / 2, np.divide(low, 2) + np.divide(high, 2))
    return np.where(middle >= high, low, middle)


def sums_by_place(place: Longs, values: Floats, n: int) -> Floats:
    """The sum of the values at each of the places 0 to n - 1.

    >>> sums_by_place(np.array([2, 0, 2]), np.array([0.5, 1.0, 0.25]), 3)
    array([1.  , 0.  , 0.75])
    """
    is_exact = bool((values == np.rint(values)).all()) and float(np.abs(values).sum()) < _EXACT
    if not is_exact:
        order = np.lexsort((values, place))
        place, values = place[order], values[order]
    return np.bincount(place, weights=values, minlength=n).astype(np.float64, copy=False)


def distinct_rows(columns: Sequence[AnyArray] | AnyArray) -> tuple[Longs, Longs]:
    """The first of each kind of row, kinds in order of their values, and the kind of every row.

    What `np.unique(..., axis=0)` says, which Ctrl-C can crash while it compares rows.

    >>> distinct_rows([np.array([2, 1, 2]), np.array([5, 7, 5])])
    (array([1, 0]), array([1, 0, 1]))
    """
    order = np.lexsort(columns[::-1])
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
    kind = np.empty(len(order), dtype=np.int64)
    kind[order] = np.cumsum(is_new) - 1
    return order[is_new], kind
