"""How much a model owes to each column.

    impurity      the share of the impurity decrease that the column's tests brought in training
    surrogates    the same, and what its surrogates of other columns' tests brought, as rpart counts it
    permutation   how much worse the answers become when the column's values are dealt to the rows at random

How permuted rows are answered says `column_permutations`.
Of the result, the most important column comes first, and its bar is the longest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from hornbeam._base.parameters import check_choice, did_you_mean, is_whole, seed_of
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.column_choice import without_excluded
from hornbeam.data.folds import row_numbers
from hornbeam.data.formatting import visible
from hornbeam.data.shown_result import TabularResult
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.evaluation import metrics, predictions
from hornbeam.evaluation.column_permutations import ColumnDealer
from hornbeam.evaluation.estimate_intervals import check_confidence, effective, student
from hornbeam.evaluation.metrics import RowLoss
from hornbeam.evaluation.predictions import Answers
from hornbeam.tree.answers import judged_weights
from hornbeam.tree.hooks import inner_model, tree_of
from hornbeam.tree.tree import Tree

_BAR = 20  # characters of the longest bar


@dataclass(frozen=True)
class ColumnImportance:
    """One column: its importance, and between which bounds, where they are known."""

    column: str
    value: float
    low: float | None = None
    high: float | None = None


class Importance(TabularResult, Sequence[ColumnImportance]):
    """The columns of a model, the most important first; `str()` has a bar for each.

    Attributes
    ----------
    method : "impurity", "surrogates" or "permutation"
    scoring : str or None
        What got worse; None unless the method is "permutation".
    confidence : float
    """

    def __init__(
        self, importances: Sequence[ColumnImportance], method: str, scoring: str | None, confidence: float
    ) -> None:
        order = sorted(range(len(importances)), key=lambda k: (-importances[k].value, k))
        self._importances = tuple(importances[k] for k in order)
        self.method, self.scoring, self.confidence = method, scoring, confidence

    def __len__(self) -> int:
        return len(self._importances)

    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, str):
            return self._importances[which]
        for one in self._importances:
            if one.column == which:
                return one
        names = [one.column for one in self._importances]
        raise KeyError(
            f"no column is called {which!r}{did_you_mean(which, names)}: there are {', '.join(names)}"
        )

    def text(self, charset: str = "unicode") -> str:
        """A line for each column; `charset="ascii"` for terminals that know no other signs."""
        check_choice("charset", charset, ("unicode", "ascii"))
        block = "#" if charset == "ascii" else "█"
        width = max((len(visible(one.column)) for one in self._importances), default=0)
        most = max((one.value for one in self._importances), default=0.0)
        lines = []
        for one in self._importances:
            length = round(_BAR * one.value / most) if most > 0 and one.value > 0 else 0
            bar = block * max(length, 1 if one.value > 0 else 0)
            between = "" if one.low is None else f"  ({one.low:.4f} to {one.high:.4f})"
            lines.append(
                f"{visible(one.column).ljust(width)}  {one.value:7.4f}  {bar.ljust(_BAR)}{between}".rstrip()
            )
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def columns(self) -> dict[str, list[Any]]:
        """A column for each fact, for any data frame: `polars.DataFrame(importance.columns())`."""
        return {part.name: [getattr(one, part.name) for one in self] for part in fields(ColumnImportance)}

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values that JSON can hold, with "schema": "hornbeam/importance/1"."""
        return {
            "schema": "hornbeam/importance/1",
            "method": self.method,
            "scoring": self.scoring,
            "confidence": self.confidence,
            "columns": [asdict(one) for one in self],
        }


METHODS = ("impurity", "surrogates", "permutation")


# scoring -> the loss of each row; an importance is how much the mean loss rises
_CLASSES: dict[str, RowLoss] = {
    "accuracy": metrics.row_errors,
    "log_loss": metrics.row_log_loss,
    "brier": metrics.row_brier,
}
_REAL: dict[str, RowLoss] = {
    "r2": metrics.row_squares,  # over the variance of all rows
    "mse": metrics.row_squares,
    "mae": metrics.row_distances,
}


