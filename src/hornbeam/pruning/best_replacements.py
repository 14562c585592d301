"""Raising: the search for the best of keep, leaf and each child's subtree at every test, from below.

One idea: at one depth all tests are tried together. The training rows of a test go down a child's subtree to
say what its leaves would answer, the held rows follow to say what that would cost. What wins stands in the
place of the test (`stand`), so the tests above are tried against the tree there is by then.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hornbeam._base.sums import sums_by_place
from hornbeam._base.types import AnyArray, Bools, Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Target, row_weights
from hornbeam.pruning.child_subtrees import cheapest_child
from hornbeam.pruning.descent import Descent, Entries
from hornbeam.pruning.levels import Level, leaf_counts, levels_up
from hornbeam.pruning.record import KEEP, RAISE, TO_LEAF
from hornbeam.pruning.replacement_costs import judge_for
from hornbeam.pruning.sample_risks import reached
from hornbeam.tree.routing import arrays_for
from hornbeam.tree.tree import Tree

_TIE = 1e-12


class Found(NamedTuple):
    """What was decided at the tests of one level; `child` is the node raised, -1 if none is."""

    tests: Longs
    action: AnyArray
    child: Longs
    kept: Floats
    leaf: Floats
    raised: Floats
    weight: Floats


class _Trial(NamedTuple):
    """Held rows at the leaves of the subtrees tried: whose place, row, weight and what is answered."""

    owner: Longs
    row: Longs
    weight: Floats
    answer: AnyArray


class Raising:
    """A tree on its way to be pruned; `stand` names the node in each place, `ended` the leaves by now."""

    def __init__(self, tree: Tree, training: tuple[Table, Target], held: tuple[Table, Target]) -> None:
        self.tree = tree
        self.judge = judge_for(tree, training[1], held[1])
        self.stand = np.arange(len(tree))
        self.ended: Bools = tree.first_child < 0
        self.size = leaf_counts(tree)
        self.training = Descent(in_training(tree), arrays_for(tree, training[0])[1], self.stand, self.ended)
        self.held = Descent(tree, arrays_for(tree, held[0])[1], self.stand, self.ended)
        self._grown = self._training_entries(training[1])
        found = reached(tree, *held)
        known = self.judge.known[found.row]
        row, leaf, weight = found.row[known], found.leaf[known], found.weight[known]
        self._rest = _Trial(leaf, row, weight, self.judge.given[leaf])  # owners are places that move up
        self._answer = self.judge.given.copy()
        self._heard = np.zeros(len(tree), dtype=np.bool_)

    def decide(self) -> list[Found]:
        """Decide about every test, from below."""
        return [self._decide(level) for level in levels_up(self.tree)]

    def _training_entries(self, target: Target) -> Entries:
        """Where the training rows stand at first: one entry for each leaf reached."""
        weight = row_weights(target)
        row = np.flatnonzero(weight > 0)
        nowhere = np.zeros(len(row), dtype=np.int64)
        ends = []
        for entries, _ in self.training.steps(Entries(nowhere, row, nowhere, weight[row])):
            ends.append(entries.take(self.ended[entries.node]))
        found = Entries(*(np.concatenate(parts) for parts in zip(*ends, strict=True)))
        return found._replace(owner=found.node)

    # ---- one level ---------------------------------------------------------------------------------------

    def _decide(self, level: Level) -> Found:
        tree, tests = self.tree, level.tests
        self._lift(int(tree.depths[tests[0]]))
        position = np.full(len(tree), -1)
        position[tests] = np.arange(len(tests))
        at = np.flatnonzero(position[self._rest.owner] >= 0)
        owner, row, weight = self._rest.owner[at], self._rest.row[at], self._rest.weight[at]
        where, n = position[owner], len(tests)
        kept = sums_by_place(where, self.judge.costs(row, weight, self._rest.answer[at]), n)
        leaf = sums_by_place(where, self.judge.costs(row, weight, self.judge.given[owner]), n)
        raised, child, trials = self._raise(tests, leaf)
        margin = _TIE * leaf
        to_leaf = leaf <= np.minimum(kept, raised) + margin
        to_child = ~to_leaf & (raised <= kept + margin)
        self._apply(level, to_leaf, to_child, child, trials)
        action = np.where(to_leaf, TO_LEAF, np.where(to_child, RAISE, KEEP)).astype(np.int8)
        total = sums_by_place(where, weight, n)
        shown = np.where(np.isfinite(raised), raised, np.nan)
        return Found(tests, action, np.where(to_child, child, -1), kept, leaf, shown, total)

    def _lift(self, depth: int) -> None:
        """Let every row deeper than this depth stand at its place of this depth."""
        deep, parent = self.tree.depths, self.tree.parent
        self._grown = self._grown._replace(owner=_up_to(self._grown.owner, deep, parent, depth))
        self._rest = self._rest._replace(owner=_up_to(self._rest.owner, deep, parent, depth))

    def _raise(self, tests: Longs, leaf: Floats) -> tuple[Floats, Longs, list[_Trial]]:
        """The cheapest child's subtree of each test, and what was tried."""
        trials = []

        def cost_of(some: Longs, roots: Longs) -> Floats:
            trial = self._try(some, roots)
            trials.append(trial._replace(owner=roots[trial.owner]))
            costs = self.judge.costs(trial.row, trial.weight, trial.answer)
            return sums_by_place(trial.owner, costs, len(some))

        state = (self.stand, self.ended, self.size)
        cost, child = cheapest_child(self.tree, state, tests, leaf > 0, _TIE * leaf, cost_of)
        return cost, child, trials

    def _try(self, tests: Longs, roots: Longs) -> _Trial:
        """Send the rows of each test down the subtree of `roots`; owners are positions among the tests."""
        position = np.full(len(self.tree), -1)
        position[tests] = np.arange(len(tests))
        touched = []
        grown = _merged(self._grown, position, roots)
        for entries, _ in self.training.steps(grown):
            nodes, place = np.unique(entries.node, return_inverse=True)
            self._answer[nodes] = self.judge.answers(
                place.reshape(-1), entries.row, entries.weight, len(nodes)
            )
            self._heard[nodes] = True
            touched.append(nodes)
        rest = self._rest
        entries = _merged(Entries(rest.owner, rest.row, rest.owner, rest.weight), position, roots)
        answer = self.judge.given[tests[entries.owner]]
        ends = []
        for step, source in self.held.steps(entries):
            answer = np.where(self._heard[step.node], self._answer[step.node], answer[source])
            done = self.ended[step.node]
            ends.append(_Trial(step.owner[done], step.row[done], step.weight[done], answer[done]))
        for nodes in touched:
            self._heard[nodes] = False
        return _Trial(*(np.concatenate(parts) for parts in zip(*ends, strict=True)))

    def _apply(
        self, level: Level, to_leaf: Bools, to_child: Bools, child: Longs, trials: list[_Trial]
    ) -> None:
        """Change the tree as decided, and where the held rows stand."""
        tree, tests = self.tree, level.tests
        self.size[tests] = 1 + level.sums(self.size)
        self.size[tests[to_leaf]] = 1
        self.size[tests[to_child]] = self.size[child[to_child]]
        self.ended[tests[to_leaf]] = True
        self.stand[tests[to_child]] = child[to_child]
        cut, gone = np.zeros(len(tree), dtype=np.bool_), np.zeros(len(tree), dtype=np.bool_)
        cut[tests[to_leaf]], gone[tests[to_child]] = True, True
        rest = self._rest
        answer = np.where(cut[rest.owner], self.judge.given[rest.owner], rest.answer)
        stays = ~gone[rest.owner]
        parts = [_Trial(rest.owner[stays], rest.row[stays], rest.weight[stays], answer[stays])]
        place = np.full(len(tree), -1)  # the test whose place a raised node takes
        place[child[to_child]] = tests[to_child]
        for trial in trials:
            won = place[trial.owner] >= 0
            owner = place[trial.owner[won]]
            parts.append(_Trial(owner, trial.row[won], trial.weight[won], trial.answer[won]))
        self._rest = _Trial(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def in_training(tree: Tree) -> Tree:
    """The tree as training rows go through it: with all-paths a gap has a branch of its own."""
    if tree.policy["missing"] != "all-paths":
        return tree
    return tree.replace(policy={**tree.policy, "missing": "branch"})


def _up_to(place: Longs, depths: AnyArray, parent: AnyArray, depth: int) -> Longs:
    """Each place, or its ancestor of this depth if it is deeper (by one level: passes go level by level)."""
    found: Longs = np.where(depths[place] > depth, parent[place], place).astype(np.int64)
    return found


def _merged(entries: Entries, position: Longs, roots: Longs) -> Entries:
    """The entries that stand at one of the tests, one for each test and row, at the roots to try."""
    at = np.flatnonzero(position[entries.owner] >= 0)
    owner, row, weight = position[entries.owner[at]], entries.row[at], entries.weight[at]
    key = owner * (int(row.max(initial=0)) + 1) + row
    if len(key) > 1 and len(distinct := np.unique(key)) < len(key):
        place = np.searchsorted(distinct, key)
        first = np.full(len(distinct), -1)
        first[place[::-1]] = np.arange(len(key))[::-1]
        owner, row, weight = owner[first], row[first], sums_by_place(place, weight, len(distinct))
    return Entries(owner, row, roots[owner], weight)
