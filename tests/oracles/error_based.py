"""The slow twin of error-based pruning: C4.5's recursion over nested nodes, every estimate made anew."""

from __future__ import annotations

import numpy as np

from hornbeam.teaching import theory
from hornbeam.tree import routing
from hornbeam.tree.tree import Tree


class Node:
    """A node that can become a leaf, or another node."""

    def __init__(self, tree: Tree, number: int) -> None:
        self.number = number
        self.children = [Node(tree, child) for child in tree.children(number)]

    def become(self, other: Node) -> None:
        self.number, self.children = other.number, other.children

    def shape(self):
        return self.number, tuple(child.shape() for child in self.children)


class Twin:
    """C4.5's EstimateErrors, for rows with weights that are cases."""

    def __init__(self, tree: Tree, table, codes, weight, confidence=0.25, limit="c45") -> None:
        if tree.policy["missing"] == "all-paths":  # in training a gap has a branch of its own
            policy = {**tree.policy, "missing": "branch"}
            tree = tree.replace(policy=policy)
        self.tree, self.codes, self.weight = tree, codes, weight
        self.arrays = routing.arrays_for(tree, table)[1]
        self.confidence, self.limit = confidence, limit
        self.root = Node(tree, 0)

    def pruned(self) -> Node:
        rows = np.flatnonzero(self.weight > 0)
        self.collapse(self.root, rows, self.weight[rows])
        self.estimate(self.root, rows, self.weight[rows], update=True)
        return self.root

    def wrong(self, rows, weight) -> float:
        counts = np.bincount(self.codes[rows], weights=weight, minlength=len(self.tree.classes))
        return float(counts.sum() - counts.max())

    def limit_of(self, rows, weight) -> float:
        if not weight.sum() > 0:
            return 0.0
        errors = max(self.wrong(rows, weight), 0.0)
        return theory.expected_errors(errors, weight.sum(), self.confidence, limit=self.limit)

    def divided(self, node, rows, weight):
        """(child, rows, weights, known weight) for each branch."""
        branch = routing.branches(self.tree, node.number, self.arrays, rows)
        known = np.array([weight[branch == b].sum() for b in range(len(node.children))])
        share = known / known.sum() if known.sum() > 0 else np.full(len(known), 1 / len(known))
        for b, child in enumerate(node.children):
            here = (branch == b) | ((branch < 0) & (share[b] > 0))
            yield child, rows[here], weight[here] * np.where(branch[here] < 0, share[b], 1.0), known[b]

    def collapse(self, node, rows, weight) -> float:
        """Training errors of the subtree, after subtrees without merit have become leaves."""
        alone = self.wrong(rows, weight)
        if not node.children:
            return alone
        below = sum(self.collapse(child, r, w) for child, r, w, _ in list(self.divided(node, rows, weight)))
        if below < alone - 1e-3:
            return below
        node.children = []
        return alone

    def estimate(self, node, rows, weight, *, update) -> float:
        as_leaf = self.limit_of(rows, weight)
        if not node.children:
            return as_leaf
        parts = list(self.divided(node, rows, weight))
        as_tree = sum(self.estimate(child, r, w, update=update) for child, r, w, _ in parts)
        if not update:
            return as_tree
        sizes = [w.sum() for _, _, w, _ in parts]
        largest = max(range(len(parts)), key=lambda b: (round(sizes[b], 9), b))
        as_branch = self.estimate(parts[largest][0], rows, weight, update=False)
        if as_leaf <= as_branch + 0.1 and as_leaf <= as_tree + 0.1:
            node.children = []
            return as_leaf
        if as_branch <= as_tree + 0.1:
            node.become(parts[largest][0])
            return self.estimate(node, rows, weight, update=True)
        return as_tree
