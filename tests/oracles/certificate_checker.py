"""Checks a certificate without the search that made it: what the tree does, and that no tree does better.

The tree is read as nested tests and followed row by row; the bound is compared with trying every tree. For
tables of a dozen rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.oracles.optimal_twin import cheapest_answer, least_cost

from hornbeam.tree.certificate import Certificate
from hornbeam.tree.tree import Tree


def leaf_rows(tree: Tree, rows: Sequence[Sequence[Any]]) -> dict[int, list[int]]:
    """The rows in each leaf of a tree of binary tests."""
    reached: dict[int, list[int]] = {}
    for number, row in enumerate(rows):
        node = 0
        while tree.first_child[node] >= 0:
            column = int(tree.column[node])
            value = row[column]
            if value is None:
                branch = int(tree.missing[node])
            elif tree.columns[column].kind == "nominal":
                code = list(tree.columns[column].categories).index(value)
                start, end = tree.map_offset[node], tree.map_offset[node + 1]
                branch = int(
                    dict(zip(tree.map_code[start:end], tree.map_branch[start:end], strict=True))[code]
                )
            else:
                branch = int(value > tree.threshold[node])
            node = int(tree.first_child[node]) + branch
        reached.setdefault(node, []).append(number)
    return reached


def check_certificate(
    proven: Certificate,
    tree: Tree,
    rows: Sequence[Sequence[Any]],
    costs: Sequence[Sequence[float]],
    min_rows: int = 1,
    leaf_cost: Callable[[Sequence[Sequence[float]]], float] = cheapest_answer,
    tolerance: float = 1e-6,
) -> None:
    """Raise an AssertionError unless all that a certificate says is true."""
    assert proven.n_rows == len(rows)
    groups = leaf_rows(tree, rows)
    assert all(len(group) >= min_rows for group in groups.values())
    assert tree.statistics()["depth"] <= proven.max_depth
    assert proven.max_leaves is None or len(groups) <= proven.max_leaves
    objective = sum(leaf_cost([costs[i] for i in group]) + proven.price for group in groups.values())
    nominal = [column.kind == "nominal" for column in tree.columns]
    limits = (nominal, proven.max_depth, min_rows, proven.price, proven.max_leaves)
    least = least_cost(rows, costs, *limits, leaf_cost)
    scale = max(objective, 1.0)
    assert abs(proven.objective - objective) <= tolerance * scale, (proven, objective)
    assert proven.bound <= least + tolerance * scale, (proven, least)
    assert proven.status != "optimal" or abs(objective - least) <= tolerance * scale, (
        proven,
        objective,
        least,
    )
    assert proven.greedy >= objective - tolerance * scale
