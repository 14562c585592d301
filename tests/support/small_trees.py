"""Small trees for tests of pruning: the lecture's, chains, and trees grown on little random tables."""

from __future__ import annotations

from typing import Any

import numpy as np

import hornbeam as hb

S1 = [(20, 2), (3, 6), (5, 4), (2, 15), (4, 3)]
S2 = [(8, 1), (4, 3), (2, 5), (1, 7), (2, 4)]
PLACES = [
    {"x1": 0, "x2": 0, "x3": 0, "x4": 0},
    {"x1": 0, "x2": 1, "x3": 0, "x4": 0},
    {"x1": 0, "x2": 1, "x3": 1, "x4": 0},
    {"x1": 1, "x2": 0, "x3": 0, "x4": 0},
    {"x1": 1, "x2": 0, "x3": 0, "x4": 1},
]


def pt() -> hb.Tree:
    """The lecture's tree x1[0: x2[0: leaf | 1: x3[...]] | 1: x4[...]] with the counts of S1."""
    leaf = [{"counts": {0: a, 1: b}} for a, b in S1]
    x3 = {"column": "x3", "<=": 0.5, "yes": leaf[1], "no": leaf[2]}
    x2 = {"column": "x2", "<=": 0.5, "yes": leaf[0], "no": x3}
    x4 = {"column": "x4", "<=": 0.5, "yes": leaf[3], "no": leaf[4]}
    return hb.Tree.from_nested({"column": "x1", "<=": 0.5, "yes": x2, "no": x4})


def rows_of(sample: list[tuple[int, int]]) -> tuple[dict[str, list[int]], list[int], list[int]]:
    """Columns, classes and counts of a sample given by its class counts in the leaves of `pt`."""
    places = [place for place in PLACES for _ in (0, 1)]
    X = {name: [place[name] for place in places] for name in PLACES[0]}
    return X, [0, 1] * len(PLACES), [n for pair in sample for n in pair]


def chain(n_tests: int, last: int = 1000) -> hb.Tree:
    """Every test parts off one row of class B; what is left at the end are `last` rows of class A."""
    nested: Any = {"counts": {"A": last, "B": 0}}
    for k in range(n_tests, 0, -1):
        nested = {"column": f"x{k}", "<=": 0.5, "yes": {"counts": {"A": 0, "B": 1}}, "no": nested}
    return hb.Tree.from_nested(nested, classes=["A", "B"])


def grown(seed: int, **params: Any) -> tuple[Any, dict[str, Any], np.ndarray]:
    """A fitted model on a little random table of numbers and words, with the table and its classes."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 60))
    X = {
        "a": rng.integers(0, 6, n).astype(float),
        "b": rng.normal(size=n).round(1),
        "c": rng.choice(["u", "v", "w", "z"], n),
    }
    if params.pop("task", "classes") == "real":
        y = (X["a"] + rng.normal(size=n)).round(2)
        return hb.TreeRegressor(**params).fit(X, y), X, y
    y = np.where(rng.random(n) < 0.3, rng.integers(0, 3, n), (X["a"] > 2) + (X["c"] == "u"))
    return hb.TreeClassifier(**params).fit(X, y), X, y
