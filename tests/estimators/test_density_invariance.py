"""Density trees: what does not matter, as repetition, order, scale, weights and threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.support.density_tables import mixed
from tests.support.selection import examples

import hornbeam as hb
from hornbeam.growing import core
from hornbeam.parts import CrossValidated

MANY = settings(max_examples=examples(40), deadline=None, derandomize=True)
small_values = st.integers(0, 6).map(float)
tables = st.lists(
    st.tuples(small_values, small_values, st.sampled_from("abc"), st.integers(1, 3)), min_size=3
)


def columns_of(rows):
    return {"x": [r[0] for r in rows], "y": [r[1] for r in rows], "w": [r[2] for r in rows]}


@MANY
@given(tables, st.sampled_from([None, CrossValidated(cv=2), CrossValidated(cv=3, score="squared-error")]))
def test_counts_are_repetitions(rows, pruning):
    model = hb.TreeDensity(pruning, min_samples_leaf=2, random_state=0)
    short = clone(model).fit(columns_of(rows), counts=[r[3] for r in rows]).tree_
    long = clone(model).fit(columns_of([r for r in rows for _ in range(r[3])])).tree_
    assert short == long


@MANY
@given(tables, st.randoms(use_true_random=False), st.sampled_from([None, CrossValidated(cv=3)]))
def test_the_order_of_rows_is_irrelevant(rows, random, pruning):
    model = hb.TreeDensity(pruning, random_state=5)
    weights = [r[3] / 7 for r in rows]
    order = list(range(len(rows)))
    random.shuffle(order)
    one = clone(model).fit(columns_of(rows), sample_weight=weights).tree_
    mixed_rows = [rows[i] for i in order]
    other = clone(model).fit(columns_of(mixed_rows), sample_weight=[weights[i] for i in order]).tree_
    assert one == other


@MANY
@given(tables, st.sampled_from([0.25, 2.0, 1024.0]), st.integers(-8, 8))
def test_rescaling_a_column_divides_the_density(rows, scale, shift):
    table = columns_of(rows)
    other = table | {"x": [x * scale + shift for x in table["x"]]}
    one, two = hb.TreeDensity(max_leaf_nodes=5).fit(table), hb.TreeDensity(max_leaf_nodes=5).fit(other)
    constant = len(set(table["x"])) == 1
    wanted = one.score_samples(table) - (0 if constant else np.log(scale))
    assert two.score_samples(other) == pytest.approx(wanted)
    assert one.tree_.column.tolist() == two.tree_.column.tolist()


def test_weights_scale_shares_and_zero_weight_removes_a_row():
    frame = mixed(200)
    weight = np.random.default_rng(3).integers(0, 3, 200).astype(float)
    all_rows = hb.TreeDensity(min_samples_leaf=5).fit(frame, sample_weight=weight * 0.3)
    some = hb.TreeDensity(min_samples_leaf=5).fit(frame[weight > 0], sample_weight=weight[weight > 0])
    inside = frame[weight > 0]
    assert all_rows.score_samples(inside) == pytest.approx(some.score_samples(inside))
    assert all_rows.tree_.n_rows.tolist() == some.tree_.n_rows.tolist()
    assert all_rows.tree_.weight[0] == pytest.approx(weight.sum() * 0.3, rel=1e-15)


@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 60}])
def test_any_number_of_threads_grows_the_same_tree(limits, monkeypatch):
    frame = mixed(1500)
    weight = np.random.default_rng(4).random(1500)
    alone = hb.TreeDensity(n_jobs=1, **limits).fit(frame, sample_weight=weight).tree_
    for name, value in {"shared_rows": 100, "serial_cells": 0}.items():
        monkeypatch.setitem(core.TUNING, name, value)
    for n_jobs in (1, 2, 4):
        assert hb.TreeDensity(n_jobs=n_jobs, **limits).fit(frame, sample_weight=weight).tree_ == alone
