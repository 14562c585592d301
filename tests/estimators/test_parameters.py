"""Every parameter that is not allowed gets one sentence: which one, what it was, what is allowed."""

import numpy as np
import pandas as pd
import pytest

from hornbeam import TreeClassifier, TreeRegressor
from hornbeam.parts import (
    AllPaths,
    Criterion,
    Gini,
    LeafModel,
    MissingPolicy,
    Multiway,
    OwnBranch,
    PerColumn,
    Selection,
    Splitting,
    Variance,
)

X = pd.DataFrame(
    {
        "age": [1.0, 2.0, 3.0, 4.0],
        "city": ["Brno", "Brno", "Zlín", "Zlín"],
        "size": pd.Categorical(["S", "M", "L", "L"], ["S", "M", "L"], ordered=True),
    }
)
Y = ["no", "no", "yes", "yes"]
REAL = [1.0, 2.0, 3.0, 4.0]

WHOLE = "must be a whole number of at least"
ROWS = "must be a whole number of at least 1, or a share of the rows above 0 and up to 1.0"

BAD = [
    # numbers
    ("max_depth", -1, f"max_depth=-1 {WHOLE} 0, or None for no limit"),
    ("max_depth", 2.5, f"max_depth=2.5 {WHOLE} 0"),
    ("max_depth", "3", f"max_depth='3' {WHOLE} 0"),
    ("max_depth", True, f"max_depth=True {WHOLE} 0"),
    ("max_depth", np.nan, f"max_depth=nan {WHOLE} 0"),
    ("max_leaf_nodes", 0, f"max_leaf_nodes=0 {WHOLE} 1"),
    ("max_leaf_nodes", 3.0, f"max_leaf_nodes=3.0 {WHOLE} 1"),
    ("max_nodes", -7, f"max_nodes=-7 {WHOLE} 1"),
    ("max_nodes", [3], rf"max_nodes=\[3\] {WHOLE} 1"),
    ("min_samples_split", 0, f"min_samples_split=0 {ROWS}"),
    ("min_samples_split", -2, f"min_samples_split=-2 {ROWS}"),
    ("min_samples_split", 1.5, f"min_samples_split=1.5 {ROWS}"),
    ("min_samples_split", None, f"min_samples_split=None {ROWS}"),
    ("min_samples_leaf", 0, f"min_samples_leaf=0 {ROWS}"),
    ("min_samples_leaf", 0.0, f"min_samples_leaf=0.0 {ROWS}"),
    ("min_samples_leaf", "5", f"min_samples_leaf='5' {ROWS}"),
    ("min_samples_leaf", np.nan, f"min_samples_leaf=nan {ROWS}"),
    ("min_samples_leaf", False, f"min_samples_leaf=False {ROWS}"),
    ("min_impurity_decrease", -0.1, "min_impurity_decrease=-0.1 must be a number, 0 or more"),
    ("min_impurity_decrease", "a", "min_impurity_decrease='a' must be a number, 0 or more"),
    ("min_impurity_decrease", np.nan, "min_impurity_decrease=nan must be a number"),
    ("min_gain", "0", "min_gain='0' must be a number, or None for no limit"),
    ("min_gain", np.nan, "min_gain=nan must be a number, or None"),
    ("min_weight_fraction_leaf", 0.6, "min_weight_fraction_leaf=0.6 must be a number from 0 to 0.5"),
    ("min_weight_fraction_leaf", -0.1, "min_weight_fraction_leaf=-0.1 must be a number from 0 to 0.5"),
    ("min_weight_fraction_leaf", None, "min_weight_fraction_leaf=None must be a number from 0 to 0.5"),
    (
        "max_features",
        0,
        "max_features=0 must be None, 'sqrt', 'log2', a whole number of at least 1, or a share",
    ),
    ("max_features", 1.5, "max_features=1.5 must be None"),
    ("max_features", "auto", "max_features='auto' must be None, 'sqrt', 'log2'"),
    ("max_features", -1, "max_features=-1 must be None"),
    (
        "ccp_alpha",
        -0.1,
        "ccp_alpha=-0.1 must be a number of at least 0: the penalty for each leaf, in impurity",
    ),
    ("ccp_alpha", None, "ccp_alpha=None must be a number of at least 0"),
    ("n_jobs", 0, "n_jobs=0 must be a whole number other than 0, or None for all cores"),
    ("n_jobs", 1.0, "n_jobs=1.0 must be a whole number other than 0"),
    ("n_jobs", "all", "n_jobs='all' must be a whole number other than 0"),
    ("random_state", "a", "random_state='a' must be a whole number of at least 0, a numpy Generator"),
    ("random_state", -1, "random_state=-1 must be a whole number of at least 0"),
    ("random_state", 0.5, "random_state=0.5 must be a whole number of at least 0"),
    # slots
    ("criterion", "magic", "criterion='magic' is not known: use one of "),
    ("criterion", None, "criterion=None is not known: use one of .*, or a part of hornbeam.parts"),
    ("criterion", Criterion(), r"criterion=Criterion\(\) is not known"),
    ("selection", "bets", r"selection='bets' is not known \(did you mean 'best'\?\): use one of 'best'"),
    ("selection", Selection(), r"selection=Selection\(\) is not known"),
    (
        "split",
        "binnary",
        r"split='binnary' is not known \(did you mean 'binary'\?\): use one of 'binary', 'multiway'",
    ),
    ("split", Multiway, r"split=Multiway is a class: put an object in, split=Multiway\(\)"),
    ("split", Splitting(), r"split=Splitting\(\) is not known"),
    ("split", 2, "split=2 is not known: use one of .*, or a part of hornbeam.parts"),
    (
        "split",
        PerColumn({"city": "multi"}),
        r"columns\['city'\]='multi' is not known .*: use one of 'binary'",
    ),
    ("split", PerColumn({}, default="x"), "default='x' is not known: use one of 'binary'"),
    ("split", PerColumn("multiway"), "columns='multiway' must be a dict from column name to a kind of split"),
    (
        "split",
        PerColumn({"citty": "multiway"}),
        r"names the column 'citty', which X does not have \(did you mean 'city'",
    ),
    (
        "split",
        PerColumn({"age": "multiway"}),
        "names the numeric column 'age', which is always cut at a threshold",
    ),
    (
        "split",
        PerColumn({"size": "multiway"}),
        "names the ordinal column 'size', which is always cut at a threshold",
    ),
    (
        "missing",
        "learned",
        r"missing='learned' is not known \(did you mean 'learn'\?\): use one of 'learn', 'branch'",
    ),
    ("missing", MissingPolicy(), r"missing=MissingPolicy\(\) is not known"),
    ("missing", AllPaths(vote="both"), "vote='both' must be 'distribution' or 'leaf'"),
    ("missing", OwnBranch(vote="both"), "vote='both' must be 'distribution' or 'leaf'"),
    ("missing", Gini(), r"missing=Gini\(\) is not known"),
    (
        "leaf",
        "constnat",
        r"leaf='constnat' is not known \(did you mean 'constant'\?\): .* part of hornbeam.parts",
    ),
    ("leaf", LeafModel(), r"leaf=LeafModel\(\) is not known"),
    ("pruning", "magic", "pruning='magic' is not known: use one of"),
    # columns
    ("categorical_features", ["town"], "categorical_features names the column 'town', which X does not have"),
    ("categorical_features", "city", "categorical_features='city' must be 'from_dtype', None, or a list"),
    (
        "monotonic_cst",
        {"city": 1},
        "monotonic_cst constrains the nominal column 'city', whose values have no order",
    ),
    (
        "monotonic_cst",
        {"agee": 1},
        r"names the column 'agee', which X does not have \(did you mean 'age'\?\)",
    ),
    (
        "monotonic_cst",
        {7: 1},
        "monotonic_cst names the column 7, which X does not have: its columns are age, city, size",
    ),
    ("monotonic_cst", {-1: 1}, "monotonic_cst names the column -1, which X does not have"),
    ("monotonic_cst", {True: 1}, "monotonic_cst names the column True, which X does not have"),
    (
        "monotonic_cst",
        {"age": 2},
        r"monotonic_cst\['age'\]=2 must be \+1 \(rising\), -1 \(falling\) or 0 \(free\)",
    ),
    ("monotonic_cst", {"age": "up"}, r"monotonic_cst\['age'\]='up' must be \+1"),
    ("monotonic_cst", {"age": True}, r"monotonic_cst\['age'\]=True must be \+1"),
    ("monotonic_cst", {"age": 0.5}, r"monotonic_cst\['age'\]=0.5 must be \+1"),
    (
        "monotonic_cst",
        [1, 0],
        r"monotonic_cst=\[1, 0\] must be a dict .* or a list of 3, one for each column",
    ),
    ("monotonic_cst", 1, "monotonic_cst=1 must be a dict from column"),
    ("monotonic_cst", "age", "monotonic_cst='age' must be a dict from column"),
    ("monotonic_cst", [0, 1, 0], "monotonic_cst constrains the nominal column 'city'"),
    ("monotonic_cst", {"age": 1, 0: -1}, "monotonic_cst constrains the column 'age' twice, with both signs"),
]

