"""Rows through a Tree, node by node, for every kind of test; and what the leaves reached answer together.

One idea: a node is visited once, with all the rows that reach it::

    rows at the node     [ 4  7  9 12 ]
    branch of each       [ 0  1 -1  0 ]      -1: the value is missing and no branch was learned for it
    child 0              [ 4  9 12 ]         a row with -1 follows all paths
    child 1              [ 7  9 ]

so a row may end in several leaves. Their weights (training weight of the leaves reached, or the product of
the branches' shares on the way) add up to 1. The compiled core does the same for the kinds it knows; this is
the plain twin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Ints, Longs
from hornbeam.data.columns import UNSEEN, Column
from hornbeam.data.table import Table
from hornbeam.tree.answer_rule import answer_rule_of, cheapest_class, choose_class, joint_decision
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.branches import by_surrogate, own_branches
from hornbeam.tree.density_boxes import rows_outside
from hornbeam.tree.equations import evaluate
from hornbeam.tree.outputs import side_by_side

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree

ALL_PATHS = -1


@dataclass(frozen=True)
class Routing:
    """The leaves each row reaches: entries `start[i]` up to `start[i + 1]` belong to row i.

    Leaves of a row are in ascending order, weights are positive and sum to 1.
    """

    start: Longs
    leaf: Ints
    weight: Floats

    @property
    def n_rows(self) -> int:
        """Number of rows routed."""
        return len(self.start) - 1

    @property
    def rows(self) -> Longs:
        """The row of each entry."""
        if self.single:
            return np.arange(self.n_rows, dtype=np.int64)
        return np.repeat(np.arange(self.n_rows, dtype=np.int64), np.diff(self.start))

    @property
    def single(self) -> bool:
        """Whether every row reached exactly one leaf."""
        return len(self.leaf) == self.n_rows

    def heaviest(self) -> Ints:
        """The heaviest leaf of each row; of equally heavy ones the first."""
        if self.single:
            return self.leaf
        order = np.lexsort((np.arange(len(self.leaf)), -self.weight, self.rows))
        return self.leaf[order][self.start[:-1]]


def arrays_for(tree: Tree, table: Any) -> tuple[int, tuple[AnyArray, ...]]:
    """Number of rows, and one array per column of the tree, in the tree's codes."""
    if not isinstance(table, Table):
        table = Table.match(table, tree.columns)
    if table.columns == tree.columns:
        return table.n_rows, table.arrays
    place = {column.name: k for k, column in enumerate(table.columns)}
    absent = [column.name for column in tree.columns if column.name not in place]
    if absent:
        raise ValueError(
            f"the table has no column {absent[0]!r}, which the tree knows: its columns are {', '.join(place)}"
        )
    return table.n_rows, tuple(
        _recode(table.arrays[place[c.name]], table.columns[place[c.name]], c) for c in tree.columns
    )


def _recode(array: AnyArray, old: Column, new: Column) -> AnyArray:
    """Codes of one domain in those of another; a value the other does not have is missing."""
    if old.categories == new.categories:
        return array
    if old.kind == "numeric" or new.kind == "numeric":
        raise ValueError(
            f"column {new.name!r} is {old.kind} in the table and {new.kind} in the tree:"
            " use Table.match(X, tree.columns)"
        )
    known = [new.code_of.get(value, UNSEEN) for value in old.categories]
    return np.array([*known, UNSEEN, -1], dtype=np.int32)[array]  # the last two are for codes -2 and -1


class Visit:
    """The rows that come to a node, by their numbers, with their weights and the branches they take.

    The branches are looked up when they are first read; `surrogate` is the entry of the surrogates that sent
    a row its way, -1 where none did.
    """

    def __init__(
        self, tree: Tree, arrays: Sequence[AnyArray], node: int, rows: Longs, weight: Floats
    ) -> None:
        self.tree, self.arrays, self.node, self.rows, self.weight = tree, arrays, node, rows, weight

    @cached_property
    def _branches(self) -> tuple[Longs, Longs]:
        return find_branches(self.tree, self.node, self.arrays, self.rows)

    @property
    def branch(self) -> Longs:
        """The branch each row takes, `ALL_PATHS` for all of them."""
        return self._branches[0]

    @property
    def surrogate(self) -> Longs:
        """The surrogate that sent each row its way, -1 where none did."""
        return self._branches[1]


def as_in_training(tree: Tree) -> Tree:
    """The tree as training follows it: where prediction takes all paths, a gap had a branch of its own."""
    if tree.policy["missing"] != "all-paths":
        return tree
    return tree.replace(policy={**tree.policy, "missing": "branch"})


