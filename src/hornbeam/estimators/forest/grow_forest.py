"""A forest grown: what its trees are grown from, which rows each draws, and the call of the core.

Either way tree i is the tree that an estimator with the seed of tree i learns from the rows drawn for it,
counted as often as they were drawn. Rows are drawn by what they hold, not by their position: their order is
that of a key made of their values, and draws fall on positions of the whole weight, so neither shuffling the
table nor writing a row of weight 2 as two rows changes a tree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.parameters import Stages, n_threads
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Target, counted_rows
from hornbeam.data.weights_and_costs import multiply_weights
from hornbeam.engines.far_rows import FarRows
from hornbeam.estimators.base import TreeModel
from hornbeam.estimators.forest.forest_answers import Trees
from hornbeam.growing import core
from hornbeam.growing.core import Progress
from hornbeam.growing.finish import refuse_unordered
from hornbeam.growing.grower import CoreMethod, CtrlC, Grower, method_of, tree_facts, without_tests
from hornbeam.growing.interruption import GrowthStopped, check_stopped, stop_growth, watched
from hornbeam.growing.leaves import LEAVES, LeafModel
from hornbeam.growing.leaves.constant import Constant
from hornbeam.growing.part import resolve
from hornbeam.growing.plan import Plan
from hornbeam.growing.stepwise_growth import SPLITMIX_STEP, splitmix
from hornbeam.tree.answer_rule import AnswerRule, with_answer_rule
from hornbeam.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class ForestPlan:
    """Everything a forest is grown from.

    Attributes
    ----------
    tree : an estimator with the parameters of the trees
    plan : its plan
    table, target : the rows, with their own weights and without those of classes; far rows stand for a table
    rule : how its nodes answer
    seeds : one for each tree
    draws : how rows are drawn, None: every tree sees all
    class_factors : the weight of each class, None: all alike; a function of the rows drawn where they differ
    fit : learns one tree: (estimator, counts, class weights, progress) -> estimator
    """

    tree: TreeModel
    plan: Plan
    table: Table | FarRows
    target: Target
    rule: AnswerRule
    seeds: Sequence[int]
    draws: Draws | None
    class_factors: Floats | Callable[[Longs | None], Floats] | None
    fit: Callable[[Any, Longs | None, Floats | None, Progress | None], Any]


def grow_forest(forest: ForestPlan, progress: Progress | None) -> Trees:
    """Grow all trees of a forest."""
    leaf = resolve("leaf", forest.tree.leaf, LEAVES, LeafModel)
    if not isinstance(leaf, Constant):
        raise ValueError(
            f"leaf={forest.tree.leaf!r} is a model of its own in each leaf, but trees of a forest answer with"
            " what their rows add up to: use leaf='constant' or Constant(...)"
        )
    refuse_unordered(forest.plan.constraints, forest.target, forest.rule)
    trees = _grow_together(forest, progress) if _is_plain(forest) else _grow_one_by_one(forest, progress)
    if progress is not None:
        progress(1.0)
    return trees


def _is_plain(forest: ForestPlan) -> bool:
    """Whether the core grows the trees as they stay: no search, weight or answer of their own."""
    rule, factors = forest.rule, forest.class_factors
    return (
        isinstance(forest.table, Table)
        and not (rule.decides or rule.priors is not None)
        and not forest.target.outputs
        and (factors is None or (isinstance(factors, np.ndarray) and bool((factors > 0).all())))
        and isinstance(method_of(forest.plan), CoreMethod)
        and forest.plan.criterion.level is None  # else their nodes keep quantiles
    )


def _grow_together(forest: ForestPlan, progress: Progress | None) -> Trees:
    target, draws = forest.target, forest.draws
    factors = forest.class_factors
    assert not callable(factors)
    if target.codes is not None:
        own = target.weights if draws is None else None
        target = replace(target, weights=multiply_weights(own, factors, target.codes), class_weights=factors)
    elif draws is not None:
        target = replace(target, weights=None)
    if draws is not None:
        target = replace(target, counts=None)
    core_draws = None if draws is None else (draws.order, draws.upto, draws.n_draws)
    grower = Grower.of(forest.plan, forest.table, target)
    assert isinstance(grower.method, CoreMethod)
    watcher = watched(progress)
    with CtrlC() as ctrl_c:
        grown, partial, interrupted = grower.method.grow_forest(
            forest.plan, grower.engine, forest.seeds, core_draws, ctrl_c.asked(watcher)
        )
    facts: dict[str, Any] = tree_facts(forest.plan, forest.table, target)
    facts["meta"] = with_answer_rule(facts["meta"], forest.rule)
    trees = Trees(facts, grown, trusted=True)
    if interrupted or ctrl_c.is_pressed:
        if len(trees):
            first = trees[0]
        elif partial is not None:
            first = Tree.grown(partial, **facts)
        else:
            first = grower.grow(without_tests(forest.plan)).replace(meta=facts["meta"])
        stop_growth(watcher, _interruption(len(trees), len(forest.seeds)), first, list(trees))
    return trees


def _grow_one_by_one(forest: ForestPlan, progress: Progress | None) -> Trees:
    trees: list[Tree] = []
    n = len(forest.seeds)
    watcher = watched(progress)
    stages = Stages(watcher, n)
    for i, seed in enumerate(forest.seeds):
        counts = None if forest.draws is None else forest.draws.counts(seed)
        factors = forest.class_factors
        weights = factors(counts) if callable(factors) else factors
        tree = type(forest.tree)(**forest.tree.get_params(deep=False)).set_params(random_state=seed)
        try:
            if trees:
                check_stopped(watcher, trees[0])
            trees.append(forest.fit(tree, counts, weights, stages.next()).tree_)
        except GrowthStopped as stopped:
            first = trees[0] if trees else stopped.tree
            raise type(stopped)(_interruption(i, n), first, trees) from None
    return Trees({}, trees)


def _interruption(done: int, n_trees: int) -> str:
    return (
        f"growing was interrupted after {done} of {n_trees} trees; the exception's `trees` are those, its"
        " `tree` is the first of them or the tree so far"
    )


_MOST = 2**62  # of the whole weight


def tree_seed(seed: int, i: int) -> int:
    """The seed of tree i: its columns and, by another stream, its rows.

    >>> tree_seed(0, 0) != tree_seed(0, 1) != tree_seed(1, 0)
    True
    """
    return splitmix(seed + i * SPLITMIX_STEP)[1] >> 1


@dataclass(frozen=True, eq=False)
class Draws:
    """How the rows of a tree are drawn, with replacement.

    Attributes
    ----------
    order : the rows by their keys
    upto : the weight up to and with each of them, None if every row weighs 1
    n_draws : how many are drawn
    """

    order: Longs
    upto: Longs | None
    n_draws: int

    @classmethod
    def of(cls, plan: Plan, table: Table, target: Target, max_samples: Any) -> Draws:
        """The draws from the rows of a table; `target` has the weights of the rows, not those of classes."""
        views = core.core_columns(plan, table)
        keys = np.zeros(table.n_rows, dtype=np.uint64)
        for one in target.outputs or (target,):  # of what the row holds of every target
            own = replace(one, weights=target.weights, counts=target.counts)
            of_one = _core.row_keys(views, table.n_rows, core.core_target(own), n_threads(plan.n_jobs))
            keys = keys * np.uint64(SPLITMIX_STEP) + of_one if target.outputs else of_one
        return cls.of_keys(keys, target, max_samples)

    @classmethod
    def of_keys(cls, keys: AnyArray, target: Target, max_samples: Any) -> Draws:
        """The draws from rows of which only the keys and the weights are known."""
        order = np.argsort(keys, kind="stable")
        weights = draw_weights(target)
        upto = None if weights is None else np.cumsum(weights[order])
        return cls(order, upto, _n_draws(max_samples, _all_draws(target, weights)))

    def counts(self, seed: int) -> Longs:
        """How often each row was drawn for the tree of this seed."""
        return _core.bootstrap((self.order, self.upto, self.n_draws), seed)


def draw_weights(target: Target) -> Longs | None:
    """What each row weighs in drawing, as whole numbers in lowest terms; None if all weigh 1.

    >>> draw_weights(Target.real_of([1, 2, 3], sample_weight=[2, 4, 0]))
    array([1, 2, 0])
    """
    if target.weights is None:
        return target.counts
    weights, counts = target.weights, target.counts
    if _is_whole(weights):
        whole = weights.astype(np.int64)
        drawn = whole // int(np.gcd.reduce(whole))
    else:  # a grid fine enough for the smallest that matters
        most = float(weights.max()) * (1 if counts is None else int(counts.max()))
        unit = 2.0 ** (math.frexp(most)[1] - 61 + len(weights).bit_length())
        drawn = np.where(weights > 0, np.maximum(np.rint(weights / unit), 1), 0).astype(np.int64)
    return drawn if counts is None else drawn * counts


def _is_whole(weights: Floats) -> bool:
    return bool((weights == np.floor(weights)).all()) and float(weights.sum()) < _MOST / 2**20


def _all_draws(target: Target, weights: Longs | None) -> int:
    """As many as there are rows; a row whose weight is a whole number w counts as w rows."""
    if weights is not None and target.weights is not None and _is_whole(target.weights):
        return int(weights.sum())
    return counted_rows(target)


def _n_draws(max_samples: Any, n_rows: int) -> int:
    """How many rows a tree draws."""
    if max_samples is None:
        return n_rows
    number = float(max_samples) if isinstance(max_samples, Real) else math.nan
    if isinstance(max_samples, Integral) and max_samples is not True and 1 <= number < 2**31:
        return int(max_samples)
    if not isinstance(max_samples, Integral) and 0 < number <= 1:
        return max(1, round(number * n_rows))
    raise ValueError(
        f"max_samples={max_samples!r} must be None for as many draws as there are rows, a whole number from"
        " 1 to 2,147,483,647, or a share of the rows above 0 and up to 1.0"
    )
