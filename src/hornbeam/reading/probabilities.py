"""The class probabilities at any node, leaf or not (R46)."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from hornbeam.tree.branch_words import tree_of


def probabilities(model: Any, node: Any = 0) -> dict[Any, float]:
    """The probability of each class at a node of a tree: what the node would answer if it were a leaf.

    Without more ado the shares of the node's training rows; a model with smoothing or priors answers with
    those. A branch no training row took answers as the node above it. `tree.answers()` has all nodes at once.

    Parameters
    ----------
    model : a fitted classifier, a Tree of classes, or the path of a saved one
    node : the number of the node, 0 for the root; `hb.show(model, node_ids=True)` shows them, `model.apply`
    finds those
        of rows

    Examples
    --------
    >>> import hornbeam as hb
    >>> leaf = hb.Tree.from_nested({"label": "a", "counts": [6, 4, 2, 0]}, classes=["a", "b", "c", "d"])
    >>> probabilities(leaf)
    {'a': 0.5, 'b': 0.3333333333333333, 'c': 0.16666666666666666, 'd': 0.0}
    """
    tree = tree_of(model)
    if tree.classes is None:
        raise ValueError(
            f"this tree has task={tree.task!r}, so its nodes have no class probabilities: use tree.answers()"
        )
    if isinstance(node, bool) or not isinstance(node, Integral) or not 0 <= int(node) < len(tree):
        raise ValueError(f"node={node!r} must be a number of a node of this tree, from 0 to {len(tree) - 1}")
    return dict(zip(tree.classes, tree.answers()[int(node)].tolist(), strict=True))
