"""rpart's complexity of a test, as its `partition.c` works it out; not the weakest link of the CART book.

One idea: a branch hands up its risk and its number of tests as they are when the branch itself collapses. So
a part of it that goes before the branch does is missing from the account of every test above, even of those
that collapse sooner than that part. A weakest link is judged by what is left below it when it goes itself.
"""

from __future__ import annotations

import numpy as np

from hornbeam import Tree
from hornbeam.pruning.risks import node_risks


def pruned_as_rpart(tree: Tree, alpha: float) -> Tree:
    """The binary tree without tests whose complexity is at most `alpha`, in units of the summed risk."""
    risk = node_risks(tree, "error")
    complexity = np.full(len(tree), alpha)
    mask = np.zeros(len(tree), dtype=np.bool_)

    def visit(node: int) -> tuple[float, int]:
        """Risk and tests of what is left below a node."""
        if not tree.children(node):
            return float(risk[node]), 0
        left, right = tree.children(node)
        parts = {left: visit(left), right: visit(right)}

        def worth() -> float:
            lost = float(risk[node]) - sum(r for r, _ in parts.values())
            return lost / (1 + sum(n for _, n in parts.values()))

        first, second = (left, right) if complexity[left] < complexity[right] else (right, left)
        if worth() > complexity[first]:
            parts[first] = float(risk[first]), 0
            if worth() > complexity[second]:
                parts[second] = float(risk[second]), 0
        complexity[node] = worth()
        if complexity[node] <= alpha:
            mask[node] = True
            return float(risk[node]), 0
        return sum(r for r, _ in parts.values()), 1 + sum(n for _, n in parts.values())

    visit(0)
    return tree.collapse(mask)
