"""Drift: whether new rows are like those a model was trained on, by what the tree remembers of them.

One idea: a tree keeps the range of every column and the share of the training rows in every leaf. New rows
outside the ranges, and leaves that are reached more or less often than before, say that the model is asked
about something else than it has learned from; no training rows and no outcomes are needed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.significance.tails import log_chi2
from hornbeam._base.types import Floats
from hornbeam.data.formatting import aligned, visible
from hornbeam.data.shown_result import TabularResult
from hornbeam.data.table import Table
from hornbeam.evaluation.estimate_intervals import Estimate, check_confidence, wilson
from hornbeam.reading.conditions import condition_texts, conditions
from hornbeam.tree import apply
from hornbeam.tree.branches import to_numbers
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.json_values import json_fields
from hornbeam.tree.words import amount

_SOME, _MUCH = 0.1, 0.25  # the usual limits of the population stability index


@dataclass(frozen=True)
class ColumnDrift:
    """One column: how many of the new rows hold what training has not seen.

    Attributes
    ----------
    column : str
    outside : Estimate
        The share of the known values that are outside the training range, or categories never seen.
    missing : Estimate
        The share of gaps.
    missing_before : bool
        Whether training has seen a gap.
    used : bool
        Whether the tree asks for the column.
    """

    column: str
    outside: Estimate
    missing: Estimate
    missing_before: bool
    used: bool


@dataclass(frozen=True)
class LeafDrift:
    """One leaf: its share of the training rows, and of the new ones."""

    leaf: int
    text: str
    before: float
    now: Estimate


@dataclass(frozen=True)
class Drift(TabularResult):
    """How new rows differ from the training rows; `str()` is the text, `to_dict()` the facts.

    Attributes
    ----------
    n : int
        The new rows.
    columns_ : tuple of ColumnDrift
    leaves : tuple of LeafDrift
    index : float
        The population stability index of the leaves: sum of (now - before) x ln(now / before). Below 0.1 is
        usual, above 0.25 a reason to look.
    p : float
        Of the chi-square test that the new rows fall into the leaves as the training rows did.
    """

    n: int
    columns_: tuple[ColumnDrift, ...]
    leaves: tuple[LeafDrift, ...]
    index: float
    p: float

    def columns(self) -> dict[str, list[Any]]:
        """A row for each leaf, that which has changed most first."""
        names = ("leaf", "text", "before")
        return {name: [getattr(one, name) for one in self.leaves] for name in names} | {
            name: [getattr(one.now, part) for one in self.leaves]
            for name, part in (("now", "value"), ("low", "low"), ("high", "high"))
        }

    def column_table(self) -> dict[str, list[Any]]:
        """A row for each column."""
        return {
            "column": [one.column for one in self.columns_],
            "outside": [one.outside.value for one in self.columns_],
            "missing": [one.missing.value for one in self.columns_],
            "missing before": [one.missing_before for one in self.columns_],
            "used": [one.used for one in self.columns_],
        }

    def shown_text(self) -> str:
        """The first line."""
        return str(self).splitlines()[0]

    def shown_tables(self) -> list[Mapping[str, Sequence[Any]]]:
        """Columns and leaves."""
        return [self.column_table(), self.columns()]

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values that JSON can hold."""
        names = ("column", "outside", "missing", "missing_before", "used")
        return {
            "schema": "hornbeam/drift/1",
            **json_fields(self, ("n", "index", "p")),
            "columns": [json_fields(one, names) for one in self.columns_],
            "leaves": [json_fields(one, ("leaf", "text", "before", "now")) for one in self.leaves],
        }

    def __str__(self) -> str:
        verdict = "little" if self.index < _SOME else "some" if self.index < _MUCH else "much"
        p = "below 0.0001" if self.p < 0.0001 else f"{self.p:.4f}"
        lines = [f"{self.n:,} new rows: {verdict} drift (stability index {self.index:.3f}, chi-square p {p})"]
        strange = [one for one in self.columns_ if one.outside.value > 0 or _new_gaps(one)]
        if strange:
            rows = [["column", "not seen in training", "missing", ""]]
            for one in strange:
                note = "" if one.used else "not asked for"
                gaps = _percent(one.missing) + (" (never in training)" if _new_gaps(one) else "")
                rows.append([visible(one.column), _percent(one.outside), gaps, note])
            lines += ["", *(line.rstrip() for line in aligned(rows))]
        rows = [["leaf", "before", "now", "rows"]]
        for leaf in self.leaves[:12]:
            rows.append([f"#{leaf.leaf}", f"{100 * leaf.before:.1f} %", _percent(leaf.now), leaf.text])
        return "\n".join([*lines, "", *aligned(rows, right={1})])


