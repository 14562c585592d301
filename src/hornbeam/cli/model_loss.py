"""Judging: what a fitted model loses on rows, in numbers and in words of one line."""

from __future__ import annotations

from typing import Any

from hornbeam.cli.model_rows import Rows
from hornbeam.cli.text_tables import percent, short


def judged(model: Any, rows: Rows) -> dict[str, Any]:
    """The first metrics of a model on rows, with intervals: error, or RMSE and R2, or log likelihood."""
    if rows.y is None:
        return {"log_likelihood": {"value": float(model.score(rows.X))}}
    from hornbeam.evaluation import evaluate

    found = evaluate(model, rows.X, rows.y, **rows.keywords())
    if found.task == "real":
        return {name: found[name].to_dict() for name in ("rmse", "r2") if name in found.metrics}
    right = found["accuracy"].to_dict()
    bounds = {"low": right.get("high"), "high": right.get("low")}
    error = {name: None if value is None else 1.0 - value for name, value in bounds.items()}
    return {"error": {"value": 1.0 - found["accuracy"].value, **error}}


def error_words(name: str, found: dict[str, Any], *, interval: bool) -> list[Any]:
    """The same as words of a line; `interval` says between what, too."""
    words: list[Any] = []
    for key, one in found.items():
        spell = percent if key == "error" else short
        title = {"error": "error", "rmse": "RMSE", "r2": "R²"}.get(key, key.replace("_", " "))
        words += ["   " if words else f"{name} ", f"{title} ", (spell(one["value"]), "number")]
        if interval and one.get("low") is not None:
            low, high = (spell(one[end]).removesuffix(" %") for end in ("low", "high"))
            words.append((f"  (95 % {low}–{high})", "dim"))
    return words
