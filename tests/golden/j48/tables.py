"""The tables that both sides grow trees on. Run as a program it writes them as ARFF files into a folder.

    python -m tests.golden.j48.tables FOLDER
    python -m tests.golden.j48.make FOLDER weka.jar

Four come with scikit-learn, three with the package. The others are made here, from whole numbers only, so
that they are the same everywhere: nominal and numeric columns, two to four classes, a lot of noise (so that
there is something to prune and to raise). `wide0` to `wide3` have a column of twelve values, `gaps0` and
`gaps1` missing ones. The numbers of a column of `near` are closer than 0.00001, which J48 does not tell
apart; `apart` is the same table with that column a thousand times as large.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

import hornbeam as hb

Columns = dict[str, list[Any]]
SKLEARN = {
    "iris": load_iris,
    "breast_cancer": load_breast_cancer,
    "wine": load_wine,
    "digits": load_digits,
}
LECTURES = ("tennis", "robots", "temperature")
MADE = tuple(f"made{seed}" for seed in range(20))
WIDE = tuple(f"wide{seed}" for seed in range(4))
GAPS = ("gaps0", "gaps1")
CLOSE = ("near", "apart")
NAMES = (*SKLEARN, *LECTURES, *MADE, *WIDE, *GAPS, *CLOSE)


def table(name: str) -> tuple[Columns, list[str]]:
    """Columns by name, and the class of each row."""
    if name in SKLEARN:
        data = SKLEARN[name]()
        columns = {f"x{j}": data.data[:, j].tolist() for j in range(data.data.shape[1])}
        return columns, [f"c{k}" for k in data.target.tolist()]
    if name in LECTURES:
        found = hb.datasets.load(name)
        return {column: list(values) for column, values in found.X.items()}, list(found.y)
    if name in CLOSE:
        columns, y = made(11)
        unit = 1e-6 if name == "near" else 1e-3
        return columns | {"b": [float(f"{(1_500_000 + 4 * b) * unit:.6f}") for b in columns["b"]]}, y
    if name in WIDE:
        return made(40 + int(name[-1]), 12)
    columns, y = made(int(name[-1]) if name in GAPS else int(name.removeprefix("made")))
    return (with_gaps(columns, 5 + int(name[-1])) if name in GAPS else columns), y


def numbers(seed: int) -> Iterator[int]:
    """Whole numbers from 0 to 32767 that look random (Lehmer 1951, modulus 2^31 - 1)."""
    state = 1000 + 7919 * seed
    for _ in range(20):
        state = state * 48271 % 2147483647
    while True:
        state = state * 48271 % 2147483647
        yield state >> 16


def made(seed: int, colours: int = 0) -> tuple[Columns, list[str]]:
    """A noisy table; how many rows, values and classes it has follows from the seed."""
    draw = numbers(seed)
    n, k = 150 + 50 * (seed % 5), 2 + seed % 3
    columns: Columns = {"colour": [], "shape": [], "old": [], "a": [], "b": [], "c": []}
    y = []
    for _ in range(n):
        colour, shape, old = next(draw) % (colours or 3 + seed % 3), next(draw) % 3, next(draw) % 2
        a, b, c = next(draw) % 60, next(draw) % 1000, next(draw) % 8
        points = (a > 25) + (colour == 1) * (b > 400) + (shape == 2) * (c < 3) + old * (a < 10)
        label = points % k if next(draw) % 10 > 2 + seed % 2 else next(draw) % k
        for column, value in zip(
            columns, ("rgbywklmnopq"[colour], "ots"[shape], "ny"[old], a, b / 4, c), strict=True
        ):
            columns[column].append(value)
        y.append(f"c{label}")
    return columns, y


def with_gaps(columns: Columns, seed: int) -> Columns:
    """The same columns with every seventh cell or so missing."""
    draw = numbers(100 + seed)
    return {name: [None if next(draw) % 7 == 0 else v for v in values] for name, values in columns.items()}


def arff(name: str) -> str:
    """A table as Weka reads it; values and classes in sorted order."""
    columns, y = table(name)
    lines = [f"@relation {name}"]
    for column, values in columns.items():
        known = sorted({v for v in values if isinstance(v, str)})
        lines.append(f"@attribute {column} {'{' + ','.join(known) + '}' if known else 'numeric'}")
    lines += [f"@attribute class {{{','.join(sorted(set(y)))}}}", "@data"]
    for row in zip(*columns.values(), y, strict=True):
        lines.append(",".join("?" if v is None else repr(v) if isinstance(v, float) else str(v) for v in row))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for one in NAMES:
        (Path(sys.argv[1]) / f"{one}.arff").write_text(arff(one), encoding="utf-8")