BAD_CLASSIFIER = [
    ("criterion", "ginny", r"criterion='ginny' is not known \(did you mean 'gini'\?\): use one of 'gini'"),
    ("criterion", "variance", "criterion='variance' does not judge classes: use one of 'gini', 'entropy'"),
    ("criterion", "squared_error", "criterion='squared_error' does not judge classes"),
    ("criterion", Variance(), r"criterion=Variance\(\) does not judge classes"),
    ("class_weight", "even", "class_weight='even' must be None, 'balanced' or a dict from class to weight"),
    ("class_weight", {"maybe": 2}, "class_weight names 'maybe', which is no class of y"),
    ("class_weight", {"yes": -2}, r"class_weight\['yes'\]=-2 must be a finite number of at least 0"),
    (
        "monotonic_cst",
        {"age": {"maybe": 1}},
        r"monotonic_cst\['age'\] names 'maybe', which is no class of y: .* 'no', 'yes'",
    ),
    ("monotonic_cst", {"age": {"yes": 3}}, r"monotonic_cst\['age'\]=3 must be \+1"),
]

BAD_REGRESSOR = [
    ("criterion", "gini", "criterion='gini' does not judge a real target: use one of 'variance', 'sd'"),
    ("criterion", "huber", "criterion='huber' is not known: use one of 'variance', 'sd'"),
    ("min_variation", -1, "min_variation=-1 must be a number, 0 or more"),
    ("min_sd_share", "a", "min_sd_share='a' must be a number, 0 or more"),
    (
        "monotonic_cst",
        {"age": {"yes": 1}},
        r"monotonic_cst\['age'\]=.* names classes, but the target is a number",
    ),
]


