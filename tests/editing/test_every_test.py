"""hb.candidates, every test: the gains of the lectures, the order, gaps, weights, a slow twin's scores."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from tests.oracles.tables import random_table
from tests.oracles.twin import scores
from tests.support.every_test import every_test

import hornbeam as hb
from hornbeam.parts import Binary, PerColumn

CLASS_CRITERIA = ["entropy", "gini", "gain-ratio", "root", "error"]


def close(value):
    """Equal to six decimals."""
    return pytest.approx(value, abs=1e-6)


# ---- what is listed --------------------------------------------------------------------------------------


def test_value_sets_come_smallest_first_and_hold_the_first_value():
    X = {"a": list("dcba")}
    found = every_test(X, [0, 1, 0, 1])
    assert [c.test for c in found] == [
        "a in {a}",
        "a in {a,b}",
        "a in {a,c}",
        "a in {a,d}",
        "a in {a,b,c}",
        "a in {a,b,d}",
        "a in {a,c,d}",
    ]
    assert found[2].answers == ("{a,c}", "{b,d}")


def test_columns_are_listed_in_their_order_each_in_its_own_way():
    table = hb.datasets.load("tax")
    split = PerColumn({"MarSt": "one-vs-rest"}, default="multiway")
    found = every_test(table.X, table.y, split=split)
    assert [(c.kind, c.test) for c in found] == [
        ("multiway", "Refund"),
        ("equals", "MarSt=Divorced"),
        ("equals", "MarSt=Married"),
        ("equals", "MarSt=Single"),
        ("threshold", "TaxInc<=55"),
        ("threshold", "TaxInc<=75"),
        ("threshold", "TaxInc<=95"),
        ("threshold", "TaxInc<=105"),
    ]
    assert [c.test for c in every_test(table.X, table.y, columns=["MarSt", "Refund"], split="multiway")] == [
        "Refund",
        "MarSt",
    ]


def test_the_stats_of_the_branches_are_what_the_test_makes_of_the_rows():
    table = hb.datasets.load("robots")
    (square,) = (c for c in every_test(table.X, table.y, split="one-vs-rest") if c.test == "body=square")
    assert (square.answers, square.stats, square.values) == (("yes", "no"), ((0, 3), (4, 1)), ("square",))
    hours = hb.datasets.load("hours")
    (windy,) = every_test(hours.X, hours.y, criterion="sd", columns="Windy")
    assert windy.stats == (close((8, 331, 14191)), close((6, 226, 9186)))


def test_a_multiway_test_has_a_branch_for_every_value_that_some_row_has():
    neck = pd.Categorical(["bow", "tie", "tie"], categories=["bow", "nothing", "tie"])
    (one,) = every_test({"neck": neck}, ["e", "a", "a"], split="multiway")
    assert dict(zip(one.answers, one.stats, strict=True)) == {"bow": (0, 1), "tie": (2, 0)}


def test_gaps_are_a_branch_of_their_own():
    X = {"x": [1.0, 2.0, None, 4.0], "one": [5, 5, None, 5], "c": ["u", None, "u", "u"]}
    found = every_test(X, ["n", "n", "y", "n"])
    assert [(c.test, c.answers) for c in found] == [
        ("x<=1.5", ("<=1.5", ">1.5", "Missing")),
        ("x<=3", ("<=3", ">3", "Missing")),
        ("one is not missing", ("not missing", "Missing")),
        ("c in {u}", ("{u}", "Missing")),
    ]
    assert [c.gain for c in found] == close([0.811278, 0.811278, 0.811278, 0.122556])


def test_a_column_without_a_choice_has_no_candidates():
    X = {"constant": [1, 1, 1], "word": ["k", "k", "k"], "nothing": [None, None, None], "x": [1, 2, 3]}
    found = every_test(X, ["p", "q", "p"])
    assert {c.column for c in found} == {"x"}


def test_rows_without_weight_are_not_there():
    X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "b", "c"]
    found = every_test(X, y, sample_weight=[1.0, 0.0, 2.0, 1.0])
    assert [c.threshold for c in found] == [2.0, 3.5]
    assert found[0].stats == ((1, 0, 0), (0, 2, 1))


def test_counts_and_whole_weights_are_repeated_rows():
    table = hb.datasets.load("eighty")
    again = [i for i, n in enumerate(table.counts) for _ in range(n)]
    X = {column: [values[i] for i in again] for column, values in table.X.items()}
    written_out = every_test(X, [table.y[i] for i in again])
    assert list(every_test(table.X, table.y, counts=table.counts)) == list(written_out)
    weighted = every_test(table.X, table.y, sample_weight=table.counts)
    assert [(c.test, c.stats, c.gain, c.score) for c in weighted] == [
        (c.test, c.stats, c.gain, c.score) for c in written_out
    ]


def test_a_candidate_cannot_be_changed_and_prints_its_gain():
    found = every_test({"x": [1, 2]}, ["a", "b"])[0]
    assert str(found) == "x<=1.5: rank 1, gain 1 bit"
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.gain = 0.0


def test_neighbouring_doubles_and_huge_values_are_cut_below_the_upper_one():
    low = 0.1
    high = np.nextafter(low, 1)
    assert every_test({"x": [low, high]}, [0, 1])[0].threshold == low
    assert every_test({"x": [-1.7e308, 1.7e308]}, [0, 1])[0].threshold == 0.0


# ---- boundary points -------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["entropy", "gini", "root", "variance", "sd"])
def test_the_best_cut_is_a_boundary_point(criterion):
    rng = np.random.default_rng(3)
    for _ in range(60):
        x, y = rng.integers(0, 12, 30), rng.integers(0, 3, 30) ** 2
        found = every_test({"x": x}, y, criterion=criterion)
        best = max(c.decrease for c in found)
        assert max(c.decrease for c in found if c.boundary) == pytest.approx(best, abs=1e-12)


def test_a_cut_between_rows_of_one_target_is_no_boundary_point():
    found = every_test({"x": [1, 2, 3, 4]}, [5.0, 5.0, 7.0, 7.5], criterion="variance")
    assert [c.boundary for c in found] == [False, True, True]
    letters = pd.Categorical(list("abc"), ordered=True)
    assert [c.boundary for c in every_test({"o": letters}, ["p", "p", "q"])] == [False, True]
    assert all(c.boundary for c in every_test({"c": list("abc")}, ["p", "p", "q"]))


# ---- the same numbers elsewhere --------------------------------------------------------------------------

TWIN_SPLITS = {"subset": "binary", "equals": "one-vs-rest", "multiway": "multiway"}


def as_user_table(table):
    """A twin's table as a data frame, with the way each nominal column is split."""
    columns, split = {}, {}
    for j, column in enumerate(table["columns"]):
        if column["kind"] == "numeric":
            columns[f"c{j}"] = np.asarray(column["values"])
            continue
        domain = [f"v{k:02}" for k in range(column["n_values"])]
        columns[f"c{j}"] = pd.Categorical.from_codes(
            column["values"], domain, ordered=column["kind"] == "ordinal"
        )
        if column["kind"] == "nominal":
            split[f"c{j}"] = TWIN_SPLITS[column["split"]]
    return pd.DataFrame(columns), PerColumn(split, default=Binary(threshold_at="midpoint"))


