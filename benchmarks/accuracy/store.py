"""What the folds of all learners and tables gave, in a compact CSV file.

The one idea: a line for each table and learner, a cell for each measure, in it its folds in units of the
fourth digit, which is what tests over folds need. The last fold takes up what rounding left out, so that the
mean over the folds, which the page prints, stays as it was. What only means are printed of is one number that
holds for every fold. The reading size of plain trees follows from their leaves. Lines that begin with # say
which versions and tables it is about.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.accuracy.figures import MEASURES, PLAIN_TREES, compared_by_folds

FACTS = {"versions": "version", "tables": "table", "skipped": "left out"}
UNIT = 10_000
MEANS = ("leaves", "size", "seconds")
"""What only the mean over the folds is stored of."""


def empty() -> dict[str, Any]:
    """A store without results."""
    return {"folds": {}, "skipped": {}, "versions": {}, "tables": {}}


def write(path: Path, stored: dict[str, Any]) -> None:
    """Write a store: facts about the run, then a line for each table and learner."""
    text = io.StringIO()
    if stored.get("about"):
        text.write(f"# about: {stored['about']}\n")
    for key, word in FACTS.items():
        text.writelines(f"# {word}: {name}: {value}\n" for name, value in sorted(stored[key].items()))
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["table", "learner", "folds", *MEASURES, *MEANS])
    for table, found in sorted(stored["folds"].items()):
        for learner, folds in sorted(found.items()):
            cells = [_cell(folds, measure, learner) for measure in MEASURES]
            lines.writerow([table, learner, len(folds), *cells, *(_mean(folds, m) for m in MEANS)])
    path.write_text(text.getvalue(), encoding="utf-8")


def read(path: Path) -> dict[str, Any]:
    """The store in a file, as `write` left it or as JSON."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        given: dict[str, Any] = empty() | json.loads(text)
        return given
    stored = empty()
    for line in text.splitlines():
        word, _, fact = line.removeprefix("# ").partition(": ")
        if line.startswith("# about: "):
            stored["about"] = fact
        elif line.startswith("# "):
            name, _, value = fact.partition(": ")
            stored[next(key for key in FACTS if FACTS[key] == word)][name] = value
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("# "))
    for row in rows:
        n = int(row["folds"])
        known = {m: _values(row[m], n, UNIT if m in MEASURES else 1) for m in (*MEASURES, *MEANS) if row[m]}
        if "size" not in known and row["learner"] in PLAIN_TREES and row["leaves"]:
            known["size"] = [2 * leaves - 1 for leaves in known["leaves"] if leaves is not None]
        folds = [{m: v[k] for m, v in known.items() if v[k] is not None} for k in range(n)]
        stored["folds"].setdefault(row["table"], {})[row["learner"]] = folds
    return stored


def _cell(folds: Sequence[dict[str, float]], measure: str, learner: str) -> str:
    """The value of each fold, a dash where there is none; the last one has the digits that keep the mean."""
    known = [fold[measure] * UNIT for fold in folds if measure in fold]
    if not known:
        return ""
    if not compared_by_folds(learner):
        return _short(sum(known) / len(known), 2)
    units = [round(value) for value in known[:-1]]
    cells = iter([*map(str, units), _short(sum(known) - sum(units))])
    return " ".join(next(cells) if measure in fold else "-" for fold in folds)


def _mean(folds: Sequence[dict[str, float]], measure: str) -> str:
    values = [fold[measure] for fold in folds if measure in fold]
    return _short(sum(values) / len(values), 4) if values else ""


def _short(number: float, digits: int = 8) -> str:
    """At most so many digits after the point."""
    return f"{number:.{digits}f}".rstrip("0").rstrip(".")


def _values(cell: str, n: int, unit: int) -> list[float | None]:
    known = [None if text == "-" else float(text) / unit for text in cell.split()]
    return known * n if len(known) == 1 else known