def _new_gaps(column: ColumnDrift) -> bool:
    return column.missing.value > 0 and not column.missing_before


def _percent(share: Estimate) -> str:
    return share.text(lambda value: f"{amount(round(100 * value, 1))} %")


def drift(model: Any, X: Any, *, confidence: float = 0.95) -> Drift:
    """Whether new rows are like those that a tree was trained on.

    Parameters
    ----------
    model : fitted tree, Tree, or the path of a saved one
    X : the new rows; their outcomes are not needed
    confidence : float
        Of the intervals.

    Examples
    --------
    >>> import hornbeam as hb
    >>> model = hb.TreeClassifier().fit({"age": [20, 30, 40, 50]}, ["a", "a", "b", "b"])
    >>> print(hb.drift(model, {"age": [35, 38, 44, 61]}))
    4 new rows: much drift (stability index 0.275, chi-square p 0.3173)
    <BLANKLINE>
    column  not seen in training     missing
    age     25 %  (4.6 % to 69.9 %)  0 %  (0 % to 49 %)
    <BLANKLINE>
    leaf  before  now                       rows
    #1    50.0 %  25 %  (4.6 % to 69.9 %)   age <= 35
    #2    50.0 %  75 %  (30.1 % to 95.4 %)  age > 35
    """
    level = check_confidence(confidence)
    tree = tree_of(model, for_rows=True)
    table = Table.match(X, tree.columns)
    if tree.uncounted or not table.n_rows:
        raise ValueError("drift compares new rows with the training rows in the leaves: there must be both")
    used = {c for node in np.flatnonzero(tree.first_child >= 0).tolist() for c in tree.tested_columns(node)}
    columns = []
    for k, (column, array) in enumerate(zip(tree.columns, table.arrays, strict=True)):
        values = to_numbers(array)
        gap = np.isnan(values) if array.dtype.kind == "f" else array == -1
        known = int((~gap).sum())
        if column.kind == "numeric":
            strange = (values < column.low) | (values > column.high)
        else:
            strange = np.asarray(array) < -1
        share = wilson(float(strange.sum()) / known, known, level) if known else Estimate(0.0)
        missing = wilson(float(gap.mean()), table.n_rows, level)
        columns.append(ColumnDrift(column.name, share, missing, column.has_missing, k in used))
    leaves = tree.leaves()
    reached = apply.complete_routing(tree, apply.leaves(tree, table), table.arrays)
    weight: Floats = np.bincount(reached.leaf, reached.weight, minlength=len(tree))[leaves].astype(np.float64)
    trained = tree.n_rows[leaves]  # rows, not weights: new rows have no classes or times to be weighed by
    before, now = trained / trained.sum(), weight / table.n_rows
    order = np.argsort(-np.abs(now - before), kind="stable").tolist()
    changed = tuple(
        LeafDrift(
            int(leaves[k]),
            " and ".join(condition_texts(conditions(tree, int(leaves[k])))) or "all rows",
            float(before[k]),
            wilson(min(float(now[k]), 1.0), table.n_rows, level),
        )
        for k in order
    )
    return Drift(
        table.n_rows, tuple(columns), changed, stability_index(before, now, table.n_rows), _p(before, weight)
    )


def stability_index(before: Floats, now: Floats, n_rows: int) -> float:
    """The population stability index of shares; an empty leaf counts as half a row.

    >>> round(stability_index(np.array([0.5, 0.5]), np.array([0.4, 0.6]), 100), 4)
    0.0405
    """
    least = 0.5 / n_rows
    first, second = np.maximum(before, least), np.maximum(now, least)
    return float(((second - first) * np.log(second / first)).sum())


def _p(before: Floats, weight: Floats) -> float:
    """The p of the chi-square test against the shares of training."""
    expected = before * weight.sum()
    some = expected > 0
    if some.sum() < 2:
        return 1.0
    if (weight[~some] > 0).any():
        return 0.0
    statistic = float(((weight[some] - expected[some]) ** 2 / expected[some]).sum())
    return math.exp(float(log_chi2(statistic, int(some.sum()) - 1)))
