"""The searches that look further than one test: ahead of each node, or over all trees of a depth.

Both ask the core for a tree of least cost on some rows (`least_cost.py`). The tests come back as ranks of
values and are made into splits here; growth node by node does the rest, as for any other search.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hornbeam._base.types import midpoint
from hornbeam.data.table import Table
from hornbeam.growing import core
from hornbeam.growing.candidates.axis_search import AxisSearch, information_of
from hornbeam.growing.candidates.least_cost import LeastCost
from hornbeam.growing.candidates.node_splits import MapSplit, Proposal, Split, ThresholdSplit
from hornbeam.growing.core import Progress
from hornbeam.growing.searches import Lookahead, Optimal
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.apply import leaves
from hornbeam.tree.arrays import SUBSET
from hornbeam.tree.certificate import Certificate
from hornbeam.tree.tree import Tree


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
    return ThresholdSplit(column, float(midpoint(low, high)), low, high), missing, False


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
        answer = self.problem.solve(node.rows, int(min(self.part.depth, left)))[0]
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
        self.tests: list[tuple[Any, ...]] = []
        self.number: dict[tuple[int, ...], int] = {(): 0}
        self.certificate: Certificate | None = None

    def prepare(self, progress: Progress | None) -> bool:
        """Find the tree; whether that was interrupted."""
        growth, part, problem = self.growth, self.part, self.problem
        greedy, self.tests = greedy_cost(growth, problem)
        limits = growth.plan.limits
        depth, most = int(limits["max_depth"]), limits.get("max_leaves")
        options = {
            "seconds": float(part.time_limit),
            "max_gap": float(part.max_gap),
            "memory": part.bytes(),
            "max_leaves": 0 if most is None else int(most),
        }

        if part.all_sizes:  # a smaller tree than the greedy one may cost more
            part.answers = part.answers or problem.solve(None, depth, progress, path=True, **options)
            answer = part.answers[-1 if most is None else min(int(most), len(part.answers)) - 1]
        else:
            answer = problem.solve(None, depth, progress, upper=greedy + problem.rounding, **options)[0]
        if answer["better"]:
            self.tests = answer["nodes"]
        cost = min(answer["cost"], greedy) if not part.all_sizes else answer["cost"]
        objective, bound = problem.amount(cost), problem.amount(min(answer["bound"], cost))
        is_near = objective - bound <= part.max_gap * objective
        self.certificate = Certificate(
            status="optimal" if answer["proven"] or bound == objective else "gap" if is_near else "time",
            objective=objective,
            bound=bound,
            greedy=problem.amount(greedy),
            max_depth=depth,
            max_leaves=None if most is None else int(most),
            n_rows=growth.count(np.arange(growth.n_rows)),
            price=float(part.price),
            squares=growth.is_real,
            weighted=growth.plan.answer_costs is not None or not np.array_equal(growth.weight, growth.copies),
            all_sets=answer["all_sets"],
        )
        return bool(answer["interrupted"])

    def proof(self) -> dict[str, Any]:
        """The certificate."""
        return {} if self.certificate is None else self.certificate.to_meta()

    def propose(self, node: Node) -> Proposal | None:
        """The node's test in the tree that was found; None if it is a leaf there."""
        test = self.tests[self.number[node.path]]
        if test[-1] < 0:
            return None
        split, missing, exchanged = split_of(self.growth, node, test)
        for branch in (0, 1):
            self.number[*node.path, branch] = test[-1] + (1 - branch if exchanged else branch)
        return proposal_of(self.growth, node, split, missing)


def greedy_cost(growth: Growth, problem: LeastCost) -> tuple[int, list[tuple[Any, ...]]]:
    """What the greedy tree costs, and those of its tests that are worth their leaves."""
    plan = replace(growth.plan, n_jobs=growth.n_threads)
    table = Table(growth.columns, growth.n_rows, tuple(growth.arrays))
    goal = growth.core_target(np.arange(growth.n_rows), growth.weight)
    arrays, interrupted = core.grow(plan, growth.selection, core.core_columns(plan, table), goal)
    if interrupted:
        raise KeyboardInterrupt
    facts = {"columns": growth.columns, "classes": growth.classes or None, "task": growth.task.value}
    tree = Tree.grown(arrays, **facts, policy=plan.missing.policy(), meta={"criterion": plan.criterion.name})
    parts = np.zeros((len(tree), problem.parts.shape[1]), dtype=np.int64)
    np.add.at(parts, leaves(tree, table), problem.parts)
    cost = [0] * len(tree)
    worth: dict[int, bool] = {}
    for node in range(len(tree) - 1, -1, -1):
        children = slice(first := int(tree.first_child[node]), first + int(tree.n_children[node]))
        if first >= 0:
            parts[node] = parts[children].sum(axis=0)
        leaf, below = int(problem.leaf_costs(parts[node : node + 1])[0]) + problem.price, sum(cost[children])
        worth[node] = first >= 0 and below < leaf
        cost[node] = below if worth[node] else leaf
    return cost[0], tests_of(growth, tree, worth)


def tests_of(growth: Growth, tree: Tree, worth: Mapping[int, bool]) -> list[tuple[Any, ...]]:
    """The tests of a tree that are worth their leaves, as the core gives those of its own trees."""
    tests: list[tuple[Any, ...]] = []
    kept = [0]
    for node in kept:  # children are added while it is read
        if not worth[node]:
            tests.append((-1, 0, False, b"", -1))
            continue
        column, code, in_left = int(tree.column[node]), 0, b""
        missing_left = int(tree.missing[node]) == 0
        if tree.kind[node] == SUBSET:
            start, end = int(tree.map_offset[node]), int(tree.map_offset[node + 1])
            left = np.zeros(len(growth.columns[column].categories) + 1, dtype=np.uint8)
            left[tree.map_code[start:end]] = tree.map_branch[start:end] == 0
            left[-1] = missing_left
            in_left = left.tobytes()
        else:
            code = int(np.searchsorted(growth.ranked(column)[0], tree.threshold[node], side="right")) - 1
        tests.append((column, code, missing_left, in_left, len(kept)))
        kept += [int(tree.first_child[node]), int(tree.first_child[node]) + 1]
    return tests
