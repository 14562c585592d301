"""The search for the best of keep, leaf and each child's subtree at every test, where the core cannot do it.

All tests of one depth are decided together, from below. The winner takes the place of the test (`stand`), so
the tests above are tried against the tree there is by then. There are two such searches:

- `replace_stepwise`, for tests that the core does not know. The training rows of a test go down a child's
  subtree to say what its leaves would answer, and the held-out rows follow to say what that would cost.
- `replace_refitted`, for nodes that answer with quantiles, rates or equations, which are no running sums that
  move with the rows. Each candidate is made: at one depth all tests are replaced by the subtree of their k-th
  child at once (the subtrees have no row in common), the resulting tree is fitted to the training rows, and
  the held-out rows say what it costs at each test. That takes as many fits as the tree has levels and
  branches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Floats, Longs, sums_by_place
from hornbeam.data.target import Rows, Target
from hornbeam.pruning.base import Fill
from hornbeam.pruning.levels import Level, leaf_counts, levels_up
from hornbeam.pruning.record import KEEP, RAISE, TO_LEAF, Decisions
from hornbeam.pruning.replacement_trials import Descent, Entries, replacement_costs
from hornbeam.pruning.sample_risks import leaf_entries, sample_costs
from hornbeam.pruning.subtree_raising import with_training_policy
from hornbeam.tree.apply import evaluate_nodes
from hornbeam.tree.routing import arrays_for
from hornbeam.tree.subtrees import number_nodes, place_nodes
from hornbeam.tree.tree import Tree

_TIE = 1e-12


class Replacement(NamedTuple):
    """The smaller tree, the decisions, and how many subtrees moved."""

    tree: Tree
    decisions: Decisions
    raised: int


def replace_stepwise(tree: Tree, training: Rows, held: Rows) -> Replacement:
    """Search level by level, for trees with tests that the core does not know."""
    return _StepwiseSearch(tree, training, held).replace()


def replace_refitted(tree: Tree, training: Rows, held: Rows, fill: Fill | None = None) -> Replacement:
    """Search with candidates that are fitted to the training rows; `fill` gives them their equations."""
    if tree.has_models and fill is None:
        raise ValueError(
            "a subtree that moves up needs equations for other rows, which the estimator's leaf model fits"
            " and a Tree does not know: give the fitted model, or use 'reduced-error'"
        )
    return _RefittedSearch(tree, training, held, fill).replace()


class _LevelDecisions(NamedTuple):
    """What was decided at the tests of one level; `child` is the node raised, -1 if none is."""

    tests: Longs
    action: AnyArray
    child: Longs
    kept: Floats
    leaf: Floats
    raised: Floats
    weight: Floats


class _Search:
    """A tree that is being pruned: `stand` names the node in each place, `ended` masks the current leaves."""

    def __init__(self, tree: Tree, training: Rows, held: Rows, fill: Fill | None = None) -> None:
        self.tree, self.training, self.held, self.fill = tree, training, held, fill
        self.stand = np.arange(len(tree))
        self.ended: Bools = tree.first_child < 0
        self.size = leaf_counts(tree)

    def replace(self) -> Replacement:
        """Decide about every test, and return the tree that results."""
        levels = [self.decide(level) for level in levels_up(self.tree)]
        n_raised = int((self.stand != np.arange(len(self.tree))).sum())
        if n_raised:
            small = self.fitted(self.stand)[0]
        else:
            small = self.tree.collapse(self.ended & (self.tree.first_child >= 0))
        if not levels:
            return Replacement(small, Decisions(np.empty(0, np.int64), np.empty(0, np.int8), {}), 0)
        tests, action, child, *numbers = (np.concatenate(parts) for parts in zip(*levels, strict=True))
        names = ("errors kept", "errors as a leaf", "errors raised", "sample")
        decisions = Decisions(tests, action, dict(zip(names, numbers, strict=True)), child=child)
        return Replacement(small, decisions, n_raised)

    def decide(self, level: Level) -> _LevelDecisions:
        """Decide about the tests of one level, those below having been decided."""
        raise NotImplementedError

    def raised_costs(self, tests: Longs, roots: Longs) -> Floats:
        """What the held-out rows of each test cost with the subtree of its root in its place."""
        raise NotImplementedError

    def choose(
        self, level: Level, kept: Floats, leaf: Floats, margin: Floats, weight: Floats
    ) -> _LevelDecisions:
        """Take the cheapest of keep, leaf and child at each test, and change the tree accordingly."""
        tests = level.tests
        raised, child = self._cheapest_child(tests, leaf > 0, margin)
        to_leaf = leaf <= np.minimum(kept, raised) + margin
        to_child = ~to_leaf & (raised <= kept + margin)
        child = np.where(to_child, child, -1)
        self.size[tests] = 1 + level.sums(self.size)
        self.size[tests[to_leaf]] = 1
        self.size[tests[to_child]] = self.size[child[to_child]]
        self.ended[tests[to_leaf]] = True
        self.stand[tests[to_child]] = child[to_child]
        action = np.where(to_leaf, TO_LEAF, np.where(to_child, RAISE, KEEP)).astype(np.int8)
        raised = np.where(np.isfinite(raised), raised, np.nan)
        return _LevelDecisions(tests, action, child, kept, leaf, raised, weight)

    def _cheapest_child(self, tests: Longs, hopeful: Bools, margin: Floats) -> tuple[Floats, Longs]:
        """The least cost for each test and the child that has it; infinite and -1 if no child can be tried.

        Of equal costs (within `margin`) the smallest subtree wins, then the first. Tests that are not
        `hopeful` are not tried.
        """
        tree = self.tree
        cost, child = np.full(len(tests), np.inf), np.full(len(tests), -1)
        size = np.full(len(tests), np.iinfo(np.int64).max)
        for branch in range(int(tree.n_children[tests].max())):
            there = (tree.n_children[tests] > branch) & hopeful
            root = self.stand[tree.first_child[tests] + np.where(there, branch, 0)]
            some = np.flatnonzero(there & ~self.ended[root])
            if not len(some):
                continue
            trial = self.raised_costs(tests[some], root[some])
            near, n_leaves = margin[some], self.size[root[some]]
            better = (trial < cost[some] - near) | ((trial <= cost[some] + near) & (n_leaves < size[some]))
            best = some[better]
            cost[best], child[best], size[best] = trial[better], root[best], n_leaves[better]
        return cost, child

    def fitted(self, stand: Longs) -> tuple[Tree, Longs]:
        """Fit the tree of these places to the training rows; also return the number each node had before."""
        moved = Tree(**place_nodes(self.tree, stand, self.ended))
        fitted = with_training_policy(moved).refit(*self.training)
        fitted = fitted.replace(policy=self.tree.policy)
        if self.fill is not None:
            fitted = self.fill(fitted, self.training)
        return fitted, number_nodes(self.tree, stand, self.ended)[0]


class _RefittedSearch(_Search):
    def __init__(self, tree: Tree, training: Rows, held: Rows, fill: Fill | None) -> None:
        super().__init__(tree, training, held, fill)
        self.sample = sample_costs(tree, *held)
        self.cost = np.where(self.sample.weight > 0, self.sample.cost, 0.0)  # of the subtree in each place
        self.columns = arrays_for(tree, held.table)[1]

    def decide(self, level: Level) -> _LevelDecisions:
        tests = level.tests
        weight = self.sample.weight[tests]
        leaf = np.where(weight > 0, self.sample.cost[tests], 0.0)
        margin = _TIE * leaf + self.sample.slack[tests]
        decided = self.choose(level, level.sums(self.cost), leaf, margin, weight)
        self.cost[tests] = np.choose(decided.action, (decided.kept, leaf, decided.raised))
        return decided

    def raised_costs(self, tests: Longs, roots: Longs) -> Floats:
        stand = self.stand.copy()
        stand[tests] = roots
        tree, order = self.fitted(stand)
        depth = int(self.tree.depths[tests[0]])  # above it nothing has moved yet
        place = np.full(len(self.tree), -1)
        place[roots] = np.arange(len(tests))
        row, node, weight = leaf_entries(tree, *self.held)
        answer = evaluate_nodes(tree, self.columns, node, row) if tree.has_models else tree.answers()[node]
        while (deep := tree.depths[node] > depth).any():
            node = np.where(deep, tree.parent[node], node)
        at = np.where(tree.depths[node] == depth, place[order[node]], -1)
        here = at >= 0
        assert self.held.target.values is not None
        loss = weight * (self.held.target.values[row] - answer) ** 2
        return sums_by_place(at[here], loss[here], len(tests))


class _Trial(NamedTuple):
    """Held-out rows at the leaves of the subtrees tried: whose place, row, weight and what is answered."""

    owner: Longs
    row: Longs
    weight: Floats
    answer: AnyArray

    def take(self, which: AnyArray) -> _Trial:
        """Return some of them, by mask or position."""
        return _Trial(self.owner[which], self.row[which], self.weight[which], self.answer[which])


class _StepwiseSearch(_Search):
    def __init__(self, tree: Tree, training: Rows, held: Rows) -> None:
        super().__init__(tree, training, held)
        self.costs = replacement_costs(tree, training.target, held.target)
        columns = (arrays_for(tree, rows.table)[1] for rows in (training, held))
        self._down_training = Descent(with_training_policy(tree), next(columns), self.stand, self.ended)
        self._down_held = Descent(tree, next(columns), self.stand, self.ended)
        self._training_rows = self._training_entries(training.target)
        entries = leaf_entries(tree, *held)
        row, leaf, weight = entries.where(self.costs.known[entries.row])
        # The owner of a held-out row is its place, which moves up level by level.
        self._held_rows = _Trial(leaf, row, weight, self.costs.node_answers[leaf])
        self._answer = self.costs.node_answers.copy()
        self._answered = np.zeros(len(tree), dtype=np.bool_)
        self._trials: list[_Trial] = []

    def _training_entries(self, target: Target) -> Entries:
        """Where the training rows are at first: one entry for each leaf reached."""
        weight = target.row_weight
        row = np.flatnonzero(weight > 0)
        root = np.zeros(len(row), dtype=np.int64)
        steps = self._down_training.steps(Entries(root, row, root, weight[row]))
        ends = [entries.take(self.ended[entries.node]) for entries, _ in steps]
        entries = Entries(*(np.concatenate(parts) for parts in zip(*ends, strict=True)))
        return entries._replace(owner=entries.node)

    def decide(self, level: Level) -> _LevelDecisions:
        tests, n = level.tests, len(level.tests)
        self._lift(int(self.tree.depths[tests[0]]))
        position = np.full(len(self.tree), -1)
        position[tests] = np.arange(n)
        here = self._held_rows.take(np.flatnonzero(position[self._held_rows.owner] >= 0))
        where = position[here.owner]
        kept, leaf = (
            sums_by_place(where, self.costs.costs(here.row, here.weight, answer), n)
            for answer in (here.answer, self.costs.node_answers[here.owner])
        )
        self._trials = []
        decided = self.choose(level, kept, leaf, _TIE * leaf, sums_by_place(where, here.weight, n))
        self._move_held_rows(decided)
        return decided

    def _lift(self, depth: int) -> None:
        """Move every row that is deeper than this depth up to it (by one level: passes go level by level)."""
        deep, parent = self.tree.depths > depth, self.tree.parent

        def up(place: Longs) -> Longs:
            return np.where(deep[place], parent[place], place).astype(np.int64)

        self._training_rows = self._training_rows._replace(owner=up(self._training_rows.owner))
        self._held_rows = self._held_rows._replace(owner=up(self._held_rows.owner))

    def raised_costs(self, tests: Longs, roots: Longs) -> Floats:
        trial = self._try(tests, roots)
        self._trials.append(trial._replace(owner=roots[trial.owner]))
        costs = self.costs.costs(trial.row, trial.weight, trial.answer)
        return sums_by_place(trial.owner, costs, len(tests))

    def _try(self, tests: Longs, roots: Longs) -> _Trial:
        """Send the rows of each test down the subtree of `roots`; owners are positions among the tests."""
        position = np.full(len(self.tree), -1)
        position[tests] = np.arange(len(tests))
        self._answered[:] = False
        for entries, _ in self._down_training.steps(_merge_entries(self._training_rows, position, roots)):
            nodes, place = np.unique(entries.node, return_inverse=True)
            self._answer[nodes] = self.costs.answers(
                place.reshape(-1), entries.row, entries.weight, len(nodes)
            )
            self._answered[nodes] = True
        rows = self._held_rows
        entries = _merge_entries(Entries(rows.owner, rows.row, rows.owner, rows.weight), position, roots)
        answer = self.costs.node_answers[tests[entries.owner]]
        ends = []
        for step, source in self._down_held.steps(entries):
            # Where no training row comes, the answer of the node above stands.
            answer = np.where(self._answered[step.node], self._answer[step.node], answer[source])
            ends.append(_Trial(step.owner, step.row, step.weight, answer).take(self.ended[step.node]))
        return _Trial(*(np.concatenate(parts) for parts in zip(*ends, strict=True)))

    def _move_held_rows(self, decided: _LevelDecisions) -> None:
        """Let the held-out rows of new leaves and raised subtrees be where the decisions put them."""
        tests, child = decided.tests, decided.child
        cut, gone = np.zeros(len(self.tree), dtype=np.bool_), np.zeros(len(self.tree), dtype=np.bool_)
        cut[tests[decided.action == TO_LEAF]], gone[tests[decided.action == RAISE]] = True, True
        rows = self._held_rows
        answer = np.where(cut[rows.owner], self.costs.node_answers[rows.owner], rows.answer)
        parts = [rows._replace(answer=answer).take(~gone[rows.owner])]
        place = np.full(len(self.tree), -1)  # the test whose place a raised node takes
        place[child[child >= 0]] = tests[child >= 0]
        for trial in self._trials:
            owner = place[trial.owner]
            parts.append(trial._replace(owner=owner).take(owner >= 0))
        self._held_rows = _Trial(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _merge_entries(entries: Entries, position: Longs, roots: Longs) -> Entries:
    """The entries that are at one of the tests, one for each test and row, at the roots to try."""
    at = np.flatnonzero(position[entries.owner] >= 0)
    owner, row, weight = position[entries.owner[at]], entries.row[at], entries.weight[at]
    key = owner * (int(row.max(initial=0)) + 1) + row
    if len(key) > 1 and len(distinct := np.unique(key)) < len(key):
        place = np.searchsorted(distinct, key)
        first = np.full(len(distinct), -1)
        first[place[::-1]] = np.arange(len(key))[::-1]
        owner, row, weight = owner[first], row[first], sums_by_place(place, weight, len(distinct))
    return Entries(owner, row, roots[owner], weight)
