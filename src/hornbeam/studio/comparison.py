"""Two models side by side: revisions of a session, or models that are saved in its folder.

One idea: whatever they are, both answer the same rows, those that the revision holds out.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hornbeam.evaluation import compare
from hornbeam.io.load import load
from hornbeam.studio.data_source import is_model, start_of_file
from hornbeam.studio.opening import within
from hornbeam.studio.row_pages import changed_rows
from hornbeam.studio.session import Session
from hornbeam.studio.view import View
from hornbeam.tree.scores import p_digits

_MOST_MODELS = 50


def comparison(session: Session, folder: Path, a: Any, b: Any) -> dict[str, Any]:
    """Two models: each is the number of a revision, or the name of a saved model in the folder."""
    view = session.view(next((one for one in (b, a) if not isinstance(one, str)), None))

    def model(named: Any) -> Any:
        return _loaded(within(folder, named)) if isinstance(named, str) else session.view(named).model

    return _compared(view, {"first": model(a), "second": model(b)}) | {"a": a, "b": b}


def saved_models(folder: Path) -> list[str]:
    """The names of the saved models in a folder."""
    return sorted(path.name for path in folder.glob("*.tree.json"))[:_MOST_MODELS]


def _loaded(path: Path) -> Any:
    """A saved model; raise with a sentence for another file."""
    if not is_model(start_of_file(path)):
        raise ValueError(f"{path.name} is no saved model")
    return load(path)


def _compared(view: View, models: Mapping[str, Any]) -> dict[str, Any]:
    """Two models on the held-out rows of a revision, or on its training rows if none are held out."""
    rows = view.chapter.rows
    part = rows.training if rows.held_out is None else rows.held_out
    X, y, weight, counts = part.as_tuple()
    a, b = models.values()
    made = compare(a, b, X, y, sample_weight=weight, counts=counts)
    facts = made.to_dict()
    which = "training" if rows.held_out is None else "held-out"
    changed = changed_rows(view, part, np.asarray(facts["changed"], dtype=np.int64), models)
    n, lost, won = (f"{len(facts[name]):,}" for name in ("changed", "lost", "won"))
    rows_text = "held-out records" if which == "held-out" else "training records (none are held out)"
    facts["lines"] = [
        f"on {facts['n']:,} {rows_text}",
        f"{n} answered differently; only the first is right in {lost}, only the second in {won}",
    ]
    for name in ("changed", "won", "lost"):
        facts[name] = part.positions[np.asarray(facts[name], dtype=np.int64)].tolist()
    facts |= {"part": which, "text": str(made)} | changed
    return facts | {"table": [_metric_line(name, one) for name, one in facts["metrics"].items()]}


def _metric_line(name: str, facts: Mapping[str, Any]) -> list[str]:
    """A metric of both trees in words: theirs, the difference with its interval, and p."""
    difference = facts.get("difference") or {}
    interval = f"{difference['low']:.4f} to {difference['high']:.4f}" if difference else "–"
    numbers = (facts.get("first"), facts.get("second"), difference.get("value"))
    first, second, value = ("–" if one is None else f"{one:.4f}" for one in numbers)
    p = "–" if facts.get("p") is None else p_digits(facts["p"])
    return [name.replace("_", " "), first, second, value, interval, p]
