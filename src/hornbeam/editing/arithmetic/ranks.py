"""Ranking: contenders in order, and what stops a node from being split at all.

One idea: of those tied with the best the first in column order is the best (K4), at every rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hornbeam.editing.arithmetic.column_gains import Judge
from hornbeam.editing.arithmetic.column_search import Found
from hornbeam.editing.arithmetic.node_rows import Place
from hornbeam.growing.selections import AverageGain
from hornbeam.tree.words import rows_text


@dataclass(frozen=True)
class Ranked:
    """A contender, its place and what it was ranked by."""

    found: Found
    rank: int | None
    score: float | None


@dataclass(frozen=True)
class Choice:
    """The contenders of a node; and why it is not split, None if nothing forbids it."""

    ranked: tuple[Ranked, ...]
    stops: str | None


def descending(keys: Sequence[float], margin: Callable[[float], float]) -> list[int]:
    """Positions from the largest key down; of those tied with the largest of the rest the first (K4)."""
    left = sorted(range(len(keys)), key=lambda k: (-keys[k], k))
    found = []
    while left:
        best = keys[left[0]]
        bar = best - margin(best) if math.isfinite(best) else best
        run = 1
        while run < len(left) and keys[left[run]] >= bar:
            run += 1
        first = min(left[:run])
        found.append(first)
        left.remove(first)
    return found


def score_of(found: Found) -> float:
    """What the best test of a column scores among its tests."""
    assert found.judged is not None
    assert found.judged.best is not None
    return float(found.judged.score[found.judged.best])


def stops_of(place: Place, judge: Judge, winner: Ranked | None) -> str | None:
    """Why nothing is split here."""
    growth, node, limits = place.growth, place.node, place.plan.limits
    if node.depth >= limits.get("max_depth", math.inf):
        return f"max_depth={limits['max_depth']} is reached"
    least = limits.get("min_rows_split", 2)
    if node.n_rows < max(least, 2 * limits.get("min_rows_leaf", 1)):
        if node.n_rows < least:
            return f"{rows_text(node.n_rows)}, fewer than min_samples_split={least}"
        return f"{rows_text(node.n_rows)}, fewer than twice min_samples_leaf={limits['min_rows_leaf']}"
    if growth.must_be_leaf(node):
        return "all rows have the same target" if _pure(place) else "the target hardly varies here"
    if winner is None or winner.score is None:
        return "no test can be made"
    judged = winner.found.judged
    assert judged is not None
    score, gain = score_of(winner.found), float(judged.decrease[judged.best or 0])
    score = winner.score if isinstance(place.plan.selection, AverageGain) else score
    if not score - judge.margin(score) > limits.get("min_gain", -math.inf):
        return f"the best score {score:.6g} is not above min_gain={limits['min_gain']:g}"
    worth = place.weight / growth.total * gain
    if worth + float(np.finfo(float).eps) < float(limits.get("min_impurity_decrease", 0.0)):
        least = limits["min_impurity_decrease"]
        return f"the best decrease, {worth:.6g} of all rows, is below min_impurity_decrease={least:g}"
    return None


def _pure(place: Place) -> bool:
    if place.growth.values is None:
        return bool(np.count_nonzero(place.node.stats > 0) < 2)
    y = place.growth.values[place.node.rows]
    return bool(y.min() == y.max())
