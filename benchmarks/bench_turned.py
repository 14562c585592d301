"""Shapes turned by 45 degrees: the leaves of an oblique tree as a share of those of a tree of plain columns.

The one idea: both trees learn the same rows, and leaves are compared at equal accuracy. Of the oblique tree's
pruning path the smallest tree is taken that answers 4,000 rows at least as well as the tree of plain columns
does; the accuracies printed are those on 4,000 rows more, which had no part in that choice.

    python -m benchmarks.bench_turned                    # the table of docs/algorithms/oblique.md
    python -m benchmarks.bench_turned --wrong 0.05 --shapes quarter,box --sizes 2000
    python -m benchmarks.bench_turned --aim leaves --shapes quarter,board2,board3 --sizes 500,2000
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

import hornbeam as hb
from hornbeam.parts import Oblique

WEDGE = np.deg2rad([20.0, 122.0])
NEW = 4_000


def board(u: np.ndarray, fields: int) -> np.ndarray:
    return np.floor((u[:, :2] + 1) * fields / 2).sum(axis=1) % 2 == 0


def wedge(u: np.ndarray) -> np.ndarray:
    """Between two rays from a point aside: an angle of 102 degrees, in line with nothing."""
    angle = np.arctan2(u[:, 1] + 0.2, u[:, 0] - 0.1)
    return (angle > WEDGE[0]) & (angle < WEDGE[1])


def planted(u: np.ndarray, levels: int, seed: int) -> np.ndarray:
    """The two classes of a random tree of plain columns, whose cuts keep to the middle of their boxes."""
    rng = np.random.default_rng(seed)
    classes = np.zeros(len(u), dtype=bool)

    def grow(rows: np.ndarray, low: np.ndarray, high: np.ndarray, left: int) -> None:
        if left == 0:
            classes[rows] = rng.random() < 0.5
            return
        k = int(rng.integers(u.shape[1]))
        cut = low[k] + (high[k] - low[k]) * rng.uniform(0.3, 0.7)
        below = u[rows, k] <= cut
        grow(rows[below], low, np.where(np.arange(len(low)) == k, cut, high), left - 1)
        grow(rows[~below], np.where(np.arange(len(low)) == k, cut, low), high, left - 1)

    corners = np.ones(u.shape[1])
    grow(np.arange(len(u)), -corners, corners, levels)
    return classes


Shape = tuple[str, int, Callable[[np.ndarray, int], np.ndarray]]
SHAPES: dict[str, Shape] = {
    "half": ("half-plane", 2, lambda u, _: u[:, 0] > 0.2),
    "band": ("band", 2, lambda u, _: np.abs(u[:, 0]) < 0.4),
    "box": ("box", 2, lambda u, _: (np.abs(u) < [0.5, 0.6]).all(axis=1)),
    "quarter": ("quarter", 2, lambda u, _: (u > 0).all(axis=1)),
    "board2": ("exclusive or (board of 2 x 2)", 2, lambda u, _: board(u, 2)),
    "board3": ("board of 3 x 3", 2, lambda u, _: board(u, 3)),
    "wedge": ("wedge of 102 degrees, askew", 2, lambda u, _: wedge(u)),
    "tree": ("tree of 3 levels, 2 columns", 2, lambda u, seed: planted(u, 3, seed)),
    "pairs": ("tree of 4 levels, 4 columns, turned in pairs", 4, lambda u, seed: planted(u, 4, seed)),
    "all": ("the same, all turned", 4, lambda u, seed: planted(u, 4, seed)),
}


def turned(u: np.ndarray, *, everything: bool) -> np.ndarray:
    """Columns 0 and 1, 2 and 3, ... turned by 45 degrees; with `everything` then 1 and 2, 3 and 0 as well."""
    pairs = [(k, k + 1) for k in range(0, u.shape[1], 2)]
    if everything:
        pairs += [(1, 2), (3, 0)]
    X = u.copy()
    for a, b in pairs:
        X[:, a], X[:, b] = (X[:, a] - X[:, b]) / np.sqrt(2), (X[:, a] + X[:, b]) / np.sqrt(2)
    return X


def draw(name: str, rows: int, seed: int, wrong: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to learn, to choose by and to judge by; only those to learn have wrong labels."""
    _, columns, label = SHAPES[name]
    rng = np.random.default_rng(seed)
    u = rng.uniform(-1, 1, (rows + 2 * NEW, columns))
    y = label(u, seed)
    y[:rows] ^= rng.random(rows) < wrong
    X = turned(u, everything=name == "all")
    ends = (0, rows, rows + NEW, rows + 2 * NEW)
    return [(X[a:b], y[a:b]) for a, b in pairwise(ends)]


def measure(name: str, rows: int, seed: int, given: argparse.Namespace) -> list[float]:
    """Leaves and accuracy: of plain columns, of sums, of the sums' smallest tree that is as accurate."""
    learn, choose, judge = draw(name, rows, seed, given.wrong)
    pruning = "cost-complexity" if given.wrong else None
    how = {"pruning": pruning, "random_state": 0}
    plain = hb.TreeClassifier(**how).fit(*learn)
    sums = hb.TreeClassifier(split=Oblique(aim=given.aim), **how).fit(*learn)
    path = hb.pruning_path(sums, validation=choose)
    enough = path.leaves[path.validation <= 1 - plain.score(*choose) + 1e-12]
    small = path.choose(leaves=int(enough.min())) if len(enough) else sums
    return [number for tree in (plain, sums, small) for number in (tree.tree_.n_leaves, tree.score(*judge))]


def line(name: str, rows: int, given: argparse.Namespace) -> str:
    """Means over the tables drawn, as a row of a table; shares are those of the means."""
    plain, right, *rest = np.mean([measure(name, rows, seed, given) for seed in range(given.draws)], axis=0)
    cells = [f"{SHAPES[name][0]}, {rows:,} rows", f"{plain:.1f}, {right:.3f}"]
    for leaves, accuracy in zip(rest[::2], rest[1::2], strict=True):
        cells.append(f"{leaves:.1f} ({leaves / plain:.2f}), {accuracy:.3f}")
    return "| " + " | ".join(cells) + " |"


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shapes", default=",".join(SHAPES), help="comma-separated, of the default")
    parser.add_argument("--sizes", default="500,2000,5000", help="rows to learn, comma-separated")
    parser.add_argument("--draws", type=int, default=4, help="tables to draw for each line")
    parser.add_argument(
        "--wrong", type=float, default=0.0, help="share of wrong labels; trees are pruned then"
    )
    parser.add_argument("--aim", choices=("gain", "leaves"), default="gain", help="as in Oblique")
    given = parser.parse_args(argv)
    unknown = [name for name in given.shapes.split(",") if name not in SHAPES]
    if unknown:
        parser.error(f"--shapes names {', '.join(unknown)}; choose from {', '.join(SHAPES)}")
    print("| | plain columns | sums | sums, as accurate |")
    print("|---|---|---|---|")
    for rows in map(int, given.sizes.split(",")):
        for name in given.shapes.split(","):
            print(line(name, rows, given), flush=True)


if __name__ == "__main__":
    main()
