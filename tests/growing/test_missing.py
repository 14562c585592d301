"""The choices about missing values, on tables small enough to follow by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.every_test import every_test
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.growing.missing import MISSING
from hornbeam.parts import AllPaths, Fractional, Majority
from hornbeam.tree.tree import Tree

COLOURS = {"colour": ["red", "red", "red", "blue", None, None]}
LABELS = list("aaabbb")


def fitted(missing: Any, X: Any = COLOURS, y: Any = LABELS, **params: Any) -> Any:
    return hb.TreeClassifier("entropy", split="multiway", missing=missing, **params).fit(X, y)


# ---- one table, every policy -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("missing", "text", "gap"),
    [
        ("learn", "colour[blue: b(0:3) | red: a(3:0)]", 0.0),
        ("branch", "colour[blue: b(0:1) | red: a(3:0) | Missing: b(0:2)]", 0.0),
        ("all-paths", "colour[blue: b(0:1) | red: a(3:0) | Missing: b(0:2)]", 3 / 6),
        ("fractional", "colour[blue: b(0:1.5) | red: a(3:1.5)]", 3 / 6),
        ("majority", "colour[blue: b(0:1) | red: a(3:2)]", 3 / 5),
    ],
)
def test_where_gaps_go_in_training_and_what_they_answer(missing: str, text: str, gap: float) -> None:
    model = fitted(missing)
    assert model.tree_.text() == text
    assert model.predict_proba({"colour": [None]})[0, 0] == pytest.approx(gap)
    assert model.tree_.policy["missing"] == missing


@pytest.mark.parametrize(
    ("missing", "share"),
    [("learn", 0.5), ("branch", 0.0), ("all-paths", 0.5), ("fractional", 0.5), ("majority", 3 / 5)],
)
def test_a_category_never_seen_is_a_gap_that_nothing_was_learned_about(missing: str, share: float) -> None:
    assert fitted(missing).predict_proba({"colour": ["green"]})[0, 0] == pytest.approx(share)


@pytest.mark.parametrize(
    ("missing", "share"),
    [("learn", 0.6), ("branch", 0.6), ("all-paths", 0.6), ("fractional", 0.6), ("majority", 1.0)],
)
def test_a_gap_at_a_test_that_saw_none(missing: str, share: float) -> None:
    model = fitted(missing, {"colour": ["red", "red", "red", "blue", "blue"]}, list("aaabb"))
    assert model.predict_proba({"colour": [None]})[0, 0] == pytest.approx(share)


@pytest.mark.parametrize("missing", [name for name in MISSING if name != "surrogates"])
def test_every_policy_is_saved_and_answers_every_row(missing: str) -> None:
    rng = np.random.default_rng(3)
    X = random_columns(rng, 120)
    model = hb.TreeClassifier(missing=missing).fit(X, outcome(rng, X, 3))
    again = Tree.from_dict(model.tree_.to_dict())
    rows = strange_rows(rng, 80)
    np.testing.assert_allclose(again.predict_proba(rows), model.predict_proba(rows))
    np.testing.assert_allclose(model.predict_proba(rows).sum(axis=1), 1)


# ---- fractional --------------------------------------------------------------------------------------------


def test_a_test_gains_on_its_known_rows_times_their_share() -> None:
    """Four rows are known, 3:1 before and pure after: 4/6 of H(3/4)."""
    model = fitted("fractional")
    assert model.tree_.gain[0] == pytest.approx(4 / 6 * 0.8112781245)
    (found,) = every_test(COLOURS, LABELS, split="multiway", missing="fractional")
    assert (found.before, found.after) == pytest.approx((0.8112781245, 0.0))
    assert found.split_information == pytest.approx(-sum(p * np.log2(p) for p in (1 / 6, 3 / 6, 2 / 6)))
    assert found.stats == ((0.0, 1.0), (3.0, 0.0))


def test_a_full_column_beats_one_that_is_better_where_it_is_known() -> None:
    X = {"rare": [1, 2, None, None, None, None, None, None], "full": [1, 1, 1, 2, 2, 2, 2, 1]}
    y = [0, 1, 0, 1, 1, 1, 1, 0]
    assert fitted("fractional", X, y, max_depth=1).tree_.column[0] == 1
    assert fitted("majority", X, y, max_depth=1).tree_.column[0] == 1


def test_fractions_multiply_on_the_way_down() -> None:
    """Half of the gap in a goes left, a quarter of that half goes left again."""
    X = {"a": [1, 1, 1, 1, 2, 2, 2, 2, None], "b": [1, 2, 2, 2, 1, 1, 1, 1, None]}
    tree = fitted("fractional", X, [0, 1, 1, 1, 2, 2, 2, 2, 2]).tree_
    assert tree.text() == ("a[<=1.5: b[<=1.5: 0(1:0:0.125) | >1.5: 1(0:3:0.375)] | >1.5: 2(0:0:4.5)]")
    assert tree.n_rows.tolist() == [9, 5, 5, 2, 4], "a row counts in every branch it stands in"


def test_fractions_of_every_row_add_up() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = random_columns(rng, 100, gaps=0.2)
        y = outcome(rng, X, 3)
        weight = rng.random(100)
        tree = fitted("fractional", X, y).tree_
        leaves = tree.leaves()
        np.testing.assert_allclose(tree.stats[leaves].sum(axis=0), tree.stats[0])
        weighted = hb.TreeClassifier(missing="fractional").fit(X, y, sample_weight=weight).tree_
        assert weighted.weight[weighted.leaves()].sum() == pytest.approx(weight.sum())


def test_refitting_a_fractional_tree_on_its_rows_changes_nothing() -> None:
    rng = np.random.default_rng(11)
    X = random_columns(rng, 120, gaps=0.2)
    y = outcome(rng, X, 2)
    tree = fitted("fractional", X, y).tree_
    np.testing.assert_allclose(tree.refit(X, y).stats, tree.stats, atol=1e-9)


def test_a_regression_shares_gaps_too() -> None:
    X = {"a": [1.0, 1.0, 2.0, None]}
    tree = hb.TreeRegressor(missing="fractional", max_depth=1).fit(X, [0.0, 0.0, 6.0, 3.0]).tree_
    weights, means = tree.weight.tolist(), tree.answers().tolist()
    assert weights == pytest.approx([4, 2 + 2 / 3, 1 + 1 / 3])
    assert means == pytest.approx([9 / 4, 2 / (2 + 2 / 3), 7 / (1 + 1 / 3)])


def test_counts_are_repeated_rows() -> None:
    X = {"a": [1, 2, None], "b": ["u", None, "v"]}
    counts = [3, 2, 2]
    long = {
        name: [v for v, n in zip(values, counts, strict=True) for _ in range(n)] for name, values in X.items()
    }
    y = [0, 1, 1]
    one = hb.TreeClassifier(missing="fractional").fit(X, y, counts=counts).tree_
    other = hb.TreeClassifier(missing="fractional").fit(long, np.repeat(y, counts)).tree_
    assert one.text() == other.text()


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("estimator", [hb.TreeClassifier, hb.TreeRegressor])
def test_counts_are_repeated_rows_of_many_tables(estimator: Any, missing: str) -> None:
    """What rows count as, surrogates and parts of rows too, is the same; only last digits of sums differ."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 60))
        X = {name: rng.normal(size=n).round(int(rng.integers(0, 3))) for name in "abc"}
        X["d"] = X["a"] + rng.normal(size=n) / 2
        for column in X.values():
            column[rng.random(n) < 0.2] = np.nan
        words = rng.choice(list("uvwx"), n).astype(object)
        target = np.nan_to_num(X["a"]) + (words == "u") + rng.normal(size=n) / 2
        y = target.round(2) if estimator is hb.TreeRegressor else np.where(target > 0.3, "p", "q")
        words[rng.random(n) < 0.2] = None
        counts = rng.integers(1, 4, n)
        again = np.repeat(np.arange(n), counts)
        weights = rng.choice([0.5, 1.0, 3.7], n) if seed % 3 == 0 else np.ones(n)
        model = estimator(missing=missing, min_samples_leaf=1 + seed % 3)
        one = model.fit({**X, "e": words}, y, weights, counts=counts).tree_
        long = {**{name: column[again] for name, column in X.items()}, "e": words[again]}
        other = model.fit(long, y[again], weights[again]).tree_
        for name in ("kind", "column", "first_child", "n_rows", "missing", "surrogate_column", "map_code"):
            assert getattr(one, name).tolist() == getattr(other, name).tolist(), (seed, name)
        for name in ("threshold", "stats", "surrogate_threshold", "surrogate_agreement", "gain"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-11, atol=1e-11)


