"""Predicates as tests: text, Python functions, other trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.parts import Predicates
from hornbeam.tree.tree import Tree

XOR = pd.DataFrame({"x1": [0, 0, 1, 1], "x2": [0, 1, 0, 1]})
Y = [0, 1, 1, 0]


def same(table: Any) -> Any:
    return table["x1"] == table["x2"]


def grown(*predicates: Any, columns: Any = None, X: Any = XOR, y: Any = Y, **params: Any) -> Any:
    return hb.TreeClassifier("entropy", split=Predicates(list(predicates), columns), **params).fit(X, y)


# ---- which test wins ---------------------------------------------------------------------------------------


def test_the_predicate_that_gains_most_is_tested_first() -> None:
    text = grown("x1 > 0.5", "x1 == x2", "x2 > 0.5").tree_.text()
    assert text == "(x1 == x2)[yes: 0(2:0) | no: 1(0:2)]"


def test_of_tied_tests_columns_come_first_then_the_order_given() -> None:
    X, y = {"a": [1, 1, 2, 2]}, [0, 0, 1, 1]
    assert grown("a < 2", "a > 1", X=X, y=y).tree_.text() == "(a < 2)[yes: 0(2:0) | no: 1(0:2)]"
    assert grown("a > 1", "a < 2", X=X, y=y).tree_.text() == "(a > 1)[yes: 1(0:2) | no: 0(2:0)]"
    assert grown("a < 2", X=X, y=y, columns="binary").tree_.text() == "a[<=1.5: 0(2:0) | >1.5: 1(0:2)]"


def test_without_columns_only_predicates_are_tested() -> None:
    assert grown("x1 + x2 > 1.5").tree_.text() == "(x1 + x2 > 1.5)[yes: 0(1:0) | no: 1(1:2)]"
    assert grown("x1 + x2 > 1.5", columns="binary").tree_.n_leaves == 4


def test_columns_say_how_nominal_columns_are_split_beside_the_predicates() -> None:
    X, y = {"c": list("abcabc"), "n": [1, 2, 3, 4, 5, 6]}, list("pqrpqr")
    for how, kind in (("multiway", "multiway"), ("one-vs-rest", "equals"), ("binary", "subset")):
        assert grown("n > 9", columns=how, X=X, y=y).tree_.kind_of(0) == kind


def test_a_predicate_is_never_used_up() -> None:
    """Rows with a gap join a branch, where the predicate still tells them from the others."""
    X = {"a": [1, 1, 2, 2, None, None, None]}
    tree = grown("a > 1.5", X=X, y=list("ppqqrrr")).tree_
    assert [tree.expressions[n] for n in np.flatnonzero(tree.kind == 7).tolist()] == ["a > 1.5"] * 2
    assert tree.n_leaves == 3


def test_a_predicate_that_is_true_everywhere_is_no_candidate() -> None:
    assert grown("x1 >= 0", "x1 > 5").tree_.n_leaves == 1


def test_limits_hold_for_predicates() -> None:
    X, y = {"a": list(range(10))}, [1] + [0] * 9
    assert grown("a < 1", X=X, y=y).tree_.n_leaves == 2
    assert grown("a < 1", X=X, y=y, min_samples_leaf=2).tree_.n_leaves == 1
    assert grown("a < 1", X=X, y=y, max_depth=0).tree_.n_leaves == 1
    assert grown("a < 1", X=X, y=y, min_gain=0.9).tree_.n_leaves == 1
    assert (
        grown("a < 1", "a < 5", X=X, y=[1, 0, 1, 0, 1, 0, 1, 0, 1, 1], max_leaf_nodes=2).tree_.n_leaves == 2
    )


def test_a_regression_takes_predicates() -> None:
    model = hb.TreeRegressor(split=Predicates(["x1 == x2"], None)).fit(XOR, [1.0, 5.0, 7.0, 3.0])
    assert model.tree_.text() == "(x1 == x2)[yes: 2.0000(n=2) | no: 6.0000(n=2)]"
    assert model.predict(XOR).tolist() == [2.0, 6.0, 6.0, 2.0]


def test_names_that_are_no_words_stand_in_backticks() -> None:
    X = pd.DataFrame({"petal width": [1, 2, 3], "class": ["a", "b", "b"]})
    tree = grown("`petal width` > 1.5 and `class` == 'b'", X=X, y=[0, 1, 1]).tree_
    assert tree.statistics()["leaves"] == 2


def test_a_column_without_a_name_can_be_named() -> None:
    X = pd.DataFrame({"": [1, 2, 3], "a": [0, 0, 1]})
    tree = grown("`` + a > 1.5", X=X, y=[0, 1, 1]).tree_
    assert tree.predict(X).tolist() == [0, 1, 1]
    assert Tree.from_dict(tree.to_dict()).predict(X).tolist() == [0, 1, 1]


# ---- gaps --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("missing", "text"),
    [
        ("learn", "(a > 1.5)[yes: q(0:2) | no: p(4:0)]"),
        ("branch", "(a > 1.5)[yes: q(0:2) | no: p(2:0) | Missing: p(2:0)]"),
        ("majority", "(a > 1.5)[yes: p(2:2) | no: p(2:0)]"),  # equally heavy: the first
        ("fractional", "(a > 1.5)[yes: q(1:2) | no: p(3:0)]"),
    ],
)
def test_a_row_that_cannot_be_told_goes_as_the_missing_rule_says(missing: str, text: str) -> None:
    X = {"a": [1, 1, 2, 2, None, None]}
    tree = grown("a > 1.5", X=X, y=list("ppqqpp"), missing=missing).tree_
    assert tree.text() == text


def test_a_gap_that_does_not_decide_is_no_gap() -> None:
    X = {"a": [1.0, None, 3.0, None], "b": [5, 5, 0, 9]}
    model = grown("a > 2 or b > 1", X=X, y=list("qqqq"))
    assert model.tree_.n_leaves == 1
    table = Table.learn(X)
    (test,) = Predicates(["a > 2 or b > 1"]).tests(table.columns)
    truth, missing = test.evaluate(table.columns, table.arrays)
    assert (truth.tolist(), missing.tolist()) == ([True] * 4, [False] * 4)


# ---- the twin: predicates as columns of the table ----------------------------------------------------------

TEXTS = [
    "rooms > 3",
    "age / 10 > rooms",
    "city == 'Brno' and pay < 0.2",
    "size >= 'L' or owner",
    "city in ('Aš', 'Cheb') and not (rooms <= 2)",
]


def as_columns(X: pd.DataFrame, tests: Predicates, like: pd.DataFrame) -> pd.DataFrame:
    columns = Table.learn(like).columns
    arrays = Table.match(X, columns).arrays
    found = X.copy()
    for number, test in enumerate(tests.tests(columns)):
        truth, missing = test.evaluate(columns, arrays)
        found[f"p{number}"] = np.where(missing, None, np.where(truth, "0 yes", "1 no"))
    return found


@pytest.mark.parametrize("missing", ["learn", "branch", "majority", "fractional"])
@pytest.mark.parametrize("criterion", ["gini", "gain-ratio", "variance"])
def test_a_predicate_is_worth_as_much_as_a_column_of_its_truth(criterion: str, missing: str) -> None:
    model_of = hb.TreeRegressor if criterion == "variance" else hb.TreeClassifier
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = random_columns(rng, 80, gaps=0.1 if missing != "learn" else 0.0)
        y = outcome(rng, X, 0 if criterion == "variance" else 3)
        split = Predicates(TEXTS, columns="binary" if seed % 2 else None)
        params: dict[str, Any] = {"missing": missing, "min_samples_leaf": 1 + seed % 3, "max_depth": 4}
        model = model_of(criterion, split=split, **params).fit(X, y)
        wide = as_columns(X, split, X)
        if split.columns is None:
            wide = wide[[f"p{k}" for k in range(len(TEXTS))]]
        multiway = hb.parts.PerColumn({f"p{k}": "multiway" for k in range(len(TEXTS))})
        twin = model_of(criterion, split=multiway, **params).fit(wide, y)
        assert facts(model.tree_) == facts(twin.tree_)


def facts(tree: Tree) -> list[Any]:
    """The nodes that have rows, in no order: a twin has more empty ones, and its gaps come last."""
    return sorted(
        (int(tree.n_rows[n]), *np.round(tree.stats[n], 6).tolist(), round(float(tree.gain[n]), 6))
        for n in np.flatnonzero(tree.n_rows).tolist()
    )


def test_predictions_are_those_of_the_rows_in_training() -> None:
    rng = np.random.default_rng(5)
    X = random_columns(rng, 150)
    y = outcome(rng, X, 2)
    model = hb.TreeClassifier(split=Predicates(TEXTS), missing="branch").fit(X, y)
    refitted = model.tree_.refit(X, y)
    np.testing.assert_allclose(refitted.stats, model.tree_.stats)
    assert len(model.predict(strange_rows(rng, 50))) == 50


def test_the_order_of_the_rows_does_not_matter() -> None:
    rng = np.random.default_rng(7)
    X = random_columns(rng, 90)
    y = outcome(rng, X, 0)
    order = rng.permutation(90)
    weight = rng.random(90)
    one = hb.TreeRegressor(split=Predicates(TEXTS)).fit(X, y, sample_weight=weight)
    other = hb.TreeRegressor(split=Predicates(TEXTS)).fit(
        X.iloc[order], y[order], sample_weight=weight[order]
    )
    assert one.tree_ == other.tree_


# ---- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            ["x9 > 1"],
            r"predicates\[0\]: expression 'x9 > 1' names the column 'x9', but the columns are 'x1', 'x2'",
        ),
        (["x1 > 0", "x1 +"], r"predicates\[1\]: expression 'x1 \+' cannot be read"),
        (["x1 + x2"], r"predicates\[0\]: expression 'x1 \+ x2' must be true or false"),
        (["x1 == 'a'"], r"predicates\[0\]: expression .* compares values of different kinds"),
        (["1 > 0"], r"predicates\[0\]: expression '1 > 0' names no column"),
        (["open('x')"], r"predicates\[0\]: expression .* not part of the language"),
        ([3], r"predicates\[0\]=3 must be text, a Python function, a Tree"),
        ("x1 > 0", "must be a list of predicates"),
        ([], "is empty"),
        ([lambda table: table["x9"]], "predicate 'function 0' asks for the column 'x9'"),
        ([lambda table: 1], "gave one value for 4 rows"),
        ([lambda table: table["x1"] + 3], "gave 3.0: it must give True or False"),
        (
            [Tree.from_nested({"column": "x1", "<=": 0.5, "yes": 1.5, "no": 2.5}, task="real")],
            "answers with numbers",
        ),
        ([Tree.from_nested("p")], "for every row"),
    ],
)
def test_a_bad_predicate_is_named_in_one_sentence(given: Any, sentence: str) -> None:
    with pytest.raises((TypeError, ValueError), match=sentence):
        hb.TreeClassifier(split=Predicates(given)).fit(XOR, Y)


def test_choices_that_do_not_go_with_predicates_are_refused() -> None:
    for params, sentence in (
        ({"monotonic_cst": {"x1": 1}}, "monotonic_cst cannot be kept"),
        ({"missing": "surrogates"}, "is not possible with"),
        ({"selection": hb.parts.PriceAware({"x1": 0.5})}, "compares columns, not the tests of"),
        ({"selection": "average-gain"}, "compares columns, not the tests of"),
    ):
        with pytest.raises(ValueError, match=sentence):
            grown("x1 > x2", **params)
    with pytest.raises(ValueError, match="columns='no' is not known"):
        grown("x1 > x2", columns="no")
    with pytest.raises(ValueError, match="must be a choice that tests every column alone"):
        grown("x1 > x2", columns=Predicates(["x1 > 0"]))


def test_parts_are_cloned_searched_and_cross_validated() -> None:
    model = hb.TreeClassifier(split=Predicates(["age > 10 * rooms"], None))
    assert repr(clone(model)) == repr(model)
    assert model.set_params(split__columns="multiway").split.columns == "multiway"
    rng = np.random.default_rng(0)
    X = random_columns(rng, 90)
    assert cross_val_score(model, X, outcome(rng, X, 2), cv=3, error_score="raise").mean() > 0.5
