"""What the page needs to predict by itself, beside the tree document.

One idea: the walk is in the tree document already; what leaves say, alone and together, depends on priors,
costs and smoothing, and is worked out here once, so that the page only looks it up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.tree.answer_rule import answer_rule_of, answering_nodes
from hornbeam.tree.arrays import EXPRESSION
from hornbeam.tree.dicts import array_to_list
from hornbeam.tree.expressions.formulas import FormulaPart, formula_of
from hornbeam.tree.routing import branch_shares
from hornbeam.tree.tree import Tree


def answers_of(tree: Tree) -> dict[str, Any]:
    """The answers of every node, how several leaves are weighed, and the formulas of expressions.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 3}},
    ...                          "no": {"counts": {"b": 1}}})
    >>> answers_of(tree)["share"], answers_of(tree)["decision"]
    ([1.0, 0.75, 0.25], 'heaviest')
    """
    alone = tree.answers()
    found: dict[str, Any] = {
        "alone": array_to_list(alone),
        "weight": array_to_list(tree.weight),
        "share": array_to_list(branch_shares(tree)),
        "formulas": {
            str(node): formula_to_list(formula_of(tree, node))
            for node in np.flatnonzero(tree.kind == EXPRESSION).tolist()
        },
    }
    if tree.classes is None:
        return found
    voice, by_vote = answer_rule_of(tree.meta), tree.policy["vote"] == "leaf"
    if by_vote:  # a vote is a decision already, in which costs have had their say
        voice = replace(voice, costs=None)
    each = None if by_vote else _costs_of_rows(tree)
    found["decision"] = "middle" if voice.label == "median" else "heaviest"
    if each is not None or voice.costs is not None:
        found["decision"] = "cheapest"
    if each is not None:
        found["each"] = array_to_list(each)
    if voice.costs is not None:
        found["costs"] = array_to_list(voice.costs)
    return found


def _costs_of_rows(tree: Tree) -> Floats | None:
    """Trees grown with costs of rows: the expected cost of each class at each node."""
    if not len(tree.cost_value):
        return None
    weight = answer_rule_of(tree.meta).counted(tree.stats).sum(axis=1, keepdims=True)
    each = tree.cost_value.reshape(len(tree), -1) / np.maximum(weight, np.finfo(float).tiny)
    return np.asarray(each[answering_nodes(tree.parent, tree.weight)], dtype=np.float64)


def formula_to_list(formula: FormulaPart) -> list[Any]:
    """A formula as nested lists, the operator first; codes of categories become a table of 0 and 1.

    >>> tree = Tree.from_nested({"expression": "x + 1 > z", "yes": "a", "no": "b"})
    >>> formula_to_list(formula_of(tree, 0))
    ['Gt', ['Add', ['column', 0], ['number', 1.0]], ['column', 1]]
    """
    value = formula.value
    if formula.kind == "among":
        value = [value[0], sorted(value[1])]
    elif formula.kind == "alike":
        value = [value[0], value[1], list(value[2])]
    parts = [value] if value is not None else map(formula_to_list, formula.parts)
    return [formula.kind, *parts]
