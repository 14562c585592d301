"""The weak-learner advantage gamma of a table, as the tests of a tree show it.

A class of tests is a weak learner with advantage gamma if, however the rows are weighed, one of its tests
errs on at most 1/2 - gamma of them (Kearns & Mansour 1999). Growth asks with weights that give both classes
of a node one half: a test that sends the share p of one class and q of the other to a branch then errs on
1/2 - |p - q| / 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.data.shown_result import TabularResult
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.words import amount, question_text


@dataclass(frozen=True, eq=False)
class MeasuredGamma(TabularResult):
    """The advantage of every test of a tree over guessing, where both classes weigh one half.

    Attributes
    ----------
    gamma : float
        The least of them: with it, the bounds on the size of a tree hold for these rows.
    nodes, tests, advantages : the node, the question and the advantage of each test of two branches
    """

    gamma: float
    nodes: tuple[int, ...]
    tests: tuple[str, ...]
    advantages: Floats

    def columns(self) -> dict[str, list[Any]]:
        """A row for each test."""
        return {"node": list(self.nodes), "test": list(self.tests), "gamma": self.advantages.tolist()}

    def __str__(self) -> str:
        least = self.nodes[int(np.argmin(self.advantages))]
        return f"gamma {amount(self.gamma)}, the least of {len(self.nodes)} tests, at node {least}"


def measured_gamma(model: Any) -> MeasuredGamma:
    """The advantage gamma of the tests of a tree of two classes, from the rows in its nodes.

    Parameters
    ----------
    model : fitted tree of two classes with tests of two branches, Tree, or the path of a saved one

    Examples
    --------
    >>> import hornbeam as hb
    >>> tree = hb.TreeClassifier(max_depth=1).fit({"x": [1, 2, 3, 4]}, ["a", "a", "b", "a"]).tree_
    >>> print(measured_gamma(tree))
    gamma 0.3333, the least of 1 tests, at node 0
    """
    tree = tree_of(model)
    if tree.classes is None or len(tree.classes) != 2 or tree.uncounted:
        raise ValueError("gamma is measured on a tree of two classes that has learned from rows")
    nodes, advantages = [], []
    for node in np.flatnonzero(tree.first_child >= 0).tolist():
        total = tree.stats[node]
        if tree.n_children[node] != 2:
            raise ValueError(
                f"node {node} has {tree.n_children[node]} branches, but gamma is about tests of two"
            )
        if (total > 0).all():
            shares = tree.stats[int(tree.first_child[node])] / total
            nodes.append(node)
            advantages.append(abs(float(shares[0] - shares[1])) / 2)
    if not nodes:
        raise ValueError(
            "this tree has no test of rows of both classes, so that there is no gamma to measure"
        )
    tests = tuple(question_text(tree, node) for node in nodes)
    return MeasuredGamma(min(advantages), tuple(nodes), tests, np.array(advantages))
