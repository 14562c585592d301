"""Trees of every feature an export has to say, with rows that ask for it: gaps, values never seen, edges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from tests.io.export.case import HOSTILE, Case, N, edges, records
from tests.io.export.hand_written_cases import (
    _dates,
    _equations_by_hand,
    _hand_written,
    _intervals,
    _labels,
    _many_terms,
    _times,
    _weightless,
)
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.data.columns import Column
from hornbeam.parts import (
    AllPaths,
    ColumnSets,
    Constant,
    Linear,
    Oblique,
    OwnBranch,
    Polynomial,
    Predicates,
    Quantile,
    Quantiles,
)


def _learned(n_classes: int = 3, rows: Any = None, **options: Any) -> Case:
    rng = np.random.default_rng(11)
    X = random_columns(rng, N)
    y = outcome(rng, X, n_classes)
    fit = options.pop("fit", {})
    estimator = hb.TreeClassifier if n_classes else hb.TreeRegressor
    model = estimator(**{"max_depth": 5, "min_samples_leaf": 3, **options}).fit(X, y, **fit)
    return Case(model.tree_, records(strange_rows(rng, 120)) + edges(model.tree_))


def _recipe(name: str) -> Case:
    rng = np.random.default_rng(13)
    X = random_columns(rng, N)
    tree = hb.recipe(name).fit(X, outcome(rng, X, 0)).tree_
    return Case(tree, records(strange_rows(rng, 120)) + edges(tree))


def _numbers(**options: Any) -> Case:
    rng = np.random.default_rng(12)
    table = random_columns(rng, N, gaps=0)
    X, y = table[["age", "pay", "rooms"]], outcome(rng, table, 3)
    model = hb.TreeClassifier(max_depth=3, random_state=0, **options).fit(X, y)
    return Case(model.tree_, records(strange_rows(rng, 120)[list(X)]))


def _expressions() -> Case:
    said = [
        "age > 40 and city == 'Brno' or not owner",
        "age / (rooms - 3) > 9 or pay ** 2 - 1 > -pay",
        "city in ('Aš', 'Cheb') and size >= 'M'",
        "1 < rooms <= 3 and city != 'Brno'",
        "age * 1e300 * 1e300 > pay / 0 or rooms ** 0.5 < 1.5",
        "size < 'L' and owner == True and not (age + pay <= 20)",
        "0.5 * (city in ('Aš', 'Cheb')) + (age > 40) - 2 * (not owner) + (owner and rooms > 2) <= 0.75",
    ]
    return _learned(split=Predicates(said, columns=None), max_depth=6)


def _two_category_columns() -> Case:
    values = ["a", "b", "c"]
    columns = [Column("u", "nominal", ("a", "b", "c", "d")), Column("w", "nominal", ("a", "b", "c", "e"))]
    second = {"expression": "u != w", "yes": "p", "no": "q"}
    tree = hb.Tree.from_nested({"expression": "u == w", "yes": "r", "no": second}, columns)
    pairs = [{"u": u, "w": w} for u in (*values, "d", "z", None) for w in ("e", *values, "z", None)]
    return Case(tree, pairs)


def _deep_expression() -> Case:
    text = "x"
    for k in range(90):
        text = f"({text} + {k}.25)" if k % 2 else f"({text} * 0.5)"
    many = " and ".join(f"x > {k}" for k in range(120))
    nested = {"expression": f"({many}) or x * 0.01 + {text} < 175.5", "yes": "p", "no": "q"}
    return Case(hb.Tree.from_nested(nested), [{"x": v} for v in (None, 0.0, 1e3, 119.0, 119.5, -5.0, 3e9)])


def _median() -> Case:
    rng = np.random.default_rng(3)
    X = random_columns(rng, N)
    y = pd.Series(pd.Categorical.from_codes(rng.integers(0, 4, N), ["d", "c", "b", "a"], ordered=True))
    model = hb.TreeClassifier(leaf=Constant(label="median"), max_depth=3, missing="all-paths").fit(X, y)
    return Case(model.tree_, records(strange_rows(rng, 100)))


def _absent() -> Case:
    """A multiway test with values no row has below it, and a leaf that no row reached."""
    X = {"a": ["u", "u", "v", "v", "w"], "b": ["p", "q", "p", "p", "r"]}
    model = hb.TreeClassifier("entropy", split="multiway").fit(X, [0, 1, 1, 1, 0])
    rows = [{"a": a, "b": b} for a in ("u", "v", "w", "z", None) for b in ("p", "q", "r", "z", None)]
    return Case(model.tree_, rows)


def _hostile() -> Case:
    """Every column, category and class has a name that ends strings, comments, lines or scripts somewhere."""
    rng = np.random.default_rng(8)
    names = HOSTILE[:30]
    X = {name: rng.choice(HOSTILE, 120) for name in names} | {"plain */ x": rng.normal(size=120)}
    y = np.array(HOSTILE[:6])[rng.integers(0, 6, 120)]
    model = hb.TreeClassifier(split="multiway", max_depth=3, random_state=0, max_features=6).fit(X, y)
    rows = [
        {name: rng.choice([*HOSTILE, "never seen"]) if rng.random() < 0.9 else None for name in names}
        | {"plain */ x": float(rng.normal())}
        for _ in range(60)
    ]
    return Case(model.tree_, rows)


def _deep() -> Case:
    """A chain of tests, deeper than languages like their brackets."""
    nested: Any = "last"
    for k in range(60, 0, -1):
        nested = {"column": "x", "<=": float(k), "yes": "odd" if k % 2 else "even", "no": nested}
    return Case(hb.Tree.from_nested(nested), [{"x": float(v)} for v in range(63)] + [{"x": None}])


def _rates() -> Case:
    rng = np.random.default_rng(21)
    X = random_columns(rng, N)
    y = rng.poisson(np.exp(outcome(rng, X, 0) / 3))
    model = hb.TreeRegressor("poisson", max_depth=4, min_samples_leaf=5).fit(X, y)
    return Case(model.tree_, records(strange_rows(rng, 80)))


def _density(**options: Any) -> Case:
    rng = np.random.default_rng(41)
    X = random_columns(rng, N, gaps=0)
    model = hb.TreeDensity(min_samples_leaf=8, **options).fit(X)
    rows = records(random_columns(rng, 40, gaps=0)) + records(strange_rows(rng, 60))
    empty = dict.fromkeys(X)
    outer = [{**empty, "age": v} for v in (-1e9, 1e9, float(model.tree_.box_low[0]), float(X["age"].max()))]
    return Case(model.tree_, [*rows, *outer, *edges(model.tree_)])


CASES: Mapping[str, Callable[[], Case]] = {
    "threshold": lambda: _numbers(),
    "subset": lambda: _learned(split="binary", missing="majority"),
    "equals": lambda: _learned(split="one-vs-rest", missing="all-paths"),
    "equals, gaps learned": lambda: _learned(split="one-vs-rest"),
    "multiway": lambda: _learned(split="multiway", missing="all-paths"),
    "multiway, gaps learned": lambda: _learned(split="multiway"),
    "values absent at a node": _absent,
    "intervals": _intervals,
    "hyperplane": lambda: _numbers(split=Oblique(restarts=1)),
    "sums with indicators": lambda: _learned(split=Oblique(restarts=1, indicators=True)),
    "column sets": lambda: _learned(split=ColumnSets(columns=None)),
    "expressions": _expressions,
    "two columns of categories compared": _two_category_columns,
    "long expressions": _deep_expression,
    "missing: learn": lambda: _learned(missing="learn"),
    "missing: branch": lambda: _learned(missing="branch"),
    "missing: branch, one vote a leaf": lambda: _learned(
        missing=OwnBranch(vote="leaf"), split="multiway", max_depth=4
    ),
    "missing: all-paths": lambda: _learned(missing="all-paths"),
    "missing: all-paths, one vote a leaf": lambda: _learned(missing=AllPaths(vote="leaf")),
    "missing: fractional": lambda: _learned(missing="fractional"),
    "missing: majority": lambda: _learned(missing="majority"),
    "missing: surrogates": lambda: _learned(missing="surrogates"),
    "regression": lambda: _learned(0),
    "regression, fractional": lambda: _learned(0, missing="fractional"),
    "regression, majority": lambda: _learned(0, missing="majority"),
    "quantiles in the leaves": lambda: _learned(0, leaf=Quantiles(levels=(0.1, 0.9))),
    "a quantile as the answer": lambda: _learned(0, criterion=Quantile(0.8)),
    "rates (Poisson)": _rates,
    "linear leaves": lambda: _learned(0, leaf="linear", max_depth=2),
    "one equation for all rows": lambda: _learned(0, leaf="linear", max_depth=0),
    "linear leaves, majority": lambda: _learned(0, leaf=Linear(ridge=0.1), max_depth=2, missing="majority"),
    "linear leaves, all paths": lambda: _learned(0, leaf="linear", max_depth=3, missing="all-paths"),
    "linear leaves, fractional": lambda: _learned(0, leaf="linear", max_depth=3, missing="fractional"),
    "linear leaves, surrogates": lambda: _learned(0, leaf="linear", max_depth=3, missing="surrogates"),
    "linear leaves, multiway": lambda: _learned(0, leaf="linear", max_depth=2, split="multiway"),
    "linear leaves without bounds": lambda: _learned(0, leaf=Linear(clip=False), max_depth=2),
    "polynomial leaves": lambda: _learned(0, leaf=Polynomial(degree=3), max_depth=2),
    "smoothed lines (M5)": lambda: _recipe("m5"),
    "equations written by hand": _equations_by_hand,
    "equations of many terms": _many_terms,
    "density": lambda: _density(),
    "density of a single box": lambda: _density(max_depth=0),
    "density, pruned": lambda: _density(pruning="cross-validated", random_state=0),
    "two classes": lambda: _learned(2),
    "priors and costs": lambda: _learned(
        costs={"class 0": {"class 2": 5.0}}, priors="equal", missing="all-paths"
    ),
    "costs of rows": lambda: _learned(
        missing="all-paths", fit={"row_costs": np.random.default_rng(0).random((N, 3))}
    ),
    "smoothing": lambda: _learned(leaf=Constant("shrinkage", strength=4.0), missing="all-paths"),
    "median class": _median,
    "written by hand": _hand_written,
    "leaves without weight": _weightless,
    "dates, numbers and truth values as categories": _dates,
    "dates and clock times": lambda: _times(),
    "times with a zone": lambda: _times("Europe/Prague"),
    "classes that are truth values": _labels,
    "hostile names": _hostile,
    "a deep tree": _deep,
    "a single leaf": lambda: _learned(max_depth=0),
}
