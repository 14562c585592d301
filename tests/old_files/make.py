"""Files of this version, to be read by all later ones: `python -m tests.old_files.make`.

Each kind of model has a file, and beside it rows with what the model answered when it was written. Files of
released versions are never written again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from tests.io.export.case import records
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.data.columns import Column
from hornbeam.parts import AllPaths, ColumnSets, Constant, Linear, Oblique, Polynomial, Predicates, Quantiles

FOLDER = Path(__file__).parent


def _fitted(model: Any, n_classes: int, gaps: float = 0.15) -> Any:
    rng = np.random.default_rng(3)
    X = random_columns(rng, 120, gaps=gaps)
    return model.fit(X, outcome(rng, X, n_classes))


def _classes(**options: Any) -> Any:
    return _fitted(hb.TreeClassifier(**{"max_depth": 3, "min_samples_leaf": 4, **options}), 3)


def _numbers(**options: Any) -> Any:
    return _fitted(hb.TreeRegressor(**{"max_depth": 2, "min_samples_leaf": 8, **options}), 0)


def _intervals() -> Any:
    columns = [Column("age", "numeric"), Column("size", "ordinal", ("S", "M", "L", "XL"))]
    last = {"column": "size", "cuts": ["S", "L"], "branches": ["a", "b", "c"]}
    return hb.Tree.from_nested({"column": "age", "cuts": [18.5, 40.0], "branches": ["a", "b", last]}, columns)


def _hyperplane() -> Any:
    rng = np.random.default_rng(3)
    X = random_columns(rng, 120, gaps=0)
    model = hb.TreeClassifier(split=Oblique(restarts=1), max_depth=2, random_state=0)
    return model.fit(X[["age", "pay", "rooms"]], outcome(rng, X, 3))


def _density() -> Any:
    rng = np.random.default_rng(3)
    model = hb.TreeDensity("cross-validated", min_samples_leaf=10, random_state=0)
    return model.fit(random_columns(rng, 120, gaps=0))


MAKERS: Mapping[str, Callable[[], Any]] = {
    "subset": lambda: _classes(missing="learn"),
    "multiway": lambda: _classes(split="multiway", missing=AllPaths(vote="leaf")),
    "equals": lambda: _classes(split="one-vs-rest"),
    "intervals": _intervals,
    "hyperplane": _hyperplane,
    "column-sets": lambda: _classes(split=ColumnSets(columns=None), max_depth=2),
    "expressions": lambda: _classes(
        split=Predicates(["age > 40 and city == 'Brno'", "age / rooms > 9 or owner"], columns=None)
    ),
    "surrogates": lambda: _classes(missing="surrogates"),
    "costs": lambda: _classes(
        costs={"class 0": {"class 2": 5.0}}, priors="equal", leaf=Constant("laplace"), missing="all-paths"
    ),
    "c45": lambda: _fitted(hb.c45(), 3),
    "chaid": lambda: _fitted(hb.chaid(), 3),
    "linear": lambda: _numbers(leaf=Linear(ridge=0.5)),
    "polynomial": lambda: _numbers(leaf=Polynomial(degree=2), missing="fractional"),
    "m5": lambda: _fitted(hb.m5(), 0),
    "quantiles": lambda: _numbers(leaf=Quantiles(levels=(0.1, 0.5, 0.9))),
    "density": _density,
    "forest-classes": lambda: _fitted(hb.ForestClassifier(3, max_depth=3, oob_score=True, random_state=0), 3),
    "forest-numbers": lambda: _fitted(hb.ForestRegressor(3, max_depth=3, random_state=0), 0),
}


def answers(model: Any, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What a model says about rows: predictions, probabilities or quantiles, and its text."""
    trees = getattr(model, "trees_", None) or [getattr(model, "tree_", model)]
    density = isinstance(model, hb.TreeDensity)
    found: dict[str, Any] = {
        "predictions": [] if density else model.predict(rows).tolist(),
        "density": np.exp(model.score_samples(rows)).tolist() if density else [],
        "probabilities": model.predict_proba(rows).tolist() if trees[0].classes else [],
    }
    keeps = isinstance(model, hb.TreeRegressor) and len(trees[0].quantile_level)
    found["quantiles"] = model.predict_quantiles(rows).tolist() if keeps else []
    return found | {"text": [tree.text() for tree in trees]}


def main() -> None:
    """Write what is not there yet."""
    for name, make in MAKERS.items():
        model = make()
        kind = "forest" if hasattr(model, "trees_") else "tree"
        path = FOLDER / f"{version('hornbeam')}-{name}.{kind}.json"
        if path.exists():
            continue
        rng = np.random.default_rng(4)
        density = isinstance(model, hb.TreeDensity)
        table = random_columns(rng, 12, gaps=0) if density else strange_rows(rng, 12)
        rows = records(table)
        hb.save(model, path)
        said = {"rows": rows, **answers(model, rows)}
        path.with_name(f"{version('hornbeam')}-{name}.rows.json").write_text(
            json.dumps(said, ensure_ascii=False) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