@pytest.mark.parametrize(("name", "value", "sentence"), BAD + BAD_CLASSIFIER)
def test_a_bad_parameter_of_the_classifier_gets_a_sentence(name, value, sentence):
    check_sentence(TreeClassifier(**{name: value}), Y, sentence)


@pytest.mark.parametrize(("name", "value", "sentence"), BAD + BAD_REGRESSOR)
def test_a_bad_parameter_of_the_regressor_gets_a_sentence(name, value, sentence):
    check_sentence(TreeRegressor(**{name: value}), REAL, sentence)


def check_sentence(model, y, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence) as caught:
        model.fit(X, y)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert not hasattr(model, "tree_")


@pytest.mark.parametrize("estimator", [TreeClassifier, TreeRegressor])
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("warm_start", "has no parameter 'warm_start': fit again; a forest of more trees and the same"),
        ("splitter", "has no parameter 'splitter': the split is always the best one; .* use `max_features`"),
        (
            "max_dept",
            r"has no parameter 'max_dept' \(did you mean 'max_depth'\?\): its parameters are criterion, ",
        ),
        ("zzz", "has no parameter 'zzz': its parameters are criterion, selection, split"),
    ],
)
def test_a_parameter_that_does_not_exist_gets_a_sentence(estimator, name, sentence):
    with pytest.raises(TypeError, match=f"^{estimator.__name__} {sentence}"):
        estimator(**{name: 1})
    with pytest.raises(ValueError, match=f"^{estimator.__name__} {sentence}"):
        estimator().set_params(**{name: 1})
    with pytest.raises(ValueError, match=f"^{estimator.__name__} {sentence}"):
        estimator().set_params(**{f"{name}__inner": 1})


