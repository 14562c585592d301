"""Nodes of a few rows of a real target are searched in a way of their own; the tree stays the twin's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.oracles import twin
from tests.oracles.ways import arrays_differ, differences, tuned

from hornbeam import TreeRegressor

Rng = np.random.Generator
TARGETS = ("few values", "whole numbers", "far away", "decimals", "one apart")


def target(rng: Rng, n: int, name: str) -> np.ndarray:
    """Targets whose partitions tie, nearly tie, or do not."""
    return {
        "few values": rng.integers(0, 3, n).astype(float),
        "whole numbers": rng.integers(-50, 50, n).astype(float),
        "far away": 1e9 + rng.normal(size=n),
        "decimals": rng.integers(0, 30, n) / 10,
        "one apart": np.where(np.arange(n) == 0, 100.0, rng.random(n) * 1e-7),
    }[name]


def column(rng: Rng, n: int) -> dict[str, Any]:
    values = rng.integers(0, int(rng.choice([2, 4, 100])), n).astype(rng.choice([np.float32, np.float64]))
    return {"kind": "numeric", "split": "threshold", "values": values, "n_values": 0}


def table(rng: Rng, name: str) -> dict[str, Any]:
    n = int(rng.integers(2, 15))
    columns = [column(rng, n) for _ in range(int(rng.integers(1, 7)))]
    if rng.random() < 0.3:
        columns.append(dict(columns[0]))  # as good as the first, which wins
    counts = rng.integers(0, 4, n) + (np.arange(n) == 0) if rng.random() < 0.5 else None
    plan = {"criterion": "variance", "min_samples_leaf": int(rng.choice([1, 1, 2, 3]))}
    if rng.random() < 0.2:
        plan["max_depth"] = int(rng.integers(1, 4))
    goal = {"kind": "real", "values": target(rng, n, name)}
    return {"columns": columns, "target": goal, "weights": None, "counts": counts, "plan": plan}


@pytest.mark.parametrize("name", TARGETS)
def test_a_handful_of_rows_grows_the_twins_tree(name: str) -> None:
    for seed in range(80):
        made = table(np.random.default_rng(seed), name)
        root = twin.grow(made)
        found = list(differences(root, made))
        assert not found or twin.is_doubtful(root), f"seed {seed}: {found[0]}"


@pytest.mark.parametrize("n", [7, 8, 9, 40])
def test_columns_drawn_at_random_are_the_same_in_handfuls_and_bins(n: int) -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, int(rng.choice([3, 1000])), (n, 6)).astype(np.float32)
        y, counts = rng.integers(0, 20, n) / 7, rng.integers(1, 4, n)
        grown = []
        for rows in (4096, 1):
            with tuned(block_rows=rows):
                model = TreeRegressor(max_features=2, random_state=seed)
                grown.append(model.fit(X, y, counts=counts if seed % 2 else None).tree_)
        assert arrays_differ(*grown) is None, f"seed {seed}"


def test_the_first_of_the_columns_that_part_alike_is_tested() -> None:
    X = np.array([[3.0, 1.0, 9.0], [1.0, 2.0, 8.0], [2.0, 3.0, 1.0], [4.0, 4.0, 2.0]])
    y = [0.0, 1.0, 10.0, 11.0]  # columns 1 and 2 part it into {0, 1 | 10, 11}, column 0 does not
    tree = TreeRegressor().fit(X, y).tree_
    assert tree.column[0] == 1
    assert tree.threshold[0] == 2.5
