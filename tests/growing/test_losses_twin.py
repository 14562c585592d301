"""Poisson, absolute error and quantiles: the product grows the twin's tree, which knows only the definitions.

Every table is grown in the three ways of `tests.oracles.ways`. A failure names its seed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.oracles.losses import Twin, difference
from tests.oracles.random_cuts import DrawnTests, with_draws
from tests.oracles.tables import random_table
from tests.oracles.ways import WAYS, grown

from hornbeam.parts import Absolute, Criterion, Poisson, Quantile
from hornbeam.tree.answers import learn_quantiles

CRITERIA: dict[str, tuple[Criterion, Fraction | None, int]] = {
    "absolute": (Absolute(), Fraction(1, 2), 2),
    "median": (Quantile(), Fraction(1, 2), 1),
    "quantile": (Quantile(0.75), Fraction(3, 4), 1),
    "poisson": (Poisson(), None, 1),
}


def table_of(seed: int, name: str, missing: str) -> dict[str, Any]:
    """A random table of numbers that fractions and the core's grids both hold exactly."""
    rng = np.random.default_rng(seed)
    table = random_table(rng, criterion="variance", n_rows=int(rng.integers(2, 15)))
    n = len(table["target"]["values"])
    high = int(rng.choice([2, 4, 100]))
    y = rng.integers(0, high, n) / 4.0
    if name == "poisson" and not y.any():
        y[0] = 1.0
    table["target"]["values"] = y - (0 if name == "poisson" else 3)
    table["weights"] = rng.choice([0.5, 1.0, 2.0, 0.75], n) if rng.random() < 0.4 else None
    table["counts"] = rng.integers(1, 4, n) if rng.random() < 0.3 else None
    plan = {"criterion": CRITERIA[name][0], "missing": missing}
    for limit, value in (
        ("max_depth", 2),
        ("min_samples_leaf", 2),
        ("max_leaf_nodes", 4),
        ("max_nodes", 6),
        ("min_gain", 0.0),
        ("min_impurity_decrease", 0.0625),
        ("min_weight_fraction_leaf", 0.125),
    ):
        if rng.random() < 0.15:
            plan[limit] = value
    table["plan"] = plan
    return table


class DrawnTwin(DrawnTests, Twin):
    """The twin whose tests are drawn."""


def faults(seed: int, table: dict[str, Any], name: str, kind: type[Twin] = Twin) -> list[str]:
    twin = kind(table, *CRITERIA[name][1:])
    root = twin.run()
    found = []
    for way, numbers in WAYS.items():
        tree = grown(table, n_jobs=2 if way == "mixed" else 1, **numbers)
        answers = tree.answers()
        if twin.level is not None:
            answers = answers_of(table, tree, twin)
        if fault := difference(root, tree, twin, answers):
            found.append(f"seed {seed}, {way}: {fault}")
    return found


def answers_of(table: dict[str, Any], tree: Any, twin: Twin) -> np.ndarray:
    """The quantiles of the nodes, as an estimator settles them."""
    from hornbeam.data.table import Table
    from hornbeam.data.target import Target
    from hornbeam.tree.apply import training_entries

    arrays = tuple(
        np.asarray(c["values"]) if c["kind"] == "numeric" else np.asarray(c["values"], dtype=np.int32)
        for c in table["columns"]
    )
    values = np.asarray(table["target"]["values"])
    target = Target("real", None, values, (), table["weights"], table["counts"])
    row, leaf, weight = training_entries(tree, Table(list(tree.columns), len(values), arrays), target)
    assert twin.level is not None
    pool, _ = learn_quantiles(tree, leaf, values[row], weight, [float(twin.level)])
    return np.asarray(pool["quantile_value"])


@pytest.mark.parametrize("missing", ["learn", "branch", "majority"])
@pytest.mark.parametrize("name", CRITERIA)
def test_the_tree_is_the_twins(name: str, missing: str) -> None:
    found = [fault for seed in range(12) for fault in faults(seed, table_of(seed, name, missing), name)]
    assert not found, f"{len(found)} differences; the first: {found[0]}"


@pytest.mark.parametrize("missing", ["learn", "branch", "majority"])
@pytest.mark.parametrize("name", [name for name in CRITERIA if name != "poisson"])
def test_a_tree_of_drawn_tests_is_the_twins(name: str, missing: str) -> None:
    found = []
    for seed in range(12):
        table = with_draws(
            np.random.default_rng(seed), table_of(2000 + seed, name, missing), all_columns=True
        )
        DrawnTwin.seed = table["draws"]["seed"]
        found += faults(seed, table, name, DrawnTwin)
    assert not found, f"{len(found)} differences; the first: {found[0]}"


@pytest.mark.parametrize("name", CRITERIA)
def test_with_monotonic_constraints_the_tree_is_the_twins(name: str) -> None:
    found = []
    for seed in range(12):
        table = table_of(1000 + seed, name, "learn")
        ordered = [j for j, column in enumerate(table["columns"]) if column["split"] == "threshold"]
        if ordered:
            signs = np.random.default_rng(seed).choice([-1, 1], len(ordered))
            table["plan"]["monotonic"] = {
                j: [(("mean",), int(sign))] for j, sign in zip(ordered, signs, strict=True)
            }
            found += faults(seed, table, name)
    assert not found, f"{len(found)} differences; the first: {found[0]}"
