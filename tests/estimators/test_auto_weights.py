"""Automatic trees: a weight, a count and equal rows are the same."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import hornbeam as hb


def _mixed_rows(rng):
    X = pd.DataFrame({"a": rng.normal(size=90), "b": rng.normal(size=90).round(1)})
    X["colour"] = rng.choice(["red", "green", "blue", None], 90)
    X.loc[::9, "a"] = np.nan
    return X, X["b"].to_numpy() + 2 * (X["colour"] == "red") + rng.normal(0, 0.4, 90)


def _all_combinations(rng):
    X = pd.DataFrame([[i >> k & 1 for k in range(6)] for i in range(64)], columns=list("abcdef"))
    return X, X.sum(axis=1).to_numpy() + rng.integers(0, 2, 64)


@pytest.mark.parametrize("table", [_mixed_rows, _all_combinations])
@pytest.mark.parametrize("make", [hb.AutoTreeClassifier, hb.AutoTreeRegressor])
def test_a_whole_weight_is_as_many_equal_rows_in_any_order(make, table):
    rng = np.random.default_rng(7)
    X, y = table(rng)
    y = y > np.median(y) if make is hb.AutoTreeClassifier else y
    weight = rng.integers(0, 5, len(y))
    repeated = rng.permutation(np.repeat(np.arange(len(y)), weight))
    consider = ["entropy", "c45"] if make is hb.AutoTreeClassifier else ["lines", "curves-20", "means"]
    model = make(consider=consider)
    weighed = clone(model).fit(X, y, sample_weight=weight)
    copied = clone(model).fit(X.iloc[repeated], y[repeated])
    counted = clone(model).fit(X, y, counts=weight)
    answers = "predict_proba" if make is hb.AutoTreeClassifier else "predict"
    assert weighed.account_.folds == (10 if make is hb.AutoTreeClassifier else 9)
    assert weighed.account_.deals == 2
    for other in (copied, counted):
        assert other.account_ == weighed.account_
        assert (getattr(other, answers)(X) == getattr(weighed, answers)(X)).all()
        assert other.tree_.n_rows[0] == weight.sum()
    assert weighed.tree_.n_rows[0] == (weight > 0).sum()
    assert hb.edit(copied, X.iloc[repeated], y[repeated]).tree == copied.tree_


def test_copies_of_rows_are_not_judged_by_trees_that_have_seen_them():
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    thrice = hb.AutoTreeClassifier(consider="entropy").fit(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    once = hb.AutoTreeClassifier(consider="entropy").fit(X, y)
    for first, second in zip(thrice.account_.to_dicts(), once.account_.to_dicts(), strict=True):
        assert first.pop("taken_aim") == pytest.approx(second.pop("taken_aim"), rel=1e-12)  # sums of thirds
        assert first == second
    assert thrice.account_.loss > 0.3  # the classes are drawn by chance


def test_equal_rows_of_few_values_are_observations_of_their_own():
    rng = np.random.default_rng(9)
    X = pd.DataFrame(rng.choice(["no", "yes"], (400, 5)), columns=list("abcde"))
    parity = (X == "yes").sum(axis=1).to_numpy() % 2
    model = hb.AutoTreeClassifier(consider=("entropy", "gini")).fit(X, parity)
    assert model.score(X, parity) == 1.0
    assert model.account_.loss == 0.0
