"""Classes of any type and order, class weights, row weights and counts."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from tests.support.mixed_tables import noisy

from hornbeam import TreeClassifier, TreeRegressor

ESTIMATORS = [TreeClassifier, TreeRegressor]


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (np.array(["no", "yes"]), "U"),
        (np.array(["no", "yes"], dtype=object), "O"),
        (np.array([False, True]), "b"),
        (np.array([-1, 1]), "i"),
        (np.array([3, 70_000], dtype=np.uint32), "u"),
        (np.array([1.0, 2.0]), "f"),
    ],
)
def test_classes_of_any_type_come_back_as_they_went_in(labels, kind):
    X, y = noisy(500)
    model = TreeClassifier(max_depth=3).fit(X, labels[y])
    assert model.classes_.tolist() == labels.tolist()
    assert model.classes_.dtype.kind == kind
    assert model.predict(X).dtype == model.classes_.dtype
    assert model.score(X, labels[y]) > 0.7
    assert model.predict_proba(X).shape == (500, 2)


def test_three_hundred_classes():
    X = np.arange(300.0)[:, None].repeat(2, axis=1)
    y = np.random.default_rng(0).permutation(300)
    model = TreeClassifier().fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert model.classes_.tolist() == list(range(300))
    assert np.array_equal(model.predict_proba(X), np.eye(300)[y])
    words = np.array([f"class {k}" for k in range(300)])
    assert TreeClassifier().fit(X, words[y]).predict(X).tolist() == words[y].tolist()


def test_classes_are_sorted_while_the_tree_keeps_their_declared_order():
    y = pd.Categorical(["mid", "low", "high", "mid", "high"], ["low", "mid", "high"], ordered=True)
    X = [[2.0], [1.0], [3.0], [2.0], [9.0]]
    model = TreeClassifier().fit(X, y)
    assert model.classes_.tolist() == ["high", "low", "mid"]
    assert model.tree_.classes == ("low", "mid", "high")
    assert model.predict(X).tolist() == list(y)
    assert model.predict_proba([[1.0], [2.0], [3.0]]).tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    stump = TreeClassifier(max_depth=0).fit(X, y)
    assert stump.predict(X[:1]).tolist() == ["mid"], "mid comes before high"
    assert stump.predict_proba(X[:1]).tolist() == [[0.4, 0.2, 0.4]]
    assert (
        cross_val_score(TreeClassifier(), [[1.0], [2.0], [3.0]] * 3, list(y[[1, 0, 2]]) * 3, cv=3).mean()
        == 1.0
    )


def test_a_class_weight_is_the_weight_of_its_rows():
    X, y = noisy(2_000)
    weight = np.where(y == 1, 5.0, 0.5)
    by_class = TreeClassifier(max_depth=5, class_weight={0: 0.5, 1: 5}).fit(X, y)
    by_row = TreeClassifier(max_depth=5).fit(X, y, sample_weight=weight)
    assert by_class.tree_ == by_row.tree_


def test_balanced_classes_weigh_the_same():
    X, y = noisy(2_000)
    y[:1_000] = 0
    root = TreeClassifier(class_weight="balanced", max_depth=2).fit(X, y).tree_
    assert root.stats[0].tolist() == pytest.approx([1_000, 1_000])
    both = (
        TreeClassifier(class_weight="balanced", max_depth=2)
        .fit(X, y, sample_weight=np.full(len(y), 3.0))
        .tree_
    )
    assert both.stats[0].tolist() == pytest.approx([3_000, 3_000])


def same_nodes(one, other, apart=()):
    """Whether two trees have the same nodes; the training range of a column may differ."""
    a, b = one.arrays(), other.arrays()
    return a.keys() == b.keys() and all(
        a[name].shape == b[name].shape
        and np.allclose(a[name], b[name], rtol=1e-12, atol=1e-15, equal_nan=True)
        for name in a.keys() - set(apart)
    )


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_weight_of_three_is_three_rows_and_a_weight_of_zero_is_none(estimator):
    rng = np.random.default_rng(5)
    X, y = noisy(1_500)
    X = X.round(1)
    times = rng.integers(0, 4, len(y))
    weighted = estimator(min_samples_leaf=1).fit(X, y, sample_weight=times)
    counted = estimator().fit(X, y, counts=times)
    repeated = estimator().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert same_nodes(counted.tree_, repeated.tree_)
    assert same_nodes(weighted.tree_, repeated.tree_, apart=("n_rows",))
    assert np.array_equal(weighted.predict(X), repeated.predict(X))
    kept = times > 0
    assert weighted.tree_.n_rows[0] == kept.sum()
    assert same_nodes(estimator().fit(X[kept], y[kept], sample_weight=times[kept]).tree_, weighted.tree_)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_shares_of_rows_are_shares_of_the_rows_that_count(estimator):
    X, y = noisy(400)
    times = np.arange(400) % 3
    limits = {"min_samples_leaf": 0.1, "min_samples_split": 0.3}
    counted = estimator(**limits).fit(X, y, counts=times).tree_
    repeated = estimator(**limits).fit(np.repeat(X, times, axis=0), np.repeat(y, times)).tree_
    assert same_nodes(counted, repeated)
    used = times > 0
    weighted = estimator(**limits).fit(X, y, sample_weight=used.astype(float)).tree_
    assert same_nodes(weighted, estimator(**limits).fit(X[used], y[used]).tree_)
