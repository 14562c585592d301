"""The specification's cases on pruning, through the public API."""
# ruff: noqa: N802 (a test is called by the number of its case)

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd
import pytest
from tests.support.lectures import fitted

import hornbeam as hb
from hornbeam.parts import SRM, ChiSquare, Penalised, ReducedError
from hornbeam.pruning import PRUNING
from hornbeam.teaching.theory import srm_penalty

FEW = "ignore:.*expected counts below 5:UserWarning"  # the lectures' tables are small


def close(value: Any) -> Any:
    return pytest.approx(value, abs=1e-6)


def leaf(*counts: int) -> dict[str, Any]:
    return {"counts": list(counts)}


def split(column: str, *branches: Any) -> dict[str, Any]:
    return {"column": column, "branches": dict(enumerate(branches))}


def tree_of(nested: Any, columns: Any = None) -> hb.Tree:
    return hb.Tree.from_nested(nested, columns, classes=[0, 1])


PT = split(
    "x1",
    split("x2", leaf(20, 2), split("x3", leaf(3, 6), leaf(5, 4))),
    split("x4", leaf(2, 15), leaf(4, 3)),
)
PLACES = (
    {"x1": 0, "x2": 0},
    {"x1": 0, "x2": 1, "x3": 0},
    {"x1": 0, "x2": 1, "x3": 1},
    {"x1": 1, "x4": 0},
    {"x1": 1, "x4": 1},
)


def rows_of(counts: list[tuple[int, int]]) -> tuple[pd.DataFrame, list[int], list[int]]:
    """A row for each leaf of PT and each class, with its count; columns off the path are missing."""
    rows = [
        (place, label, n) for place, both in zip(PLACES, counts, strict=True) for label, n in enumerate(both)
    ]
    X = pd.DataFrame([place for place, _, _ in rows], columns=["x1", "x2", "x3", "x4"])
    return X.astype("category"), [label for _, label, _ in rows], [n for _, _, n in rows]


def bare(text: str) -> str:
    """A canonical text without counts."""
    return "".join(piece.split(")")[-1] for piece in text.split("("))


def xor(copies: int) -> Any:
    data = hb.datasets.load("xor2")
    model = hb.teaching.builddt(categorical_features=data.categorical or ["X1", "X2"])
    return model.fit(pd.DataFrame(data.X).astype(str), data.y, counts=[copies] * 4)


@pytest.mark.filterwarnings(FEW)
def test_the_node_X2_of_the_count_example_stays_at_one_level_and_goes_at_another() -> None:
    full = fitted("xcount", hb.teaching.builddt())
    record = hb.teaching.pruning_record(full, ChiSquare(alpha=0.05))
    decision = record.decisions[0]
    assert record.as_dicts()[0]["test"].startswith("X2")
    assert decision.numbers["statistic"] == close(6.0)
    assert decision.numbers["df"] == 1
    assert decision.numbers["p"] == close(0.014306)
    assert decision.numbers["least expected"] == close(1 / 6)
    assert decision.action == "keep"
    assert "below 5" in decision.note
    assert hb.teaching.pruning_record(full, ChiSquare(alpha=0.01)).decisions[0].action == "leaf"


@pytest.mark.filterwarnings(FEW)
def test_chi_square_pruning_of_exclusive_or() -> None:
    assert hb.prune(xor(1), "chi-square").tree_.text() == "0(2:2)"
    kept = "X1[0: X2[0: 0(10:0) | 1: 1(0:10)] | 1: X2[0: 1(0:10) | 1: 0(10:0)]]"
    assert hb.prune(xor(10), "chi-square").tree_.text() == kept


@pytest.mark.filterwarnings(FEW)
def test_chi_square_pruning_of_the_count_example() -> None:
    full = fitted("xcount", hb.teaching.builddt())
    assert hb.prune(full, ChiSquare(0.05)).tree_.text() == "X1[F: X2[F: T(0:1) | T: F(5:0)] | T: T(0:4)]"
    assert hb.prune(full, ChiSquare(0.01)).tree_.text() == "X1[F: F(5:1) | T: T(0:4)]"


