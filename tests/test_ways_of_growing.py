"""On tables of thousands of rows every way of growing gives the same arrays, bit for bit.

The twin proves the block right on small tables (test_oracles); here the bins must equal the block, with one
thread and with two, where bins hold many rows, columns more values than bins, and codes do not fit a byte.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.impurity import CLASS_CRITERIA, REAL_CRITERIA
from tests.oracles.large import LARGE
from tests.oracles.ways import arrays_differ, grown

SMALL_TREES = ("full bins", "light class")


@pytest.mark.parametrize("shape", LARGE)
@pytest.mark.parametrize("criterion", CLASS_CRITERIA + REAL_CRITERIA)
def test_bins_and_blocks_grow_the_same_tree(criterion: str, shape: str) -> None:
    for seed in range(8 if shape in SMALL_TREES else 2):
        table = LARGE[shape](np.random.default_rng(seed), criterion)
        block = grown(table, block_rows=32768)
        bins = grown(table, block_rows=50)
        shared = grown(table, n_jobs=2, block_rows=50, shared_rows=400, serial_cells=0)
        assert len(block) >= 3
        assert arrays_differ(block, bins) is None
        assert arrays_differ(bins, shared) is None


@pytest.mark.parametrize("criterion", ["gini", "variance"])
def test_the_tree_does_not_depend_on_the_order_of_the_rows(criterion: str) -> None:
    table = LARGE["weights"](np.random.default_rng(1), criterion)
    order = np.random.default_rng(2).permutation(len(table["weights"]))
    shuffled = table | {"weights": table["weights"][order]}
    shuffled["columns"] = [c | {"values": c["values"][order]} for c in table["columns"]]
    outcome = "values" if criterion == "variance" else "codes"
    shuffled["target"] = table["target"] | {outcome: table["target"][outcome][order]}
    assert arrays_differ(grown(table, block_rows=500), grown(shuffled, block_rows=500)) is None
