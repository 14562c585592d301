"""Pruning that keeps each test, makes it a leaf, or lets a child's subtree take its place.

The core moves rows and says which node is where and what its rows add up to; from that the smaller tree is
put together without looking at a row again. Where the core does not know every test of a tree, or its nodes
answer with more than their mean or class (quantiles, rates and equations are no sums that move with the
rows), each candidate is made instead: at one depth all tests are replaced by the subtree of their k-th child
at once (the subtrees have no row in common), the resulting tree is fitted to the training rows, and the
held-out rows say what it costs at each test. That takes as many fits as the tree has levels and branches.

All tests of one depth are decided together, from below. The winner takes the place of the test (`stand`), so
the tests above are tried against the tree there is by then.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hornbeam import _core
from hornbeam._base.types import TIE, AnyArray, Bools, Floats, Longs, sums_by_place
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target
from hornbeam.pruning.base import Fill, HeldOutPruner
from hornbeam.pruning.levels import Level, LevelDecision, decide_up, levels_up, sums_up
from hornbeam.pruning.record import KEEP, RAISE, TO_LEAF, Decisions, Pruned
from hornbeam.pruning.sample_risks import known_costs, leaf_entries, sample_costs, training_codes
from hornbeam.pruning.subtree_raising import move_subtrees
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.apply import compiled, tests, threads_for
from hornbeam.tree.refit import known_codes
from hornbeam.tree.routing import arrays_for, as_in_training, branch_shares
from hornbeam.tree.sizes import leaf_counts
from hornbeam.tree.subtrees import number_nodes, place_nodes
from hornbeam.tree.tree import Tree


class Replacement(NamedTuple):
    """The smaller tree, the decisions, and how many subtrees moved."""

    tree: Tree
    decisions: Decisions
    raised: int


# What the record says about each test: its errors on the sample, and the weight of the sample there.
NUMBERS = ("errors kept", "errors as a leaf", "errors raised", "sample")


def replace_refitted(tree: Tree, training: Rows, held: Rows, fill: Fill | None = None) -> Replacement:
    """Search with candidates that are fitted to the training rows; `fill` gives them their equations."""
    if tree.has_models and fill is None:
        raise ValueError(
            "a subtree that moves up needs equations for other rows, which the estimator's leaf model fits"
            " and a Tree does not know: give the fitted model, or use 'reduced-error'"
        )
    search = _Search(tree, training, held, fill)
    _, decided = decide_up(tree, search.decide)
    n_raised = int((search.stand != np.arange(len(tree))).sum())
    if n_raised:
        small = search.fitted(search.stand)[0]
    else:
        small = tree.collapse(search.ended & (tree.first_child >= 0))
    node = decided.node
    decisions = Decisions(node, search.action[node], decided.numbers, child=search.child[node])
    return Replacement(small, decisions, n_raised)


class _Search:
    """A tree that is being pruned: `stand` names the node in each place, `ended` masks the current leaves."""

    def __init__(self, tree: Tree, training: Rows, held: Rows, fill: Fill | None) -> None:
        self.tree, self.training, self.held, self.fill = tree, training, held, fill
        self.stand = np.arange(len(tree))
        self.ended: Bools = tree.first_child < 0
        self.size = leaf_counts(tree)
        self.action, self.child = np.zeros(len(tree), dtype=np.int8), np.full(len(tree), -1)
        self.sample = sample_costs(tree, *held)
        self.cost = np.where(self.sample.weight > 0, self.sample.cost, 0.0)  # of the subtree in each place
        entries = leaf_entries(tree, *held)
        if tree.task.is_classes:
            entries = entries.where(known_codes(tree, held.target)[entries.row] >= 0)
        # What the sample weighs at each node; costs count it times the priors of the classes.
        self.weight = sums_up(tree, sums_by_place(entries.leaf, entries.weight, len(tree)))

    def decide(self, level: Level) -> LevelDecision:
        """Take the cheapest of keep, leaf and child at each test, and change the tree accordingly."""
        tests = level.tests
        kept = level.sums(self.cost)
        leaf = np.where(self.sample.weight[tests] > 0, self.sample.cost[tests], 0.0)
        margin = TIE * leaf + self.sample.slack[tests]
        raised, child = self._cheapest_child(tests, leaf > 0, margin)
        to_leaf = leaf <= np.minimum(kept, raised) + margin
        to_child = ~to_leaf & (raised <= kept + margin)
        child = np.where(to_child, child, -1)
        self.size[tests] = 1 + level.sums(self.size)
        self.size[tests[to_leaf]] = 1
        self.size[tests[to_child]] = self.size[child[to_child]]
        self.ended[tests[to_leaf]] = True
        self.stand[tests[to_child]] = child[to_child]
        self.action[tests] = action = np.where(to_leaf, TO_LEAF, np.where(to_child, RAISE, KEEP))
        self.child[tests] = child
        self.cost[tests] = np.choose(action, (kept, leaf, raised))
        numbers = (kept, leaf, np.where(np.isfinite(raised), raised, np.nan), self.weight[tests])
        return tests, to_leaf, dict(zip(NUMBERS, numbers, strict=True))

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
            trial = self._raised_costs(tests[some], root[some])
            near, n_leaves = margin[some], self.size[root[some]]
            better = (trial < cost[some] - near) | ((trial <= cost[some] + near) & (n_leaves < size[some]))
            best = some[better]
            cost[best], child[best], size[best] = trial[better], root[best], n_leaves[better]
        return cost, child

    def _raised_costs(self, tests: Longs, roots: Longs) -> Floats:
        """What the held-out rows of each test cost with the subtree of its root in its place."""
        stand = self.stand.copy()
        stand[tests] = roots
        tree, order = self.fitted(stand)
        sample = sample_costs(tree, *self.held)
        below = sums_up(tree, np.where(sample.weight > 0, sample.cost, 0.0))
        number = np.empty(len(self.tree), dtype=np.int64)  # of each old node in the tree that is tried
        number[order] = np.arange(len(order))
        return below[number[roots]]

    def fitted(self, stand: Longs) -> tuple[Tree, Longs]:
        """Fit the tree of these places to the training rows; also return the number each node had before."""
        moved = Tree.unchecked(**place_nodes(self.tree, stand, self.ended))
        fitted = as_in_training(moved).refit(*self.training)
        fitted = fitted.replace(policy=self.tree.policy)
        if self.fill is not None:
            fitted = self.fill(fitted, self.training)
        return fitted, number_nodes(self.tree, stand, self.ended)[0]


def core_can_replace(tree: Tree) -> bool:
    """Whether the core knows every test of the tree and how its nodes answer.

    Nodes must answer by Stats that move with the rows, hence not by quantiles, rates or equations.
    """
    width = 3 if tree.task.is_real else tree.stats.shape[1]
    sums_only = not tree.has_models and not tree.quantile_offset[-1] and tree.stats.shape[1] == width
    return sums_only and compiled(tree).known and answer_rule_of(tree.meta).label == "majority"


def replace_by_core(tree: Tree, training: Rows, held: Rows) -> Replacement:
    """Search with the core."""
    grown = as_in_training(tree)
    outcome, known = _core_outcome(tree, training.target, held.target)
    nodes = {
        "share": np.ascontiguousarray(branch_shares(tree)),
        "leaf_size": leaf_counts(tree),
        "given": _node_answers(tree),
        "n_rows": tree.n_rows,
        "n_threads": threads_for(training.table.n_rows, None),
    }
    training_sample = _core_sample(grown, training) | {"copies": training.target.counts}
    held_sample = _core_sample(tree, held, known)
    result = _core.replace_by_children(
        tests(grown), tests(tree), nodes, training_sample, held_sample, outcome
    )
    order = np.concatenate([np.empty(0, dtype=np.int64), *(level.tests for level in levels_up(tree))])
    result["raised"] = np.where(np.isfinite(result["raised"]), result["raised"], np.nan)
    columns = ("kept", "leaf", "raised", "weight")
    numbers = {name: result[column][order] for name, column in zip(NUMBERS, columns, strict=True)}
    decisions = Decisions(order, result["action"][order], numbers, child=result["child"][order])
    return Replacement(_assemble(tree, result), decisions, int((result["action"] == RAISE).sum()))


def _core_sample(tree: Tree, rows: Rows, known: Bools | None = None) -> dict[str, Any]:
    entries = leaf_entries(tree, *rows)
    row, leaf, weight = entries if known is None else entries.where(known[entries.row])
    columns = list(arrays_for(tree, rows.table)[1])
    return {"row": row, "leaf": leaf.astype(np.int32), "weight": weight, "columns": columns}


def _node_answers(tree: Tree) -> Floats:
    """What each node answers: its class or its mean."""
    if tree.task.is_classes:
        return tree.label.astype(np.float64)
    return np.where(tree.weight > 0, tree.stats[:, 1], tree.answers())


def _core_outcome(tree: Tree, training: Target, held: Target) -> tuple[dict[str, Any], Bools | None]:
    """The outcomes as the core reads them, and which held-out rows can be judged."""
    if not tree.task.is_classes:
        assert training.values is not None
        assert held.values is not None
        return {"training_values": training.values, "held_values": held.values}, None
    rule, own, other = answer_rule_of(tree.meta), training_codes(tree, training), known_codes(tree, held)
    outcome: dict[str, Any] = {"n_classes": tree.stats.shape[1], "training_codes": own.astype(np.int32)}
    if all(known_costs(tree, target) is None for target in (training, held)):
        costs = None if rule.costs is None else rule.costs.ravel()
        outcome |= {"held_codes": other.astype(np.int32), "factors": rule.factors, "costs": costs}
    else:
        for name, target, codes in (("training_costs", training, own), ("held_costs", held, other)):
            costs = known_costs(tree, target)
            assert costs is not None
            weighted = costs if rule.factors is None else costs * rule.factors[codes][:, None]
            outcome[name] = np.ascontiguousarray(weighted).ravel()
    return outcome, other >= 0


def _assemble(tree: Tree, result: dict[str, AnyArray]) -> Tree:
    """Make the tree that the core decided on; nodes whose rows changed get new Stats, costs and rows."""
    ended = result["is_leaf"].astype(np.bool_)
    leaf, stand = ended & (tree.first_child >= 0), result["stand"].astype(np.int64)
    if (stand == np.arange(len(tree))).all():
        return tree.collapse(leaf)
    refilled = result["refilled"].astype(np.bool_)
    if len(tree.cost_value):  # a new leaf keeps its costs, so they change before anything moves
        costs = tree.cost_value.reshape(len(tree), -1)
        costs = np.where(refilled[:, None], result["costs"].reshape(len(tree), -1), costs)
        tree = tree.replace(cost_value=costs.ravel())
    arrays = {
        "stats": np.where(refilled[:, None], result["stats"].reshape(len(tree), -1), tree.stats),
        "n_rows": np.where(refilled, result["n_rows"], tree.n_rows),
        "fraction": np.where(refilled[np.maximum(tree.parent, 0)], np.nan, tree.fraction),
    }
    return move_subtrees(tree, stand, leaf, refilled, arrays)


class ReplaceByChild(HeldOutPruner):
    """Pruning that also moves subtrees up: each test is kept, made a leaf, or replaced by a child's subtree.

    From below, three kinds of candidates are compared by the errors they make on a pruning sample: the
    subtree as it is by now, a leaf, and the subtree of each child. For the latter the training rows of the
    node go down the child's subtree, whose leaves then answer by all of them. The fewest errors win; if
    several make as many: the leaf, then the smallest child's subtree, then what is there. A test that no row
    of the sample reaches becomes a leaf.

    Errors are counted as in `ReducedError`: weights, counts, costs and priors count, squared errors for a
    real target. A row that follows several paths counts with its parts. Leaves of a subtree that moves answer
    by plain means or shares, by the quantile the tree answers, or by equations that the estimator's leaf
    model fits anew. Since moved subtrees are fitted to other rows, `monotonic_cst` is not accepted.

    In `hornbeam.prune`, X and y are the pruning sample and `training=(X, y)` the rows the tree was grown on.
    In the slot of an estimator the rows are split as by `ReducedError`.

    Parameters
    ----------
    holdout : float
        The share of the rows that the tree is pruned on, not grown.
    random_state : int, Generator, RandomState or None
        Another number, another split; None splits differently at each fit.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X, y = {"a": [0, 0, 0, 1, 1, 1, 1], "b": [0, 0, 1, 0, 0, 1, 1]}, list("pppppqq")
    >>> tree = hb.Tree.from_nested({"column": "a", "<=": 0.5, "yes": "p",
    ...                             "no": {"column": "b", "<=": 0.5, "yes": "p", "no": "q"}}).refit(X, y)
    >>> tree.text()
    'a[<=0.5: p(3:0) | >0.5: b[<=0.5: p(2:0) | >0.5: q(0:2)]]'
    >>> held = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, list("pqpq")  # b alone is right
    >>> hb.prune(tree, "replace-by-child", *held, training=(X, y)).text()
    'b[<=0.5: p(4:0) | >0.5: q(1:2)]'
    """

    name, about = "replace-by-child", "keep, leaf, or a child's subtree: fewest errors on a second sample"
    uses_training = True

    def keeps_order(self) -> bool:
        """A subtree that moves up is fitted to other rows."""
        return False

    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:  # noqa: ARG002
        """Refuse: this method needs the rows the tree was grown on, too."""
        raise ValueError(
            f"{self!r} fits subtrees to the rows the tree was grown on: give them as training=(X, y), and the"
            " rows to prune on as X and y"
        )

    def prune_between(self, tree: Tree, training: Rows, held: Rows, fill: Fill | None = None) -> Pruned:
        """Prune the tree on `held`, fit moved subtrees to `training`; `fill` fits their equations."""
        self.check_tree(tree)
        if tree.task.is_classes:
            training_codes(tree, training.target)
            if (training.target.row_costs is None) != (held.target.row_costs is None):
                raise ValueError(
                    "row_costs must be given for the training rows and the rows to prune on alike"
                )
        if core_can_replace(tree):
            small, decisions, n_raised = replace_by_core(tree, training, held)
        else:
            small, decisions, n_raised = replace_refitted(tree, training, held, fill)
        return Pruned(small, decisions, self.name, {"raised": n_raised}, tree)
