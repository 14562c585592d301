"""Prunings by brute force: all those of a small tree, and each method as its definition says."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import hornbeam as hb
from hornbeam.tree.routing import arrays_for, branches
from hornbeam.tree.tree import Tree


def all_prunings(tree: Tree) -> Iterator[Tree]:
    """Every tree that collapsing nodes can make, the tree itself included."""
    for cut in _cuts(tree, 0):
        mask = np.zeros(len(tree), dtype=bool)
        mask[list(cut)] = True
        yield tree.collapse(mask)


def _cuts(tree: Tree, node: int) -> list[tuple[int, ...]]:
    """Sets of nodes to collapse, in the subtree of a node."""
    if tree.kind[node] == 0:
        return [()]
    below = [_cuts(tree, child) for child in tree.children(node)]
    return [(node,)] + [sum(combo, ()) for combo in itertools.product(*below)]


# ---- chi-square and SRM -----------------------------------------------------------------------------------


def chi_square_pruned(tree: Tree, alpha: float) -> Tree:
    """Prune one node at a time until nothing changes; `tree` has unit weights."""
    tested: set[tuple[int, ...]] = set()
    while True:
        for node in range(len(tree) - 1, -1, -1):
            kids = list(tree.children(node))
            path = tuple(_branch_path(tree, node))
            if kids and path not in tested and all(tree.kind[k] == 0 for k in kids):
                tested.add(path)
                test = hb.teaching.chi_square(tree.stats[kids])
                if test.df == 0 or test.p >= alpha:
                    mask = np.zeros(len(tree), dtype=bool)
                    mask[node] = True
                    tree = tree.collapse(mask)
                    break
        else:
            return tree


def _branch_path(tree: Tree, node: int) -> list[int]:
    return [b - int(tree.first_child[a]) for a, b in itertools.pairwise(tree.path(node))]


def srm_pruned(tree: Tree, n: float, delta: float) -> Tree:
    """Kearns and Mansour's pruning with size in nodes and natural logarithms, by recursion."""
    mask = np.zeros(len(tree), dtype=bool)

    def visit(node: int, depth: int) -> tuple[float, int]:
        """Training errors and nodes of the pruned subtree."""
        own = float(tree.stats[node].sum() - tree.stats[node][tree.label[node]])
        copies = _copies(tree, node)
        if tree.kind[node] == 0:
            return own, copies
        below = [visit(child, depth + 1) for child in tree.children(node)]
        errors, size = sum(e for e, _ in below), 1 + sum(s for _, s in below)
        m = float(tree.n_rows[node])
        alpha = math.sqrt(((depth + size) * math.log(n) + math.log(1 / delta)) / m)
        if errors / m + alpha > own / m + 1e-12:
            mask[node] = True
            return own, 1
        return errors, size

    visit(0, 0)
    return tree.collapse(mask)


def _copies(tree: Tree, node: int) -> int:
    parent = int(tree.parent[node])
    if parent >= 0 and tree.absent[parent] == node - tree.first_child[parent]:
        return len(tree.absent_codes(parent))
    return 1


# ---- replacing by a child ---------------------------------------------------------------------------------


class Replacing:
    """Replacing a node by a child, by recursion over nested lists.

    A struct is ("leaf",) or ("test", node, [structs]).
    """

    def __init__(self, tree: Tree, grown: tuple[Any, Any], held: tuple[Any, Any]) -> None:
        self.tree = tree
        self.arrays = [arrays_for(tree, rows)[1] for rows in (grown[0], held[0])]
        self.y = [np.asarray(grown[1]), np.asarray(held[1])]

    def errors(self) -> tuple[Any, float]:
        """The struct chosen and its cost on the held rows."""
        rows = [np.arange(len(y)) for y in self.y]
        struct = self.best(0, *rows)
        return struct, self.cost(struct, *rows)

    def best(self, node: int, grown: Any, held: Any) -> Any:
        tree = self.tree
        if tree.kind[node] == 0:
            return ("leaf",)
        parts = [self.part(which, node, rows) for which, rows in enumerate((grown, held))]
        kids = [self.best(child, parts[0][k], parts[1][k]) for k, child in enumerate(tree.children(node))]
        keep = ("test", node, kids)
        options = [(self.cost(("leaf",), grown, held), 0, 0, ("leaf",))]
        options += [(self.cost(kid, grown, held), 1, self.size(kid), kid) for kid in kids]
        options += [(self.cost(keep, grown, held), 2, 0, keep)]
        least = min(option[0] for option in options)
        tied = [option for option in options if option[0] <= least + 1e-9]
        return min(tied, key=lambda option: option[1:3])[3]

    def part(self, which: int, node: int, rows: Any) -> list[Any]:
        branch = branches(self.tree, node, self.arrays[which], rows)
        return [rows[branch == k] for k in range(int(self.tree.n_children[node]))]

    def size(self, struct: Any) -> int:
        return 1 if struct[0] == "leaf" else 1 + sum(map(self.size, struct[2]))

    def answer(self, grown: Any, above: Any) -> Any:
        y = self.y[0][grown]
        if not len(y):
            return above
        if self.tree.task == "real":
            return y.mean()
        counts = [(y == label).sum() for label in self.tree.classes or ()]
        return (self.tree.classes or ())[int(np.argmax(counts))]

    def cost(self, struct: Any, grown: Any, held: Any, above: Any = None) -> float:
        said = self.answer(grown, above)
        if struct[0] == "leaf":
            y = self.y[1][held]
            return float(((y - said) ** 2).sum() if self.tree.task == "real" else (y != said).sum())
        mine, theirs = self.part(0, struct[1], grown), self.part(1, struct[1], held)
        return sum(self.cost(kid, a, b, said) for kid, a, b in zip(struct[2], mine, theirs, strict=True))
