"""Descending: rows from any places of a tree down to its leaves, where subtrees may have moved.

One idea: all rows take one step at a time, wherever they are::

    place     [ 4  9  9 31 ]     a row and the node it stands at: an entry
    branch    [ 0  1 -1  0 ]     -1: the value is missing and the row follows all paths, in parts
    next      [ 8 17 16 17 60 ]  an entry more

so many subtrees are tried at once, at the cost of a few numpy calls for each level below them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Floats, Longs
from hornbeam.data.columns import UNSEEN
from hornbeam.tree.arrays import EQUALS, MULTIWAY, THRESHOLD, owners
from hornbeam.tree.routing import ALL_PATHS, branch_shares, branches
from hornbeam.tree.tree import Tree


class Entries(NamedTuple):
    """Rows on their way: whose they are (any number), the row, the node it stands at, its weight there."""

    owner: Longs
    row: Longs
    node: Longs
    weight: Floats

    def take(self, which: AnyArray) -> Entries:
        """Some of them, by mask or position."""
        return Entries(self.owner[which], self.row[which], self.node[which], self.weight[which])


class Descent:
    """Rows going down a tree in which `stand` names the node in each place and `ended` the leaves by now.

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

        The first step has the entries as given. An entry that stands at a leaf is in no later step.
        """
        yield entries, np.arange(len(entries.row))
        moving = np.flatnonzero(~self.ended[entries.node])
        while len(moving):
            entries, source = self._next(entries.take(moving))
            yield entries, moving[source]
            moving = np.flatnonzero(~self.ended[entries.node])

    def _next(self, at: Entries) -> tuple[Entries, Longs]:
        """One step of entries that all stand at tests."""
        tree = self.tree
        branch = self._branches(at.row, at.node)
        source, weight = np.arange(len(branch)), at.weight
        lost = branch == ALL_PATHS
        if lost.any():
            count = np.where(lost, tree.n_children[at.node], 1).astype(np.int64)
            source = np.repeat(source, count)
            within = np.arange(len(source)) - np.repeat(np.cumsum(count) - count, count)
            branch = np.where(lost[source], within, branch[source])
            place = tree.first_child[at.node[source]] + branch
            weight = at.weight[source] * np.where(lost[source], self.shares[place], 1.0)
            some = weight > 0
            source, weight, place = source[some], weight[some], place[some]
        else:
            place = tree.first_child[at.node] + branch
        return Entries(at.owner[source], at.row[source], self.stand[place], weight), source

    def _branches(self, rows: Longs, nodes: Longs) -> Longs:
        """The branch of each entry: plain tests of one column together, the others node by node."""
        tree = self.tree
        found = np.empty(len(rows), dtype=np.int64)
        plain = self._plain[nodes]
        for at in _groups(np.where(plain, tree.column[nodes], -1)):
            if not plain[at[0]]:
                continue
            x = self.arrays[tree.column[nodes[at[0]]]][rows[at]]
            found[at] = self._plain_branches(x, nodes[at])
        odd = np.flatnonzero(~plain)
        for part in _groups(nodes[odd]):
            at = odd[part]
            found[at] = branches(tree, int(nodes[at[0]]), self.arrays, rows[at])
        return found

    def _plain_branches(self, x: AnyArray, nodes: Longs) -> Longs:
        """Branches at plain tests of one column, with values or codes `x`."""
        tree, policy = self.tree, self.tree.policy
        kind = tree.kind[nodes]
        known = ~np.isnan(x) if x.dtype.kind == "f" else x >= 0
        found = np.where(known, x > tree.threshold[nodes], ALL_PATHS).astype(np.int64)
        equal = kind == EQUALS
        if equal.any():
            sure = known if policy["unseen"] == "missing" else x != -1
            found[equal] = np.where(sure, x != tree.threshold[nodes], ALL_PATHS)[equal]
        mapped = (kind != THRESHOLD) & ~equal
        if mapped.any():
            found[mapped] = self._mapped(x[mapped].astype(np.int64), nodes[mapped])
        lost = np.flatnonzero(found < 0)
        if len(lost) and policy["missing"] != "all-paths":
            learned = tree.missing[nodes[lost]].astype(np.int64)
            if policy["missing"] == "learn" and x.dtype.kind != "f":
                learned[x[lost] == UNSEEN] = ALL_PATHS
            found[lost] = learned
        return found

    def _mapped(self, codes: Longs, nodes: Longs) -> Longs:
        """Branches by value maps: node and code together are looked up in one ascending list."""
        key = nodes * self._span + codes
        place = np.minimum(np.searchsorted(self._keys, key), len(self._keys) - 1)
        hit = self._keys[place] == key
        found = np.where(hit, self.tree.map_branch[place], self.tree.absent[nodes])
        return np.where(codes < 0, ALL_PATHS, found).astype(np.int64)


def _groups(keys: AnyArray) -> list[Longs]:
    """Positions of equal keys, together."""
    if not len(keys):
        return []
    order = np.argsort(keys, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(keys[order])) + 1)