def test_reduced_error_pruning() -> None:
    X, y, counts = rows_of([(8, 1), (4, 3), (2, 5), (1, 7), (2, 4)])
    record = hb.teaching.pruning_record(tree_of(PT, X), "reduced-error", X, y, counts=counts)
    assert record.tree.text() == "x1[0: x2[0: 0(20:2) | 1: 1(8:10)] | 1: 1(6:18)]"
    assert record.facts["errors before"] == 15
    assert record.facts["errors after"] == 10


def test_with_the_bundled_samples() -> None:
    grown, held = hb.datasets.load("pt_S1"), hb.datasets.load("pt_S2")
    X = pd.DataFrame(grown.X).astype("category")
    full = tree_of(PT, X).refit(X, _target(grown.y, grown.counts))
    small = hb.prune(full, "reduced-error", pd.DataFrame(held.X), held.y, counts=held.counts)
    assert small.text() == "x1[0: x2[0: 0(20:2) | 1: 1(8:10)] | 1: 1(6:18)]"


def _target(y: Any, counts: Any) -> Any:
    from hornbeam.data.target import Target

    return Target.classes_of(y, counts=counts)


def test_the_tie_rule() -> None:
    X, y, counts = rows_of([(8, 1), (3, 4), (3, 3), (1, 7), (2, 4)])
    tree = tree_of(PT, X)
    mansour = hb.prune(tree, ReducedError(ties="prune"), X, y, counts=counts)
    posik = hb.prune(tree, ReducedError(ties="keep"), X, y, counts=counts)
    assert mansour.text() == "x1[0: x2[0: 0(20:2) | 1: 1(8:10)] | 1: 1(6:18)]"
    assert posik.text() == "x1[0: x2[0: 0(20:2) | 1: x3[0: 1(3:6) | 1: 0(5:4)]] | 1: 1(6:18)]"
    assert hb.prune(tree, "validation", X, y, counts=counts) == posik


def test_the_penalty_of_structural_risk_minimisation() -> None:
    assert srm_penalty(100, 3, 1, 10, 0.05) == close(0.349372)
    assert srm_penalty(100, 3, 1, 10, 0.05, base=2) == close(0.419638)


def test_structural_risk_minimisation_from_below() -> None:
    tree = tree_of(
        split("x1", split("x2", leaf(900, 30), leaf(20, 250)), split("x3", leaf(380, 10), leaf(395, 15)))
    )
    record = hb.teaching.pruning_record(tree, SRM(delta=0.05, n_attributes=10))
    expected = [
        (1, 1, 3, 1200.0, 0.041667, 0.233333, 0.100855, "keep"),
        (2, 1, 3, 800.0, 0.03125, 0.03125, 0.123522, "leaf"),
        (0, 0, 5, 2000.0, 0.0375, 0.1525, 0.085172, "keep"),
    ]
    for decision, (node, *numbers, action) in zip(record.decisions, expected, strict=True):
        assert (decision.node, decision.action) == (node, action)
        assert list(decision.numbers.values()) == close(numbers)
    assert record.tree.text() == "x1[0: x2[0: 0(900:30) | 1: 1(20:250)] | 1: 0(775:25)]"


def cells(counts: dict[str, tuple[int, int]]) -> tuple[pd.DataFrame, list[int], list[int]]:
    """A row for each value of x1, x2 and each class."""
    rows = [(int(key[0]), int(key[1]), y, n) for key, both in counts.items() for y, n in enumerate(both)]
    X = pd.DataFrame([row[:2] for row in rows], columns=["x1", "x2"]).astype("category")
    return X, [row[2] for row in rows], [row[3] for row in rows]


