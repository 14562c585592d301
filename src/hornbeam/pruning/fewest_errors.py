"""Pruners that choose among the smallest prunings: by errors allowed, a second sample, or structural risk.

A tree has one smallest pruning for each number of errors; these pruners differ in which of them they take.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from hornbeam._base.parameters import check_least
from hornbeam._base.types import Task
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.pruning.base import NO_ROW_ERRORS, HeldOutPruner, Pruner
from hornbeam.pruning.record import Pruned
from hornbeam.pruning.smallest_by_errors import Choice, SmallestPrunings, find_smallest_prunings
from hornbeam.tree.tree import Tree


class _AmongSmallest(Pruner):
    tasks: ClassVar[tuple[Task, ...]] = (Task.CLASSES, Task.REAL)
    task_hint = NO_ROW_ERRORS

    def smallest_prunings(self, tree: Tree) -> SmallestPrunings:
        """Find the smallest prunings of a tree."""
        self.check_task(tree.task)
        return find_smallest_prunings(tree)

    def record_choice(self, choice: Choice, score: str) -> Pruned:
        """Return the record of a choice, with all prunings and the score that decided under this name."""
        facts = {**choice.record.facts, score: choice.score, "prunings": choice.table}
        return replace(choice.record, method=self.name, facts=facts)


class SmallestForErrors(_AmongSmallest):
    """The smallest pruning with at most k errors on the training rows, by dynamic programming.

    Errors are weights of rows answered wrongly, or their costs by the tree's costs and priors; squared errors
    of a regression. Of several such prunings it is one of fewest errors, then the one that keeps more nodes
    in earlier branches.

    Parameters
    ----------
    k : float
        The errors allowed; if the tree makes more, it stays as it is but for tests that lower no error.

    Examples
    --------
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> model = hb.teaching.builddt().set_params(pruning=SmallestForErrors(k=1)).fit(robots.X, robots.y)
    >>> model.tree_.text()
    'body[circle: ally(2:1) | square: enemy(0:3) | triangle: ally(2:0)]'
    """

    name, about = "smallest-for-errors", "the fewest nodes with at most k errors (dynamic programming)"

    def __init__(self, k: float = 0) -> None:
        self.k = k

    def check(self) -> None:
        """Raise if k is no number of at least 0."""
        check_least("k", self.k, 0, "the number of errors allowed")

    # Rows are not needed, hence not read.
    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:  # noqa: ARG002
        """Return the smallest pruning with at most k errors."""
        smallest = self.smallest_prunings(tree)
        return smallest.pruned(smallest.place(self.k) or 0, self.name)


class HypothesisValidation(HeldOutPruner, _AmongSmallest):
    """Of the smallest prunings for every number of errors, the one of fewest errors on a second sample.

    In `hornbeam.prune`, X and y are the second sample. In the slot of an estimator the tree is grown on a
    part of the rows and chosen on the others.

    Parameters
    ----------
    holdout : float
        The share of the rows held out in an estimator; classes keep their shares.
    random_state : int, Generator, RandomState or None
        The seed that decides which.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hornbeam import TreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> TreeClassifier(pruning=HypothesisValidation()).fit(X, y).tree_.n_leaves
    4
    """

    name, about = "hypothesis-validation", "of the smallest prunings the one a second sample likes best"
    use = "choose"

    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:
        """Return the pruning of fewest errors on these rows."""
        choice = self.smallest_prunings(tree).select_rows(self.need_rows(table, target))
        return self.record_choice(choice, "errors of the sample")


class SRMSelection(_AmongSmallest):
    """Of the smallest prunings for every number of errors, the one of least error + sqrt(nodes / m).

    m is the number of training rows, the error a share of them. Needs no second sample.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hornbeam import TreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> TreeClassifier(pruning="srm-selection").fit(X, y).tree_.n_leaves
    3
    """

    name, about = "srm-selection", "of the smallest prunings the one of least error + sqrt(nodes / m)"
    tasks = (Task.CLASSES,)
    task_hint = "its error must be a share of rows, from 0 to 1; use 'cost-complexity'"

    # Rows are not needed, hence not read.
    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:  # noqa: ARG002
        """Return the pruning of least structural risk."""
        choice = self.smallest_prunings(tree).select_srm()
        return self.record_choice(choice, "error + sqrt(nodes / m)")
