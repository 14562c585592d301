"""Writing: grown nodes -> the arrays of a Tree.

One idea: a family of siblings lies together, near its parent, in the order in which the core writes them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.arrays import LEAF, NODE_ARRAYS, new_pools, open_node, pool_arrays
from hornbeam.tree.tree import Tree

_TIE = 1e-12  # of the weight: class weights closer than this are tied, whatever the sums' rounding


def tree_of(growth: Growth, root: Node) -> Tree:
    """The tree grown so far."""
    nodes, records = _numbered(root)
    pools = new_pools()
    expressions: dict[int, Any] = {}
    facts: dict[str, Any] = {}
    for number, (node, record) in enumerate(zip(nodes, records, strict=True)):
        open_node(pools)
        if node.children and node.proposal is not None:
            split = node.proposal.split
            record |= {"kind": split.kind, "missing": node.missing, "gain": node.proposal.score}
            split.write(record, pools)
            if "expression" in record:
                expressions[number] = record["expression"]
            if node.proposal.facts:
                facts["/".join(map(str, node.path))] = dict(node.proposal.facts)
    given = {"kind", "first_child", "n_children", "column", "threshold", "gap", "missing", "absent", "gain"}
    arrays: dict[str, Any] = {
        name: np.array([record.get(name, _empty(name)) for record in records]) for name in given
    }
    for name in ("threshold", "gap"):
        arrays[name] = arrays[name] + 0.0  # no -0.0, which the order of the rows could bring or not
    return Tree(
        columns=growth.columns,
        classes=None if growth.is_real else growth.classes,
        task="real" if growth.is_real else "classes",
        center=growth.center,
        policy=growth.plan.missing.policy(),
        meta={"criterion": growth.plan.criterion.name} | ({"facts": facts} if facts else {}),
        expressions=expressions,
        stats=np.stack([node.stats for node in nodes]),
        n_rows=np.array([node.n_rows for node in nodes]),
        impurity=np.array([node.impurity for node in nodes]),
        label=_labels(growth, nodes, records),
        **arrays,
        **pool_arrays(pools),
    )


def _numbered(root: Node) -> tuple[list[Node], list[dict[str, Any]]]:
    """The nodes in the order of the arrays, with the links between them."""
    nodes, records = [root], [_leaf()]
    stack = [0]
    while stack:
        number = stack.pop()
        children = nodes[number].children
        if not children:
            continue
        records[number] |= {"first_child": len(nodes), "n_children": len(children)}
        stack += reversed(range(len(nodes), len(nodes) + len(children)))
        nodes += children
        records += [_leaf() for _ in children]
    return nodes, records


def _leaf() -> dict[str, Any]:
    return {"kind": LEAF, "first_child": -1, "n_children": 0}


def _empty(name: str) -> Any:
    array = NODE_ARRAYS[name]
    return array.fill if array.width == 1 else (array.fill,) * array.width


def _labels(growth: Growth, nodes: list[Node], records: list[dict[str, Any]]) -> list[int]:
    """The first of the heaviest classes; a node without rows answers as its parent."""
    found = [-1] * len(nodes)
    if growth.is_real:
        return found
    for number, (node, record) in enumerate(zip(nodes, records, strict=True)):
        if node.stats.any():
            found[number] = _heaviest(node.stats)
        for child in range(record["first_child"], record["first_child"] + record["n_children"]):
            found[child] = found[number]
    return found


def _heaviest(stats: Floats) -> int:
    return int(np.argmax(stats >= stats.max() - _TIE * stats.sum()))
