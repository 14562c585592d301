"""What stays the same during one growth node by node: rows, plan, limits, and whether a node may be split.

One idea: rows are put into an order that depends on their contents alone, so that sums of doubles, and with
them the tree, never depend on the order in which the rows were given (K5). The questions are the core's: when
a node must stay a leaf, when a split is accepted, which columns it may draw.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import xlogy

from hornbeam._base.parameters import n_threads
from hornbeam._base.types import AnyArray, Bools, Floats, Longs, Task
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.candidates.node_splits import Proposal
from hornbeam.growing.plan import Plan
from hornbeam.tree import answers
from hornbeam.tree.node_stats import merge_stats, row_sums, stats_of_groups, stats_of_sums

_MARGIN = 1e-12  # K4
_WORD = 2**64 - 1
SPLITMIX_STEP = ROOT_KEY = 0x9E3779B97F4A7C15  # as in the core (types.hpp)


@dataclass(eq=False)
class Node:
    """A node while the tree grows: its rows with their weights, and what it may still test.

    `rows` are ascending row numbers of the growth; a row whose value is missing may stand in several nodes
    with a part of its weight in each. `n_rows` counts it, with its repetitions, in each of them.
    """

    rows: Longs
    weight: Floats
    depth: int
    usable: tuple[int, ...]  # columns
    path: tuple[int, ...]  # branches from the root
    key: int  # seeds the columns drawn here
    stats: Floats
    center: float  # the middle of the targets, around which candidates are summed
    n_rows: int
    impurity: float
    proposal: Proposal | None = None  # the split made
    children: list[Node] = field(default_factory=list)
    missing: int = -1


class Growth:
    """Columns, target and weights in a canonical order of the rows; rows of no weight are left out.

    Attributes
    ----------
    plan : Plan
    columns : tuple of Column
    arrays : one array per column: floats (nan = missing) or int32 codes (-1 = missing)
    origin : for each row its number in the table
    n_rows : number of rows
    weight : weight of each row (sample weight times repetitions)
    copies, repeats : repetitions of each row, and whether there are any
    codes, values : the target, classes or real
    classes : the labels, () for a real target
    width : length of a node's Stats
    total : the weight of all rows
    indicators : (column, code) of what sums may take beside columns, numbered from the last column on
    """

    def __init__(self, plan: Plan, table: Table, target: Target) -> None:
        self.plan = plan
        self.columns = table.columns
        self.indicators: tuple[tuple[int, int], ...] = ()
        self._ranked: dict[int, tuple[Floats, Longs]] = {}
        self.classes = target.classes
        self.task, self.is_real = target.task, target.task.is_real
        copies, weight = target.copies, target.row_weight
        outcome = target.values if self.is_real else target.codes
        assert outcome is not None
        self.origin = self._order(outcome, weight, copies, table.arrays)
        self.arrays = self._own_arrays(table)
        self.n_rows = len(self.origin)
        self.weight: Floats = weight[self.origin]
        self.copies: Longs = copies[self.origin]
        self.repeats = bool((self.copies != 1).any())
        self.codes = None if target.codes is None else target.codes[self.origin]
        self.values = None if target.values is None else target.values[self.origin]
        self.rates = plan.criterion.of_rates  # their Stats hold w y ln y
        self.width = (4 if self.rates else 3) if self.is_real else len(self.classes)
        self.total = float(self.weight.sum())
        self.selection: dict[str, Any] = plan.selection.core(table.columns)
        self.n_threads = n_threads(plan.n_jobs)  # asked once: it looks at files of the system
        self.root_sd = 0.0
        if self.is_real:
            everything = self.tally(np.arange(self.n_rows), self.weight)
            self.root_sd = float(answers.impurities(everything, Task.REAL, "sd")[0])

    @staticmethod
    def _order(outcome: AnyArray, weight: Floats, copies: Longs, arrays: Sequence[AnyArray]) -> Longs:
        """The rows that weigh something, in an order that depends on their contents only; gaps come last."""
        rows = np.flatnonzero((weight > 0) & (copies > 0))
        keys = [array[rows] for array in (*reversed(arrays), copies, weight, outcome)]
        return rows[np.lexsort([k if k.dtype.kind == "f" else np.where(k < 0, 2**31, k) for k in keys])]

    def _own_arrays(self, table: Table) -> Sequence[AnyArray]:
        """The columns in the order of the growth."""
        return tuple(np.ascontiguousarray(array[self.origin]) for array in table.arrays)

    def values_of(self, column: int, rows: Longs) -> AnyArray:
        """The values or codes of a column in some rows."""
        return self.arrays[column][rows]

    # ---- nodes ---------------------------------------------------------------------------------------------

    def root(self) -> Node:
        """The node of all rows."""
        usable = tuple(range(len(self.columns)))
        return self.node(np.arange(self.n_rows), self.weight, 0, usable, (), ROOT_KEY)

    def node(
        self,
        rows: Longs,
        weight: Floats,
        depth: int,
        usable: tuple[int, ...],
        path: tuple[int, ...],
        key: int,
    ) -> Node:
        """A node of some rows."""
        stats = self.tally(rows, weight)
        center = 0.0 if self.values is None or self.rates or not len(rows) else _middle(self.values[rows])
        impurity = float(self.impurity(stats)[0])
        return Node(rows, weight, depth, usable, path, key, stats[0], center, self.count(rows), impurity)

    def child(self, node: Node, branch: int, rows: Longs, weight: Floats, usable: tuple[int, ...]) -> Node:
        """The child of a node with some of its rows."""
        path, key = (*node.path, branch), child_key(node.key, branch)
        return self.node(rows, weight, node.depth + 1, usable, path, key)

    # ---- sums ----------------------------------------------------------------------------------------------

    def tally(self, rows: Longs, weight: Floats, branch: Longs | None = None, n_branches: int = 1) -> Floats:
        """The Stats of the rows in each branch (all rows in one, if none is given): [branches, width]."""
        place = np.zeros(len(rows), dtype=np.int64) if branch is None else branch
        if self.values is None:
            return self.sums(rows, weight, place, n_branches, 0.0)
        return stats_of_groups(place, n_branches, weight, self.values[rows], self.width)

    def sums(self, rows: Longs, weight: Floats, place: Longs, n: int, center: float) -> Floats:
        """What rows add up to by place: class weights, or sums of w, w y, w y^2 (rates: w y ln y).

        These add up to the sums of any candidate. Targets are measured from `center`, which is the middle of
        a node's own rows, since a number far away would take the digits of all others.
        """
        if self.codes is not None:
            cells = place * self.width + self.codes[rows]
            return _sums(cells, weight, n * self.width).reshape(n, self.width)
        assert self.values is not None
        y = self.values[rows] - center
        columns = [weight, weight * y, weight * y * y] + ([weight * xlogy(y, y)] if self.rates else [])
        return np.stack([_sums(place, w, n) for w in columns], axis=1)

    def stats_of(self, sums: Floats, center: float = 0.0) -> Floats:
        """The Stats of sums around a center; without it, means are measured from where the sums are."""
        return stats_of_sums(sums, center) if self.is_real else sums

    def count(self, rows: Longs) -> int:
        """Rows with their repetitions (K3)."""
        return int(self.copies[rows].sum())

    def weights(self, stats: Floats) -> Floats:
        """The weight of each of the Stats."""
        return stats[..., 0] if self.is_real else row_sums(stats)

    def impurity(self, stats: Floats) -> Floats:
        """The impurity of each of the Stats, by the plan's criterion."""
        if not self.plan.criterion.is_own:
            return answers.impurities(stats, self.task, self.plan.criterion.name)
        some = self.weights(stats) > 0
        if some.all():
            return self._own_impurity(stats)
        own = np.zeros(some.shape)
        own[some] = self._own_impurity(stats[some])
        return own

    def _own_impurity(self, stats: Floats) -> Floats:
        """The impurity by a criterion that is written in Python, checked."""
        criterion = self.plan.criterion
        own = np.asarray(criterion.impurity(stats), dtype=np.float64)
        if own.shape != stats.shape[:-1] or not np.isfinite(own).all():
            what = (
                "a number that is not finite" if own.shape == stats.shape[:-1] else f"the shape {own.shape}"
            )
            raise ValueError(
                f"criterion={criterion!r}: impurity(stats) must return a finite number for each of the Stats;"
                f" for stats of the shape {stats.shape} it returned {what}"
            )
        return own

    def decrease(self, parts: Floats) -> Floats:
        """How much groups have less of weight x impurity than all together: [..., groups, width]."""
        if not self.plan.criterion.is_own:
            return answers.decrease_of_groups(parts, self.task, self.plan.criterion.name)
        whole = merge_stats(parts if parts.ndim < 3 else parts[:1], self.task)  # all part the same rows
        each = (self.weights(parts) * self.impurity(parts)).sum(axis=-1)
        lowered: Floats = self.weights(whole) * self.impurity(whole) - each
        return lowered

    def core_target(self, rows: Longs, weight: Floats) -> dict[str, Any]:
        """The target of some rows as the core reads it."""
        copies = self.copies[rows]
        return {
            "n_classes": 0 if self.is_real else self.width,
            "codes": None if self.codes is None else self.codes[rows],
            "values": None if self.values is None else self.values[rows],
            "weights": None if np.array_equal(weight, copies) else weight / copies,
            "counts": copies if (copies != 1).any() else None,
        }

    def numbers(self, column: int, rows: Longs) -> Floats:
        """Values or codes as doubles, whether an indicator's value is there as 1 or 0; missing as NaN."""
        if column >= len(self.columns):
            column, code = self.indicators[column - len(self.columns)]
            codes = self.arrays[column][rows]
            return np.where(codes < 0, np.nan, codes == code)
        x = self.values_of(column, rows)
        return x.astype(np.float64) if x.dtype.kind == "f" else np.where(x < 0, np.nan, x.astype(np.float64))

    def known(self, column: int, rows: Longs) -> Bools:
        """Where a column has a value."""
        x = self.arrays[column][rows]
        return ~np.isnan(x) if x.dtype.kind == "f" else x >= 0

    def ranked(self, column: int) -> tuple[Floats, Longs]:
        """The values of a column, ascending, and the rank of each row's value among them, -1 for a gap.

        They are sorted once, whatever nodes ask.
        """
        if column not in self._ranked:
            x = self.arrays[column]
            if x.dtype.kind != "f":
                values, ranks = np.arange(int(x.max(initial=-1)) + 1, dtype=np.float64), x.astype(np.int64)
                ranks = np.where(ranks < 0, -1, ranks)
            else:
                known = ~np.isnan(x)
                ranks = np.full(len(x), -1, dtype=np.int64)
                values, ranks[known] = _ranked(x[known])
            self._ranked[column] = values.astype(np.float64), ranks
        return self._ranked[column]

    def is_ranked(self, column: int) -> bool:
        """Whether the values of a column are sorted already, or need not be."""
        return column in self._ranked or self.arrays[column].dtype.kind != "f"

    # ---- questions -----------------------------------------------------------------------------------------

    def must_be_leaf(self, node: Node) -> bool:
        """Whether limits or purity forbid any split."""
        limits = self.plan.limits
        least = max(limits.get("min_rows_split", 2), 2 * limits.get("min_rows_leaf", 1))
        if node.depth >= limits.get("max_depth", math.inf) or node.n_rows < least:
            return True
        if self.values is None:
            return bool(np.count_nonzero(node.stats > 0) < 2)
        y = self.values[node.rows]
        return bool(y.min() == y.max()) or self._too_even(node)

    def _too_even(self, node: Node) -> bool:
        limits = self.plan.limits
        sd = float(answers.impurities(node.stats[None], Task.REAL, "sd")[0])
        few = (
            limits.get("min_variation", 0.0) * abs(float(node.stats[1])),
            limits.get("min_sd_share", 0.0) * self.root_sd,
        )
        return sd < float(max(few))

    def margin(self, node: Node, score: float) -> float:
        """Scores closer to the best than this are tied with it (K4)."""
        return _MARGIN * (abs(score) if self.plan.criterion.name == "gain-ratio" else node.impurity)

    def accepts(self, node: Node, proposal: Proposal) -> bool:
        """Whether a split gains enough."""
        limits = self.plan.limits
        if not proposal.score - self.margin(node, proposal.score) > limits.get("min_gain", -math.inf):
            return False
        worth = float(self.weights(node.stats)) / self.total * proposal.gain
        return worth + float(np.finfo(float).eps) >= float(limits.get("min_impurity_decrease", 0.0))

    def draws(self, node: Node, pool: Sequence[int]) -> Iterator[list[int]]:
        """What a node looks at: all of the pool; with max_features some at random, then one more at a time.

        A function of the seed and the path alone, and the same as the core's.
        """
        order, wanted = list(pool), self.plan.max_features or len(pool)
        if wanted < len(order):
            state = (self.plan.seed ^ (node.key * SPLITMIX_STEP)) & _WORD
            for i in range(len(order) - 1):
                state, drawn = splitmix(state)
                j = i + drawn % (len(order) - i)
                order[i], order[j] = order[j], order[i]
        taken = 0
        while taken < len(order):
            more = wanted if taken == 0 else 1
            yield sorted(order[taken : taken + more])
            taken += more


