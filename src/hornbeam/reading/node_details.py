"""What one node of a tree holds beyond its test: probabilities, surrogates, gaps that came there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from hornbeam._base.parameters import is_whole
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.branches import own_branches
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.routing import ALL_PATHS, arrays_for, visit_all
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import amount, threshold_text


def probabilities(model: Any, node: Any = 0) -> dict[Any, float]:
    """The probability of each class at a node of a tree: what the node would answer if it were a leaf.

    Without smoothing and priors these are the shares of the node's training rows. A branch that no training
    row took answers as the node above it. `tree.answers()` has all nodes at once.

    Parameters
    ----------
    model : a fitted classifier, a Tree of classes, or the path of a saved one
    node : int
        The number of the node, 0 for the root; `hb.show(model, node_ids=True)` shows them, `model.apply`
        gives those of rows.

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


@dataclass(frozen=True)
class SurrogateTest:
    """A test that imitates a node's own.

    Attributes
    ----------
    column : str
    test : str
        In words, true for the rows that it sends to the first branch: `x2<=5.5`, `x2>5.5`, `body in
        {circle}`.
    threshold : float or None
        Where a numeric or ordinal column is cut.
    direction : {"<=", ">", "in"}
        Which values go to the first branch: those up to the threshold, those above, or those of the set.
    values : tuple
        The categories that go to the first branch; empty for a cut.
    agreement : float
        The share of rows sent the same way as by the node's own test.
    association : float
        How much better that is than sending all rows the majority's way: 1 is perfect, 0 no better.
    """

    column: str
    test: str
    threshold: float | None
    direction: str
    values: tuple[Any, ...]
    agreement: float
    association: float

    def __str__(self) -> str:
        return f"{self.test}  agreement {amount(self.agreement)}  association {amount(self.association)}"


def surrogates(model: Any, node: int = 0) -> list[SurrogateTest]:
    """The surrogates of a node, in the order in which they are asked.

    Parameters
    ----------
    model : a fitted model, a Tree, or the path of a saved one
    node : int
        The node's number; 0 is the root.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X = {"x1": [1, 2, 3, 4, 5, 6], "x2": [9, 8, 7, 3, 2, 1], "x3": [0, 1, 0, 1, 0, 1]}
    >>> model = hb.TreeClassifier(missing="surrogates", max_depth=1).fit(X, list("aaabbb"))
    >>> print(hb.teaching.surrogates(model)[0])
    x2>5  agreement 1  association 1
    """
    tree = tree_of(model)
    if not is_whole(node) or not 0 <= node < len(tree):
        raise ValueError(f"node={node!r} must be a node of the tree: 0 to {len(tree) - 1}")
    first, last = int(tree.surrogate_offset[node]), int(tree.surrogate_offset[node + 1])
    return [_surrogate(tree, k) for k in range(first, last)]


def _surrogate(tree: Tree, k: int) -> SurrogateTest:
    column = tree.columns[tree.surrogate_column[k]]
    facts = float(tree.surrogate_agreement[k]), float(tree.surrogate_association[k])
    span = slice(int(tree.surrogate_map_offset[k]), int(tree.surrogate_map_offset[k + 1]))
    if span.stop > span.start:
        pairs = zip(tree.surrogate_map_code[span], tree.surrogate_map_branch[span], strict=True)
        codes = [int(code) for code, branch in pairs if branch == 0]
        test = f"{column.label} in {{{','.join(map(column.word, codes))}}}"
        return SurrogateTest(
            column.name, test, None, "in", tuple(column.categories[c] for c in codes), *facts
        )
    threshold = float(tree.surrogate_threshold[k])
    direction = "<=" if tree.surrogate_low[k] == 0 else ">"
    test = f"{column.label}{direction}{threshold_text(column, threshold)}"
    return SurrogateTest(column.name, test, threshold, direction, (), *facts)


def gap_counts(tree: Tree, X: Any) -> Mapping[int, int] | None:
    """Node -> rows that came here although the value asked for is missing; None without a table.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b", "missing_to": "no"})
    >>> gap_counts(tree, {"x": [1.0, None, 2.0, None]})
    {2: 2}
    """
    if X is None:
        return None
    n_rows, arrays = arrays_for(tree, X)
    counts: dict[int, int] = {}
    for visit in visit_all(tree, n_rows, arrays):
        if tree.kind[visit.node] == LEAF:
            continue
        branch = visit.branch[own_branches(tree, visit.node, arrays, visit.rows) < 0]
        for k, child in enumerate(tree.children(visit.node)):
            number = int(np.count_nonzero((branch == k) | (branch == ALL_PATHS)))
            if number:
                counts[child] = number
    return dict(sorted(counts.items()))