# ---- majority ----------------------------------------------------------------------------------------------


def test_of_equally_heavy_branches_gaps_take_the_first() -> None:
    tree = fitted("majority", {"c": ["u", "v", None]}, list("pqq")).tree_
    assert tree.text() == "c[u: p(1:1) | v: q(0:1)]"


def test_the_heaviest_branch_is_a_matter_of_weight_not_of_rows() -> None:
    X, y = {"c": ["u", "u", "v", None]}, list("ppqq")
    weight = [1, 1, 5, 1]
    tree = hb.TreeClassifier(missing="majority").fit(X, y, sample_weight=weight).tree_
    assert tree.text() == "c[{u}: p(2:0) | {v}: q(0:6)]"


def test_every_test_knows_where_a_gap_goes() -> None:
    rng = np.random.default_rng(2)
    X = random_columns(rng, 100, gaps=0.0)
    model = hb.TreeClassifier(missing="majority").fit(X, outcome(rng, X, 2))
    assert (model.tree_.missing[model.tree_.kind > 0] >= 0).all()
    rows = strange_rows(rng, 50)
    assert model.apply_weights(rows).nnz == 50, "a row followed two paths"


# ---- parts -------------------------------------------------------------------------------------------------


def test_parts_and_names_are_the_same() -> None:
    for part in (Fractional(), Majority(), AllPaths()):
        assert fitted(part).tree_ == fitted(part.name).tree_


@pytest.mark.parametrize("criterion", ["variance", "poisson"])
@pytest.mark.parametrize("seed", range(6))
def test_repetitions_of_divided_rows_count_as_their_copies_do(seed, criterion):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(30, 3)).round(1)
    y = np.exp(x[:, 0] + rng.normal(size=30)).round(2)
    x[rng.random(x.shape) < 0.2] = np.nan
    counts = rng.integers(1, 4, 30)
    counts[0] = 3 * 2**20 + 5 if seed == 0 else counts[0]
    copies = np.repeat(np.arange(30), np.minimum(counts, 9))
    model = hb.TreeRegressor(criterion, missing="fractional")
    counted = model.fit(x, y, counts=np.minimum(counts, 9)).tree_
    assert counted == hb.TreeRegressor(criterion, missing="fractional").fit(x[copies], y[copies]).tree_
    assert np.isfinite(model.fit(x, y, counts=counts).predict(x)).all()
