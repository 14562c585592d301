"""On tables of thousands of rows every way of growing gives the same arrays, bit for bit.

The twin proves the block right on small tables (test_oracles); here the bins must equal the block, with one
thread and with two, where bins hold many rows, columns more values than bins, and codes do not fit a byte.
"""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.oracles.impurity import CLASS_CRITERIA, REAL_CRITERIA
from tests.oracles.large import LARGE
from tests.oracles.ways import arrays_differ, grown, tuned
from tests.support.selection import pairs, some

from hornbeam import TreeClassifier, TreeRegressor

CRITERIA = CLASS_CRITERIA + REAL_CRITERIA
SMALL_TREES = ("full bins", "no signal", "light class")
LARGE_TREES = [shape for shape in LARGE if shape not in SMALL_TREES]


@pytest.mark.parametrize(
    ("criterion", "shape", "seed"),
    pairs(CRITERIA, SMALL_TREES, range(3))
    + pairs(CRITERIA, LARGE_TREES, range(2))
    + some(itertools.product(CRITERIA, SMALL_TREES, range(3, 8)), of=()),
)
def test_bins_and_blocks_grow_the_same_tree(criterion: str, shape: str, seed: int) -> None:
    table = LARGE[shape](np.random.default_rng(seed), criterion)
    block = grown(table, block_rows=32768)
    bins = grown(table, block_rows=50)
    shared = grown(table, n_jobs=2, block_rows=50, shared_rows=400, serial_cells=0)
    assert len(block) >= 3
    assert arrays_differ(block, bins) is None
    assert arrays_differ(bins, shared) is None


@pytest.mark.parametrize("most", [1, 3, 16])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "variance"])
def test_a_table_in_one_block_grows_the_same_tree_however_often_its_rows_count(
    criterion: str, most: int
) -> None:
    rng = np.random.default_rng(most)
    X = rng.normal(size=(9_000, 3)).astype(np.float32)
    signal = X[:, 0] + np.rint(X[:, 1]) + rng.normal(size=9_000)
    real = criterion == "variance"
    counts = rng.integers(1, most + 1, 9_000)  # up to 16: more in all than a block has tables for
    grown_trees = []
    for numbers in ({}, {"block_rows": 4096}, {"block_rows": 50}):
        with tuned(**numbers):
            model = TreeRegressor(criterion) if real else TreeClassifier(criterion)
            grown_trees.append(model.fit(X, signal if real else signal > 0, counts=counts).tree_)
    assert arrays_differ(grown_trees[0], grown_trees[1]) is None
    assert arrays_differ(grown_trees[0], grown_trees[2]) is None


@pytest.mark.parametrize("criterion", ["gini", "variance"])
def test_the_tree_does_not_depend_on_the_order_of_the_rows(criterion: str) -> None:
    table = LARGE["weights"](np.random.default_rng(1), criterion)
    order = np.random.default_rng(2).permutation(len(table["weights"]))
    shuffled = table | {"weights": table["weights"][order]}
    shuffled["columns"] = [c | {"values": c["values"][order]} for c in table["columns"]]
    outcome = "values" if criterion == "variance" else "codes"
    shuffled["target"] = table["target"] | {outcome: table["target"][outcome][order]}
    assert arrays_differ(grown(table, block_rows=500), grown(shuffled, block_rows=500)) is None


PORTABLE = """
import pickle, sys
import numpy as np
from tests.oracles.large import LARGE
from tests.oracles.ways import grown

tables = [LARGE[shape](np.random.default_rng(3), "gini") for shape in sys.argv[1:]]
sys.stdout.buffer.write(pickle.dumps([grown(table, block_rows=50) for table in tables]))
"""


@pytest.mark.parametrize("portable", ["1", "vectors"])
def test_a_machine_without_avx2_grows_the_same_tree(portable: str) -> None:
    shapes = ("plain", "whole numbers", "no signal", "heavy tails", "neighbours", "gaps")
    done = subprocess.run(
        [sys.executable, "-c", PORTABLE, *shapes],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"HORNBEAM_PORTABLE": portable},
        capture_output=True,
        check=True,
    )
    for shape, tree in zip(shapes, pickle.loads(done.stdout), strict=True):
        table = LARGE[shape](np.random.default_rng(3), "gini")
        assert arrays_differ(tree, grown(table, block_rows=50)) is None, shape
