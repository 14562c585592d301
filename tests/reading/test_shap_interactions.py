"""Shapley interactions beside their definition, and beside the package shap where it is installed."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from tests.oracles.shap import Row
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.parts import Oblique


def by_definition(game, n):
    """Half the Shapley interaction index of every two players, from all sets of the others."""
    value = {s: np.asarray(game(set(s))) for k in range(n + 1) for s in combinations(range(n), k)}
    found = np.zeros((n, n, len(value[()])))
    for i, j in combinations(range(n), 2):
        others = [k for k in range(n) if k not in (i, j)]
        for size in range(n - 1):
            share = factorial(size) * factorial(n - size - 2) / factorial(n - 1)
            for some in combinations(others, size):
                sets = [tuple(sorted({*some, *more})) for more in ((i, j), (i,), (j,), ())]
                both, first, second, none = (value[one] for one in sets)
                found[i, j] += share * (both - first - second + none) / 2
        found[j, i] = found[i, j]
    return found


@pytest.mark.parametrize(
    ("model", "k"),
    [
        (hb.TreeClassifier(max_depth=4), 3),
        (hb.TreeClassifier(missing="surrogates", max_depth=3), 2),
        (hb.TreeClassifier(split=Oblique(restarts=1), max_depth=2), 2),
        (hb.TreeRegressor(missing="all-paths", max_depth=3), 0),
        (hb.TreeRegressor(leaf="linear", max_depth=1), 0),
    ],
    ids=repr,
)
def test_interactions_are_those_of_the_definition(model, k):
    rng = np.random.default_rng(3)
    X = random_columns(rng, 120)
    tree = model.fit(X, outcome(rng, X, k)).tree_
    new = strange_rows(rng, 6)
    shap = hb.shap_values(model, new, interactions=True)
    table = Table.match(new, tree.columns)
    n = len(tree.columns)
    place = [list(model.classes_).index(label) for label in tree.classes] if k else [0]
    got = shap.interactions if k else shap.interactions[..., None]
    values = shap.values if k else shap.values[..., None]
    for i in range(table.n_rows):
        wanted = by_definition(Row(tree, table.arrays, i).answer, n)
        off = ~np.eye(n, dtype=bool)
        np.testing.assert_allclose(got[i][off], wanted[off], atol=1e-10)
    assert len(place) == got.shape[-1]
    np.testing.assert_allclose(got.sum(axis=2), values, atol=1e-10)
    np.testing.assert_allclose(got, got.transpose(0, 2, 1, 3), atol=1e-12)


def test_a_forest_has_the_mean_of_its_trees():
    X, y = load_iris(return_X_y=True)
    forest = hb.ForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    each = [hb.shap_values(tree, X[::30], interactions=True).interactions for tree in forest.trees_]
    together = hb.shap_values(forest, X[::30], interactions=True)
    np.testing.assert_allclose(together.interactions, np.mean(each, axis=0), atol=1e-12)
    assert hb.shap_values(forest, X[::30]).interactions is None
    with pytest.raises(ValueError, match="leave background out, or interactions"):
        hb.shap_values(forest, X[:3], background=X[:5], interactions=True)


def test_the_package_shap_says_the_same():
    shap = pytest.importorskip("shap", reason="the package shap is not installed")
    X, y = load_diabetes(return_X_y=True)
    model = hb.TreeRegressor(max_depth=5).fit(X, y)
    wanted = shap.TreeExplainer(hb.to_sklearn(model)).shap_interaction_values(X[:30])
    got = hb.shap_values(model, X[:30], interactions=True).interactions
    np.testing.assert_allclose(got, wanted, atol=1e-9)
