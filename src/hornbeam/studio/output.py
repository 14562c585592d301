"""What leaves a studio: the model, a report, the session as a Python script, and every format of export."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import Task
from hornbeam.display.report import report
from hornbeam.io.export import FORMATS, export
from hornbeam.io.save import save
from hornbeam.studio.session import Session
from hornbeam.studio.view import View

_ENDINGS = {
    "sql": "sql",
    "python": "py",
    "javascript": "js",
    "c": "c",
    "json": "json",
    "dot": "dot",
    "markdown": "md",
    "onnx": "onnx",
    "pmml": "pmml",
    "svg": "svg",
}
OWN = ("model", "report", "script")


@dataclass(frozen=True)
class ExportedFile:
    """A file to hand out."""

    name: str
    kind: str
    content: bytes


def export_file(session: Session, view: View, format: Any, options: Mapping[str, Any]) -> ExportedFile:  # noqa: A002
    """A revision in a format."""
    known = [*OWN, *FORMATS]
    if format not in known:
        raise ValueError(
            f"format={format!r} is not known{did_you_mean(format, known)}: use one of {', '.join(known)}"
        )
    if not isinstance(options, Mapping):
        raise ValueError(f"options={options!r} must be an object")
    stem = stem_of(session)
    if format == "model":
        return ExportedFile(f"{stem}.tree.json", "application/json", model_bytes(session, view))
    if format == "report":
        return ExportedFile(f"{stem}.html", "application/octet-stream", _report(view, stem, options).encode())
    if format == "script":
        return ExportedFile(f"{stem}.py", "text/x-python; charset=utf-8", script(session, view).encode())
    written = export(view.tree, format, **options)
    content = written if isinstance(written, bytes) else written.encode("utf-8", "surrogatepass")
    return ExportedFile(f"{stem}.{_ENDINGS[format]}", "application/octet-stream", content)


def stem_of(session: Session) -> str:
    """A file name without ending for what a session makes, of plain letters only."""
    name = "" if session.source is None else session.source.name.removeprefix("demo:").split(".")[0]
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:60] or "tree"


def model_bytes(session: Session, view: View) -> bytes:
    """The saved model, which says where its rows are as `hornbeam fit` does."""
    model = view.model
    model.tree_ = view.tree.replace(meta={**view.tree.meta, "data": _data_facts(session, view)})
    with tempfile.TemporaryDirectory() as folder:
        return save(model, Path(folder) / "model.tree.json").read_bytes()


def _data_facts(session: Session, view: View) -> dict[str, Any]:
    settings, source = view.chapter.settings, session.source
    facts: dict[str, Any] = {"target": settings.target, "weight": settings.weight, "counts": settings.counts}
    if source is not None and isinstance(source.location, str):
        facts["source"] = source.location
    facts |= {"holdout": settings.held_out, "seed": settings.seed}
    if session.sheet is not None and session.sheet.formats:
        facts["formats"] = session.sheet.formats
    return {name: value for name, value in facts.items() if value not in (None, {}, 0.0)}


def _report(view: View, title: str, options: Mapping[str, Any]) -> str:
    rows = view.chapter.rows
    X, y, weight, counts = rows.training.as_tuple()
    held_out = None if rows.held_out is None else rows.held_out.as_tuple()
    given = {"title": title} | dict(options)
    known = ("title", "rows", "random_state")
    for name in given:
        if name not in known:
            raise ValueError(f"{name!r} is no option of a report: options are {', '.join(known)}")
    made = report(view.model, X, y, sample_weight=weight, counts=counts, validation=held_out, **given)
    return made.to_html()


# ---- the session as a script -------------------------------------------------------------------------------


def script(session: Session, view: View) -> str:
    """Python that reads the table, and does every operation that led to a revision."""
    settings, rows = view.chapter.settings, view.chapter.rows
    source = session.source
    lines = ["import hornbeam as hb", "from hornbeam.parts import *  # noqa: F403", ""]
    is_named = source is not None and isinstance(source.location, str)
    location = source.location if source is not None and is_named else f"{stem_of(session)}.csv"
    kinds = f", columns={dict(settings.kinds)!r}" if settings.kinds else ""
    reading = "".join(f", {name}={value!r}" for name, value in (source.reading.items() if source else ()))
    remark = "" if is_named else "  # the table of the studio"
    lines.append(f"sheet = hb.read_table({location!r}{kinds}{reading}){remark}")
    keywords = "".join(
        f", {name}={getattr(settings, name)!r}" for name in ("weight", "counts") if getattr(settings, name)
    )
    lines.append(f"X, y, weight, counts = sheet.split({settings.target!r}{keywords})")
    if len(rows.training) + (0 if rows.held_out is None else len(rows.held_out)) < _n_rows(session):
        lines += _known_rows()
    held_out = ""
    if rows.held_out is not None:
        lines += _parting(settings.held_out, settings.seed, by_class=rows.task == Task.CLASSES)
        held_out = ", held_out=held_out"
    estimator = " ".join(repr(view.chapter.draft.context.estimator).split())
    lines += ["", f"draft = hb.edit(hb.{estimator}, X, y, weight, counts{held_out})"]
    drawn = view.draft.script()
    if drawn:
        lines.append(drawn)
    lines += ["", "print(draft)", f"hb.save(draft.model, {stem_of(session) + '.tree.json'!r})", ""]
    return "\n".join(lines)


def _n_rows(session: Session) -> int:
    return 0 if session.sheet is None else int(session.sheet.data.num_rows)


def _known_rows() -> list[str]:
    return [
        "known = y.is_valid().to_numpy(zero_copy_only=False).nonzero()[0]  # rows whose outcome is known",
        "X, y = X.take(known), y.take(known)",
        "weight, counts = (None if one is None else one[known] for one in (weight, counts))",
    ]


def _parting(share: float, seed: int, *, by_class: bool) -> list[str]:
    stratify = "outcomes" if by_class else "None"
    return [
        "",
        "outcomes = y.dictionary_decode() if hasattr(y, 'dictionary_decode') else y",
        "outcomes = outcomes.to_numpy(zero_copy_only=False)",
        f"parts = hb.teaching.train_validation_test(X, outcomes, ({1 - share!r}, 0.0, {share!r}),"
        f" stratify={stratify}, random_state={seed})",
        "def some(rows):",
        "    return [None if one is None else one.take(rows) for one in (X, y, weight, counts)]",
        "",
        "held_out = some(parts.test.rows)",
        "X, y, weight, counts = some(parts.train.rows)",
    ]
