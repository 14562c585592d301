"""What holds for every table: for any rows, columns, gaps, weights, criteria and kinds of split."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.support.every_test import every_test
from tests.support.selection import examples

import hornbeam as hb
from hornbeam.growing import core

MANY = settings(max_examples=examples(60), deadline=None, derandomize=True)
SIZES = ["S", "M", "L", "XL"]


@dataclass
class Case:
    """A table with its target and a model for it."""

    X: pd.DataFrame
    y: list[Any]
    model: Any

    def tree(self, **more: Any) -> hb.Tree:
        """The tree of the model, with other parameters."""
        return self.model.set_params(**more).fit(self.X, self.y).tree_

    def rows(self, order: Any) -> Case:
        """The same with these rows."""
        return Case(self.X.iloc[order].reset_index(drop=True), [self.y[i] for i in order], self.model)


def gappy(values: st.SearchStrategy[Any], n: int) -> st.SearchStrategy[list[Any]]:
    """n values, some of them missing in some columns."""
    return st.one_of(
        st.lists(values, min_size=n, max_size=n), st.lists(values | st.none(), min_size=n, max_size=n)
    )


def column(n: int) -> st.SearchStrategy[Any]:
    """A numeric, nominal or ordinal column; few values, so that ties are the rule."""
    whole = st.integers(0, 5).map(float)
    real = st.floats(-1e6, 1e6, allow_nan=False)
    numeric = gappy(st.one_of(whole, real), n).map(lambda v: np.array(v, dtype=float))
    nominal = gappy(st.sampled_from("abcde"), n).map(lambda v: pd.Categorical(v, categories=list("abcde")))
    ordinal = gappy(st.sampled_from(SIZES), n).map(
        lambda v: pd.Categorical(v, categories=SIZES, ordered=True)
    )
    return st.one_of(numeric, nominal, ordinal)


def model(*, real: bool) -> st.SearchStrategy[Any]:
    """An estimator of any criterion, split and rule for gaps, with or without limits."""
    kind = hb.TreeRegressor if real else hb.TreeClassifier
    criteria = ["variance", "sd"] if real else ["gini", "entropy", "gain-ratio", "root", "error"]
    return st.builds(
        kind,
        criterion=st.sampled_from(criteria),
        split=st.sampled_from(["binary", "multiway", "one-vs-rest"]),
        missing=st.sampled_from(["learn", "branch", "all-paths"]),
        max_depth=st.sampled_from([None, None, 1, 2]),
        max_leaf_nodes=st.sampled_from([None, None, 3, 6]),
        min_samples_leaf=st.sampled_from([1, 1, 2]),
        min_gain=st.sampled_from([None, 0.0]),
    )


@st.composite
def cases(draw: st.DrawFn, max_rows: int = 16, max_columns: int = 3) -> Case:
    """A small table of any kind."""
    n = draw(st.integers(1, max_rows))
    columns = {f"c{j}": draw(column(n)) for j in range(draw(st.integers(1, max_columns)))}
    real = draw(st.booleans())
    targets = st.integers(-8, 8).map(lambda k: k / 4) if real else st.sampled_from(["p", "q", "r"])
    y = draw(st.lists(targets, min_size=n, max_size=n))
    return Case(pd.DataFrame(columns), y, draw(model(real=real)))


# ---- what a tree does not depend on ------------------------------------------------------------------------


@MANY
@given(cases(), st.data())
def test_counts_are_repetitions(case, data):
    counts = data.draw(st.lists(st.sampled_from([1, 2, 3, 0]), min_size=len(case.y), max_size=len(case.y)))
    assume(sum(counts) > 0)
    again = case.rows(np.repeat(np.arange(len(counts)), counts))
    assume(isinstance(case.model, hb.TreeRegressor) or set(again.y) == set(case.y))
    counted = case.model.fit(case.X, case.y, counts=counts).tree_
    assert same_tree(counted, again.tree())


@MANY
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_is_irrelevant(case, random):
    order = list(range(len(case.y)))
    random.shuffle(order)
    assert case.rows(order).tree() == case.tree()


@MANY
@given(cases(max_columns=4), st.randoms(use_true_random=False))
def test_the_order_of_the_columns_decides_nothing_but_ties(case, random):
    case.model.set_params(missing="branch", max_leaf_nodes=None, min_samples_leaf=1, max_depth=1)
    names = list(case.X)
    random.shuffle(names)
    one = case.tree()
    other = Case(case.X[names], case.y, case.model).tree()
    assert other.gain[0] == pytest.approx(one.gain[0], abs=1e-12)
    found = every_test(case.X, case.y, criterion=case.model.criterion, split=case.model.split)
    best = [c for c in found if c.score >= one.gain[0] - 1e-9]
    if len({c.column for c in best}) == 1:
        assert other.text() == one.text()


@pytest.fixture
def threads_everywhere(monkeypatch):
    """Let all threads work on nodes of any size."""
    for name, value in {"block_rows": 6, "block_cells": 0, "shared_rows": 10, "serial_cells": 0}.items():
        monkeypatch.setitem(core.TUNING, name, value)


@settings(MANY, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cases(max_rows=24), st.sampled_from([2, 3, 4]))
def test_the_number_of_threads_is_irrelevant(threads_everywhere, case, n_jobs):
    assert case.tree(n_jobs=n_jobs) == case.tree(n_jobs=1)


@pytest.mark.parametrize("seed", range(12))
def test_the_number_of_threads_is_irrelevant_for_longer_tables_too(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n = 400
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("uvw"))
    X["whole"] = rng.integers(0, 9, n).astype(float)
    X["letter"] = pd.Categorical(rng.choice(list("abcdef"), n))
    X = X.mask(rng.random(X.shape) < 0.1 * (seed % 2))
    signal = np.nan_to_num(X["u"]) + (X["letter"] == "b") + rng.normal(size=n)
    real = seed % 3 == 0
    model = hb.TreeRegressor(min_samples_leaf=3) if real else hb.TreeClassifier("entropy", max_leaf_nodes=90)
    case = Case(X, signal.tolist() if real else (signal > 0).tolist(), model)
    alone = case.tree(n_jobs=1)
    for name, value in {"block_rows": 20, "block_cells": 0, "shared_rows": 50, "serial_cells": 0}.items():
        monkeypatch.setitem(core.TUNING, name, value)
    assert all(case.tree(n_jobs=n_jobs) == alone for n_jobs in (1, 2, 4))


@MANY
@given(cases())
def test_a_constant_column_changes_no_prediction(case):
    before = case.model.fit(case.X, case.y).predict(case.X)
    wider = case.X.assign(constant=1.0)
    assert case.model.fit(wider, case.y).predict(wider).tolist() == before.tolist()


def same_tree(one: hb.Tree, other: hb.Tree) -> bool:
    """Equal tests, Stats and answers; a row of no count still tells the range and the gaps of its columns."""
    mine, theirs = one.arrays(), other.arrays()
    return (
        one.text() == other.text()
        and mine.keys() == theirs.keys()
        and np.allclose(mine.pop("gain"), theirs.pop("gain"), rtol=1e-13, atol=1e-15)
        and all(np.array_equal(mine[k], theirs[k], equal_nan=mine[k].dtype.kind == "f") for k in mine)
        and (one.classes, one.policy) == (other.classes, other.policy)
    )


# ---- copies ------------------------------------------------------------------------------------------------


@MANY
@given(cases())
def test_a_tree_survives_a_dict_json_and_pickle(case):
    tree = case.tree()
    data = tree.to_dict()
    for copy in (
        hb.Tree.from_dict(data),
        hb.Tree.from_dict(json.loads(json.dumps(data, allow_nan=False))),
        pickle.loads(pickle.dumps(tree)),
    ):
        assert copy == tree
        assert copy.text() == tree.text()
        assert copy.predict(case.X).tolist() == tree.predict(case.X).tolist()
    fitted = pickle.loads(pickle.dumps(case.model))
    assert fitted.predict(case.X).tolist() == case.model.predict(case.X).tolist()


@MANY
@given(cases())
def test_the_tree_alone_predicts_as_its_model(case):
    tree = case.tree()
    assert tree.predict(case.X).tolist() == case.model.predict(case.X).tolist()
    if tree.task == "classes":
        assert tree.predict_proba(case.X).tolist() == case.model.predict_proba(case.X).tolist()


# ---- what the readers say ----------------------------------------------------------------------------------


def passes(condition: Any, value: Any, column: Any) -> bool:
    """Whether a value meets a condition of a rule."""
    if value is None or value != value:
        return condition.missing
    if condition.values is not None and value not in condition.values:
        return False
    number = value if column.kind == "numeric" else column.categories.index(value)
    return value not in condition.excluded and condition.low < number <= condition.high


@MANY
@given(cases())
def test_exactly_one_rule_speaks_for_a_row_and_says_what_the_tree_predicts(case):
    assume(case.model.missing != "all-paths" or not case.X.isna().any(axis=None))
    tree = case.tree()
    columns = {column.name: column for column in tree.columns}
    rules = hb.rules(case.model)
    assert [rule.leaf for rule in rules] == tree.leaves().tolist()
    assert sum(rule.support for rule in rules) == len(case.y)
    predicted, leaves = case.model.predict(case.X).tolist(), case.model.apply(case.X).tolist()
    for i, row in enumerate(case.X.to_dict("records")):
        speaking = [
            rule
            for rule in rules
            if all(passes(c, row[c.columns[0]], columns[c.columns[0]]) for c in rule.conditions)
        ]
        assert [rule.leaf for rule in speaking] == [leaves[i]]
        assert (speaking[0].label if tree.classes else speaking[0].value) == predicted[i]


@MANY
@given(cases())
def test_the_printed_tree_has_a_line_for_every_node(case):
    tree = case.tree()
    lines = hb.show(case.model, node_ids=True, charset="ascii").splitlines()
    numbers = [int(line.rsplit("#", 1)[1]) for line in lines if "#" in line]
    assert numbers == [node for node, _ in tree.walk()]
    answers = {int(line.rsplit("#", 1)[1]) for line in lines if "-> " in line}
    assert answers == set(tree.leaves().tolist())


@MANY
@given(cases())
def test_an_explanation_gives_the_answer_of_the_model(case):
    tree = case.tree()
    predicted, weights = case.model.predict(case.X).tolist(), case.model.apply_weights(case.X)
    for i, row in enumerate(case.X.to_dict("records")):
        told = hb.explain(case.model, row)
        assert told.answer == predicted[i]
        assert {leaf.leaf for leaf in told.reached} == set(weights[[i]].indices.tolist())
        assert math.isclose(sum(leaf.weight for leaf in told.reached), 1.0)
    assert tree.n_rows[0] == len(case.y)
