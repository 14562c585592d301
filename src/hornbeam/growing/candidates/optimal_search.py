"""The searches that look further than one test: ahead of each node, or over all trees of a depth.

Both ask the core for a tree of least cost on some rows. What each answer would cost for a row is a whole
number, so that a proof is not a matter of rounding. The tests come back as ranks of values and are made into
splits here; growth node by node does the rest, as for any other search.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.growing.candidates.axis_search import AxisSearch, information_of
from hornbeam.growing.candidates.node_splits import MapSplit, Proposal, Split, ThresholdSplit
from hornbeam.growing.core import Progress
from hornbeam.growing.missing import MissingRule
from hornbeam.growing.searches import Lookahead, Optimal
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.arrays import SUBSET
from hornbeam.tree.certificate import Certificate

_ENDLESS = 1e18  # seconds
_MOST_STEPS = 10
_LARGEST = 2**48  # what all rows may cost, in units
_FINEST = 20  # weights that are whole after doubling them this often are counted exactly, in small units


@dataclass(frozen=True)
class LeastCost:
    """The rows of a growth as the core's search for optimal trees reads them.

    `costs` are whole numbers of units, `unit` times `steps` of them make 1. Of trees that cost the same the
    smaller one is better: a leaf has a price of one more, and all leaves together are less than `steps`.
    """

    growth: Growth
    columns: list[tuple[AnyArray, bool, int]]
    costs: Longs
    unit: float
    price: int
    steps: int

    @classmethod
    def of(cls, growth: Growth, price: float, depth: int) -> LeastCost:
        """The problem of a growth."""
        refuse(growth)
        assert growth.codes is not None
        given = growth.plan.answer_costs
        mistake = 1.0 - np.eye(len(growth.classes))
        costs = growth.weight[:, None] * mistake[growth.codes] if given is None else given[growth.origin]
        whole, unit = in_units(costs, price)
        columns = []
        for k, column in enumerate(growth.columns):
            values, ranks = growth.ranked(k)
            codes = np.ascontiguousarray(ranks, dtype=np.int32)
            columns.append((codes, column.kind == "nominal", max(len(values), len(column.categories), 1)))
        steps = 2 ** min(depth, _MOST_STEPS) + 1
        return cls(growth, columns, whole * steps, unit, round(price * unit) * steps + 1, steps)

    def amount(self, cost: int) -> float:
        """A cost in the units of the rows' weights."""
        return (cost // self.steps) / self.unit

    def solve(
        self, rows: Longs | None, depth: int, progress: Progress | None = None, **options: Any
    ) -> dict[str, Any]:
        """The core's answer for some rows (None: all)."""
        growth = self.growth
        least = growth.plan.limits.get("min_rows_leaf", 1)
        columns, costs, copies = self.columns, self.costs, growth.copies
        if rows is not None:
            columns = [(np.ascontiguousarray(codes[rows]), nominal, n) for codes, nominal, n in columns]
            costs, copies = costs[rows], copies[rows]
        asked = {
            "n_answers": costs.shape[1],
            "price": self.price,
            "max_depth": depth,
            "min_rows": int(least),
            "upper": int(costs.max(axis=1).sum()) + self.price + 1,
            "seconds": _ENDLESS,
            "max_gap": 0.0,
            "memory": 2**24,
            "n_threads": growth.n_threads,
        }
        flat = np.ascontiguousarray(costs.reshape(-1))
        copies = np.ascontiguousarray(copies)
        return _core.optimal_tree(columns, flat, copies, asked | options, progress)


def refuse(growth: Growth) -> None:
    """Raise for what a search for least errors does not know."""
    because = _unknown_rows(growth) or _unknown_limit(growth)
    if because:
        raise ValueError(f"search={growth.plan.search!r} {because}")


def _unknown_rows(growth: Growth) -> str | None:
    plan, rows = growth.plan, np.arange(growth.n_rows)
    if growth.is_real:
        return "proves trees of classes only: use search='greedy' for numbers"
    if not {plan.split.kind(column) for column in growth.columns} <= {"threshold", "subset"}:
        return f"has tests of two branches, not those of split={plan.split!r}: use split='binary'"
    has_gaps = any(not growth.known(k, rows).all() for k in range(len(growth.columns)))
    if has_gaps and plan.missing.core_rule != MissingRule.LEARN:
        return f"sends gaps where they cost least, not by missing={plan.missing!r}: use missing='learn'"
    return None


_UNKNOWN_LIMITS = {  # by the core's name: what users call it, and the value that limits nothing
    "max_leaves": ("max_leaf_nodes", None),
    "max_nodes": ("max_nodes", None),
    "min_weight_fraction": ("min_weight_fraction_leaf", 0.0),
    "min_impurity_decrease": ("min_impurity_decrease", 0.0),
    "min_gain": ("min_gain", None),
}


def _unknown_limit(growth: Growth) -> str | None:
    limits = growth.plan.limits
    if not isinstance(growth.plan.search, Optimal):
        return None
    if "max_depth" not in limits:
        return "needs max_depth: give a small one, such as max_depth=3"
    if growth.plan.max_features:
        return "looks at all columns: leave max_features out"
    if limits.get("min_rows_split", 2) > 2 * limits.get("min_rows_leaf", 1):
        return "does not keep min_samples_split: use min_samples_leaf"
    for name, (given, free) in _UNKNOWN_LIMITS.items():
        if limits.get(name, free) != free:
            return f"does not keep {given}: leave it out, and use max_depth, min_samples_leaf or a price"
    return None


def in_units(costs: Floats, price: float) -> tuple[Longs, float]:
    """Costs as whole numbers of units, and how many of them make 1: exact where that is possible.

    >>> in_units(np.array([[0.0, 1.5], [1.0, 0.0]]), 0.0)
    (array([[0, 3],
           [2, 0]]), 2.0)
    """
    total = float(costs.max(axis=1).sum()) + price
    for doubled in range(_FINEST):
        unit = float(2**doubled)
        if total * unit < _LARGEST and (costs * unit % 1 == 0).all() and price * unit % 1 == 0:
            return (costs * unit).astype(np.int64), unit
    unit = 2.0 ** math.floor(math.log2(_LARGEST / max(total, 1e-300)))
    return np.rint(costs * unit).astype(np.int64), unit


def split_of(growth: Growth, node: Node, test: tuple[Any, ...]) -> tuple[Split, int, bool]:
    """A test of the core as a split of a node; the child for gaps; and whether its branches are exchanged."""
    column, code, missing_left, in_left, _ = test
    values, ranks = growth.ranked(column)
    here = ranks[node.rows]
    has_gaps = bool((here < 0).any())
    present = np.unique(here[here >= 0])
    if in_left:
        left = np.frombuffer(in_left, dtype=np.uint8)
        exchanged = len(present) > 0 and not left[present[0]]
        targets = np.where(left[present] == left[present[0]], 0, 1)
        missing = (0 if left[-1] == left[present[0]] else 1) if has_gaps else -1
        split: Split = MapSplit(SUBSET, column, tuple(present.tolist()), tuple(targets.tolist()))
        return split, missing, bool(exchanged)
    missing = (0 if missing_left else 1) if has_gaps else -1
    above = present[present > code]
    if not len(above):  # known values against missing ones
        return ThresholdSplit(column, math.inf), missing, False
    low, high = float(values[present[present <= code][-1]]), float(values[above[0]])
    return ThresholdSplit(column, low + (high - low) / 2, low, high), missing, False


def proposal_of(growth: Growth, node: Node, split: Split, missing: int) -> Proposal:
    """A split with what it gains by the plan's criterion."""
    branch = split.branches(growth, node.rows)
    filled = np.where(branch < 0, missing, branch)
    parts = growth.tally(node.rows, node.weight, filled, 2)
    gain = float(growth.decrease(parts)) / float(growth.weights(node.stats))
    information = information_of(growth, node, split, missing)
    return Proposal(split, gain, gain / information if information > 0 else 0.0, missing)


class LookaheadSearch(AxisSearch):
    """The first test of the best tree of a few levels; the best one by the criterion if that is a leaf."""

    def __init__(self, growth: Growth, part: Lookahead) -> None:
        super().__init__(growth, part)
        self.problem = LeastCost.of(growth, 0.0, part.depth)

    def propose(self, node: Node) -> Proposal | None:
        """The node's split, None if it has no candidate."""
        left = self.growth.plan.limits.get("max_depth", math.inf) - node.depth
        answer = self.problem.solve(node.rows, int(min(self.part.depth, left)))
        test = answer["nodes"][0] if answer["nodes"] else None
        if test is None or test[-1] < 0:
            return super().propose(node)
        split, missing, _ = split_of(self.growth, node, test)
        return proposal_of(self.growth, node, split, missing)


class OptimalSearch(AxisSearch):
    """The tests of a tree of least cost, found when the growth begins."""

    def __init__(self, growth: Growth, part: Optimal) -> None:
        super().__init__(growth, part)
        self.problem = LeastCost.of(growth, part.price, int(growth.plan.limits.get("max_depth", 1)))
        self.tests: list[tuple[Any, ...]] | None = None
        self.number: dict[tuple[int, ...], int] = {(): 0}
        self.greedy: Mapping[tuple[int, ...], bool] = {}
        self.certificate: Certificate | None = None

    def prepare(self, progress: Progress | None) -> bool:
        """Find the tree; whether that was interrupted."""
        growth, part, problem = self.growth, self.part, self.problem
        greedy, self.greedy = greedy_cost(growth, problem)
        depth = int(growth.plan.limits["max_depth"])
        answer = problem.solve(
            None,
            depth,
            progress,
            upper=greedy,
            seconds=float(part.time_limit),
            max_gap=float(part.max_gap),
            memory=part.bytes(),
        )
        if answer["better"]:
            self.tests = answer["nodes"]
        cost, bound = answer["cost"], answer["bound"]
        is_near = cost - bound <= part.max_gap * cost
        self.certificate = Certificate(
            status="optimal" if answer["proven"] else "gap" if is_near else "time",
            objective=problem.amount(cost),
            bound=problem.amount(bound),
            greedy=problem.amount(greedy),
            max_depth=depth,
            n_rows=growth.count(np.arange(growth.n_rows)),
            price=float(part.price),
            weighted=growth.plan.answer_costs is not None or not np.array_equal(growth.weight, growth.copies),
            all_sets=answer["all_sets"],
        )
        return bool(answer["interrupted"])

    def proof(self) -> dict[str, Any]:
        """The certificate."""
        return {} if self.certificate is None else self.certificate.to_meta()

    def propose(self, node: Node) -> Proposal | None:
        """The node's test in the tree that was found; None if it is a leaf there."""
        if self.tests is None:
            return super().propose(node) if self.greedy.get(node.path) else None
        test = self.tests[self.number[node.path]]
        if test[-1] < 0:
            return None
        split, missing, exchanged = split_of(self.growth, node, test)
        for branch in (0, 1):
            self.number[*node.path, branch] = test[-1] + (1 - branch if exchanged else branch)
        return proposal_of(self.growth, node, split, missing)


def greedy_cost(growth: Growth, problem: LeastCost) -> tuple[int, dict[tuple[int, ...], bool]]:
    """What the greedy tree costs, and for the path of each of its tests whether it is worth its leaves."""
    search = AxisSearch(growth, None)
    tests: dict[tuple[int, ...], bool] = {}

    def cost_of(node: Node) -> int:
        leaf = int(problem.costs[node.rows].sum(axis=0).min()) + problem.price
        proposal = None if growth.must_be_leaf(node) else search.propose(node)
        if proposal is None or not growth.accepts(node, proposal):
            return leaf
        branch = proposal.split.branches(growth, node.rows)
        filled = np.where(branch < 0, proposal.missing, branch)
        below = 0
        for k in range(int(filled.max()) + 1):
            here = np.flatnonzero(filled == k)
            if len(here):
                below += cost_of(growth.child(node, k, node.rows[here], node.weight[here], node.usable))
        tests[node.path] = below < leaf
        return min(below, leaf)

    return cost_of(growth.root()), tests
