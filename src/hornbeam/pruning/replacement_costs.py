"""Judging: what training rows make nodes answer, and what that costs on rows held out.

One idea: a node's answer is a function of what its training rows add up to (their tally), and the cost of an
answer is a sum over held rows. Three pairs of functions say which: classes, costs of each row, numbers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hornbeam._base.sums import sums_by_place
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.target import Target
from hornbeam.pruning.sample_risks import known_codes, known_costs, training_codes
from hornbeam.tree.answer_rule import answer_rule_of, cheapest_class, choose_class
from hornbeam.tree.tree import Tree


class Judge:
    """Answers from training rows, costs on held rows.

    Attributes
    ----------
    given : what each node of the tree answers as it is
    known : which held rows can be judged
    """

    given: AnyArray
    known: AnyArray

    def answers(self, place: Longs, row: Longs, weight: Floats, n: int) -> AnyArray:
        """The answer at each of n places, by the training rows there."""
        raise NotImplementedError

    def costs(self, row: Longs, weight: Floats, answer: AnyArray) -> Floats:
        """What the answers cost for held rows."""
        raise NotImplementedError


def judge_for(tree: Tree, training: Target, held: Target) -> Judge:
    """The judge for a tree and its rows."""
    if tree.task != "classes":
        return _Numbers(tree, training, held)
    if training.row_costs is not None or held.row_costs is not None or len(tree.cost_value):
        return _RowCosts(tree, training, held)
    return _Classes(tree, training, held)


class _Classes(Judge):
    def __init__(self, tree: Tree, training: Target, held: Target) -> None:
        self.voice = replace(answer_rule_of(tree.meta), smoothing="none")
        self.width = tree.stats.shape[1]
        self.code, self.held = training_codes(tree, training), known_codes(tree, held)
        self.given, self.known = tree.label, self.held >= 0
        wrong = 1.0 - np.eye(self.width) if self.voice.costs is None else self.voice.costs
        self.wrong = wrong if self.voice.factors is None else wrong * self.voice.factors[:, None]

    def answers(self, place: Longs, row: Longs, weight: Floats, n: int) -> AnyArray:
        sums = sums_by_place(place * self.width + self.code[row], weight, n * self.width)
        counted = self.voice.counted(sums.reshape(n, self.width))
        total = counted.sum(axis=1, keepdims=True)
        return choose_class(self.voice, counted / np.where(total > 0, total, 1.0))

    def costs(self, row: Longs, weight: Floats, answer: AnyArray) -> Floats:
        return weight * self.wrong[self.held[row], answer]


class _RowCosts(Judge):
    def __init__(self, tree: Tree, training: Target, held: Target) -> None:
        self.given, self.known = tree.label, known_codes(tree, held) >= 0
        factors = answer_rule_of(tree.meta).factors
        self.each = [self._weighed(tree, target, factors) for target in (training, held)]

    @staticmethod
    def _weighed(tree: Tree, target: Target, factors: Floats | None) -> Floats:
        costs = known_costs(tree, target)
        if costs is None:
            raise ValueError("row_costs must be given for the training rows and the rows to prune on alike")
        return costs if factors is None else costs * factors[known_codes(tree, target)][:, None]

    def answers(self, place: Longs, row: Longs, weight: Floats, n: int) -> AnyArray:
        costs = self.each[0][row] * weight[:, None]
        return cheapest_class(np.stack([sums_by_place(place, column, n) for column in costs.T], axis=1))

    def costs(self, row: Longs, weight: Floats, answer: AnyArray) -> Floats:
        return weight * self.each[1][row, answer]


class _Numbers(Judge):
    def __init__(self, tree: Tree, training: Target, held: Target) -> None:
        assert training.values is not None
        assert held.values is not None
        own = np.divide(tree.stats[:, 1], tree.weight, out=np.zeros(len(tree)), where=tree.weight > 0)
        self.given = np.where(tree.weight > 0, tree.center + own, tree.answers())
        self.known = np.ones(held.n_rows, dtype=np.bool_)
        self.center, self.y, self.held = tree.center, training.values - tree.center, held.values

    def answers(self, place: Longs, row: Longs, weight: Floats, n: int) -> AnyArray:
        total = sums_by_place(place, weight, n)
        sums = sums_by_place(place, weight * self.y[row], n)
        return self.center + np.divide(sums, total, out=np.zeros(n), where=total > 0)

    def costs(self, row: Longs, weight: Floats, answer: AnyArray) -> Floats:
        return weight * (self.held[row] - answer) ** 2
