"""Random tables whose weights lie far apart, for comparing the product with the twin in exact arithmetic.

table = wide_table(rng, "gini", "from 1e-12 to 1e12")        a table as in problem.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tests.oracles.tables import random_table

Rng = np.random.Generator


def _one_heavy_row(rng: Rng, n: int) -> np.ndarray:
    weights = rng.choice([0.1, 0.2, 0.3, 1.0, 2.5], n)
    weights[rng.integers(n)] = 10.0 ** rng.integers(4, 301)
    return weights


def _one_light_row(rng: Rng, n: int) -> np.ndarray:
    weights = rng.uniform(0.5, 2.0, n)
    weights[rng.integers(n)] = 10.0 ** -rng.integers(4, 301)
    return weights


def _heavy_or_light(rng: Rng, n: int) -> np.ndarray:
    """Tenths, and the same far heavier: ties that binary rounding blurs, among the light rows too."""
    heavier = 10.0 ** rng.integers(3, 25)
    return rng.integers(1, 5, n) / 10 * np.where(rng.random(n) < 0.3, heavier, 1.0)


WEIGHTS: dict[str, Callable[[Rng, int], np.ndarray]] = {
    "from 1e-12 to 1e12": lambda rng, n: 10.0 ** rng.uniform(-12, 12, n),
    "from 1e-4 to 1e4": lambda rng, n: 10.0 ** rng.uniform(-4, 4, n),
    "from 1e-300 to 1e300": lambda rng, n: 10.0 ** rng.uniform(-300, 300, n),
    "one heavy row": _one_heavy_row,
    "one light row": _one_light_row,
    "heavy or light": _heavy_or_light,
    "powers of two": lambda rng, n: 2.0 ** rng.integers(-60, 61, n),
    "powers of ten": lambda rng, n: 10.0 ** rng.integers(-9, 10, n),
    "denormal": lambda rng, n: np.where(
        rng.random(n) < 0.5, rng.integers(1, 9, n) * 5e-324, rng.choice([1e-310, 1e-300, 1.0], n)
    ),
}


def wide_table(rng: Rng, criterion: str, weights: str, n_rows: int | None = None) -> dict[str, Any]:
    """A random table of at most eighty rows with weights that lie far apart."""
    table = random_table(
        rng, criterion=criterion, n_rows=n_rows or int(rng.choice([5, 9, 14, 20, 33, 48, 80]))
    )
    n = len(table["columns"][0]["values"])
    table["weights"] = WEIGHTS[weights](rng, n)
    return table
