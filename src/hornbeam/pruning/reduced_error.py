"""Reduced-error pruning: a leaf wherever a second sample is answered no worse, or only where it is better."""

from __future__ import annotations

from typing import Any

from hornbeam._base.parameters import check_choice
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.pruning.base import HeldOutPruner
from hornbeam.pruning.levels import cheapest_pruning
from hornbeam.pruning.record import Pruned
from hornbeam.pruning.sample_risks import sample_costs
from hornbeam.tree.tree import Tree

TIES = ("prune", "keep")


class ReducedError(HeldOutPruner):
    """Reduced-error pruning (Quinlan 1987): one sample grows the tree, another one prunes it.

    From below, a test becomes a leaf if that answers the pruning sample at least as well as the subtree there
    is by then. With `ties="prune"` the result is the smallest of all prunings that answer the sample best; a
    node that no row of it reaches becomes a leaf. Leaves answer as the growing sample says.

    The sample is judged by the weight of the rows answered wrongly, by what they cost where the tree has
    costs or priors, and by squared errors for a real target. A row with gaps that follows several paths
    counts at each leaf with its share in the tree before pruning.

    In `hornbeam.prune`, X and y are the pruning sample, and `holdout` and `random_state` are not used. In the
    slot of an estimator they split the rows, class by class, by what the rows hold: the order of rows and
    rows of weight 0 make no difference. Repetitions of a row (`counts`, and weights if all are whole numbers)
    may go to both parts, as equal rows do. Where nothing can be held out (one row in each class) the tree is
    grown on all rows and stays as it is; `pruning_.facts` says so.

    Parameters
    ----------
    holdout : float
        The share of the rows that the tree is pruned on, not grown.
    ties : {"prune", "keep"}
        What becomes of a test where the leaf is as good: "prune" (Mansour), or "keep" (Pošík: the error must
        decrease).
    random_state : int, Generator, RandomState or None
        Another number, another split; None splits differently at each fit.

    References
    ----------
    Quinlan, J. R. (1987). Simplifying decision trees. International Journal of Man-Machine Studies 27,
    221-234.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tree = hb.Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 3, "b": 1}},
    ...                             "no": {"counts": {"a": 1, "b": 2}}})
    >>> X, y = {"x": [1, 1, 2, 2]}, ["a", "a", "a", "b"]
    >>> hb.prune(tree, "reduced-error", X, y).text()
    'a(4:3)'
    >>> hb.prune(tree, ReducedError(ties="keep"), X, y).text()
    'x[<=1.5: a(3:1) | >1.5: b(1:2)]'

    In an estimator:

    >>> model = hb.TreeClassifier(pruning=ReducedError(holdout=0.3))
    """

    name, about = "reduced-error", "leaves where a second sample is answered no worse"

    def __init__(self, holdout: float = 0.3, ties: str = "prune", random_state: Any = 0) -> None:
        super().__init__(holdout, random_state)
        self.ties = ties

    def check(self) -> None:
        """Raise if a number is out of its range."""
        super().check()
        check_choice("ties", self.ties, TIES)

    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:
        """Prune the tree on these rows."""
        rows = self.need_rows(table, target)
        self.check_tree(tree)
        sample = sample_costs(tree, *rows)
        names = ("errors as a tree", "errors as a leaf")
        cheapest = cheapest_pruning(tree, sample.cost, names, ties=self.ties, slack=sample.slack)
        leaves = (tree.first_child < 0) & (sample.weight > 0)
        facts = {
            "ties": self.ties,
            "sample": float(sample.weight[0]),
            "errors before": float(sample.cost[leaves].sum()),
            "errors after": cheapest.total,
        }
        decisions = cheapest.decisions
        decisions.numbers["sample"] = sample.weight[decisions.node]
        return Pruned(tree.collapse(cheapest.leaf), decisions, self.name, facts, tree)


class Validation(ReducedError):  # noqa: N818 (no exception)
    """Validation pruning (Pošík, slide 21): a test becomes a leaf only if the validation error decreases.

    It is `ReducedError` with `ties="keep"`: a leaf that is only as good as the subtree does not replace it,
    so what no validation row reaches stays.

    Parameters
    ----------
    holdout : float
        The share of the rows that the tree is pruned on, not grown; in `hornbeam.prune` these are X and y.
    random_state : int, Generator, RandomState or None
        Another number, another split.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tree = hb.Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 3, "b": 1}},
    ...                             "no": {"counts": {"a": 1, "b": 2}}})
    >>> hb.prune(tree, "validation", {"x": [1, 2, 2]}, ["a", "a", "b"]).text()
    'x[<=1.5: a(3:1) | >1.5: b(1:2)]'
    >>> hb.prune(tree, "validation", {"x": [1, 2, 2]}, ["a", "a", "a"]).text()
    'a(4:3)'
    """

    name, about = "validation", "leaves where the error on a second sample decreases"

    def __init__(self, holdout: float = 0.3, random_state: Any = 0) -> None:
        super().__init__(holdout, "keep", random_state)
