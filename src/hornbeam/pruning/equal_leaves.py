"""Simplifying: sibling leaves that answer the same become one.

One idea: a test whose children are all leaves and answer as the node itself would tells nothing apart. Making
it a leaf changes no answer, so this is pruning without a loss, from below, in one pass.
"""

from __future__ import annotations

import numpy as np

from hornbeam._base.types import AnyArray
from hornbeam.pruning.levels import levels_up
from hornbeam.pruning.record import Decisions, Pruned
from hornbeam.tree.arrays import owners
from hornbeam.tree.tree import Tree

_SAME = 1e-12  # answers that differ by less, relative to the largest, are the same


def simplified(tree: Tree, same: str = "label") -> Pruned:
    """The tree without tests that only tell equal leaves apart; `same` is what classes are compared by.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "a"}, classes=["a", "b"])
    >>> simplified(tree).tree.text()
    'a'
    """
    answer = tree.label if tree.task == "classes" and same == "label" else tree.answers()
    modelled = np.zeros(len(tree), dtype=np.bool_)
    modelled[owners(tree.model_offset)] = True
    ended = (tree.first_child < 0) & ~modelled
    leaf, examined = np.zeros(len(tree), dtype=np.bool_), [np.empty(0, dtype=np.int64)]
    for level in levels_up(tree):
        level = level.where(level.all(ended) & ~modelled[level.tests])
        if not len(level.tests):
            continue
        above = np.repeat(level.tests, level.sizes)
        alike = _alike(answer[level.kids], answer[above])
        leaf[level.tests] = ended[level.tests] = np.logical_and.reduceat(alike, level.start)
        examined.append(level.tests)
    nodes = np.concatenate(examined)
    decisions = Decisions(nodes, leaf[nodes].astype(np.int8), {})
    return Pruned(tree.collapse(leaf), decisions, "simplify", {"same": same}, tree)


def _alike(a: AnyArray, b: AnyArray) -> AnyArray:
    """Whether answers are the same: labels exactly, numbers and shares up to rounding."""
    if a.dtype.kind != "f":
        return np.asarray(a == b)
    near = np.abs(a - b) <= _SAME * np.maximum(np.abs(a), np.abs(b))
    return np.asarray(near.all(axis=1) if near.ndim == 2 else near)
