"""Pruning by the training rows alone: penalties for size, and a chi-square test of the branches.

A price for each leaf is fixed (Penalised), or follows from structural risk (SRM); ChiSquare asks whether the
branches of a test differ more than by chance.

By structural risk minimisation, after Kearns & Mansour, a test v becomes a leaf if
error of its subtree + alpha > error as a leaf, with

    alpha = factor x sqrt(((depth of v + size of its subtree) log n + log(1 / delta)) / rows at v).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hornbeam._base.error_limits import srm_penalty
from hornbeam._base.parameters import check_above, check_choice, check_least, check_share, warn_user
from hornbeam._base.significance.tails import log_chi2
from hornbeam._base.types import TIE, AnyArray, Floats, Task
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.pruning.base import Pruner, need_counts
from hornbeam.pruning.levels import Level, LevelDecision, cheapest_pruning, decide_up
from hornbeam.pruning.record import Decisions, Pruned
from hornbeam.pruning.risks import node_masses, node_risks, rows_per_weight
from hornbeam.tree.sizes import leaf_counts
from hornbeam.tree.tree import Tree


class Penalised(Pruner):
    """Complexity penalisation: of all prunings the one of least cost + strength x leaves.

    The cost is - sum ln p(outcome) over the training rows for classes (the log-likelihood), and the sum of
    (y - answer)^2 for a real target (the Gaussian one up to constants). One pass from below finds the exact
    minimum; of equally good prunings it is the smallest. Weights and counts multiply a row's term, priors
    count as they do in the answers; probabilities are those the leaves answer with, smoothed or not.

    Parameters
    ----------
    strength : float
        What one leaf costs, in natural units of the log-likelihood, or in squared units of y. 0 keeps
        everything that fits the training rows better.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tree = hb.Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 20, "b": 2}},
    ...                             "no": {"counts": {"a": 8, "b": 10}}})
    >>> hb.prune(tree, Penalised(strength=3)).text()
    'x[<=1.5: a(20:2) | >1.5: b(8:10)]'
    >>> hb.prune(tree, Penalised(strength=20)).text()
    'a(28:12)'
    """

    name, about = "penalised", "least training cost + strength x leaves"

    def __init__(self, strength: float = 1.0) -> None:
        self.strength = strength

    def check(self) -> None:
        """Raise if the strength is no number of at least 0."""
        check_least("strength", self.strength, 0, "what one leaf costs")

    # Rows are not needed, hence not read.
    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:  # noqa: ARG002
        """Return the smallest of the cheapest prunings; rows are not needed."""
        need_counts(tree)
        cost = node_risks(tree, "log-likelihood") + float(self.strength) * leaf_counts(tree)
        cheapest = cheapest_pruning(tree, cost)
        small = tree.collapse(cheapest.leaf)
        risks = node_risks(small, "log-likelihood")[small.first_child < 0].sum()
        facts = {
            "strength": float(self.strength),
            "cost": float(risks),
            "penalised cost": float(risks + self.strength * small.n_leaves),
        }
        return Pruned(small, cheapest.decisions, self.name, facts, tree)


SIZES = ("nodes", "leaves")
TERMS = ("1/delta", "m/delta")


@dataclass(eq=False, repr=False)
class SRM(Pruner):
    """Structural risk minimisation from below (Kearns & Mansour 1998): large subtrees must earn their size.

    A test becomes a leaf if the training error of the subtree there is by then plus a penalty exceeds its
    error as a leaf; if both are equal it stays. The penalty is `srm_penalty(m, size, depth, n, delta)` of
    `hb.teaching.theory` with m the training rows at the node. It grows with the size of the subtree and the
    depth of the node, and falls with the rows it was grown on, so no second sample is needed.

    Errors are shares of the node's weight, or mean costs where the tree has costs. `counts` are repetitions
    and count in m; weights do not.

    Parameters
    ----------
    delta : float
        The bound fails with at most this probability.
    n_attributes : float or None
        n, the number of Boolean attributes; None: the number of columns. Where columns have more than two
        values, give the number of different tests there are.
    size : {"nodes", "leaves"}
        What the size of a subtree counts.
    log_base : float
        The base of all logarithms; e by default, 2 for bits.
    factor : float
        Multiplies the penalty; the lecture's is 1.
    confidence : {"1/delta", "m/delta"}
        Whether log(1/delta) or log(m/delta) stands in the penalty.

    References
    ----------
    Kearns, M. & Mansour, Y. (1998). A fast, bottom-up decision tree pruning algorithm with near-optimal
    generalization. ICML, 269-277.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tree = hb.Tree.from_nested({"column": "x", "equals": "u", "yes": {"counts": {"a": 380, "b": 10}},
    ...                             "no": {"counts": {"a": 15, "b": 395}}})
    >>> print(hb.teaching.pruning_record(tree, SRM(delta=0.05, n_attributes=10)))
    srm: 1 node examined, 0 pruned; 2 leaves before, 2 after
    delta: 0.05
    n_attributes: 10
    node  test   action  depth  size    m  error of the subtree  error as a leaf   penalty
       0  x = u  keep        0     3  800               0.03125          0.49375  0.111263
    """

    name, about = "srm", "leaves where a subtree does not earn its size (Kearns & Mansour)"
    tasks = (Task.CLASSES,)
    task_hint = "the bound is one for shares of errors; use 'penalised' or 'reduced-error'"

    delta: float = 0.05
    n_attributes: float | None = None
    size: str = "nodes"
    log_base: float = math.e
    factor: float = 1.0
    confidence: str = "1/delta"

    def check(self) -> None:
        """Raise if a number is out of its range."""
        check_share("delta", self.delta, "the probability that the bound fails")
        if self.n_attributes is not None:
            check_least("n_attributes", self.n_attributes, 1, "the number of Boolean attributes, or None")
        check_choice("size", self.size, SIZES)
        check_above("log_base", self.log_base, 1, "the base of the logarithms, such as 2")
        check_least("factor", self.factor, 0, "what the penalty is multiplied by")
        check_choice("confidence", self.confidence, TERMS)

    # Rows are not needed, hence not read.
    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:  # noqa: ARG002
        """Keep the tests whose gain exceeds the penalty of their subtree."""
        self.check_tree(tree)
        risk, mass = node_risks(tree, "error"), node_masses(tree)
        m = tree.weight * rows_per_weight(tree)
        best, size = risk.copy(), leaf_counts(tree)
        n = float(len(tree.columns) if self.n_attributes is None else self.n_attributes)

        def decide(level: Level) -> LevelDecision:
            v = level.tests
            below, bulk = level.sums(best), level.sums(size) + (self.size == "nodes")
            share = np.where(mass[v] > 0, mass[v], 1.0)
            penalty = self._penalty(m[v], bulk, tree.depths[v], n)
            tree_error, leaf_error = below / share, risk[v] / share
            cut = tree_error + penalty > leaf_error + TIE * np.abs(leaf_error)
            best[v], size[v] = np.where(cut, risk[v], below), np.where(cut, 1, bulk)
            numbers = {"depth": tree.depths[v], "size": bulk, "m": m[v], "error of the subtree": tree_error}
            return v, cut, numbers | {"error as a leaf": leaf_error, "penalty": penalty}

        leaf, decisions = decide_up(tree, decide)
        facts = {"delta": float(self.delta), "n_attributes": n}
        return Pruned(tree.collapse(leaf), decisions, self.name, facts, tree)

    def _penalty(self, m: Floats, size: AnyArray, depth: AnyArray, n: float) -> Floats:
        """Penalties; infinite where no row is left to judge by."""
        penalty = np.full(len(m), np.inf)
        some = m > 0
        over = "m" if self.confidence == "m/delta" else "1"
        penalty[some] = self.factor * srm_penalty(
            m[some], size[some], depth[some], n, self.delta, numerator=over, base=self.log_base
        )
        return penalty


_FEW = 5.0  # below this expected count the chi-square law is a poor approximation (Cochran 1954)
NOTE = "an expected count is below 5: p is only a rough guide"


class ChiSquare(Pruner):
    """Chi-square pruning: a test stays only if its branches and the classes are not independent.

    From below, a test all of whose children are leaves, as grown or by now, is compared with chance: with O
    the rows of a class in a branch and E = branch total x class total / n, X2 = sum (O - E)^2 / E has
    (branches - 1)(classes - 1) degrees of freedom, empty branches and classes left out. The test becomes a
    leaf if p >= alpha, or if nothing is left to compare (no degree of freedom); it stays if p < alpha. Tests
    with a test below them stay.

    `counts` are repetitions of rows. `sample_weight` and `class_weight` are scaled so that a table sums to
    its number of rows; parts of rows with gaps count as parts. Where an expected count is below 5 the
    decision has a note, and one UserWarning says how many there are.

    Parameters
    ----------
    alpha : float
        The level of the test; a smaller one prunes more.

    References
    ----------
    Quinlan, J. R. (1986). Induction of decision trees. Machine Learning 1, 81-106. Russell, S. & Norvig, P.,
    Artificial Intelligence: A Modern Approach, section "Decision tree pruning".

    Examples
    --------
    >>> import hornbeam as hb
    >>> tree = hb.Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 20, "b": 30}},
    ...                             "no": {"counts": {"a": 30, "b": 20}}})
    >>> print(hb.teaching.pruning_record(tree, ChiSquare(alpha=0.05)))
    chi-square: 1 node examined, 0 pruned; 2 leaves before, 2 after
    alpha: 0.05
    node  test      action  statistic  df          p  least expected
       0  x <= 1.5  keep            4   1  0.0455003              25
    >>> hb.prune(tree, ChiSquare(alpha=0.01)).text()
    'a(50:50)'
    """

    name, about = "chi-square", "leaves where branches differ no more than by chance"
    tasks = (Task.CLASSES,)
    task_hint = "the chi-square test compares classes; use 'penalised' or 'reduced-error'"

    def __init__(self, alpha: float = 0.05) -> None:
        self.alpha = alpha

    def check(self) -> None:
        """Raise if the level is no number between 0 and 1."""
        check_share("alpha", self.alpha, "the level of the test, such as 0.05")

    # Rows are not needed, hence not read.
    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:  # noqa: ARG002
        """Keep the tests that are significant, and those above them."""
        self.check_tree(tree)
        ended = tree.first_child < 0  # leaves, as grown or by now

        def decide(level: Level) -> LevelDecision | None:
            level = level.where(level.all(ended))
            if not len(level.tests):
                return None
            statistic, df, log_p, least = _scores(tree, level)
            ended[level.tests] = cut = ~(log_p < math.log(self.alpha))
            numbers = {"statistic": statistic, "df": df, "p": np.exp(log_p), "least expected": least}
            return level.tests, cut, numbers

        leaf, decisions = decide_up(tree, decide)
        if len(decisions):
            decisions.notes = _note_few(decisions)
        return Pruned(tree.collapse(leaf), decisions, self.name, {"alpha": float(self.alpha)}, tree)


def _note_few(decisions: Decisions) -> dict[int, str]:
    """The notes on tables with small expected counts; a warning says how many there are."""
    few = np.flatnonzero((decisions.numbers["least expected"] < _FEW) & (decisions.numbers["df"] > 0))
    if len(few):
        warn_user(
            f"{len(few)} of the {len(decisions)} tables tested have expected counts below 5, where p is only"
            " a rough guide: the record notes which; grow larger leaves (min_samples_leaf) to avoid them"
        )
    return dict.fromkeys(few.tolist(), NOTE)


def _scores(tree: Tree, level: Level) -> tuple[Floats, Floats, Floats, Floats]:
    """The tests of one level: their statistics, degrees of freedom, log p and least expected counts."""
    counts = tree.stats[level.kids] * np.repeat(rows_per_weight(tree)[level.tests], level.sizes)[:, None]
    columns = np.add.reduceat(counts, level.start, axis=0)  # class totals of each test
    rows, n = counts.sum(axis=1), columns.sum(axis=1)  # branch totals, table totals
    branches = np.add.reduceat((rows > 0).astype(np.float64), level.start)  # those with rows
    df = (np.maximum(branches, 1.0) - 1.0) * (np.maximum((columns > 0).sum(axis=1), 1) - 1.0)
    owner = np.repeat(np.arange(len(level.tests)), level.sizes)
    product = rows[:, None] * columns[owner]
    total = np.maximum(n, np.finfo(float).tiny)[owner][:, None]
    there = product > 0
    gap = counts * total - product  # (O - E) n, exact for whole numbers
    terms = np.where(there, gap / np.where(there, product, 1.0) * gap / total, 0.0).sum(axis=1)
    least = np.where(there, product / total, np.inf).min(axis=1)
    statistic = np.where(df > 0, np.add.reduceat(terms, level.start), 0.0)
    return statistic, df, log_chi2(statistic, df), np.minimum.reduceat(least, level.start)
