"""The metrics of survival trees: concordance and Brier scores, each with an interval.

Answers of survival have risks as predictions, predicted survival at the times of a grid as shares, and as
truth the time of each row, negative where it is censored. Rows whose fate at a time is not known, since they
were censored before, count nothing there; rows that were observed stand for them, by one over the share of
rows not censored yet (Graf et al. 1999), which these rows themselves tell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.survival_statistics import (
    SurvivalCurve,
    brier_losses,
    censoring,
    concordance_influence,
)
from hornbeam._base.types import Bools, Floats
from hornbeam.data.survival import Survival, outcome_of, person_weights
from hornbeam.data.target import Target
from hornbeam.estimators.tree_survival import TreeSurvival
from hornbeam.evaluation import estimate_intervals as intervals
from hornbeam.evaluation.estimate_intervals import Estimate
from hornbeam.evaluation.predictions import Answers
from hornbeam.tree import routing
from hornbeam.tree.routing import Routing
from hornbeam.tree.survival_curves import curves_at
from hornbeam.tree.tree import Tree

MOST_TIMES = 100
LEVELS = (0.25, 0.5, 0.75)  # of the event times: where Brier scores are listed


def grid_of(target: Target) -> Floats:
    """The times at which survival is judged: event times of the rows, evenly chosen if they are many.

    The last time of all is left out, after which nobody is observed.
    """
    return _grid(*outcome_of(target), person_weights(target))


def _grid(time: Floats, event: Bools, weight: Floats) -> Floats:
    here = weight > 0
    times = np.unique(time[event & here])
    inner = times[times < time[here].max()]
    times = inner if len(inner) else times
    if len(times) <= MOST_TIMES:
        return times
    return times[np.unique(np.linspace(0, len(times) - 1, MOST_TIMES).round().astype(np.int64))]


def as_survival_model(model: Any) -> Any:
    """An estimator that answers with curves, also where only its Tree is there."""
    if not isinstance(model, Tree):
        return model
    estimator = TreeSurvival()
    estimator.tree_ = model
    return estimator


def truth_of(target: Target) -> Floats:
    """The time of each row, negative where it is censored."""
    time, event = outcome_of(target)
    return np.where(event, time, -time)


def survival_answers(model: Any, X: Any, target: Target, grid: Floats) -> Answers:
    """What a fitted survival tree answers about the rows of X."""
    return Answers(
        classes=(),
        truth=truth_of(target),
        predicted=model.predict(X),
        shares=model.predict_survival_function(X, grid),
        weight=person_weights(target),
        grid=grid,
    )


def survival_answers_at(tree: Tree, truth: Floats, reached: Routing, weight: Floats) -> Answers:
    """What a survival tree answers about rows that were taken to its leaves."""
    grid = _grid(np.abs(truth), truth > 0, weight)
    used, place = np.unique(reached.leaf, return_inverse=True)
    curves = curves_at(tree, used.tolist(), grid, of="survival")
    shares = routing.weighted(reached, curves[place])
    return Answers((), truth, routing.values(tree, reached), shares, weight, grid)


def _outcome(answers: Answers) -> Survival:
    return Survival(np.abs(answers.truth), answers.truth > 0)


def concordance_estimate(answers: Answers, confidence: float) -> Estimate | None:
    """Harrell's c; None where no two rows can be compared."""
    value, moves = concordance_influence(*_outcome(answers), answers.predicted, answers.weight)
    if np.isnan(value):
        return None
    n = intervals.effective(answers.weight[answers.truth > 0])
    return intervals.within_unit(value, intervals.error_of(moves), n, confidence)


def _losses(answers: Answers) -> Floats:
    """The squared distance of predicted survival from what happened, [rows, times of the grid]."""
    assert answers.grid is not None
    assert answers.shares is not None
    time, event = _outcome(answers)
    curve = censoring(time, event, answers.weight)
    return brier_losses(curve, time, event, answers.grid, answers.shares)


def _over_time(losses: Floats, grid: Floats) -> Floats:
    """The mean of each row's losses over time, by the trapezoidal rule."""
    if len(grid) < 2:
        return np.asarray(losses.mean(axis=1))
    steps = np.diff(grid)
    means: Floats = (losses[:, 1:] + losses[:, :-1]) / 2 @ steps / (grid[-1] - grid[0])
    return means


def integrated_estimate(answers: Answers, confidence: float) -> Estimate:
    """The Brier score, mean over the times of the grid."""
    assert answers.grid is not None
    losses = _over_time(_losses(answers), answers.grid)
    mean = intervals.mean_of(losses, answers.weight, confidence)
    return mean if mean.low is None else Estimate(mean.value, max(mean.low, 0.0), mean.high)


def brier_by_time(answers: Answers) -> dict[float, float]:
    """The Brier score at the quarters of the grid."""
    assert answers.grid is not None
    scores = answers.weight @ _losses(answers) / answers.weight.sum()
    places = [round(level * (len(answers.grid) - 1)) for level in LEVELS]
    return {float(answers.grid[place]): float(scores[place]) for place in places}


def baseline_estimate(answers: Answers) -> Estimate:
    """The integrated Brier score of one curve for all rows."""
    assert answers.grid is not None
    curve = SurvivalCurve.of(*_outcome(answers), answers.weight)
    own = np.broadcast_to(
        curve.at(curve.survival(), answers.grid, 1.0), (len(answers.truth), len(answers.grid))
    )
    return integrated_estimate(answers.with_shares(own), 0.95)
