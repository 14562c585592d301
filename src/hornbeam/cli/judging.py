"""Judging: what a fitted model loses on rows, in numbers and in words."""

from __future__ import annotations

from typing import Any

from hornbeam.cli.grids import percent, short
from hornbeam.cli.rows import Rows


def judged(model: Any, rows: Rows) -> dict[str, Any]:
    """Error or fit of a model on rows: numbers, with intervals where there are some."""
    if rows.y is None:
        return {"log_likelihood": float(model.score(rows.X))}
    weight = rows.counts if rows.weight is None else rows.weight
    score = float(model.score(rows.X, rows.y, sample_weight=weight))
    return {"r2" if model.tree_.task == "real" else "error": score if model.tree_.task == "real" else 1.0 - score}


def error_words(name: str, found: dict[str, Any], *, interval: bool) -> list[Any]:
    """The same as words of a line."""
    if "error" in found:
        return [f"{name} error ", (percent(found["error"]), "number")]
    key = next(iter(found))
    return [f"{name} {key.replace('_', ' ')} ", (short(found[key]), "number")]
