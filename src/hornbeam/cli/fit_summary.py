"""What `hornbeam fit` says at its end: the tree, how large it is, and how good on rows it has not seen."""

from __future__ import annotations

import warnings
from typing import Any, TextIO

from hornbeam.cli.inputs import ModelRows
from hornbeam.cli.tables import explained_size, percent, short, tree_text
from hornbeam.cli.terminal import Messages, Progress, fit_lines

MOST_LINES = 12  # of the tree that `fit` prints; what is deeper is counted
FOLDS = 10  # by which a model is measured that no held-out rows have measured
MOST_VALUES = 2_000_000  # of a table whose model is grown again for each fold


def summary(
    model: Any,
    learned: ModelRows,
    held_out: ModelRows | None,
    target: str | None,
    path: str | None,
    seconds: float,
) -> dict[str, Any]:
    """Facts of a fitted model, as `--format json` prints them."""
    tree = model.tree_
    facts: dict[str, Any] = {"model": path, "task": tree.task, "target": target, "rows": learned.n_rows}
    facts |= {"columns": len(tree.columns)}
    facts |= {key: tree.statistics()[key] for key in ("leaves", "depth", "nodes", "reading_size")}
    facts |= {"seconds": round(seconds, 3), "training": _measure(model, learned)}
    if held_out is not None:
        facts |= {"held_out_rows": held_out.n_rows, "held_out": _measure(model, held_out)}
    return facts


def on_folds(model: Any) -> dict[str, Any]:
    """How good an automatic choice was on the rows that its folds held out."""
    account = getattr(model, "account_", None)
    if account is None or account.loss is None or account.error is None:
        return {}
    if account.measure == "error":
        return {"on_folds": {"error": {"value": account.loss, "standard_error": account.error}}}
    root = account.loss**0.5
    spread = account.error / (2 * root) if root else 0.0
    return {"on_folds": {"rmse": {"value": root, "standard_error": spread}}}


def is_measured(model: Any) -> bool:
    """Whether rows held out have told how good an automatic choice is."""
    account = getattr(model, "account_", None)
    return account is not None and (account.loss is not None or bool(account.untried))


def cross_validate(model: Any, rows: ModelRows, seed: int, messages: Messages) -> dict[str, Any]:
    """Estimates by cross-validation; none where growing the tree again for each fold would take long."""
    slow = getattr(model, "search", "greedy") != "greedy" or getattr(model, "time_limit", None) is not None
    if rows.y is None or slow or rows.n_rows < FOLDS or rows.n_rows * rows.X.num_columns > MOST_VALUES:
        return {}
    try:
        with Progress(messages, "cross-validating") as progress, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the fit on all rows has said it
            measured = _measure(model, rows, cv=FOLDS, random_state=seed, progress=progress)
    except KeyboardInterrupt:
        messages.warn("interrupted: the model is saved, but not cross-validated")
        return {}
    return {"folds": FOLDS, "cross_validated": measured}


def tree_lines(tree: Any, target: str | None) -> list[str]:
    """The tree without details, or as many of its levels as fit into a few lines."""
    bars = False if tree.has_models else 10  # an equation says more than a bar
    for depth in range(tree.depth, min(tree.depth, 1) - 1, -1):
        if (tree.depths <= depth).sum() <= MOST_LINES:
            text = tree_text(tree, max_depth=depth, bars=bars, details=False, target=target)
            return [*text.splitlines(), ""]
    return []


def summary_lines(facts: dict[str, Any], stream: TextIO) -> list[str]:
    """The answer for people: one line if the terminal is wide enough."""
    groups: list[list[Any]] = [[("✓ ", "good"), *explained_size(facts, stream)]]
    if facts["training"]:
        groups.append(_metric_words("training", facts["training"], interval=False))
    if "held_out" in facts:
        groups.append(_metric_words("held-out", facts["held_out"], interval=True))
    if "on_folds" in facts:
        groups.append(_metric_words("on rows held out:", facts["on_folds"], interval=True))
    if "cross_validated" in facts:
        groups.append(_metric_words("cross-validated", facts["cross_validated"], interval=True))
    return fit_lines(stream, groups)


def _measure(model: Any, rows: ModelRows, **how: Any) -> dict[str, Any]:
    """The first metrics of a model on rows, with intervals: error, RMSE and R2, concordance, likelihood."""
    if rows.y is None:
        return {"log_likelihood": {"value": float(model.score(rows.X))}}
    from hornbeam.evaluation import evaluate

    evaluation = evaluate(model, rows.X, rows.y, **rows.keywords(), **how)
    if evaluation.task.is_survival:
        return {name: value.to_dict() for name, value in evaluation.metrics.items()}
    if evaluation.task.is_real:
        names = [name for name in ("rmse", "r2") if name in evaluation.metrics]
        return {name: evaluation[name].to_dict() for name in names}
    accuracy = evaluation["accuracy"].to_dict()
    ends = {"low": accuracy.get("high"), "high": accuracy.get("low")}
    interval = {name: None if value is None else 1.0 - value for name, value in ends.items()}
    return {"error": {"value": 1.0 - evaluation["accuracy"].value, **interval}}


def _metric_words(name: str, metrics: dict[str, Any], *, interval: bool) -> list[Any]:
    """Metrics as words of a line; with `interval` its ends, too."""
    words: list[Any] = []
    for key, metric in metrics.items():
        spell = percent if key == "error" else short
        title = {"error": "error", "rmse": "RMSE", "r2": "R²"}.get(key, key.replace("_", " "))
        words += ["   " if words else f"{name} ", f"{title} ", (spell(metric["value"]), "number")]
        if metric.get("standard_error") is not None:
            words.append(
                (f" ± {spell(metric['standard_error']).removesuffix(' %')}  (standard error)", "dim")
            )
        if interval and metric.get("low") is not None:
            low, high = (spell(metric[end]).removesuffix(" %") for end in ("low", "high"))
            words.append((f"  (95 % {low}–{high})", "dim"))
    return words