def visit_nodes(
    tree: Tree, arrays: Sequence[AnyArray], weight: Floats, shares: Floats | None = None, *, start: int = 0
) -> Iterator[Visit]:
    """Every node from `start` on that rows come to, in pre-order; `weight` has a number for each row.

    A row that follows all paths has its weight times the share of each child there: `shares` of every node,
    or, without them, by the weight of the rows whose branch is known.
    """
    way = tree.path(start)
    waiting = [Visit(tree, arrays, 0, np.arange(len(weight)), weight)]
    while waiting:
        visit = waiting.pop()
        above = visit.node in way[:-1]
        if not above:
            yield visit
        if tree.kind[visit.node] != LEAF:
            parts = divide_rows(tree, visit.node, visit.branch, visit.weight, shares)
            for child, part, part_weight in reversed(parts):
                if not above or child in way:
                    waiting.append(Visit(tree, arrays, child, visit.rows[part], part_weight))


def divide_rows(
    tree: Tree, node: int, branch: Longs, weight: Floats, shares: Floats | None = None
) -> list[tuple[int, Longs, Floats]]:
    """(child, positions, weights) for each child that any row reaches; `shares` as in `visit_nodes`.

    Without `shares` a child that no row with a known branch reaches gets none of the others either.
    """
    children, everywhere = tree.children(node), branch == ALL_PATHS
    if shares is not None:
        fraction, is_open = shares[children.start : children.stop], np.ones(len(children), dtype=np.bool_)
    else:
        known = np.bincount(branch[~everywhere], weights=weight[~everywhere], minlength=len(children))
        fraction = known / known.sum() if known.sum() > 0 else np.full(len(children), 1 / len(children))
        is_open = fraction > 0
    parts = []
    for k, child in enumerate(children):
        part = np.flatnonzero((branch == k) | (everywhere & is_open[k]))
        if len(part):
            parts.append((child, part, weight[part] * np.where(everywhere[part], fraction[k], 1.0)))
    return parts


def visit_all(tree: Tree, n_rows: int, arrays: Sequence[AnyArray]) -> Iterator[Visit]:
    """Every node that rows come to when the tree answers for them."""
    return visit_nodes(tree, arrays, np.ones(n_rows), branch_shares(tree))


def route(tree: Tree, table: Any) -> Routing:
    """The leaves and weights of every row."""
    n_rows, arrays = arrays_for(tree, table)
    return leaves_reached(tree, n_rows, visit_all(tree, n_rows, arrays))


def branch_shares(tree: Tree) -> Floats:
    """The share of each node among its siblings: as stored, else by training weight, else equal."""
    return np.where(np.isnan(tree.fraction), training_shares(tree), tree.fraction)


def training_shares(tree: Tree) -> Floats:
    """The share of each node among its siblings by training weight, equal where none has any."""
    parent = np.maximum(tree.parent, 0)
    total = np.bincount(parent[1:], weights=tree.weight[1:], minlength=len(tree))[parent]
    shares = 1.0 / np.maximum(tree.n_children[parent], 1)
    return np.divide(tree.weight, total, out=shares, where=total > 0)


def leaves_reached(tree: Tree, n_rows: int, visits: Iterable[Visit]) -> Routing:
    """Leaves sorted by row; weights normalised within each row, leaves of no weight left out."""
    ends = [(visit.node, visit.rows, visit.weight) for visit in visits if tree.kind[visit.node] == LEAF]
    if not ends:
        return Routing(np.zeros(n_rows + 1, np.int64), np.empty(0, np.int32), np.empty(0))
    rows = np.concatenate([rows for _, rows, _ in ends])
    leaf = np.concatenate([np.full(len(rows), node, dtype=np.int32) for node, rows, _ in ends])
    weight = np.concatenate([weight for _, _, weight in ends])
    if tree.policy["weights"] == "leaf":
        weight = tree.weight[leaf]
    order = np.lexsort((leaf, rows))
    rows, leaf, weight = rows[order], leaf[order], weight[order]
    total = np.bincount(rows, weights=weight, minlength=n_rows)
    count = np.bincount(rows, minlength=n_rows)
    weight = np.where(count[rows] == 1, 1.0, np.where(total[rows] > 0, weight, 1.0))
    keep = weight > 0
    rows, leaf, weight = rows[keep], leaf[keep], weight[keep]
    weight = weight / np.bincount(rows, weights=weight, minlength=n_rows)[rows]
    start = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_rows))))
    return Routing(start.astype(np.int64), leaf, weight)


# --- which branch: by the test, a surrogate, or what was learned about gaps ---------------------------------


def branches(tree: Tree, node: int, arrays: Sequence[AnyArray], rows: Longs) -> Longs:
    """The branch each row takes at a node, `ALL_PATHS` where the value is missing and none is learned."""
    return find_branches(tree, node, arrays, rows)[0]


