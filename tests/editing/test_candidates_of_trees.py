"""hb.candidates: the arithmetic of a split is that by which the tree was grown."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb
from hornbeam.growing.selections import ChiSquareSelection
from hornbeam.parts import AverageGain, ColumnSets, Conditional, Oblique, Predicates, PriceAware, Quantile


def _assert_the_tree_says_the_same(model: Any, X: Any, y: Any, **given: Any) -> int:
    """At every node the candidate of rank 1 is the test of the tree, with its score; leaves say why."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = model.fit(X, y, **given).tree_
    by_p = isinstance(model.selection, ChiSquareSelection | Conditional)
    tested = 0
    for node in range(len(tree)):
        if not tree.n_rows[node]:
            continue
        found = hb.candidates(model, X, y, node, **given)
        assert found.n_rows == tree.n_rows[node]
        if tree.kind[node] == 0:
            assert found.stops is not None, (model, node)
            assert found.chosen is None
            continue
        tested += 1
        best = found.best
        assert found.stops is None
        assert best is not None
        assert best.chosen, (model, node, str(found))
        names = [tree.columns[c].name for c in tree.tested_columns(node)]
        assert best.column == ",".join(names)
        if best.threshold is not None:
            assert best.threshold == pytest.approx(tree.threshold[node], rel=1e-12)
        if best.kind == "equals":
            assert best.values == (tree.columns[tree.column[node]].categories[int(tree.threshold[node])],)
        elif best.kind == "subset" and not by_p:
            codes, branches = tree.value_map(node)
            first = {tree.columns[tree.column[node]].categories[c] for c in codes[branches == 0].tolist()}
            assert set(best.values) == first
        if not isinstance(model.selection, PriceAware) and not by_p and "row_costs" not in given:
            assert best.score == pytest.approx(tree.gain[node], rel=1e-9, abs=1e-12), (model, node)
    return tested


def _random_params(rng: np.random.Generator) -> dict[str, Any]:
    params: dict[str, Any] = {
        "split": str(rng.choice(["binary", "multiway", "one-vs-rest"])),
        "missing": str(rng.choice(["learn", "branch", "all-paths", "fractional", "majority", "surrogates"])),
        "min_samples_leaf": int(rng.integers(1, 6)),
        "max_depth": int(rng.integers(1, 5)),
    }
    if params["missing"] == "surrogates" and params["split"] == "multiway":
        params["split"] = "binary"
    if rng.random() < 0.3:
        params |= {"max_features": int(rng.integers(1, 5)), "random_state": int(rng.integers(100))}
    if rng.random() < 0.2:
        params["min_gain"] = 0.0
    if rng.random() < 0.2:
        params["min_weight_fraction_leaf"] = 0.1
    return params


def _random_case(seed: int) -> tuple[Any, Any, Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 90))
    X = random_columns(rng, n, gaps=float(rng.choice([0, 0.2])))
    n_classes = int(rng.choice([0, 2, 3]))
    y = outcome(rng, X, n_classes)
    given: dict[str, Any] = {}
    if rng.random() < 0.3:
        given["sample_weight"] = rng.random(n)
    if rng.random() < 0.3:
        given["counts"] = rng.integers(0, 4, n)
    params = _random_params(rng)
    classes = ("gini", "entropy", "gain-ratio", "root", "error")
    criterion = str(rng.choice(classes if n_classes else ("variance", "sd", "absolute")))
    selection: Any = "best"
    which = int(rng.integers(6))
    if criterion == "absolute":
        params["missing"] = "learn"
    elif which == 1 and n_classes:
        selection = AverageGain(correction=[None, "code", "paper"][rng.integers(3)])
    elif which == 2 and n_classes and criterion != "gain-ratio":
        selection = PriceAware(
            {"age": 0.2, "city": 0.9}, str(rng.choice(["nunez", "tan-schlimmer"])), default=0.5
        )
    elif which in (3, 4) and params["missing"] != "surrogates":
        selection = ChiSquareSelection(min_rows=10) if which == 3 else Conditional(min_rows=10)
        params["split"] = "binary"
    elif which == 5:
        params["monotonic_cst"] = {"age": 1, "rooms": -1}
    if selection != "best":
        params.pop("monotonic_cst", None)
    make = hb.TreeClassifier if n_classes else hb.TreeRegressor
    return make(criterion, selection, **params), X, y, given


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_the_best_candidate_is_the_test_of_the_tree_whatever_was_chosen(first: int) -> None:
    assert (
        sum(
            _assert_the_tree_says_the_same(*case[:3], **case[3])
            for case in map(_random_case, range(first, first + 10))
        )
        > 0
    )


