"""Writing: evaluations and comparisons as text for people.

One idea: one line a metric, the value first, then between which bounds, then what it is to be held against.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._base.text import aligned
from hornbeam.data.formatting import visible
from hornbeam.evaluation.metrics import CLASS_METRICS, REAL_METRICS
from hornbeam.tree.words import amount, count

if TYPE_CHECKING:
    from hornbeam.evaluation.compare import Comparison
    from hornbeam.evaluation.estimate_intervals import Estimate
    from hornbeam.evaluation.evaluate import Evaluation

_MOST_CLASSES = 12  # of more the table of answers is not printed
_ABOUT = {name: metric.about for name, metric in ({**CLASS_METRICS, **REAL_METRICS}).items()}
_WIDTH = 18


def plain(value: Any) -> Any:
    """A value JSON can hold; a number without end is None, anything unknown is text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def estimate_text(found: Estimate | None, real: bool = False) -> str:  # noqa: FBT001, FBT002 (how it is written)
    """A value and its bounds; numbers in units of y with four significant digits."""
    if found is None:
        return "-"
    if not real:
        return found.text()
    if found.low is None or found.high is None:
        return amount(found.value)
    return f"{amount(found.value)}  ({amount(found.low)} to {amount(found.high)})"


def evaluation_text(found: Evaluation) -> str:
    """An evaluation as text."""
    real = found.task == "real"
    lines = [", ".join(_heading(found))]
    for name, value in found.metrics.items():
        text = estimate_text(value, real and name != "r2")
        if name in ("accuracy", "rmse"):
            text += f"    {_baseline(found)}"
        values = np.array(found.folds.get(name, ()))
        values = values[~np.isnan(values)]
        if len(values) > 1:
            text += f"    folds: sd {amount(float(values.std(ddof=1)))}"
        lines.append(f"{_ABOUT[name].ljust(_WIDTH)}  {text}".rstrip())
    if real:
        parts = [f"{100 * level:g} %: {amount(value)}" for level, value in found.residuals.items()]
        return "\n".join([*lines, f"{'residuals'.ljust(_WIDTH)}  {'  '.join(parts)}"])
    return "\n".join([*lines, *_unknown(found), "", *_classes(found), *_table(found)])


def _unknown(found: Evaluation) -> list[str]:
    if not found.unknown:
        return []
    rows = sum(one.n for one in found.per_class if one.label in found.unknown)
    names = ", ".join(repr(label) for label in found.unknown[:8]) + ", ..." * (len(found.unknown) > 8)
    return [f"the model does not know {names}: {amount(rows)} of the rows count as mistakes"]


def _heading(found: Evaluation) -> list[str]:
    parts = ["1 row" if found.n == 1 else f"{found.n:,} rows"]
    if found.folds:
        parts.append(f"{len(next(iter(found.folds.values())))} folds")
    mean = "on average " if found.folds else ""
    if found.leaves is not None:
        parts.append(f"{mean}{amount(found.leaves)} {'leaf' if found.leaves == 1 else 'leaves'}")
    if found.depth is not None:
        parts.append(f"depth {amount(found.depth)}")
    if found.confidence != 0.95:
        parts.append(f"intervals of {100 * found.confidence:g} %")
    return parts


def _baseline(found: Evaluation) -> str:
    if found.task == "real":
        return f"the mean: {amount(found.baseline.value)}"
    most = int(np.argmax(found.confusion.sum(axis=1)))
    return f"always {found.classes[most]!r}: {found.baseline.value:.4f}"


def _classes(found: Evaluation) -> list[str]:
    total = sum(one.n for one in found.per_class)
    rows = [["class", "rows" if total == found.n else "weight", "precision", "recall"]]
    for one in found.per_class:
        rows.append(
            [
                visible(str(one.label)),
                count(round(one.n, 3)),
                estimate_text(one.precision),
                estimate_text(one.recall),
            ]
        )
    return aligned(rows, right={1})


def _table(found: Evaluation) -> list[str]:
    if len(found.classes) > _MOST_CLASSES:
        return []
    rows = [["answered", *(visible(str(label)) for label in found.classes)]]
    for label, row in zip(found.classes, found.confusion.tolist(), strict=True):
        rows.append([f"is {visible(str(label))}", *(count(round(x, 3)) for x in row)])
    return ["", *aligned(rows, right=set(range(1, len(rows[0]))))]


def comparison_text(found: Comparison) -> str:
    """A comparison as text."""
    real = found.task == "real"
    way = f"{found.n_folds} folds" if found.n_folds else "the same rows"
    lines = [f"{found.n:,} rows, {way}; differences are second less first"]
    rows = [["", "first", "second", "difference", "p"]]
    for name, one in found.metrics.items():
        form = amount if real and name != "r2" else "{:.4f}".format
        p = "" if one.p is None else "<.0001" if one.p < 0.0001 else f"{one.p:.4f}"
        difference = estimate_text(one.difference, real and name != "r2")
        rows.append([_ABOUT[name], form(one.first), form(one.second), difference, p])
    lines += aligned(rows, right={1, 2})
    if found.mcnemar_p is not None:
        lines.append(
            f"only the first is right: {len(found.lost)} rows, only the second: {len(found.won)};"
            f" McNemar's exact p {found.mcnemar_p:.4g}"
        )
    lines.append(f"{len(found.changed):,} of {found.n:,} rows are answered differently")
    return "\n".join(lines)
