"""The tables that both sides grow trees on. Run as a program it writes them as CSV files into a folder.

    python -m tests.golden.rpart_costs.tables FOLDER
    Rscript tests/golden/rpart_costs/make.R FOLDER tests/golden/rpart_costs

Three come with scikit-learn. `made` is made here, from whole numbers only: unbalanced classes, a nominal
column, and row weights, so that every kind of number enters the arithmetic.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

from sklearn.datasets import load_breast_cancer, load_iris, load_wine

SKLEARN = {"iris": load_iris, "breast_cancer": load_breast_cancer, "wine": load_wine}
NAMES = (*SKLEARN, "made")


def table(name: str) -> tuple[dict[str, list[Any]], list[str], list[float]]:
    """Columns by name, class of each row, weight of each row."""
    if name == "made":
        return _made()
    data = SKLEARN[name]()
    columns = {f"x{j}": data.data[:, j].tolist() for j in range(data.data.shape[1])}
    return columns, [f"c{k}" for k in data.target.tolist()], [1.0] * len(data.target)


def _made() -> tuple[dict[str, list[Any]], list[str], list[float]]:
    """300 rows of a fixed sequence of numbers: class c0 is rare, c2 common."""
    state, rows = 12345, []
    for _ in range(300):
        drawn = []
        for _ in range(5):
            state = (state * 1103515245 + 12345) % 2**31
            drawn.append(state >> 16)
        x, z, colour, noise, weight = drawn[0] % 97, drawn[1] % 53, drawn[2] % 4, drawn[3] % 100, drawn[4] % 4
        score = x + (20 if colour == 2 else 0) + noise // 2
        label = "c0" if score < 32 else "c1" if z > 30 and score < 95 else "c2"
        rows.append((x, z, "abcd"[colour], label, 0.25 * (weight + 1)))
    x, z, colour, y, weight = map(list, zip(*rows, strict=True))
    return {"x": x, "z": z, "colour": colour}, y, weight


def write(folder: Path) -> None:
    """All tables as CSV files: columns, then class and weight."""
    for name in NAMES:
        columns, y, weight = table(name)
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*columns, "class", "weight"])
            for row in zip(*columns.values(), y, weight, strict=True):
                writer.writerow([repr(v) if isinstance(v, float) else v for v in row])


if __name__ == "__main__":
    write(Path(sys.argv[1]))
