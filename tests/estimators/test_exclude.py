"""Columns left out of learning: by name, position or mask, in every estimator; prediction ignores them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import hornbeam as hb

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "x": RNG.normal(size=80).round(2),
        "id": [f"n{k}" for k in range(80)],
        "colour": RNG.choice(["red", "green"], 80),
    }
)
FRAME["z"] = RNG.normal(size=80)
CLASSES = np.where((FRAME["x"] > 0) ^ (FRAME["colour"] == "red"), "a", "b")
NUMBERS = FRAME["x"].to_numpy() ** 2

ESTIMATORS: list[tuple[Any, Any]] = [
    (hb.TreeClassifier(), CLASSES),
    (hb.TreeRegressor(), NUMBERS),
    (hb.ForestClassifier(n_estimators=5, random_state=0), CLASSES),
    (hb.ForestRegressor(n_estimators=5, random_state=0), NUMBERS),
    (hb.auto(consider="gini"), CLASSES),
    (hb.auto("real", consider="means"), NUMBERS),
]


@pytest.mark.parametrize(("estimator", "y"), ESTIMATORS, ids=lambda value: type(value).__name__)
def test_the_model_is_that_of_the_table_without_them(estimator: Any, y: Any) -> None:
    left = FRAME.drop(columns=["id", "z"])
    model, twin = hb_clone(estimator, exclude=["id", "z"]), hb_clone(estimator)
    model.fit(FRAME, y)
    twin.fit(left, y)
    assert (model.predict(FRAME) == twin.predict(left)).all()
    assert (model.predict(left) == model.predict(FRAME)).all(), "with or without them"
    assert model.feature_names_in_.tolist() == ["x", "colour"]
    assert (model.predict(pl.from_pandas(FRAME)) == model.predict(FRAME)).all()


def hb_clone(estimator: Any, **params: Any) -> Any:
    from sklearn.base import clone

    return clone(estimator).set_params(**params)


def test_a_density_leaves_columns_out() -> None:
    model = hb.TreeDensity(max_depth=3, exclude=["id"]).fit(FRAME)
    twin = hb.TreeDensity(max_depth=3).fit(FRAME.drop(columns="id"))
    assert model.tree_ == twin.tree_
    assert (model.score_samples(FRAME) == twin.score_samples(FRAME)).all()


@pytest.mark.parametrize("exclude", [[1], ["x1"], [False, True, False], (1,), np.array([1])])
def test_a_table_without_names_is_taken_with_and_without_them(exclude: Any) -> None:
    X = RNG.normal(size=(60, 3))
    y = (X[:, 2] > 0).astype(int)
    for estimator in (hb.TreeClassifier(), hb.ForestClassifier(n_estimators=3, random_state=0)):
        model = hb_clone(estimator, exclude=exclude).fit(X, y)
        left = X[:, [0, 2]]
        assert (model.predict(X) == model.predict(left)).all()
        assert (model.predict(X.tolist()) == model.predict(left)).all()
        assert (model.predict(X[:1]) == model.predict(left[:1])).all()
        assert (hb_clone(estimator).fit(left, y).predict(left) == model.predict(X)).all()
    assert hb.TreeClassifier(exclude=exclude).fit(X, y).tree_.columns[1].name == "x2"


def test_a_saved_model_remembers(tmp_path: Any) -> None:
    model = hb.TreeClassifier(exclude=["id"]).fit(FRAME, CLASSES)
    loaded = hb.load(hb.save(model, tmp_path / "m.tree.json"))
    assert loaded.exclude == ["id"]
    assert (loaded.predict(FRAME) == model.predict(FRAME)).all()
    assert hb.evaluate(loaded, FRAME, CLASSES, cv=4).n == 80
    plain = hb.save(hb.TreeClassifier().fit(FRAME[["x"]], CLASSES), tmp_path / "n.tree.json")
    assert "exclude" not in plain.read_text(encoding="utf-8"), "so that earlier versions read it"


def test_recipes_pruning_and_editing_know_it() -> None:
    model = hb.c45(exclude=["id"]).fit(FRAME, CLASSES)
    assert "id" not in [column.name for column in model.tree_.columns]
    assert hb.prune(model, "reduced-error", FRAME, CLASSES).tree_.n_leaves >= 1
    assert [split.column for split in hb.candidates(hb.TreeClassifier(exclude=["id", "z"]), FRAME, CLASSES)]


@pytest.mark.parametrize(
    ("exclude", "sentence"),
    [
        (["colours"], "exclude names the column 'colours', which X does not have"),
        ("id", "put a single name in a list"),
        ([9], "exclude holds the position 9"),
        ([True], "exclude has 1 booleans"),
        (["x", "id", "colour", "z"], "leaves no column to learn from"),
    ],
)
def test_what_cannot_be_left_out_is_said(exclude: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match="exclude") as caught:
        hb.TreeClassifier(exclude=exclude).fit(FRAME, CLASSES)
    assert sentence in str(caught.value)
