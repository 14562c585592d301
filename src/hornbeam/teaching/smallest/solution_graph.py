"""From the graph of smallest trees to Trees: how many there are, and the k-th of them.

One idea: a state's trees are numbered. Each of its tests has as many as the product over its children, so
dividing k with remainder says which test, and which tree in every branch; no list of trees is ever made.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam._base.types import Bools, Ints
from hornbeam.teaching.smallest.exhaustive_search import Graph
from hornbeam.teaching.smallest.problem import Problem
from hornbeam.tree.arrays import EQUALS, LEAF, MULTIWAY, THRESHOLD
from hornbeam.tree.tree import Tree

_ABSENT = -1  # the state of the leaf shared by the values no row of a node has


def tree_counts(graph: Graph) -> list[int]:
    """How many trees each state has; a state with fewer rows comes before those that lead to it."""
    found = [1] * len(graph)
    for state in np.argsort(_members(graph).sum(axis=1), kind="stable").tolist():
        tests = graph.tests(state)
        if tests:
            found[state] = sum(_product(graph, test, found) for test in tests)
    return found


def build(problem: Problem, graph: Graph, counts: list[int], k: int, facts: Mapping[str, Any]) -> Tree:
    """The k-th tree, its counts and answers taken from all rows of the table."""
    draft = _Draft(problem, graph)
    queue = [(0, k)]
    for state, number in queue:  # grows while it is read
        children = draft.add(state, len(queue), *_chosen(graph, state, number, counts))
        queue.extend(children)
    tree = Tree(
        columns=problem.table.columns,
        classes=problem.target.classes,
        meta={"smallest": dict(facts)},
        stats=np.zeros((len(queue), len(problem.target.classes))),
        label=np.zeros(len(queue), dtype=np.int32),
        **draft.arrays(),
    )
    return tree.refit(problem.table, problem.target)


def _chosen(graph: Graph, state: int, k: int, counts: list[int]) -> tuple[int, list[tuple[int, int]]]:
    """The test that tree k of a state begins with, and the numbered trees of its branches; -1 for a leaf."""
    if state == _ABSENT:
        return -1, []
    for test in graph.tests(state):
        n = _product(graph, test, counts)
        if k < n:
            below = []
            for child in reversed(graph.children(test)):
                k, number = divmod(k, counts[child])
                below.append((child, number))
            return test, below[::-1]
        k -= n
    return -1, []


def _product(graph: Graph, test: int, counts: list[int]) -> int:
    return math.prod(counts[child] for child in graph.children(test))


def _members(graph: Graph) -> Bools:
    """Which rows each state has."""
    octets = np.ascontiguousarray(graph.rows).astype("<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little").astype(np.bool_)


class _Draft:
    """The arrays of a Tree while they are being written."""

    def __init__(self, problem: Problem, graph: Graph) -> None:
        self.problem, self.graph = problem, graph
        self.nodes: list[dict[str, Any]] = []
        self.map: list[list[tuple[int, int]]] = []

    def add(
        self, state: int, first_child: int, test: int, below: list[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Write a node; its children, the leaf for absent values among them."""
        self.map.append([])
        if state == _ABSENT or test < 0:
            self.nodes.append({"kind": LEAF, "first_child": -1, "n_children": 0})
            return []
        column = self.graph.test_column[test]
        kind = self.problem.kinds[column]
        codes = [self._codes(column, child) for child, _ in below]
        node: dict[str, Any] = {"kind": kind, "column": column, "first_child": first_child}
        if kind == THRESHOLD:
            node |= self._cut(column, int(codes[0].max()), int(codes[1].min()))
        elif kind == EQUALS:
            node["threshold"] = float(codes[0][0])
        else:
            self.map[-1] = sorted((int(c), k) for k, one in enumerate(codes) for c in np.unique(one))
        if kind == MULTIWAY and len(below) < self.problem.n_codes(column):
            node["absent"] = len(below)
            below = [*below, (_ABSENT, 0)]
        self.nodes.append(node | {"n_children": len(below)})
        return below

    def _codes(self, column: int, state: int) -> Ints:
        """The codes of the rows of a state."""
        words = np.ascontiguousarray(self.graph.rows[state]).astype("<u8").view(np.uint8)
        member = np.unpackbits(words, bitorder="little")[: len(self.problem.classes)]
        found: Ints = self.problem.codes[column][member.astype(np.bool_)]
        return found

    def _cut(self, column: int, low: int, high: int) -> dict[str, Any]:
        """A threshold halfway between two neighbouring values of the node's rows."""
        if self.problem.table.columns[column].kind != "numeric":
            return {"threshold": low + 0.5, "gap": (float(low), float(high))}
        values = self.problem.values[column]
        return {"threshold": _midpoint(values[low], values[high]), "gap": (values[low], values[high])}

    def arrays(self) -> dict[str, Any]:
        """What the Tree's constructor takes."""
        entries = [entry for node in self.map for entry in node]
        fill = {"column": -1, "threshold": np.nan, "absent": -1, "gap": (np.nan, np.nan)}
        names = ("kind", "first_child", "n_children", "column", "threshold", "absent", "gap")
        found: dict[str, Any] = {
            name: np.array([node.get(name, fill.get(name)) for node in self.nodes]) for name in names
        }
        if entries:
            found["map_offset"] = np.cumsum([0] + [len(node) for node in self.map])
            found["map_code"] = np.array([code for code, _ in entries], dtype=np.int32)
            found["map_branch"] = np.array([branch for _, branch in entries], dtype=np.int32)
        return found


def _midpoint(low: float, high: float) -> float:
    """Halfway: safe from overflow, and always below the upper value."""
    with np.errstate(over="ignore"):
        width = high - low
    middle = low + width / 2 if np.isfinite(width) else low / 2 + high / 2
    return float(low if middle >= high else middle)
