"""hb.imitate: the readable tree that answers as a black box does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.support.mixed_tables import random_columns

import hornbeam as hb
from hornbeam.data.near_rows import assemble_rows, near_rows
from hornbeam.data.table import Table

QUICK: dict[str, Any] = {"consider": ["entropy"], "budget": 8}


def _logistic() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression())


@pytest.mark.parametrize("new_rows", [0, 800])
def test_a_known_tree_is_given_back(new_rows: int) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=600), "b": rng.normal(size=600), "c": rng.normal(size=600)})
    y = np.where(X["a"] > 0.3, np.where(X["b"] > 0, "p", "q"), "r")
    known = hb.TreeClassifier(max_depth=2).fit(X, y)
    tree = hb.imitate(known.predict, X, new_rows=new_rows, **QUICK)
    assert tree.imitation_.fidelity.value > 0.98
    assert (tree.predict(X) == known.predict(X)).mean() > 0.98
    assert tree.tree_.n_leaves <= 5
    number = hb.imitate(lambda rows: np.where(rows["a"] > 0.3, 5.5, -1.25), X, consider="means", new_rows=0)
    assert isinstance(number, hb.AutoTreeRegressor)
    assert number.imitation_.fidelity.value > 0.98
    assert number.imitation_.baseline.value == 0.0


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("make", [lambda: RandomForestClassifier(30, random_state=0), _logistic])
def test_black_boxes_are_imitated_far_better_than_by_their_most_frequent_answer(load: Any, make: Any) -> None:
    X, y = load(return_X_y=True, as_frame=True)
    tree = hb.imitate(make().fit(X, y), X, new_rows=1000, **QUICK)
    told = tree.imitation_
    assert told.answers == "probabilities"
    assert told.fidelity.low > told.baseline.value + 0.1
    assert told.distance < 0.2
    assert (told.n_rows + told.n_held_out, tree.tree_.n_leaves) == (len(X), told.leaves)
    assert 0 < told.n_drawn <= 1000


def test_numbers_of_a_forest_are_imitated() -> None:
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(30, random_state=0).fit(X, y)
    tree = hb.imitate(forest, X, new_rows=2000)
    assert tree.imitation_.answers == "numbers"
    assert tree.imitation_.fidelity.low > 0.5


def test_leaves_hold_the_mean_of_the_probabilities_of_their_rows() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (400, 1)).astype(float)

    def shares(rows: Any) -> Any:
        one = np.where(rows[:, 0] > 0.5, 0.8, 0.3)
        return np.column_stack([1 - one, one])

    X = np.column_stack([X, rng.normal(size=400)])
    tree = hb.imitate(shares, X, new_rows=0, consider="entropy", budget=8)
    assert tree.classes_.tolist() == [0, 1]
    assert tree.predict_proba([[0.0, 0.0], [1.0, 0.0]])[:, 1] == pytest.approx([0.3, 0.8], abs=0.01)
    assert tree.imitation_.distance < 0.01


def test_the_seed_decides_and_not_the_order_of_the_rows() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    box = _logistic().fit(X, y)
    first = hb.imitate(box, X, new_rows=200, **QUICK)
    again = hb.imitate(box, X, new_rows=200, **QUICK)
    assert again.tree_ == first.tree_
    assert again.imitation_.to_dict() == first.imitation_.to_dict()
    order = np.random.default_rng(0).permutation(len(X))
    moved = hb.imitate(box, X.iloc[order], new_rows=200, **QUICK)
    assert moved.tree_ == first.tree_
    assert hb.imitate(box, X, new_rows=200, random_state=1, **QUICK).tree_ != first.tree_


def test_rows_are_held_out_by_kind_and_new_rows_are_new() -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(0, 4, (300, 3)).astype(float)  # at most 64 different rows
    asked: list[Any] = []

    def box(rows: Any) -> Any:
        asked.append(np.asarray(rows))
        return np.where(rows[:, 0] + rows[:, 1] > 3, "high", "low")

    tree = hb.imitate(box, X, **QUICK)
    different = {tuple(row) for row in X}
    assert len(asked[0]) == 300
    drawn = [tuple(row) for rows in asked[1:] for row in rows]
    assert len(set(drawn)) == len(drawn) == tree.imitation_.n_drawn
    assert not different & set(drawn)
    assert tree.imitation_.n_held_out + tree.imitation_.n_rows == 300


def test_weights_are_respected() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 2))
    weight = np.where(X[:, 1] > 0, 1.0, 0.0)
    whole = hb.imitate(lambda rows: rows[:, 0] > 0, X, sample_weight=weight, new_rows=0, **QUICK)
    assert whole.imitation_.n_held_out + whole.imitation_.n_rows == int(weight.sum())


def _containers(frame: pd.DataFrame) -> list[Any]:
    rows = frame.to_dict("records")
    return [
        frame,
        pl.from_pandas(frame),
        pa.Table.from_pandas(frame, preserve_index=False),
        {name: frame[name].tolist() for name in frame},
        rows,
    ]


def test_the_black_box_gets_tables_of_the_same_kind_with_gaps_and_categories() -> None:
    rng = np.random.default_rng(4)
    frame = random_columns(rng, 150, gaps=0.2).astype({"owner": "string"})
    frame["day"] = pd.date_range("2024-01-01", periods=150)
    frame.index = pd.Index(np.arange(150) + 1000)
    for X in _containers(frame):
        kinds: list[Any] = []

        def box(rows: Any, kinds: list[Any] = kinds) -> Any:
            kinds.append(rows)
            city = rows["city"] if not isinstance(rows, list) else [row["city"] for row in rows]
            city = city.to_pylist() if hasattr(city, "to_pylist") else list(city)
            return ["in" if one in ("Brno", "Cheb") else "out" for one in city]

        tree = hb.imitate(box, X, new_rows=100, **QUICK)
        assert tree.imitation_.fidelity.value > 0.9
        assert len(kinds) == 2
        assert {type(rows) for rows in kinds} == {type(X)}
        if isinstance(X, pd.DataFrame):
            assert kinds[1].dtypes.equals(X.dtypes)
            assert kinds[1].isna().to_numpy().any()
        if isinstance(X, pl.DataFrame | pa.Table):
            assert kinds[1].schema == X.schema


def test_new_rows_hold_values_of_two_rows_close_to_each_other() -> None:
    rng = np.random.default_rng(5)
    X = np.concatenate([rng.normal(0, 1, (100, 4)), rng.normal(50, 1, (100, 4))])
    table = Table.learn(X)
    sources = near_rows(table, np.ones(200), 400, seed=0)
    assert (np.sort([len(set(row)) for row in sources.tolist()])[[0, -1]] <= 2).all()
    drawn = assemble_rows(X, sources)
    assert ((drawn < 25).all(axis=1) | (drawn > 25).all(axis=1)).all()  # of one cloud each
    only = np.zeros(200)
    only[7] = 1.0
    assert (near_rows(table, only, 50, seed=1) == 7).any(axis=1).mean() > 0.9


def test_the_tree_reads_and_is_saved_as_any_other(tmp_path: Any) -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    tree = hb.imitate(RandomForestClassifier(20, random_state=0).fit(X, names), X, new_rows=100, **QUICK)
    sentence = tree.imitation_.sentence()
    assert str(tree.imitation_).startswith("imitates a RandomForestClassifier with ")
    assert tree.tree_.n_rows[0] == tree.imitation_.n_rows + tree.imitation_.n_drawn
    assert hb.show(tree).splitlines()[-1] == sentence
    assert ["imitation", sentence] in hb.report(tree, X, tree.predict(X)).to_dict()["provenance"]
    assert hb.explain(tree, X.iloc[0])
    again = hb.load(hb.save(tree, tmp_path / "m.tree.json"))
    assert again.tree_.meta["imitation"] == sentence
    assert (again.predict(X) == tree.predict(X)).all()
    assert tree.imitation_.to_dict()["schema"] == "hornbeam/imitation/1"
    tree.fit(X.iloc[::2], names[::2])  # an estimator as any other
    small = hb.imitate(RandomForestClassifier(20, random_state=0).fit(X, names), X, max_depth=1, **QUICK)
    assert small.tree_.n_leaves == 2


def test_what_is_imitated_may_be_many_things() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    options: dict[str, Any] = {"new_rows": 0, **QUICK}
    assert hb.imitate(forest.predict_proba, X, **options).classes_.tolist() == [0, 1, 2]
    frame = hb.imitate(
        lambda rows: pd.DataFrame(forest.predict_proba(rows), columns=list("abc")), X, **options
    )
    assert frame.classes_.tolist() == ["a", "b", "c"]
    assert isinstance(hb.imitate(forest.predict, X, **options), hb.AutoTreeClassifier)
    assert isinstance(hb.imitate(forest.predict, X, task="real", new_rows=0), hb.AutoTreeRegressor)
    assert isinstance(hb.imitate(lambda rows: [[1.5]] * len(rows), X, new_rows=0), hb.AutoTreeRegressor)
    own = hb.ForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    assert hb.imitate(own, X, **options).imitation_.fidelity.value > 0.8
    assert hb.imitate(own.trees_[0], X, **options).imitation_.fidelity.value > 0.8
    alike = hb.imitate(lambda rows: ["yes"] * len(rows), X, **options)
    assert (alike.tree_.n_leaves, alike.imitation_.fidelity.value) == (1, 1.0)


def test_bad_input_gets_a_sentence() -> None:
    X = np.random.default_rng(6).normal(size=(40, 2))
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (3, {}, "predict=3 must be a fitted estimator, or a function"),
        (len, {"task": "ordinal"}, "task='ordinal' must be one of 'classes', 'real'"),
        (lambda rows: rows[:, 0], {"new_rows": -1}, "new_rows=-1 must be 'auto' or a whole number"),
        (lambda rows: rows[:, 0], {"new_rows": "many"}, "new_rows='many' must be 'auto'"),
        (lambda rows: rows[:5, 0], {}, r"answered 40 rows with an array of shape \(5,\)"),
        (lambda _: 1.0, {}, r"answered 40 rows with an array of shape \(\)"),
        (lambda rows: rows, {}, "that are no probabilities"),
        (lambda rows: rows, {"task": "real"}, "answered with 2 columns, and task='real' needs one"),
        (lambda rows: rows[:, 0] / 0.0, {}, "numbers that are not finite"),
        (lambda rows: ["a"] * len(rows), {"task": "real"}, "task='real' needs numbers"),
        (lambda rows: rows[:, 0], {"depth": 3}, "has no parameter 'depth'"),
        (lambda rows: rows[:, 0], {"sample_weight": [1.0]}, "sample_weight"),
    ]
    for predict, options, sentence in cases:
        with pytest.raises((ValueError, TypeError), match=sentence), np.errstate(all="ignore"):
            hb.imitate(predict, X, **options)
    with pytest.raises(ValueError, match="X has too few different rows"):
        hb.imitate(lambda rows: rows[:, 0], np.zeros((9, 2)))