def _middle(values: Floats) -> float:
    """The middle of the range, safe from overflow."""
    low, high = float(values.min()), float(values.max())
    middle = low + (high - low) / 2
    return middle if math.isfinite(middle) else low / 2 + high / 2


def _ranked(x: Floats) -> tuple[Floats, Longs]:
    """The values, ascending, and the place of each among them. Whole numbers of a short range are counted.

    >>> _ranked(np.array([2.0, 0.0, 2.0]))
    (array([0., 2.]), array([1, 0, 1]))
    """
    low, high = (float(x.min()), float(x.max())) if len(x) else (0.0, 0.0)
    if not high - low < len(x) or not (x == np.rint(x)).all():
        values, inverse = np.unique(x, return_inverse=True)
        return values, inverse.reshape(-1)
    offset = (x - low).astype(np.int64)
    present = np.bincount(offset) > 0
    ranks = np.cumsum(present, dtype=np.int64) - 1
    return np.flatnonzero(present).astype(np.float64) + low, ranks[offset]


def _sums(place: Longs, weights: Floats, n: int) -> Floats:
    return np.bincount(place, weights=weights, minlength=n).astype(np.float64, copy=False)


def child_key(key: int, branch: int) -> int:
    """What a branch draws follows from this, and this from the key of its parent (as in the core)."""
    return ((key ^ (branch + 1)) * 0xD6E8FEB86659FD93 + 1) & _WORD


def splitmix(state: int) -> tuple[int, int]:
    """Splitmix64: the next state, and the number drawn."""
    state = (state + SPLITMIX_STEP) & _WORD
    z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & _WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _WORD
    return state, z ^ (z >> 31)
