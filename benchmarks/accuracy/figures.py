"""Ranks and pairwise tests, from what the folds of all learners and tables gave."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

Store = Mapping[str, Mapping[str, Sequence[Mapping[str, float]]]]  # table -> learner -> folds

MEASURES = {  # measure -> (title, whether more is better)
    "accuracy": ("Accuracy", True),
    "log loss": ("Log loss", False),
    "auc": ("Area under the curve", True),
    "brier": ("Brier score", False),
    "error": ("Relative root mean squared error", False),
}


BLACK_BOXES = ("random forest", "LightGBM", "logistic regression", "ridge regression")
PLAIN_TREES = ("scikit-learn", "J48")  # each test compares one number, or has a branch for each value
CUT = "leaves at most"  # in the names of trees of a given size


def compared_by_folds(learner: str) -> bool:
    """Whether a learner is ranked and tested: a single tree of the size that it chose."""
    return learner not in BLACK_BOXES and CUT not in learner


def single_trees(store: Store) -> Store:
    """The learners that are ranked."""
    return {
        table: {who: folds for who, folds in found.items() if compared_by_folds(who)}
        for table, found in store.items()
    }


def answered(store: Store, measure: str) -> tuple[list[str], list[str]]:
    """Tables and learners of a measure: the tables that all of these learners answered."""
    has = {
        table: {who for who, folds in found.items() if folds and all(measure in fold for fold in folds)}
        for table, found in store.items()
    }
    has = {table: who for table, who in has.items() if who}
    every = sorted(set().union(*has.values())) if has else []
    learners = [who for who in every if sum(who in found for found in has.values()) >= 0.6 * len(has)]
    return [table for table, who in has.items() if who >= set(learners)], learners


def ranks(store: Store, measure: str) -> tuple[list[str], dict[str, dict[str, float]]]:
    """By learner: mean rank, mean, geometric mean of leaves, total seconds; on the tables all answered."""
    tables, learners = answered(store, measure)
    if not tables:
        return [], {}
    sign = -1 if MEASURES[measure][1] else 1
    means = np.array([[mean_of(store[t][w], measure) for w in learners] for t in tables])
    placed = stats.rankdata(np.round(sign * means, 12), axis=1)
    found = {}
    for k, who in enumerate(learners):
        leaves = [max(mean_of(store[t][who], "leaves"), 1.0) for t in tables]
        spent = sum(fold["seconds"] for t in tables for fold in store[t][who])
        sizes = [mean_of(store[t][who], "size") for t in tables if "size" in store[t][who][0]]
        found[who] = {
            "rank": float(placed[:, k].mean()),
            "mean": float(means[:, k].mean()),
            "leaves": math.exp(np.mean(np.log(leaves))),
            "size": math.exp(np.mean(np.log(sizes))) if len(sizes) == len(tables) else math.nan,
            "seconds": spent,
        }
    return tables, dict(sorted(found.items(), key=lambda item: item[1]["rank"]))


def corrected(one: Sequence[float], two: Sequence[float]) -> float:
    """The p-value of the corrected resampled t test over folds (Nadeau & Bengio 2003)."""
    differences = np.asarray(one) - np.asarray(two)
    n, spread = len(differences), float(np.var(differences, ddof=1))
    if spread == 0:
        return 1.0 if abs(differences.mean()) < 1e-15 else 0.0
    t = differences.mean() / math.sqrt(spread * (1 / n + 1 / (n - 1)))
    return float(2 * stats.t.sf(abs(t), n - 1))


def compared(
    one: Sequence[Mapping[str, float]], two: Sequence[Mapping[str, float]], measure: str
) -> tuple[float, float]:
    """By how much the first is better than the second, and the p-value of that difference."""
    first, second = ([fold[measure] for fold in folds] for folds in (one, two))
    better = float(np.mean(first) - np.mean(second))
    return better if MEASURES[measure][1] else -better, corrected(first, second)


def pairs(store: Store, measure: str, mine: str, level: float = 0.05) -> list[tuple[str, int, int, int, int]]:
    """(peer, wins, losses, wins beyond chance, losses beyond chance) of one learner against the others."""
    lines = []
    for peer in sorted({who for found in store.values() for who in found} - {mine}):
        counts = [0, 0, 0, 0]
        for found in store.values():
            a, b = found.get(mine), found.get(peer)
            if not a or not b or not all(measure in fold for fold in (*a, *b)) or len(a) != len(b):
                continue
            better, chance = compared(a, b, measure)
            sure = chance < level
            counts[0] += better > 1e-12
            counts[1] += better < -1e-12
            counts[2] += bool(sure and better > 0)
            counts[3] += bool(sure and better < 0)
        if sum(counts):
            lines.append((peer, *counts))
    return lines


def mean_of(folds: Sequence[Mapping[str, float]], measure: str) -> float:
    """The mean over the folds that have the measure."""
    return float(np.mean([fold[measure] for fold in folds if measure in fold]))
