"""Density trees: grown as the twin grows them, and no cut is better than the one chosen."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from tests.oracles import density as twin
from tests.support.density_tables import integral

import hornbeam as hb
from hornbeam.estimators.density import cuts


def as_frame(table):
    """The twin's table for the product; codes become words whose order is that of the codes."""
    columns = {}
    for j, (kind, values, side) in enumerate(zip(table.kinds, table.values, table.box, strict=True)):
        if kind == "numeric":
            columns[f"c{j}"] = np.array(values, dtype=float)
        else:
            words = [f"v{k}" for k in range(side)]
            columns[f"c{j}"] = pd.Categorical.from_codes(values, words, ordered=kind == "ordinal")
    return pd.DataFrame(columns)


def given_support(table):
    return {
        j: box
        for j, (kind, box) in enumerate(zip(table.kinds, table.box, strict=True))
        if kind == "numeric" and box == (-1.0, 6.0)
    }


def fitted(table, **more):
    model = hb.TreeDensity(
        support=given_support(table),
        max_depth=table.max_depth,
        min_samples_split=table.min_split,
        min_samples_leaf=table.min_leaf,
        **more,
    )
    weights = [float(w) for w in table.weights]
    return model.fit(as_frame(table), sample_weight=weights, counts=table.counts)


def same(tree, node, wanted):
    """Whether a node of the product is the twin's: tests, gains, rows and densities."""
    if len(wanted) == 2:
        assert tree.first_child[node] < 0
        assert tree.n_rows[node] == wanted[0]
        assert tree.answers()[node] == pytest.approx(float(wanted[1]), rel=1e-12)
        return
    column, (how, what), gain, *children = wanted
    assert tree.column[node] == column
    assert tree.gain[node] == pytest.approx(float(gain), rel=1e-9, abs=1e-15)
    if how == "in":
        codes, branches = tree.value_map(node)
        assert set(codes[branches == 0].tolist()) == what
    else:
        assert Fraction(float(tree.threshold[node])) == what
    for child, one in zip(tree.children(node), children, strict=True):
        same(tree, child, one)


@pytest.mark.parametrize("block", range(8))
def test_random_tables_grow_the_tree_of_the_twin(block):
    for seed in range(60 * block, 60 * block + 60):
        table = twin.random_rows(np.random.default_rng(seed))
        tree = fitted(table).tree_
        same(tree, 0, twin.grow(table))
        assert integral(tree) == pytest.approx(1)


def test_no_set_of_values_is_better_than_the_one_chosen():
    rng = np.random.default_rng(1)
    for _ in range(60):
        k, n = int(rng.integers(2, 7)), int(rng.integers(2, 15))
        codes = rng.integers(0, k, n).tolist()
        if len(set(codes)) < 2:
            continue
        table = twin.Rows(["nominal"], [codes], [k], [Fraction(1)] * n, [1] * n, max_depth=1)
        found = fitted(table).tree_
        assert 1 / k + found.gain[0] == pytest.approx(float(twin.best_of_all_sets(table, 0)))


def test_the_best_of_all_cuts_is_the_one_the_tree_has():
    for seed in range(150):
        table = twin.random_rows(np.random.default_rng(seed))
        table.max_depth, table.min_split, table.min_leaf = 1, 2, 1
        weights = [float(w) for w in table.weights]
        given = {"support": given_support(table), "sample_weight": weights, "counts": table.counts}
        found, tree = cuts(as_frame(table), **given), fitted(table).tree_
        assert bool(found) == (tree.n_leaves == 2)
        if found:
            best = max(cut.gain for cut in found)
            chosen = next(cut for cut in found if cut.gain >= best - 1e-12 * (1 + best))
            assert tree.gain[0] == pytest.approx(best, abs=1e-15)
            assert chosen.score - chosen.gain == pytest.approx(tree.answers()[0])
            if tree.kind_of(0) == "threshold":
                assert (chosen.column, chosen.threshold) == (f"c{tree.column[0]}", tree.threshold[0])
                assert chosen.n_rows == tuple(tree.n_rows[1:])
                assert chosen.density == pytest.approx(tuple(tree.answers()[1:]))
