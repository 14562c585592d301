"""What each node of a tree would cost as a leaf, on rows it was not grown on.

Rows go down the tree once. What they add up to in the leaves is summed upwards, so every node knows its share
of the sample without being visited by a row again. An equation, however, answers each row differently, so no
sum over a node's rows says what another node answers for them. Where nodes have equations, the rows climb
together, a level at a time, and are answered anew by each node they come to::

    depth 3      leaf 7: rows 1 4     leaf 8: row 2      each answered by its node's equation
    depth 2      node 5: rows 1 4 2 ...                  the same rows, by the node above

A row is answered once for each level, so a sample costs its rows times the depth of its leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs, sums_by_place
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.pruning.levels import sums_up
from hornbeam.tree import apply
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.equations import evaluate
from hornbeam.tree.node_stats import stats_of_tree
from hornbeam.tree.refit import known_codes
from hornbeam.tree.routing import arrays_for
from hornbeam.tree.tree import Tree


class NodeLosses(NamedTuple):
    """By node: sums of weight x loss, of weight x loss^2, and of weight x (y^2 + answer^2)."""

    loss: Floats
    squares: Floats
    size: Floats


def squared_distance(y: Floats, answer: Floats) -> Floats:
    """The squared distance of each outcome from an answer."""
    squares: Floats = (y - answer) ** 2
    return squares


def losses_by_node(
    tree: Tree,
    columns: Sequence[AnyArray],
    row: Longs,
    leaf: Longs,
    weight: Floats,
    values: Floats,
    distance: Callable[[Floats, Floats], Floats] = squared_distance,
) -> NodeLosses:
    """Sum the distances of rows from the answers of their leaves and of all nodes above.

    Parameters
    ----------
    tree : Tree
    columns : one array for each column of the tree
    row, leaf, weight : an entry for each leaf that a row reaches
    values : the outcome of each row
    distance : how far outcomes are from answers, squared unless another is given

    Examples
    --------
    >>> leaves = [{"value": v, "n": 2, "model": {"intercept": v, "terms": {"x": 1.0}}} for v in (1.0, 5.0)]
    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": leaves[0], "no": leaves[1]})
    >>> first = np.array([0, 1])
    >>> columns = [np.array([1.0, 2.0])]
    >>> losses_by_node(tree, columns, first, first + 1, np.ones(2), np.array([2.0, 6.0])).loss
    array([10.,  0.,  1.])
    """
    n, node = len(tree), leaf.astype(np.int64)
    sums = NodeLosses(np.zeros(n), np.zeros(n), np.zeros(n))
    place = np.zeros(n, dtype=np.int64)
    for depth, nodes in reversed(list(enumerate(tree.levels()))):
        here = np.flatnonzero(tree.depths[node] == depth)
        if not len(here):
            continue
        place[nodes] = np.arange(len(nodes))
        at, rows, w = node[here], row[here], weight[here]
        y, answer = values[rows], evaluate(tree, columns, at, rows)
        loss = distance(y, answer)
        for out, each in zip(sums, (w * loss, w * loss * loss, w * (y * y + answer * answer)), strict=True):
            out[nodes] = sums_by_place(place[at], each, len(nodes))
        node[here] = tree.parent[at]
    return sums


class LeafEntries(NamedTuple):
    """(row, leaf, weight) of a sample: a row has an entry for each leaf it reaches."""

    row: Longs
    leaf: Longs
    weight: Floats

    def where(self, mask: AnyArray) -> LeafEntries:
        """Return the entries of a mask."""
        return self if mask.all() else LeafEntries(self.row[mask], self.leaf[mask], self.weight[mask])


class SampleCosts(NamedTuple):
    """Costs of each node as a leaf, its weight of the sample, and what of a cost may be rounding."""

    cost: Floats
    weight: Floats
    slack: Floats


def sample_costs(tree: Tree, table: Table, target: Target) -> SampleCosts:
    """What each node costs as a leaf on these rows: errors, costs of errors, or squared errors.

    A row that follows several paths counts in each leaf with its share. Nodes that have equations answer each
    row by them. Priors, a cost matrix and costs of rows count as they do for the tree. A row of a class that
    the tree does not know is wrong whatever is answered, so it plays no part.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 3, "b": 1}},
    ...                          "no": {"counts": {"a": 1, "b": 4}}})
    >>> rows = Table.match({"x": [1.0, 2.0, 2.0]}, tree.columns), Target.classes_of(["a", "a", "b"])
    >>> sample_costs(tree, *rows).cost
    array([2., 0., 1.])
    """
    entries = leaf_entries(tree, table, target)
    if tree.task.is_classes:
        return _class_costs(tree, target, entries)
    if tree.has_models:
        return _equation_squares(tree, table, target, entries)
    return _mean_squares(tree, target, entries)


def training_codes(tree: Tree, target: Target) -> Longs:
    """The classes of training rows, all of which the tree must know."""
    assert target.codes is not None
    codes = known_codes(tree, target)
    if (codes < 0).any():
        label = target.classes[int(target.codes[codes < 0][0])]
        raise ValueError(
            f"training has the class {label!r}, which the tree does not know: give the rows it was grown on"
        )
    return codes


def known_costs(tree: Tree, target: Target) -> Floats | None:
    """The costs of rows in the tree's class order; None if neither tree nor target has any."""
    if target.row_costs is None:
        if len(tree.cost_value):
            raise ValueError(
                "this tree answers by costs of each row: give those of X's rows, too, as row_costs"
            )
        return None
    lacking = [label for label in tree.classes or () if label not in target.classes]
    if lacking:
        raise ValueError(
            f"row_costs say nothing about the class {lacking[0]!r} of the tree, of which y has no row: use"
            " rows of all classes"
        )
    return target.row_costs[:, [target.classes.index(label) for label in tree.classes or ()]]


