"""Results as CSV files, one for each topic beside its page, and what is read out of them.

The one idea: what is stored is what the page prints, in figures of three or four digits, which is what a
measured time is worth; so a page follows from its file, and the figures are kept once. A section begins with
lines `# what: text` and holds its tables, each under a line `# table: title`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from benchmarks.common import SETTINGS, Result, Table, skipped_lines
from benchmarks.peers import PEERS
from benchmarks.sections import SECTIONS, TOPICS

Results = dict[str, Result]

MANY = ("note", "left out", "ahead", "short")
"""What a section can say of itself in several lines; the rest it says once."""
APART = ("memory",)
"""Benchmarks whose every measurement has a process of its own, without turns."""


def section_of(result: Result) -> Result:
    """What is stored of the result that a benchmark returned."""
    if result.get("failed"):
        return {"title": result["title"], "failed": "yes", "note": result["notes"], "tables": []}
    machine = result["machine"]
    lines = result.get("measurements", [])
    runs = [len(line["seconds"]) for line in lines if isinstance(line.get("seconds"), list)]
    left_out = skipped_lines([*result.get("skipped", []), *unmentioned(result)])
    found: Result = {
        "title": result["title"],
        "benchmark": result.get("benchmark", ""),
        "processor": f"{machine['cpu']}, {machine['cores']} cores",
        "load": f"{machine['load']:g}" if machine.get("load") is not None else "",
        "threads": str(result["threads"]),
        "runs": str(max(runs)) if runs else "",
        "axis": result.get("axis", ""),
        "versions": ", ".join(f"{name} {version}" for name, version in result["versions"].items()),
        "quick": "yes" if result.get("quick") else "",
        "note": result.get("notes", []),
        "left out": left_out,
        "ahead": result["ahead"],
        "short": result.get("short", []),
        "tables": result["tables"],
    }
    if "turns" in result or found["benchmark"] in APART:
        found["processes"] = "one for each peer"
    return found


def joined(old: Result, new: Result) -> Result:
    """A section measured setting by setting: what is new, and the other settings of the same version."""
    alike = [[part["head"] for part in section.get("tables", [])] for section in (old, new)]
    if old.get("versions") != new.get("versions") or alike[0] != alike[1]:
        return new
    again = {row[0] for part in new["tables"] for row in part["rows"]}
    tables = []
    for before, part in zip(old["tables"], new["tables"], strict=True):
        rows = [row for row in before["rows"] if row[0] not in again] + part["rows"]
        tables.append(part | {"rows": sorted(rows, key=lambda row: _place(row[0]))})
    kept = {
        what: [text for text in old[what] if text not in new[what] and not any(s in text for s in again)]
        for what in MANY
    }
    return new | {"tables": tables} | {what: kept[what] + new[what] for what in MANY}


def _place(setting: str) -> int:
    """Where a setting stands in a table; rows of one setting keep their order."""
    return next((k for k, one in enumerate(SETTINGS.values()) if setting.endswith(one.label)), -1)


def unmentioned(result: Result) -> list[dict[str, str]]:
    """Peers of growing that a section neither measured nor named."""
    if result.get("benchmark") not in ("grow", "memory"):
        return []
    known = {line["peer"] for line in (*result["measurements"], *result["skipped"])}
    return [{"peer": p, "setting": "all", "reason": "not measured then"} for p in PEERS if p not in known]


def write(folder: Path, results: Mapping[str, Result]) -> None:
    """One CSV file for each topic that has results."""
    for topic, about in TOPICS.items():
        parts = [text_of(name, results[name]) for name in about.sections if name in results]
        if parts:
            (folder / f"{topic}.csv").write_text("\n".join(parts), encoding="utf-8")


def text_of(name: str, section: Result) -> str:
    text = io.StringIO()
    text.write(f"# section: {name}\n")
    for what, said in sorted(section.items(), key=lambda item: item[0] in MANY):
        if what != "tables":
            every = said if isinstance(said, list) else [said]
            text.writelines(f"# {what}: {' '.join(one.split())}\n" for one in every if one)
    rows = csv.writer(text, lineterminator="\n")
    for part in section["tables"]:
        text.write(f"# table: {part['title']}\n")
        rows.writerow(part["head"])
        rows.writerows(part["rows"])
    return text.getvalue()


def read(folder: Path) -> Results:
    """All stored sections, in the order of the topics."""
    found: Results = {}
    for topic in TOPICS:
        path = folder / f"{topic}.csv"
        if path.exists():
            found |= sections_in(path.read_text(encoding="utf-8"))
    return {name: found[name] for name in SECTIONS if name in found}


def sections_in(text: str) -> Results:
    """The sections of one file."""
    found: Results = {}
    here: Result = {}
    for line in text.splitlines():
        if not line.startswith("# "):
            if line:
                cells = next(csv.reader([line]))
                part: Table = here["tables"][-1]
                part["rows"].append(cells) if part["head"] else part["head"].extend(cells)
            continue
        what, _, said = line[2:].partition(":")
        said = said.strip()
        if what == "section":
            here = found[said] = {many: [] for many in (*MANY, "tables")}
        elif what == "table":
            here["tables"].append({"title": said, "head": [], "rows": []})
        elif what in MANY:
            here[what].append(said)
        else:
            here[what] = said
    return found


def versions_of(section: Result) -> dict[str, str]:
    """package -> version."""
    pairs = (one.rpartition(" ") for one in section.get("versions", "").split(", ") if one)
    return {name: version for name, _, version in pairs}


def number(cell: str) -> float | None:
    """The number in a cell, with or without its x; None for a dash."""
    text = cell.removesuffix("x").replace(",", "")
    return None if text in ("", "-") else float(text)


NAMES = ("peer", "engine", "explainer", "package", "learner")
RATIO = "time / Hornbeam"


def ratios(section: Result, table: int = 0, setting: str = "setting") -> dict[str, dict[str, float]]:
    """setting -> peer -> its time over Hornbeam's, out of a table that has such a column."""
    if len(section.get("tables", [])) <= table:
        return {}
    part = section["tables"][table]
    head = part["head"]
    who = next((k for k, title in enumerate(head) if title in NAMES), None)
    ratio = next((k for k, title in enumerate(head) if title.startswith(RATIO)), None)
    found: dict[str, dict[str, float]] = {}
    for row in part["rows"] if who is not None and ratio is not None and setting in head else ():
        value = number(row[ratio])
        if value is not None and not row[who].startswith("hornbeam"):
            peers = found.setdefault(row[head.index(setting)], {})
            peers[row[who]] = min(value, peers.get(row[who], value))
    return found
