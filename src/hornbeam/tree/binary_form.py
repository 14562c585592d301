"""A tree as binary cuts of numbers, which is all that other libraries of trees know.

One idea: several cuts of one column, or a branch of its own for gaps, are a chain of tests `x <= t`, each
with a default child for gaps: the same answers, and, as all tests of the chain are on one column, the same
Shapley values. A gap for which no branch was learned goes to the heavier side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from hornbeam.tree.arrays import INTERVALS, LEAF, THRESHOLD
from hornbeam.tree.tree import Tree


@dataclass
class BinaryForm:
    """The nodes of the chains, the root first.

    Attributes
    ----------
    left, right, default : child nodes, -1 in leaves; gaps go to `default`
    column, threshold : the test `x <= t` of each node; -1 in leaves
    source : the node of the Tree that a node stands for, or whose test it is a part of
    weight, n_rows : of its training rows
    """

    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    default: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    source: list[int] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)
    n_rows: list[int] = field(default_factory=list)

    def add(self, source: int, weight: float, n_rows: int) -> int:
        """One more node, a leaf so far."""
        for links in (self.left, self.right, self.default, self.column):
            links.append(-1)
        self.threshold.append(-1.0)
        self.source.append(source)
        self.weight.append(weight)
        self.n_rows.append(n_rows)
        return len(self.left) - 1

    def cut(self, node: int, column: int, threshold: float, left: int, right: int, default: int) -> None:
        """Make a node a test."""
        self.left[node], self.right[node], self.default[node] = left, right, default
        self.column[node], self.threshold[node] = column, threshold


def binary_form(tree: Tree, reader: str, instead: str) -> BinaryForm:
    """The tree as binary cuts; refused with a reason where it is none.

    Parameters
    ----------
    tree : the tree
    reader : who knows binary cuts only, such as "shap's format"
    instead : what to do where the tree is refused

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "age", "cuts": [18, 65], "branches": ["a", "b", "c"]})
    >>> form = binary_form(tree, "this format", "use another")
    >>> form.left, form.right, form.threshold
    ([1, -1, -1, -1, 2], [4, -1, -1, -1, 3], [18.0, -1.0, -1.0, -1.0, 65.0])
    """
    _check(tree, reader, instead)
    form = BinaryForm()
    place = {0: form.add(0, float(tree.weight[0]), int(tree.n_rows[0]))}
    for node in range(len(tree)):
        if tree.kind[node] != LEAF:
            for child in tree.children(node):
                place[child] = form.add(child, float(tree.weight[child]), int(tree.n_rows[child]))
            _chain(tree, node, place, form)
    return form


def _chain(tree: Tree, node: int, place: dict[int, int], form: BinaryForm) -> None:
    """Write one test as a chain: first gaps against the rest if they have a branch, then cut after cut."""
    column, here = int(tree.column[node]), place[node]
    children = list(tree.children(node))
    cuts = tree.cuts(node).tolist()

    def together(some: list[int]) -> int:
        """One node above several branches."""
        if len(some) == 1:
            return place[some[0]]
        return form.add(
            node, sum(float(tree.weight[c]) for c in some), sum(int(tree.n_rows[c]) for c in some)
        )

    if tree.own_missing[node]:
        gaps, children = children[-1], children[:-1]
        known = together(children)
        form.cut(here, column, math.inf, known, place[gaps], place[gaps])
        here = known
    learned = int(tree.missing[node]) if tree.policy["missing"] != "all-paths" else -1
    heaviest = int(np.argmax([tree.weight[c] for c in children]))
    target = learned if 0 <= learned < len(children) else heaviest
    for k, cut in enumerate(cuts):
        after = together(children[k + 1 :])
        form.cut(here, column, cut, place[children[k]], after, place[children[k]] if target == k else after)
        here = after


def _check(tree: Tree, reader: str, instead: str) -> None:
    """Refuse what binary cuts of numbers cannot say."""
    tests = np.flatnonzero(tree.kind != LEAF)
    for node in tests.tolist():
        names = " and ".join(repr(tree.columns[c].name) for c in tree.tested_columns(node))
        if tree.kind[node] not in (THRESHOLD, INTERVALS):
            raise ValueError(
                f"the test of node {node} ({tree.kind_of(node)}) asks for {names}, while {reader} has"
                f" only cuts of numbers: {instead}"
            )
        if tree.columns[int(tree.column[node])].kind != "numeric":
            raise ValueError(
                f"node {node} cuts {names}, a column of categories, while {reader} has only numbers:"
                f" {instead}, or numbers instead of categories in training"
            )
    if tree.has_models:
        raise ValueError(
            f"leaves of this tree answer with equations, while {reader} has constants: {instead}"
        )
