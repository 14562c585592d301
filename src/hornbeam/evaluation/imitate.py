"""`hb.imitate`: the readable tree that answers as a black box does, and how faithfully it does so.

The black box is asked about the rows of a table, and about new rows near them. A fifth of the rows is kept
apart; an automatic tree is fitted to the answers for all others, and judged by the answers for those kept
apart. Where the black box gives probabilities, each row stands once for each class, weighed by that class's
probability, so that the shares of a leaf are the mean of the probabilities of its rows. The new
rows are only learned from: where the size of the tree is chosen, all rows that are held out are real ones.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam._base.parameters import Progress, check_choice, is_whole, seed_of
from hornbeam._base.types import Floats, Longs, Task
from hornbeam.data.folds import row_numbers
from hornbeam.data.near_rows import assemble_rows, near_rows
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.data.train_validation_test import take_rows
from hornbeam.data.weights_and_costs import sample_weights
from hornbeam.estimators.auto import AutoTreeClassifier, AutoTreeRegressor
from hornbeam.estimators.auto.equal_rows import with_row_numbers
from hornbeam.evaluation.black_box import BlackBox, BlackBoxAnswers
from hornbeam.evaluation.estimate_intervals import Estimate
from hornbeam.evaluation.evaluate import evaluate
from hornbeam.evaluation.evaluation_result import Evaluation
from hornbeam.tree.annotations import IMITATION
from hornbeam.tree.json_values import json_fields
from hornbeam.tree.words import number_of

ENOUGH = 5000  # rows, real and drawn, that new ones are drawn up to
HELD_OUT = 5  # every so many-th row is kept apart
FEWEST = 5  # real rows that leaves of numbers hold, or as many drawn ones as stand for them
TASKS = ("classes", "real")
TELLS_ALONE = "the target alone"  # what a warning says of a column that does


@dataclass(frozen=True)
class Imitation:
    """How faithfully a tree imitates a black box; `str()` says it in words.

    Attributes
    ----------
    of : what is imitated: the name of its class, or of the function
    answers : what it answered: "labels", "probabilities" or "numbers"
    fidelity : Estimate
        On rows kept apart: the share on which both answer the same class, or R2 of numbers; with an interval.
    baseline : Estimate
        The same of always answering what the black box answers most often, or the mean of its numbers.
    distance : by how much the probabilities of both differ on these rows, on average: half the sum of the
        differences over the classes; None without probabilities
    n_rows, n_drawn, n_held_out : rows of X that the tree learned from, rows drawn near them, and rows of X
        kept apart
    leaves : of the tree
    evaluation : all metrics on the rows kept apart, the answers of the black box being the truth
    """

    of: str
    answers: str
    fidelity: Estimate
    baseline: Estimate
    distance: float | None
    n_rows: int
    n_drawn: int
    n_held_out: int
    leaves: int
    evaluation: Evaluation

    def sentence(self) -> str:
        """The shortest account, which the tree keeps."""
        held = number_of(self.n_held_out, "row", "rows")
        return f"imitates {self.of}: {self._measure} {self._text(self.fidelity)} on {held} kept apart"

    @property
    def _measure(self) -> str:
        return "R2" if self.answers == "numbers" else "same answers"

    def __str__(self) -> str:
        leaves, rows = number_of(self.leaves, "leaf", "leaves"), number_of(self.n_rows, "row", "rows")
        held = number_of(self.n_held_out, "row", "rows")
        judged = f"{self._measure} on {held} kept apart: {self._text(self.fidelity)}"
        if self.answers != "numbers":
            judged += f", against {self.baseline.value:.3f} for its most frequent answer"
        lines = [
            f"imitates {self.of} with {leaves}, learned from {rows} and {self.n_drawn:,} drawn near them"
        ]
        lines.append(judged)
        if self.distance is not None:
            lines.append(f"the probabilities of a row differ by {self.distance:.3f} on average")
        return "\n".join(lines)

    @staticmethod
    def _text(estimate: Estimate) -> str:
        between = "" if estimate.low is None else f" ({estimate.low:.3f} to {estimate.high:.3f})"
        return f"{estimate.value:.3f}{between}"

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values that JSON can hold, with "schema": "hornbeam/imitation/1"."""
        names = ("of", "answers", "distance", "n_rows", "n_drawn", "n_held_out", "leaves")
        estimates = {"fidelity": self.fidelity.to_dict(), "baseline": self.baseline.to_dict()}
        return {"schema": "hornbeam/imitation/1", **json_fields(self, names), **estimates}


