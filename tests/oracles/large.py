"""Tables of thousands of rows, too large for the twin: there the ways of growing must agree with each other.

    LARGE[name](rng, criterion) -> table        a table as in problem.py

Each name is a shape of data that the bins, their bounds or the sorting of blocks could get wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tests.oracles.impurity import REAL_CRITERIA

Rng = np.random.Generator
Table = dict[str, Any]
Columns = list[dict[str, Any]]


def _numeric(values: np.ndarray) -> dict[str, Any]:
    return {"kind": "numeric", "split": "threshold", "values": values, "n_values": 0}


def _coded(rng: Rng, n: int, n_values: int, split: str) -> dict[str, Any]:
    """Codes of which low ones are frequent and high ones rare."""
    kind = "ordinal" if split == "threshold" else "nominal"
    values = np.minimum(rng.geometric(4 / n_values, n) - 1, n_values - 1).astype(np.int32)
    return {"kind": kind, "split": split, "values": values, "n_values": n_values}


def _with_gaps(rng: Rng, columns: Columns, share: float = 0.1) -> Columns:
    for column in columns:
        gap = np.nan if column["kind"] == "numeric" else -1
        column["values"][rng.random(len(column["values"])) < share] = gap
    return columns


def _table(rng: Rng, criterion: str, columns: Columns, n_classes: int = 2, **more: Any) -> Table:
    """A target that follows all columns a little; `more` goes to the plan, except weights and counts."""
    n = len(columns[0]["values"])
    signal = rng.normal(size=n)
    for column in columns:
        x = np.nan_to_num(np.asarray(column["values"], dtype=float))
        rank = np.argsort(np.argsort(x, kind="stable"), kind="stable") / n
        signal += 2 * np.sin(3 * rank) + (x * 7919 % 13 > 6)
    if criterion in REAL_CRITERIA:
        target: dict[str, Any] = {"kind": "real", "values": signal}
    else:
        cuts = np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1])
        target = {"kind": "classes", "codes": np.searchsorted(cuts, signal).astype(np.int32)}
        target["n_classes"] = n_classes
    weights, counts = more.pop("weights", None), more.pop("counts", None)
    plan = {"criterion": criterion, "min_samples_leaf": 3, **more}
    if criterion in ("error", "gain-ratio"):  # they split off a few rows at a time
        plan["max_depth"] = min(plan.get("max_depth", 40), 40)
    return {"columns": columns, "target": target, "weights": weights, "counts": counts, "plan": plan}


def plain(rng: Rng, criterion: str) -> Table:
    n = 20_000  # more than the cuts are taken from
    columns = [_numeric(rng.normal(size=n)), _numeric(rng.normal(size=n).astype(np.float32))]
    return _table(rng, criterion, columns, n_classes=2)


def full_bins(rng: Rng, criterion: str) -> Table:
    """Hundreds of rows in a bin; in the last column nearly all rows that the cuts were not taken from."""
    n = 32_000
    looked_at = np.arange(8192, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(16)
    crowded = 1e6 + rng.normal(size=n)
    crowded[(looked_at % np.uint64(n)).astype(int)] = rng.integers(0, 300, 8192)
    columns = [
        _numeric(rng.normal(size=n)),
        _numeric(rng.normal(size=n).astype(np.float32)),
        _numeric(crowded),
    ]
    missing = str(rng.choice(["learn", "branch"]))
    if rng.random() < 0.7:
        _with_gaps(rng, columns, 0.05)
    n_classes, leaf = int(rng.choice([2, 3, 8])), int(rng.choice([1, 50]))
    plan = {"missing": missing, "max_depth": 2, "min_samples_leaf": leaf}
    if rng.random() < 0.3:
        plan["weights"] = rng.exponential(size=n)
    table = _table(rng, criterion, columns, n_classes, **plan)
    if rng.random() < 0.5:  # a clean cut inside a bin
        above = np.nan_to_num(columns[2]["values"]) > 1e6 + rng.normal()
        outcome = "values" if criterion in REAL_CRITERIA else "codes"
        table["target"][outcome] = above.astype(table["target"][outcome].dtype)
    return table


def whole_numbers(rng: Rng, criterion: str) -> Table:
    n = 9_000
    columns = [
        _numeric(rng.integers(0, 2, n).astype(np.float32)),
        _numeric(rng.integers(0, 200, n).astype(float)),
        _numeric(rng.integers(-1000, 1000, n).astype(np.float32)),
    ]
    return _table(rng, criterion, columns, n_classes=5, min_samples_leaf=1)


def no_signal(rng: Rng, criterion: str) -> Table:
    """The target is chance, so that most bins could hold the winner; some hold one value, some a few."""
    n = 16_000
    columns = [
        _numeric(rng.normal(size=n)),
        _numeric(rng.normal(size=n).astype(np.float32)),
        _numeric(np.round(np.exp(3 * rng.normal(size=n)))),
        _numeric(np.round(300 * rng.normal(size=n)).astype(np.float32)),
        _numeric(np.where(rng.random(n) < 0.6, 0.5, rng.normal(size=n))),
    ]
    if rng.random() < 0.4:
        _with_gaps(rng, columns, 0.05)
    plan: dict[str, Any] = {"missing": str(rng.choice(["learn", "branch"])), "max_depth": 3}
    plan["min_samples_leaf"] = int(rng.choice([1, 20]))
    if rng.random() < 0.3:
        plan["weights"] = rng.exponential(size=n)
    table = _table(rng, criterion, columns, int(rng.choice([2, 3, 8])), **plan)
    outcome = "values" if criterion in REAL_CRITERIA else "codes"
    table["target"][outcome] = rng.permutation(table["target"][outcome])
    return table


def heavy_tails(rng: Rng, criterion: str) -> Table:
    n = 12_000
    spike = np.where(rng.random(n) < 0.7, 0.0, rng.standard_cauchy(n))
    columns = [_numeric(np.exp(40 * rng.normal(size=n))), _numeric(spike)]
    return _table(rng, criterion, columns, n_classes=3)


def neighbours(rng: Rng, criterion: str) -> Table:
    """Every value next to another double (float32: number); one far away stretches the cells."""
    n = 6_000
    close = 1 + rng.integers(0, 900, n) * np.finfo(np.float64).eps
    close[0] = 1e12
    narrow = (1 + rng.integers(0, 900, n) * np.finfo(np.float32).eps).astype(np.float32)
    return _table(rng, criterion, [_numeric(close), _numeric(narrow)], n_classes=2)


def gaps(rng: Rng, criterion: str) -> Table:
    n = 5_000
    columns = [_numeric(rng.normal(size=n)), _numeric(rng.normal(size=n)), _coded(rng, n, 300, "threshold")]
    return _table(rng, criterion, _with_gaps(rng, columns), n_classes=4)


def own_branch(rng: Rng, criterion: str) -> Table:
    n = 5_000
    columns = [_numeric(rng.normal(size=n)), _coded(rng, n, 20, "equals"), _coded(rng, n, 40, "threshold")]
    return _table(rng, criterion, _with_gaps(rng, columns, 0.2), n_classes=2, missing="branch")


def weights(rng: Rng, criterion: str) -> Table:
    n = 4_000
    columns = _with_gaps(rng, [_numeric(rng.normal(size=n)), _numeric(rng.integers(0, 50, n).astype(float))])
    heavy = rng.exponential(size=n) * (rng.random(n) > 0.1)
    return _table(rng, criterion, columns, n_classes=3, weights=heavy, min_weight_fraction_leaf=0.001)


def repetitions(rng: Rng, criterion: str) -> Table:
    n = 3_000
    columns = [_numeric(rng.normal(size=n)), _coded(rng, n, 300, "equals")]
    return _table(rng, criterion, columns, n_classes=2, counts=rng.integers(0, 4, n))


def many_values(rng: Rng, criterion: str) -> Table:
    """Nominal columns whose codes do not fit a byte."""
    n = 6_000
    columns = [
        _coded(rng, n, 5_000, "equals"),
        _coded(rng, n, 300, "subset"),
        _coded(rng, n, 300, "multiway"),
        _numeric(rng.normal(size=n)),
    ]
    return _table(rng, criterion, _with_gaps(rng, columns), n_classes=3, max_depth=6)


def very_many_values(rng: Rng, criterion: str) -> Table:
    n = 4_000
    columns = [
        _coded(rng, n, 5_000, "subset"),
        _coded(rng, n, 5_000, "multiway"),
        _numeric(rng.normal(size=n)),
    ]
    return _table(rng, criterion, columns, n_classes=2, max_depth=4)


def many_classes(rng: Rng, criterion: str) -> Table:
    n = 4_000
    columns = [_numeric(rng.normal(size=n)), _coded(rng, n, 30, "subset")]
    return _table(rng, criterion, columns, n_classes=40, max_depth=8)


def constraints(rng: Rng, criterion: str) -> Table:
    n = 3_000
    columns = _with_gaps(rng, [_numeric(rng.normal(size=n)), _numeric(rng.normal(size=n))], 0.03)
    real = criterion in REAL_CRITERIA
    what: list[tuple[Any, int]] = [(("mean",), 1)] if real else [(("cum", k), 1) for k in (1, 2)]
    return _table(rng, criterion, columns, n_classes=3, monotonic={0: what})


def _step(rng: Rng, criterion: str, **plan: Any) -> Table:
    """The first column cuts the target clean, except for one row very far away."""
    n = 4_000
    x, odd_one = rng.random(n), (np.arange(n) == 0).astype(float)
    columns = [_numeric(x), _numeric(odd_one)]
    table = _table(rng, criterion, columns, max_depth=3, min_samples_leaf=1, **plan)
    above = x > rng.uniform(0.3, 0.7)
    if criterion in REAL_CRITERIA:
        table["target"]["values"] = np.where(odd_one == 1, 1e8, above)
    else:
        table["target"]["codes"] = above.astype(np.int32)
    return table


def far_target(rng: Rng, criterion: str) -> Table:
    """Sums that round by the largest target lose the others."""
    table = _step(rng, criterion, missing="branch")
    _with_gaps(rng, table["columns"][:1])
    return table


def far_target_constrained(rng: Rng, criterion: str) -> Table:
    what = ("mean",) if criterion in REAL_CRITERIA else ("cum", 1)
    return _step(rng, criterion, monotonic={0: [(what, 1)]})


def light_class(rng: Rng, criterion: str) -> Table:
    """All rows of some classes weigh next to nothing."""
    n = 1_500
    x, n_classes = rng.random(n), int(rng.choice([2, 3]))
    table = _table(rng, criterion, [_numeric(x)], n_classes, max_depth=1, min_samples_leaf=1)
    light = (x > 0.45) & (rng.random(n) < 0.9)
    if criterion not in REAL_CRITERIA:
        table["target"]["codes"] = (light * rng.integers(1, n_classes, n)).astype(np.int32)
    return table | {"weights": np.where(light, 2.0**-45, 1.0)}


def best_first(rng: Rng, criterion: str) -> Table:
    n = 5_000
    columns = _with_gaps(rng, [_numeric(rng.normal(size=n)), _coded(rng, n, 12, "multiway")])
    return _table(rng, criterion, columns, n_classes=3, max_leaf_nodes=60)


LARGE: dict[str, Callable[[Rng, str], Table]] = {
    "plain": plain,
    "full bins": full_bins,
    "whole numbers": whole_numbers,
    "no signal": no_signal,
    "heavy tails": heavy_tails,
    "neighbours": neighbours,
    "gaps": gaps,
    "own branch": own_branch,
    "weights": weights,
    "repetitions": repetitions,
    "many values": many_values,
    "very many values": very_many_values,
    "many classes": many_classes,
    "constraints": constraints,
    "far target": far_target,
    "far target, constrained": far_target_constrained,
    "light class": light_class,
    "best first": best_first,
}