def _loss(scoring: str, before: Answers) -> RowLoss:
    """The loss of each row; `before` are the answers for all rows as they are."""
    loss = (_REAL if before.is_real else _CLASSES)[scoring]
    if scoring != "r2":
        return loss
    share = before.weight / before.weight.sum()
    variance = float(share @ (before.truth - float(share @ before.truth)) ** 2)
    return lambda answers: loss(answers) / variance if variance > 0 else np.zeros(len(answers.truth))


def importance(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    method: str | None = None,
    sample_weight: Any = None,
    n_repeats: int = 10,
    scoring: str | None = None,
    random_state: Any = 0,
    confidence: float = 0.95,
) -> Importance:
    """How much a fitted model owes to each column.

    Parameters
    ----------
    model : a fitted TreeClassifier, TreeRegressor or forest, a Tree, or the path of a saved one
    X, y : rows that were not used in training; only for "permutation"
    method : "impurity", "surrogates", "permutation" or None
        "impurity" needs no rows: each column's share of the impurity decrease of all tests, which are the
        `feature_importances_`. It favours columns of many values, and knows training rows only.
        "surrogates" is rpart's `variable.importance`: a column is also credited with the decreases of tests
        for which it is a surrogate, times the association of the two; for trees with missing="surrogates".
        "permutation": by how much the score falls when the values of the column are dealt to the rows at
        random. None: "permutation" if rows are given.
    sample_weight : weight of each row
    n_repeats : int
        How often the values are dealt; all columns are dealt in the same ways.
    scoring : str or None
        "accuracy", "log_loss" or "brier"; "r2", "mse" or "mae" for numbers. None is the first. An importance
        is always how much worse it gets.
    random_state : int, Generator, RandomState or None
    confidence : float
        Of the intervals.

    Returns
    -------
    Importance
        The most important column first; `result["age"].value`, `to_frame()`, and `str()` has bars.

    Notes
    -----
    The interval of a permutation importance says how far it may be off for other rows and other deals. With
    d the rise of the loss of row i in repeat r, paired with the loss of the same row as it is, the standard
    error is √(s²(mean over repeats)/n + s²(mean over rows)/R): the first term shrinks with rows, the second
    with repeats; together they are a little too wide rather than too narrow. A column that the model never
    tests has importance 0 exactly. Columns that say the same share their importance.

    References
    ----------
    Breiman, L. (2001). Random forests. Machine Learning 45, 5-32.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> model = hb.TreeClassifier(max_depth=3).fit(iris.data[::2], iris.target[::2])
    >>> print(hb.importance(model).text("ascii"))
    petal length (cm)   0.5551  ####################
    petal width (cm)    0.4363  ################
    sepal length (cm)   0.0087  #
    sepal width (cm)    0.0000
    >>> by_rows = hb.importance(model, iris.data[1::2], iris.target[1::2])
    >>> by_rows.method, by_rows[0].column, by_rows["sepal width (cm)"].value
    ('permutation', 'petal length (cm)', 0.0)
    """
    level = check_confidence(confidence)
    fitted = inner_model(predictions.model_of(model), for_rows=X is not None)
    if X is not None:
        predictions.refuse_survival(fitted, "importance by permutation")
    if not predictions.is_fitted(fitted):
        raise ValueError(f"this {type(fitted).__name__} is not fitted: fit it first")
    chosen = method or ("impurity" if X is None else "permutation")
    if chosen not in METHODS:
        raise ValueError(f"method={method!r} must be one of {', '.join(map(repr, METHODS))}, or None")
    columns = _columns(fitted)
    if chosen != "permutation":
        _refuse_rows({"X": X, "y": y, "sample_weight": sample_weight, "scoring": scoring})
        if chosen == "surrogates":
            values = surrogate_importances(tree_of(fitted))
        else:
            values = fitted.feature_importances() if isinstance(fitted, Tree) else fitted.feature_importances_
        pairs = zip(columns, values.tolist(), strict=True)
        return Importance([ColumnImportance(c.name, v) for c, v in pairs], chosen, None, level)
    if X is None or y is None:
        raise ValueError("method='permutation' needs rows that were not used in training: give X and y")
    if not is_whole(n_repeats) or not 1 <= n_repeats <= 1_000_000:
        raise ValueError(f"n_repeats={n_repeats!r} must be a whole number from 1 to 1,000,000")
    losses = _CLASSES if predictions.predicts_classes(fitted) else _REAL
    name = scoring or next(iter(losses))
    check_choice("scoring", name, tuple(losses))
    X = without_excluded(X, getattr(fitted, "exclude", None), len(columns))
    table = Table.match(X, columns, type(fitted).__name__)
    target = predictions.target_of(fitted, y, sample_weight, table.n_rows)
    first = seed_of(random_state)
    # Rows are put in an order that depends on their contents only, so that the order of X does not matter.
    order = np.argsort(row_numbers(table, target, first), kind="stable")
    table, target = table.take(order), target.take(order)
    seeds = np.random.default_rng(first).integers(2**63, size=int(n_repeats))
    return Importance(_importances(fitted, table, target, name, seeds, level), chosen, name, level)


