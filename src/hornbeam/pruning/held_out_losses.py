"""Held-out rows: what they lose by the subtrees of a tree at many strengths, found in one pass.

One idea: a row stands in its leaf and climbs as tests collapse; between two steps it loses the same. Rows
that end in one leaf climb in the core; where nodes answer with equations or rates, a level at a time, and
what they lose at each node is added up by step. The few that follow all paths climb with all their leaves,
which answer together at every step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import Bools, Floats, Ints, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Target, counted_rows, row_weights
from hornbeam.pruning.losses_on_path import by_step, climbed, squared
from hornbeam.pruning.risks import half_deviance, tells_rates
from hornbeam.pruning.sample_risks import known_codes, known_costs
from hornbeam.tree import apply, routing
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.routing import Routing
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class Lost:
    """What some rows lose at each strength: sums of weight x loss and of weight x loss^2.

    Attributes
    ----------
    sum, squares : by strength
    weight : of all rows
    n_rows : rows of positive weight, repetitions included
    """

    sum: Floats
    squares: Floats
    weight: float
    n_rows: int

    def __add__(self, other: Lost) -> Lost:
        return Lost(
            self.sum + other.sum,
            self.squares + other.squares,
            self.weight + other.weight,
            self.n_rows + other.n_rows,
        )

    @property
    def mean(self) -> Floats:
        """The mean loss at each strength."""
        return self.sum / self.weight

    @property
    def error(self) -> Floats:
        """The standard error of the mean: spread of the losses over the root of the number of rows.

        Weights are scaled to a mean of 1, so they do not make the rows more.
        """
        spread: Floats = np.sqrt(np.maximum(self.squares / self.weight - self.mean**2, 0.0) / self.n_rows)
        return spread


def lost(tree: Tree, strength: Floats, alpha: Floats, table: Table, target: Target) -> Lost:
    """What rows lose by the subtree at every `alpha`, ascending: errors, costs, squares or deviances.

    Parameters
    ----------
    tree : Tree
    strength : of each of its nodes, as `strengths` gives them
    alpha : penalties in ascending order
    table, target : the rows, in the codes of the tree's columns

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 3, "b": 0}},
    ...                          "no": {"counts": {"a": 0, "b": 2}}})
    >>> rows = Table.match({"x": [1.0, 2.0, 3.0]}, tree.columns), Target.classes_of(["a", "b", "a"])
    >>> lost(tree, np.array([0.4, np.nan, np.nan]), np.array([0.0, 0.4]), *rows).mean
    array([0.33333333, 0.33333333])
    """
    _refuse_other_answers(tree)
    loss = _Loss(tree, table, target)
    until, tests = np.zeros(len(tree), dtype=np.int32), tree.first_child >= 0
    until[tests] = np.searchsorted(alpha, strength[tests])
    leaves = _leaves(tree, table)
    single = _end_alone(leaves)
    if loss.columns is not None:
        sums, squares = _climb_levels(tree, until, len(alpha), np.where(single, leaves, -1), loss)
    else:
        found = _core.held_out(
            tree.first_child,
            tree.n_children,
            until,
            len(alpha),
            {"leaf": np.where(single, leaves, 0), "weight": np.where(single, loss.weight, 0.0)},
            loss.for_core(),
        )
        sums, squares = found[0], found[1]
    open_rows = np.flatnonzero(~single & (loss.weight > 0))
    if len(open_rows):
        reached = apply.complete_routing(_by_branch(tree), leaves, routing.arrays_for(tree, table)[1])
        more = _climb(tree, until, len(alpha), _only(reached, open_rows), loss, open_rows)
        sums, squares = sums + more[0], squares + more[1]
    return Lost(sums, squares, float(np.sort(loss.weight).sum()), loss.n_rows)


def _leaves(tree: Tree, table: Table) -> Ints:
    """The leaf of each row, -1 where it follows all paths."""
    return apply.leaves_of(tree if apply.compiled(tree).known else _by_branch(tree), table)


def _end_alone(leaves: Ints) -> Bools:
    """Which rows end in one leaf."""
    return leaves >= 0


def _refuse_other_answers(tree: Tree) -> None:
    if tree.task == "density":
        raise ValueError(
            "what held-out rows lose is not defined for a density tree here: choose its size with leaves=, or"
            " alpha="
        )


class _Loss:
    """What each row loses by each answer."""

    def __init__(self, tree: Tree, table: Table, target: Target) -> None:
        self.tree = tree
        self.distance = half_deviance if tells_rates(tree) else squared
        by_level = tree.has_models or tells_rates(tree)
        self.columns = routing.arrays_for(tree, table)[1] if by_level else None
        self.weight: Floats = row_weights(target)
        self.n_rows = counted_rows(target)
        self.values = target.values
        if (target.kind == "classes") != (tree.task == "classes"):
            raise ValueError(f"the target is of kind {target.kind!r}, but the tree has task={tree.task!r}")
        if tree.task == "classes":
            self.codes = known_codes(tree, target)
            if (self.codes < 0).all():
                known = ", ".join(map(repr, (tree.classes or ())[:8]))
                raise ValueError(f"y has no class that the tree knows; its classes are {known}")
            self.cost, self.row_cost = _costs(tree, target, self.codes)

    def for_core(self) -> dict[str, Any]:
        if self.tree.task != "classes":
            return {"value": self.values, "answer": np.ascontiguousarray(self.tree.answers())}
        given: dict[str, Any] = {"label": self.tree.label, "n_classes": len(self.tree.classes or ())}
        if self.row_cost is not None:
            return given | {"cost": self.row_cost.ravel()}
        codes = np.where(self.codes < 0, given["n_classes"], self.codes).astype(np.int32)
        return given | {"code": codes, "cost": self.cost.ravel()}

    def of(self, rows: Longs, answered: Routing) -> Floats:
        """The losses of some rows answered by the nodes of a routing."""
        if self.tree.task != "classes":
            assert self.values is not None
            columns = None if self.columns is None else tuple(column[rows] for column in self.columns)
            return self.distance(self.values[rows], routing.values(self.tree, answered, columns))
        label = routing.labels(self.tree, answered)
        return self.cost[self.codes[rows], label] if self.row_cost is None else self.row_cost[rows, label]


def _costs(tree: Tree, target: Target, codes: Longs) -> tuple[Floats, Floats | None]:
    """Costs of answers by class, or by row; a class counts as its prior says.

    The last row is for classes the tree does not know, code -1: whatever is answered is a mistake.
    """
    voice, k = answer_rule_of(tree.meta), len(tree.classes or ())
    factors = np.ones(k) if voice.factors is None else voice.factors
    cost: Floats = (1.0 - np.eye(k) if voice.costs is None else voice.costs) * factors[:, None]
    own = known_costs(tree, target)
    if own is not None:
        return cost, np.ascontiguousarray(own * np.append(factors, 1.0)[codes][:, None])
    if voice.costs is not None and (codes < 0).any():
        unknown = next(label for label in target.classes if label not in (tree.classes or ()))
        raise ValueError(
            f"y has the class {unknown!r}, about which the costs of the tree say nothing: drop its rows"
        )
    return np.concatenate([cost, np.ones((1, k))]), None


def _climb_levels(
    tree: Tree, until: Ints, n_strengths: int, leaves: Ints, loss: _Loss
) -> tuple[Floats, Floats]:
    """Sums of weight x loss and weight x loss^2 by strength, of rows that end in one leaf; level by level."""
    rows = np.flatnonzero((leaves >= 0) & (loss.weight > 0))
    assert loss.columns is not None
    assert loss.values is not None
    where, weight = leaves[rows].astype(np.int64), loss.weight[rows]
    found = climbed(tree, loss.columns, rows, where, weight, loss.values, loss.distance)
    return by_step(tree, until, found.loss, n_strengths), by_step(tree, until, found.squares, n_strengths)


# ---- rows that follow all paths --------------------------------------------------------------------------


def _only(reached: Routing, rows: Longs) -> Routing:
    """The part of a routing that belongs to some rows."""
    count = np.diff(reached.start)[rows]
    start = np.concatenate(([0], np.cumsum(count)))
    entries = np.repeat(reached.start[:-1][rows] - start[:-1], count) + np.arange(start[-1])
    return Routing(start, reached.leaf[entries], reached.weight[entries])


def _by_branch(tree: Tree) -> Tree:
    """The tree with paths weighed by branches: by leaves, those without rows would be lost on the way up."""
    if tree.policy["weights"] == "branch":
        return tree
    return tree.replace(policy={**tree.policy, "weights": "branch"})


def _climb(
    tree: Tree, until: Ints, n_strengths: int, reached: Routing, loss: _Loss, rows: Longs
) -> tuple[Floats, Floats]:
    """Sums of weight x loss and weight x loss^2 by strength, of rows that reach several leaves."""
    owner = reached.rows
    node = reached.leaf.astype(np.int64)
    weight = loss.weight[rows]
    now = np.zeros(len(rows))
    stale = np.ones(len(rows), dtype=np.bool_)
    sums, squares = np.zeros(n_strengths), np.zeros(n_strengths)
    for k in range(n_strengths):
        while True:
            above = np.maximum(tree.parent[node], 0)
            moves = (tree.parent[node] >= 0) & (until[above] <= k)
            if not moves.any():
                break
            node = np.where(moves, above, node)
            stale[owner[moves]] = True
        if stale.any():
            changed = np.flatnonzero(stale)
            now[changed] = loss.of(
                rows[changed], _standing(tree, _only(reached, changed), node, stale[owner])
            )
            stale[:] = False
            lost_now = weight * now
            total, square = float(np.sort(lost_now).sum()), float(np.sort(lost_now * now).sum())
        sums[k], squares[k] = total, square
    return sums, squares


def _standing(tree: Tree, reached: Routing, node: Longs, here: np.ndarray[Any, Any]) -> Routing:
    """Where rows stand once the nodes below have collapsed; a node several leaves climbed to counts once."""
    at, owner = node[here], reached.rows
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
