"""The loss of held-out rows by the class shares of a tree at every penalty, for the aim of an automatic tree.

Only the weight of each class at each node is needed, so rows are counted once in their leaves and added up.
A row that follows several paths counts in each by its share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from hornbeam._base.types import Floats, Ints, Longs
from hornbeam.data.target import Rows, counted_rows
from hornbeam.growing.leaves import Constant
from hornbeam.pruning.held_out_losses import HeldOutLoss
from hornbeam.pruning.levels import sum_by_step, sums_up
from hornbeam.tree import apply
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.answers import class_shares
from hornbeam.tree.refit import known_codes
from hornbeam.tree.tree import Tree

LEAST = 1e-6  # a class whose share is smaller costs -log(LEAST)
SMOOTHING = Constant("m-estimate", m=1.0)  # as if one row more had come, with the class shares of all rows


class Loss(Protocol):
    """A mean loss at each penalty, and its standard error."""

    @property
    def mean(self) -> Floats: ...  # noqa: D102

    @property
    def error(self) -> Floats: ...  # noqa: D102


@dataclass(frozen=True)
class MeanLoss:
    """A mean loss at each penalty, and its standard error, as they are."""

    mean: Floats
    error: Floats


Fold = tuple[Tree, Floats, Rows]  # a tree, the critical alpha of its nodes, and the rows held out


def log_loss_of_folds(folds: Sequence[Fold], alpha: Floats) -> Loss:
    """The mean of -ln(share of the true class) at each penalty."""
    return _loss_of_folds(folds, alpha, lambda shares, _: -np.log(np.maximum(shares, LEAST)))


def mixed_of_folds(folds: Sequence[Fold], alpha: Floats) -> Loss:
    """Half the error and half the Brier score: right answers and right probabilities count alike."""

    def loss(shares: Floats, label: Ints) -> Floats:
        wrong = np.arange(shares.shape[1]) != label[:, None]
        brier = 1 - 2 * shares + (shares**2).sum(axis=1, keepdims=True)
        half: Floats = (wrong + brier) / 2
        return half

    return _loss_of_folds(folds, alpha, loss)


def _loss_of_folds(folds: Sequence[Fold], alpha: Floats, loss_of: Callable[[Floats, Ints], Floats]) -> Loss:
    total: HeldOutLoss | None = None
    for tree, critical, held in folds:
        counts, shares = class_weights_at_nodes(tree, held), smoothed_shares(tree, held)
        loss = loss_of(np.append(shares, np.zeros((len(tree), 1)), axis=1), tree.label)
        until = first_steps(tree, critical, alpha)
        sums, squares = (
            sum_by_step(tree, until, (counts * each).sum(axis=1), len(alpha)) for each in (loss, loss**2)
        )
        one = HeldOutLoss(sums, squares, float(counts[0].sum()), counted_rows(held.target))
        total = one if total is None else total + one
    assert total is not None
    return total


def ranking_loss_of_folds(folds: Sequence[Fold], alpha: Floats) -> Loss:
    """1 - AUC at each penalty; of several classes the mean of each against the others, by their weights."""
    losses = np.array([_ranking_loss(*fold, alpha) for fold in folds])
    known = np.isfinite(losses[:, 0])
    losses = losses[known] if known.any() else np.full((1, len(alpha)), 0.5)
    error = losses.std(axis=0, ddof=1) / np.sqrt(len(losses)) if len(losses) > 1 else np.zeros(len(alpha))
    return MeanLoss(losses.mean(axis=0), error)


LOSSES: Mapping[str, Callable[[Sequence[Fold], Floats], Loss]] = {
    "mixed": mixed_of_folds,
    "log-loss": log_loss_of_folds,
    "auc": ranking_loss_of_folds,
}


def _ranking_loss(tree: Tree, critical: Floats, held: Rows, alpha: Floats) -> Floats:
    counts, shares = class_weights_at_nodes(tree, held)[:, :-1], smoothed_shares(tree, held)
    weight, n_classes = counts[0], shares.shape[1]
    present = [k for k in range(n_classes) if 0 < weight[k] < weight.sum()]
    if not present:
        return np.full(len(alpha), np.nan)
    areas = np.zeros(len(alpha))
    for step, leaves in enumerate(_leaves_by_step(tree, first_steps(tree, critical, alpha), len(alpha))):
        each = [_area(shares[leaves, k], counts[leaves, k], counts[leaves].sum(axis=1)) for k in present]
        areas[step] = np.average(each, weights=weight[present])
    return 1.0 - areas


def _leaves_by_step(tree: Tree, until: Longs, n_steps: int) -> Iterator[Longs]:
    end = np.where(tree.parent >= 0, until[np.maximum(tree.parent, 0)], n_steps)
    for step in range(n_steps):
        yield np.flatnonzero((until <= step) & (step < end))


def _area(score: Floats, hits: Floats, all_weight: Floats) -> float:
    """The area under the ROC curve of leaves with these scores; equal scores count half."""
    _, place = np.unique(score, return_inverse=True)
    positive = np.bincount(place, hits)
    negative = np.bincount(place, all_weight - hits)
    below = np.cumsum(negative) - negative
    return float((positive * (below + negative / 2)).sum() / (positive.sum() * negative.sum()))


def first_steps(tree: Tree, critical: Floats, alpha: Floats) -> Longs:
    """The first step at which each node is a leaf."""
    until = np.zeros(len(tree), dtype=np.int64)
    tests = tree.first_child >= 0
    until[tests] = np.searchsorted(alpha, critical[tests])
    return until


def class_weights_at_nodes(tree: Tree, held: Rows) -> Floats:
    """The weight of each class of some rows at every node; the last column is for classes not known."""
    table, target = held
    leaves = apply.leaves(tree, table)
    reached = apply.complete_routing(tree, leaves, table.arrays if leaves.min() < 0 else None)
    codes, n_classes = known_codes(tree, target), len(tree.classes or ())
    row = np.repeat(np.arange(len(codes)), np.diff(reached.start))
    weight = target.row_weight[row] * reached.weight
    order = np.lexsort((weight, codes[row], reached.leaf))  # sums must not depend on the order of the rows
    counts = np.zeros((len(tree), n_classes + 1))
    np.add.at(counts, (reached.leaf[order], codes[row][order]), weight[order])  # code -1: the last column
    return sums_up(tree, counts)


def smoothed_shares(tree: Tree, held: Rows) -> Floats:
    """The share of each class at each node, smoothed as if the rows weighed 1 on average."""
    rule = replace(answer_rule_of(tree.meta), **SMOOTHING.answer_choices(held.target))
    return class_shares(rule, tree.stats * (tree.n_rows[0] / tree.weight[0]), tree.parent)