def leaf_entries(tree: Tree, table: Table, target: Target) -> LeafEntries:
    """Find the leaves that the rows of positive weight reach, as in a prediction."""
    if table.n_rows != target.n_rows:
        raise ValueError(f"X has {table.n_rows} rows and y {target.n_rows}: they must be of one length")
    if table.columns != tree.columns:
        n_rows, arrays = arrays_for(tree, table)
        table = Table(tree.columns, n_rows, arrays)
    leaves = apply.leaves(tree, table, None)
    routing = apply.complete_routing(tree, leaves, table.arrays if leaves.min() < 0 else None)
    weight = routing.weight * target.row_weight[routing.rows]
    return LeafEntries(routing.rows, routing.leaf.astype(np.int64), weight).where(weight > 0)


def _class_costs(tree: Tree, target: Target, entries: LeafEntries) -> SampleCosts:
    nodes, width, rule = np.arange(len(tree)), tree.stats.shape[1], answer_rule_of(tree.meta)
    code, costs = known_codes(tree, target), known_costs(tree, target)
    row, leaf, weight = entries.where(code[entries.row] >= 0)
    if rule.factors is not None:
        weight = weight * rule.factors[code[row]]
    if costs is not None:
        each = [sums_by_place(leaf, weight * costs[row, k], len(tree)) for k in range(width)]
        cost = sums_up(tree, np.stack(each, axis=1))[nodes, tree.label]
    else:
        tallies = sums_by_place(leaf * width + code[row], weight, len(tree) * width).reshape(-1, width)
        wrong = 1.0 - np.eye(width) if rule.costs is None else rule.costs
        cost = (sums_up(tree, tallies) * wrong.T[tree.label]).sum(axis=1)
    total = sums_up(tree, sums_by_place(leaf, weight, len(tree)))
    return SampleCosts(cost, total, np.zeros(len(tree)))


def _mean_squares(tree: Tree, target: Target, entries: LeafEntries) -> SampleCosts:
    """Sum of w (y - answer)^2 = squares around the sample's mean + w (mean - answer)^2."""
    assert target.values is not None
    row, leaf, w = entries
    weight, mean, squares = stats_of_tree(tree, leaf, w, target.values[row]).T
    cost = squares + weight * (mean - tree.answers()) ** 2
    return SampleCosts(cost, weight, 1e-24 * weight * (mean**2 + tree.answers() ** 2))


def _equation_squares(tree: Tree, table: Table, target: Target, entries: LeafEntries) -> SampleCosts:
    """The same where nodes answer each row differently."""
    assert target.values is not None
    sums = losses_by_node(tree, arrays_for(tree, table)[1], *entries, target.values)
    weight = sums_up(tree, sums_by_place(entries.leaf, entries.weight, len(tree)))
    return SampleCosts(sums.loss, weight, 1e-24 * sums.size)
