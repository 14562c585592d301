"""Parts that choose among the smallest prunings: by errors allowed, a second sample, or structural risk.

One idea: a tree has one smallest pruning for each number of errors; these parts differ in which they take.
"""

from __future__ import annotations

from typing import Any

from hornbeam._base.checks import check_least, check_share
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target
from hornbeam.pruning.base import Grow, Pruned, Pruner, need_task
from hornbeam.pruning.dynamic_program import run
from hornbeam.pruning.held_out import held_out
from hornbeam.pruning.sizes_by_errors import SmallestPrunings
from hornbeam.tree.tree import Tree


class _AmongSmallest(Pruner):
    def check_task(self, task: str) -> None:
        """Raise for densities, which answer no row wrongly."""
        need_task(self, task, ("classes", "real"), "a density has no errors on single rows; use a penalty")

    def found(self, tree: Tree) -> SmallestPrunings:
        """The smallest prunings of a tree."""
        self.check_task(tree.task)
        return SmallestPrunings(tree, run(tree))


class SmallestForErrors(_AmongSmallest):
    """The smallest pruning with at most k errors on the training rows (R79), by dynamic programming.

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
    >>> model = hb.builddt().set_params(pruning=SmallestForErrors(k=1)).fit(robots.X, robots.y)
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
        """The smallest pruning with at most k errors."""
        found = self.found(tree)
        place = found.place(self.k)
        return found.pruned(0 if place is None else place, self.name)


class HypothesisValidation(_AmongSmallest):
    """Of the smallest prunings for every number of errors, the one of fewest errors on a second sample (R80).

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
    uses_rows = True

    def __init__(self, holdout: float = 0.3, random_state: Any = 0) -> None:
        self.holdout = holdout
        self.random_state = random_state

    def check(self) -> None:
        """Raise if the share is out of its range."""
        check_share("holdout", self.holdout, "the share of the rows to choose on")

    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:
        """The pruning these rows like best."""
        if table is None or target is None:
            raise ValueError(f"{self!r} chooses by rows that the tree was not grown on: give them as X and y")
        choice = self.found(tree).select_rows(Rows(table, target))
        record = choice.record
        facts = {**record.facts, "errors of the sample": choice.score, "prunings": choice.table}
        return Pruned(record.tree, record.decisions, self.name, facts, tree)

    def learn(self, grow: Grow, table: Table, target: Target) -> Pruned:
        """Grow on a part of the rows and choose on the others."""
        return held_out(self, grow, Rows(table, target), lambda tree, _, held: self.prune(tree, *held))


class SRMSelection(_AmongSmallest):
    """Of the smallest prunings for every number of errors, the one of least error + sqrt(nodes / m) (R81).

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

    # Rows are not needed, hence not read.
    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:  # noqa: ARG002
        """The pruning of least structural risk."""
        self.check_task(tree.task)
        choice = self.found(tree).select_srm()
        record = choice.record
        facts = {**record.facts, "error + sqrt(nodes / m)": choice.score, "prunings": choice.table}
        return Pruned(record.tree, record.decisions, self.name, facts, tree)

    def check_task(self, task: str) -> None:
        """Raise unless the error is a share of rows."""
        need_task(
            self, task, ("classes",), "its error must be a share of rows, from 0 to 1; use 'cost-complexity'"
        )
