"""The search by the log-rank statistic, against its twin, and what must not change it."""

import numpy as np
import pytest
from tests.oracles.log_rank import best_statistic

import hornbeam as hb
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.routing import as_in_training, visit_nodes


def drawn(seed, n=80, gaps=0.0, counts=False, ties=True):
    """A table of two numeric columns and two nominal ones, with its survival times."""
    rng = np.random.default_rng(seed)
    columns = {
        "a": rng.integers(0, 9, n).astype(float),
        "b": rng.normal(size=n),
        "c": rng.integers(0, 5, n).astype(float),
        "d": rng.integers(0, 3, n).astype(float),
    }
    time = rng.exponential(np.exp(0.2 * columns["a"] - (columns["c"] == 2)))
    time = np.ceil(4 * time) if ties else time
    event = rng.random(n) < 0.65
    event[0] = True
    for values in columns.values():
        values[rng.random(n) < gaps] = np.nan
    repeats = rng.integers(1, 4, n) if counts else np.ones(n, dtype=int)
    return columns, time, event, repeats


def codes_of(values):
    """The codes of a nominal column; -1 where it is missing."""
    known = ~np.isnan(values)
    return np.where(known, np.searchsorted(np.unique(values[known]), values), -1).astype(np.int32)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("missing", ["learn", "majority"])
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_every_split_has_the_largest_statistic_of_its_node(seed, missing, gaps):
    columns, time, event, counts = drawn(seed, gaps=gaps, counts=seed % 2 == 1, ties=seed != 2)
    model = hb.TreeSurvival(
        missing=missing, categorical_features=["c", "d"], min_samples_leaf=4, min_samples_split=8
    )
    tree = model.fit(columns, (time, event), counts=counts).tree_
    assert len(tree) > 3
    arrays = [codes_of(values) if name in "cd" else values for name, values in columns.items()]
    for visit in visit_nodes(as_in_training(tree), arrays, np.ones(len(time))):
        rows = visit.rows
        here = {name: values[rows] for name, values in columns.items()}
        best = best_statistic(here, "cd", time[rows], event[rows], counts[rows], 4, missing)
        if tree.kind[visit.node] == LEAF:
            assert best < 1e-9 or counts[rows].sum() < 8 or not event[rows].any()
        else:
            assert tree.gain[visit.node] == pytest.approx(best, rel=1e-10)


@pytest.mark.parametrize("seed", range(2))
def test_neither_the_order_of_rows_nor_threads_nor_repetitions_written_out_change_the_tree(seed):
    columns, time, event, counts = drawn(seed, n=300, gaps=0.1, counts=True)
    options = {"categorical_features": ["c", "d"], "min_samples_leaf": 5}
    one = hb.TreeSurvival(n_jobs=1, **options).fit(columns, (time, event), counts=counts).tree_
    two = hb.TreeSurvival(n_jobs=2, **options).fit(columns, (time, event), counts=counts).tree_
    assert one == two
    order = np.random.default_rng(seed).permutation(len(time))
    turned = {name: values[order] for name, values in columns.items()}
    other = hb.TreeSurvival(**options).fit(turned, (time[order], event[order]), counts=counts[order]).tree_
    assert other == one
    rows = np.repeat(np.arange(len(time)), counts)
    written = {name: values[rows] for name, values in columns.items()}
    again = hb.TreeSurvival(**options).fit(written, (time[rows], event[rows])).tree_
    assert again.text() == one.text()
    assert again.gain == pytest.approx(one.gain, rel=1e-9)


def test_many_values_are_parted_along_their_scores():
    rng = np.random.default_rng(3)
    n, city = 600, rng.integers(0, 20, 600)
    time = rng.exponential(np.where(np.isin(city, [3, 7, 11, 19]), 0.2, 2.0)) + 1e-3
    X = {"city": [f"c{k}" for k in city]}
    tree = hb.TreeSurvival(max_depth=1).fit(X, (time, np.ones(n))).tree_
    codes, branches = tree.value_map(0)
    cities = [
        tree.columns[0].categories[code]
        for code, branch in zip(codes, branches, strict=True)
        if branch == branches[1]
    ]
    others = [c for c in tree.columns[0].categories if c not in cities]
    assert {frozenset(cities), frozenset(others)} >= {frozenset({"c3", "c7", "c11", "c19"})}


def test_a_node_without_events_is_a_leaf_and_equal_times_are_not_split():
    X = {"x": [1.0, 2.0, 3.0, 4.0]}
    late = hb.TreeSurvival(min_samples_split=2, min_samples_leaf=1).fit(X, [[1, 1], [5, 0], [6, 0], [7, 0]])
    assert late.tree_.n_leaves == 2
    same = hb.TreeSurvival(min_samples_split=2, min_samples_leaf=1).fit(X, [[1, 1]] * 4)
    assert same.tree_.n_leaves == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"missing": "branch"}, "use 'learn' or 'majority'"),
        ({"missing": "surrogates"}, "use 'learn' or 'majority'"),
        ({"split": "multiway"}, "use 'binary' or 'one-vs-rest'"),
        ({"split": "oblique"}, "leave split at its default"),
        ({"search": "lookahead"}, "leave search at its default"),
        ({"selection": "chi-square"}, "leave selection at its default"),
        ({"min_impurity_decrease": 0.1}, "use min_gain"),
        ({"leaf": "constant"}, "use leaf='curves'"),
        ({"criterion": "gini"}, "use one of 'log-rank', 'exponential'"),
        ({"pruning": "reduced-error"}, "use a penalty"),
        ({"monotonic_cst": {"x": 1}, "leaf": hb.parts.Curves(m=0)}, "monotonic_cst is not possible"),
    ],
    ids=str,
)
def test_what_the_statistic_cannot_judge_is_refused_by_a_sentence(options, words):
    with pytest.raises(ValueError, match=words):
        hb.TreeSurvival(**options).fit({"x": [1.0, 2.0, 3.0]}, [[1, 1], [2, 1], [3, 0]])


def test_weights_are_refused_and_counted_by_the_exponential_criterion():
    X, y = {"x": np.arange(12.0)}, np.column_stack([np.arange(12.0, 0, -1), np.ones(12)])
    weight = np.arange(1.0, 13.0)
    with pytest.raises(ValueError, match="counts rows at risk"):
        hb.TreeSurvival().fit(X, y, weight)
    model = hb.TreeSurvival("exponential", leaf=hb.parts.Curves(m=0), min_samples_split=2)
    weighted = model.fit(X, y, weight).tree_.text()
    assert weighted == model.fit(X, y, 3 * weight).tree_.text()
    assert weighted != model.fit(X, y).tree_.text()
    assert model.fit(X, y, counts=weight.astype(int)).tree_.n_rows[0] == 78