def test_special_splits_are_candidates_too() -> None:
    rng = np.random.default_rng(3)
    X = {"a": rng.integers(0, 2, 60), "b": rng.integers(0, 2, 60), "c": rng.normal(size=60)}
    y = np.where(X["a"] != X["b"], "odd", "even")
    for split in (ColumnSets(), Predicates(["a == b", "c > 0"]), Oblique()):
        model = hb.TreeClassifier("entropy", split=split, max_depth=2)
        assert _assert_the_tree_says_the_same(model, X, y) > 0
    found = hb.candidates(hb.TreeClassifier("entropy", split=ColumnSets()), X, y)
    assert (found[0].test, found[0].column, found[0].gain) == ("(a,b)", "a,b", pytest.approx(1.0, abs=0.05))
    assert sum(sum(row) for row in found[0].stats) == 60


def test_values_by_the_dozen_are_judged_as_the_core_does() -> None:
    rng = np.random.default_rng(0)
    X = {"letter": rng.choice(list("abcdefghijklmnopqrst"), 300), "x": rng.normal(size=300)}
    for n_classes, criterion in ((2, "gini"), (3, "gini"), (2, "gain-ratio"), (3, "error")):
        y = (X["x"] + rng.normal(size=300) > 0).astype(int) + (n_classes == 3) * (X["letter"] > "k")
        assert _assert_the_tree_says_the_same(hb.TreeClassifier(criterion, max_depth=3), X, y) > 0
    for regression in ("variance", "sd", Quantile(q=0.3)):
        model = hb.TreeRegressor(regression, max_depth=3)
        assert _assert_the_tree_says_the_same(model, X, X["x"] * (X["letter"] > "f")) > 0


def test_rates_priors_costs_and_exposure_count_as_in_growing() -> None:
    rng = np.random.default_rng(1)
    X = random_columns(rng, 80)
    y = outcome(rng, X, 2)
    careful = hb.TreeClassifier(costs={"class 0": {"class 1": 5}}, priors="equal", max_depth=3)
    assert _assert_the_tree_says_the_same(careful, X, y) > 0
    assert _assert_the_tree_says_the_same(hb.TreeClassifier(class_weight="balanced", max_depth=3), X, y) > 0
    costs = np.column_stack([np.zeros(80), rng.random(80)]) * 1.0
    costs[y == "class 1"] = costs[y == "class 1"][:, ::-1]
    assert _assert_the_tree_says_the_same(hb.TreeClassifier(max_depth=2), X, y, row_costs=costs) > 0
    rates = hb.TreeRegressor("poisson", max_depth=3)
    assert _assert_the_tree_says_the_same(rates, X, rng.poisson(2, 80), exposure=rng.random(80) + 0.5) > 0


def test_c45_thresholds_are_values_of_the_table() -> None:
    rng = np.random.default_rng(2)
    X = random_columns(rng, 120)
    model = hb.c45().set_params(pruning=None)  # pruning moves subtrees up
    y = outcome(rng, X, 2)
    tree = model.fit(X, y).tree_
    for node in np.flatnonzero(tree.kind == 1).tolist():
        best = hb.candidates(model, X, y, node)[0]
        assert best.column == tree.columns[tree.column[node]].name
        assert best.threshold == tree.threshold[node]


def test_large_nodes_are_asked_of_the_core_and_are_the_same() -> None:
    rng = np.random.default_rng(7)
    X = random_columns(rng, 2500)
    y = outcome(rng, X, 3)
    for missing in ("learn", "branch", "fractional", "majority"):
        model = hb.TreeClassifier("entropy", missing=missing, max_depth=2, min_samples_leaf=7)
        assert _assert_the_tree_says_the_same(model, X, y) > 0
    found = hb.candidates(model, X, y)["age"]
    cuts = pickle.loads(pickle.dumps(found)).cuts
    assert cuts is not None
    assert found.score == pytest.approx(cuts.score[cuts.allowed].max())
    assert cuts.threshold[cuts.score == cuts.score[cuts.allowed].max()].tolist() == [found.threshold]


@pytest.mark.parametrize("missing", ["learn", "fractional", "surrogates"])
@pytest.mark.parametrize("n_classes", [0, 2])
def test_the_order_of_the_rows_does_not_matter(missing: str, n_classes: int) -> None:
    rng = np.random.default_rng(8)
    X = random_columns(rng, 120)
    y, weight = outcome(rng, X, n_classes), rng.random(120)
    make = hb.TreeClassifier if n_classes else hb.TreeRegressor
    model = make(missing=missing, max_depth=3).fit(X, y, sample_weight=weight)
    order = rng.permutation(120)
    for node in range(6):
        found = hb.candidates(model, X, y, node, sample_weight=weight, work=True)
        again = hb.candidates(model, X.iloc[order], y[order], node, sample_weight=weight[order], work=True)
        assert found.to_dict() == again.to_dict()


def test_a_node_of_several_branches_tests_its_column_and_none_of_its_values() -> None:
    table = hb.datasets.load("tennis")
    made = hb.candidates(hb.id3().fit(table.X, table.y), table.X, table.y).made
    assert made == "Outlook"
