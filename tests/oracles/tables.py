"""Random small tables that are hard to get right: ties, neighbouring doubles, gaps, weights, limits.

    table = random_table(np.random.default_rng(seed), criterion="gini")

`decimals=True` adds targets and weights such as 0.1, 0.2, 0.3: ties that binary rounding blurs by 1e-16.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tests.oracles.impurity import CLASS_CRITERIA, REAL_CRITERIA

Rng = np.random.Generator


def random_table(
    rng: Rng,
    criterion: str | None = None,
    missing: str | None = None,
    split: str | None = None,
    n_rows: int | None = None,
    decimals: bool = False,
) -> dict[str, Any]:
    """A table with its plan; `criterion`, `missing`, `split` (of nominal columns) fix what else is drawn."""
    criterion = criterion or str(rng.choice(CLASS_CRITERIA + REAL_CRITERIA))
    n = n_rows or _n_rows(rng)
    real = criterion in REAL_CRITERIA
    target = _real_target(rng, n, decimals) if real else _class_target(rng, n)
    n_classes = target.get("n_classes", 2)
    columns = [_column(rng, n, n_classes, split) for _ in range(int(rng.integers(1, 6 if n <= 30 else 4)))]
    if rng.random() < 0.6:
        _relate(rng, columns[0], target)
    weights, counts = _weights(rng, n, decimals)
    plan = _plan(rng, criterion, missing, columns, target)
    return {"columns": columns, "target": target, "weights": weights, "counts": counts, "plan": plan}


def _n_rows(rng: Rng) -> int:
    low, high = [(1, 1), (2, 8), (6, 16), (16, 30), (31, 60), (100, 400)][
        int(rng.choice(6, p=[0.03, 0.27, 0.50, 0.17, 0.025, 0.005]))
    ]
    return int(rng.integers(low, high + 1))


# targets ---------------------------------------------------------------------------------------------


def _class_target(rng: Rng, n: int) -> dict[str, Any]:
    n_classes = int(rng.choice([1, 2, 3, 4, 5, 6], p=[0.02, 0.5, 0.28, 0.08, 0.06, 0.06]))
    shares = rng.dirichlet(np.ones(n_classes) * float(rng.choice([0.5, 5.0])))
    codes = rng.choice(n_classes, size=n, p=shares) if rng.random() > 0.03 else np.full(n, n_classes - 1)
    return {"kind": "classes", "codes": codes.astype(np.int32), "n_classes": n_classes}


def _real_target(rng: Rng, n: int, decimals: bool) -> dict[str, Any]:
    draw: list[Callable[[], np.ndarray]] = [
        lambda: rng.integers(0, 4, n).astype(float),
        lambda: rng.integers(-50, 50, n) / 4.0,
        lambda: rng.normal(size=n),
        lambda: 1e9 + rng.normal(size=n),
        lambda: 1e9 + rng.integers(0, 3, n).astype(float),
        lambda: np.round(rng.standard_cauchy(n).clip(-1e5, 1e5) * 256) / 256,
        lambda: np.exp(2 * rng.normal(size=n)),
        lambda: np.full(n, float(rng.choice([0.0, 7.25, 0.1]))),
    ]
    chances = [0.25, 0.2, 0.17, 0.08, 0.08, 0.1, 0.09, 0.03]
    if decimals and rng.random() < 0.5:
        return {"kind": "real", "values": rng.integers(0, 10, n) / 10.0}
    return {"kind": "real", "values": draw[int(rng.choice(len(draw), p=chances))]()}


def _relate(rng: Rng, column: dict[str, Any], target: dict[str, Any]) -> None:
    """Let the target follow a column for most rows: some splits are clearly best, and trees go deep."""
    x = np.asarray(column["values"]).astype(float)
    follow = (rng.random(len(x)) < 0.7) & ~np.isnan(x)
    if not follow.any():
        return
    rank = np.searchsorted(np.unique(x[follow]), x[follow])
    if target["kind"] == "real":
        target["values"][follow] += rank
    else:
        target["codes"][follow] = rank * 2 // 3 % target["n_classes"]


# columns ---------------------------------------------------------------------------------------------


def _column(rng: Rng, n: int, n_classes: int, split: str | None) -> dict[str, Any]:
    kind = str(
        rng.choice(["numeric", "ordinal", "nominal"], p=[0.3, 0.1, 0.6] if split else [0.5, 0.15, 0.35])
    )
    if kind == "numeric":
        column: dict[str, Any] = {
            "kind": kind,
            "split": "threshold",
            "values": _numbers(rng, n),
            "n_values": 0,
        }
        gap: float = np.nan
    else:
        chosen = (
            "threshold" if kind == "ordinal" else split or str(rng.choice(["multiway", "equals", "subset"]))
        )
        n_values = _domain_size(rng, chosen, n_classes)
        values = rng.integers(0, n_values, n).astype(np.int32)
        if rng.random() < 0.3:  # leave some of the domain without rows
            values = rng.choice(rng.integers(0, n_values, max(1, n_values // 2)), n).astype(np.int32)
        column = {"kind": kind, "split": chosen, "values": values, "n_values": n_values}
        gap = -1
    share = float(rng.choice([0.0, 0.1, 0.5, 1.0], p=[0.5, 0.28, 0.2, 0.02]))
    column["values"][rng.random(n) < share] = gap
    return column


def _domain_size(rng: Rng, split: str, n_classes: int) -> int:
    if split == "subset":
        large = 10 if n_classes > 2 else 12
        return int(rng.integers(7, large + 1)) if rng.random() < 0.02 else int(rng.integers(1, 7))
    return int(rng.integers(8, 16)) if rng.random() < 0.1 else int(rng.integers(1, 8))


def _numbers(rng: Rng, n: int) -> np.ndarray:
    start = float(rng.choice([1.0, 0.1, 1e-300, -3.7e5, 16777216.0]))
    neighbours = np.array(
        [start, np.nextafter(start, np.inf), np.nextafter(np.nextafter(start, np.inf), np.inf)]
    )
    draw: list[Callable[[], np.ndarray]] = [
        lambda: rng.choice(rng.normal(size=int(rng.integers(2, 6))), n),
        lambda: rng.integers(0, 5, n).astype(float),
        lambda: rng.normal(size=n),
        lambda: rng.choice(neighbours, n),
        lambda: rng.normal(size=n).astype(np.float32),
        lambda: rng.choice(np.array([0.1, 0.2, 0.3, -0.7], dtype=np.float32), n),
        lambda: rng.choice([-1.7e308, -1e300, -0.0, 0.0, 1e-310, 1e300, 1.7e308], n),
        lambda: np.exp(30 * rng.normal(size=n)),
        lambda: np.full(n, 2.5),
    ]
    return draw[int(rng.choice(len(draw), p=[0.22, 0.2, 0.2, 0.1, 0.1, 0.06, 0.05, 0.04, 0.03]))]()


# weights and plan ------------------------------------------------------------------------------------


def _weights(rng: Rng, n: int, decimals: bool) -> tuple[np.ndarray | None, np.ndarray | None]:
    how = str(rng.choice(["none", "dyadic", "real", "counts", "both"], p=[0.6, 0.12, 0.1, 0.12, 0.06]))
    weights = counts = None
    if how in ("dyadic", "both"):
        weights = rng.integers(0, 9, n) / 4.0
    if how == "real":
        weights = (
            rng.integers(0, 5, n) / 10.0 if decimals else rng.uniform(0.01, 3.0, n) * (rng.random(n) > 0.1)
        )
    if how in ("counts", "both"):
        counts = rng.integers(0, 4, n).astype(np.int64)
    used = (np.ones(n) if weights is None else weights) * (1 if counts is None else counts)
    if used.sum() == 0:  # a table without weight is refused at the door
        return None, None
    return weights, counts


def _plan(
    rng: Rng, criterion: str, missing: str | None, columns: list[dict[str, Any]], target: dict[str, Any]
) -> dict[str, Any]:
    plan: dict[str, Any] = {"criterion": criterion}
    plan["missing"] = missing or str(rng.choice(["learn", "branch", "all-paths"], p=[0.6, 0.3, 0.1]))
    scale = float(np.std(target["values"])) if target["kind"] == "real" else 0.5
    scale = scale**2 if criterion == "variance" else scale
    limits: dict[str, Callable[[], Any]] = {
        "max_depth": lambda: int(rng.integers(1, 5)),
        "max_leaf_nodes": lambda: int(rng.integers(2, 12)),
        "max_nodes": lambda: int(rng.integers(3, 20)),
        "min_samples_split": lambda: int(rng.integers(2, 9)),
        "min_samples_leaf": lambda: int(rng.integers(1, 5)),
        "min_weight_fraction_leaf": lambda: float(rng.choice([0.0625, 0.125, rng.uniform(0, 0.3)])),
        "min_impurity_decrease": lambda: float(rng.uniform(0, 0.15)) * scale,
        "min_gain": lambda: float(rng.choice([0.0, 0.0, rng.uniform(0, 0.2) * scale])),
    }
    chance = {"max_depth": 0.15, "max_leaf_nodes": 0.12, "min_samples_leaf": 0.15, "min_gain": 0.15}
    for name, value in limits.items():
        if rng.random() < chance.get(name, 0.07):
            plan[name] = value()
    if rng.random() < 0.08:
        plan["monotonic"] = _monotonic(rng, columns, target)
    return plan


def _monotonic(
    rng: Rng, columns: list[dict[str, Any]], target: dict[str, Any]
) -> dict[int, list[tuple[Any, int]]]:
    """Order the mean, or every P(class >= k), or one class, along some of the ordered columns."""
    constraints: dict[int, list[tuple[Any, int]]] = {}
    for index, column in enumerate(columns):
        if column["kind"] == "nominal" or rng.random() < 0.3:
            continue
        sign = int(rng.choice([-1, 1]))
        if target["kind"] == "real":
            constraints[index] = [(("mean",), sign)]
        elif rng.random() < 0.6:
            constraints[index] = [(("cum", k), sign) for k in range(1, target["n_classes"])]
        else:
            constraints[index] = [(("class", int(rng.integers(target["n_classes"]))), sign)]
    return {index: pairs for index, pairs in constraints.items() if pairs}
