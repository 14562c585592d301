"""Chi-square pruning: a test whose branches differ no more than by chance becomes a leaf."""

from __future__ import annotations

import math

import numpy as np

from hornbeam._base.parameters import check_share, warn_user
from hornbeam._base.significance.tails import log_chi2
from hornbeam._base.types import Floats, Task
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.pruning.base import Pruner
from hornbeam.pruning.levels import Level, LevelDecision, decide_up
from hornbeam.pruning.record import Decisions, Pruned
from hornbeam.pruning.risks import rows_per_weight
from hornbeam.tree.tree import Tree

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
