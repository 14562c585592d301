"""One table made ready for the twin. The one idea: a double is a whole number times a power of two, so
weights and real targets become Python integers and no sum is ever rounded.

A table is a plain dict:

    columns   list of dict(kind "numeric"|"ordinal"|"nominal", split "threshold"|"multiway"|"equals"|"subset",
              values: floats with nan, or codes with -1 = missing; n_values: size of the domain)
    target    dict(kind "classes", codes, n_classes) or dict(kind "real", values)
    weights   float array or None          counts   int array or None
    plan      dict of Plan's fields (all optional)
    grid      optional dict(weight_step, target_step, center): round to these grids first, as the product does
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from tests.oracles.impurity import REAL_CRITERIA

Functional = tuple[Any, ...]  # ("cum", k): P(class >= k); ("class", c): P(class = c); ("mean",)


@dataclass(frozen=True)
class Plan:
    """Criterion, treatment of gaps, limits, monotonic constraints {column: [(functional, sign), ...]}."""

    criterion: str = "gini"
    missing: str = "learn"
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    max_nodes: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    min_gain: float | None = None
    monotonic: Mapping[int, Sequence[tuple[Functional, int]]] = field(default_factory=dict)

    @property
    def functionals(self) -> list[Functional]:
        """Every functional some column constrains."""
        return sorted({f for pairs in self.monotonic.values() for f, _ in pairs})


def whole_numbers(values: Iterable[float]) -> tuple[list[int], int]:
    """Integers n_i and one denominator d (a power of two) with values[i] == n_i / d exactly."""
    ratios = [float(v).as_integer_ratio() for v in values]
    denominator = max((d for _, d in ratios), default=1)
    return [n * (denominator // d) for n, d in ratios], denominator


class Problem:
    """Rows of positive weight only; `rows` below always means positions among them."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.plan = Plan(**table.get("plan", {}))
        target, grid = table["target"], table.get("grid") or {}
        self.real = target["kind"] == "real"
        if self.real != (self.plan.criterion in REAL_CRITERIA):
            raise ValueError(f"criterion {self.plan.criterion!r} does not fit a target of {target['kind']}")
        outcome = np.asarray(target["values"] if self.real else target["codes"])
        n = len(outcome)
        weights = np.ones(n) if table.get("weights") is None else np.asarray(table["weights"], dtype=float)
        if "weight_step" in grid:
            weights = np.rint(weights / grid["weight_step"]) * grid["weight_step"]
        counts = np.ones(n, dtype=int) if table.get("counts") is None else np.asarray(table["counts"])
        keep = np.flatnonzero((weights > 0) & (counts > 0))

        self.columns = [{**c, "values": _prepared(c, keep)} for c in table["columns"]]
        self.repeats = counts[keep].astype(int)
        whole, self.weight_unit = whole_numbers(weights[keep])
        self.weight = [w * int(c) for w, c in zip(whole, self.repeats, strict=True)]
        self.outcome: list[int] = []
        self._read_outcome(outcome[keep], grid)
        self.n_classes = 0 if self.real else int(target["n_classes"])
        self.all_rows = np.arange(len(keep))
        self.total_weight = sum(self.weight)

    def _read_outcome(self, outcome: np.ndarray, grid: Mapping[str, float]) -> None:
        self.center, self.target_unit = Fraction(0), 1
        if not self.real:
            self.outcome = [int(c) for c in outcome]
        elif "target_step" in grid:
            self.center = Fraction(grid["center"])
            steps = np.rint((outcome.astype(float) - grid["center"]) / grid["target_step"])
            self.outcome, self.target_unit = whole_numbers(steps * grid["target_step"])
        else:
            self.outcome, self.target_unit = whole_numbers(outcome)

    @property
    def score_unit(self) -> int:
        """Impurities of the whole-number targets are this many times the true ones."""
        return {"variance": self.target_unit**2, "sd": self.target_unit}.get(self.plan.criterion, 1)

    def stats(self, rows: np.ndarray) -> tuple[int, ...]:
        """Exact Stats of some rows: class weights, or (w, sum wy, sum wyy), in whole-number units."""
        if self.real:
            pairs = [(self.weight[i], self.outcome[i]) for i in rows.tolist()]
            return sum(w for w, _ in pairs), sum(w * y for w, y in pairs), sum(w * y * y for w, y in pairs)
        sums = [0] * self.n_classes
        for i in rows.tolist():
            sums[self.outcome[i]] += self.weight[i]
        return tuple(sums)

    def float_rows(self, rows: np.ndarray) -> np.ndarray:
        """Stats of each row as float64, with weights at most 1 and y measured from its mean and scaled."""
        chosen = rows.tolist()
        largest = max(self.weight[i] for i in chosen)
        weight = np.array([self.weight[i] / largest for i in chosen])
        if not self.real:
            return weight[:, None] * np.eye(self.n_classes)[[self.outcome[i] for i in chosen]]
        first = self.outcome[chosen[0]]
        scale = max(abs(self.outcome[i] - first) for i in chosen) or 1
        y = np.array([(self.outcome[i] - first) / scale for i in chosen])
        y -= (weight @ y) / weight.sum()
        return np.stack([weight, weight * y, weight * y * y], axis=1)

    def is_wide(self, rows: np.ndarray) -> bool:
        """Whether weights lie too far apart for scores in float64."""
        weights = [self.weight[i] for i in rows.tolist()]
        return max(weights) > 10**6 * min(weights)

    def weight_of(self, stats: tuple[int, ...]) -> int:
        return stats[0] if self.real else sum(stats)

    def rows_of(self, rows: np.ndarray) -> int:
        """Rows as the limits count them: repetitions when the table has counts."""
        return int(self.repeats[rows].sum())

    def mean(self, stats: tuple[int, ...]) -> Fraction:
        return self.center + Fraction(stats[1], stats[0] * self.target_unit)

    def sd(self, stats: tuple[int, ...]) -> float:
        spread = Fraction(stats[0] * stats[2] - stats[1] ** 2, (stats[0] * self.target_unit) ** 2)
        return math.sqrt(spread)

    def functional(self, which: Functional, stats: tuple[int, ...]) -> Fraction:
        """The value a monotonic constraint orders."""
        if which[0] == "mean":
            return self.mean(stats)
        part = sum(stats[which[1] :]) if which[0] == "cum" else stats[which[1]]
        return Fraction(part, sum(stats))


def _prepared(column: Mapping[str, Any], keep: np.ndarray) -> np.ndarray:
    """Values as float64 with nan = missing, whatever the kind: codes are small enough to be exact."""
    values: np.ndarray = np.asarray(column["values"]).astype(np.float64)[keep]
    if column["kind"] != "numeric":
        values[values < 0] = np.nan
    return values
