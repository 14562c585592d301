"""Drawing: the seed of each tree, and the rows it sees.

One idea: rows are drawn by what they hold, not by where they stand. Their order is that of a key made of
their values, and draws fall on positions of the whole mass, so neither shuffling the table nor writing a row
of weight 2 as two rows changes a tree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Target, counted_rows
from hornbeam.growing import core
from hornbeam.growing.plan import Plan
from hornbeam.tree.apply import n_threads

_MASK = 2**64 - 1
_MOST = 2**62  # of the whole mass


def tree_seed(seed: int, i: int) -> int:
    """The seed of tree i: its columns and, by another stream, its rows.

    >>> tree_seed(0, 0) != tree_seed(0, 1) != tree_seed(1, 0)
    True
    """
    z = (seed + (i + 1) * 0x9E3779B97F4A7C15) & _MASK  # splitmix64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return (z ^ (z >> 31)) >> 1


@dataclass(frozen=True, eq=False)
class Draws:
    """How the rows of a tree are drawn, with replacement.

    Attributes
    ----------
    order : the rows by their keys
    upto : the mass up to and with each of them, None if every row weighs 1
    n_draws : how many are drawn
    """

    order: Longs
    upto: Longs | None
    n_draws: int

    @classmethod
    def of(cls, plan: Plan, table: Table, target: Target, max_samples: Any) -> Draws:
        """The draws from the rows of a table; `target` has the weights of the rows, not those of classes."""
        views = [
            core.core_column(plan, c, array) for c, array in zip(table.columns, table.arrays, strict=True)
        ]
        keys = _core.row_keys(views, table.n_rows, core.core_target(target), n_threads(plan.n_jobs))
        order = np.argsort(keys, kind="stable")
        mass = row_mass(target)
        upto = None if mass is None else np.cumsum(mass[order])
        return cls(order, upto, _wanted(max_samples, _all_draws(target, mass)))

    def counts(self, seed: int) -> Longs:
        """How often each row was drawn for the tree of this seed."""
        return _core.bootstrap((self.order, self.upto, self.n_draws), seed)


def row_mass(target: Target) -> Longs | None:
    """What each row weighs in drawing, as whole numbers in lowest terms; None if all weigh 1.

    >>> row_mass(Target.real_of([1, 2, 3], sample_weight=[2, 4, 0]))
    array([1, 2, 0])
    """
    if target.weights is None:
        return target.counts
    weights, counts = target.weights, target.counts
    if _is_whole(weights):
        whole = weights.astype(np.int64)
        mass = whole // int(np.gcd.reduce(whole))
    else:  # a grid fine enough for the smallest that matters
        most = float(weights.max()) * (1 if counts is None else int(counts.max()))
        unit = 2.0 ** (math.frexp(most)[1] - 61 + len(weights).bit_length())
        mass = np.where(weights > 0, np.maximum(np.rint(weights / unit), 1), 0).astype(np.int64)
    return mass if counts is None else mass * counts


def _is_whole(weights: Floats) -> bool:
    return bool((weights == np.floor(weights)).all()) and float(weights.sum()) < _MOST / 2**20


def _all_draws(target: Target, mass: Longs | None) -> int:
    """As many as there are rows; a row whose weight is a whole number w counts as w rows."""
    if mass is not None and target.weights is not None and _is_whole(target.weights):
        return int(mass.sum())
    return counted_rows(target)


def _wanted(max_samples: Any, n_rows: int) -> int:
    """How many rows a tree draws."""
    if max_samples is None:
        return n_rows
    number = float(max_samples) if isinstance(max_samples, Real) else math.nan
    if isinstance(max_samples, Integral) and max_samples is not True and number >= 1:
        return int(max_samples)
    if not isinstance(max_samples, Integral) and 0 < number <= 1:
        return max(1, round(number * n_rows))
    raise ValueError(
        f"max_samples={max_samples!r} must be None for as many draws as there are rows, a whole number of at"
        " least 1, or a share of the rows above 0 and up to 1.0"
    )
