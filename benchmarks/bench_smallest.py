"""The search for the smallest consistent tree: how large a table may be, whatever its classes.

The one idea: classes drawn at random have no small tree, so they are about the worst a table can do. For each
kind of split and each shape of table some are drawn; the slowest is printed, with the row sets it looked at.

    python -m benchmarks.bench_smallest                     # the table of docs/algorithms/smallest-trees.md
    python -m benchmarks.bench_smallest --rows 128 --columns 8 --values 4 --classes 2 --draws 3
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np

from hornbeam.teaching.smallest import SearchTooLargeError, smallest_tree

SPLITS = ("threshold", "binary", "one-vs-rest", "multiway")  # a threshold is what numbers get
SHAPES = (
    (64, 8, 4, 2),
    (64, 8, 4, 4),
    (64, 8, 4, 8),
    (64, 16, 4, 2),
    (96, 8, 4, 2),
    (200, 5, 4, 2),
    (600, 10, 2, 2),
)
Shape = tuple[int, int, int, int]


def draw(shape: Shape, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A table of different random rows with random classes."""
    rows, columns, values, classes = shape
    rng = np.random.default_rng(seed)
    X = np.unique(rng.integers(0, values, (2 * rows, columns)), axis=0)
    X = X[rng.permutation(len(X))[:rows]]
    return X, rng.integers(0, classes, len(X))


def search(shape: Shape, split: str, seed: int, max_cost: int) -> tuple[float, str, int]:
    """Seconds of the one core that is used, leaves and row sets of one search."""
    X, y = draw(shape, seed)
    nominal = None if split == "threshold" else list(range(X.shape[1]))
    how = "binary" if split == "threshold" else split
    start = time.process_time()
    try:
        tree = smallest_tree(X, y, split=how, categorical_features=nominal, max_cost=max_cost)
    except SearchTooLargeError as error:
        return time.process_time() - start, f"{error.at_least} to {error.at_most}", -1
    return time.process_time() - start, str(tree.n_leaves), int(tree.meta["smallest"]["row_sets"])


def line(shape: Shape, split: str, draws: int, max_cost: int) -> str:
    """The slowest of some searches as a row of a table."""
    seconds, leaves, sets = max(search(shape, split, seed, max_cost) for seed in range(draws))
    looked = f"{sets:,}" if sets >= 0 else f"given up at {max_cost:,}"
    rows = len(draw(shape, 0)[0])
    cells = (rows, *shape[1:], split, leaves, looked, f"{seconds:.2f}")
    return "| " + " | ".join(map(str, cells)) + " |"


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("rows", "columns", "values", "classes"):
        parser.add_argument(
            f"--{name}", type=int, help=f"{name} of one shape; all four, or none for the usual shapes"
        )
    parser.add_argument("--draws", type=int, default=5, help="tables to draw for each line")
    parser.add_argument("--max-cost", type=int, default=10_000_000, help="as in smallest_tree")
    given = parser.parse_args(argv)
    shape = (given.rows, given.columns, given.values, given.classes)
    if any(shape) and not all(shape):
        parser.error("give --rows, --columns, --values and --classes together")
    print("| rows | columns | values | classes | split | leaves | row sets | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for one in [shape] if all(shape) else SHAPES:
        for split in SPLITS:
            print(line(one, split, given.draws, given.max_cost), flush=True)


if __name__ == "__main__":
    main()
