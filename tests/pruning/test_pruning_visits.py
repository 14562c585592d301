"""Rows in pruning: where they go, and how often rows and nodes are visited."""

import numpy as np
import pytest
from tests.support.pruning_tables import table_of

import hornbeam as hb
from hornbeam.pruning import PRUNING
from hornbeam.pruning.levels import levels_up
from hornbeam.tree import apply

# ---- where rows go -------------------------------------------------------------------------------------


MISSING = ["learn", "branch", "all-paths", "fractional", "majority", "surrogates"]


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("method", sorted(set(PRUNING) - {"m5"}))  # which is for numbers
@pytest.mark.filterwarnings("ignore:.*expected counts below 5:UserWarning")
def test_every_method_takes_tables_with_gaps_of_every_kind(method, missing):
    X, y = table_of(200, gaps=True)
    for split in ("binary", "one-vs-rest" if missing == "surrogates" else "multiway"):
        model = hb.TreeClassifier(split=split, missing=missing, pruning=method).fit(X, y)
        assert model.tree_.policy["missing"] == missing
        assert model.tree_.weight[0] <= 200
        assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(200))
        examined = {decision.node for decision in model.pruning_.decisions}
        assert len(examined) <= model.pruning_.before.n_tests


# ---- what is visited -----------------------------------------------------------------------------------


def test_every_node_is_summed_once_and_every_row_goes_down_once(monkeypatch):
    X, y = np.random.default_rng(0).normal(size=(2000, 4)), np.random.default_rng(1).integers(0, 2, 2000)
    model = hb.TreeClassifier().fit(X[:1000], y[:1000])
    tree = model.tree_
    assert sum(len(level.kids) for level in levels_up(tree)) == len(tree) - 1
    assert sum(len(level.tests) for level in levels_up(tree)) == tree.n_tests
    routed = []
    whole = apply.dense_leaves
    monkeypatch.setattr(
        apply,
        "dense_leaves",
        lambda tree, table, *more: routed.append(len(table)) or whole(tree, table, *more),
    )
    hb.prune(model, "reduced-error", X[1000:], y[1000:])
    assert routed == [1000]
    for method in ("penalised", "srm"):
        hb.prune(model, method)
    assert routed == [1000]


def chain(n):
    """A tree of n tests, each with a leaf beside the next test."""
    kind = np.array([1, 0] * n + [0], dtype=np.int8)[: 2 * n + 1]
    kind[:] = 0
    inner = np.concatenate(([0], np.arange(1, 2 * n - 1, 2)))
    kind[inner] = 1
    first = np.full(2 * n + 1, -1)
    first[inner] = np.arange(1, 2 * n, 2)
    columns = [hb.Tree.from_nested({"column": "x", "<=": 1.0, "yes": "a", "no": "b"}).columns[0]]
    stats = np.zeros((2 * n + 1, 2))
    stats[kind == 0] = [2, 1]
    for node in inner[::-1]:
        stats[node] = stats[first[node]] + stats[first[node] + 1]
    return hb.Tree(
        columns=columns, classes=["a", "b"], kind=kind, first_child=first, n_children=2 * (kind > 0),
        column=np.where(kind > 0, 0, -1), threshold=np.where(kind > 0, np.arange(2 * n + 1.0), np.nan),
        stats=stats, label=np.zeros(2 * n + 1, dtype=int), n_rows=stats.sum(axis=1).astype(int),
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*expected counts below 5:UserWarning")
def test_a_tree_as_deep_as_it_is_large_is_pruned():
    tree = chain(3000)
    assert tree.depth == 3000
    expected = [0]
    for parent in tree.parent[1:].tolist():
        expected.append(expected[parent] + 1)
    assert tree.depths.tolist() == expected
    for method in ("penalised", "srm", "chi-square"):
        assert hb.prune(tree, method).n_leaves == 1
    assert hb.teaching.simplify(tree).text() == "a(6002:3001)"
