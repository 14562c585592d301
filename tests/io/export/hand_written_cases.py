"""Trees written by hand for exports: intervals, dates and times, labels, equations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from tests.io.export.case import Case, edges, records
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.data.columns import Column
from hornbeam.data.table import Table


def _codes(labels: Any) -> Any:
    return np.unique(labels, return_inverse=True)[1]


def _intervals() -> Case:
    rng = np.random.default_rng(5)
    X = random_columns(rng, 600)
    columns = Table.learn(X).columns
    by_hand = {
        "column": "age",
        "cuts": [18.5, 40.0, 65.25],
        "branches": ["a", "b", {"column": "size", "cuts": ["S", "L"], "branches": ["a", "b", "c"]}, "d"],
    }
    four = outcome(rng, X, 4)
    tree = hb.Tree.from_nested(by_hand, columns).refit(X, np.array(list("abcd"))[_codes(four)])
    return Case(tree, [*records(strange_rows(rng, 80)), {**dict.fromkeys(X), "age": 40.0}])


def _hand_written() -> Case:
    speed = {"column": "speed", "<=": 3, "yes": "go", "no": "slow", "missing": "ask"}
    nested = {"column": "colour", "equals": "red", "yes": "stop", "no": speed}
    tree = hb.Tree.from_nested(nested)
    rows = [{"colour": c, "speed": s} for c in ("red", "blue", None) for s in (None, 3, 3.5, -1)]
    return Case(tree, rows)


def _weightless() -> Case:
    """Counts of zero below a test: leaves that weigh nothing share a row equally."""
    none = {
        "column": "z",
        "<=": 0,
        "yes": {"label": "p", "counts": [0, 0]},
        "no": {"label": "q", "counts": [0, 0]},
    }
    some = {"column": "z", "<=": 0, "yes": {"counts": [3, 1]}, "no": {"label": "q", "counts": [0, 0]}}
    tree = hb.Tree.from_nested({"column": "x", "<=": 1, "yes": none, "no": some}, classes=["p", "q"])
    return Case(tree, [{"x": x, "z": z} for x in (None, 0.0, 2.0) for z in (None, -1.0, 1.0)])


def _dates() -> Case:
    rng = np.random.default_rng(4)
    days = pd.date_range("2024-01-01", periods=6)
    X = pd.DataFrame(
        {"day": pd.Categorical(rng.choice(days, 80)), "flag": rng.integers(0, 2, 80).astype(bool)}
    )
    X["code"] = rng.integers(1, 5, 80)
    y = np.where((X["code"] > 2) ^ (X["day"].astype(str) > "2024-01-03"), "late", "early")
    model = hb.TreeClassifier(categorical_features=["day", "code", "flag"], max_depth=4).fit(X, y)
    rows = [
        {"day": day, "flag": flag, "code": code}
        for day in (*days.to_pydatetime(), None)
        for flag in (True, False, None)
        for code in (1, 3, 9, None)
    ]
    return Case(model.tree_, rows)


def _times(zone: str | None = None) -> Case:
    """Moments, days and clock times; rows on the cuts and beside them, in forms that databases have."""
    rng = np.random.default_rng(6)
    start, n = pd.Timestamp("2024-02-27 18:30"), 120
    when = pd.Series(start + pd.to_timedelta(rng.integers(0, 4 * 86400, n), unit="s"))
    day = pd.Series(start.normalize() + pd.to_timedelta(rng.integers(0, 90, n), unit="D"))
    clock = (start + pd.to_timedelta(rng.integers(0, 86400 * 10**6, n), unit="us")).time
    late = (when > "2024-02-29") ^ (day > "2024-03-30") ^ np.array([one.hour >= 12 for one in clock])
    X = pd.DataFrame({"when": when.dt.tz_localize(zone), "day": day, "clock": clock})
    X.loc[::9, "when"] = X.loc[::7, "day"] = X.loc[::11, "clock"] = None
    tree = hb.TreeClassifier(max_depth=6, missing="all-paths").fit(X, np.where(late, "late", "early")).tree_
    new = X.sample(60, random_state=1)
    return Case(
        tree, [{k: _plain_time(v) for k, v in row.items()} for row in new.to_dict("records")] + edges(tree)
    )


def _plain_time(value: Any) -> Any:
    """A time as Python has it, None for a gap."""
    if value is None or value is pd.NaT:
        return None
    return value.to_pydatetime() if isinstance(value, pd.Timestamp) else value


def _labels() -> Case:
    X = {"x": [1.0, 2.0, 3.0, 4.0]}
    return Case(
        hb.TreeClassifier().fit(X, [True, False, True, False]).tree_, [{"x": v} for v in (None, 1.0, 2.5)]
    )


def _equations_by_hand() -> Case:
    """No bounds, one bound, powers around a center, values, gaps; a leaf that answers a number."""
    columns = [Column("x", "numeric"), Column("z", "numeric"), Column("c", "nominal", ("a", "b", "c", "d"))]
    cubic = {
        "intercept": 0.1,
        "high": 50.0,
        "terms": [
            {"column": "x", "coefficient": 0.3, "power": 3, "center": 1.7, "gap": -4.0},
            {"column": "c", "values": ["a", "c"], "coefficient": 2.2, "gap": 0.7},
            {"column": "z", "coefficient": -1e-3, "gap": 9.0},
            {"column": "c", "values": [], "coefficient": 5.0, "gap": 0.25},
        ],
    }
    flat = {"intercept": -2.5}
    nested = {
        "column": "x",
        "<=": 1.5,
        "yes": {"value": 1.0, "model": cubic},
        "no": {"column": "c", "equals": "b", "yes": {"value": 7.25}, "no": {"value": 0.0, "model": flat}},
    }
    tree = hb.Tree.from_nested(nested, columns, task="real")
    rows = [
        {"x": x, "z": z, "c": c}
        for x in (None, -30.5, 1.5, 2, 8.25)
        for z in (None, 3, -1e6)
        for c in ("a", "b", "c", "never seen", None)
    ]
    return Case(tree, rows)


def _many_terms() -> Case:
    """An equation longer than databases like one expression."""
    rng = np.random.default_rng(31)
    columns = [Column(f"x{k}", "numeric") for k in range(12)]
    terms = [
        {
            "column": f"x{k % 12}",
            "coefficient": float(rng.normal()),
            "power": 1 + k % 9,
            "center": k % 5,
            "gap": 0.5,
        }
        for k in range(1205)
    ]
    nested = {
        "column": "x3",
        "<=": 0.5,
        "yes": {"value": 1.0, "model": {"intercept": 1.0, "terms": terms}},
        "no": {"value": 2.0, "model": {"intercept": 1.0, "terms": terms[:150], "low": -1e3}},
    }
    tree = hb.Tree.from_nested(nested, columns, task="real")
    rows = [{c.name: None if rng.random() < 0.1 else float(rng.normal()) for c in columns} for _ in range(15)]
    return Case(tree, rows)
