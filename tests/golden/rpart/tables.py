"""The tables that both sides grow trees on. Run as a program it writes them as CSV files into a folder.

    python -m tests.golden.rpart.tables FOLDER
    Rscript tests/golden/rpart/make.R FOLDER tests/golden/rpart

Those of classes are those of `tests.golden.j48.tables`, gaps included; `diabetes` comes with scikit-learn;
`prices0` to `prices4` have a real target and are made here, the last two with gaps.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

from sklearn.datasets import load_diabetes
from tests.golden.j48 import tables as classes
from tests.golden.j48.tables import Columns, made, with_gaps

REAL = ("diabetes", *(f"prices{seed}" for seed in range(5)))
NAMES = (*(name for name in classes.NAMES if name not in classes.CLOSE), *REAL)


def table(name: str) -> tuple[Columns, list[Any]]:
    """Columns by name, and the target of each row."""
    if name == "diabetes":
        data = load_diabetes()
        return {f"x{j}": data.data[:, j].tolist() for j in range(data.data.shape[1])}, data.target.tolist()
    if name in REAL:
        return _prices(int(name.removeprefix("prices")))
    return classes.table(name)


def _prices(seed: int) -> tuple[Columns, list[Any]]:
    columns, noise = made(seed + 30)
    worth = {"r": 3, "g": 0, "b": 7, "y": 1, "w": 5}
    y = [
        worth[colour] * 4 + (a // 10 if shape == "o" else b / 16) + 3 * int(label[1:])
        for colour, shape, a, b, label in zip(
            columns["colour"], columns["shape"], columns["a"], columns["b"], noise, strict=True
        )
    ]
    return (with_gaps(columns, seed) if seed > 2 else columns), y


if __name__ == "__main__":
    for one in NAMES:
        X, y = table(one)
        with (Path(sys.argv[1]) / f"{one}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*X, "target"])
            for row in zip(*X.values(), y, strict=True):
                writer.writerow(["" if v is None else repr(v) if isinstance(v, float) else v for v in row])
