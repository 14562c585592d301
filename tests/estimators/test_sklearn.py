"""scikit-learn's own checks, and its tools around the estimators: pipelines, searches, metadata routing."""

import multiprocessing
import os
import threading

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from tests.support.estimator_checks import sklearn_checks
from tests.support.mixed_tables import noisy

from hornbeam import TreeClassifier, TreeRegressor
from hornbeam.growing.criteria import CRITERIA
from hornbeam.growing.leaves import LEAVES
from hornbeam.growing.missing import MISSING
from hornbeam.growing.selections import SELECTIONS
from hornbeam.growing.splits import SPLITTING
from hornbeam.parts import (
    AllPaths,
    AverageGain,
    Best,
    ColumnSets,
    Constant,
    Entropy,
    Multiway,
    OwnBranch,
    PerColumn,
    Predicates,
    StandardDeviation,
)

ESTIMATORS = {"classes": TreeClassifier, "real": TreeRegressor}


class FirstIsPositive:
    """A predicate for tables of any column names, with a name of its own for every run."""

    def __call__(self, table):
        return table[next(iter(table))] > 0

    def __repr__(self):
        return "FirstIsPositive()"


REPRESENTATIVE = [
    TreeClassifier(),
    TreeRegressor(),
    TreeRegressor(split=PerColumn({}, default="one-vs-rest"), missing=AllPaths(vote="leaf")),
    TreeClassifier(split=Predicates([FirstIsPositive()]), missing="fractional", max_leaf_nodes=9),
]


def every_slot_choice():
    """Both estimators with every other choice of every slot, as a name and as a part."""
    for task, estimator in ESTIMATORS.items():
        yield from (estimator(criterion=name) for name, part in CRITERIA.items() if part.task == task)
        yield from (estimator(split=name) for name in SPLITTING)
        yield from (estimator(missing=name) for name in MISSING)
        yield from (estimator(selection=name) for name in SELECTIONS if name != AverageGain.name)
        yield from (estimator(leaf=name) for name, part in LEAVES.items() if task in part.tasks)
        if task == "classes":  # its least branch counts rows, which weights are not: here it is of no account
            yield estimator("gain-ratio", AverageGain(min_branch=1e-6, correction=None))
        yield estimator(Entropy() if task == "classes" else StandardDeviation(), Best(), Multiway())
        yield estimator(split=PerColumn({}, default="one-vs-rest"), missing=AllPaths(vote="leaf"))
        yield estimator(split=Predicates([FirstIsPositive()]), missing="fractional", max_leaf_nodes=9)
        yield estimator(split=ColumnSets(size=3, columns="multiway"), missing="majority")
        yield estimator(missing=OwnBranch(), leaf=Constant(), max_features=0.5, random_state=0, n_jobs=1)
        yield estimator(max_leaf_nodes=5, min_samples_leaf=0.02, min_gain=0.0)
        yield estimator(monotonic_cst={0: 0}, max_nodes=31)


def without_repeats(estimators):
    known = set(map(repr, REPRESENTATIVE))
    return [e for name, e in {repr(e): e for e in estimators}.items() if name not in known]


@sklearn_checks(REPRESENTATIVE, without_repeats(every_slot_choice()))
def test_scikit_learn_checks_pass(estimator, check):
    check(estimator)


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)


