"""to_shap: a model as the package `shap` reads it, for its plots and explainers.

One idea: shap knows binary tests of numbers, `x <= t` to the left, and a default child for gaps. Several
cuts of one column, or a branch of its own for gaps, are a chain of such tests: the same answers, and, as
all tests of the chain are on one column, the same Shapley values.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.reading.shap.exact_values import trees_of
from hornbeam.tree.arrays import INTERVALS, LEAF, THRESHOLD
from hornbeam.tree.hooks import inner_model
from hornbeam.tree.tree import Tree


def to_shap(model: Any) -> dict[str, Any]:
    """A model in the format that `shap.TreeExplainer` takes: a dict of trees as arrays.

    Its values are probabilities, one output per class, or numbers. `shap.TreeExplainer(hb.to_shap(model))`
    gives the values of `hb.shap_values(model, X)`. A column of a row that is missing goes to the branch
    learned for gaps; where none was learned, shap takes the heavier child, while Hornbeam follows all
    paths: there only `hb.shap_values` agrees with `predict`.

    Parameters
    ----------
    model : a fitted tree or forest, a Tree, or the path of a saved one
        Its tests must be cuts of numeric columns, its leaves constants.

    Examples
    --------
    >>> import hornbeam as hb
    >>> model = hb.TreeRegressor().fit([[1.0], [2.0]], [5.0, 7.0])
    >>> handed = hb.to_shap(model)
    >>> handed["trees"][0]["thresholds"], handed["trees"][0]["values"].ravel()
    (array([ 1.5, -1. , -1. ]), array([6., 5., 7.]))
    """
    model = inner_model(model, for_rows=True)
    trees = trees_of(model)
    if getattr(model, "combine", "mean") == "vote":
        raise ValueError(
            "this forest counts votes (combine='vote'), while shap adds up what leaves say: use"
            " combine='mean', or hb.shap_values(model, X)"
        )
    if any(tree.columns != trees[0].columns for tree in trees):
        raise ValueError(
            "the trees of this forest have different columns, while shap knows one table of them"
        )
    types = {"input_dtype": np.float64, "internal_dtype": np.float64}
    return {"trees": [_shap_tree(tree, len(trees)) for tree in trees], **types, "tree_output": "raw_value"}


class _Chain:
    """Nodes of a binary tree in the making: the links of each, its threshold, value and weight."""

    def __init__(self) -> None:
        self.links: list[tuple[int, int, int, int]] = []  # left, right, default, column
        self.threshold: list[float] = []
        self.value: list[Floats] = []
        self.weight: list[float] = []

    def add(self, value: Floats, weight: float) -> int:
        """One more node, a leaf so far."""
        self.links.append((-1, -1, -1, -1))
        self.threshold.append(-1.0)
        self.value.append(value)
        self.weight.append(weight)
        return len(self.links) - 1

    def cut(self, node: int, column: int, threshold: float, left: int, right: int, default: int) -> None:
        """Make a node a test."""
        self.links[node], self.threshold[node] = (left, right, default, column), threshold


def _shap_tree(tree: Tree, n_trees: int) -> dict[str, Any]:
    _check(tree)
    answers = tree.answers() if tree.classes is not None else tree.answers()[:, None]
    chain = _Chain()
    place = {0: chain.add(answers[0], float(tree.weight[0]))}
    for node in range(len(tree)):
        if tree.kind[node] != LEAF:
            for child in tree.children(node):
                place[child] = chain.add(answers[child], float(tree.weight[child]))
            _link(tree, node, place, chain)
    links = np.array(chain.links, dtype=np.int32).T.copy()
    return {
        **dict(zip(("children_left", "children_right", "children_default", "features"), links, strict=True)),
        "thresholds": np.array(chain.threshold),
        "values": np.array(chain.value) / n_trees,
        "node_sample_weight": np.array(chain.weight),
    }


def _link(tree: Tree, node: int, place: dict[int, int], chain: _Chain) -> None:
    """Write one test as a chain: first gaps against the rest if they have a branch, then cut after cut."""
    column, here = int(tree.column[node]), place[node]
    children = list(tree.children(node))
    cuts = tree.cuts(node).tolist()
    if tree.own_missing[node]:
        gaps, children = children[-1], children[:-1]
        known = chain.add(chain.value[here], sum(chain.weight[place[c]] for c in children))
        chain.cut(here, column, math.inf, known, place[gaps], place[gaps])
        here = known
    learned = int(tree.missing[node]) if tree.policy["missing"] != "all-paths" else -1
    heaviest = int(np.argmax([tree.weight[c] for c in children]))
    target = learned if 0 <= learned < len(children) else heaviest
    for k, cut in enumerate(cuts):
        rest = children[k + 1 :]
        after = place[rest[0]]
        if len(rest) > 1:
            after = chain.add(chain.value[here], sum(chain.weight[place[c]] for c in rest))
        chain.cut(here, column, cut, place[children[k]], after, place[children[k]] if target == k else after)
        here = after


def _check(tree: Tree) -> None:
    """Refuse what shap's format cannot say."""
    tests = np.flatnonzero(tree.kind != LEAF)
    for node in tests.tolist():
        names = " and ".join(repr(tree.columns[c].name) for c in tree.tested_columns(node))
        if tree.kind[node] not in (THRESHOLD, INTERVALS):
            raise ValueError(
                f"the test of node {node} ({tree.kind_of(node)}) asks for {names}, while shap's format has"
                " only cuts of numbers: use hb.shap_values(model, X), which knows every test"
            )
        if tree.columns[int(tree.column[node])].kind != "numeric":
            raise ValueError(
                f"node {node} cuts {names}, a column of categories, while shap's format has only numbers: use"
                " hb.shap_values(model, X), or numbers instead of categories in training"
            )
    if tree.has_models:
        raise ValueError(
            "leaves of this tree answer with equations, while shap's format has constants: use"
            " hb.shap_values(model, X)"
        )
    if (tree.weight <= 0).any():
        raise ValueError(
            f"node {int(np.argmin(tree.weight))} has no training rows, which shap does not take: use"
            " hb.shap_values(model, X), or refit the tree on rows that reach every node"
        )
