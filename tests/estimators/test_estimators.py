"""The estimators: every answer against the plain twin of the router, in every container, exact."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, r2_score
from tests.support.mixed_tables import float32_table, outcome, random_columns, strange_rows
from tests.support.selection import pairs

from hornbeam import TreeClassifier, TreeRegressor
from hornbeam.parts import AllPaths, OwnBranch, PerColumn
from hornbeam.tree import routing

SPLITS = ["binary", "multiway", "one-vs-rest", PerColumn({"city": "multiway", "owner": "one-vs-rest"})]
MISSING = ["learn", "branch", OwnBranch(vote="leaf"), "all-paths", AllPaths(vote="leaf")]


def fitted(seed, n_classes, split="binary", missing="learn", n=250, **params):
    """A model of a random table, the table, its target, and rows to predict."""
    rng = np.random.default_rng(seed)
    X = random_columns(rng, n)
    y = outcome(rng, X, n_classes)
    weight = rng.integers(1, 5, n) / 4 if seed % 2 else None
    estimator = TreeClassifier if n_classes else TreeRegressor
    model = estimator(split=split, missing=missing, min_samples_leaf=4, **params).fit(X, y, weight)
    return model, X, y, strange_rows(rng, n)


# ---- every answer follows from the leaves the plain twin reaches ---------------------------------------


@pytest.mark.parametrize(
    ("n_classes", "split", "missing", "seed"), pairs([0, 2, 4], SPLITS, MISSING, range(4))
)
def test_answers_agree_with_the_twin(n_classes, split, missing, seed):
    model, X, _, strange = fitted(seed, n_classes, split, missing)
    for rows in (X, strange, strange.iloc[:1]):
        check_answers(model, rows)


def check_answers(model, rows):
    tree = model.tree_
    route = routing.route(tree, rows)
    reached = np.zeros((len(rows), len(tree)))
    reached[route.rows, route.leaf] = route.weight
    assert_allclose(model.apply_weights(rows).toarray(), reached, atol=1e-12)
    assert_array_equal(model.apply(rows), route.heaviest())
    assert_array_equal(model.decision_path(rows).toarray(), passed_nodes(tree, reached))
    if tree.task == "real":
        assert_allclose(model.predict(rows), reached @ tree.answers(), rtol=1e-12)
        return
    in_class_order = [tree.classes.index(label) for label in model.classes_]
    shares = routing.probabilities(tree, route)[:, in_class_order]
    assert_allclose(model.predict_proba(rows), shares, atol=1e-12)
    assert_allclose(model.predict_proba(rows).sum(axis=1), 1)
    with np.errstate(divide="ignore"):
        assert_allclose(model.predict_log_proba(rows), np.log(shares), atol=1e-9)
    assert_array_equal(model.predict(rows), np.array(tree.classes)[routing.labels(tree, route)])


def passed_nodes(tree, reached):
    passed = np.zeros(reached.shape, dtype=int)
    for leaf in np.flatnonzero(reached.any(axis=0)):
        for node in tree.path(int(leaf)):
            passed[:, node] |= reached[:, leaf] > 0
    return passed


@pytest.mark.parametrize("missing", ["learn", "branch"])
@pytest.mark.parametrize("n_classes", [0, 3])
def test_every_training_row_rests_in_one_leaf_that_counted_it(n_classes, missing):
    model, X, y, _ = fitted(2, n_classes, "multiway", missing)
    found = np.bincount(model.apply(X), minlength=len(model.tree_))
    leaves = model.tree_.kind == 0
    assert_array_equal(found[leaves], model.tree_.n_rows[leaves])
    assert (model.apply_weights(X).data == 1).all()
    for leaf in np.flatnonzero(found):
        mine = y[model.apply(X) == leaf]
        if n_classes:
            counts = [(mine == label).sum() for label in model.tree_.classes]
            assert_array_equal(model.tree_.stats[leaf], counts)
        else:
            assert_allclose(model.tree_.answers()[leaf], mine.mean())


def test_the_score_is_accuracy_or_the_explained_share():
    model, X, y, _ = fitted(0, 3)
    assert model.score(X, y) == accuracy_score(y, model.predict(X))
    model, X, y, _ = fitted(0, 0)
    assert model.score(X, y) == r2_score(y, model.predict(X))


@pytest.mark.parametrize("n_classes", [0, 3])
def test_importances_are_shares_of_the_impurity_decrease(n_classes):
    model, *_ = fitted(4, n_classes, "multiway", "branch")
    tree = model.tree_
    wanted = np.zeros(len(tree.columns))
    for node in np.flatnonzero(tree.kind):
        below = sum(tree.weight[child] * tree.impurity[child] for child in tree.children(node))
        wanted[tree.column[node]] += tree.weight[node] * tree.impurity[node] - below
    assert_allclose(model.feature_importances_, wanted / wanted.sum())
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert TreeRegressor(max_depth=0).fit([[1.0, 2.0]], [1.0]).feature_importances_.tolist() == [0, 0]


def test_a_leaf_answers_with_its_label_even_where_shares_tie():
    y = pd.Categorical(["b", "a"], ["b", "a"], ordered=True)
    model = TreeClassifier(max_depth=0).fit([[1.0], [2.0]], y)
    assert model.predict_proba([[1.0]]).tolist() == [[0.5, 0.5]]
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict([[1.0]]).tolist() == ["b"]


def test_means_far_from_zero_keep_their_digits():
    y = 1e9 + np.arange(8.0) / 4
    model = TreeRegressor().fit(np.arange(8.0)[:, None], y)
    assert_array_equal(model.predict(np.arange(8.0)[:, None]), y)


# ---- containers ----------------------------------------------------------------------------------------


CONTAINERS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "dict": lambda frame: {name: frame[name].tolist() for name in frame},
    "dicts": lambda frame: frame.to_dict("records"),
}


@pytest.mark.parametrize("missing", ["learn", "branch", "all-paths"])
@pytest.mark.parametrize("n_classes", [0, 3])
def test_every_container_gives_the_same_tree_and_the_same_answers(n_classes, missing):
    rng = np.random.default_rng(8)
    X = random_columns(rng, 200)[["age", "rooms", "city", "owner"]]
    strange = strange_rows(rng, 100)[["age", "rooms", "city", "owner"]]
    y = outcome(rng, random_columns(np.random.default_rng(8), 200), n_classes)
    estimator = TreeClassifier if n_classes else TreeRegressor
    first = estimator(missing=missing).fit(X, y)
    for name, put in CONTAINERS.items():
        model = estimator(missing=missing).fit(put(X), y)
        assert model.tree_ == first.tree_, name
        assert model.feature_names_in_.tolist() == list(X.columns), name
        for other, pour in CONTAINERS.items():
            assert_array_equal(
                model.predict(pour(strange)), first.predict(strange), err_msg=f"{name}, {other}"
            )


def test_the_target_comes_in_any_container():
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    trees = [
        TreeClassifier().fit(X, put(y)).tree_
        for put in (
            list,
            tuple,
            np.array,
            pd.Series,
            pl.Series,
            pa.array,
            lambda y: np.array(y, dtype=object),
        )
    ]
    assert all(tree == trees[0] for tree in trees)


@pytest.mark.parametrize("dtype", ["f4", "f8", ">f4", ">f8", "f2", "i4", "u1", "i8"])
@pytest.mark.parametrize("layout", ["C", "F", "steps", "readonly"])
def test_arrays_of_any_type_and_layout(dtype, layout):
    whole = np.random.default_rng(1).integers(0, 50, (200, 6))
    y = whole[:, 1] + whole[:, 3]
    array = whole.astype(dtype)
    if layout == "F":
        array = np.asfortranarray(array)
    elif layout == "steps":
        array = np.repeat(np.repeat(array, 2, axis=0), 3, axis=1)[::2, ::3]
    elif layout == "readonly":
        array.flags.writeable = False
    model, plain = (
        TreeRegressor(max_depth=4).fit(array, y),
        TreeRegressor(max_depth=4).fit(whole.astype(float), y),
    )
    assert_array_equal(model.tree_.threshold, plain.tree_.threshold)
    assert_array_equal(model.predict(array), plain.predict(whole.astype(float)))
    assert_array_equal(plain.predict(array), model.predict(whole))


def test_a_target_with_steps_between_its_values():
    table = np.random.default_rng(0).normal(size=(30_000, 4))
    X, y, weight = table[:, :2], table[:, 2], np.abs(table)[:, 3]
    model = TreeRegressor(max_depth=5).fit(X, y, weight)
    assert model.tree_ == TreeRegressor(max_depth=5).fit(X.copy(), y.copy(), weight.copy()).tree_


def test_columns_match_by_name_whatever_their_order_and_company():
    model, X, _, strange = fitted(0, 3)
    wanted = model.predict_proba(strange)
    assert_array_equal(model.predict_proba(strange[strange.columns[::-1]]), wanted)
    assert_array_equal(model.predict_proba(strange.assign(extra=1, age2="x")), wanted)
    assert_array_equal(
        model.predict_proba(pl.from_pandas(strange[["size", *[c for c in X if c != "size"]]])), wanted
    )


def test_a_missing_column_is_a_sentence():
    model, X, *_ = fitted(0, 3)
    with pytest.raises(ValueError, match=r"X has no column 'age'.*which TreeClassifier was fitted with"):
        model.predict(X.drop(columns="age"))
    with pytest.raises(
        ValueError, match="X has 2 features, but TreeClassifier is expecting 6 features as input"
    ):
        model.predict(np.zeros((3, 2)))


# ---- exactness -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value", [1.0, -1.0, 0.0, 0.1, 3e-39, 1e-310, 1e30, 16777216.0, -3.7e5])
def test_neighbouring_numbers_are_told_apart(dtype, value):
    low = dtype(value)
    high = np.nextafter(low, dtype(np.inf))
    X = np.array([[low], [high]], dtype=dtype)
    model = TreeClassifier().fit(X, ["low", "high"])
    assert model.predict(X).tolist() == ["low", "high"]
    assert model.predict(pd.DataFrame({"x0": X[:, 0]})).tolist() == ["low", "high"]
    assert model.tree_.threshold[0] >= low
    assert model.tree_.threshold[0] < high
    assert TreeRegressor().fit(X, [0.0, 1.0]).predict(X).tolist() == [0.0, 1.0]


def test_the_largest_numbers_are_told_apart_and_infinite_ones_refused():
    large = np.finfo(float).max
    X = np.array([[-large], [0.0], [large]])
    assert TreeClassifier().fit(X, [0, 1, 2]).predict(X).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="infinity"):
        TreeClassifier().fit([[np.inf], [0.0]], [0, 1])
    with pytest.raises(ValueError, match="infinity"):
        TreeClassifier().fit(X, [0, 1, 2]).predict(np.array([[np.inf]]))


def test_a_single_precision_row_meets_double_thresholds_exactly():
    X = np.array([[0.1], [0.2]])
    model = TreeClassifier().fit(X, ["low", "high"])
    row = np.array([[0.15]], dtype=np.float32)
    assert model.predict(row).tolist() == model.predict(row.astype(float)).tolist()


# ---- random columns ------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_features", [1, 2, 0.4, "sqrt", "log2"])
def test_random_columns_are_drawn_again_by_the_same_seed(max_features):
    _, X = float32_table(3, 400, 9)
    y = (X[:, :3].sum(axis=1) > 0).astype(int)

    def grow(random_state, n_jobs=1):
        return (
            TreeClassifier(max_features=max_features, random_state=random_state, n_jobs=n_jobs)
            .fit(X, y)
            .tree_
        )

    assert grow(7) == grow(7)
    assert grow(7) == grow(7, n_jobs=2)
    assert grow(np.random.RandomState(7)) == grow(np.random.RandomState(7))
    assert grow(np.random.default_rng(7)) == grow(np.random.default_rng(7))
    assert len({tree.text() for tree in map(grow, range(6))}) > 1
    assert len({grow(None).text() for _ in range(6)}) > 1


def test_without_random_columns_the_seed_does_not_matter():
    rng, X = float32_table(3, 300)
    y = (X[:, 0] > rng.normal(size=300)).astype(int)
    trees = [
        TreeClassifier(random_state=seed, max_features=m).fit(X, y).tree_
        for seed, m in [(0, None), (1, 6), (2, 1.0)]
    ]
    assert trees[0] == trees[1] == trees[2]
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    TreeClassifier().fit(X, y)
    assert np.random.get_state()[1].tolist() == before, "numpy's own random state was used"  # noqa: NPY002


# ---- a fitted model as an object -----------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [0, 3])
@pytest.mark.parametrize("through", [copy.deepcopy, copy.copy, lambda m: pickle.loads(pickle.dumps(m))])
def test_a_copy_answers_the_same(through, n_classes):
    model, _, _, strange = fitted(1, n_classes)
    model.predict(strange)  # so that what is kept with the tree is there
    twin = through(model)
    assert twin.tree_ == model.tree_
    assert_array_equal(twin.predict(strange), model.predict(strange))


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "apply", "apply_weights", "decision_path"]
)
def test_an_unfitted_model_says_so(method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(TreeClassifier(), method)([[1.0]])
    with pytest.raises(NotFittedError, match="not fitted yet"):
        TreeRegressor().feature_importances_  # noqa: B018


def test_fitting_again_forgets_the_names():
    model = TreeClassifier().fit({"a": [1, 2]}, [0, 1])
    assert model.feature_names_in_.tolist() == ["a"]
    assert not hasattr(model.fit([[1], [2]], [0, 1]), "feature_names_in_")
    assert not hasattr(model.fit(pd.DataFrame([[1], [2]]), [0, 1]), "feature_names_in_")


def test_no_rows_to_predict_is_an_error():
    model = TreeClassifier().fit([[1.0], [2.0]], [0, 1])
    for nothing in (np.empty((0, 1)), pd.DataFrame({"x0": []}, dtype=float)):
        with pytest.raises(ValueError, match=r"0 sample\(s\)"):
            model.predict(nothing)


def test_many_rows_find_the_same_leaves_on_any_number_of_threads():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_000, 4))
    X[rng.random(X.shape) < 0.01] = np.nan
    y = X[:, 0] + X[:, 1]
    seen = ~np.isnan(y)
    model = TreeRegressor(max_depth=8, n_jobs=1).fit(X[seen], y[seen])
    wanted = [model.predict(X), model.apply(X), model.predict(pd.DataFrame(X, columns=list("abcd")))]
    model.set_params(n_jobs=3)
    found = [model.predict(X), model.apply(X), model.predict(pd.DataFrame(X, columns=list("abcd")))]
    for one, other in zip(wanted, found, strict=True):
        assert_array_equal(one, other)
    by_row = np.concatenate([model.predict(X[i : i + 1]) for i in range(200)])
    assert_array_equal(by_row, wanted[0][:200])
