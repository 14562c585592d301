"""Growth of a large sparse matrix: nodes of many rows by their cells, those of few by the core at once.

One idea: name a few columns, let the core decide. The tally of a node's cells tells which columns cut it
nearly best; only those become arrays of the node's rows, and the core chooses among them as it would among
all. Of two children the tally of the larger is the parent's less the smaller's, so a long chain of small
groups split off costs little. A node of few rows becomes a small dense table of the columns in which its rows
differ, and the core grows everything below it. Either way the tree is that of the dense matrix.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.sparse import Cells
from hornbeam.data.table import Table
from hornbeam.growing import core
from hornbeam.growing.candidates import axis_search
from hornbeam.growing.candidates.axis_search import Search
from hornbeam.growing.candidates.node_splits import Proposal, ThresholdSplit
from hornbeam.growing.core import View
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.arrays import LEAF, THRESHOLD

_MOST_DENSE = 1 << 20  # values of a node's dense table
_FEW_ROWS = 4096  # of a node for which a dense table is tried
_WHOLE_LIMITS = {"max_depth", "min_rows_split", "min_rows_leaf"}  # those that mean the same below a node


class SparseGrowth(Growth):
    """The rows of a sparse matrix, in the order given."""

    matrix: Any

    @property
    def best_first(self) -> bool:
        """Whether the order of the nodes matters."""
        return "max_leaves" in self.plan.limits or "max_nodes" in self.plan.limits

    @staticmethod
    def _order(outcome: AnyArray, weight: Floats, copies: Longs, arrays: Sequence[AnyArray]) -> Longs:  # noqa: ARG004
        return np.flatnonzero((weight > 0) & (copies > 0))

    def _own_arrays(self, table: Table) -> Sequence[AnyArray]:
        assert table.sparse is not None
        is_whole = len(self.origin) == table.n_rows
        arrays = table.sparse if is_whole else table.sparse.take(self.origin)
        self.matrix = arrays.by_column
        self.cells = Cells(self.matrix)
        self._zeros = np.zeros(arrays.n_rows, dtype=self.matrix.dtype)
        return arrays

    def child(self, node: Node, branch: int, rows: Longs, weight: Floats, usable: tuple[int, ...]) -> Node:
        """The child of a node with some of its rows."""
        child = super().child(node, branch, rows, weight, usable)
        if not self.best_first:
            child.path = ()  # a tree of many words may be thousands of nodes deep, and nobody asks
        return child

    def values_of(self, column: int, rows: Longs) -> AnyArray:
        """The numbers of a column in some rows."""
        start, end = self.matrix.indptr[column], self.matrix.indptr[column + 1]
        stored = self.matrix.indices[start:end]
        self._zeros[stored] = self.matrix.data[start:end]
        values = self._zeros[rows]
        self._zeros[stored] = 0
        return values


class SparseSearch(Search):
    """The best test of one column, as the core would choose it of the dense matrix."""

    growth: SparseGrowth

    def __init__(self, growth: SparseGrowth, part: Any) -> None:
        super().__init__(growth, part)
        self.below: dict[Node, tuple[_Subtree, int]] = {}  # nodes that the core has grown on from
        self.n_tallied = 0  # rows when the tally was last made anew
        self.sums = None if growth.codes is not None else np.zeros((growth.n_rows, 3))
        self.outcome = self._outcome()
        n_lanes = (growth.width if growth.codes is not None else 3) + (self.outcome["copies"] is not None)
        self.tally = np.zeros(growth.cells.n_cells * n_lanes)
        self.tallied: Node | None = None  # the node whose rows are in the tally
        limits = set(growth.plan.limits) - _WHOLE_LIMITS
        self.grows_whole = not limits or all(not growth.plan.limits[name] for name in limits)

    def _outcome(self) -> dict[str, Any]:
        """What rows add up to, as the core reads it."""
        growth = self.growth
        plain = bool((growth.weight == 1).all() and (growth.copies == 1).all())
        classes = growth.codes is not None
        return {
            "n_classes": growth.width if classes else 0,
            "codes": np.ascontiguousarray(growth.codes, dtype=np.int32) if classes else None,
            "weights": growth.weight if classes and not plain else None,
            "sums": None if self.sums is None else self.sums.reshape(-1),
            "copies": None if plain else growth.copies.astype(np.float64),
        }

    def _measure(self, rows: Longs) -> None:
        """Write down the sums of some rows of numbers, from their middle: so adding them loses few digits."""
        growth = self.growth
        assert growth.values is not None
        assert self.sums is not None
        y, w = growth.values[rows], growth.weight[rows]
        low, high = float(y.min()), float(y.max())
        center = 0.0 if growth.rates else low / 2 + high / 2
        y = (y - center) / (max(abs(low - center), abs(high - center)) or 1.0)  # squares do not overflow
        self.sums[rows, 0], self.sums[rows, 1], self.sums[rows, 2] = w, w * y, w * y * y

    def propose(self, node: Node) -> Proposal | None:
        """The node's best split (K4), None if it has no candidate."""
        if node in self.below:
            subtree, place = self.below[node]
            return subtree.proposal(place)
        n_columns = len(self.growth.columns)
        if len(node.rows) <= _FEW_ROWS:
            block = _core.sparse_block(self.growth.cells.for_core, node.rows, n_columns, _MOST_DENSE)
            if block is not None:
                return self._grow_below(node, *block) if self.grows_whole else self._best(node, block[0])
        tally = self._tally_of(node)  # before the total, whose unit it may change
        columns = _core.sparse_columns(
            self.growth.cells.for_core,
            self.outcome,
            tally,
            self._total(node),
            self.growth.plan.criterion.name,
            float(self.growth.plan.limits.get("min_rows_leaf", 1)),
            float(self.growth.plan.limits.get("min_weight_fraction", 0.0)) * self.growth.total,
        )
        return self._best(node, columns)

    def split_made(self, node: Node, children: Sequence[Node]) -> None:
        """Pass on to the children, the largest of which comes first, what is known about them."""
        if node in self.below:
            subtree, place = self.below.pop(node)
            first = subtree.first_child(place)
            self.below.update((child, (subtree, first + k)) for k, child in enumerate(node.children))
        elif self.tallied is node:
            for child in children[1:]:
                _core.sparse_add(self.growth.cells.for_core, self.outcome, child.rows, -1.0, self.tally)
            self.tallied = children[0]

    def _tally_of(self, node: Node) -> Floats:
        if self.tallied is not node or len(node.rows) < self.n_tallied // 8:
            if self.sums is not None:
                self._measure(node.rows)
            self.n_tallied = len(node.rows)
            self.tally[:] = 0
            _core.sparse_add(self.growth.cells.for_core, self.outcome, node.rows, 1.0, self.tally)
            self.tallied = node
        return self.tally

    def _total(self, node: Node) -> Floats:
        own = node.stats if self.sums is None else self.sums[node.rows].sum(axis=0)
        return (
            own.astype(np.float64) if self.outcome["copies"] is None else np.append(own, float(node.n_rows))
        )

    def _best(self, node: Node, columns: AnyArray) -> Proposal | None:
        """What the core chooses among some columns; of many, a part at a time, then of the best of each."""
        some, at_once = columns.tolist(), max(2, _MOST_DENSE * 4 // max(len(node.rows), 1))
        while len(some) > at_once:
            parts = (some[k : k + at_once] for k in range(0, len(some), at_once))
            chosen = [axis_search.best(self.growth, node, part) for part in parts]
            some = sorted(each.split.columns[0] for each in chosen if each is not None)
        return axis_search.best(self.growth, node, some) if some else None

    def _grow_below(self, node: Node, columns: AnyArray, values: AnyArray) -> Proposal | None:
        """Grow everything below a node with the core; what it grew is kept for the nodes to come."""
        growth, n = self.growth, len(node.rows)
        if not len(columns):
            return None
        numbers = columns.tolist()
        views: list[View] = [
            core.core_column(growth.plan, growth.columns[column], values[k * n : (k + 1) * n])
            for k, column in enumerate(numbers)
        ]
        depth = growth.plan.limits.get("max_depth", math.inf) - node.depth
        limits = {k: v for k, v in growth.plan.limits.items() if k != "max_depth"}
        plan = replace(
            growth.plan, limits=limits | ({"max_depth": int(depth)} if depth < math.inf else {}), n_jobs=1
        )
        selection = plan.selection.core([growth.columns[column] for column in numbers])
        arrays, interrupted = core.grow(plan, selection, views, growth.core_target(node.rows, node.weight))
        if interrupted:
            raise KeyboardInterrupt
        subtree = _Subtree(arrays, numbers)
        self.below[node] = subtree, 0
        return subtree.proposal(0)


class _Subtree:
    """A tree that the core has grown below a node: a kind for each node, the rest for each test."""

    def __init__(self, arrays: Mapping[str, AnyArray], columns: Sequence[int]) -> None:
        self.arrays, self.columns = arrays, columns
        is_test = arrays["kind"] != LEAF
        assert (arrays["kind"][is_test] == THRESHOLD).all()
        self.number = np.where(is_test, np.cumsum(is_test) - 1, -1).tolist()  # of the test of each node

    def first_child(self, node: int) -> int:
        """The left child of a node, which its sibling follows."""
        return int(self.arrays["first_child"][self.number[node]])

    def proposal(self, node: int) -> Proposal | None:
        """The test of a node; None for a leaf."""
        test = self.number[node]
        if test < 0:
            return None
        low, high = self.arrays["gap"][test].tolist()
        column = self.columns[self.arrays["column"][test]]
        split = ThresholdSplit(column, float(self.arrays["threshold"][test]), low, high)
        score = float(self.arrays["gain"][test])
        return Proposal(split, score, score)
