"""Weights that lie far apart: every split is the twin's, whose arithmetic is exact, and so is every answer.

With SLOW=1 more than 20,000 tables, each grown in the three ways of `tests.oracles.ways`.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.oracles import twin
from tests.oracles.impurity import CLASS_CRITERIA, REAL_CRITERIA
from tests.oracles.ways import arrays_differ, differences, grown
from tests.oracles.wide_weights import WEIGHTS, wide_table

import hornbeam as hb

CRITERIA = CLASS_CRITERIA + REAL_CRITERIA


def made(name: str, criterion: str, seed: int, n_rows: int | None = None) -> dict[str, Any]:
    return wide_table(np.random.default_rng([seed, len(name)]), criterion, name, n_rows)


def check(name: str, criterion: str, seeds: range) -> None:
    """No difference, but where another score is closer to the margin of ties than rounding can tell."""
    for seed in seeds:
        table = made(name, criterion, seed)
        root = twin.grow(table)
        assert list(differences(root, table)) == [] or twin.is_doubtful(root), seed


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_split_is_the_twins(criterion: str, name: str) -> None:
    check(name, criterion, range(1))


@pytest.mark.slow
@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_split_of_twenty_thousand_tables_is_the_twins(criterion: str, name: str) -> None:
    check(name, criterion, range(1, 325))


def shuffled(table: dict[str, Any], order: np.ndarray) -> dict[str, Any]:
    """The table with its rows in another order."""
    target = table["target"]
    outcome = "values" if target["kind"] == "real" else "codes"
    return {
        "columns": [{**c, "values": c["values"][order]} for c in table["columns"]],
        "target": {**target, outcome: target[outcome][order]},
        "weights": table["weights"][order],
        "counts": None if table["counts"] is None else table["counts"][order],
        "plan": table["plan"],
    }


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "variance"])
def test_neither_the_order_of_rows_nor_threads_matter(criterion: str, name: str) -> None:
    for seed in range(5):
        table = made(name, criterion, seed, n_rows=40)
        tree = grown(table)
        order = np.random.default_rng(seed).permutation(40)
        other = grown(shuffled(table, order), n_jobs=2, block_rows=6, shared_rows=10, serial_cells=0)
        assert arrays_differ(tree, other) is None, seed


@pytest.mark.parametrize("name", WEIGHTS)
def test_shares_of_classes_are_those_of_the_rows_of_the_leaf(name: str) -> None:
    rng = np.random.default_rng(len(name))
    for _ in range(10):
        X = rng.integers(0, 4, (30, 2)).astype(float)
        y, weights = rng.integers(0, 3, 30), WEIGHTS[name](rng, 30)
        model = hb.TreeClassifier(max_depth=2).fit(X, y, sample_weight=weights)
        leaf, shares = model.apply(X), model.predict_proba(X)
        for i in range(30):
            own = [
                sum((Fraction(weights[j]) for j in np.flatnonzero((leaf == leaf[i]) & (y == k))), Fraction(0))
                for k in range(3)
            ]
            for k in range(3):
                exact = own[k] / sum(own)
                allowed = 2 * Fraction(math.ulp(float(exact)))
                assert abs(Fraction(float(shares[i, k])) - exact) <= allowed


def test_rates_are_parted_where_the_deviance_falls_most() -> None:
    """To 80 digits, ties within 1e-12 to the first cut."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        x, y = np.arange(24.0), rng.poisson(1.5, 24) + 0.5
        weights = 10.0 ** rng.uniform(-12, 12, 24)
        model = hb.TreeRegressor(criterion="poisson", max_depth=1).fit(x[:, None], y, sample_weight=weights)
        with localcontext(Context(prec=80)):
            rows = [(Decimal(w), Decimal(v)) for w, v in zip(weights.tolist(), y.tolist(), strict=True)]
            whole = half_deviance(rows)
            gains = [whole - half_deviance(rows[:cut]) - half_deviance(rows[cut:]) for cut in range(1, 24)]
            least = max(gains) - Decimal("1e-12") * whole
        assert math.floor(model.tree_.threshold[0]) == next(i for i, g in enumerate(gains) if g >= least)


@pytest.mark.parametrize(("size", "weighted"), [(1e4, False), (1e12, False), (1e4, True), (1e10, True)])
def test_large_counts_that_differ_little_are_parted_exactly(size: float, weighted: bool) -> None:
    rng = np.random.default_rng(4)
    y = size + rng.integers(0, 9, 30)
    weights = rng.uniform(0.5, 2, 30) if weighted else np.ones(30)
    model = hb.TreeRegressor(criterion="poisson", max_depth=1)
    tree = model.fit(np.arange(30.0)[:, None], y, sample_weight=weights).tree_
    with localcontext(Context(prec=80)):
        rows = [(Decimal(w), Decimal(v)) for w, v in zip(weights.tolist(), y.tolist(), strict=True)]
        gains = [
            half_deviance(rows) - half_deviance(rows[:c]) - half_deviance(rows[c:]) for c in range(1, 30)
        ]
        assert math.floor(tree.threshold[0]) == gains.index(max(gains))
        exact = float(max(gains) / sum(w for w, _ in rows))
    assert tree.gain[0] == pytest.approx(exact, rel=1e-12, abs=0)


def half_deviance(rows: list[tuple[Decimal, Decimal]]) -> Decimal:
    """Of rates (weight, y), times the weight."""
    weight = sum((w for w, _ in rows), Decimal(0))
    events = sum((w * y for w, y in rows), Decimal(0))
    return sum((w * y * y.ln() for w, y in rows), Decimal(0)) - events * (events / weight).ln()