def imitate(
    predict: Any,
    X: Any,
    *,
    task: str | None = None,
    sample_weight: Any = None,
    new_rows: Any = "auto",
    random_state: Any = 0,
    progress: Progress | None = None,
    **params: Any,
) -> AutoTreeClassifier | AutoTreeRegressor:
    """The readable tree that imitates a black box.

    Parameters
    ----------
    predict : a fitted estimator, or a function from a table to answers
        Of an estimator `predict_proba` is asked if there is one, else `predict`. A function answers with a
        label, a number, or probabilities (an array with a column for each class) for each row. It is given
        tables of the same kind as X, with the same columns and types.
    X : rows to ask about, as for `fit`; no outcomes are needed
    task : "classes", "real" or None
        Whether answers are classes or numbers; None: by what they are. Whole numbers of at most 20 different
        values are classes. "classes" makes an estimator give labels or probabilities, "real" numbers.
    sample_weight : weight of each row of X
    new_rows : "auto" or int
        How many rows are drawn near those of X, and asked about, for the tree to learn from: "auto" as many
        as make 5,000 together with X. A new row is a row of X with some of its values replaced by those of a
        row close to it.
    random_state : int, Generator, RandomState or None
        The seed of the rows kept apart, of the new rows and of the folds.
    progress : callable or None
        As for `fit`.
    **params
        Parameters of the automatic tree, such as `max_depth=4` or `consider="means"`.

    Returns
    -------
    AutoTreeClassifier or AutoTreeRegressor
        Fitted to the answers. Its `imitation_` says how faithful it is on rows that it did not learn from;
        the tree keeps that in a sentence, also when it is saved.

    Notes
    -----
    A tree that agrees with the black box on most rows need not explain it on the others: look at
    `imitation_.fidelity` before reading anything into the tree. Fidelity is about the black box, not about
    the truth.

    References
    ----------
    Craven, M. W., Shavlik, J. W. (1996). Extracting tree-structured representations of trained networks.
    Advances in Neural Information Processing Systems 8, 24-30.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> black_box = hb.ForestClassifier(random_state=0).fit(X, y)
    >>> tree = hb.imitate(black_box, X)
    >>> print(tree.imitation_)
    imitates a ForestClassifier with 5 leaves, learned from 121 rows and 1,869 drawn near them
    same answers on 29 rows kept apart: 0.966 (0.828 to 0.994), against 0.414 for its most frequent answer
    the probabilities of a row differ by 0.042 on average
    """
    if task is not None:
        check_choice("task", task, TASKS)
    box, seed = BlackBox.of(predict, None if task is None else Task(task)), seed_of(random_state)
    table = Table.learn(X)
    n_new = _n_new(new_rows, table.n_rows)
    weight = sample_weights(sample_weight, table.n_rows)
    weight = np.ones(table.n_rows) if weight is None else weight
    group = _groups(table, seed)
    real, apart = _parted(group, weight)
    asked = box.ask(X, table.n_rows)
    answers, sources = asked.take(real), np.tile(real[:, None], len(table.columns))
    weights, groups = weight[real], group[real]
    drawn = real[near_rows(table.take(real), weights, n_new, seed)]
    drawn = drawn[_is_new(table, drawn, seed)]
    if len(drawn):
        answers = answers.join(box.ask(assemble_rows(X, drawn), len(drawn)), box)
        sources = np.concatenate([sources, drawn])
        weights = np.append(weights, np.full(len(drawn), weights.mean()))
        groups = np.append(groups, np.full(len(drawn), -1))
    params = {"random_state": seed} | params
    if answers.kind == "numbers":
        params = {"min_samples_leaf": math.ceil(FEWEST * len(sources) / len(real))} | params
    model: AutoTreeClassifier | AutoTreeRegressor = _fit(
        answers, X, sources, weights, groups, params, progress
    )
    evaluation = evaluate(model, take_rows(X, apart), asked.take(apart).labels(), sample_weight=weight[apart])
    told = _imitation(model, box, evaluation, take_rows(X, apart), asked.take(apart), weight[apart])
    model.imitation_ = replace(told, n_rows=len(real), n_drawn=len(drawn))
    chosen = model.model_
    chosen.tree_ = chosen.tree_.replace(meta={**chosen.tree_.meta, IMITATION: model.imitation_.sentence()})
    return model


