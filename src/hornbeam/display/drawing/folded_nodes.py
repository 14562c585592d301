"""Which nodes of a large tree get a box of their own: the heaviest first, the rest folded and counted.

One idea: opening a node shows all its children, so nodes are opened by their records, heaviest first, until
the next one would bring more boxes than wanted.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class ShownNodes:
    """The boxes of a drawing in reading order, parents before children.

    Attributes
    ----------
    nodes : the tree's node of each box
    children : the boxes below each box
    folded : nodes that have more below them than is shown
    """

    nodes: list[int]
    children: list[list[int]]
    folded: frozenset[int]

    @property
    def n_ends(self) -> int:
        """How many boxes have none below them."""
        return sum(not below for below in self.children)


def shown_nodes(tree: Tree, max_nodes: int | None) -> ShownNodes:
    """Return the boxes of a drawing of at most so many.

    >>> from sklearn.datasets import load_iris
    >>> import hornbeam as hb
    >>> tree = hb.TreeClassifier().fit(*load_iris(return_X_y=True)).tree_
    >>> few = shown_nodes(tree, 5)
    >>> few.nodes, sorted(few.folded)
    ([0, 1, 2, 3, 4], [3, 4])
    """
    opened = _opened_nodes(tree, max_nodes)
    nodes: list[int] = []
    children: list[list[int]] = []
    waiting = [(0, -1)]
    while waiting:
        node, parent = waiting.pop()
        box = len(nodes)
        if parent >= 0:
            children[parent].append(box)
        nodes.append(node)
        children.append([])
        if node in opened:
            waiting.extend((child, box) for child in reversed(tree.children(node)))
    folded = {node for node in nodes if tree.kind[node] != LEAF and node not in opened}
    return ShownNodes(nodes, children, frozenset(folded))


def _opened_nodes(tree: Tree, max_nodes: int | None) -> set[int]:
    tests = np.flatnonzero(tree.kind != LEAF).tolist()
    if max_nodes is None or len(tree) <= max_nodes:
        return set(tests)
    weight = tree.weight.tolist()
    opened: set[int] = set()
    n_boxes = 1
    waiting = [(-weight[0], 0)] if tests else []
    while waiting:
        _, node = heapq.heappop(waiting)
        below = tree.children(node)
        if n_boxes + len(below) > max_nodes and (node > 0 or max_nodes == 1):
            continue  # a root with more branches than that is opened all the same
        n_boxes += len(below)
        opened.add(node)
        for child in below:
            if tree.kind[child] != LEAF:
                heapq.heappush(waiting, (-weight[child], child))
    return opened


def count_below(tree: Tree, node: int) -> tuple[int, int]:
    """Return how many nodes and leaves are under a node, without itself.

    >>> count_below(Tree.from_nested({"column": "a", "<=": 1, "yes": "p", "no": "q"}), 0)
    (2, 2)
    """
    inside = [inner for inner, _ in tree.walk(node)]
    return len(inside) - 1, int((tree.kind[inside] == LEAF).sum())