def mixed_table(n=300, seed=0):
    """A table of numbers, words, an ordered column and gaps, and two classes that follow it."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "city": rng.choice(["Brno", "Plzeň", "Zlín"], n),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
        }
    )
    y = np.where((table["age"] > 40) ^ (table["city"] == "Brno"), "yes", "no")
    table.loc[::7, "age"] = np.nan
    table.loc[::11, "city"] = None
    return table, y


# ---- tools that take an estimator ----------------------------------------------------------------------


def test_cross_validation_takes_a_table_as_it_is():
    X, y = mixed_table()
    assert cross_val_score(TreeClassifier(), X, y, cv=4).mean() > 0.8
    assert cross_val_score(TreeClassifier(), X, y, cv=4, scoring="roc_auc").mean() > 0.8
    assert set(cross_val_predict(TreeClassifier(), X, y, cv=4)) == {"no", "yes"}


def test_a_pipeline_feeds_a_tree(iris):
    X, y = iris
    model = make_pipeline(StandardScaler(), TreeClassifier(max_depth=3)).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model[-1].tree_.statistics() == TreeClassifier(max_depth=3).fit(X, y).tree_.statistics()


def test_a_pipeline_that_outputs_frames_keeps_the_names():
    X, y = mixed_table()
    columns = ColumnTransformer(
        [("words", OneHotEncoder(sparse_output=False), ["city"])], remainder="passthrough"
    )
    for container in ("pandas", "polars"):
        model = make_pipeline(columns, TreeClassifier()).set_output(transform=container).fit(X, y)
        assert "words__city_Brno" in model[-1].feature_names_in_
        assert model.score(X, y) > 0.9


def test_a_grid_search_sets_flat_parameters_slots_and_the_numbers_of_parts():
    X, y = mixed_table()
    grid = [
        {"max_depth": [1, 4], "criterion": ["gini", "entropy"]},
        {"missing": [AllPaths()], "missing__vote": ["leaf", "distribution"]},
        {"split": [PerColumn({"city": "multiway"})], "split__default": ["binary", "one-vs-rest"]},
    ]
    search = GridSearchCV(TreeClassifier(min_samples_leaf=5), grid, cv=3, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 8
    assert search.best_score_ > 0.8
    assert grid[1]["missing"][0].vote == "distribution", "the part given was changed"


def test_a_grid_search_in_two_processes_finds_the_same():
    X, y = mixed_table()
    grid = {"max_depth": [1, 2, 3, None], "missing": ["learn", OwnBranch()]}
    one = GridSearchCV(TreeClassifier(), grid, cv=3).fit(X, y)
    two = GridSearchCV(TreeClassifier(), grid, cv=3, n_jobs=2).fit(X, y)
    assert one.cv_results_["mean_test_score"].tolist() == two.cv_results_["mean_test_score"].tolist()
    assert one.best_estimator_.tree_ == two.best_estimator_.tree_


def test_a_regression_is_searched_and_cross_validated():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    search = GridSearchCV(TreeRegressor(), {"max_depth": [1, 3], "criterion": ["variance", "sd"]}, cv=3).fit(
        X, y
    )
    assert search.best_score_ > 0.2
    assert search.best_estimator_.feature_names_in_.tolist() == list(X.columns)


def test_a_tree_is_calibrated():
    X, y = load_breast_cancer(return_X_y=True)
    model = CalibratedClassifierCV(TreeClassifier(max_depth=4), cv=3).fit(X, y)
    shares = model.predict_proba(X)
    assert model.score(X, y) > 0.9
    assert np.allclose(shares.sum(axis=1), 1)


def test_a_tree_votes_and_is_bagged(iris):
    X, y = iris
    members = [("tree", TreeClassifier()), ("line", LogisticRegression(max_iter=1000))]
    for voting in ("hard", "soft"):
        assert VotingClassifier(members, voting=voting).fit(X, y).score(X, y) > 0.95
    bag = BaggingClassifier(TreeClassifier(max_features=2), n_estimators=8, random_state=0).fit(X, y)
    assert bag.score(X, y) > 0.95
    assert len({repr(tree.tree_.to_dict()) for tree in bag.estimators_}) > 1


def test_importances_by_permutation_name_the_columns_the_tree_uses(iris):
    X, y = iris
    model = TreeClassifier(max_depth=2).fit(X, y)
    found = permutation_importance(model, X, y, n_repeats=3, random_state=0).importances_mean
    assert set(np.flatnonzero(found > 0.01)) <= set(model.tree_.column[model.tree_.column >= 0].tolist())


def test_partial_dependence_on_numbers_and_on_categories():
    X, y = mixed_table()
    model = TreeClassifier(max_depth=3).fit(X, y)
    by_age = partial_dependence(model, X.dropna(), ["age"], kind="average", response_method="predict_proba")
    by_city = partial_dependence(
        model,
        X.dropna(),
        ["city"],
        categorical_features=["city"],
        kind="average",
        response_method="predict_proba",
    )
    assert by_age["average"].shape[1] > 10
    assert by_city["average"].shape[1] == 3


# ---- parameters ----------------------------------------------------------------------------------------


def test_a_clone_has_equal_parameters_of_its_own():
    model = TreeClassifier("entropy", missing=AllPaths(vote="leaf"), monotonic_cst={0: 1})
    copy = clone(model)
    assert repr(copy) == repr(model)
    assert copy.missing is not model.missing
    assert copy.get_params()["missing__vote"] == "leaf"


def test_printing_shows_what_differs_from_the_defaults():
    assert repr(TreeClassifier()) == "TreeClassifier()"
    shown = repr(TreeRegressor(max_depth=3, missing=AllPaths(vote="leaf")))
    assert shown == "TreeRegressor(max_depth=3, missing=AllPaths(vote='leaf'))"


def test_the_fitted_model_is_drawn_in_a_notebook(iris):
    html = TreeClassifier(missing=AllPaths()).fit(*iris)._repr_html_()
    assert "AllPaths" in html


def test_a_fit_never_changes_the_parameters(iris):
    model = TreeClassifier("log_loss", missing="all-paths", max_features="sqrt", random_state=3)
    before = repr(model.get_params())
    assert repr(model.fit(*iris).get_params()) == before


# ---- metadata routing ----------------------------------------------------------------------------------


@pytest.fixture
def routed():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routed")
def test_weights_are_routed_through_a_search_and_a_pipeline(iris):
    X, y = iris
    weight = np.where(y == 2, 0.0, 1.0)
    model = make_pipeline(
        StandardScaler().set_fit_request(sample_weight=False),
        TreeClassifier().set_fit_request(sample_weight=True),
    )
    scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
    search = GridSearchCV(model, {"treeclassifier__max_depth": [1, 2]}, scoring=scorer, cv=3)
    search.fit(X, y, sample_weight=weight)
    assert search.best_score_ == 1.0, "rows of weight 0 were learned from, or scored"
    assert 2 not in search.predict(X)


@pytest.mark.usefixtures("routed")
def test_counts_and_progress_are_routed(iris):
    X, y = iris
    seen = []
    tree = TreeClassifier().set_fit_request(counts=True, progress=True, sample_weight=False)
    model = make_pipeline(StandardScaler(), tree).fit(X, y, counts=np.full(len(y), 3), progress=seen.append)
    assert model[-1].tree_.n_rows[0] == 3 * len(y)
    found = cross_validate(tree, X, y, cv=3, params={"counts": np.full(len(y), 2)}, return_estimator=True)
    assert {int(one.tree_.n_rows[0]) for one in found["estimator"]} == {200}


@pytest.mark.usefixtures("routed")
def test_a_score_can_be_weighted(iris):
    X, y = iris
    scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
    tree = TreeClassifier(max_depth=1).set_fit_request(sample_weight=False)
    weight = np.where(y == 0, 1.0, 0.0)  # one test parts the first class from the others
    found = cross_validate(tree, X, y, cv=3, scoring=scorer, params={"sample_weight": weight})
    assert found["test_score"].mean() == 1.0


# ---- where a fit runs ----------------------------------------------------------------------------------


def test_two_threads_fit_at_once_and_find_the_same():
    X, y = noisy()
    alone = TreeClassifier().fit(X, y).tree_
    found = [None] * 4

    def work(k):
        found[k] = TreeClassifier().fit(X, y).tree_

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(found))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(tree == alone for tree in found)


def test_two_threads_use_one_fitted_model_at_once():
    X, y = noisy()
    model = TreeClassifier(max_depth=6).fit(X, y)
    found = [None] * 4

    def work(k):
        found[k] = model.predict(X)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(found))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wanted = TreeClassifier(max_depth=6, n_jobs=1).fit(X, y).predict(X)
    assert all((labels == wanted).all() for labels in found)


def fit_in_child(answers):
    answers.put(TreeClassifier().fit(*noisy()).tree_.statistics())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_forked_child_fits_after_its_parent_did():
    wanted = TreeClassifier().fit(*noisy()).tree_.statistics()
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=fit_in_child, args=(answers,))
    child.start()
    try:
        assert answers.get(timeout=60) == wanted
        child.join(timeout=60)
        assert child.exitcode == 0
    finally:
        child.kill()


@pytest.mark.parametrize("n_jobs", [2, 3, -1, -2])
def test_any_number_of_threads_finds_the_same_tree(n_jobs):
    X, y = noisy()
    assert TreeClassifier(n_jobs=n_jobs).fit(X, y).tree_ == TreeClassifier(n_jobs=1).fit(X, y).tree_
