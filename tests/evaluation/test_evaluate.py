"""hb.evaluate and hb.compare: values by hand, twins for AUC, coverage of the intervals, hostile input."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb
from hornbeam.evaluation.estimate_intervals import wilson

TENNIS = hb.datasets.load("tennis")
STUMP = hb.Tree.from_nested(
    {"column": "x", "<=": 2.5, "yes": {"counts": {"a": 3, "b": 1}}, "no": {"counts": {"a": 1, "b": 4}}}
)
ROWS = {"x": [1, 2, 2, 3, 3, 4, 1, 4]}
TRUE = list("aabbbaab")  # answers: a a a b b b a b


def test_every_number_of_a_small_table_by_hand() -> None:
    found = hb.evaluate(STUMP, ROWS, TRUE)
    assert (found.n, found.leaves, found.depth, found.classes) == (8, 2, 1, ("a", "b"))
    assert found["accuracy"].value == 6 / 8
    assert found.confusion.tolist() == [[3, 1], [1, 3]]
    assert found["balanced_accuracy"].value == 0.75
    assert found.baseline.value == 0.5
    losses = [-math.log(p) for p in (0.75, 0.75, 0.25, 0.8, 0.8, 0.2, 0.75, 0.8)]
    assert found["log_loss"].value == pytest.approx(sum(losses) / 8)
    brier = [(1 - p) ** 2 for p in (0.75, 0.75, 0.25, 0.8, 0.8, 0.2, 0.75, 0.8)]
    assert found["brier"].value == pytest.approx(sum(brier) / 8)
    half = stats.t.ppf(0.975, 7) * np.std(losses, ddof=1) / math.sqrt(8)
    assert found["log_loss"].high == pytest.approx(sum(losses) / 8 + half)
    # of 4 x 4 pairs (b, a): 3 x 3 in order, 3 + 3 ties, 1 reversed
    assert found["auc"].value == pytest.approx((9 + 3) / 16)
    assert (found.per_class[0].precision.value, found.per_class[1].recall.value) == (0.75, 0.75)


def test_numbers_by_hand() -> None:
    tree = hb.TreeRegressor(max_depth=1).fit({"x": [1, 2, 3, 4]}, [1.0, 3.0, 10.0, 12.0])
    found = hb.evaluate(tree, {"x": [1, 2, 3, 4]}, [2.0, 2.0, 9.0, 15.0])  # answers 2 2 11 11
    assert found["mae"].value == pytest.approx((0 + 0 + 2 + 4) / 4)
    assert found["rmse"].value == pytest.approx(math.sqrt((4 + 16) / 4))
    assert found["bias"].value == pytest.approx((2 - 4) / 4)
    y = np.array([2.0, 2.0, 9.0, 15.0])
    assert found["r2"].value == pytest.approx(1 - 5 / y.var())
    assert found.baseline.value == pytest.approx(y.std())
    assert found.residuals[0.5] == 0.0
    assert found.residuals[0.95] == 4.0


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_metrics_agree_with_scikit_learn(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    for _ in range(5):
        X = random_columns(rng, 90)
        y = outcome(rng, X, n_classes)
        model = hb.TreeClassifier(max_depth=3).fit(X[:60], y[:60])
        weight = rng.random(30)
        found = hb.evaluate(model, X[60:], y[60:], sample_weight=weight)
        p, said, truth = model.predict_proba(X[60:]), model.predict(X[60:]), y[60:]
        given: dict[str, Any] = {"sample_weight": weight}
        assert found["accuracy"].value == pytest.approx(sk.accuracy_score(truth, said, **given))
        assert found["balanced_accuracy"].value == pytest.approx(
            sk.balanced_accuracy_score(truth, said, **given)
        )
        labels = model.classes_
        assert found["log_loss"].value == pytest.approx(
            sk.log_loss(truth, p, labels=labels, **given), rel=1e-6
        )
        if len(set(truth)) < n_classes:
            continue
        expected = (
            sk.roc_auc_score(truth == labels[1], p[:, 1], **given)
            if n_classes == 2
            else np.mean([sk.roc_auc_score(truth == c, p[:, k], **given) for k, c in enumerate(labels)])
        )
        assert found["auc"].value == pytest.approx(expected)


def test_the_interval_of_auc_is_that_of_delong() -> None:
    rng = np.random.default_rng(0)
    n = 60
    score, truth = rng.integers(0, 12, n) / 11, rng.random(n) < 0.4
    from hornbeam.evaluation.estimate_intervals import error_of
    from hornbeam.evaluation.metrics import one_auc

    auc, moves = one_auc(score, truth, np.ones(n))
    ones, zeros = score[truth], score[~truth]
    pairs = (ones[:, None] > zeros) + 0.5 * (ones[:, None] == zeros)
    delong = pairs.mean(axis=1).var(ddof=1) / len(ones) + pairs.mean(axis=0).var(ddof=1) / len(zeros)
    assert auc == pytest.approx(pairs.mean())
    assert error_of(moves) == pytest.approx(math.sqrt(delong), rel=0.02)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    tree = hb.Tree.from_nested(
        {"column": "x", "<=": 0.5, "yes": {"counts": {"a": 3, "b": 1}}, "no": {"counts": {"a": 1, "b": 3}}}
    )
    held = {"accuracy": 0, "log_loss": 0, "balanced_accuracy": 0, "auc": 0, "brier": 0}
    truth = {"accuracy": 0.75, "balanced_accuracy": 0.75, "auc": 0.75, "brier": 0.1875,
             "log_loss": -0.75 * math.log(0.75) - 0.25 * math.log(0.25)}  # fmt: skip
    for _ in range(200):
        x = rng.integers(0, 2, 60)
        y = np.where(rng.random(60) < 0.75, x, 1 - x)
        found = hb.evaluate(tree, {"x": x}, np.where(y == 1, "b", "a"))
        for name, value in truth.items():
            held[name] += found[name].low <= value <= found[name].high
    assert all(0.90 <= times / 200 <= 0.99 for times in held.values()), held
    model = hb.TreeRegressor(max_depth=0).fit({"x": [0, 0]}, [-1.0, 1.0])  # answers 0
    inside = {"rmse": 0, "mae": 0, "bias": 0}
    for _ in range(200):
        y = rng.normal(size=80)
        found = hb.evaluate(model, {"x": np.zeros(80)}, y)
        for name, value in {"rmse": 1.0, "mae": math.sqrt(2 / math.pi), "bias": 0.0}.items():
            inside[name] += found[name].low <= value <= found[name].high
    assert all(0.90 <= times / 200 <= 0.99 for times in inside.values()), inside


def test_perfect_answers_still_have_an_interval() -> None:
    tree = hb.Tree.from_nested({"column": "x", "<=": 1, "yes": "a", "no": "b"})
    found = hb.evaluate(tree, {"x": [0, 1, 2, 3]}, list("aabb"))
    assert found["auc"].value == 1.0
    assert found["auc"].low == pytest.approx(wilson(1.0, 2).low)
    assert found["accuracy"].low == pytest.approx(4 / (4 + 1.959964**2), abs=1e-6)
    assert found["log_loss"].value == 0.0


def test_folds_are_the_same_for_any_order_of_the_rows_and_any_frame() -> None:
    rng = np.random.default_rng(2)
    X = random_columns(rng, 80)
    y = outcome(rng, X, 3)
    found = hb.evaluate(hb.TreeClassifier(max_depth=3), X, y, cv=5).to_dict()
    order = rng.permutation(80)
    assert hb.evaluate(hb.TreeClassifier(max_depth=3), X.iloc[order], y[order], cv=5).to_dict() == found
    plain = X[["age", "rooms"]].astype(float)
    by_pandas = hb.evaluate(hb.TreeClassifier(max_depth=3), plain, y, cv=4).to_dict()
    for same in (pl.from_pandas(plain), plain.to_dict("list"), plain.to_dict("records")):
        assert hb.evaluate(hb.TreeClassifier(max_depth=3), same, list(y), cv=4).to_dict() == by_pandas
    other = hb.evaluate(hb.TreeClassifier(max_depth=3), X, y, cv=5, random_state=1).to_dict()
    assert other != found


def test_out_of_fold_answers_are_those_of_models_that_did_not_see_the_rows() -> None:
    rng = np.random.default_rng(3)
    X = random_columns(rng, 60, gaps=0)
    y = outcome(rng, X, 2)
    fold = rng.integers(0, 3, 60)
    right = np.zeros(60, dtype=bool)
    for k in range(3):
        model = hb.TreeClassifier(max_depth=2).fit(X[fold != k], y[fold != k])
        right[fold == k] = model.predict(X[fold == k]) == y[fold == k]
    found = hb.evaluate(hb.TreeClassifier(max_depth=2), X, y, cv=fold)
    assert found["accuracy"].value == pytest.approx(right.mean())
    assert found.folds["accuracy"] == pytest.approx([right[fold == k].mean() for k in range(3)])
    assert found.leaves is not None


def test_forests_saved_models_and_unknown_classes_are_evaluated(tmp_path: Any) -> None:
    rng = np.random.default_rng(4)
    X = random_columns(rng, 60)
    y = outcome(rng, X, 2)
    forest = hb.ForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    assert hb.evaluate(forest, X, y).leaves is None
    model = hb.TreeClassifier(max_depth=2).fit(X, y)
    path = tmp_path / "a.tree.json"
    hb.save(model, path)
    assert hb.evaluate(path, X, y, cv=3).to_dict() == hb.evaluate(model, X, y, cv=3).to_dict()
    assert hb.evaluate(str(path), X, y).to_dict() == hb.evaluate(model.tree_, X, y).to_dict()
    strange = hb.evaluate(STUMP, {"x": [1, 4]}, ["a", "c"])
    assert strange.classes == ("a", "b", "c")
    assert strange["accuracy"].value == 0.5
    assert strange.per_class[2].precision is None
    only = hb.evaluate(STUMP, {"x": [1, 1]}, ["a", "a"])
    assert "auc" not in only.metrics
    weighted = hb.evaluate(STUMP, {"x": [1, 4]}, ["a", "a"], sample_weight=[1, 0])
    assert (weighted.n, weighted["accuracy"].value) == (1, 1.0)


def test_gates_know_which_way_is_better() -> None:
    found = hb.evaluate(STUMP, ROWS, TRUE)
    assert found.meets({"accuracy": 0.75, "log_loss": 0.7})
    assert not found.meets({"accuracy": 0.76})
    assert found.gate({"log_loss": 0.1, "auc": 0.5}) == {"log_loss": False, "auc": True}
    with pytest.raises(ValueError, match=r"'acuracy' is not known here \(did you mean 'accuracy'"):
        found.meets({"acuracy": 0.8})
    with pytest.raises(ValueError, match="the limit None of 'accuracy' must be a number"):
        found.meets({"accuracy": None})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="must be a dict"):
        found.meets(0.8)  # type: ignore[arg-type]


def test_json_and_text() -> None:
    found = hb.evaluate(STUMP, ROWS, TRUE)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["schema"] == "hornbeam/evaluate/1"
    assert plain["accuracy"]["value"] == 0.75
    assert plain["confusion"] == [[3, 1], [1, 3]]
    assert "accuracy            0.7500  (0.4093 to 0.9285)" in str(found)
    numbers = hb.evaluate(hb.TreeRegressor(), pd.DataFrame({"x": range(30)}), range(30), cv=3)
    assert json.loads(json.dumps(numbers.to_dict(), allow_nan=False))["residuals"]["0.5"] is not None
    assert "the mean: 8.655" in str(numbers)


def test_bad_input_gets_one_sentence() -> None:
    with pytest.raises(ValueError, match="confidence=1 must be"):
        hb.evaluate(STUMP, ROWS, TRUE, confidence=1)
    with pytest.raises(ValueError, match="not fitted: fit it first, or give cv=10"):
        hb.evaluate(hb.TreeClassifier(), ROWS, TRUE)
    with pytest.raises(ValueError, match="cv=1 must be a number of folds of at least 2"):
        hb.evaluate(hb.TreeClassifier(), ROWS, TRUE, cv=1)
    with pytest.raises(ValueError, match="model is a Tree, which cannot be fitted again"):
        hb.evaluate(STUMP, ROWS, TRUE, cv=2)
    with pytest.raises(TypeError, match="model is a int"):
        hb.evaluate(3, ROWS, TRUE)
    with pytest.raises(ValueError, match="is no file"):
        hb.evaluate("nothing.tree.json", ROWS, TRUE)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        hb.evaluate(STUMP, ROWS, TRUE[:3])
    with pytest.raises(ValueError, match="NaN"):
        hb.evaluate(hb.TreeRegressor().fit({"x": [1, 2]}, [1, 2]), {"x": [1, 2]}, [1, math.nan])


# ---- progress ----------------------------------------------------------------------------------------------


def _strips() -> tuple[Any, Any]:
    x = np.arange(60.0)
    return {"x": x}, np.where((x // 10) % 2 == 0, "a", "b")


def test_progress_rises_over_all_folds_of_both_models() -> None:
    X, y = _strips()
    shares: list[float] = []
    hb.evaluate(hb.TreeClassifier(), X, y, cv=5, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert {0.2, 0.4, 0.6, 0.8, 1.0} <= set(shares)
    shares.clear()
    hb.compare("cart", LogisticRegression(), np.arange(60.0)[:, None], y, cv=3, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert {k / 6 for k in range(7)} <= set(shares), "a model of another package is told of fold by fold"


@pytest.mark.parametrize("model", [hb.TreeClassifier(), LogisticRegression(), hb.ForestClassifier(2)])
def test_progress_that_returns_true_stops_the_folds(model: Any) -> None:
    X, y = np.arange(60.0)[:, None], _strips()[1]
    shares: list[float] = []

    def stop(share: float) -> bool:
        shares.append(share)
        return share >= 0.4

    with pytest.raises(KeyboardInterrupt):
        hb.evaluate(model, X, y, cv=5, progress=stop)
    assert max(shares) < 0.7


def test_progress_must_be_a_function() -> None:
    X, y = _strips()
    with pytest.raises(TypeError, match="progress='yes' must be a function of the share"):
        hb.evaluate(hb.TreeClassifier(), X, y, cv=3, progress="yes")  # type: ignore[arg-type]


# ---- counts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [0, 3])
@pytest.mark.parametrize("cv", [None, 4])
def test_counts_are_rows_written_so_often(n_classes: int, cv: int | None) -> None:
    rng = np.random.default_rng(n_classes)
    X = random_columns(rng, 90)
    y = outcome(rng, X, n_classes)
    counts = rng.integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), counts)
    make = hb.TreeClassifier if n_classes else hb.TreeRegressor
    small, large = (make(max_depth=depth).fit(X, y) for depth in (1, 3))
    found = hb.evaluate(large, X, y, counts=counts, cv=cv)
    assert found.to_dict() == hb.evaluate(large, X.iloc[rows], y[rows], cv=cv).to_dict()
    assert found.n == counts.sum()
    shorter = hb.compare(small, large, X, y, counts=counts, cv=cv)
    longer = hb.compare(small, large, X.iloc[rows], y[rows], cv=cv)
    assert {k: v.to_dict() for k, v in shorter.metrics.items()} == {
        k: v.to_dict() for k, v in longer.metrics.items()
    }
    assert shorter.changed.tolist() == sorted(set(rows[longer.changed].tolist()))


def test_counts_that_are_too_many_are_refused() -> None:
    tree = hb.Tree.from_nested({"column": "x", "<=": 2, "yes": "a", "no": "b"})
    with pytest.raises(ValueError, match="counts sum to 90,000,000, but at most 50,000,000"):
        hb.evaluate(tree, {"x": [1, 3]}, ["a", "b"], counts=[45_000_000, 45_000_000])
