"""Errors, rates and calibration of groups of rows, each with an interval, to compare the groups.

One idea: every measure of all rows is also taken of the rows of each group; in addition, how often each class
is answered and how often it is true there, and how far its probabilities are off on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray
from hornbeam.data.formatting import aligned, category_text, visible
from hornbeam.data.frames import open_table
from hornbeam.evaluation.estimate_intervals import Estimate, effective, mean_of, wilson
from hornbeam.evaluation.metrics import measure
from hornbeam.evaluation.predictions import Answers
from hornbeam.tree.json_values import json_fields, json_value
from hornbeam.tree.words import amount

MISSING_GROUP = "missing"


@dataclass(frozen=True)
class GroupRate:
    """One class in one group.

    Attributes
    ----------
    label : the class
    answered : how often it is answered
    true : how often it is true
    recall : how often it is answered where it is true; None if it never is
    false_alarm : how often it is answered where it is not true
    calibration : its mean probability less the share of rows of which it is true
    """

    label: Any
    answered: Estimate
    true: Estimate
    recall: Estimate | None
    false_alarm: Estimate | None
    calibration: Estimate

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        names = ("answered", "true", "recall", "false_alarm", "calibration")
        return {"class": json_value(self.label)} | json_fields(self, names)


@dataclass(frozen=True)
class GroupFacts:
    """One group of rows.

    Attributes
    ----------
    label : what the group is called
    n : int
        Its rows of positive weight.
    metrics : dict of Estimate
        As those of all rows; one that these rows say nothing about is not there.
    rates : tuple of GroupRate
        By class; empty for numbers.
    """

    label: Any
    n: int
    metrics: dict[str, Estimate]
    rates: tuple[GroupRate, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        rates = {"rates": [rate.to_dict() for rate in self.rates]} if self.rates else {}
        return {"group": json_value(self.label), "n": self.n, **json_value(self.metrics), **rates}


def group_codes(groups: Any, X: Any, n_rows: int) -> tuple[list[Any], AnyArray]:
    """The names of the groups, in order, and the group of each row; `groups` may name a column of X.

    >>> group_codes(["b", "a", None], None, 3)
    (['a', 'b', 'missing'], array([1, 0, 2]))
    """
    if isinstance(groups, str):
        source = open_table(X)
        names = list(source.column_names())
        if groups not in names:
            raise ValueError(f"groups={groups!r} is no column of X; give its name, or the group of each row")
        groups = source.get(names.index(groups))
    values = groups.to_pylist() if hasattr(groups, "to_pylist") else np.asarray(groups, dtype=object).tolist()
    if not isinstance(values, list) or len(values) != n_rows:
        raise ValueError(f"groups must name the group of each of {n_rows} rows, or a column of X")
    values = [MISSING_GROUP if v is None or v != v else v for v in values]
    labels = list(dict.fromkeys(values))
    try:
        labels.sort()
    except TypeError:  # of several types
        labels.sort(key=lambda label: (str(type(label)), str(label)))
    if MISSING_GROUP in labels and len(labels) > 1:
        labels.append(labels.pop(labels.index(MISSING_GROUP)))
    place = {label: k for k, label in enumerate(labels)}
    return labels, np.array([place[value] for value in values], dtype=np.int64)


def group_facts(
    answers: Answers, labels: Sequence[Any], codes: AnyArray, confidence: float
) -> tuple[GroupFacts, ...]:
    """The facts of each group that has rows which count."""
    facts = []
    for k, label in enumerate(labels):
        rows = np.flatnonzero((codes == k) & (answers.weight > 0))
        if len(rows):
            some = answers.take(rows).canonical()
            rates = tuple(_rate(some, j, confidence) for j in range(len(some.classes)))
            facts.append(GroupFacts(label, len(rows), measure(some, confidence), rates))
    return tuple(facts)


def _rate(answers: Answers, j: int, confidence: float) -> GroupRate:
    """How often class j is answered, and how often it is true."""
    assert answers.shares is not None
    is_j, said_j = answers.truth == j, answers.predicted == j

    def share(what: AnyArray, among: AnyArray) -> Estimate | None:
        weight = answers.weight[among]
        total = float(weight.sum())
        if total == 0:
            return None
        return wilson(float(weight[what[among]].sum()) / total, effective(weight), confidence)

    every = np.ones(len(is_j), dtype=bool)
    answered, true = share(said_j, every), share(is_j, every)
    assert answered is not None
    assert true is not None
    off = mean_of(answers.shares[:, j] - is_j, answers.weight, confidence)
    return GroupRate(answers.classes[j], answered, true, share(said_j, is_j), share(said_j, ~is_j), off)


def group_columns(groups: Sequence[GroupFacts]) -> dict[str, list[Any]]:
    """A row for each group, class and measure: value, low and high."""
    rows: list[tuple[Any, Any, str, Estimate]] = []
    for group in groups:
        rows += [(group.label, None, name, value) for name, value in group.metrics.items()]
        for rate in group.rates:
            for name in ("answered", "true", "recall", "false_alarm", "calibration"):
                value = getattr(rate, name)
                if value is not None:
                    rows.append((group.label, rate.label, name, value))
    columns = {name: [row[k] for row in rows] for k, name in enumerate(("group", "class", "measure"))}
    return columns | {name: [getattr(row[3], name) for row in rows] for name in ("value", "low", "high")}


def group_lines(groups: Sequence[GroupFacts]) -> list[str]:
    """The groups as a table: for classes the error and, if there are two, the rates of the second."""
    if not groups[0].rates:
        names = ("rmse", "mae", "bias")
        rows = [
            [
                _name(g),
                f"{g.n:,}",
                *(g.metrics[name].text(amount) if name in g.metrics else "-" for name in names),
            ]
            for g in groups
        ]
        return aligned([["group", "rows", "RMSE", "MAE", "mean bias"], *rows], right={1})
    heads = ["group", "rows", "accuracy"]
    shown = groups[0].rates[-1:] if len(groups[0].rates) == 2 else ()
    heads += [f"{what} {visible(category_text(rate.label))}" for rate in shown for what in ("answered", "is")]
    heads += ["probability - share" for _ in shown]
    rows = []
    for group in groups:
        rate = group.rates[-1]
        known = [rate.answered, rate.true, rate.calibration] if shown else []
        rows.append(
            [_name(group), f"{group.n:,}", *(_text(one) for one in (group.metrics["accuracy"], *known))]
        )
    return aligned([heads, *rows], right={1})


def _name(group: GroupFacts) -> str:
    return visible(category_text(group.label))


def _text(value: Estimate) -> str:
    return value.text("{:.3f}".format)
