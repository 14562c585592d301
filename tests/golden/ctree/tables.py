"""The tables that both sides grow trees on. Run as a program it writes them as CSV files into a folder.

    python -m tests.golden.ctree.tables FOLDER
    Rscript tests/golden/ctree/make.R FOLDER tests/golden/ctree

Four come with scikit-learn. The others are made here, from whole numbers only, so that they are the same
everywhere: `mixed` has nominal, ordinal and numeric columns (classes), `prices` the same for a real target
with repeated rows, `gaps` has missing values.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

ORDERED = {"size": ["XS", "S", "M", "L", "XL"]}
SKLEARN = {
    "iris": load_iris,
    "breast_cancer": load_breast_cancer,
    "wine": load_wine,
    "diabetes": load_diabetes,
}
NAMES = (*SKLEARN, "mixed", "prices", "gaps")


def table(name: str) -> tuple[dict[str, list[Any]], list[Any], list[int] | None]:
    """Columns by name, target, and repetitions of the rows or None."""
    if name in SKLEARN:
        data = SKLEARN[name]()
        return (
            {f"x{j}": data.data[:, j].tolist() for j in range(data.data.shape[1])},
            data.target.tolist(),
            None,
        )
    return {"mixed": _mixed, "prices": _prices, "gaps": _gaps}[name]()


def _numbers(seed: int) -> Iterator[int]:
    """Whole numbers from 0 to 32767 that look random (Lehmer 1951, modulus 2^31 - 1)."""
    state = seed
    while True:
        state = state * 48271 % 2147483647
        yield state >> 16


def _mixed() -> tuple[dict[str, list[Any]], list[Any], None]:
    draw = _numbers(11)
    colour, size, age, noise, y = [], [], [], [], []
    for _ in range(400):
        colour.append("abcdef"[next(draw) % 6])
        size.append(ORDERED["size"][next(draw) % 5])
        age.append(18 + next(draw) % 60)
        noise.append(next(draw) % 1000 / 8)
        points = 2 * (colour[-1] in "ace") + (size[-1] in ("L", "XL")) + (age[-1] > 45) + next(draw) % 3
        y.append("high" if points > 4 else "low" if points < 2 else "mid")
    return {"colour": colour, "size": size, "age": age, "noise": noise}, y, None


def _prices() -> tuple[dict[str, list[Any]], list[Any], list[int]]:
    draw = _numbers(23)
    town, size, age, y, counts = [], [], [], [], []
    for _ in range(250):
        town.append(["Aš", "Brno", "Cheb", "Děčín"][next(draw) % 4])
        size.append(ORDERED["size"][next(draw) % 5])
        age.append(next(draw) % 80 / 2)
        value = 40 * (town[-1] == "Brno") + 10 * ORDERED["size"].index(size[-1]) - age[-1] // 8
        y.append(value + next(draw) % 64 / 4)
        counts.append(1 + next(draw) % 3)
    return {"town": town, "size": size, "age": age}, y, counts


def _gaps() -> tuple[dict[str, list[Any]], list[Any], None]:
    draw = _numbers(37)
    columns: dict[str, list[Any]] = {"colour": [], "size": [], "a": [], "b": []}
    y = []
    for _ in range(300):
        colour, size = "pqrs"[next(draw) % 4], next(draw) % 5
        a, b = next(draw) % 100, next(draw) % 100
        y.append("yes" if (a > 55) + (colour in "pr") + next(draw) % 2 > 1 else "no")
        for name, value in (("colour", colour), ("size", ORDERED["size"][size]), ("a", a), ("b", b)):
            columns[name].append(None if next(draw) % 7 == 0 else value)
    return columns, y, None


def main(folder: Path) -> None:
    """Write every table."""
    for name in NAMES:
        columns, target, counts = table(name)
        whole = {**columns, "target": target, **({"counts": counts} if counts else {})}
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(whole)
            writer.writerows(
                [repr(v) if isinstance(v, float) else v for v in row]
                for row in zip(*whole.values(), strict=True)
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
