"""C4.5 charges a threshold for the cuts it was chosen from: bins count them as blocks do."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.ways import arrays_differ, tuned

from hornbeam import TreeClassifier
from hornbeam.parts import AverageGain
from hornbeam.tree.tree import Tree


def _table(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns of more values than bins, of ties, of gaps, of few values; three classes; uneven weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1500, 5))
    X[:, 1] = np.round(X[:, 1], 2)
    X[rng.random(1500) < 0.1, 2] = np.nan
    X[:, 3] = rng.integers(0, 7, size=1500)
    X[:, 4] = np.where(rng.random(1500) < 0.97, 0.0, X[:, 4])
    y = (X[:, 0] + X[:, 1] + rng.normal(size=1500) > 0).astype(int) + (X[:, 3] > 5)
    return X, y, rng.integers(1, 4, size=1500)


def _grown(seed: int, correction: str, missing: str, weighted: bool, **numbers: int) -> Tree:
    X, y, weight = _table(seed)
    model = TreeClassifier(
        "gain-ratio", AverageGain(correction=correction), missing=missing, max_depth=6, n_jobs=2
    )
    with tuned(**numbers):
        return model.fit(X, y, weight if weighted else None).tree_


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", ["learn", "fractional"])
@pytest.mark.parametrize("correction", ["code", "paper"])
def test_bins_count_the_cuts_of_a_column_as_blocks_do(correction: str, missing: str, weighted: bool) -> None:
    for seed in range(4):
        block = _grown(seed, correction, missing, weighted)
        bins = _grown(
            seed, correction, missing, weighted, column_block_rows=20, shared_rows=200, serial_cells=0
        )
        assert block.n_tests >= 5
        assert arrays_differ(block, bins) is None
