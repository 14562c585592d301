"""Random tables of every kind of column, with gaps, for tests of the estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

SIZES = ["S", "M", "L", "XL"]
CITIES = ["Aš", "Brno", "Cheb", "Děčín", "Zlín"]


def random_columns(rng: np.random.Generator, n: int, *, gaps: float = 0.15) -> pd.DataFrame:
    """Numbers (double, single, whole), words, an ordered column and booleans; a share of cells is missing."""
    table = pd.DataFrame(
        {
            "age": rng.normal(40, 15, n),
            "pay": rng.normal(size=n).round(1).astype(np.float32),
            "rooms": rng.integers(1, 6, n).astype(float),
            "city": rng.choice(CITIES[:4], n).astype(object),
            "size": pd.Categorical.from_codes(rng.integers(0, 4, n), SIZES, ordered=True),
            "owner": rng.integers(0, 2, n).astype(bool).astype(object),
        }
    )
    for name in table.columns if gaps else ():
        table.loc[rng.random(n) < gaps, name] = None
    return table


def strange_rows(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Rows as `random_columns` makes them, with more gaps and with a city that training never saw."""
    table = random_columns(rng, n, gaps=0.3)
    table["city"] = np.where(rng.random(n) < 0.3, CITIES[4], table["city"])
    return table


def outcome(rng: np.random.Generator, table: pd.DataFrame, n_classes: int) -> Any:
    """Numbers that follow the table with noise, or as many classes as wanted."""
    signal = (
        table["age"].fillna(30).to_numpy(float) / 15
        + (table["city"] == "Brno").to_numpy() * 2
        + np.nan_to_num(table["size"].cat.codes.to_numpy(float)) * 0.5
        + rng.normal(0, 0.7, len(table))
    )
    if not n_classes:
        return signal
    cuts = np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1])
    return np.array([f"class {k}" for k in range(n_classes)])[np.searchsorted(cuts, signal)]


def float32_table(seed: int, n: int, n_columns: int = 6) -> tuple[np.random.Generator, Any]:
    """A single precision array of values more than 1e-6 apart, some of them equal."""
    rng = np.random.default_rng(seed)
    return rng, (rng.integers(-4000, 4000, (n, n_columns)) / 1000).astype(np.float32)


def noisy(n: int = 20_000, seed: int = 0) -> tuple[Any, Any]:
    """Six columns of numbers, and two classes that follow the first with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)
