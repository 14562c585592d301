"""Automatic trees leave out columns that only name rows, and say so."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hornbeam as hb
from hornbeam.data.suspicious_columns import suspicious_columns
from hornbeam.data.table import Table
from hornbeam.data.target import Target


def fit(model: Any, X: Any, y: Any, **rest: Any) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y, **rest)
    return model, [str(one.message) for one in caught]


def families(n: int, k: int, strength: float, seed: int) -> tuple[Any, Any]:
    """A table with a column of k names, some of which stand for an effect of their own."""
    rng = np.random.default_rng(seed)
    family = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, n - k)]))
    X = pd.DataFrame({"name": [f"f{v}" for v in family], "a": rng.normal(size=n), "b": rng.normal(size=n)})
    effect = rng.normal(size=k) * strength
    return X, (rng.random(n) < 1 / (1 + np.exp(-2 * X["a"] - effect[family]))).to_numpy().astype(int)


@pytest.mark.parametrize("k", [300, 299, 290, 240])
@pytest.mark.parametrize("consider", ["gini", ["entropy", "c45-multiway"]])
def test_the_tree_is_that_of_the_table_without_the_column(k: int, consider: Any) -> None:
    X, y = families(300, k, 1.0, 0)
    model, said = fit(hb.auto(consider=consider), X, y)
    twin, _ = fit(hb.auto(consider=consider), X.drop(columns="name"), y)
    assert model.tree_ == twin.tree_
    assert model.excluded_ == ["name"] == model.model_.exclude
    assert len(said) == 1
    assert "left out: 'name'" in said[0]
    assert "what they tell is chance: 'name'" in str(model.account_)
    assert (model.predict(X) == twin.predict(X)).all()


@pytest.mark.parametrize(("k", "strength"), [(300, 0), (300, 2), (220, 1), (180, 0), (130, 0)])
def test_new_rows_are_answered_no_worse_than_without_it(k: int, strength: float) -> None:
    with_it, without = [], []
    for seed in range(4):
        X, y = families(600, 2 * k, strength, seed)
        learned, judged = X[:300], X[300:]
        model, _ = fit(hb.auto(consider=["entropy", "gini"]), learned, y[:300])
        twin, _ = fit(hb.auto(consider=["entropy", "gini"]), learned.drop(columns="name"), y[:300])
        with_it.append(model.score(judged, y[300:]))
        without.append(twin.score(judged, y[300:]))
    assert np.mean(with_it) >= np.mean(without) - 0.005


def test_numbers_are_predicted_without_it_too() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([np.arange(184), rng.integers(0, 184, 11)])
    X = pd.DataFrame({"text": [f"v{v}" for v in rng.permutation(values)], "x": rng.normal(size=195)})
    model, _ = fit(hb.auto("real", consider="means"), X, X["x"] ** 2)
    assert [column.name for column in model.tree_.columns] == ["x"]


def test_none_and_a_list_are_obeyed() -> None:
    X, y = families(60, 60, 0.0, 1)
    everything, said = fit(hb.auto(consider="gini", exclude=None), X, y)
    assert [column.name for column in everything.tree_.columns] == ["name", "a", "b"]
    assert len(said) == 1
    assert "exclude=['name']" in said[0]
    chosen, _ = fit(hb.auto(consider="gini", exclude=["name", "b"]), X, y)
    assert [column.name for column in chosen.tree_.columns] == ["a"]


def test_the_only_columns_stay_and_so_do_those_of_a_list_of_constraints() -> None:
    X, y = families(60, 60, 0.0, 1)
    only, _ = fit(hb.auto(consider="gini"), X[["name"]], y)
    assert [column.name for column in only.tree_.columns] == ["name"]
    numbers, _ = fit(hb.auto("real", consider="means", monotonic_cst=[0, 1, 0]), X, y.astype(float))
    assert len(numbers.tree_.columns) == 3


def test_small_tables_and_tables_without_names() -> None:
    names = ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gil", "Hal"]
    y = [0, 1] * 4
    small, said = fit(hb.auto(), {"Name": names, "age": [20, 50, 21, 51, 22, 52, 23, 53]}, y)
    assert [column.name for column in small.tree_.columns] == ["age"]
    assert len(said) == 1
    X, y = families(60, 60, 0.0, 1)
    rows = X.to_numpy(dtype=object)
    nameless, _ = fit(hb.auto(consider="gini"), rows, y)
    assert (nameless.predict(rows) == nameless.predict(rows[:, 1:])).all()


def test_copies_of_rows_do_not_hide_an_identifier() -> None:
    X, y = families(60, 60, 0.0, 1)
    doubled, _ = fit(hb.auto(consider="gini"), pd.concat([X, X]), np.concatenate([y, y]))
    assert doubled.excluded_ == ["name"]


def named_rows(kind, n_values, seed, *, informative, n_rows=195):
    """A class or a number that hangs on `a` and `c`, and if `informative` on the name of the row, too."""
    rng = np.random.default_rng(seed)
    weight = {"uniform": np.ones(n_values), "skewed": 1 / np.arange(1, n_values + 1)}.get(kind)
    if weight is None:  # one value in half of the rows
        weight = np.r_[n_values - 1, np.ones(n_values - 1)]
    code = rng.choice(n_values, n_rows, p=weight / weight.sum())
    a, c = rng.normal(size=n_rows), rng.choice(list("xyz"), n_rows)
    score = 1.2 * (a > 0.3) + (c == "x") - 1.0
    if informative:
        score = score + 2 * np.where(rng.random(n_values) < 0.5, -1, 1)[code]
    y = np.where(rng.random(n_rows) < 1 / (1 + np.exp(-2 * score)), "p", "q")
    return pd.DataFrame({"a": a, "c": c, "name": [f"n{k}" for k in code]}), y


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", ["uniform", "skewed", "one big"])
@pytest.mark.parametrize("n_values", [12, 30, 60, 184])
def test_names_that_tell_by_chance_are_left_out_and_others_are_kept(kind, n_values):
    out, kept = 0, 0
    for seed in range(10):
        X, y = named_rows(kind, n_values, seed, informative=False)
        out += (
            "name" in suspicious_columns(Table.learn(X), Target.classes_of(y), strict=True).near_identifiers
        )
        X, y = named_rows(kind, n_values, seed, informative=True)
        kept += "name" not in suspicious_columns(Table.learn(X), Target.classes_of(y), strict=True)[1]
    assert out >= (9 if n_values > 10 else 0)
    assert n_values > 60 or kept == 10


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", ["uniform", "skewed"])
def test_with_names_by_chance_the_tree_is_the_one_without_them(kind):
    X, y = named_rows(kind, 60, 0, informative=False)
    model = hb.auto().fit(X, y)
    assert model.excluded_ == ["name"]
    assert model.tree_.text() == hb.auto().fit(X.drop(columns="name"), y).tree_.text()
    X, y = named_rows(kind, 30, 0, informative=True)
    model = hb.auto().fit(X, y)
    assert not model.excluded_
    assert "name" in model.tree_.text()
