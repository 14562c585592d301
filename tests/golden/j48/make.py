"""Grows J48's trees on the tables with Weka and writes them as `trees.json`.

    python -m tests.golden.j48.tables FOLDER
    python -m tests.golden.j48.make FOLDER weka.jar [TABLE ...]

With names of tables only those are grown, and the others stay as they are. Made with Weka 3.6.14 (its jar,
and Java to run it); the tests need neither.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.golden.j48.tables import NAMES

# J48's options: the defaults, no raising, no pruning (collapsed only), other numbers.
RUNS = {
    "default": [],
    "no-raising": ["-S"],
    "unpruned": ["-U"],
    "strict": ["-C", "0.05", "-M", "5"],
}


def j48(jar: Path, arff: Path, options: list[str]) -> str:
    """What Weka prints of the tree."""
    command = [
        "java",
        "-Xmx500m",
        "-cp",
        str(jar),
        "weka.classifiers.trees.J48",
        "-t",
        str(arff),
        "-no-cv",
        *options,
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def parsed(printed: str) -> Any:
    """The tree printed: a leaf is [label, cases, errors], a test [column, sign, [[value, subtree], ...]]."""
    body = printed.split("------------------\n", 1)[1].split("Number of Leaves", 1)[0]
    lines = [line for line in body.splitlines() if line.strip()]
    return _read(lines, 0) if not lines[0].startswith(":") else _leaf(lines[0][1:])


def _read(lines: list[str], depth: int) -> Any:
    """Takes the lines of one test from the front."""
    column, sign, branches = "", "", []
    while lines and lines[0].count("|   ") == depth:
        line = lines.pop(0).replace("|   ", "").strip()
        found = re.fullmatch(r"(\S+) (=|<=|>) ([^:]+?)(?:: (.*))?", line)
        assert found, line
        column, sign, value, leaf = found.groups()
        branches.append([value.strip(), _leaf(leaf) if leaf else _read(lines, depth + 1)])
    return [column, "=" if sign == "=" else "<=", branches]


def _leaf(text: str) -> list[Any]:
    found = re.fullmatch(r"\s*(\S+) \(([\d.]+)(?:/([\d.]+))?\)", text)
    assert found, text
    return [found[1], float(found[2]), float(found[3] or 0)]


def main(folder: Path, jar: Path, names: list[str]) -> None:
    """Write every tree of every run; trees of tables that are not named stay."""
    place = Path(__file__).parent / "trees.json"
    stored = json.loads(place.read_text(encoding="utf-8")) if names else {run: {} for run in RUNS}
    trees = {
        run: stored[run] | {n: parsed(j48(jar, folder / f"{n}.arff", options)) for n in names or NAMES}
        for run, options in RUNS.items()
    }
    lines = [
        f"{json.dumps(run)}: {{\n"
        + ",\n".join(f"{json.dumps(name)}: {json.dumps(tree)}" for name, tree in found.items())
        + "\n}"
        for run, found in trees.items()
    ]
    place.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
