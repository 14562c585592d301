"""hb.importance: what a model owes to each column."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.inspection import permutation_importance
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb


def _data(n_classes: int, n: int = 300) -> tuple[Any, Any]:
    rng = np.random.default_rng(n_classes)
    X = random_columns(rng, n)
    return X, outcome(rng, X, n_classes)


def test_impurity_is_what_the_estimator_says_largest_first() -> None:
    X, y = _data(2)
    model = hb.TreeClassifier(max_depth=4).fit(X, y)
    found = hb.importance(model)
    assert [one.value for one in found] == sorted(model.feature_importances_, reverse=True)
    for name, value in zip(X.columns, model.feature_importances_, strict=True):
        assert found[name].value == value
    assert hb.importance(model.tree_).to_dict() == found.to_dict()
    forest = hb.ForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    assert sum(one.value for one in hb.importance(forest)) == pytest.approx(1.0)


def test_a_column_that_decides_everything_is_found_by_hand() -> None:
    X, y = {"a": [0, 0, 1, 1] * 25, "b": list(range(100))}, ["p", "p", "q", "q"] * 25
    model = hb.TreeClassifier().fit(X, y)
    found = hb.importance(model, X, y, n_repeats=20)
    assert found[0].column == "a"
    assert found[0].value == pytest.approx(0.5, abs=0.05)  # dealt at random, half of the answers are wrong
    assert found[0].low < 0.5 < found[0].high
    assert (found["b"].value, found["b"].low, found["b"].high) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("n_classes", [0, 3])
def test_values_agree_with_scikit_learn_on_plain_numbers(n_classes: int) -> None:
    X, y = _data(n_classes)
    X = X[["age", "pay", "rooms"]].astype(float)
    make = hb.TreeClassifier if n_classes else hb.TreeRegressor
    model = make(max_depth=4).fit(X[:150], y[:150])
    found = hb.importance(model, X[150:], y[150:], n_repeats=40)
    other = permutation_importance(model, X[150:], y[150:], n_repeats=40, random_state=0)
    for k, name in enumerate(X.columns):
        assert found[name].value == pytest.approx(other.importances_mean[k], abs=0.03)


def test_gaps_categories_frames_and_forests_are_no_obstacle() -> None:
    X, y = _data(2, 120)
    for model in (
        hb.TreeClassifier(max_depth=4, missing="surrogates"),
        hb.ForestClassifier(5, random_state=0),
    ):
        model.fit(X, y)
        found = hb.importance(model, X, y, n_repeats=3, scoring="log_loss")
        assert len(found) == 6
        order = np.random.default_rng(0).permutation(len(y))
        again = hb.importance(model, X.iloc[order], y[order], n_repeats=3, scoring="log_loss")
        assert again.columns()["column"] == found.columns()["column"]
        assert again.columns()["value"] == pytest.approx(found.columns()["value"], abs=1e-12)
    plain = X[["age", "rooms"]].astype(float)
    tree = hb.TreeClassifier(max_depth=3).fit(plain, y)
    by_pandas = hb.importance(tree, plain, y, n_repeats=2).to_dict()
    assert hb.importance(tree, pl.from_pandas(plain), y, n_repeats=2).to_dict() == by_pandas


def test_the_interval_of_a_useless_column_mostly_holds_zero() -> None:
    held, good = 0, 0.0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = {"good": rng.normal(size=160), "noise": rng.normal(size=160)}
        y = (X["good"] + rng.normal(size=160) > 0).astype(int)
        first = {name: x[:80] for name, x in X.items()}
        model = hb.TreeClassifier(max_depth=5).fit(first, y[:80])
        found = hb.importance(
            model, {name: x[80:] for name, x in X.items()}, y[80:], n_repeats=5, random_state=seed
        )
        held += found["noise"].low <= 0 <= found["noise"].high
        good += found["good"].value / 40
    assert held >= 34
    assert good > 0.1


def test_forms() -> None:
    X, y = _data(2, 60)
    model = hb.TreeClassifier(max_depth=3).fit(X, y)
    found = hb.importance(model, X, y, n_repeats=2)
    assert json.loads(json.dumps(found.to_dict()))["schema"] == "hornbeam/importance/1"
    assert found.to_frame()["column"].tolist() == [one.column for one in found]
    assert found.text("ascii").isascii()
    assert str(found).count("\n") == 5


def test_bad_input_gets_one_sentence() -> None:
    X, y = _data(2, 60)
    model = hb.TreeClassifier(max_depth=3).fit(X, y)
    with pytest.raises(ValueError, match="needs rows"):
        hb.importance(model, method="permutation")
    with pytest.raises(ValueError, match="method='shap' must be one of"):
        hb.importance(model, method="shap")
    with pytest.raises(ValueError, match="scoring='r2' must be one of 'accuracy'"):
        hb.importance(model, X, y, scoring="r2")
    with pytest.raises(ValueError, match="goes with method='permutation'"):
        hb.importance(model, scoring="accuracy")
    for given in ({"X": X, "y": y}, {"y": y}, {"sample_weight": np.ones(len(X))}):
        with pytest.raises(ValueError, match=f"{next(iter(given))} goes with method='permutation'"):
            hb.importance(model, method="impurity", **given)
    with pytest.raises(ValueError, match="n_repeats=0 must be"):
        hb.importance(model, X, y, n_repeats=0)
    with pytest.raises(ValueError, match="not fitted"):
        hb.importance(hb.TreeClassifier())
    with pytest.raises(KeyError, match="did you mean 'age'"):
        hb.importance(model)["agee"]


@pytest.mark.parametrize("missing", ["learn", "all-paths", "fractional", "surrogates"])
@pytest.mark.parametrize("leaf", ["constant", "linear"])
def test_only_rows_that_are_asked_for_a_column_can_change_their_answer(missing: str, leaf: str) -> None:
    from hornbeam.data.table import Table
    from hornbeam.evaluation.column_permutations import columns_met

    X, y = _data(0)
    tree = hb.TreeRegressor(max_depth=3, missing=missing, leaf=leaf).fit(X, y).tree_
    table = Table.match(X, tree.columns)
    matters, before = columns_met(tree, table), tree.predict(X)
    assert not matters.all()
    for k, name in enumerate(X.columns):
        dealt = X.assign(**{name: X[name].sample(frac=1, random_state=0).to_numpy()})
        dealt[name] = dealt[name].astype(X[name].dtype)
        changed = tree.predict(dealt) != before
        assert not (changed & ~matters[:, k]).any()


@pytest.mark.parametrize("missing", ["learn", "branch", "all-paths", "fractional"])
@pytest.mark.parametrize(("n_classes", "scoring"), [(0, "r2"), (0, "mae"), (3, "accuracy"), (3, "log_loss")])
def test_losses_in_leaves_are_those_of_rows_answered_one_by_one(
    missing: str, n_classes: int, scoring: str
) -> None:
    X, y = _data(n_classes)
    X = X.assign(idle=1.0)  # a column that no test asks for
    make = hb.TreeClassifier if n_classes else hb.TreeRegressor
    model = make(missing=missing, min_samples_leaf=2).fit(X[:200], y[:200])
    rows, truth = X[150:], y[150:].copy()
    if n_classes:
        truth[:3] = "a class that training never saw"
    weight = np.arange(len(rows)) % 3 + 0.5
    whole = hb.importance(model, rows, truth, scoring=scoring, sample_weight=weight, n_repeats=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hornbeam.evaluation.column_permutations.is_plain", lambda tree: False)
        apart = hb.importance(model, rows, truth, scoring=scoring, sample_weight=weight, n_repeats=4)
    for one in whole:
        other = apart[one.column]
        assert (one.value, one.low, one.high) == pytest.approx(
            (other.value, other.low, other.high), abs=1e-12
        )
    assert whole["idle"].value == 0.0
    assert any(one.value != 0 for one in whole)
