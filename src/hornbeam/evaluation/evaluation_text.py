"""Evaluations and comparisons as text for people.

Each metric has one line: the value, its bounds, and the number it is to be compared with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.formatting import aligned, visible
from hornbeam.evaluation.metrics import CLASS_METRICS, REAL_METRICS
from hornbeam.tree.words import amount, count

if TYPE_CHECKING:
    from hornbeam.evaluation.compare import Comparison
    from hornbeam.evaluation.estimate_intervals import Estimate
    from hornbeam.evaluation.evaluate import Evaluation

_MOST_CLASSES = 12  # of more the table of answers is not printed
_ABOUT = {name: metric.about for name, metric in ({**CLASS_METRICS, **REAL_METRICS}).items()}
_WIDTH = 18


def estimate_text(estimate: Estimate | None, real: bool = False) -> str:  # noqa: FBT001, FBT002 (how it is written)
    """A value and its bounds; numbers in units of y with four significant digits."""
    if estimate is None:
        return "-"
    if not real:
        return estimate.text()
    if estimate.low is None or estimate.high is None:
        return amount(estimate.value)
    return f"{amount(estimate.value)}  ({amount(estimate.low)} to {amount(estimate.high)})"


def evaluation_text(evaluation: Evaluation) -> str:
    """An evaluation as text."""
    real = evaluation.task.is_real
    lines = [", ".join(_heading(evaluation))]
    for name, value in evaluation.metrics.items():
        text = estimate_text(value, real and name != "r2")
        if name in ("accuracy", "rmse"):
            text += f"    {_baseline(evaluation)}"
        values = np.array(evaluation.folds.get(name, ()))
        values = values[~np.isnan(values)]
        if len(values) > 1:
            text += f"    folds: sd {amount(float(values.std(ddof=1)))}"
        lines.append(f"{_ABOUT[name].ljust(_WIDTH)}  {text}".rstrip())
    if real:
        parts = [f"{100 * level:g} %: {amount(value)}" for level, value in evaluation.residuals.items()]
        return "\n".join([*lines, f"{'residuals'.ljust(_WIDTH)}  {'  '.join(parts)}"])
    return "\n".join([*lines, *_unknown(evaluation), "", *_classes(evaluation), *_table(evaluation)])


def _unknown(evaluation: Evaluation) -> list[str]:
    unknown = evaluation.unknown
    if not unknown:
        return []
    rows = sum(one.n for one in evaluation.per_class if one.label in unknown)
    names = ", ".join(repr(label) for label in unknown[:8]) + ", ..." * (len(unknown) > 8)
    return [f"the model does not know {names}: {amount(rows)} of the rows count as mistakes"]


def _heading(evaluation: Evaluation) -> list[str]:
    parts = ["1 row" if evaluation.n == 1 else f"{evaluation.n:,} rows"]
    if evaluation.folds:
        parts.append(f"{len(next(iter(evaluation.folds.values())))} folds")
    mean = "on average " if evaluation.folds else ""
    if evaluation.leaves is not None:
        parts.append(f"{mean}{amount(evaluation.leaves)} {'leaf' if evaluation.leaves == 1 else 'leaves'}")
    if evaluation.depth is not None:
        parts.append(f"depth {amount(evaluation.depth)}")
    if evaluation.confidence != 0.95:
        parts.append(f"intervals of {100 * evaluation.confidence:g} %")
    return parts


def _baseline(evaluation: Evaluation) -> str:
    if evaluation.task.is_real:
        return f"the mean: {amount(evaluation.baseline.value)}"
    most = int(np.argmax(evaluation.confusion.sum(axis=1)))
    return f"always {evaluation.classes[most]!r}: {evaluation.baseline.value:.4f}"


def _classes(evaluation: Evaluation) -> list[str]:
    total = sum(one.n for one in evaluation.per_class)
    heads = ["class", "rows" if total == evaluation.n else "weight", "precision", "recall"]
    rows = [
        [
            visible(str(one.label)),
            count(round(one.n, 3)),
            estimate_text(one.precision),
            estimate_text(one.recall),
        ]
        for one in evaluation.per_class
    ]
    return aligned([heads, *rows], right={1})


def _table(evaluation: Evaluation) -> list[str]:
    if len(evaluation.classes) > _MOST_CLASSES:
        return []
    rows = [["answered", *(visible(str(label)) for label in evaluation.classes)]]
    for label, row in zip(evaluation.classes, evaluation.confusion.tolist(), strict=True):
        rows.append([f"is {visible(str(label))}", *(count(round(x, 3)) for x in row)])
    return ["", *aligned(rows, right=set(range(1, len(rows[0]))))]


def comparison_text(comparison: Comparison) -> str:
    """A comparison as text."""
    real = comparison.task.is_real
    way = f"{comparison.n_folds} folds" if comparison.n_folds else "the same rows"
    lines = [f"{comparison.n:,} rows, {way}; differences are second less first"]
    rows = [["", "first", "second", "difference", "p"]]
    for name, one in comparison.metrics.items():
        form = amount if real and name != "r2" else "{:.4f}".format
        p = "" if one.p is None else "<.0001" if one.p < 0.0001 else f"{one.p:.4f}"
        difference = estimate_text(one.difference, real and name != "r2")
        rows.append([_ABOUT[name], form(one.first), form(one.second), difference, p])
    lines += aligned(rows, right={1, 2})
    if comparison.mcnemar_p is not None:
        lines.append(
            f"only the first is right: {len(comparison.lost)} rows, only the second: {len(comparison.won)};"
            f" McNemar's exact p {comparison.mcnemar_p:.4g}"
        )
    lines.append(f"{len(comparison.changed):,} of {comparison.n:,} rows are answered differently")
    return "\n".join(lines)
