"""Fractional, majority and surrogates, and selections by column: the product grows the twin's tree.

Every table is grown in the three ways of `tests.oracles.ways`. A failure names its seed. By default every two
choices meet, with SLOW=1 every three; each on some fixed tables and on some of this commit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.oracles.impurity import CLASS_CRITERIA, REAL_CRITERIA
from tests.oracles.known import Twin
from tests.oracles.known_difference import difference
from tests.oracles.tables import random_table
from tests.oracles.ways import WAYS, grown
from tests.support.selection import pairs, seeds

from hornbeam.parts import AverageGain, PriceAware

CRITERIA = CLASS_CRITERIA + REAL_CRITERIA
KEPT = ("criterion", "max_depth", "min_samples_split", "min_samples_leaf", "min_gain")


def table_of(seed: int, criterion: str, missing: str) -> dict[str, Any]:
    """A random table; surrogates need tests of two branches."""
    table = random_table(np.random.default_rng(seed), criterion=criterion)
    table["plan"] = {name: table["plan"][name] for name in KEPT if name in table["plan"]} | {
        "missing": missing
    }
    for column in table["columns"]:
        if missing == "surrogates" and column["split"] == "multiway":
            column["split"] = "subset"
    return table


def check(batch: int, size: int, make: Callable[[int], dict[str, Any]]) -> None:
    faults = []
    for seed in range(batch * size, (batch + 1) * size):
        table = make(seed)
        root = Twin(table).run()
        for way, numbers in WAYS.items():
            tree = grown(table, n_jobs=2 if way == "mixed" else 1, **numbers)
            if fault := difference(root, tree):
                faults.append(f"seed {seed}, {way}: {fault}")
    assert not faults, f"{len(faults)} differences; the first: {faults[0]}"


@pytest.mark.parametrize("batch", seeds(10, fixed=1))
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("missing", ["fractional", "majority", "surrogates"])
def test_splits_judged_by_their_known_rows_are_the_twins(criterion: str, missing: str, batch: int) -> None:
    check(batch, 15, lambda seed: table_of(seed, criterion, missing))


@pytest.mark.parametrize("batch", seeds(8, fixed=1))
@pytest.mark.parametrize(
    ("criterion", "missing", "correction"),
    pairs(["gain-ratio", "entropy", "gini"], ["fractional", "majority"], [None, "code", "paper"]),
)
def test_the_mean_gain_guard_is_the_twins(
    criterion: str, missing: str, correction: str | None, batch: int
) -> None:
    def make(seed: int) -> dict[str, Any]:
        table = table_of(seed, criterion, missing)
        table["plan"]["selection"] = AverageGain(min_branch=1 + seed % 2, correction=correction)
        return table

    check(batch, 10, make)


@pytest.mark.parametrize("batch", seeds(8, fixed=1))
@pytest.mark.parametrize("formula", ["tan-schlimmer", "nunez"])
@pytest.mark.parametrize("criterion", ["entropy", "gini", "variance"])
def test_prices_are_the_twins(criterion: str, formula: str, batch: int) -> None:
    def make(seed: int) -> dict[str, Any]:
        table = table_of(seed, criterion, "fractional")
        rng = np.random.default_rng(seed)
        prices = {f"c{j}": float(rng.integers(0, 5)) / 4 for j in range(len(table["columns"]))}
        table["plan"]["selection"] = PriceAware(prices, formula, w=0.5)
        return table

    check(batch, 13, make)
