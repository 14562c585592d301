"""A node of a tree with the rows that reach it, as growing sees them.

Rows walk from the root to the node as they did in training (a gap may share a row among branches), with the
weights that priors and costs give them; the search of growth can then be repeated at the node.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, cast

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.candidates.split_gain import cases_of
from hornbeam.growing.plan import AT_LEAST_CLASS, MEAN, Functional, Plan
from hornbeam.growing.selections import AverageGain, Best, PriceAware
from hornbeam.growing.splits import Oblique
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.arrays import COLUMNS, LEAF, MULTIWAY, THRESHOLD
from hornbeam.tree.routing import as_in_training, branches, divide_rows
from hornbeam.tree.tree import Tree


class PlainGrowth(Growth):
    """A growth whose sums are those of plain tests only.

    What is added up is the target and the weight, so an order by those makes sums independent of the order
    in which rows were given; sorting by all columns would take longer than everything else.
    """

    @staticmethod
    def _order(outcome: AnyArray, weight: Floats, copies: Longs, arrays: Sequence[AnyArray]) -> Longs:
        del arrays
        rows = np.flatnonzero((weight > 0) & (copies > 0))
        keys = [key[rows] for key in (copies, weight, outcome)]
        keys = [key for key in keys if key.dtype.kind != "f" or key.min() < key.max()]
        return rows[np.lexsort(keys)] if keys else rows


@dataclass(frozen=True)
class Bounds:
    """Between what monotonic constraints keep each functional of the nodes below."""

    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class NodeRows:
    """A node and its rows.

    Attributes
    ----------
    growth : the plan, the columns and the rows
    node : the rows at the node, with their weights and Stats
    tree : the tree the node is of, None if nothing is grown yet
    number : the node's number
    bounds : of monotonic constraints
    seeded : whether the columns drawn at the node by `max_features` are known
    """

    growth: Growth
    node: Node
    tree: Tree | None
    number: int
    bounds: Bounds
    seeded: bool

    @property
    def plan(self) -> Plan:
        """Everything growth needs."""
        return self.growth.plan

    @property
    def weight(self) -> float:
        """The weight of the node's rows."""
        return float(self.growth.weights(self.node.stats))

    @cached_property
    def cases(self) -> float:
        """How many rows those of the node stand for: repetitions, or parts of them where rows are divided."""
        return float(cases_of(self.growth, self.node.rows, self.node.weight).sum())

    @property
    def splits_here(self) -> bool:
        """Whether the tree tests something at the node."""
        return self.tree is not None and self.tree.kind[self.number] != LEAF


def rows_at_node(
    plan: Plan,
    table: Table,
    target: Target,
    tree: Tree | None = None,
    number: int = 0,
    *,
    seeded: bool = True,
) -> NodeRows:
    """The rows of a node, from the root down; without a tree the root, before anything is grown."""
    return rows_of_growth(growth_of(plan, table, target), tree, number, seeded=seeded)


def growth_of(plan: Plan, table: Table, target: Target) -> Growth:
    """The rows as the search of nodes reads them; it serves any number of nodes."""
    plain = isinstance(plan.selection, Best | AverageGain | PriceAware) and not isinstance(
        plan.split, Oblique
    )
    return (PlainGrowth if plain else Growth)(plan, table, target)


def rows_of_growth(growth: Growth, tree: Tree | None, number: int, *, seeded: bool = True) -> NodeRows:
    """The rows of a node of a growth."""
    node_rows = _walk_down(growth, tree, number, seeded=seeded)
    if growth.plan.criterion.level is not None:
        node_rows.node.impurity = _loss(growth, node_rows.node)
    return node_rows


