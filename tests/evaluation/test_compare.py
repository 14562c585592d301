"""Comparing models: paired differences by hand and by scipy, folds they share, what is refused."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk
from tests.evaluation.test_evaluate import ROWS, STUMP, TRUE
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb
from hornbeam.evaluation.estimate_intervals import mcnemar, over_folds, paired_shares, wilson


def test_two_models_on_the_same_rows_by_hand() -> None:
    other = hb.Tree.from_nested(
        {"column": "x", "<=": 1.5, "yes": {"counts": {"a": 9, "b": 1}}, "no": {"counts": {"a": 1, "b": 4}}}
    )
    found = hb.compare(STUMP, other, ROWS, TRUE)  # x = 2 turns from a to b: rows 1 (is a) and 2 (is b)
    assert found.changed.tolist() == [1, 2]
    assert (found.lost.tolist(), found.won.tolist()) == ([1], [2])
    assert found["accuracy"].difference.value == 0.0
    assert found.mcnemar_p == 1.0
    assert found.better is None
    assert found["log_loss"].first == pytest.approx(hb.evaluate(STUMP, ROWS, TRUE)["log_loss"].value)
    difference = found["log_loss"].second - found["log_loss"].first
    assert found["log_loss"].difference.value == pytest.approx(difference)
    same = hb.compare(STUMP, STUMP, ROWS, TRUE)
    assert (same["log_loss"].difference.value, same["log_loss"].p, len(same.changed)) == (0.0, 1.0, 0)
    assert same["accuracy"].difference.low == pytest.approx(-same["accuracy"].difference.high)


def test_paired_formulas_agree_with_scipy() -> None:
    assert mcnemar(3, 11) == pytest.approx(stats.binomtest(3, 14).pvalue)
    rng = np.random.default_rng(0)
    d = rng.normal(0.1, 1, 10)
    value, p = over_folds(d, 0.0, 0.95)  # without correction it is Student's test
    assert p == pytest.approx(stats.ttest_1samp(d, 0).pvalue)
    assert value.high == pytest.approx(stats.t.interval(0.95, 9, d.mean(), stats.sem(d))[1])
    wide, larger = over_folds(d, 1 / 9, 0.95)
    assert wide.high > value.high
    assert larger > p
    held = 0
    for _ in range(300):
        a, b = rng.random(50) < 0.7, rng.random(50) < 0.8
        found = paired_shares(int((a & ~b).sum()), int((b & ~a).sum()), 50, 0.95)
        held += found.low <= 0.1 <= found.high
    assert 0.90 <= held / 300 <= 0.99


def test_numbers_are_compared_by_rmse_and_mae() -> None:
    rng = np.random.default_rng(5)
    X = random_columns(rng, 200, gaps=0)
    y = outcome(rng, X, 0)
    small, large = (hb.TreeRegressor(max_depth=d).fit(X[:100], y[:100]) for d in (0, 3))
    found = hb.compare(small, large, X[100:], y[100:])
    errors = [sk.root_mean_squared_error(y[100:], m.predict(X[100:])) for m in (small, large)]
    assert found["rmse"].difference.value == pytest.approx(errors[1] - errors[0])
    a, b = (np.abs(y[100:] - m.predict(X[100:])) for m in (small, large))
    assert found["mae"].difference.low == pytest.approx(
        (b - a).mean() - stats.t.ppf(0.975, 99) * stats.sem(b - a)
    )
    assert found.better == "second"
    assert found.mcnemar_p is None


def test_recipes_are_compared_on_the_same_folds() -> None:
    rng = np.random.default_rng(6)
    X = random_columns(rng, 100)
    y = outcome(rng, X, 2)
    found = hb.compare("c45", hb.TreeClassifier(max_depth=1), X, y, cv=5)
    one, two = (hb.evaluate(m, X, y, cv=5) for m in (hb.c45(), hb.TreeClassifier(max_depth=1)))
    d = np.array(two.folds["accuracy"]) - np.array(one.folds["accuracy"])
    assert found["accuracy"].difference.value == pytest.approx(d.mean())
    half = stats.t.ppf(0.975, 4) * math.sqrt((1 / 5 + 1 / 4) * d.var(ddof=1))
    assert found["accuracy"].difference.high == pytest.approx(d.mean() + half)
    assert hb.compare("c45", hb.TreeClassifier(), X, y).n_folds == 10
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["schema"] == "hornbeam/compare/1"
    assert "5 folds; differences are second less first" in str(found)


def test_models_with_other_classes_are_compared_in_one_order() -> None:
    wide = hb.Tree.from_nested({"column": "x", "<=": 2, "yes": "c", "no": "b"})
    found = hb.compare(STUMP, wide, {"x": [1, 4, 4]}, ["c", "b", "a"])
    assert found.won.tolist() == [0]
    assert found.changed.tolist() == [0]


def test_what_cannot_be_compared_is_refused() -> None:
    real = hb.TreeRegressor().fit({"x": [1, 2]}, [1.0, 2.0])
    with pytest.raises(ValueError, match="classes and numbers"):
        hb.compare(STUMP, real, ROWS, TRUE)
    with pytest.raises(ValueError, match="a is fitted and b is not"):
        hb.compare(STUMP, "c45", ROWS, TRUE)
    with pytest.raises(ValueError, match="b='c46' is no file, nor a recipe"):
        hb.compare(STUMP, "c46", ROWS, TRUE)
    with pytest.raises(ValueError, match="a is a Tree, which cannot be fitted"):
        hb.compare(STUMP, STUMP, ROWS, TRUE, cv=2)


def test_a_rare_class_that_is_always_missed_widens_the_interval_of_balanced_accuracy() -> None:
    tree = hb.Tree.from_nested({"counts": {"a": 99, "b": 1}})
    found = hb.evaluate(tree, {"x": np.zeros(100)}, ["a"] * 99 + ["b"])["balanced_accuracy"]
    missed, known = wilson(0.0, 1), wilson(1.0, 99)
    assert found.value == 0.5
    assert found.high == pytest.approx(0.5 + missed.high / 2)  # 0.8967: of one row little is known
    assert found.low == pytest.approx(0.5 - (1 - known.low) / 2)


def test_the_text_calls_weights_weights() -> None:
    plain, weighed = (str(hb.evaluate(STUMP, ROWS, TRUE, sample_weight=w)) for w in (None, [2.0] * 8))
    assert "class  rows  precision" in plain
    assert "class  weight  precision" in weighed