def test_the_constructor_takes_seven_slots_by_position_and_no_more():
    slots = ("gini", "best", "binary", "learn", "constant", None, "greedy")
    assert TreeClassifier(*slots).leaf == "constant"
    with pytest.raises(TypeError, match="positional arguments"):
        TreeClassifier(*slots, 3)


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        (
            {"missing__vote": "leaf"},
            r"missing__vote sets 'vote' of the part in the slot 'missing', but the slot holds 'learn':"
            r" put the part in first, missing=Learn\(\)",
        ),
        ({"pruning__alpha": 1}, "the slot holds None: put the part in first"),
        ({"missing": "all-paths", "missing__vote": "leaf"}, r"put the part in first, missing=AllPaths\(\)"),
        ({"max_depth__low": 1}, "max_depth__low sets 'low' of 'max_depth', which is a plain parameter"),
        (
            {"missing": AllPaths(), "missing__voice": "leaf"},
            "Invalid parameter 'voice' for estimator AllPaths",
        ),
    ],
)
def test_a_nested_parameter_needs_a_part_in_its_slot(params, sentence):
    with pytest.raises(ValueError, match=sentence):
        TreeClassifier().set_params(**params)


def test_a_nested_parameter_of_a_part_is_set():
    model = TreeClassifier(missing=AllPaths())
    assert model.set_params(missing__vote="leaf") is model
    assert model.missing.vote == "leaf"
    assert TreeClassifier().set_params(missing=AllPaths(), missing__vote="leaf").missing.vote == "leaf"


@pytest.mark.parametrize("value", [np.int64(2), np.uint8(2), 2])
def test_numbers_of_numpy_are_numbers(value):
    model = TreeClassifier(
        max_depth=value, min_samples_leaf=value, max_features=value, n_jobs=value, random_state=value
    )
    assert model.fit(X, Y).tree_.depth <= 2
    TreeRegressor(
        min_samples_leaf=np.float32(0.5), min_gain=np.float64(0), monotonic_cst=np.array([1, 0, -1])
    ).fit(X, REAL)


def test_a_depth_of_zero_is_a_single_leaf():
    assert TreeClassifier(max_depth=0).fit(X, Y).tree_.statistics()["nodes"] == 1
    assert TreeClassifier(max_leaf_nodes=1).fit(X, Y).tree_.statistics()["nodes"] == 1


def test_numbers_beyond_the_cores_range_are_no_limit():
    model = TreeClassifier(max_depth=10**30, max_nodes=10**30, max_leaf_nodes=10**30).fit(X, Y)
    assert model.tree_.n_leaves == 2
    assert TreeClassifier(min_samples_split=10**30).fit(X, Y).tree_.n_leaves == 1


def test_a_failed_fit_leaves_the_fitted_model_as_it_was():
    model = TreeClassifier().fit(X, Y)
    tree = model.tree_
    with pytest.raises(ValueError, match="max_depth"):
        model.set_params(max_depth=-3).fit(X, Y)
    assert model.tree_ is tree
    assert model.predict(X).tolist() == Y


def test_a_subclass_may_have_parameters_of_its_own():
    class Mine(TreeClassifier):
        def __init__(self, depth=1):
            super().__init__(max_depth=depth)
            self.depth = depth

    assert Mine(depth=2).fit(X, Y).tree_.depth == 1
    with pytest.raises(TypeError, match=r"Mine has no parameter 'max_depth'.*its parameters are depth"):
        Mine(max_depth=2)
