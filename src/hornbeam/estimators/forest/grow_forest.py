"""Growing a forest: all trees by the core at once, or one estimator after the other where a choice asks it.

One idea: either way tree i is the tree that an estimator with the seed of tree i learns from the rows drawn
for it, counted as often as they were drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.data.weights import multiply_weights
from hornbeam.estimators.base import TreeModel
from hornbeam.estimators.forest.row_draws import Draws
from hornbeam.estimators.forest.tree_sequence import Trees
from hornbeam.growing import grow as growing_grow
from hornbeam.growing import stepwise
from hornbeam.growing.core import Progress
from hornbeam.growing.finish import refuse_unordered
from hornbeam.growing.grow import GrowthInterrupted
from hornbeam.growing.leaves import LEAVES, LeafModel
from hornbeam.growing.leaves.constant import Constant
from hornbeam.growing.part import resolve
from hornbeam.growing.plan import Plan
from hornbeam.tree.answer_rule import AnswerRule, with_answer_rule
from hornbeam.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Order:
    """What a forest is grown from.

    Attributes
    ----------
    tree : an estimator with the parameters of the trees
    plan : its plan
    table, target : the rows, with their own weights and without those of classes
    voice : how its nodes answer
    seeds : one for each tree
    draws : how rows are drawn, None: every tree sees all
    class_factors : the weight of each class, None: all alike; a function of the rows drawn where they differ
    fit : learns one tree: (estimator, counts, class weights, progress) -> estimator
    """

    tree: TreeModel
    plan: Plan
    table: Table
    target: Target
    voice: AnswerRule
    seeds: Sequence[int]
    draws: Draws | None
    class_factors: Floats | Callable[[Longs | None], Floats] | None
    fit: Callable[[Any, Longs | None, Floats | None, Progress | None], Any]


def grow(order: Order, progress: Progress | None) -> Trees:
    """All trees of a forest."""
    leaf = resolve("leaf", order.tree.leaf, LEAVES, LeafModel)
    if not isinstance(leaf, Constant):
        raise ValueError(
            f"leaf={order.tree.leaf!r} is a model of its own in each leaf, but trees of a forest answer with"
            " what their rows add up to: use leaf='constant' or Constant(...)"
        )
    refuse_unordered(order.plan.constraints, order.target, order.voice)
    trees = _together(order, progress) if _is_plain(order) else _one_by_one(order, progress)
    if progress is not None:
        progress(1.0)
    return trees


def _is_plain(order: Order) -> bool:
    """Whether the core grows the trees as they stay: no search, weight or answer of their own."""
    voice, factors = order.voice, order.class_factors
    return (
        not (voice.decides or voice.priors is not None)
        and (factors is None or (isinstance(factors, np.ndarray) and bool((factors > 0).all())))
        and not stepwise.wanted(order.plan)
    )


def _together(order: Order, progress: Progress | None) -> Trees:
    target, draws = order.target, order.draws
    factors = order.class_factors
    assert not callable(factors)
    if target.codes is not None:
        own = target.weights if draws is None else None
        target = replace(target, weights=multiply_weights(own, factors, target.codes), class_weights=factors)
    elif draws is not None:
        target = replace(target, weights=None)
    if draws is not None:
        target = replace(target, counts=None)
    told = None if draws is None else (draws.order, draws.upto, draws.n_draws)
    grown, partial, interrupted = growing_grow.grow_forest(
        order.plan, order.table, target, order.seeds, told, progress
    )
    facts: dict[str, Any] = growing_grow.facts(order.plan, order.table, target)
    facts["meta"] = with_answer_rule(facts["meta"], order.voice)
    trees = Trees(facts, grown, trusted=True)
    if interrupted:
        first = trees[0] if len(trees) else _whole(facts, partial)
        raise GrowthInterrupted(_sentence(len(trees), len(order.seeds)), first, list(trees))
    return trees


def _whole(facts: Mapping[str, Any], partial: Any) -> Tree:
    arrays, center = partial
    return Tree.grown(arrays, center, **facts)


def _one_by_one(order: Order, progress: Progress | None) -> Trees:
    trees: list[Tree] = []
    n = len(order.seeds)
    for i, seed in enumerate(order.seeds):
        counts = None if order.draws is None else order.draws.counts(seed)
        factors = order.class_factors
        weights = factors(counts) if callable(factors) else factors
        tree = type(order.tree)(**order.tree.get_params(deep=False)).set_params(random_state=seed)
        told = None if progress is None else (lambda share, i=i: progress((i + share) / n))
        try:
            trees.append(order.fit(tree, counts, weights, told).tree_)
        except GrowthInterrupted as stopped:
            raise GrowthInterrupted(_sentence(i, n), trees[0] if trees else stopped.tree, trees) from None
    return Trees({}, trees)


def _sentence(done: int, wanted: int) -> str:
    return (
        f"growing was interrupted after {done} of {wanted} trees; the exception's `trees` are those, its"
        " `tree` is the first of them or the tree so far"
    )
