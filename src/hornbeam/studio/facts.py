"""What a page has to know of a session before it asks for a tree: the columns, the settings, the history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hornbeam._base.types import Task
from hornbeam.data.files.table_file import span_text
from hornbeam.data.suspicious_columns import SuspiciousColumns, suspicious_columns
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.editing.edit_context import LIMITS
from hornbeam.estimators.estimator_parameters import SLOTS
from hornbeam.io.export import FORMATS
from hornbeam.pruning import PRUNING
from hornbeam.studio.output import OWN
from hornbeam.studio.rows import PartedRows
from hornbeam.studio.session import Session
from hornbeam.studio.settings import SLOT_NAMES, Settings, recipes_for
from hornbeam.teaching import datasets
from hornbeam.teaching.lectures import lectures

_FEW_VALUES = 4  # of a column, which are all told
_FORMATS = {
    "model": "Model (tree.json)",
    "report": "Report (HTML page)",
    "script": "Python calls that repeat this session",
}
_FORMATS |= {
    "sql": "SQL",
    "python": "Python function",
    "javascript": "JavaScript",
    "c": "C",
    "json": "JSON",
    "dot": "Graphviz dot",
}
_FORMATS |= {"markdown": "Markdown", "onnx": "ONNX", "pmml": "PMML", "svg": "SVG picture"}


def session_facts(session: Session) -> dict[str, Any]:
    """Everything but the tree."""
    with session.lock:
        settings, sheet, source = session.settings, session.sheet, session.source
        rows = session.chapters[session.revisions[session.head].chapter].rows if session.revisions else None
        revisions = [
            {"number": k, "parent": one.parent, "say": one.say, "op": one.operation, "time": one.time}
            for k, one in enumerate(session.revisions)
        ]
        if session.kept is not None:
            revisions = [{"number": k, **one} for k, one in enumerate(session.kept["revisions"])]
        facts: dict[str, Any] = {
            "revision": session.head,
            "revisions": revisions,
            "head": session.head,
            "end": session.end,
            "branches": session.branches if session.revisions else [],
            "settings": settings.to_plain(),
            "target": settings.target,
            "task": None if rows is None else rows.task.value,
            "read_only": session.read_only,
        }
    task = Task.CLASSES if rows is None else rows.task
    facts["data"] = None if sheet is None else _data_facts(source, sheet, rows)
    facts["columns"] = [] if sheet is None else column_facts(session, rows)
    facts["notes"] = [] if sheet is None else sheet.notes
    facts["classes"] = [] if rows is None else [str(one) for one in rows.classes]
    guided = [{"name": one.name, "title": one.title} for one in lectures().values()]
    return facts | choices(task) | {"demos": demos(), "lectures": guided}


def choices(task: Task) -> dict[str, Any]:
    """The names among which settings and operations choose."""
    able = {
        slot: [
            {"name": name, "about": part.about}
            for name, part in SLOTS[slot].items()
            if slot != "criterion" or part.task == task
        ]
        for slot in SLOT_NAMES
    }
    pruning = [
        {"name": name, "about": part.about, "held_out": part.uses_rows}
        for name, part in PRUNING.items()
        if task in part.tasks
    ]
    return {
        "criteria": able["criterion"],
        "slots": able,
        "recipes": recipes_for(task),
        "limits": list(LIMITS),
        "pruning": pruning,
        "formats": [{"name": name, "about": _FORMATS.get(name, name)} for name in (*OWN, *FORMATS)],
    }


def demos() -> list[dict[str, Any]]:
    """The bundled tables that have a target."""
    loaded = [datasets.load(name) for name in datasets.names()]
    return [
        {"name": f"demo:{one.name}", "rows": one.n_rows, "about": one.description}
        for one in loaded
        if one.y is not None
    ]


def _data_facts(source: Any, sheet: Any, rows: PartedRows | None) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": source.name,
        "rows": sheet.data.num_rows,
        "format": sheet.facts["format"],
    }
    if rows is None:
        return facts | {"training": None, "held_out": None}
    return facts | {
        "training": len(rows.training),
        "held_out": 0 if rows.held_out is None else len(rows.held_out),
    }


def column_facts(session: Session, rows: PartedRows | None) -> list[dict[str, Any]]:
    """Each column of the table: kind, range or values, gaps, role and a warning."""
    assert session.sheet is not None
    settings = session.settings
    warnings = {} if rows is None else column_warnings(rows)
    roles = {settings.target: "target", settings.weight: "weight", settings.counts: "counts"}
    roles |= dict.fromkeys(settings.exclude, "excluded")
    listed = []
    for name, facts in session.sheet.facts["columns"].items():
        one: dict[str, Any] = {"name": name, "kind": facts["kind"], "type": facts["type"]}
        one |= {"missing": facts["n_missing"], "distinct": facts["distinct"], "text": _values_text(facts)}
        for key in ("low", "high"):
            if key in facts:
                one[key] = facts[key]
        if "values" in facts:  # all of them, or none
            one["values"] = facts["values"]
        one["role"] = roles.get(name, "input")
        one["about"] = _about(one, settings)
        one["remark"] = facts["why"] or None
        one["warning"] = warnings.get(name)
        listed.append(one)
    return listed


def _about(column: Mapping[str, Any], settings: Settings) -> str:
    """The role of a column, its values, gaps, price and direction, as far as there is something to say."""
    name, role = column["name"], column["role"]
    if role == "excluded":
        return "left out"
    said = ["" if role == "input" else role, column["text"]]
    said.append(f"∅ {column['missing']:,}" if column["missing"] else "")
    said.append(f"price {settings.prices[name]:g}" if name in settings.prices else "")
    said.append({1: "rising", -1: "falling"}.get(settings.monotone.get(name, 0), ""))
    return " · ".join(filter(None, said))


def _values_text(facts: Mapping[str, Any]) -> str:
    """The values of a column if they are few, or how many, or its range."""
    if "examples" in facts and facts["distinct"] > _FEW_VALUES:
        return f"{facts['distinct']:,} values"
    if facts["kind"] == "nominal":
        return ", ".join(facts["values"]) or "no values"
    return span_text(facts) or "no values"


def column_warnings(rows: PartedRows) -> dict[str, str]:
    """What misleads a tree, by column."""
    kept = vars(rows).get("_warnings")
    if kept is None:
        X, y, weight, counts = rows.training.as_tuple()
        encode = Target.classes_of if rows.task == Task.CLASSES else Target.real_of
        kept = _sentences(suspicious_columns(Table.learn(X), encode(y, weight, counts)))
        vars(rows)["_warnings"] = kept  # the rows never change
    return dict(kept)


def _sentences(columns: SuspiciousColumns) -> dict[str, str]:
    words = {
        "identifiers": "a different value in each row, as an identifier has: a tree learns nothing from that",
        "near_identifiers": "so many different values that what they tell is chance",
        "dates": "dates as text: set its kind to date",
        "telling": "tells the target alone, perhaps because it was made from it",
    }
    return {name: words[which] for which in words for name in getattr(columns, which)}
