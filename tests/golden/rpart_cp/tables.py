"""The tables that both sides prune on. Run as a program it writes them as CSV files into a folder.

    python -m tests.golden.rpart_cp.tables FOLDER
    Rscript tests/golden/rpart_cp/make.R FOLDER tests/golden/rpart_cp

Classes come from `tests.golden.rpart_costs`; the numbers to predict from scikit-learn's diabetes table. The
fold of a row is its number modulo five.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

from sklearn.datasets import load_diabetes
from tests.golden.rpart_costs import tables

NAMES = ("made", "breast_cancer", "wine", "diabetes")
N_FOLDS = 5


def table(name: str) -> tuple[dict[str, list[Any]], list[Any], list[float]]:
    """Columns by name, outcome of each row, weight of each row."""
    if name != "diabetes":
        return tables.table(name)
    data = load_diabetes()
    columns = {f"x{j}": data.data[:, j].tolist() for j in range(data.data.shape[1])}
    weight = [0.5 + 0.25 * (i % 4) for i in range(len(data.target))]
    return columns, data.target.tolist(), weight


def folds(name: str) -> list[int]:
    """The fold of each row."""
    return [i % N_FOLDS for i in range(len(table(name)[1]))]


def write(folder: Path) -> None:
    """All tables as CSV files: columns, then outcome, weight and fold."""
    for name in NAMES:
        columns, y, weight = table(name)
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*columns, "y", "weight", "fold"])
            for row in zip(*columns.values(), y, weight, folds(name), strict=True):
                writer.writerow([repr(v) if isinstance(v, float) else v for v in row])


if __name__ == "__main__":
    write(Path(sys.argv[1]))