def _loss(growth: Growth, node: Node) -> float:
    """The mean pinball loss of a node's quantile, which is no function of Stats."""
    criterion = growth.plan.criterion
    assert growth.values is not None
    assert criterion.level is not None
    order = np.argsort(growth.values[node.rows], kind="stable")
    y, w = growth.values[node.rows][order], node.weight[order]
    below = np.cumsum(w)
    at = min(int(np.searchsorted(below, criterion.level * below[-1] * (1 - 1e-12))), len(y) - 1)
    away = y - y[at]
    loss = np.where(away > 0, criterion.level * away, (criterion.level - 1) * away)
    return criterion.loss_scale * float(w @ loss) / float(below[-1])


def _walk_down(growth: Growth, tree: Tree | None, number: int, *, seeded: bool) -> NodeRows:
    """The node, its rows having walked down."""
    n = len(growth.plan.constraints.functionals)
    node, bounds = growth.root(), Bounds(np.full(n, -math.inf), np.full(n, math.inf))
    if tree is None:
        return NodeRows(growth, node, None, 0, bounds, seeded)
    path, trained = tree.path(number), as_in_training(tree)
    for above, child in pairwise(path):
        parts = divide_rows(trained, above, branches(trained, above, growth.arrays, node.rows), node.weight)
        here = next(((part, weight) for to, part, weight in parts if to == child), None)
        if here is None or not here[1].any():
            raise ValueError(f"node={number!r} is reached by no row of X: choose another node, or other rows")
        first = int(tree.first_child[above])
        stats = {to - first: growth.tally(node.rows[part], weight)[0] for to, part, weight in parts}
        bounds = _bounds_below(growth, tree, above, stats, child - first, bounds)
        used = tree.tested_columns(above) if tree.kind[above] in (MULTIWAY, COLUMNS) else ()
        usable = tuple(column for column in node.usable if column not in used)
        rows, weight = _ordered(growth, node.rows[here[0]], here[1])
        node = growth.child(node, child - first, rows, weight, usable)
    return NodeRows(growth, node, tree, number, bounds, seeded)


def _ordered(growth: Growth, rows: Longs, weight: Floats) -> tuple[Longs, Floats]:
    """The rows of some weight; where rows were divided, in the order of what is added up."""
    kept = weight > 0
    rows, weight = rows[kept], weight[kept]
    if not isinstance(growth, PlainGrowth) or np.array_equal(weight, growth.weight[rows]):
        return rows, weight
    outcome = growth.codes if growth.values is None else growth.values
    assert outcome is not None
    order = np.lexsort((weight, outcome[rows]))
    return rows[order], weight[order]


def _bounds_below(
    growth: Growth, tree: Tree, at: int, stats: dict[int, Floats], branch: int, bounds: Bounds
) -> Bounds:
    """The bounds of a child: halfway between the two sides of a constrained threshold."""
    ordered = tree.kind[at] == THRESHOLD and math.isfinite(float(tree.threshold[at]))
    if not ordered or branch > 1 or not {0, 1} <= stats.keys():
        return bounds
    low, high = bounds.low.copy(), bounds.high.copy()
    for column, f, sign in growth.plan.constraints.terms:
        if column == int(tree.column[at]):
            what = growth.plan.constraints.functionals[f]
            sides = functional(growth, what, np.stack([stats[0], stats[1]]))
            middle = float(sides.mean())
            if (sign > 0) == (branch == 0):
                high[f] = min(high[f], middle)
            else:
                low[f] = max(low[f], middle)
    return Bounds(low, high)


def functional(growth: Growth, what: Functional, stats: Floats) -> Floats:
    """The number that a constraint orders, of each of the Stats: a mean or a share of classes."""
    kind, index = what
    weight = growth.weights(stats)
    if kind == MEAN:
        return stats[..., 1]
    if kind == AT_LEAST_CLASS:
        part: Any = stats[..., index:].sum(axis=-1)
    else:
        part = stats[..., index]
    return cast(Floats, np.divide(part, weight, out=np.zeros(weight.shape), where=weight > 0))


def column_names(growth: Growth, columns: Sequence[int]) -> str:
    """The names of some columns, between commas."""
    return ",".join(growth.columns[column].name for column in columns)
