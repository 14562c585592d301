"""Evaluations and comparisons as text for people.

Each metric has one line: the value, its bounds, and the number it is to be compared with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from hornbeam._base.types import Task
from hornbeam.data.formatting import aligned, class_text, visible
from hornbeam.evaluation.group_facts import group_lines
from hornbeam.evaluation.metrics import METRICS
from hornbeam.tree.words import amount, count

if TYPE_CHECKING:
    from hornbeam.evaluation.compare import Comparison
    from hornbeam.evaluation.estimate_intervals import Estimate
    from hornbeam.evaluation.evaluation_result import Evaluation

MOST_CLASSES = 12  # of more the table of answers is not printed
_ABOUT = {name: metric.about for metrics in METRICS.values() for name, metric in metrics.items()}
_WIDTH = 18


def _number_writer(task: Task, name: str) -> Callable[[float], str]:
    """How the numbers of a metric are written: those in units of y with four significant digits."""
    return amount if task.has_spread and name != "r2" else "{:.4f}".format


def evaluation_text(evaluation: Evaluation) -> str:
    """An evaluation as text."""
    lines = [", ".join(_heading(evaluation))]
    for name, value in evaluation.metrics.items():
        text = value.text(_number_writer(evaluation.task, name))
        if name in ("accuracy", "rmse", "integrated_brier"):
            text += f"    {_baseline(evaluation)}"
        values = np.array(evaluation.folds.get(name, ()))
        values = values[~np.isnan(values)]
        if len(values) > 1:
            text += f"    folds: sd {amount(float(values.std(ddof=1)))}"
        lines.append(f"{_ABOUT[name].ljust(_WIDTH)}  {text}".rstrip())
    if evaluation.task.is_survival:
        parts = [f"at {amount(time)}: {score:.4f}" for time, score in evaluation.brier_by_time.items()]
        return "\n".join([*lines, f"{'Brier score'.ljust(_WIDTH)}  {'  '.join(parts)}"])
    if evaluation.task.is_real:
        parts = [f"{100 * level:g} %: {amount(value)}" for level, value in evaluation.residuals.items()]
        lines.append(f"{'residuals'.ljust(_WIDTH)}  {'  '.join(parts)}")
    else:
        lines += [*_unknown(evaluation), "", *_classes(evaluation), *_table(evaluation)]
    return "\n".join([*lines, *(["", *group_lines(evaluation.groups)] if evaluation.groups else [])])


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
        n_folds = len(next(iter(evaluation.folds.values())))
        times = f" in {evaluation.n_repetitions} repetitions" if evaluation.n_repetitions > 1 else ""
        parts.append(f"{n_folds} folds{times}")
    mean = "on average " if evaluation.folds else ""
    if evaluation.leaves is not None:
        parts.append(f"{mean}{amount(evaluation.leaves)} {'leaf' if evaluation.leaves == 1 else 'leaves'}")
    if evaluation.depth is not None:
        parts.append(f"depth {amount(evaluation.depth)}")
    if evaluation.reading_size is not None:
        parts.append(f"reading size {amount(evaluation.reading_size)}")
    if evaluation.confidence != 0.95:
        parts.append(f"intervals of {100 * evaluation.confidence:g} %")
    return parts


def _baseline(evaluation: Evaluation) -> str:
    if evaluation.task.is_survival:
        return f"one curve for all: {evaluation.baseline.value:.4f}"
    if evaluation.task.is_real:
        return f"the mean: {amount(evaluation.baseline.value)}"
    most = int(np.argmax(evaluation.confusion.sum(axis=1)))
    return f"always {class_text(evaluation.classes[most])}: {evaluation.baseline.value:.4f}"


def _classes(evaluation: Evaluation) -> list[str]:
    total = sum(one.n for one in evaluation.per_class)
    heads = ["class", "rows" if total == evaluation.n else "weight", "precision", "recall"]
    rows = [
        [visible(str(one.label)), count(round(one.n, 3)), _share_text(one.precision), _share_text(one.recall)]
        for one in evaluation.per_class
    ]
    return aligned([heads, *rows], right={1})


def _share_text(share: Estimate | None) -> str:
    return "-" if share is None else share.text()


def _table(evaluation: Evaluation) -> list[str]:
    if len(evaluation.classes) > MOST_CLASSES:
        return []
    rows = [["answered", *(class_text(label) for label in evaluation.classes)]]
    for label, row in zip(evaluation.classes, evaluation.confusion.tolist(), strict=True):
        rows.append([f"is {class_text(label)}", *(count(round(x, 3)) for x in row)])
    return ["", *aligned(rows, right=set(range(1, len(rows[0]))))]


def comparison_text(comparison: Comparison) -> str:
    """A comparison as text."""
    way = f"{comparison.n_folds} folds" if comparison.n_folds else "the same rows"
    lines = [f"{comparison.n:,} rows, {way}; differences are second less first"]
    rows = [["", "first", "second", "difference", "p"]]
    for name, one in comparison.metrics.items():
        form = _number_writer(comparison.task, name)
        p = "" if one.p is None else "<.0001" if one.p < 0.0001 else f"{one.p:.4f}"
        rows.append([_ABOUT[name], form(one.first), form(one.second), one.difference.text(form), p])
    for name in ("leaves", "reading_size"):
        if name in comparison.sizes:
            rows.append([name.replace("_", " "), *map(amount, comparison.sizes[name]), "", ""])
    lines += aligned(rows, right={1, 2})
    if comparison.mcnemar_p is not None:
        lines.append(
            f"only the first is right: {len(comparison.lost)} rows, only the second: {len(comparison.won)};"
            f" McNemar's exact p {comparison.mcnemar_p:.4g}"
        )
    lines.append(f"{len(comparison.changed):,} of {comparison.n:,} rows are answered differently")
    return "\n".join(lines)
