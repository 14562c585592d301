"""The twin of the search along directions: scores, climbs and looking ahead, by their definitions.

The one idea: nothing is kept from one cut to the next. Every cut is a comparison of all sums with a
threshold, and the impurities of both sides are computed from their rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.oracles.impurity import float_total

SPREAD = 12  # cuts of a direction that are met besides the best and the pure ones


@dataclass
class Goal:
    """Codes or values, weights and counts of some rows, and what a cut is judged by."""

    criterion: str
    y: np.ndarray
    n_classes: int
    weight: np.ndarray
    counts: np.ndarray
    level: float = 0.0
    min_rows: int = 1

    def told(self) -> dict[str, Any]:
        """The same as the core is told."""
        return {
            "criterion": self.criterion,
            "level": self.level,
            "loss_scale": 2.0,
            "n_classes": self.n_classes,
            "codes": self.y.astype(np.int32) if self.n_classes else None,
            "values": None if self.n_classes else self.y.astype(float),
            "weights": self.weight / self.counts,  # of one repetition
            "counts": self.counts,
            "min_rows": float(self.min_rows),
            "min_weight": 0.0,
        }


def total(goal: Goal, rows: np.ndarray) -> float:
    """Impurity times weight of some rows."""
    w, y = goal.weight[rows], goal.y[rows]
    if goal.level > 0:
        losses = [(w * np.where(y > m, goal.level * (y - m), (1 - goal.level) * (m - y))).sum() for m in y]
        return 2.0 * min(losses, default=0.0)
    if goal.criterion == "poisson":
        mean = (w * y).sum() / w.sum()
        return float((w * (np.where(y > 0, y * np.log(np.where(y > 0, y, 1) / mean), 0) - y + mean)).sum())
    if goal.n_classes:
        stats = np.bincount(y, weights=w, minlength=goal.n_classes)
    else:
        stats = np.array([w.sum(), (w * y).sum(), (w * y * y).sum()])
    return float(float_total(goal.criterion, stats))


def cut_score(goal: Goal, rows: np.ndarray, low: np.ndarray) -> float:
    """What it gains to part some rows, per unit of the weight of all; -inf if that is not allowed."""
    sides = rows[low[rows]], rows[~low[rows]]
    if min(goal.counts[side].sum() for side in sides) < goal.min_rows:
        return -np.inf
    if goal.criterion == "poisson" and min((goal.weight * goal.y)[side].sum() for side in sides) <= 0:
        return -np.inf
    gain = total(goal, rows) - sum(total(goal, side) for side in sides)
    if goal.criterion == "gain-ratio":
        share = np.array([goal.weight[side].sum() for side in sides]) / goal.weight[rows].sum()
        gain /= -(share * np.log2(share)).sum()
    return gain / goal.weight.sum()


def cuts(goal: Goal, sums: np.ndarray, rows: np.ndarray) -> list[tuple[float, int, np.ndarray]]:
    """Every cut of some rows: score, rows below, and whether each row of the table is."""
    known = rows[~np.isnan(sums[rows])]
    found = []
    for value in np.unique(sums[known])[:-1]:
        low = sums <= value
        found.append((cut_score(goal, known, low), int(low[known].sum()), low))
    return found


def best(goal: Goal, sums: np.ndarray, rows: np.ndarray | None = None) -> float:
    """The score of the best cut."""
    rows = np.arange(len(sums)) if rows is None else rows
    return max((score for score, _, _ in cuts(goal, sums, rows)), default=-np.inf)


def project(z: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """The weighted sum of the columns, in single precision."""
    out = np.zeros(z.shape[1], dtype=np.float32)
    for k in np.flatnonzero(direction):
        out = out + np.float32(direction[k]) * z[k]
    return out


def climb(goal: Goal, z: np.ndarray, start: Any, free: Any, how: Any) -> tuple[np.ndarray, float]:
    """One weight after the other is raised or lowered by a step; if none is worth it the step is halved."""
    step, last, most, margin, bound = how
    direction = np.array(start, dtype=float)
    score = best(goal, project(z, direction))
    for _ in range(64):
        if step < last or score >= bound:
            break
        changed = False
        for k in np.flatnonzero(free):
            if score >= bound or (direction[k] == 0 and np.count_nonzero(direction) >= most):
                continue
            for by in (step, -step):
                there = direction.copy()
                there[k] += by
                sums = project(z, direction) + np.float32(by) * z[k] if there[k] else project(z, there)
                found = best(goal, sums)
                if found > score + margin:
                    direction, score, changed = there, found, True
                    break
        if not changed:
            step /= 2
        while np.abs(direction).max() > 1:
            direction /= 2
        while np.abs(direction).max() <= 0.5:
            direction *= 2
    return direction, score


def cheapest(goal: Goal, z: np.ndarray, directions: Any, least: float, depth: int) -> float:
    """The least that a cut, with the greedy tree below it, costs: leaves and rows answered wrongly."""
    lines = [project(z, np.array(direction)) for direction in directions]
    rows = np.arange(z.shape[1])

    def cost(low: np.ndarray) -> float:
        return sum(tree_cost(goal, lines, side, depth - 1) for side in (rows[low], rows[~low]))

    met = []
    for line in lines:
        every = cuts(goal, line, rows)
        order = np.argsort(line, kind="stable")
        wanted = {max(every, key=lambda cut: cut[0])[1]} if every else set()
        below = [n for _, n, _ in every if len(set(goal.y[order[:n]])) == 1]
        above = [n for _, n, _ in every if len(set(goal.y[order[n:]])) == 1]
        wanted |= set(below[-1:]) | set(above[:1])
        wanted |= {len(rows) * i // (SPREAD + 1) for i in range(1, SPREAD + 1)}
        allowed = {n: low for score, n, low in every if score > least}
        met += [(cost(low), -score, n, allowed) for score, n, low in every if n in wanted & set(allowed)]
    if not met:
        return np.inf
    least_cost, _, below, allowed = min(met, key=lambda one: one[:2])
    step = len(rows) // (2 * (SPREAD + 1))
    while step > 0:  # the cut is moved while that costs less
        for there in (below - step, below + step):
            if there in allowed and cost(allowed[there]) < least_cost:
                least_cost, below = cost(allowed[there]), there
        step //= 2
    return least_cost


def tree_cost(goal: Goal, lines: list[np.ndarray], rows: np.ndarray, depth: int) -> float:
    """Leaves and rows answered wrongly of a greedy tree; what costs less as a leaf is one."""
    weights = np.bincount(goal.y[rows], weights=goal.weight[rows])
    leaf = 1 + (weights.sum() - weights.max()) / weights.sum() * len(rows)
    if np.count_nonzero(weights) == 1 or depth <= 0:
        return float(leaf)
    top, low = -np.inf, None
    for line in lines:
        for score, _, below in cuts(goal, line, rows):
            if score > top + 1e-12:
                top, low = score, below
    if low is None:
        return float(leaf)
    sides = (rows[low[rows]], rows[~low[rows]])
    return min(float(leaf), sum(tree_cost(goal, lines, side, depth - 1) for side in sides))
