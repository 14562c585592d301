"""Reading size: what a person reads to apply a tree."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.written_trees import every_kind

import hornbeam as hb
from hornbeam.data.columns import Column
from hornbeam.parts import Linear
from hornbeam.pruning.nested_subtrees import path_of
from hornbeam.tree.sizes import compared_terms, reading_sizes_at
from hornbeam.tree.tree import Tree


def two_sets(n_first: int, n_second: int) -> Tree:
    values = tuple(f"v{i:02}" for i in range(n_first + n_second))
    nested = {"column": "c", "branches": {values[:n_first]: "a", values[n_first:]: "b"}}
    return Tree.from_nested(nested, [Column("c", "nominal", values)])


@pytest.mark.parametrize(
    ("first", "second", "terms"), [(1, 20, 1), (3, 9, 1), (5, 9, 1), (6, 9, 2), (20, 9, 3), (12, 12, 4)]
)
def test_a_set_of_values_counts_one_more_for_every_three_beyond_the_third(first, second, terms):
    tree = two_sets(first, second)
    assert compared_terms(tree).tolist() == [terms, 0, 0]
    assert tree.reading_size == terms + 2


def test_every_kind_of_test_counts_what_it_compares():
    tree = every_kind()
    terms = compared_terms(tree)
    for node in range(len(tree)):
        kind = tree.kind_of(node)
        if kind == "leaf":
            assert terms[node] == 0
        elif kind in ("hyperplane", "columns"):
            assert terms[node] == len(tree.tested_columns(node)) > 1
        elif kind == "intervals":
            assert terms[node] == len(tree.cuts(node))
        elif kind == "expression":
            assert terms[node] >= len(tree.tested_columns(node))
        else:
            assert terms[node] == tree.n_children[node] - 1
    assert tree.statistics()["reading_size"] == tree.n_leaves + terms.sum()


def test_a_test_of_several_branches_compares_all_of_them_but_one():
    values = tuple("abcdefgh")
    nested = {"column": "c", "branches": {value: value.upper() for value in values[:5]}}
    tree = Tree.from_nested(nested, [Column("c", "nominal", values)])
    assert tree.n_leaves == 5 + 3  # three values are absent, and share a leaf
    printed = len(hb.show(tree).splitlines()) - 1
    assert tree.reading_size == printed + printed - 1  # as a tree of two branches with so many leaves


def test_a_sum_with_indicators_counts_each_of_them():
    nested = {"expression": "x - 2 * (c == 'u') + (c == 'v') <= 3", "yes": "a", "no": "b"}
    tree = Tree.from_nested(nested, [Column("x", "numeric"), Column("c", "nominal", ("u", "v", "w"))])
    assert tree.reading_size == 3 + 2


def test_the_equation_of_a_leaf_counts_its_terms():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.where(X[:, 0] > 0, X[:, 1], 3 * X[:, 2])
    tree = hb.TreeRegressor(leaf=Linear(), max_depth=1).fit(X, y).tree_
    assert tree.statistics() == {
        "depth": 1,
        "leaves": 2,
        "tests": 1,
        "nodes": 3,
        "reading_size": 1 + 2 * (1 + 3),
    }


@pytest.mark.parametrize("seed", range(5))
def test_sizes_along_a_path_are_those_of_its_subtrees(seed):
    rng = np.random.default_rng(seed)
    X = {"x": rng.normal(size=150), "c": rng.choice(list("abcdefghijklmnop"), 150), "z": rng.normal(size=150)}
    y = rng.integers(0, 3, 150)
    split = ["binary", "multiway", "one-vs-rest", "oblique", "binary"][seed]
    path = path_of(hb.TreeClassifier(split=split).fit(X, y).tree_)
    sizes = [path.subtree(step).reading_size for step in range(len(path))]
    assert reading_sizes_at(path.tree, path.strength, path.alpha).tolist() == sizes