def test_a_node_replaced_by_the_subtree_of_a_child() -> None:
    grown = cells({"00": (4, 0), "01": (3, 2), "10": (12, 2), "11": (3, 20)})
    X, y, counts = cells({"00": (3, 0), "01": (0, 5), "10": (10, 1), "11": (2, 12)})
    shape = split("x1", leaf(7, 2), split("x2", leaf(12, 2), leaf(3, 20)))
    tree = tree_of(shape, grown[0])
    training = (*grown[:2], None, grown[2])
    record = hb.teaching.pruning_record(
        tree, hb.parts.ReplaceByChild(), X, y, counts=counts, training=training
    )
    root = record.decisions[-1]
    assert (root.node, root.action, root.child) == (0, "raise", 2)
    assert root.numbers["errors kept"] == 8
    assert root.numbers["errors as a leaf"] == 15
    assert root.numbers["errors raised"] == 3
    assert record.tree.text() == "x2[0: 0(16:2) | 1: 1(6:22)]"


@pytest.mark.parametrize(
    ("strength", "cost", "text"),
    [
        (0.1, 30.051212, "x1[0: x2[0: 0 | 1: x3[0: 1 | 1: 0]] | 1: x4[0: 1 | 1: 0]]"),
        (1, 34.005239, "x1[0: x2[0: 0 | 1: 1] | 1: x4[0: 1 | 1: 0]]"),
        (3, 41.563346, "x1[0: x2[0: 0 | 1: 1] | 1: 1]"),
        (20, 64.236338, "0"),
    ],
)
def test_complexity_penalisation_of_classes(strength: float, cost: float, text: str) -> None:
    record = hb.teaching.pruning_record(tree_of(PT), Penalised(strength))
    assert record.facts["penalised cost"] == close(cost)
    assert bare(record.tree.text()) == text


def test_complexity_penalisation_of_a_real_target() -> None:
    hours = hb.datasets.load("hours")
    stump = hb.TreeRegressor("sd", split="multiway", max_depth=1).fit(hours.X, hours.y)
    assert stump.tree_.text().startswith("Outlook")
    record = hb.teaching.pruning_record(stump, Penalised(0))
    assert record.decisions[0].numbers["as a leaf"] == close(1216.357143)
    assert record.decisions[0].numbers["as a tree"] == close(942.35)
    border = (1216.357143 - 942.35) / 2
    assert border == close(137.003571)
    assert hb.prune(stump, Penalised(border - 1e-3)).tree_.n_leaves == 3
    assert hb.prune(stump, Penalised(border + 1e-3)).tree_.n_leaves == 1


def methods() -> list[Any]:
    return sorted(set(PRUNING) - {"m5"})  # which is for numbers


@pytest.mark.filterwarnings(FEW)
@pytest.mark.parametrize("method", methods())
def test_B7_the_tree_given_is_unchanged_and_each_examined_node_has_a_line(method: str) -> None:
    grown, held = hb.datasets.load("pt_S1"), hb.datasets.load("pt_S2")
    model = hb.teaching.builddt().fit(pd.DataFrame(grown.X).astype(str), grown.y, counts=grown.counts)
    before = model.tree_.to_dict()
    rows = (pd.DataFrame(held.X).astype(str), held.y, None, held.counts)
    training = (pd.DataFrame(grown.X).astype(str), grown.y, None, grown.counts)
    needs = {"training": training} if PRUNING[method].uses_training else {}
    small = hb.prune(model, method, *(training if method == "error-based" else rows), **needs)
    assert model.tree_.to_dict() == before
    assert model.pruning_ is None
    decided = [decision.node for decision in small.pruning_.decisions]
    assert len(set(decided)) == len(decided)
    assert set(decided) <= set((model.tree_.first_child >= 0).nonzero()[0].tolist())
    lines = str(small.pruning_).splitlines()
    assert sum(line.split()[0].isdigit() for line in lines if line.strip()) == len(decided)


def test_the_warning_about_small_expected_counts_is_given_once() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hb.prune(xor(1), "chi-square")
    assert [str(w.message).split(":")[0] for w in caught] == [
        "3 of the 3 tables tested have expected counts below 5, where p is only a rough guide"
    ]
    assert caught[0].filename == __file__
