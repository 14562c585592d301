"""The twin: grows a tree from the definitions, one node at a time, every candidate at every node.

The one idea: growing is expanding open nodes. Without a limit on leaves or nodes the order does not matter;
with one, the open node with the largest share of the rows' weight x decrease of impurity goes first.

    root = grow(table)                 # a Node; see problem.py for the table
    scores(table)                      # every candidate at the root with its score
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from tests.oracles.choose import (
    TIE,
    Bounds,
    Choice,
    Scored,
    best_split,
    bounds_below,
    node_impurity,
    score_all,
)
from tests.oracles.impurity import DIGITS, is_pure
from tests.oracles.problem import Problem

EPSILON = Decimal(float(np.finfo(np.float64).eps))


@dataclass
class Node:
    """One node of the twin's tree. A leaf has no children."""

    n_rows: int
    weight: float
    stats: tuple[float, ...]  # class weights; () for a real target
    mean: Fraction | None  # of a real target
    label: int  # class answered, -1 for a real target
    impurity: float
    sd: float = 0.0  # of a real target
    kind: str = "leaf"
    column: int = -1
    threshold: float = (
        math.nan
    )  # threshold: x <= t goes first (inf: every known value); equals: the code tested
    gap: tuple[float, float] | None = None  # neighbouring values around a numeric threshold
    branches: tuple[tuple[int, ...], ...] = ()  # codes of nominal and ordinal columns that follow each child
    missing: int = -1  # child that missing values follow, -1: none learned
    own_missing: bool = False  # the last child holds missing values only
    absent: tuple[
        int, ...
    ] = ()  # multiway: domain values without rows, each an empty leaf with this node's label
    gain: float = 0.0
    children: list[Node] = field(default_factory=list)
    doubtful: bool = False  # a choice here was closer than rounding can tell

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in pre-order; empty leaves of absent values left out."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def n_leaves(self) -> int:
        """K8: leaves, one for each absent value of a multiway node too."""
        return sum(len(n.absent) + (not n.children) for n in self.walk())

    @property
    def n_nodes(self) -> int:
        return sum(len(n.absent) + 1 for n in self.walk())

    @property
    def depth(self) -> int:
        return 1 + max(c.depth for c in self.children) if self.children else 0


@dataclass
class Open:
    """A node that may still be split, with the rows and circumstances it was reached by."""

    node: Node
    rows: np.ndarray
    depth: int
    removed: frozenset[int]
    bounds: Bounds
    chosen: Scored | None = None
    priority: Decimal = Decimal(0)
    n_children: int = 0
    key: int = 1  # what is drawn at the node follows from it


def grow(table: Mapping[str, Any]) -> Node:
    """The tree of a table by its plan."""
    with localcontext(DIGITS):
        return Growth(Problem(table)).run()


def is_doubtful(root: Node) -> bool:
    """Some decision was so close that rounding in the product may fairly take another."""
    return any(n.doubtful for n in root.walk())


def scores(
    table: Mapping[str, Any],
) -> list[tuple[int, str, float, tuple[tuple[float, ...], ...], int, float]]:
    """(column, kind, threshold, values by branch, missing branch, score) of every candidate at the root."""
    with localcontext(DIGITS):
        problem = Problem(table)
        every = score_all(problem, problem.all_rows, frozenset(), {}, None)
        ordered = sorted(every, key=lambda s: (s.candidate.column, s.candidate.order))
        return [
            (c.column, c.kind, c.threshold, _values(s), c.missing, float(s.score / problem.score_unit))
            for s in ordered
            for c in [s.candidate]
        ]


def _values(chosen: Scored) -> tuple[tuple[float, ...], ...]:
    known = chosen.buckets.values
    return tuple(tuple(known[i] for i in part if i < len(known)) for part in chosen.candidate.parts)


