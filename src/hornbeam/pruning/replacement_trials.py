"""The trial of a subtree in another place: rows go down it, and its answers are judged on held-out rows.

Rows go from any places of a tree down to its leaves, where subtrees may have moved. All rows take one step at
a time, wherever they are::

    place     [ 4  9  9 31 ]     a row and the node it is at: an entry
    branch    [ 0  1 -1  0 ]     -1: the value is missing and the row follows all paths, in parts
    next      [ 8 17 16 17 60 ]  an entry more

so many subtrees are tried at once, at the cost of a few numpy calls for each level below them.

A node's answer is a function of what its training rows add up to, and the cost of an answer is a sum over
held-out rows. Three classes define both: for classes, for costs of each row, and for numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Floats, Longs, sums_by_place
from hornbeam.data.columns import UNSEEN
from hornbeam.data.target import Target
from hornbeam.pruning.sample_risks import known_codes, known_costs, training_codes
from hornbeam.tree.answer_rule import answer_rule_of, cheapest_class, choose_class
from hornbeam.tree.arrays import EQUALS, MULTIWAY, THRESHOLD, owners
from hornbeam.tree.routing import ALL_PATHS, branch_shares, branches
from hornbeam.tree.tree import Tree


class Entries(NamedTuple):
    """Rows on their way: whose they are (any number), the row, the node it is at, its weight there."""

    owner: Longs
    row: Longs
    node: Longs
    weight: Floats

    def take(self, which: AnyArray) -> Entries:
        """Return some of them, by mask or position."""
        return Entries(self.owner[which], self.row[which], self.node[which], self.weight[which])


class Descent:
    """Rows going down a tree in which `stand` names the node in each place and `ended` the current leaves.

    Both arrays are read as they are at each step, so a tree that is being pruned can be descended.
    """

    def __init__(self, tree: Tree, arrays: Sequence[AnyArray], stand: Longs, ended: Bools) -> None:
        self.tree, self.arrays, self.stand, self.ended = tree, arrays, stand, ended
        self.shares = branch_shares(tree)
        self._plain = (tree.kind <= MULTIWAY) & (np.diff(tree.surrogate_offset) == 0)
        self._span = 1 + max((len(column.categories) for column in tree.columns), default=0)
        self._keys = owners(tree.map_offset) * self._span + tree.map_code

    def steps(self, entries: Entries) -> Iterator[tuple[Entries, Longs]]:
        """The entries at each step, and the positions they come from in the step before; all that moved.

        The first step has the entries unchanged. An entry that is at a leaf is in no later step.
        """
        yield entries, np.arange(len(entries.row))
        moving = np.flatnonzero(~self.ended[entries.node])
        while len(moving):
            entries, source = self._next(entries.take(moving))
            yield entries, moving[source]
            moving = np.flatnonzero(~self.ended[entries.node])

    def _next(self, at: Entries) -> tuple[Entries, Longs]:
        """Take one step with entries that are all at tests."""
        tree = self.tree
        branch = self._branches(at.row, at.node)
        source, weight = np.arange(len(branch)), at.weight
        open_rows = branch == ALL_PATHS
        if open_rows.any():
            count = np.where(open_rows, tree.n_children[at.node], 1).astype(np.int64)
            source = np.repeat(source, count)
            within = np.arange(len(source)) - np.repeat(np.cumsum(count) - count, count)
            branch = np.where(open_rows[source], within, branch[source])
            place = tree.first_child[at.node[source]] + branch
            weight = at.weight[source] * np.where(open_rows[source], self.shares[place], 1.0)
            some = weight > 0
            source, weight, place = source[some], weight[some], place[some]
        else:
            place = tree.first_child[at.node] + branch
        return Entries(at.owner[source], at.row[source], self.stand[place], weight), source

    def _branches(self, rows: Longs, nodes: Longs) -> Longs:
        """The branch of each entry: plain tests of one column together, the others node by node."""
        tree = self.tree
        branch = np.empty(len(rows), dtype=np.int64)
        plain = self._plain[nodes]
        for at in _groups(np.where(plain, tree.column[nodes], -1)):
            if plain[at[0]]:
                x = self.arrays[tree.column[nodes[at[0]]]][rows[at]]
                branch[at] = self._plain_branches(x, nodes[at])
        others = np.flatnonzero(~plain)
        for part in _groups(nodes[others]):
            at = others[part]
            branch[at] = branches(tree, int(nodes[at[0]]), self.arrays, rows[at])
        return branch

    def _plain_branches(self, x: AnyArray, nodes: Longs) -> Longs:
        """Branches at plain tests of one column, with values or codes `x`."""
        tree, policy = self.tree, self.tree.policy
        kind = tree.kind[nodes]
        known = ~np.isnan(x) if x.dtype.kind == "f" else x >= 0
        branch = np.where(known, x > tree.threshold[nodes], ALL_PATHS).astype(np.int64)
        equal = kind == EQUALS
        if equal.any():
            sure = known if policy["unseen"] == "missing" else x != -1
            branch[equal] = np.where(sure, x != tree.threshold[nodes], ALL_PATHS)[equal]
        mapped = (kind != THRESHOLD) & ~equal
        if mapped.any():
            branch[mapped] = self._mapped(x[mapped].astype(np.int64), nodes[mapped])
        absent = np.flatnonzero(branch < 0)
        if len(absent) and policy["missing"] != "all-paths":
            learned = tree.missing[nodes[absent]].astype(np.int64)
            if policy["missing"] == "learn" and x.dtype.kind != "f":
                learned[x[absent] == UNSEEN] = ALL_PATHS
            branch[absent] = learned
        return branch

    def _mapped(self, codes: Longs, nodes: Longs) -> Longs:
        """Branches by value maps: node and code together are looked up in one ascending list."""
        key = nodes * self._span + codes
        place = np.minimum(np.searchsorted(self._keys, key), len(self._keys) - 1)
        hit = self._keys[place] == key
        branch = np.where(hit, self.tree.map_branch[place], self.tree.absent[nodes])
        return np.where(codes < 0, ALL_PATHS, branch).astype(np.int64)


def _groups(keys: AnyArray) -> list[Longs]:
    """Positions of equal keys, together."""
    if not len(keys):
        return []
    order = np.argsort(keys, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(keys[order])) + 1)


class ReplacementCosts:
    """Answers from training rows, costs on held-out rows.

    Attributes
    ----------
    node_answers : what each node of the tree answers as it is
    known : which held-out rows can be judged
    """

    node_answers: AnyArray
    known: AnyArray

    def answers(self, place: Longs, row: Longs, weight: Floats, n: int) -> AnyArray:
        """The answer at each of n places, by the training rows there."""
        raise NotImplementedError

    def costs(self, row: Longs, weight: Floats, answer: AnyArray) -> Floats:
        """What the answers cost for held-out rows."""
        raise NotImplementedError


def replacement_costs(tree: Tree, training: Target, held: Target) -> ReplacementCosts:
    """How answers are made and judged for a tree and its rows."""
    if tree.task != "classes":
        return _NumberCosts(tree, training, held)
    if training.row_costs is not None or held.row_costs is not None or len(tree.cost_value):
        return _RowCosts(tree, training, held)
    return _ClassCosts(tree, training, held)


class _ClassCosts(ReplacementCosts):
    def __init__(self, tree: Tree, training: Target, held: Target) -> None:
        self.rule = rule = replace(answer_rule_of(tree.meta), smoothing="none")
        self.width = tree.stats.shape[1]
        self.code, self.held = training_codes(tree, training), known_codes(tree, held)
        self.node_answers, self.known = tree.label, self.held >= 0
        wrong = 1.0 - np.eye(self.width) if rule.costs is None else rule.costs
        self.wrong = wrong if rule.factors is None else wrong * rule.factors[:, None]

    def answers(self, place: Longs, row: Longs, weight: Floats, n: int) -> AnyArray:
        sums = sums_by_place(place * self.width + self.code[row], weight, n * self.width)
        counted = self.rule.counted(sums.reshape(n, self.width))
        total = counted.sum(axis=1, keepdims=True)
        return choose_class(self.rule, counted / np.where(total > 0, total, 1.0))

    def costs(self, row: Longs, weight: Floats, answer: AnyArray) -> Floats:
        return weight * self.wrong[self.held[row], answer]


class _RowCosts(ReplacementCosts):
    def __init__(self, tree: Tree, training: Target, held: Target) -> None:
        self.node_answers, self.known = tree.label, known_codes(tree, held) >= 0
        self.training, self.held = (weighted_row_costs(tree, target) for target in (training, held))

    def answers(self, place: Longs, row: Longs, weight: Floats, n: int) -> AnyArray:
        costs = self.training[row] * weight[:, None]
        return cheapest_class(np.stack([sums_by_place(place, column, n) for column in costs.T], axis=1))

    def costs(self, row: Longs, weight: Floats, answer: AnyArray) -> Floats:
        return weight * self.held[row, answer]


def weighted_row_costs(tree: Tree, target: Target) -> Floats:
    """The costs of rows, times the prior factor of each row's class."""
    costs, factors = known_costs(tree, target), answer_rule_of(tree.meta).factors
    if costs is None:
        raise ValueError("row_costs must be given for the training rows and the rows to prune on alike")
    return costs if factors is None else costs * factors[known_codes(tree, target)][:, None]


class _NumberCosts(ReplacementCosts):
    def __init__(self, tree: Tree, training: Target, held: Target) -> None:
        assert training.values is not None
        assert held.values is not None
        own = np.divide(tree.stats[:, 1], tree.weight, out=np.zeros(len(tree)), where=tree.weight > 0)
        self.node_answers = np.where(tree.weight > 0, tree.center + own, tree.answers())
        self.known = np.ones(held.n_rows, dtype=np.bool_)
        self.center, self.y, self.held = tree.center, training.values - tree.center, held.values

    def answers(self, place: Longs, row: Longs, weight: Floats, n: int) -> AnyArray:
        total = sums_by_place(place, weight, n)
        sums = sums_by_place(place, weight * self.y[row], n)
        return self.center + np.divide(sums, total, out=np.zeros(n), where=total > 0)

    def costs(self, row: Longs, weight: Floats, answer: AnyArray) -> Floats:
        return weight * (self.held[row] - answer) ** 2
