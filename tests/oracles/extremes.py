"""Random tables at one extreme each, for comparing the product with the twin where kernels go wrong.

    EXTREMES[name](rng, criterion) -> table        a table as in problem.py

Bins hold the values of a column, 254 cuts at most: "tiny bins" has more values than that and a row or two in
each bin, "huge bins" has nearly all rows in a few of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tests.oracles.impurity import REAL_CRITERIA
from tests.oracles.tables import random_table

Rng = np.random.Generator
Table = dict[str, Any]


def _numeric(values: np.ndarray) -> dict[str, Any]:
    return {"kind": "numeric", "split": "threshold", "values": values, "n_values": 0}


def _codes(rng: Rng, n: int, n_values: int, split: str) -> dict[str, Any]:
    kind = "ordinal" if split == "threshold" else "nominal"
    values = rng.integers(0, n_values, n).astype(np.int32)
    return {"kind": kind, "split": split, "values": values, "n_values": n_values}


def _target(rng: Rng, criterion: str, signal: np.ndarray) -> dict[str, Any]:
    """Follows `signal` (any numbers) for most rows."""
    n = len(signal)
    rank = np.searchsorted(np.unique(signal), signal) / max(1, len(np.unique(signal)))
    if criterion in REAL_CRITERIA:
        return {"kind": "real", "values": np.round(rank * 8) + rng.integers(0, 5, n) / 4}
    n_classes = int(rng.choice([2, 3, 5]))
    noise = rng.random(n) < 0.3
    codes = np.where(noise, rng.integers(0, n_classes, n), (rank * 2.9).astype(int) % n_classes)
    return {"kind": "classes", "codes": codes.astype(np.int32), "n_classes": n_classes}


def _table(columns: list[dict[str, Any]], target: dict[str, Any], weights: Any = None, **plan: Any) -> Table:
    return {"columns": columns, "target": target, "weights": weights, "counts": None, "plan": plan}


def ties(rng: Rng, criterion: str) -> Table:
    """Columns that are copies, mirror images and recodings of one another, two values to a column."""
    n = int(rng.integers(4, 30))
    x = rng.integers(0, int(rng.integers(2, 4)), n)
    same = {"kind": "nominal", "values": x.astype(np.int32), "n_values": 3}
    columns = [
        _numeric(-x.astype(float)),
        _numeric(x.astype(float)),
        _numeric(np.float64(1e-300) * x),
        *({**same, "split": split} for split in ("equals", "subset", "multiway")),
    ]
    rng.shuffle(columns)  # type: ignore[arg-type]
    if criterion in REAL_CRITERIA:
        target: dict[str, Any] = {"kind": "real", "values": rng.integers(0, 2, n).astype(float)}
    else:
        target = {"kind": "classes", "codes": rng.integers(0, 2, n).astype(np.int32), "n_classes": 2}
    return _table(columns, target, criterion=criterion)


def tiny_bins(rng: Rng, criterion: str) -> Table:
    """More values than cuts, one to three rows in a bin."""
    n = int(rng.integers(280, 500))
    x, z = rng.normal(size=n), np.exp(8 * rng.normal(size=n))
    z[rng.random(n) < 0.1] = np.nan
    missing = str(rng.choice(["learn", "branch"]))
    leaf = int(rng.choice([1, 1, 2, 7]))
    return _table(
        [_numeric(x), _numeric(z)],
        _target(rng, criterion, x),
        criterion=criterion,
        missing=missing,
        max_depth=2,
        min_samples_leaf=leaf,
    )


def huge_bins(rng: Rng, criterion: str) -> Table:
    """Nearly all rows at one value, or all within a hair's breadth while one row is far away."""
    n = int(rng.integers(300, 450))
    spike = np.where(rng.random(n) < 0.1, rng.normal(size=n), 0.0)
    close = 1.0 + rng.integers(0, n, n) * np.finfo(float).eps
    close[0] = 1e300
    levels = rng.integers(0, 2, n).astype(np.float32)
    columns = [_numeric(spike), _numeric(close), _numeric(levels)]
    return _table(columns, _target(rng, criterion, close), criterion=criterion, max_depth=3)


def constant_columns(rng: Rng, criterion: str) -> Table:
    """Most columns say nothing: one value, one value and gaps, gaps only."""
    n = int(rng.integers(2, 20))
    column = _codes(rng, n, int(rng.integers(2, 5)), "subset")
    gappy = np.where(rng.random(n) < 0.5, 1.5, np.nan)
    columns = [_numeric(np.full(n, 0.1)), _numeric(gappy), _numeric(np.full(n, np.nan)), column]
    for split in ("equals", "multiway", "subset", "threshold"):
        one = _codes(rng, n, 3, split)
        one["values"] = np.where(rng.random(n) < 0.3, -1, 1).astype(np.int32)
        columns.append(one)
    target = _target(rng, criterion, column["values"])
    return _table(columns, target, criterion=criterion, missing=str(rng.choice(["learn", "branch"])))


def weights(rng: Rng, criterion: str) -> Table:
    """Weights six orders of magnitude apart, a third of them zero, and a share every leaf must hold."""
    n = int(rng.integers(6, 40))
    columns = [_numeric(rng.integers(0, 6, n).astype(float)), _codes(rng, n, 4, "subset")]
    heavy = 2.0 ** rng.integers(-10, 11, n) * (rng.random(n) > 0.3)
    heavy[0] = 1.0
    target = _target(rng, criterion, columns[0]["values"])
    share = float(rng.choice([0.0, 0.125]))
    return _table(columns, target, heavy, criterion=criterion, min_weight_fraction_leaf=share)


def gaps(rng: Rng, criterion: str) -> Table:
    """Nine cells in ten are missing."""
    table = random_table(rng, criterion=criterion, n_rows=int(rng.integers(5, 30)))
    for column in table["columns"]:
        gap = np.nan if column["kind"] == "numeric" else -1
        column["values"][rng.random(len(column["values"])) < 0.9] = gap
    return table


def one_row(rng: Rng, criterion: str) -> Table:
    """One row, or one row that counts."""
    table = random_table(rng, criterion=criterion, n_rows=int(rng.integers(1, 4)))
    alone = np.zeros(len(table["columns"][0]["values"]))
    alone[0] = float(rng.choice([1.0, 0.1, 3.0]))
    table["weights"], table["counts"] = alone, None
    return table


def one_class(rng: Rng, criterion: str) -> Table:
    """Nothing to learn: one class of several, one value of y."""
    table = random_table(rng, criterion=criterion, n_rows=int(rng.integers(2, 30)))
    target = table["target"]
    if criterion in REAL_CRITERIA:
        target["values"][:] = float(rng.choice([0.0, 0.1, -1e300]))
    else:
        target["codes"][:] = int(rng.integers(target["n_classes"]))
    return table


EXTREMES: dict[str, Callable[[Rng, str], Table]] = {
    "ties": ties,
    "tiny bins": tiny_bins,
    "huge bins": huge_bins,
    "constant columns": constant_columns,
    "weights": weights,
    "gaps": gaps,
    "one row": one_row,
    "one class": one_class,
}