@pytest.mark.parametrize("criterion", [*CLASS_CRITERIA, "variance", "sd"])
def test_every_candidate_has_the_score_of_the_twin(criterion):
    for seed in range(25):
        table = random_table(np.random.default_rng(seed), criterion=criterion, missing="branch")
        table["plan"] = {"criterion": criterion, "missing": "branch"}
        X, split = as_user_table(table)
        goal = table["target"]
        found = every_test(
            X,
            goal["values"] if goal["kind"] == "real" else goal["codes"],
            table["weights"],
            counts=table["counts"],
            criterion=criterion,
            split=split,
        )
        expected = scores(table)
        assert [c.column for c in found] == [f"c{column}" for column, *_ in expected]
        cuts = [t for _, kind, t, *_ in expected if kind == "threshold"]
        thresholds = [c.threshold for c in found if c.kind == "threshold"]
        # The midpoint of two decimals may differ from that of two doubles in the last place.
        assert thresholds == pytest.approx(cuts, rel=4e-16)
        spread = float(np.std(goal["values"])) if goal["kind"] == "real" else 1.0
        slack = {"variance": 1e-12 * spread**2, "sd": 1e-9 * spread}.get(criterion, 1e-12)
        assert [c.score for c in found] == pytest.approx([e[-1] for e in expected], abs=slack)


