"""Replace by child: at each test keep it, make it a leaf, or let a child's subtree take its place (R82)."""

from __future__ import annotations

from typing import Any

from hornbeam._base.checks import check_share
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target
from hornbeam.pruning.base import Fill, Grow, Growing, Pruned, Pruner, need_counts, need_task
from hornbeam.pruning.child_replacement import answers_by_sums, core_can_replace, replaced_by_core
from hornbeam.pruning.child_replacement_refitted import replaced_anew
from hornbeam.pruning.child_replacement_stepwise import replaced_stepwise
from hornbeam.pruning.held_out import held_out
from hornbeam.tree.tree import Tree


class ReplaceByChild(Pruner):
    """Pruning that also moves subtrees up: each test is kept, made a leaf, or replaced by a child's subtree.

    From below, three kinds of candidates are compared by the errors they make on a pruning sample: the
    subtree as it is by now, a leaf, and the subtree of each child. For the latter the training rows of the
    node go down the child's subtree, whose leaves then answer by all of them. The fewest errors win; if
    several make as many: the leaf, then the smallest child's subtree, then what is there. A test that no row
    of the sample reaches becomes a leaf.

    Errors are counted as in `ReducedError`: weights, counts, costs and priors count, squared errors for a
    real target. A row that follows several paths counts with its parts. Leaves of a subtree that moves answer
    by plain means or shares, by the quantile the tree answers, or by equations that the estimator's leaf
    model fits anew. Since moved subtrees are fitted to other rows, `monotonic_cst` is not accepted.

    In `hornbeam.prune`, X and y are the pruning sample and `training=(X, y)` the rows the tree was grown on.
    In the slot of an estimator the rows are split as by `ReducedError`.

    Parameters
    ----------
    holdout : float
        The share of the rows that the tree is pruned on, not grown.
    random_state : int, Generator, RandomState or None
        Another number, another split; None splits differently at each fit.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X, y = {"a": [0, 0, 0, 1, 1, 1, 1], "b": [0, 0, 1, 0, 0, 1, 1]}, list("pppppqq")
    >>> tree = hb.Tree.from_nested({"column": "a", "<=": 0.5, "yes": "p",
    ...                             "no": {"column": "b", "<=": 0.5, "yes": "p", "no": "q"}}).refit(X, y)
    >>> tree.text()
    'a[<=0.5: p(3:0) | >0.5: b[<=0.5: p(2:0) | >0.5: q(0:2)]]'
    >>> held = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, list("pqpq")  # b alone is right
    >>> hb.prune(tree, "replace-by-child", *held, training=(X, y)).text()
    'b[<=0.5: p(4:0) | >0.5: q(1:2)]'
    """

    name, about = "replace-by-child", "keep, leaf, or a child's subtree: fewest errors on a second sample"
    uses_rows = True
    uses_training = True

    def __init__(self, holdout: float = 0.3, random_state: Any = 0) -> None:
        self.holdout = holdout
        self.random_state = random_state

    def check(self) -> None:
        """Raise if the share is no number between 0 and 1."""
        check_share("holdout", self.holdout, "the share of the rows to prune on")

    def check_task(self, task: str) -> None:
        """Raise for densities, which answer no row wrongly."""
        need_task(self, task, ("classes", "real"), "a density has no errors on single rows; use a penalty")

    def keeps_order(self) -> bool:
        """A subtree that moves up is fitted to other rows."""
        return False

    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:  # noqa: ARG002
        """Refuse: this method needs the rows the tree was grown on, too."""
        raise ValueError(
            f"{self!r} fits subtrees to the rows the tree was grown on: give them as training=(X, y), and the"
            " rows to prune on as X and y"
        )

    def prune_between(self, tree: Tree, training: Rows, held: Rows, fill: Fill | None = None) -> Pruned:
        """The tree pruned on `held`, moved subtrees fitted to `training`; `fill` fits their equations."""
        self.check_task(tree.task)
        need_counts(tree)
        if not answers_by_sums(tree):
            small, decisions, raised = replaced_anew(tree, training, held, fill)
        elif core_can_replace(tree):
            small, decisions, raised = replaced_by_core(tree, training, held)
        else:
            small, decisions, raised = replaced_stepwise(tree, training, held)
        return Pruned(small, decisions, self.name, {"raised": raised}, tree)

    def learn(self, grow: Grow, table: Table, target: Target) -> Pruned:
        """Grow on a part of the rows and prune on the others."""
        fill = grow.fill if isinstance(grow, Growing) else None
        return held_out(
            self,
            grow,
            Rows(table, target),
            lambda tree, grown, held: self.prune_between(tree, grown, held, fill),
        )
