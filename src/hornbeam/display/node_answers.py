"""What a script needs to predict beyond the document of a tree: `web/predict.js` reads both.

The branches to follow are in the tree document already; what leaves answer, alone and together, depends on
priors, costs and smoothing, and is computed here once, for all nodes: a page also shows the tree pruned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam.tree.answer_rule import joint_decision
from hornbeam.tree.arrays import EXPRESSION
from hornbeam.tree.dicts import array_to_list
from hornbeam.tree.expressions.formulas import FormulaPart, formula_of
from hornbeam.tree.routing import branch_shares
from hornbeam.tree.tree import Tree


def node_answers(tree: Tree) -> dict[str, Any]:
    """Return the answers of every node, how several leaves are weighed, and the formulas of expressions.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 3}},
    ...                          "no": {"counts": {"b": 1}}})
    >>> node_answers(tree)["share"], node_answers(tree)["decision"]
    ([1.0, 0.75, 0.25], 'heaviest')
    """
    facts: dict[str, Any] = {
        "alone": array_to_list(tree.answers()),
        "weight": array_to_list(tree.weight),
        "share": array_to_list(branch_shares(tree)),
        "formulas": {
            str(node): formula_to_list(formula_of(tree, node))
            for node in np.flatnonzero(tree.kind == EXPRESSION).tolist()
        },
    }
    if tree.classes is not None:
        facts["decision"], costs, costs_at_nodes = joint_decision(tree)
        if costs_at_nodes is not None:
            facts["each"] = array_to_list(costs_at_nodes)
        if costs is not None:
            facts["costs"] = array_to_list(costs)
    return facts


def formula_to_list(formula: FormulaPart) -> list[Any]:
    """Return a formula as nested lists, the operator first; codes of categories become a table of 0 and 1.

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
