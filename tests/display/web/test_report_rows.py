"""The rows behind a report: their order, counts and weights, and that no row is in it unless asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.display.web.tools import WEB
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb

# ---- the same for the same, and no rows --------------------------------------------------------------------


def _mixed(n: int = 200) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(7)
    X = random_columns(rng, n)
    return X, outcome(rng, X, 0)


def test_the_order_of_the_rows_changes_nothing() -> None:
    X, y = _mixed()
    model = hb.TreeRegressor(max_depth=4, missing="fractional").fit(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    other = hb.report(model, X.iloc[order].reset_index(drop=True), y[order])
    assert other.to_html() == hb.report(model, X, y).to_html()


def test_a_report_holds_no_rows_unless_asked() -> None:
    X, y = _mixed()
    model = hb.TreeRegressor(max_depth=3).fit(X, y)
    plain, shown = hb.report(model, X, y), hb.report(model, X, y, rows=True)
    assert plain.to_dict()["aggregates"] is True
    assert '"points"' not in plain.to_json()
    assert shown.to_dict()["aggregates"] is False
    points = [node["picture"]["points"] for node in shown.to_dict()["nodes"] if "points" in node["picture"]]
    assert points
    assert all(0 < len(one) <= 200 for one in points)
    assert shown.to_json() == hb.report(model, X, y, rows=True).to_json()


@pytest.mark.parametrize("n_classes", [0, 3])
def test_a_row_of_count_three_is_three_records_everywhere(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    X = random_columns(rng, 120)
    y = outcome(rng, X, n_classes)
    counts = rng.integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), counts)
    for slots in ({}, {"missing": "fractional"}, {} if n_classes else {"leaf": "linear"}):
        model = (hb.TreeClassifier if n_classes else hb.TreeRegressor)(max_depth=2, **slots)
        model.fit(X, y, counts=counts)
        short = hb.report(model, X, y, counts=counts, validation=(X, y, None, counts)).to_dict()
        long = hb.report(model, X.iloc[rows], y[rows], validation=(X.iloc[rows], y[rows])).to_dict()
        assert ["counts", "120 rows as written stand for them"] in short.pop("provenance")
        long.pop("provenance")
        for curve in ("validation", "error"):
            assert short["pruning"].pop(curve) == pytest.approx(long["pruning"].pop(curve))
        assert short == long
        assert short["quality"][0]["name"] == "training"


@pytest.mark.parametrize("n_classes", [0, 2])
def test_weights_weigh_every_number_of_a_report(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    X = random_columns(rng, 120)
    y = outcome(rng, X, n_classes)
    weight = np.where(rng.random(len(y)) < 0.2, 0.0, rng.random(len(y)) * 3)
    model = (hb.TreeClassifier if n_classes else hb.TreeRegressor)(max_depth=2).fit(
        X, y, sample_weight=weight
    )
    facts = hb.report(model, X, y, sample_weight=weight, validation=(X, y, weight)).to_dict()
    told = hb.evaluate(model, X, y, sample_weight=weight)
    for quality in facts["quality"]:
        assert quality["weighted"]
        assert quality["n"] == (weight > 0).sum()
        found = {one["name"].replace(" ", "_").lower(): one for one in quality["metrics"]}
        for name in ("accuracy", "log_loss", "auc") if n_classes else ("rmse", "mae"):
            assert found[name]["value"] == pytest.approx(told[name].value, rel=1e-12)
            assert found[name]["low"] == pytest.approx(told[name].low, rel=1e-12)
    assert facts["nodes"][0]["n"] == pytest.approx(weight.sum(), abs=0.01)
    for node, weights in enumerate(model.tree_.weight.tolist()):
        assert facts["nodes"][node]["n"] == pytest.approx(weights, abs=0.01)
    if n_classes:
        assert np.sum(facts["quality"][0]["confusion"]) == pytest.approx(weight.sum(), abs=0.05)
        assert facts["nodes"][0]["counts"] == pytest.approx(model.tree_.stats[0].tolist(), abs=0.01)
    bins = facts["columns"][0]["bins"]
    assert sum(bins) + facts["columns"][0]["missing"] == pytest.approx(weight.sum(), abs=0.2)
    doubled = hb.report(model, X, y, sample_weight=2 * weight).to_dict()
    assert doubled["quality"][0]["metrics"] == facts["quality"][0]["metrics"]
    assert "weighted" in str(hb.report(model, X, y, sample_weight=weight))


def test_names_that_cannot_be_seen_are_shown_in_quotes() -> None:
    X = {"": [1.0, 2.0, 3.0, 4.0], "city": ["", "", "x ", "x "]}
    facts = hb.report(hb.TreeClassifier().fit(X, ["", "", "b", "b"]), X, ["", "", "b", "b"]).to_dict()
    assert [column["name"] for column in facts["columns"]] == ['""', "city"]
    assert facts["columns"][1]["values"] == ['""', '"x "']
    assert facts["classes"] == ['""', "b"]
    assert facts["nodes"][0]["question"] == '""'
    assert facts["nodes"][1]["verdict"] == '"" 100 %'


def test_a_report_of_two_hundred_nodes_is_small() -> None:
    rng = np.random.default_rng(2)
    X = random_columns(rng, 800)
    y = outcome(rng, X, 2)
    model = hb.TreeClassifier(max_leaf_nodes=100).fit(X, y)
    assert len(model.tree_) == 199
    held = random_columns(rng, 300)
    page = hb.report(model, X, y, validation=(held, outcome(rng, held, 2))).to_html()
    assert len(page.encode()) < 300_000


def test_the_viewer_is_small() -> None:
    files = [*WEB.glob("*.js"), *WEB.glob("*/*.js")]
    assert sum(len(file.read_bytes()) for file in files) < 200_000, "studio, report and notebook together"
    lines = {file.name: len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    # what predicts is one file, which scripts of export("javascript") hold whole
    assert [name for name, n in lines.items() if n > (349 if name == "predict.js" else 250)] == []
    texts = [file.read_text(encoding="utf-8") for file in files]
    assert not any(
        word in text for text in texts for word in ("innerHTML", "outerHTML", "insertAdjacentHTML")
    )
    assert not any(word in text for text in texts for word in ("eval(", "new Function", "document.write"))
    # pages hold them without indentation, so that no text of theirs may span lines
    assert not [line for text in texts for line in text.splitlines() if line.count("`") % 2]