def find_branches(tree: Tree, node: int, arrays: Sequence[AnyArray], rows: Longs) -> tuple[Longs, Longs]:
    """The branches, and the entry of the surrogates that sent each row its way, -1 where none did."""
    branch = own_branches(tree, node, arrays, rows)
    used = np.full(len(rows), -1, dtype=np.int64)
    if tree.policy["missing"] == "all-paths" or (branch >= 0).all():
        return branch, used
    for k in range(int(tree.surrogate_offset[node]), int(tree.surrogate_offset[node + 1])):
        open_rows = np.flatnonzero(branch < 0)
        branch[open_rows] = by_surrogate(tree, k, arrays, rows[open_rows])
        used[open_rows[branch[open_rows] >= 0]] = k
    learned = np.full(len(rows), tree.missing[node], dtype=np.int64)
    if tree.policy["missing"] == "learn":  # nothing was learned about a category that training never saw
        for column in tree.tested_columns(node):
            if arrays[column].dtype.kind == "i":
                learned[arrays[column][rows] == UNSEEN] = ALL_PATHS
    return np.where(branch < 0, learned, branch), used


# --- what the leaves answer together ------------------------------------------------------------------------


def probabilities(tree: Tree, routing: Routing) -> Floats:
    """Class probabilities of each row, in class order.

    The shares of one leaf; of several leaves the weighted mean of their shares, or, where the tree's policy
    has one vote a leaf, of their votes.
    """
    _need_classes(tree)
    shares = tree.answers()[routing.leaf]
    if tree.policy["vote"] == "leaf":
        several = np.diff(routing.start)[routing.rows] > 1
        shares[several] = np.eye(shares.shape[1])[tree.label[routing.leaf[several]]]
    return weighted(routing, shares)


def labels(tree: Tree, routing: Routing) -> Ints:
    """The class index of each row: the leaf's label, or what several leaves answer together."""
    _need_classes(tree)
    if routing.single:
        return tree.label[routing.leaf]
    codes = tree.label[routing.heaviest()].copy()
    several = np.flatnonzero(np.diff(routing.start) > 1)
    codes[several] = _chosen(tree, routing)[several]
    return codes


def _chosen(tree: Tree, routing: Routing) -> Ints:
    """The class several leaves answer together: the cheapest, median, likeliest, or of most votes."""
    _, costs, costs_of_node = joint_decision(tree)
    if costs_of_node is not None:
        return cheapest_class(weighted(routing, costs_of_node[routing.leaf]))
    return choose_class(replace(answer_rule_of(tree.meta), costs=costs), probabilities(tree, routing))


def values(tree: Tree, routing: Routing, columns: Sequence[AnyArray] | None = None) -> Floats:
    """The mean, density, or value of the equation of each row; equations need the rows' `columns`."""
    if tree.task.is_classes:
        raise ValueError("a tree of classes answers with labels and probabilities, not with values")
    if not tree.has_models:
        return weighted(routing, tree.answers()[routing.leaf][:, None])[:, 0]
    if columns is None:
        raise ValueError("leaves of this tree answer with equations: give the rows' columns as well")
    return weighted(routing, evaluate(tree, columns, routing.leaf, routing.rows)[:, None])[:, 0]


def predict(tree: Tree, table: Any) -> AnyArray:
    """Labels or values of each row; of several targets side by side."""
    if tree.outputs:
        return side_by_side([predict(tree.output(k), table) for k in range(len(tree.outputs))])
    routing = route(tree, table)
    if tree.task.is_density:
        density = values(tree, routing)
        for _, outside in rows_outside(tree, arrays_for(tree, table)[1]):
            density = np.where(outside, 0.0, density)
        return density
    if not tree.task.is_classes:
        return values(tree, routing, arrays_for(tree, table)[1] if tree.has_models else None)
    return label_array(tree)[labels(tree, routing)]


def label_array(tree: Tree) -> AnyArray:
    """The labels in class order: of their own type if they have one in common, else objects."""
    classes = np.empty(len(tree.classes or ()), dtype=object)
    classes[:] = tree.classes
    plain = np.array(list(classes)) if len({type(c) for c in classes}) == 1 else classes
    return plain if plain.ndim == 1 else classes


def predict_proba(tree: Tree, table: Any) -> Any:
    """Class probabilities of each row, in class order; of several targets a list."""
    if tree.outputs:
        return [predict_proba(tree.output(k), table) for k in range(len(tree.outputs))]
    return probabilities(tree, route(tree, table))


def _need_classes(tree: Tree) -> None:
    if not tree.task.is_classes:
        raise ValueError(f"this tree has task={tree.task!r}; probabilities and labels need task='classes'")


def weighted(routing: Routing, answers: Floats) -> Floats:
    """Weighted sums of the leaves' answers, row by row."""
    if routing.single:
        return answers
    sums: Floats = np.add.reduceat(answers * routing.weight[:, None], routing.start[:-1], axis=0)
    return sums
