"""The loss of held-out rows by the subtrees of a tree at many penalties, found in one pass.

A row starts in its leaf and climbs as tests collapse; between two steps its loss is the same. Rows that end
in one leaf climb in the core. Where nodes answer with equations, rates or quantiles, they climb a level at a
time, and their losses at each node are added up by step. The few that follow all paths climb with all their
leaves, which answer together at every step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import Bools, Floats, Ints, Longs
from hornbeam.data.survival import person_weights
from hornbeam.data.table import Table
from hornbeam.data.target import Target, counted_rows
from hornbeam.pruning.levels import sum_by_step
from hornbeam.pruning.risks import distance_of, row_deviance
from hornbeam.pruning.sample_risks import known_costs, losses_by_node, squared_distance
from hornbeam.tree import apply, routing
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.refit import known_codes
from hornbeam.tree.routing import Routing
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class HeldOutLoss:
    """The loss of some rows at each penalty: sums of weight x loss and of weight x loss^2.

    Attributes
    ----------
    sum, squares : by penalty
    weight : of all rows
    n_rows : rows of positive weight, repetitions included
    """

    sum: Floats
    squares: Floats
    weight: float
    n_rows: int

    def __add__(self, other: HeldOutLoss) -> HeldOutLoss:
        return HeldOutLoss(
            self.sum + other.sum,
            self.squares + other.squares,
            self.weight + other.weight,
            self.n_rows + other.n_rows,
        )

    @property
    def mean(self) -> Floats:
        """The mean loss at each penalty."""
        return self.sum / self.weight

    @property
    def error(self) -> Floats:
        """The standard error of the mean: spread of the losses over the root of the number of rows.

        Weights are scaled to a mean of 1, so they do not make the rows more.
        """
        spread: Floats = np.sqrt(np.maximum(self.squares / self.weight - self.mean**2, 0.0) / self.n_rows)
        return spread


def held_out_loss(tree: Tree, critical: Floats, alpha: Floats, table: Table, target: Target) -> HeldOutLoss:
    """The loss of rows by the subtree at every `alpha`, ascending: errors, costs, or what grew the tree.

    Parameters
    ----------
    tree : Tree
    critical : the critical alpha of each of its nodes, as `strengths` gives them
    alpha : penalties in ascending order
    table, target : the rows, in the codes of the tree's columns

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 3, "b": 0}},
    ...                          "no": {"counts": {"a": 0, "b": 2}}})
    >>> rows = Table.match({"x": [1.0, 2.0, 3.0]}, tree.columns), Target.classes_of(["a", "b", "a"])
    >>> held_out_loss(tree, np.array([0.4, np.nan, np.nan]), np.array([0.0, 0.4]), *rows).mean
    array([0.33333333, 0.33333333])
    """
    if tree.task.is_density:
        raise ValueError(
            "what held-out rows lose is not defined for a density tree here: choose its size with leaves=, or"
            " alpha="
        )
    loss = _Loss(tree, table, target)
    until, tests = np.zeros(len(tree), dtype=np.int32), tree.first_child >= 0
    until[tests] = np.searchsorted(alpha, critical[tests])
    # The leaf of each row, -1 where it follows all paths.
    leaves = apply.leaves(tree if apply.compiled(tree).known else _weigh_by_branch(tree), table)
    single = _reach_one_leaf(leaves)
    if loss.columns is not None:
        sums, squares = _climb_levels(tree, until, len(alpha), np.where(single, leaves, -1), loss)
    else:
        sums, squares, *_ = _core.held_out(
            tree.first_child,
            tree.n_children,
            until,
            len(alpha),
            {"leaf": np.where(single, leaves, 0), "weight": np.where(single, loss.weight, 0.0)},
            loss.for_core(),
        )
    open_rows = np.flatnonzero(~single & (loss.weight > 0))
    if len(open_rows):
        reached = apply.complete_routing(_weigh_by_branch(tree), leaves, routing.arrays_for(tree, table)[1])
        more = _climb(tree, until, len(alpha), _take_rows(reached, open_rows), loss, open_rows)
        sums, squares = sums + more[0], squares + more[1]
    return HeldOutLoss(sums, squares, float(np.sort(loss.weight).sum()), loss.n_rows)


def _reach_one_leaf(leaves: Ints) -> Bools:
    """Which rows end in one leaf; a function of its own so that tests can send all rows the other way."""
    return leaves >= 0


class _Loss:
    """The loss of each row by each answer."""

    def __init__(self, tree: Tree, table: Table, target: Target) -> None:
        self.tree = tree
        own = distance_of(tree)
        self.distance = own or squared_distance
        by_level = tree.has_models or own is not None
        self.columns = routing.arrays_for(tree, table)[1] if by_level else None
        self.weight: Floats = target.row_weight
        self.n_rows = counted_rows(target)
        self.values = target.values
        if tree.task.is_survival:
            self._count_rows(target)
        if target.task.is_classes != tree.task.is_classes:
            raise ValueError(f"the target is of kind {target.task!r}, but the tree has task={tree.task!r}")
        if tree.task.is_classes:
            self.codes = known_codes(tree, target)
            if (self.codes < 0).all():
                known = ", ".join(map(repr, (tree.classes or ())[:8]))
                raise ValueError(f"y has no class that the tree knows; its classes are {known}")
            self.cost, self.row_cost = _costs(tree, target, self.codes)

    def _count_rows(self, target: Target) -> None:
        """Let each row be one, not so many as its exposure, so that the losses of rows have their spread.

        The weights of all rows still sum to their exposure; a row brings its signed exposure as its value.
        """
        assert target.values is not None
        assert target.exposure is not None
        rows = person_weights(target)
        mean = float(np.sort(self.weight).sum() / np.sort(rows).sum())
        self.weight = rows * mean
        self.values = np.where(target.values > 0, target.exposure, -target.exposure)
        self.distance = partial(row_deviance, scale=1 / mean)

    def for_core(self) -> dict[str, Any]:
        if not self.tree.task.is_classes:
            return {"value": self.values, "answer": np.ascontiguousarray(self.tree.answers())}
        classes: dict[str, Any] = {"label": self.tree.label, "n_classes": len(self.tree.classes or ())}
        if self.row_cost is not None:
            return classes | {"cost": self.row_cost.ravel()}
        codes = np.where(self.codes < 0, classes["n_classes"], self.codes).astype(np.int32)
        return classes | {"code": codes, "cost": self.cost.ravel()}

    def of(self, rows: Longs, answered: Routing) -> Floats:
        """The losses of some rows answered by the nodes of a routing."""
        if not self.tree.task.is_classes:
            assert self.values is not None
            columns = None if self.columns is None else tuple(column[rows] for column in self.columns)
            return self.distance(self.values[rows], routing.values(self.tree, answered, columns))
        label = routing.labels(self.tree, answered)
        return self.cost[self.codes[rows], label] if self.row_cost is None else self.row_cost[rows, label]


def _costs(tree: Tree, target: Target, codes: Longs) -> tuple[Floats, Floats | None]:
    """Costs of answers by class, or by row; each class is weighted by its prior.

    The last row is for classes the tree does not know, code -1: whatever is answered is a mistake.
    """
    rule, k = answer_rule_of(tree.meta), len(tree.classes or ())
    factors = np.ones(k) if rule.factors is None else rule.factors
    cost: Floats = (1.0 - np.eye(k) if rule.costs is None else rule.costs) * factors[:, None]
    own = known_costs(tree, target)
    if own is not None:
        return cost, np.ascontiguousarray(own * np.append(factors, 1.0)[codes][:, None])
    if rule.costs is not None and (codes < 0).any():
        unknown = next(label for label in target.classes if label not in (tree.classes or ()))
        raise ValueError(
            f"y has the class {unknown!r}, about which the costs of the tree say nothing: drop its rows"
        )
    return np.concatenate([cost, np.ones((1, k))]), None


def _climb_levels(tree: Tree, until: Ints, n_steps: int, leaves: Ints, loss: _Loss) -> tuple[Floats, Floats]:
    """Sums of weight x loss and weight x loss^2 by step, of rows that end in one leaf; level by level."""
    rows = np.flatnonzero((leaves >= 0) & (loss.weight > 0))
    assert loss.columns is not None
    assert loss.values is not None
    leaf, weight = leaves[rows].astype(np.int64), loss.weight[rows]
    sums = losses_by_node(tree, loss.columns, rows, leaf, weight, loss.values, loss.distance)
    return sum_by_step(tree, until, sums.loss, n_steps), sum_by_step(tree, until, sums.squares, n_steps)


# ---- rows that follow all paths --------------------------------------------------------------------------


def _take_rows(reached: Routing, rows: Longs) -> Routing:
    """The part of a routing that belongs to some rows."""
    count = np.diff(reached.start)[rows]
    start = np.concatenate(([0], np.cumsum(count)))
    entries = np.repeat(reached.start[:-1][rows] - start[:-1], count) + np.arange(start[-1])
    return Routing(start, reached.leaf[entries], reached.weight[entries])


def _weigh_by_branch(tree: Tree) -> Tree:
    """The tree with paths weighted by branches: by leaves, those without rows would be lost on the way up."""
    if tree.policy["weights"] == "branch":
        return tree
    return tree.replace(policy={**tree.policy, "weights": "branch"})


def _climb(
    tree: Tree, until: Ints, n_steps: int, reached: Routing, loss: _Loss, rows: Longs
) -> tuple[Floats, Floats]:
    """Sums of weight x loss and weight x loss^2 by step, of rows that reach several leaves."""
    owner = reached.rows
    node = reached.leaf.astype(np.int64)
    weight = loss.weight[rows]
    now = np.zeros(len(rows))
    stale = np.ones(len(rows), dtype=np.bool_)
    sums, squares = np.zeros(n_steps), np.zeros(n_steps)
    for k in range(n_steps):
        while True:
            above = np.maximum(tree.parent[node], 0)
            moves = (tree.parent[node] >= 0) & (until[above] <= k)
            if not moves.any():
                break
            node = np.where(moves, above, node)
            stale[owner[moves]] = True
        if stale.any():
            changed = np.flatnonzero(stale)
            answered = _current_nodes(tree, _take_rows(reached, changed), node[stale[owner]])
            now[changed] = loss.of(rows[changed], answered)
            stale[:] = False
            weighted = weight * now
            total, square = float(np.sort(weighted).sum()), float(np.sort(weighted * now).sum())
        sums[k], squares[k] = total, square
    return sums, squares


def _current_nodes(tree: Tree, reached: Routing, at: Longs) -> Routing:
    """Where rows are once the nodes below have collapsed; a node several leaves climbed to counts once."""
    owner = reached.rows
    order = np.lexsort((at, owner))
    at, owner, share = at[order], owner[order], reached.weight[order]
    first = np.ones(len(at), dtype=np.bool_)
    first[1:] = (np.diff(owner) != 0) | (np.diff(at) != 0)
    owner, at, share = owner[first], at[first], np.add.reduceat(share, np.flatnonzero(first))
    if tree.policy["weights"] == "leaf":
        share = tree.weight[at]
    total = np.bincount(owner, weights=share, minlength=reached.n_rows)
    share = np.where(total[owner] > 0, share, 1.0)
    keep = share > 0
    owner, at, share = owner[keep], at[keep], share[keep]
    share = share / np.bincount(owner, weights=share, minlength=reached.n_rows)[owner]
    start = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=reached.n_rows))))
    return Routing(start, at.astype(np.int32), share)
