"""Sizes of a tree: its leaves, and its reading size, which is how much a person reads to apply it.

Leaves alone are a poor measure of size: a "tree of two leaves" may be one sum of nine columns. A leaf counts
one, and the terms of its equation if it has one; a test counts the terms that it compares. A plain tree of n
leaves has the reading size 2 n - 1.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.tree.arrays import LEAF, MULTIWAY, SUBSET, owners
from hornbeam.tree.expressions.language import Expression

if TYPE_CHECKING:
    from hornbeam.tree.shape import TreeShape

SHORT_SET = 3  # values that are read like one; every so many more count one more


def leaf_counts(tree: TreeShape) -> Longs:
    """How many leaves each node stands for as a leaf: 1, or one for each absent value that shares it.

    >>> from hornbeam.data.columns import Column
    >>> from hornbeam.tree.tree import Tree
    >>> tree = Tree.from_nested({"column": "a", "branches": {"u": "p", "v": "q"}},
    ...                         columns=[Column("a", "nominal", ("u", "v", "w", "x"))])
    >>> leaf_counts(tree).tolist()
    [1, 1, 1, 2]
    """
    counts = np.ones(len(tree.kind), dtype=np.int64)
    shared = np.flatnonzero(tree.absent >= 0)
    if len(shared):
        domain = np.array([len(column.categories) for column in tree.columns])[tree.column[shared]]
        present = np.diff(tree.map_offset)[shared]
        counts[tree.first_child[shared] + tree.absent[shared]] = domain - present
    return counts


def compared_terms(tree: TreeShape) -> Longs:
    """The terms that each node compares; 0 for leaves.

    A threshold, or a value, is 1. A set of values is 1, and one more for every three values beyond the third
    on its shorter side. A test of several branches is read as one comparison after the other: all branches
    but the longest count so. Several cuts, the columns of a sum or of a combination, and the columns that an
    expression names, count one by one.

    >>> from hornbeam.tree.tree import Tree
    >>> tree = Tree.from_nested({"weights": {"x": 1, "z": -2}, "<=": 0.5, "yes": "a",
    ...                          "no": {"column": "x", "<=": 3, "yes": "a", "no": "b"}})
    >>> compared_terms(tree).tolist()
    [2, 0, 1, 0, 0]
    """
    terms: Longs = np.where(tree.kind == LEAF, 0, np.maximum(tree.n_children - 1, 1)).astype(np.int64)
    for offset in (tree.plane_offset, tree.set_offset, tree.cut_offset):
        counted = np.diff(offset)
        terms = np.where(terms > 0, np.maximum(counted, terms), terms)
    for node in np.flatnonzero((tree.kind == SUBSET) | (tree.kind == MULTIWAY)).tolist():
        sizes = np.sort(np.bincount(tree.value_map(node)[1], minlength=2))[:-1]
        terms[node] += int((np.maximum(sizes - SHORT_SET, 0) // SHORT_SET).sum())
    for node, text in tree.expressions.items():
        body = getattr(Expression.parse(text), "body", None)  # a function in Python has none
        if body is not None:
            terms[node] = max(1, sum(isinstance(part, ast.Name) for part in ast.walk(body)))
    return terms


def leaf_sizes(tree: TreeShape) -> Longs:
    """What each node counts as a leaf: one, and the terms of its equation.

    A leaf that several absent values share is read once, so it counts one here.
    """
    sizes: Longs = np.ones(len(tree.kind), dtype=np.int64)
    np.add.at(sizes, owners(tree.model_offset), np.diff(tree.term_offset))
    return sizes


def reading_size(tree: TreeShape) -> int:
    """One for each leaf, the terms of its equation, and the terms of each test."""
    return int(leaf_sizes(tree)[tree.kind == LEAF].sum() + compared_terms(tree).sum())


def plain_leaves(size: Floats) -> Floats:
    """The leaves of a tree of plain tests that takes so much reading."""
    return (size + 1) / 2


def reading_sizes_at(tree: TreeShape, critical: Floats, alpha: Floats) -> Floats:
    """The reading size of the tree pruned at each penalty, given the critical alpha of each test."""
    is_test = tree.kind != LEAF
    as_leaf = leaf_sizes(tree)
    children = np.zeros(len(as_leaf), dtype=np.int64)
    np.add.at(children, tree.parent[1:], as_leaf[1:])
    more = (compared_terms(tree) + children - as_leaf)[
        is_test
    ]  # what a test adds to the size while it stands
    order = np.argsort(critical[is_test], kind="stable")
    above = np.concatenate([np.cumsum(more[order][::-1])[::-1], [0]])
    sizes: Floats = as_leaf[0] + above[np.searchsorted(critical[is_test][order], alpha, side="right")] + 0.0
    return sizes