@pytest.mark.parametrize("split", ["binary", "multiway", "one-vs-rest"])
@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
def test_the_best_candidate_is_the_root_of_the_tree(criterion, split):
    rng = np.random.default_rng(11)
    for _ in range(15):
        X = {
            "a": rng.choice(list("abcdefg"), 40),
            "b": rng.choice(list("uv"), 40),
            "x": rng.integers(0, 9, 40),
        }
        y = rng.integers(0, 3, 40)
        found = every_test(X, y, criterion=criterion, split=split)
        tree = hb.TreeClassifier(criterion, split=split, max_depth=1).fit(X, y).tree_
        assert tree.gain[0] == pytest.approx(max(c.score for c in found), abs=1e-12)
        best = next(c for c in found if c.score >= tree.gain[0] - 1e-12)
        assert best.column == tree.columns[tree.column[0]].name
        assert [list(branch) for branch in best.stats] == tree.stats[1:].tolist()


# ---- what is refused -------------------------------------------------------------------------------------


def test_thirteen_values_have_too_many_sets():
    X, y = {"letter": list("abcdefghijklm")}, [0, 1] * 6 + [0]
    with pytest.raises(ValueError, match=r"'letter' has 13 values, .* up to 12: use split='one-vs-rest'"):
        every_test(X, y)
    assert len(every_test(X, y, split="one-vs-rest")) == 13
    assert len(every_test({"letter": X["letter"][:12]}, y[:12])) == 2**11 - 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"criterion": "entropi"}, r"criterion='entropi' is not known \(did you mean 'entropy'\?\)"),
        ({"split": "threeway"}, r"split='threeway' is not known"),
        ({"columns": ["colur"]}, r"columns names 'colur', .* \(did you mean 'colour'\?\)"),
    ],
)
def test_an_unknown_name_is_answered_with_a_sentence(given, message):
    with pytest.raises(ValueError, match=message):
        every_test({"colour": ["red", "blue"]}, [0, 1], **given)


def test_scikit_learns_names_of_criteria_are_accepted():
    X, y = {"x": [1, 2, 3]}, [1, 2, 4]
    assert list(every_test(X, y, criterion="squared_error")) == list(every_test(X, y, criterion="variance"))
    assert list(every_test(X, y, criterion="log_loss")) == list(every_test(X, y))


# ---- ranks, nodes and limits -----------------------------------------------------------------------------


def test_the_best_of_all_tests_is_the_best_of_the_best_tests():
    rng = np.random.default_rng(2)
    X = {"a": rng.choice(list("abcd"), 60), "x": rng.integers(0, 9, 60), "o": rng.normal(size=60)}
    y = rng.integers(0, 3, 60)
    model = hb.TreeClassifier(max_depth=2, min_samples_leaf=4).fit(X, y)
    for node in range(3):
        every = hb.candidates(model, X, y, node, tests="all")
        best = hb.candidates(model, X, y, node).best
        assert (every.best.test, every.best.score, every.best.stats) == (best.test, best.score, best.stats)
        assert every.chosen == every.best
        assert sorted(c.rank for c in every if c.rank) == list(
            range(1, 1 + sum(c.rank is not None for c in every))
        )
        assert all("min_samples_leaf=4" in c.reason for c in every if c.rank is None)


def test_where_the_branch_of_gaps_is_learned_a_test_is_listed_once_for_each():
    X, y = {"x": [1.0, 2.0, None, 4.0]}, ["n", "n", "y", "y"]
    found = every_test(X, y, missing="learn")
    assert [(c.test, c.missing_to) for c in found] == [
        ("x<=1.5", "<=1.5"), ("x<=1.5", ">1.5"), ("x<=3", "<=3"), ("x<=3", ">3"),
        ("x is not missing", "Missing"),
    ]  # fmt: skip
    assert found.best.missing_to == ">3"


def test_tests_is_best_or_all_and_some_models_compare_no_single_tests():
    X, y = {"x": [1, 2, 3, 4]}, [0, 0, 1, 1]
    with pytest.raises(ValueError, match="tests='some' must be 'best'"):
        hb.candidates(hb.TreeClassifier(), X, y, tests="some")
    with pytest.raises(ValueError, match="selection='chi-square' makes the test of each column itself"):
        hb.candidates(hb.chaid(), X, y, tests="all")