def surrogate_importances(tree: Tree) -> Floats:
    """Shares of the decreases of all tests, credited to their columns and to those of their surrogates."""
    if not len(tree.surrogate_column):
        raise ValueError(
            "method='surrogates' counts surrogates, of which this tree has none: fit with"
            " missing='surrogates', as hb.rpart() does, or use method='impurity'"
        )
    decrease = tree.gain * judged_weights(tree)  # of the rows whose value is known, by which tests are judged
    inner = np.flatnonzero(tree.first_child >= 0)
    total = np.zeros(len(tree.columns))
    np.add.at(total, tree.column[inner], decrease[inner])
    owner = np.repeat(np.arange(len(tree)), np.diff(tree.surrogate_offset))
    np.add.at(total, tree.surrogate_column, decrease[owner] * np.maximum(tree.surrogate_association, 0.0))
    shares: Floats = total / total.sum() if total.sum() > 0 else total
    return shares


def _refuse_rows(parameters: dict[str, Any]) -> None:
    """Raise if a parameter is set that impurity-based importances, which come from training, do not use."""
    for name, value in parameters.items():
        if value is not None:
            shown = f"{name}={value!r}" if isinstance(value, str) else name
            raise ValueError(
                f"{shown} goes with method='permutation': importances by impurity come from training, so"
                " leave it out"
            )


def _columns(model: Any) -> tuple[Any, ...]:
    if isinstance(model, Tree):
        return model.columns
    tree = getattr(model, "tree_", None) or next(iter(getattr(model, "trees_", ())), None)
    if not isinstance(tree, Tree):
        raise TypeError(f"model is a {type(model).__name__}: give a tree or a forest of Hornbeam")
    return tree.columns


def _importances(
    model: Any, table: Table, target: Target, scoring: str, seeds: AnyArray, confidence: float
) -> list[ColumnImportance]:
    """The importance of every column, and between which bounds it lies."""
    predictions.unknown_classes(model, target)  # that it knows none is an error
    before = predictions.answers_of(model, table, target)
    share, n = before.weight / before.weight.sum(), effective(before.weight)
    dealer = ColumnDealer(model, table, target, before, _loss(scoring, before), seeds)
    return [
        _interval(column.name, *dealer.rises(place), share, n, confidence)
        for place, column in enumerate(table.columns)
    ]


def _interval(
    name: str, rows: Longs, rises: Floats, share: Floats, n: float, confidence: float
) -> ColumnImportance:
    """The mean rise and how far it may be off, over rows and repeats; only `rows` have `rises`."""
    if not len(rows):
        return ColumnImportance(name, 0.0, 0.0, 0.0)
    by_row = np.zeros(len(share))
    by_row[rows], by_repeat = rises.mean(axis=0), (rises * share[rows]).sum(axis=1)
    value = float((by_row * share).sum())
    if n <= 1:
        return ColumnImportance(name, value)
    spread = float((share * (by_row - value) ** 2).sum()) / (n - 1)
    repeats = float(by_repeat.var(ddof=1)) / len(by_repeat) if len(by_repeat) > 1 else 0.0
    half = student(confidence, n - 1) * math.sqrt(spread + repeats)
    return ColumnImportance(name, value, value - half, value + half)
