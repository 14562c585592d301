"""The product grows the twin's tree, split for split: on random tables and at every extreme.

2,000 tables for each criterion, grown in the three ways of `tests.oracles.ways`. A failure names its seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from tests.oracles import twin
from tests.oracles.extremes import EXTREMES
from tests.oracles.impurity import CLASS_CRITERIA, REAL_CRITERIA
from tests.oracles.tables import random_table
from tests.oracles.ways import differences

CRITERIA = CLASS_CRITERIA + REAL_CRITERIA
BATCHES, BATCH = 20, 100
SLOW_EXTREMES = ("tiny bins", "huge bins")  # several hundred rows each


def check(seeds: Iterable[int], make: Callable[[np.random.Generator], Any]) -> None:
    found = []
    for seed in seeds:
        table = make(np.random.default_rng(seed))
        found += [f"seed {seed}, {each}" for each in differences(twin.grow(table), table)]
    assert not found, f"{len(found)} differences; the first: {found[0]}"


@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_tree_is_the_twins_on_random_tables(criterion: str, batch: int) -> None:
    seeds = range(batch * BATCH, (batch + 1) * BATCH)
    check(seeds, lambda rng: random_table(rng, criterion=criterion))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_ties_that_binary_rounding_blurs_are_ties(criterion: str) -> None:
    for seed in range(100, 400):
        table = random_table(np.random.default_rng(seed), criterion=criterion, decimals=True)
        if criterion in REAL_CRITERIA:  # weighted targets are rounded to a coarser grid
            table["weights"] = None
        root = twin.grow(table)
        found = list(differences(root, table))
        assert not found or twin.is_doubtful(root), f"seed {seed}, {found[0]}"


@pytest.mark.parametrize("extreme", EXTREMES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_tree_is_the_twins_at_the_extremes(criterion: str, extreme: str) -> None:
    seeds = range(8 if extreme in SLOW_EXTREMES else 60)
    check(seeds, lambda rng: EXTREMES[extreme](rng, criterion))