def _n_new(new_rows: Any, n_rows: int) -> int:
    """How many rows are to be drawn."""
    if isinstance(new_rows, str) and new_rows == "auto":
        return max(0, ENOUGH - n_rows)
    if not is_whole(new_rows) or new_rows < 0:
        raise ValueError(
            f"new_rows={new_rows!r} must be 'auto' or a whole number of at least 0: how many rows are drawn"
            " near those of X and asked about"
        )
    return int(new_rows)


def _groups(table: Table, seed: int) -> Longs:
    """A number for each row in an order drawn by the seed, from 0 on; equal rows have the same."""
    return np.unique(_hashes(table, seed), return_inverse=True)[1].reshape(-1).astype(np.int64)


def _hashes(table: Table, seed: int) -> Any:
    return row_numbers(table, Target(Task.REAL, values=np.zeros(table.n_rows)), seed)


def _parted(group: Longs, weight: Floats) -> tuple[Longs, Longs]:
    """The rows to learn from, in an order that depends only on their contents, and those kept apart."""
    is_apart = group < max((int(group.max()) + 1) // HELD_OUT, 1)
    real, apart = np.flatnonzero(~is_apart & (weight > 0)), np.flatnonzero(is_apart & (weight > 0))
    if not len(real) or not len(apart):
        raise ValueError(
            "X has too few different rows of positive weight to learn from some and to judge by others: give"
            " more rows"
        )
    return real[np.lexsort((weight[real], group[real]))], apart


def _is_new(table: Table, drawn: Longs, seed: int) -> Any:
    """Which of the rows drawn are equal to no row of the table, nor to one drawn before."""
    arrays = tuple(array[drawn[:, j]] for j, array in enumerate(table.arrays))
    hashes = _hashes(Table(table.columns, len(drawn), arrays), seed)
    is_first = np.zeros(len(drawn), dtype=np.bool_)
    is_first[np.unique(hashes, return_index=True)[1]] = True
    return is_first & ~np.isin(hashes, _hashes(table, seed))


def _fit(
    answers: BlackBoxAnswers,
    X: Any,
    sources: Longs,
    weight: Floats,
    groups: Longs,
    params: dict[str, Any],
    progress: Progress | None,
) -> Any:
    """The automatic tree fitted to the answers; probabilities as a row for each class, weighed by them."""
    model: Any = (AutoTreeRegressor if answers.kind == "numbers" else AutoTreeClassifier)(**params)
    values, rows = answers.values, sources
    if answers.kind == "probabilities":
        assert answers.classes is not None
        row, code = np.nonzero(answers.values)
        sources, weight, groups = sources[row], weight[row] * answers.values[row, code], groups[row]
        values = answers.classes[code]
    model._groups = groups if len(np.unique(groups)) > 2 else None
    with warnings.catch_warnings():  # a column that tells all of the black box's answers misleads nobody
        warnings.filterwarnings("ignore", message=f".*{TELLS_ALONE}")
        model.fit(assemble_rows(X, sources), values, weight, progress=progress)
    model._groups = None  # they are those of these rows only
    if TELLS_ALONE in model.column_warning_:
        model.column_warning_ = model.model_.column_warning_ = ""
    if values is not answers.values:  # a row is counted once, not once for each class
        table = Table.match(assemble_rows(X, rows), model.tree_.columns)
        model.model_.tree_ = with_row_numbers(model.tree_, table, Target.classes_of(answers.labels()))
    return model


def _imitation(
    model: Any, box: BlackBox, evaluation: Evaluation, X: Any, truth: BlackBoxAnswers, weight: Floats
) -> Imitation:
    """How faithful the tree is on rows that it did not learn from."""
    is_real = truth.kind == "numbers"
    distance = None
    if truth.classes is not None and truth.kind == "probabilities":
        place = {label: k for k, label in enumerate(truth.classes.tolist())}
        shares = np.zeros_like(truth.values)
        shares[:, [place[label] for label in model.classes_.tolist()]] = model.predict_proba(X)
        apart = np.abs(shares - truth.values).sum(axis=1) / 2
        distance = math.fsum((weight * apart).tolist()) / math.fsum(weight.tolist())
    return Imitation(
        of=box.name,
        answers=truth.kind,
        fidelity=evaluation.metrics.get("r2", Estimate(math.nan)) if is_real else evaluation["accuracy"],
        baseline=Estimate(0.0) if is_real else evaluation.baseline,
        distance=distance,
        n_rows=0,
        n_drawn=0,
        n_held_out=len(weight),
        leaves=model.tree_.n_leaves,
        evaluation=evaluation,
    )
