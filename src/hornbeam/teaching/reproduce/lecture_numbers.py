"""What the facts share: gains and branches of a column, parts of a table, and the learner of the lectures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from hornbeam.estimators.tree_estimators import TreeClassifier
from hornbeam.growing.missing import OwnBranch
from hornbeam.teaching import measures
from hornbeam.teaching.datasets import Dataset
from hornbeam.tree.words import count


def builddt(data: Dataset, **limits: Any) -> TreeClassifier:
    """BuildDT fitted: information gain, a branch for each value, no minimum gain."""
    missing, nominal = OwnBranch(vote="leaf"), data.categorical
    model = TreeClassifier(
        "entropy", split="multiway", missing=missing, categorical_features=nominal, **limits
    )
    return model.fit(data.X, data.y, counts=data.counts)


def gains(data: Dataset, columns: list[str] | None = None) -> dict[str, float]:
    """The information gain of every column with a branch for each value."""
    names = columns or list(data.X)
    return {name: measures.information_gain(data.X[name], data.y, counts=data.counts) for name in names}


def best(scores: Mapping[str, float]) -> str:
    """The first name of the largest score."""
    return max(scores, key=lambda name: scores[name])


def errors(model: Any, data: Dataset) -> int:
    """How many rows of a table a model or Tree answers wrongly."""
    assert data.y is not None
    wrong = measures.error_rate(data.y, model.predict(data.X), counts=data.counts)
    return round(wrong * sum(data.counts or [1] * data.n_rows))


def branches(data: Dataset, column: str) -> Iterator[tuple[Any, Any]]:
    """(value, class counts) of every branch of a column."""
    table = measures.tabulate(data.X[column], data.y, counts=data.counts)
    yield from zip(table.branches, table.counts, strict=True)


def ratio_text(counts: Any) -> str:
    """Counts as the lectures write them.

    >>> ratio_text([2.0, 1.0])
    '2:1'
    """
    return ":".join(count(float(value)) for value in counts)


def where_is(data: Dataset, column: str, value: Any) -> Dataset:
    """The rows of a table that have a value."""
    assert data.y is not None
    rows = [row for row, other in enumerate(data.X[column]) if other == value]
    return replace(
        data,
        X={name: [values[row] for row in rows] for name, values in data.X.items()},
        y=[data.y[row] for row in rows],
        counts=None if data.counts is None else [data.counts[row] for row in rows],
    )
