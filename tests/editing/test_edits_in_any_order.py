"""Editing trees by hand: any operations in any order."""

import json

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings
from tests.support.edited_trees import ESTIMATORS, REGRESSORS, N, document, fresh, mixed
from tests.support.selection import examples

import hornbeam as hb

_NAMES = ["a", "c", "g"]
_OPERATION = st.one_of(
    st.fixed_dictionaries({"op": st.just("split"), "at": st.integers(0, 60), "on": st.sampled_from(_NAMES)}),
    st.fixed_dictionaries(
        {"op": st.just("split"), "at": st.integers(0, 60), "on": st.just("c"), "multiway": st.just(True)}
    ),
    st.fixed_dictionaries({"op": st.just("move"), "at": st.integers(0, 60), "to": st.floats(-2, 11)}),
    st.fixed_dictionaries(
        {"op": st.sampled_from(["collapse", "lock", "unlock", "regrow", "grow"]), "at": st.integers(0, 60)}
    ),
    st.fixed_dictionaries({"op": st.just("prune"), "leaves": st.integers(1, 12)}),
    st.fixed_dictionaries({"op": st.just("step")}),
)


def carried_out(draft, wishes):
    """The wishes that are possible, each at some node."""
    for wish in wishes:
        given = dict(wish)
        if "at" in given:
            given["node"] = given.pop("at") % len(draft.tree)
        if "to" in given:
            given["at"] = given.pop("to")
        try:
            draft = draft.apply(given)
        except ValueError:
            continue  # not every wish is possible
    return draft


@settings(max_examples=examples(25), deadline=None)
@given(
    name=st.sampled_from(["gini", "multiway", "fractional", "majority", "priors", "best first", "all-paths"]),
    wishes=st.lists(_OPERATION, max_size=7),
    weighted=st.booleans(),
)
def test_any_operations_leave_the_stats_of_the_rows_and_can_be_replayed(name, wishes, weighted):
    X, y = mixed()
    weight = np.random.default_rng(1).integers(1, 4, N) if weighted else None
    start = hb.edit(fresh(ESTIMATORS[name]), X, y, counts=weight)
    draft = carried_out(start, wishes)
    tree = draft.tree
    for node in range(len(tree)):
        rows, share = draft.rows(node)
        mass = share if weight is None else share * weight[rows]
        expected = [mass[y[rows] == label].sum() for label in tree.classes]
        assert np.allclose(tree.stats[node], expected, atol=1e-9)
        copies = np.ones(len(rows), int) if weight is None else weight[rows]
        assert tree.n_rows[node] == copies[share > 0].sum()
    again = hb.replay(json.loads(json.dumps(draft.log)), fresh(ESTIMATORS[name]), X, y, counts=weight)
    assert document(again.tree) == document(tree)
    assert again.log == draft.log
    back = draft
    for _ in draft.log:
        back = back.undo()
    assert document(back.tree) == document(start.tree)
    for _ in draft.log:
        back = back.redo()
    assert document(back.tree) == document(tree)
    draft.model.predict(X)
    hb.show(tree)


@settings(max_examples=examples(15), deadline=None)
@given(
    name=st.sampled_from(list(REGRESSORS)), wishes=st.lists(_OPERATION, max_size=6), seed=st.integers(0, 3)
)
def test_any_operations_on_regressions_do_not_depend_on_the_order_of_the_rows(name, wishes, seed):
    X, _ = mixed()
    y = X["a"] * np.where(X["c"] == "u", 1.5, -0.3) + np.nan_to_num(X["g"])
    draft = carried_out(hb.edit(fresh(REGRESSORS[name]), X, y), wishes)
    order = np.random.default_rng(seed).permutation(N)
    shuffled = {column: values[order] for column, values in X.items()}
    again = hb.replay(draft.log, fresh(REGRESSORS[name]), shuffled, y[order])
    assert document(again.tree) == document(draft.tree)
    for node in range(len(draft.tree)):
        rows, share = draft.rows(node)
        mean = np.average(y[rows], weights=share) if len(rows) else 0.0
        expected = [share.sum(), mean, (share * (y[rows] - mean) ** 2).sum()]
        assert np.allclose(draft.tree.stats[node], expected, atol=1e-8)
    assert np.isfinite(draft.model.predict(X)).all()
