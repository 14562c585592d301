"""`hb.evaluate`: how good a model is on some rows or by cross-validation, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from hornbeam._base.parameters import Progress, Stages, is_whole, seed_of
from hornbeam._base.types import Task
from hornbeam.data.streams import BATCH_ROWS, open_stream
from hornbeam.data.survival import two_columns
from hornbeam.data.target import Target
from hornbeam.evaluation import fold_answers, predictions
from hornbeam.evaluation.estimate_intervals import Estimate, check_confidence, effective, wilson
from hornbeam.evaluation.evaluation_result import ClassFacts, Evaluation
from hornbeam.evaluation.fold_answers import FoldAnswers
from hornbeam.evaluation.group_facts import group_codes, group_facts
from hornbeam.evaluation.metrics import confusion, measure, metrics_of
from hornbeam.evaluation.predictions import Answers
from hornbeam.evaluation.splitters import bootstrap_estimates, mean_evaluation, repetitions_of
from hornbeam.evaluation.survival_metrics import (
    as_survival_model,
    baseline_estimate,
    brier_by_time,
    grid_of,
    survival_answers,
)
from hornbeam.tree.answers import weighted_quantiles

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    counts: Any = None,
    cv: Any = None,
    groups: Any = None,
    bootstrap: int | None = None,
    confidence: float = 0.95,
    random_state: Any = 0,
    progress: Progress | None = None,
) -> Evaluation:
    """How good a model is, with intervals.

    Parameters
    ----------
    model : a fitted classifier, regressor or survival tree, a Tree, or the path of a saved one
        With `cv` it need not be fitted.
    X, y : the rows, as for `fit`; not those it was trained on, unless `cv` is given
        A class of y that the model does not know counts as a mistake and is named; if it knows none of them,
        y is refused. With the name of a column as y, X may be read piece by piece: `"trips/*.parquet"`.
    sample_weight : weight of each row
        A model fitted with `exposure` is asked with y / exposure and sample_weight=exposure.
    counts : number of repetitions of each row
        A row of count 3 is three rows, also where folds are made and intervals computed.
    cv : int, array or None
        None asks the model as it is. A number of folds: the model is cloned and fitted on all rows but those
        of one fold, and asked about these. Rows are dealt to folds class by class, by what they hold and the
        seed; an array says the fold of each row. A splitter of scikit-learn, such as
        `RepeatedStratifiedKFold()` or `GroupKFold()`, which is given `groups`, or a list of pairs (rows to
        fit on, rows to ask about): where rows are asked about several times, everything is the mean over the
        repetitions, also the ends of the intervals.
    groups : str, array or None
        The group of each row, or the name of a column of X: errors, rates and calibration of each group, too.
    bootstrap : int or None
        Intervals of the metrics from so many samples of the rows, drawn with replacement, not from formulas.
    confidence : float
        Of the intervals.
    random_state : int, Generator, RandomState or None
        The seed of the folds, and of the samples.
    progress : callable or None
        Told now and then the share of the folds' fitting that is done; if it returns True, KeyboardInterrupt
        is raised.

    Returns
    -------
    Evaluation
        `result["accuracy"].low`, `result.meets({"accuracy": 0.8})`, `to_dict()`; `str()` is a text.

    Notes
    -----
    Intervals are computed from the rows, without drawing any: accuracy, precision and recall by Wilson's
    formula; balanced accuracy from those of the recalls (Zou and Donner 2008); log loss, Brier score, MAE and
    bias by Student's law; AUC after DeLong, DeLong and Clarke-Pearson (1988), on the logit scale; RMSE and R2
    by the delta method on the log scale. With more than two classes AUC is the mean over the classes, each
    against the rest. A probability of 0 counts as 2.2e-16 in the log loss. Weighted rows count as (Σw)²/Σw²
    rows. Out-of-fold rows are treated as independent, which makes intervals a little narrow; `folds` shows
    the spread.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> evaluation = hb.evaluate(hb.id3(), tennis.X, tennis.y, cv=7)
    >>> evaluation.n, round(evaluation["accuracy"].value, 4), evaluation.meets({"accuracy": 0.9})
    (14, 0.7857, False)
    >>> print(hb.evaluate(hb.TreeClassifier(max_depth=1).fit(tennis.X, tennis.y), tennis.X, tennis.y))
    14 rows, 2 leaves, depth 1, reading size 3
    accuracy            0.6429  (0.3876 to 0.8366)    always Yes: 0.6429
    balanced accuracy   0.7222  (0.4702 to 0.8667)
    AUC                 0.7222  (0.5289 to 0.8576)
    log loss            0.4951  (0.3075 to 0.6827)
    Brier score         0.1786  (0.1109 to 0.2462)
    <BLANKLINE>
    class  rows  precision                   recall
    No        5  0.5000  (0.2366 to 0.7634)  1.0000  (0.5655 to 1.0000)
    Yes       9  1.0000  (0.5101 to 1.0000)  0.4444  (0.1888 to 0.7333)
    <BLANKLINE>
    answered  No  Yes
    is No      5    0
    is Yes     5    4
    """
    level = check_confidence(confidence)
    fitted = predictions.model_of(model)
    if isinstance(y, str):
        if cv is not None or counts is not None or groups is not None:
            raise ValueError(
                f"y={y!r} names a column of data that is read piece by piece, without folds, groups and"
                " counts: leave cv, groups and counts out, or give a table in memory"
            )
        answers, unknown = _answers_of_pieces(fitted, X, y, sample_weight)
        judge = _Judge(level, None, None, bootstrap, random_state)
        return replace(judge.evaluation(answers, predictions.size_of(fitted), None), unknown=unknown)
    answer: Callable[..., Answers] = predictions.answers_of
    if predictions.predicts_survival(fitted):
        if groups is not None or bootstrap is not None:
            raise ValueError(
                "groups and bootstrap are for classes and numbers, not for survival times: leave them out, or"
                " evaluate the rows of each group alone"
            )
        fitted, X, y = as_survival_model(fitted), *two_columns(X, y)
    labels, codes = (None, None) if groups is None else group_codes(groups, X, len(y))
    X, y, sample_weight, rows = predictions.repeat_rows(X, y, sample_weight, counts)
    codes = codes if codes is None or rows is None else codes[rows]
    target = predictions.target_of(fitted, y, sample_weight)
    if target.task.is_survival:
        answer = partial(survival_answers, grid=grid_of(target))
    judge = _Judge(level, labels, codes, bootstrap, random_state)
    if cv is None:
        if not predictions.is_fitted(fitted):
            raise ValueError(
                f"this {type(fitted).__name__} is not fitted: fit it first, or give cv=10 to fit it on folds"
            )
        unknown = predictions.unknown_classes(fitted, target)
        evaluation = judge.evaluation(answer(fitted, X, target), predictions.size_of(fitted), None)
        return replace(evaluation, unknown=unknown)
    repetitions = repetitions_of(X, y, target, cv, codes, random_state)
    stages = Stages(progress, sum(len(one.train) for one in repetitions))
    each = []
    for one in repetitions:
        out = fold_answers.cross_predict(
            fitted, X, y, target, one.fold, stages=stages, train=one.train, answer=answer
        )
        size = np.mean(out.sizes, axis=0).tolist() if out.sizes else predictions.NO_SIZE
        each.append(judge.evaluation(out.answers, size, out))
    return mean_evaluation(each)


@dataclass(frozen=True)
class _Judge:
    """How answers are judged: at which confidence, in which groups, by how many samples."""

    confidence: float
    labels: Sequence[Any] | None
    codes: Any
    bootstrap: int | None
    random_state: Any

    def __post_init__(self) -> None:
        if self.bootstrap is not None and (not is_whole(self.bootstrap) or self.bootstrap < 20):
            raise ValueError(
                f"bootstrap={self.bootstrap!r} must be None, or a number of samples of at least 20"
            )

    def evaluation(self, answers: Answers, size: Any, out: FoldAnswers | None) -> Evaluation:
        """The evaluation of some answers."""
        evaluation = _evaluation(answers, self.confidence, size, out)
        if self.bootstrap is not None:
            seed = seed_of(self.random_state)
            drawn = bootstrap_estimates(answers, evaluation.metrics, self.bootstrap, seed, self.confidence)
            evaluation = replace(evaluation, metrics=drawn)
        if self.labels is None:
            return evaluation
        return replace(evaluation, groups=group_facts(answers, self.labels, self.codes, self.confidence))


def _answers_of_pieces(model: Any, X: Any, y: str, sample_weight: Any) -> tuple[Answers, tuple[Any, ...]]:
    """What a fitted model answers about data that is read piece by piece, of which y and sample_weight name
    columns; and the classes that it does not know.
    """
    if sample_weight is not None and not isinstance(sample_weight, str):
        raise TypeError(f"sample_weight must be the name of a column where y={y!r} is one")
    parts: list[Answers] = []
    for piece in open_stream(X).pieces(BATCH_ROWS):
        for name in filter(None, (y, sample_weight)):
            if name not in piece.column_names:
                raise ValueError(f"{name!r} must name a column of the data, which has {piece.column_names}")
        weights = None if sample_weight is None else piece.column(sample_weight).to_numpy()
        if weights is not None and not weights.any():  # a piece may have no row that counts, if not all
            continue
        target = predictions.target_of(model, piece.column(y), weights)
        parts.append(predictions.answers_of(model, piece, target))
    if not parts:
        raise ValueError("the data has no row that counts; at least one is needed")
    classes = tuple(dict.fromkeys(label for part in parts for label in part.classes))
    parts = [part if part.is_real else part.recode(classes) for part in parts]
    columns = zip(*((part.truth, part.predicted, part.weight) for part in parts), strict=True)
    truth, predicted, weight = map(np.concatenate, columns)
    shares = None if parts[0].is_real else np.concatenate([part.shares for part in parts])
    codes = None if shares is None else truth
    whole = Target(
        Task.REAL if shares is None else Task.CLASSES, codes=codes, classes=classes, weights=weight
    )
    return Answers(classes, truth, predicted, shares, weight), predictions.unknown_classes(model, whole)


def _evaluation(answers: Answers, confidence: float, size: Any, out: FoldAnswers | None) -> Evaluation:
    rows = answers.canonical()
    folds: dict[str, tuple[float, ...]] = {}
    if out is not None:
        each = out.measure_folds(lambda some: measure(some, confidence))
        names = metrics_of(answers)
        folds = {name: tuple(one[name].value if name in one else math.nan for one in each) for name in names}
    common = {
        "n": len(rows.weight), "confidence": confidence, "metrics": measure(rows, confidence),
        "leaves": size[0], "depth": size[1], "reading_size": size[2], "folds": folds,
    }  # fmt: skip
    if answers.grid is not None:
        brier, baseline = brier_by_time(rows), baseline_estimate(rows)
        return Evaluation(Task.SURVIVAL, baseline=baseline, brier_by_time=brier, **common)
    if answers.is_real:
        share = rows.weight / rows.weight.sum()
        mean = float(share @ rows.truth)
        baseline = Estimate(math.sqrt(float(share @ (rows.truth - mean) ** 2)))
        quantiles = weighted_quantiles(rows.truth - rows.predicted, rows.weight, _QUANTILES)
        residuals = dict(zip(_QUANTILES, quantiles, strict=True))
        return Evaluation(Task.REAL, baseline=baseline, residuals=residuals, **common)
    table = confusion(rows)
    most_frequent = float((table.sum(axis=1) / table.sum()).max())
    baseline = wilson(most_frequent, effective(rows.weight), confidence)
    return Evaluation(
        Task.CLASSES, baseline=baseline, classes=answers.classes, confusion=table,
        per_class=_per_class(rows, table, confidence), **common,
    )  # fmt: skip


def _per_class(answers: Answers, table: Any, confidence: float) -> tuple[ClassFacts, ...]:
    facts = []
    for k, label in enumerate(answers.classes):
        right = float(table[k, k])
        rows, answered = float(table[k].sum()), float(table[:, k].sum())
        is_k, answered_k = answers.weight[answers.truth == k], answers.weight[answers.predicted == k]
        precision = wilson(right / answered, effective(answered_k), confidence) if answered > 0 else None
        recall = wilson(right / rows, effective(is_k), confidence) if rows > 0 else None
        facts.append(ClassFacts(label, rows, precision, recall))
    return tuple(facts)
