"""Sparse matrices: the same trees as of the dense ones, whatever way they are grown."""

import numpy as np
import pytest
import scipy.sparse as sp

import hornbeam as hb
from hornbeam.data import frames
from hornbeam.data.sparse import Cells, open_matrix
from hornbeam.growing.candidates import sparse_search

CRITERIA = {
    "classes": ("gini", "entropy", "gain-ratio", "error", "root"),
    "numbers": ("variance", "sd"),
    "rates": ("poisson",),
}
FORMS = (sp.csr_array, sp.csc_matrix, sp.coo_matrix, sp.csc_array)


@pytest.fixture
def never_dense(monkeypatch):
    """A matrix of any size is looked at as a large one."""
    monkeypatch.setattr(frames, "MOST_DENSE", -1)


def random_case(seed):
    """A dense table that is mostly zero, a target, weights, and an estimator."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(20, 1500)), int(rng.integers(2, 50))
    X = (rng.random((n, p)) < rng.choice([0.02, 0.1, 0.3])) * rng.choice([1.0, 2, 3, -1, 0.5], size=(n, p))
    if rng.random() < 0.3:
        X = X * rng.normal(size=(n, p)).round(int(rng.integers(1, 4)))
    X = X.astype(rng.choice([np.float32, np.float64]))
    task = rng.choice(list(CRITERIA))
    goal = X @ rng.normal(size=p) + 0.3 * rng.normal(size=n)
    if task == "classes":
        y = np.digitize(goal, ([0.0], [-1, -0.2, 0.2, 1])[int(rng.integers(2))])
    else:
        y = goal if task == "numbers" else rng.poisson(np.exp(np.clip(goal / 3, -3, 3)))
    limits = {"criterion": str(rng.choice(CRITERIA[task]))}
    for name, likely, value in (
        ("max_depth", 0.4, int(rng.integers(1, 8))),
        ("min_samples_leaf", 0.4, int(rng.integers(2, 20))),
        ("max_leaf_nodes", 0.2, int(rng.integers(2, 20))),
        ("min_impurity_decrease", 0.2, 0.001),
        ("min_weight_fraction_leaf", 0.2, 0.02),
        ("missing", 0.3, str(rng.choice(["branch", "majority", "all-paths", "fractional"]))),
    ):
        if rng.random() < likely:
            limits[name] = value
    weights = (None, rng.integers(0, 4, n).astype(float), rng.random(n))[
        int(rng.choice(3, p=[0.6, 0.2, 0.2]))
    ]
    make = hb.TreeClassifier if task == "classes" else hb.TreeRegressor
    return X, y, weights, make(**limits), FORMS[int(rng.integers(4))]


def check_same(seed, monkeypatch):
    X, y, weights, model, form = random_case(seed)
    if not (weights is None or (weights > 0).any()):
        return
    dense = type(model)(**model.get_params()).fit(X, y, sample_weight=weights)
    monkeypatch.setattr(frames, "MOST_DENSE", -1)
    monkeypatch.setattr(sparse_search, "_FEW_ROWS", int(np.random.default_rng(seed).choice([4096, 50, 0])))
    rows = form(X)
    sparse = type(model)(**model.get_params()).fit(rows, y, sample_weight=weights)
    of_dense, of_sparse = dense.tree_, sparse.tree_
    assert of_sparse.text() == of_dense.text()
    assert np.array_equal(of_sparse.threshold, of_dense.threshold, equal_nan=True)
    assert np.array_equal(of_sparse.stats, of_dense.stats)
    assert np.array_equal(sparse.predict(rows), dense.predict(X))
    assert np.array_equal(sparse.apply(rows), dense.apply(X))
    if dense.task.is_classes and weights is None:
        assert of_sparse == of_dense
    else:  # gains of numbers and of weights are computed on grids, which differ in the last digits
        assert np.allclose(of_sparse.gain, of_dense.gain, rtol=1e-6, atol=1e-12)
        assert np.allclose(of_sparse.impurity, of_dense.impurity, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_the_tree_is_that_of_the_dense_matrix(seed, monkeypatch):
    check_same(seed, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1600))
def test_more_trees_are_those_of_the_dense_matrix(seed, monkeypatch):
    check_same(seed, monkeypatch)


def words(n_rows=3000, n_words=400, seed=0):
    """Marks for words, as of texts, and whether a text is liked."""
    rng = np.random.default_rng(seed)
    often = 1 / np.arange(1, n_words + 1) ** 0.7
    at = rng.choice(n_words, 8 * n_rows, p=often / often.sum())
    X = sp.coo_array(
        (np.ones(8 * n_rows), (rng.integers(0, n_rows, 8 * n_rows), at)), shape=(n_rows, n_words)
    )
    X = (X.tocsr() > 0).astype(np.float32)
    liked = X @ (rng.normal(size=n_words) * (rng.random(n_words) < 0.2)) + 0.3 * rng.normal(size=n_rows)
    return X, np.where(liked > 0, "yes", "no")


def test_a_tree_of_many_words_is_grown_to_the_end():
    X, y = words()
    assert X.shape[0] * X.shape[1] > frames.MOST_DENSE
    sparse, dense = hb.TreeClassifier().fit(X, y), hb.TreeClassifier().fit(X.toarray(), y)
    assert sparse.tree_ == dense.tree_
    assert sparse.tree_.depth > 40
    assert np.array_equal(sparse.predict_proba(X), dense.predict_proba(X.toarray()))


def test_a_small_matrix_is_an_ordinary_table():
    X, y = words(200, 20)
    for model in (hb.TreeClassifier(), hb.ForestClassifier(n_estimators=5, random_state=0), hb.c45()):
        assert np.array_equal(model.fit(X, y).predict(X), model.fit(X.toarray(), y).predict(X.toarray()))


@pytest.mark.usefixtures("never_dense")
def test_stored_zeros_and_duplicates_are_what_they_mean():
    X = sp.coo_array(([1.0, 1.0, 0.0, -0.0, 2.0], ([0, 0, 1, 2, 2], [0, 0, 0, 1, 1])), shape=(4, 2))
    matrix = open_matrix(X)
    assert matrix.nnz == 2
    assert np.array_equal(matrix.toarray(), [[2, 0], [0, 0], [0, 2], [0, 0]])
    assert X.nnz == 5  # the user's matrix is as it was
    tree = hb.TreeClassifier().fit(X, ["a", "b", "a", "b"]).tree_
    assert tree == hb.TreeClassifier().fit(X.toarray(), ["a", "b", "a", "b"]).tree_


def test_cells_are_numbered_by_column_and_value():
    X = sp.csc_array(np.array([[0.0, 5.0, 1.0], [2.0, -1.0, 1.0], [0.0, 2.0, 0.0], [2.0, 5.0, 0.0]]))
    cells = Cells(X).for_core
    assert cells["cell_value"].tolist() == [2, -1, 2, 5, 1]
    assert cells["cell_column"].tolist() == [0, 1, 1, 1, 2]
    assert cells["cell_start"].tolist() == [0, 1, 4, 5]
    assert cells["below"].tolist() == [0, 1, 0]
    rows = np.split(cells["row_cells"], cells["row_start"][1:-1])
    assert [sorted(row.tolist()) for row in rows] == [[3, 4], [0, 1, 4], [2], [0, 3]]


@pytest.mark.usefixtures("never_dense")
@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (hb.TreeClassifier(max_features=3), "max_features=3 is not possible with a large sparse matrix"),
        (hb.TreeClassifier(monotonic_cst={"x0": 1}), "monotonic_cst is not possible"),
        (hb.TreeClassifier(missing="surrogates"), "missing='surrogates' is not possible|missing=Surrogates"),
        (hb.c45(), "selection=AverageGain.* is not possible"),
        (hb.TreeClassifier(categorical_features=[0]), "categorical_features names columns of a large sparse"),
        (hb.ForestClassifier(n_estimators=2), "TreeClassifier and TreeRegressor grow trees"),
    ],
)
def test_what_a_large_sparse_matrix_cannot_have_is_said(model, sentence):
    X, y = words(100, 10)
    with pytest.raises((ValueError, TypeError), match=sentence):
        model.fit(X, y)


@pytest.mark.usefixtures("never_dense")
@pytest.mark.parametrize(
    ("value", "sentence"), [(np.nan, "holds NaN, first in column 'x3'"), (np.inf, "'x3'")]
)
def test_odd_numbers_are_named(value, sentence):
    X, y = words(100, 10)
    X = X.tolil()
    X[5, 3] = value
    with pytest.raises(ValueError, match=sentence):
        hb.TreeClassifier().fit(X.tocsr(), y)
    model = hb.TreeClassifier().fit(*words(100, 10))
    with pytest.raises(ValueError, match=sentence):
        model.predict(X.tocsr())


@pytest.mark.usefixtures("never_dense")
def test_a_column_that_tells_the_target_is_named():
    X, y = words(400, 10)
    X = sp.hstack([X, sp.csr_array((y == "yes").astype(np.float32)[:, None])]).tocsr()
    with pytest.warns(UserWarning, match="'x10' tells the target alone"):
        hb.TreeClassifier(max_depth=2).fit(X, y)


@pytest.mark.usefixtures("never_dense")
def test_rows_held_out_and_paths_take_sparse_matrices():
    X, y = words(600, 30)
    dense = X.toarray()
    sparse_path = hb.pruning_path(hb.TreeClassifier().fit(X, y), X, y, cv=3)
    dense_path = hb.pruning_path(hb.TreeClassifier().fit(dense, y), dense, y, cv=3)
    assert str(sparse_path) == str(dense_path)
    assert str(hb.evaluate(hb.TreeClassifier(max_depth=3), X, y, cv=3)) == str(
        hb.evaluate(hb.TreeClassifier(max_depth=3), dense, y, cv=3)
    )


def test_bits_and_whole_numbers_are_numbers():
    X, y = words(200, 10)
    for kind in (bool, np.int8, np.uint16, np.int64):
        assert hb.TreeClassifier(max_depth=3).fit(X.astype(kind), y).tree_.columns[0].kind == "numeric"