@pytest.mark.parametrize("block_rows", [1, 4096])
def test_gaps_that_outweigh_the_known_rows_go_to_the_heaviest_branch(block_rows: int) -> None:
    """The known rows are judged by their own weights, however light they are beside the gap."""
    values = np.array([0.0, 0.0, 1.0, 1.0, np.nan])
    table = {
        "columns": [{"kind": "numeric", "split": "threshold", "values": values, "n_values": 0}],
        "target": {"kind": "classes", "codes": np.array([0, 0, 1, 1, 0], dtype=np.int32), "n_classes": 2},
        "weights": np.array([1e-9, 1e-9, 1e-9, 3e-9, 1e15]),
        "counts": None,
        "plan": {"missing": "majority", "max_depth": 1},
    }
    tree = grown(table, block_rows=block_rows)
    assert tree.missing[0] == 1


@pytest.mark.parametrize("missing", ["majority", "surrogates"])
def test_surrogates_agree_by_the_weights_of_their_own_node(missing: str) -> None:
    """Below a test that sets one heavy row apart, light rows count as if it were not there."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (40, 3)).astype(float)
    y, weights = ((X[:, 0] > 0) ^ (rng.random(40) < 0.1)).astype(int), rng.integers(1, 9, 40) / 10
    light = hb.TreeClassifier(missing=missing).fit(X, y, sample_weight=weights)
    far = np.vstack([X, [[9.0, 9.0, 9.0]]])
    both = hb.TreeClassifier(missing=missing).fit(
        far, np.append(y, 2), sample_weight=np.append(weights, 1e30)
    )
    at = int(both.tree_.first_child[0])
    assert both.tree_.column[at] == light.tree_.column[0]
    for name in ("surrogate_column", "surrogate_agreement"):
        own, other = getattr(light.tree_, name), getattr(both.tree_, name)
        first, offset = both.tree_.surrogate_offset[at], light.tree_.surrogate_offset[1]
        assert other[first : first + offset] == pytest.approx(own[:offset])


def test_large_nodes_are_judged_by_exact_sums_too() -> None:
    """The best cut among light rows of a node that one heavy row outweighs by far."""
    rng = np.random.default_rng(1)
    x = rng.permutation(6000).astype(float)
    weights = rng.uniform(0.5, 1.5, 6000)
    weights[0] = 1e30
    classes = (x > 2000).astype(int)
    classes[0] = int(x[0] > 2000)
    model = hb.TreeClassifier().fit(x[:, None], classes, sample_weight=weights)
    assert (model.predict(x[:, None]) == classes).all()
    assert len(model.tree_) == 3
    numbers = hb.TreeRegressor(max_depth=2).fit(
        x[:, None], np.where(x > 2000, 1.0, 0.0), sample_weight=weights
    )
    assert len(numbers.tree_) == 3


def test_weights_that_a_grid_holds_exactly_are_not_lost_in_scores():
    X = [[4, 1], [2, 0], [3, 1], [1, 0], [3, 0]]
    weights = 2.0 ** np.array([-10, 8, -24, 5, 22])
    tree = hb.TreeClassifier("gini").fit(X, [1, 1, 0, 1, 1], sample_weight=weights).tree_
    assert tree.column[0] == 1  # the other column gains 1e-15 of it


def test_squares_beyond_the_range_of_doubles_are_split_by_gains_far_below_the_margin_of_ties():
    weights, y = [1e250, 1e240, 1e200, 1e-200], [7e293, 1e-291, 0.0, 1e200]
    tree = hb.TreeRegressor().fit([[1], [1], [2], [3]], y, sample_weight=weights).tree_
    assert tree.n_leaves == 3


def test_the_error_criterion_keeps_the_digits_of_the_least_gain():
    """One light row of 0.3 is all that a cut gains: a double of 3e11 + 0.7 keeps four digits of it."""
    weights = [1e12, 0.4, 3e11, 0.3]
    split = {"criterion": "error", "max_depth": 1}
    tree = hb.TreeClassifier(**split).fit([[0], [0], [0], [1]], [0, 1, 2, 1], sample_weight=weights).tree_
    exact = Fraction(0.3) / sum(map(Fraction, weights))
    assert tree.gain[0] == pytest.approx(float(exact), rel=1e-15, abs=0)


@pytest.mark.parametrize("missing", ["learn", "branch", "fractional", "majority", "surrogates"])
@pytest.mark.parametrize("criterion", ["gini", "error", "variance", "sd"])
def test_repetitions_of_weighted_rows_are_their_copies_bit_for_bit(criterion: str, missing: str) -> None:
    """No product of weight and repetitions is rounded: three rows of weight 0.1 weigh 3 times 0.1."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        n = 30
        X = {"a": rng.integers(0, 6, n).astype(float), "b": rng.normal(size=n).round(1)}
        for values in X.values():
            values[rng.random(n) < 0.2] = np.nan
        y = rng.integers(0, 3, n) if criterion in ("gini", "error") else rng.normal(size=n).round(2)
        weights = [rng.integers(1, 5, n) / 10, 10.0 ** rng.uniform(-6, 6, n), np.full(n, 0.1)][seed % 3]
        counts = rng.integers(1, 4, n)
        copies = np.repeat(np.arange(n), counts)
        make = hb.TreeClassifier if criterion in ("gini", "error") else hb.TreeRegressor
        model = make(criterion=criterion, missing=missing)
        counted = model.fit(X, y, sample_weight=weights, counts=counts).tree_
        rows = {name: values[copies] for name, values in X.items()}
        copied = model.fit(rows, y[copies], sample_weight=weights[copies]).tree_
        assert arrays_differ(counted, copied) is None, seed