class Growth:
    """Growth by the definitions; what draws its tests says which is the best of a node."""

    root_key = 1

    def __init__(self, problem: Problem) -> None:
        self.problem, self.plan = problem, problem.plan
        self.best_first = self.plan.max_leaf_nodes is not None or self.plan.max_nodes is not None
        self.n_leaves = self.n_nodes = 1

    def run(self) -> Node:
        rows = self.problem.all_rows
        self.root = self.make_node(rows)
        self.root_impurity = node_impurity(self.problem, rows)
        frontier = self.examined([Open(self.root, rows, 0, frozenset(), {}, key=self.root_key)])
        while frontier:
            position = self.next_to_expand(frontier)
            if position is None:
                break
            frontier[position : position + 1] = self.examined(self.expand(frontier[position]))
        return self.root

    def make_node(self, rows: np.ndarray) -> Node:
        p = self.problem
        stats = p.stats(rows)
        impurity = float(node_impurity(p, rows) / p.score_unit)
        weight = p.weight_of(stats) / p.weight_unit
        if p.real:
            return Node(p.rows_of(rows), weight, (), p.mean(stats), -1, impurity, p.sd(stats))
        shares = tuple(w / p.weight_unit for w in stats)
        label = shares.index(max(shares))  # K5, by the weights as anybody sees them: doubles
        return Node(p.rows_of(rows), weight, shares, None, label, impurity)

    def examined(self, nodes: list[Open]) -> list[Open]:
        """Those of the nodes that are to be split, with their split; left to right, as in the tree."""
        return [o for o in nodes if self.find_split(o)]

    def find_split(self, o: Open) -> bool:
        plan, p = self.plan, self.problem
        n = o.node.n_rows
        if o.depth == plan.max_depth or n < plan.min_samples_split or n < 2 * plan.min_samples_leaf:
            return False
        stats = p.stats(o.rows)
        if is_pure(plan.criterion, stats):
            return False
        choice = self.best(o)
        if choice is None:
            return False
        o.node.doubtful, o.chosen = choice.doubtful, choice.best
        o.priority = choice.best.decrease * p.weight_of(stats) / p.total_weight
        o.n_children = len(choice.best.branch_rows) + len(self.absent_values(choice.best))
        return self.gains_enough(o, choice.best.score, node_impurity(p, o.rows))

    def best(self, o: Open) -> Choice | None:
        """The test that a node would get."""
        return best_split(self.problem, o.rows, o.removed, o.bounds)

    def gains_enough(self, o: Open, score: Decimal, impurity: Decimal) -> bool:
        """min_gain is strict: a score within the tie margin of it does not exceed it."""
        unit, ratio = self.problem.score_unit, self.plan.criterion == "gain-ratio"
        margin = TIE * (abs(score) if ratio else impurity)
        if self.plan.min_gain is not None and score - Decimal(self.plan.min_gain) * unit <= margin:
            return False
        return o.priority / unit + EPSILON >= Decimal(self.plan.min_impurity_decrease)

    def absent_values(self, chosen: Scored) -> tuple[int, ...]:
        if chosen.candidate.kind != "multiway":
            return ()
        n_values = self.problem.columns[chosen.candidate.column]["n_values"]
        return tuple(v for v in range(n_values) if v not in chosen.buckets.values)

    def next_to_expand(self, frontier: list[Open]) -> int | None:
        """The open node to split next: any without a limit, else the best that fits, ties to the leftmost."""
        if not self.best_first:
            return 0
        max_leaves, max_nodes = self.plan.max_leaf_nodes or math.inf, self.plan.max_nodes or math.inf
        fitting = [
            i
            for i, o in enumerate(frontier)
            if self.n_leaves - 1 + o.n_children <= max_leaves and self.n_nodes + o.n_children <= max_nodes
        ]
        if not fitting:
            return None
        top = max(frontier[i].priority for i in fitting)
        behind = {i: (top - frontier[i].priority) / self.root_impurity for i in fitting}
        winner = next(i for i in fitting if behind[i] <= TIE)
        frontier[winner].node.doubtful |= any(Decimal("1e-15") < d < Decimal("1e-9") for d in behind.values())
        return winner

    def expand(self, o: Open) -> list[Open]:
        """Write the split into the node and return its children, still unexamined."""
        chosen = o.chosen
        assert chosen is not None
        c, node, p = chosen.candidate, o.node, self.problem
        node.kind, node.column, node.threshold, node.gap = c.kind, c.column, c.threshold, c.gap
        if p.columns[c.column]["kind"] != "numeric":
            node.branches = tuple(tuple(int(v) for v in part) for part in _values(chosen))
        node.missing = c.missing
        node.own_missing = c.missing >= 0 and c.parts[c.missing] == (chosen.buckets.missing,)
        node.absent = self.absent_values(chosen)
        node.gain = float(chosen.score / p.score_unit)
        node.children = [self.make_node(rows) for rows in chosen.branch_rows]
        self.n_leaves += o.n_children - 1
        self.n_nodes += o.n_children
        removed = o.removed | {c.column} if c.kind == "multiway" else o.removed
        bounds = bounds_below(p, chosen, o.bounds)
        return [
            Open(child, rows, o.depth + 1, removed, limit)
            for child, rows, limit in zip(node.children, chosen.branch_rows, bounds, strict=True)
        ]
