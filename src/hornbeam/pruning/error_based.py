"""C4.5's pruning: tests that gain nothing become leaves, then those that a pessimistic estimate rejects.

Making a leaf of a test whose children are leaves that answer as the node itself would changes no answer
(`simplify_tree`): that is pruning without any loss.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from hornbeam._base.error_limits import LIMITS, expected_errors
from hornbeam._base.parameters import check_choice, check_share
from hornbeam._base.types import TIE, AnyArray, Bools, Floats, Task
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.part import check_flag
from hornbeam.pruning.base import Pruner
from hornbeam.pruning.levels import CheapestPruning, Level, LevelDecision, cheapest_pruning, decide_up
from hornbeam.pruning.record import Decisions, Pruned
from hornbeam.pruning.risks import node_risks
from hornbeam.pruning.subtree_raising import CaseCounts, case_counts, raise_subtrees
from hornbeam.tree.arrays import LEAF, owners
from hornbeam.tree.subtrees import nodes_below
from hornbeam.tree.tree import Tree

COUNTS_ERRORS = "it counts rows answered wrongly; use 'cost-complexity'"
EPSILON = 1e-3  # C4.5's: cases this near are equal


class Collapse(Pruner):
    """A test whose subtree makes no fewer training errors than the node would as a leaf becomes a leaf.

    C4.5 does this as it builds a tree, before any pruning. The answers for the training rows stay as good;
    shares at the leaves get coarser. Errors are counted in cases; with costs, what they cost.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X, y = {"x": [1, 2, 3, 4, 5, 6]}, list("aababb")
    >>> hb.TreeClassifier(max_depth=2).fit(X, y).tree_.n_leaves
    3
    >>> hb.TreeClassifier(max_depth=2, pruning="collapse").fit(X, y).tree_.text()
    'x[<=2.5: a(2:0) | >2.5: b(1:3)]'
    """

    name, about = "collapse", "no subtree without fewer training errors than its node (C4.5)"
    tasks, task_hint = (Task.CLASSES,), COUNTS_ERRORS

    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:  # noqa: ARG002
        """Return a smaller tree with as few training errors; rows are not needed."""
        self.check_tree(tree)
        cheapest = collapsible_tests(tree, node_risks(tree, "error") * case_scale(tree))
        return Pruned(tree.collapse(cheapest.leaf), cheapest.decisions, self.name, before=tree)


def collapsible_tests(tree: Tree, errors: Floats) -> CheapestPruning:
    """Find the tests that become leaves because their subtree makes no fewer errors."""
    return cheapest_pruning(tree, errors, ("errors of the tree", "errors of a leaf"), slack=EPSILON)


def case_scale(tree: Tree) -> float:
    """By what weights are multiplied so that the whole tree has as many cases as rows.

    >>> import hornbeam as hb
    >>> case_scale(hb.TreeClassifier().fit([[1.0], [2.0]], ["a", "b"], sample_weight=[4.0, 4.0]).tree_)
    0.25
    """
    return float(np.divide(tree.n_rows[0], tree.weight[0])) if tree.n_rows[0] > 0 else 1.0


def simplify_tree(tree: Tree, same: str = "label") -> Pruned:
    """Remove tests that only tell equal leaves apart; `same` is what classes are compared by.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "a"}, classes=["a", "b"])
    >>> simplify_tree(tree).tree.text()
    'a'
    """
    answer = tree.label if tree.task.is_classes and same == "label" else tree.answers()
    modelled = np.zeros(len(tree), dtype=np.bool_)
    modelled[owners(tree.model_offset)] = True
    ended = (tree.first_child < 0) & ~modelled

    def decide(level: Level) -> LevelDecision | None:
        level = level.where(level.all(ended) & ~modelled[level.tests])
        if not len(level.tests):
            return None
        above = np.repeat(level.tests, level.sizes)
        alike = _alike(answer[level.kids], answer[above])
        ended[level.tests] = same_below = np.logical_and.reduceat(alike, level.start)
        return level.tests, same_below, {}

    leaf, decisions = decide_up(tree, decide)
    return Pruned(tree.collapse(leaf), decisions, "simplify", {"same": same}, tree)


def _alike(a: AnyArray, b: AnyArray) -> AnyArray:
    """Whether answers are the same: labels exactly, numbers and shares up to rounding."""
    if a.dtype.kind != "f":
        return np.asarray(a == b)
    near = np.abs(a - b) <= TIE * np.maximum(np.abs(a), np.abs(b))
    return np.asarray(near.all(axis=1) if near.ndim == 2 else near)


SLACK = 0.1  # what is this many errors worse is pruned all the same (C4.5)


@dataclass(eq=False, repr=False)
class ErrorBased(Pruner):
    """Pessimistic pruning: a subtree stays only if fewer errors are to be expected from it than without it.

    A leaf that made E errors among N training cases is expected to make an upper limit of that, which is the
    further above E the fewer the cases (`hb.teaching.theory.expected_errors`). From below, each test is
    compared with a leaf, and with the subtree of its largest branch after all its rows have gone through it.
    It becomes a leaf if that is expected to make at most 0.1 errors more than either; otherwise the branch is
    raised into its place if that is at most 0.1 worse than the tree as it is, refilled with the rows, and
    examined again. No rows have to be held back.

    Parameters
    ----------
    confidence : float
        C4.5's CF, between 0 and 1: the smaller, the more is pruned.
    limit : {"c45", "exact", "weka"}
        How the upper limit is computed: as C4.5 approximates it, by the binomial law itself, or as Weka's J48
        does.
    raising : bool
        Whether branches are raised; it takes the training rows, which `hornbeam.prune` has to be given.
    collapse : bool
        Whether subtrees that make no fewer training errors than a leaf are made leaves first, as C4.5 does.

    Notes
    -----
    Cases are rows, or their fractions where `missing="fractional"`; `counts` are cases, `sample_weight` is
    scaled so that the whole table has as many cases as rows. Priors and costs count as they did in growing.

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann, chapter 4.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X = {"v": ["n"] * 6 + ["y"] * 9 + ["u"]}
    >>> model = hb.TreeClassifier(split="multiway", pruning=ErrorBased()).fit(X, ["d"] * 15 + ["r"])
    >>> model.tree_.text()
    'd(15:1)'
    >>> {name: round(value, 6) for name, value in model.pruning_.decisions[0].numbers.items()}
    {'leaf': 2.506894, 'tree': 3.272601, 'branch': 2.506894}
    """

    name, about = "error-based", "upper limits of the errors of each leaf, with raised subtrees (C4.5)"
    tasks, task_hint = (Task.CLASSES,), COUNTS_ERRORS

    confidence: float = 0.25
    limit: str = "c45"
    _: KW_ONLY
    raising: bool = True
    collapse: bool = True

    def check(self) -> None:
        """Raise if a number is out of its range."""
        check_share("confidence", self.confidence, "C4.5's CF, 0.25 unless another is wanted")
        check_choice("limit", self.limit, tuple(LIMITS))
        check_flag("raising", self.raising)
        check_flag("collapse", self.collapse)

    def keeps_order(self) -> bool:
        """Whether monotonic constraints are kept: not by a subtree that moves up."""
        return not self.raising

    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:
        """Return a smaller tree; raising takes the rows the tree was grown on."""
        self.check_tree(tree)
        if len(tree.cost_value):
            raise ValueError(
                f"{self!r} counts errors, but this tree answers by costs of each row: use 'reduced-error'"
            )
        cases = case_counts(tree, self.confidence, self.limit)
        merged = np.zeros(len(tree), dtype=bool)
        if self.collapse:
            merged = collapsible_tests(tree, cases.errors(tree)).leaf
        if not self.raising:
            small, decisions, expected = self._make_leaves(tree, cases, merged)
        elif table is None or target is None:
            raise ValueError(
                "raising=True sends the training rows through the subtrees it raises: give them as X and y,"
                " or use ErrorBased(raising=False)"
            )
        else:
            small, decisions, expected = raise_subtrees(tree, table, target, cases, merged)
        facts = {"confidence": float(self.confidence), "limit": self.limit, "expected errors": expected}
        return Pruned(small, decisions, self.name, facts, before=tree)

    def _make_leaves(self, tree: Tree, cases: CaseCounts, merged: Bools) -> tuple[Tree, Decisions, float]:
        """Prune without raising, which needs the Stats of the nodes and nothing else."""
        expected: Floats = expected_errors(
            cases.errors(tree), cases.total(tree), self.confidence, limit=self.limit
        )
        base = tree.collapse(merged)
        number = np.flatnonzero(~nodes_below(tree, merged))  # in `tree`, of each node of `base`
        cheapest = cheapest_pruning(base, expected[number], ("tree", "leaf"), slack=SLACK)
        record = cheapest.decisions
        order: tuple[str, ...] = ("leaf", "tree")
        numbers = {name: record.numbers[name] for name in order if name in record.numbers}
        decisions = Decisions(number[record.node], record.action, numbers)
        small = base.collapse(cheapest.leaf)
        leaves = number[np.flatnonzero(~nodes_below(base, cheapest.leaf))[small.kind == LEAF]]
        return small, decisions, float(expected[leaves].sum())
