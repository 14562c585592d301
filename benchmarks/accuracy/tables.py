"""Which tables a folder holds, and what is asked of each.

`tables.json` names the files, and for each its target, its task and the columns to drop. Without that file
every ARFF and CSV file is a table. Where no target is named it is the last column; where no task is named the
target's values say whether they are classes or numbers.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.arff import MISSING, cells

FEW = 10
"""A column of at most so many whole numbers holds classes."""

Facts = dict[str, Any]


def facts_of(folder: Path) -> dict[str, Facts]:
    """name -> target, task, drop, rows, header (None: the file has one) of every table in the folder."""
    if not folder.is_dir():
        raise ValueError(f"--data names {folder}, which is no folder; give a folder of ARFF and CSV files")
    named = folder / "tables.json"
    try:
        given = json.loads(named.read_text(encoding="utf-8")) if named.exists() else None
    except ValueError as error:
        raise ValueError(f"{named} is not JSON ({error}); mend it, or do without it") from error
    if given is None:
        given = {path.name: {} for path in sorted(folder.iterdir()) if path.suffix in (".arff", ".csv")}
    lost = [name for name in given if not (folder / name).is_file()]
    if lost:
        raise ValueError(f"{named} names {', '.join(lost)}, which {folder} does not hold")
    if not given:
        raise ValueError(f"{folder} holds no ARFF and no CSV file; give --data a folder that does")
    return {name: completed(folder / name, about) for name, about in given.items()}


def completed(path: Path, about: Facts) -> Facts:
    """What is known of a table, and the rest as the file says."""
    found = {"drop": [], "header": None, **about}
    if {"target", "task", "rows"} <= set(found):
        return found
    names, kinds, rows = cells(path, found["header"])
    found.setdefault("target", [name for name in names if name not in found["drop"]][-1])
    found.setdefault("rows", len(rows))
    found.setdefault(
        "task", _task(kinds[found["target"]], [row[names.index(found["target"])] for row in rows])
    )
    return found


def marks_of(folder: Path, facts: dict[str, Facts], folds: int) -> dict[str, str]:
    """By table: what its results hang on; equal marks mean equal rows, questions and folds."""
    marks = {}
    for name, about in facts.items():
        text = hashlib.sha256((folder / name).read_bytes())
        text.update(json.dumps([about[key] for key in ("target", "task", "drop", "header")]).encode())
        marks[Path(name).stem] = f"{text.hexdigest()[:16]}, {folds} folds"
    return marks


def _task(declared: list[str] | None, values: list[str]) -> str:
    if declared is not None:
        return "classification"
    numbers = np.array([float(value) for value in values if value != MISSING])
    distinct = np.unique(numbers[np.isfinite(numbers)])
    few = len(distinct) <= FEW and bool((distinct == np.round(distinct)).all())
    return "classification" if few else "regression"
