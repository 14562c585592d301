"""The best split of one node: score every admissible candidate, then settle ties by K4.

Floats only throw away candidates that are worse than the best by a millionth of the node's impurity, which is
far more than their rounding; the rest are scored to 60 digits and compared. Where weights lie so far apart
that floats say little, all are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from tests.oracles.candidates import Buckets, Candidate, buckets_of, candidates_of
from tests.oracles.impurity import exact_total, float_total
from tests.oracles.problem import Functional, Problem

TIE = Decimal("1e-12")
SCREEN = 1e-6
TRIVIAL_SPLIT_INFO = 1e-9
BOUND_SLACK = Fraction(1, 10**12)

Interval = tuple[Fraction | None, Fraction | None]
Bounds = Mapping[Functional, Interval]


@dataclass(frozen=True)
class Scored:
    """A candidate and what it takes to compare it; score and decrease in units of the whole-number target."""

    candidate: Candidate
    buckets: Buckets
    branch_rows: list[np.ndarray]
    branch_stats: list[tuple[int, ...]]
    decrease: Decimal
    score: Decimal


@dataclass(frozen=True)
class Choice:
    """The winner, and whether another was so close that rounding may fairly decide otherwise."""

    best: Scored
    doubtful: bool


def best_split(problem: Problem, rows: np.ndarray, removed: frozenset[int], bounds: Bounds) -> Choice | None:
    """The winner of K4 among all admissible candidates at a node, or None if there is none."""
    finalists = list(score_all(problem, rows, removed, bounds, None if problem.is_wide(rows) else SCREEN))
    if not finalists:
        return None
    top = max(f.score for f in finalists)
    unit = abs(top) if problem.plan.criterion == "gain-ratio" else node_impurity(problem, rows)
    tied = [f for f in finalists if top - f.score <= TIE * unit]
    doubtful = any(Decimal("1e-15") * unit < top - f.score < Decimal("1e-9") * unit for f in finalists)
    return Choice(min(tied, key=lambda f: (f.candidate.column, f.candidate.order)), doubtful)


def node_impurity(problem: Problem, rows: np.ndarray) -> Decimal:
    stats = problem.stats(rows)
    return exact_total(problem.plan.criterion, stats) / problem.weight_of(stats)


Offer = Callable[[int, Mapping[str, Any], Buckets, str], Iterator[Candidate]]


def score_all(
    problem: Problem,
    rows: np.ndarray,
    removed: frozenset[int],
    bounds: Bounds,
    screen: float | None,
    offer: Offer = candidates_of,
    columns: Collection[int] | None = None,
) -> Iterator[Scored]:
    """Admissible candidates at a node, exactly scored; `screen` leaves out those certainly below the best.

    `offer` gives the candidates of a column, `columns` are those searched.
    """
    float_rows = problem.float_rows(rows)
    found: list[tuple[float, Candidate, Buckets]] = []
    for index, column in enumerate(problem.columns):
        if index not in removed and (columns is None or index in columns):
            buckets = buckets_of(column["values"][rows])
            candidates = list(offer(index, column, buckets, problem.plan.missing))
            found += _admissible(problem, rows, float_rows, candidates, buckets, bounds)
    if not found:
        return
    floor = -np.inf
    if screen is not None:
        floor = max(score for score, _, _ in found) - screen * _float_scale(problem, float_rows)
    parent = problem.stats(rows)
    for score, candidate, buckets in found:
        if score >= floor:
            yield _exact(problem, rows, parent, candidate, buckets)


def _float_scale(problem: Problem, float_rows: np.ndarray) -> float:
    """What scores are measured by: the node's impurity; gain ratios are at most 1."""
    if problem.plan.criterion == "gain-ratio":
        return 1.0
    whole = float_rows.sum(axis=0)
    return float(float_total(problem.plan.criterion, whole) / (whole[0] if problem.real else whole.sum()))


def _admissible(
    problem: Problem,
    rows: np.ndarray,
    float_rows: np.ndarray,
    candidates: list[Candidate],
    buckets: Buckets,
    bounds: Bounds,
) -> Iterator[tuple[float, Candidate, Buckets]]:
    """Float scores of candidates with two non-empty branches, large enough, that keep the constraints."""
    if not candidates:
        return
    plan = problem.plan
    members = _members(candidates, buckets.size)
    rows_to_bucket = np.eye(buckets.size)[buckets.of_row].T
    n = members @ (rows_to_bucket @ problem.repeats[rows])
    ok = ((n > 0).sum(axis=1) >= 2) & ((n == 0) | (n >= plan.min_samples_leaf)).all(axis=1)
    scores, possible = _float_scores(plan.criterion, members @ (rows_to_bucket @ float_rows))
    for i in np.flatnonzero(ok & possible):
        candidate = candidates[i]
        if _heavy_enough(problem, rows, candidate, buckets) and keeps_bounds(
            problem, rows, candidate, buckets, bounds
        ):
            yield float(scores[i]), candidate, buckets


