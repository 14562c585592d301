"""Which nodes of a large tree get a card of their own: the heaviest first, the rest folded and counted.

One idea: opening a node shows all its children, so nodes are opened by their records, heaviest first, until
the next one would bring more cards than wanted.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class Shown:
    """The cards of a drawing in reading order, parents before children.

    Attributes
    ----------
    nodes : the tree's node of each card
    children : the cards below each card
    folded : nodes that have more below them than is shown
    """

    nodes: list[int]
    children: list[list[int]]
    folded: frozenset[int]

    @property
    def n_ends(self) -> int:
        """How many cards have none below them."""
        return sum(not below for below in self.children)


def shown(tree: Tree, max_cards: int | None) -> Shown:
    """Return the cards of a drawing of at most so many.

    >>> from sklearn.datasets import load_iris
    >>> import hornbeam as hb
    >>> tree = hb.TreeClassifier().fit(*load_iris(return_X_y=True)).tree_
    >>> few = shown(tree, 5)
    >>> few.nodes, sorted(few.folded)
    ([0, 1, 2, 3, 4], [3, 4])
    """
    opened = _opened(tree, max_cards)
    nodes: list[int] = []
    children: list[list[int]] = []
    waiting = [(0, -1)]
    while waiting:
        node, parent = waiting.pop()
        if parent >= 0:
            children[parent].append(len(nodes))
        card = len(nodes)
        nodes.append(node)
        children.append([])
        if node in opened:
            waiting.extend((child, card) for child in reversed(tree.children(node)))
    folded = {node for node in nodes if tree.kind[node] != LEAF and node not in opened}
    return Shown(nodes, children, frozenset(folded))


def _opened(tree: Tree, max_cards: int | None) -> set[int]:
    tests = np.flatnonzero(tree.kind != LEAF).tolist()
    if max_cards is None or len(tree) <= max_cards:
        return set(tests)
    weight = tree.weight.tolist()
    opened: set[int] = set()
    cards = 1
    waiting = [(-weight[0], 0)] if tests else []
    while waiting:
        _, node = heapq.heappop(waiting)
        below = tree.children(node)
        if cards + len(below) > max_cards and (node > 0 or max_cards == 1):
            continue  # a root with more branches than that is opened all the same
        cards += len(below)
        opened.add(node)
        for child in below:
            if tree.kind[child] != LEAF:
                heapq.heappush(waiting, (-weight[child], child))
    return opened


def below(tree: Tree, node: int) -> tuple[int, int]:
    """Return how many nodes and leaves are under a node, without itself.

    >>> below(Tree.from_nested({"column": "a", "<=": 1, "yes": "p", "no": "q"}), 0)
    (2, 2)
    """
    nodes = leaves = 0
    for inner, depth in tree.walk(node):
        nodes += depth > 0
        leaves += tree.kind[inner] == LEAF
    return nodes, int(leaves)
