"""A tree grown from partitions of the rows, each asked by itself, is that of all rows, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.mixed_tables import outcome, random_columns
from tests.support.selection import pairs

import hornbeam as hb
from hornbeam.growing import core
from hornbeam.parts import AverageGain

MODELS: dict[str, tuple[Any, int]] = {
    **{
        f"{name}": (hb.TreeClassifier(criterion=name), 3)
        for name in ("gini", "entropy", "gain-ratio", "root", "error")
    },
    "two classes": (hb.TreeClassifier(), 2),
    "own branch": (hb.TreeClassifier(missing="branch", min_samples_leaf=3), 4),
    "majority": (hb.TreeClassifier(missing="majority"), 2),
    "multiway": (hb.TreeClassifier(split="multiway"), 3),
    "best first": (hb.TreeClassifier(max_leaf_nodes=9), 3),
    "few columns": (hb.TreeClassifier(max_features=2, random_state=1), 3),
    "average gain": (hb.TreeClassifier(selection=AverageGain(correction=None)), 3),
    "monotone": (hb.TreeRegressor(monotonic_cst={"age": 1}), 0),
    **{f"{name}": (hb.TreeRegressor(criterion=name), 0) for name in ("variance", "sd", "poisson")},
    "own branch, numbers": (hb.TreeRegressor(missing="branch"), 0),
    "majority, numbers": (hb.TreeRegressor(missing="majority", max_depth=5), 0),
}


def _rows(array: Any, rows: Any) -> Any:
    return None if array is None else array[rows].copy()


def _grow_divided(seed: int) -> Any:
    """A `_core.grow` that asks copies of some rows each, some twice; some forget what they knew."""
    rng = np.random.default_rng(seed)

    def grow(columns: Any, n_rows: int, target: Any, plan: Any, progress: Any) -> Any:
        k = rng.integers(1, 8)
        part = rng.integers(rng.integers(0, k), k, n_rows)  # the first ones may be empty
        tables = []
        for rows in (np.flatnonzero(part == p) for p in range(k)):
            if not len(rows):
                continue
            views = [(array[rows].copy(), *rest) for array, *rest in columns]
            goal = {key: value if key == "n_classes" else _rows(value, rows) for key, value in target.items()}
            caches = [np.zeros(size, np.uint8) for size in core._core.cache_bytes(len(columns), len(rows))]
            sums = core._core.checksums(views, len(rows), goal)
            tables.append(((views, len(rows), goal, plan, sums), caches))

        def send(message: bytes) -> bytes:
            answers = []
            for i in rng.permutation(len(tables)):
                rows, caches = tables[i]
                for _ in range(1 + int(rng.random() < 0.1)):
                    kept = caches if rng.random() < 0.9 else [None, None]
                    answer = core._core.answer(message, *rows, *kept)
                answers.append(answer)
            return core._core.merge_answers(answers)

        empty = [(array[:0].copy(), *rest) for array, *rest in columns]
        goal = {key: value if key == "n_classes" else _rows(value, [0]) for key, value in target.items()}
        limits = {
            "fetch_rows": int(rng.choice([0, 10, 100])),
            "fetch_bytes": 1 << 14,
            "answer_bytes": 1 << 12,
            "n_searches": 3,
        }
        return core._core.grow_far(empty, goal, plan, limits, send, progress, None)

    return grow


@pytest.mark.parametrize(("name", "weighing", "seed"), pairs(MODELS, ["rows", "weights", "counts"], range(4)))
def test_partitions_grow_the_tree_of_all_rows(name, weighing, seed, monkeypatch):
    model, n_classes = MODELS[name]
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 400))
    table = random_columns(rng, n)
    y = outcome(rng, table, n_classes)
    if name == "poisson":
        y = np.abs(y)
    extra = {
        "rows": {},
        "weights": {"sample_weight": rng.random(n) + 0.01},
        "counts": {"counts": rng.integers(1, 4, n)},
    }[weighing]
    monkeypatch.setitem(core.TUNING, "block_rows", 4096)
    whole = model.fit(table, y, **extra).tree_.to_dict()
    monkeypatch.setitem(core.TUNING, "block_rows", int(rng.choice([1, 8, 64])))
    monkeypatch.setitem(core.TUNING, "column_block_rows", int(rng.choice([1, 8, 64])))
    monkeypatch.setattr(core._core, "grow", _grow_divided(seed))
    assert model.fit(table, y, **extra).tree_.to_dict() == whole


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (hb.TreeClassifier(missing="surrogates"), "need all rows in memory; use missing='learn'"),
        (hb.TreeRegressor(criterion="absolute"), "quantiles need all rows in memory"),
        (hb.c45(missing="learn"), "a charge for thresholds needs all rows in memory"),
        (hb.TreeRegressor(missing="fractional"), "need all rows in memory; use missing='learn'"),
    ],
)
def test_what_does_not_add_up_is_refused(model, words, monkeypatch):
    rng = np.random.default_rng(0)
    table = random_columns(rng, 60)
    monkeypatch.setattr(core._core, "grow", _grow_divided(0))
    with pytest.raises(ValueError, match=words):
        model.fit(table, outcome(rng, table, 2 if isinstance(model, hb.TreeClassifier) else 0))