def _members(candidates: list[Candidate], size: int) -> np.ndarray:
    """members[candidate, branch, bucket] = 1 where the bucket goes to the branch."""
    cells = [
        (c, b, v) for c, each in enumerate(candidates) for b, part in enumerate(each.parts) for v in part
    ]
    members = np.zeros((len(candidates), max(len(c.parts) for c in candidates), size))
    members[tuple(np.array(cells).T)] = 1.0
    return members


def _float_scores(criterion: str, branches: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Candidates' scores from their branches' Stats; which have one (gain ratio: not if trivial)."""
    parent = branches[0].sum(axis=0)
    weights = branches[..., 0] if criterion in ("variance", "sd") else branches.sum(axis=-1)
    whole = weights[0].sum()
    decrease = (float_total(criterion, parent) - float_total(criterion, branches).sum(axis=1)) / whole
    if criterion != "gain-ratio":
        return decrease, np.ones(len(branches), dtype=bool)
    split_info = float_total("entropy", weights) / whole
    possible = split_info > TRIVIAL_SPLIT_INFO
    return decrease / np.where(possible, split_info, 1.0), possible


def _exact(
    problem: Problem, rows: np.ndarray, parent: tuple[int, ...], candidate: Candidate, buckets: Buckets
) -> Scored:
    criterion, whole = problem.plan.criterion, problem.weight_of(parent)
    branch_rows = rows_of_branches(rows, candidate, buckets)
    stats = [problem.stats(r) for r in branch_rows]
    before = exact_total(criterion, parent)
    gained = before - sum((exact_total(criterion, s) for s in stats), Decimal(0))
    if abs(gained) < before * Decimal("1e-40"):
        gained = Decimal(0)  # what is left of 60 digits when the true gain is zero
    decrease = score = gained / whole
    if criterion == "gain-ratio":
        score = gained / exact_total("entropy", tuple(problem.weight_of(s) for s in stats))
    return Scored(candidate, buckets, branch_rows, stats, decrease, score)


def rows_of_branches(rows: np.ndarray, candidate: Candidate, buckets: Buckets) -> list[np.ndarray]:
    branch_of_bucket = np.zeros(buckets.size, dtype=int)
    for branch, part in enumerate(candidate.parts):
        branch_of_bucket[list(part)] = branch
    branch_of_row = branch_of_bucket[buckets.of_row]
    return [rows[branch_of_row == branch] for branch in range(len(candidate.parts))]


def _heavy_enough(problem: Problem, rows: np.ndarray, candidate: Candidate, buckets: Buckets) -> bool:
    """min_weight_fraction_leaf binds every non-empty branch."""
    fraction = problem.plan.min_weight_fraction_leaf
    if fraction == 0:
        return True
    limit = fraction * (problem.total_weight / problem.weight_unit)
    weights = [sum(problem.weight[i] for i in r.tolist()) for r in rows_of_branches(rows, candidate, buckets)]
    return all(w == 0 or w / problem.weight_unit >= limit for w in weights)


def keeps_bounds(
    problem: Problem, rows: np.ndarray, candidate: Candidate, buckets: Buckets, bounds: Bounds
) -> bool:
    """Every branch answers within the node's bounds, and in order on a constrained column."""
    if not problem.plan.monotonic:
        return True
    stats = [problem.stats(r) for r in rows_of_branches(rows, candidate, buckets)]
    for which in problem.plan.functionals:
        low, high = bounds.get(which, (None, None))
        for value in (problem.functional(which, s) for s in stats):
            if (low is not None and value < low - BOUND_SLACK) or (
                high is not None and value > high + BOUND_SLACK
            ):
                return False
    slack = 0 if problem.is_wide(rows) else BOUND_SLACK  # shares may differ by less than that slack
    return all(
        sign * (problem.functional(which, stats[1]) - problem.functional(which, stats[0])) >= -slack
        for which, sign in ordered_pairs(problem, candidate)
    )


def ordered_pairs(problem: Problem, candidate: Candidate) -> list[tuple[Functional, int]]:
    """The constraints that order the first two branches: none where the second holds missing values only."""
    if candidate.kind != "threshold" or candidate.threshold == np.inf:
        return []
    return list(problem.plan.monotonic.get(candidate.column, ()))


def bounds_below(problem: Problem, chosen: Scored, bounds: Bounds) -> list[Bounds]:
    """Bounds of each branch: the midpoint of their values parts the first two; a Missing branch inherits."""
    branches: list[dict[Functional, Interval]] = [dict(bounds) for _ in chosen.branch_stats]
    for which, sign in ordered_pairs(problem, chosen.candidate):
        values = [problem.functional(which, s) for s in chosen.branch_stats[:2]]
        middle = sum(values, Fraction(0)) / 2
        lower, upper = branches[:2] if sign > 0 else branches[1::-1]
        low, high = lower.get(which, (None, None))
        lower[which] = low, middle if high is None else min(high, middle)
        low, high = upper.get(which, (None, None))
        upper[which] = middle if low is None else max(low, middle), high
    return list[Bounds](branches)
