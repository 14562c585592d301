"""M5's replacement of subtrees by linear models (Quinlan 1992, Wang & Witten 1997).

The error of a model on its own training rows is too small, the more so the more parameters it has for its
rows. So errors are compared after multiplying by (n + v) / (n - v).
"""

from __future__ import annotations

import numpy as np

from hornbeam._base.types import TIE, Floats, Task
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.leaves.fit_equations import check_factor, m5_factor
from hornbeam.pruning.base import Pruner, need_counts
from hornbeam.pruning.levels import Level, LevelDecision, decide_up
from hornbeam.pruning.record import Pruned
from hornbeam.pruning.risks import node_risks
from hornbeam.tree import equations
from hornbeam.tree.tree import Tree

_EXACT = 1e-5  # of the target's deviation: a model with less error than this is not improved by a subtree


class ModelError(Pruner):
    """Bottom-up replacement of subtrees by their node's own equation, as in M5.

    From below, a subtree is replaced by the equation (or mean) of its node if the adjusted error of that is
    no larger than the subtree's. The error is the root mean squared residual on the training rows before
    smoothing and bounds, times the factor (n + v) / (n - v), with n rows and v parameters; a subtree has the
    parameters of all its leaves and one for each test. The tree needs equations in its inner nodes, as
    `leaf=Linear(...)` gives them; without any it is pruned by means.

    Parameters
    ----------
    factor : "quinlan" or "weka"
        "quinlan": (n + v) / (n - v); "weka": (n + 2 v) / (n - v).

    Examples
    --------
    >>> import hornbeam as hb
    >>> from hornbeam.parts import Linear
    >>> from hornbeam.parts import ModelError
    >>> X, y = {"x": list(range(12))}, [2 * x + 1 for x in range(12)]
    >>> model = hb.TreeRegressor(leaf=Linear(), pruning=ModelError(), min_samples_leaf=3).fit(X, y)
    >>> print(hb.show(model, charset="ascii"))
    -> 1 + 2*x  within 1 to 23  n=12
    within: never below or above
    """

    name, about = "m5", "a node's equation in place of a subtree of larger adjusted error"
    tasks, task_hint = (Task.REAL,), "its errors are those of numbers"

    def __init__(self, factor: str = "quinlan") -> None:
        self.factor = factor

    def check(self) -> None:
        """Raise if the factor is not known."""
        check_factor(self.factor)

    def check_task(self, task: Task) -> None:
        """Raise for anything but a real target."""
        if task != Task.REAL:
            raise ValueError(
                f"{self!r} compares errors of numbers: use it in a TreeRegressor, or pruning='error-based' or"
                " another method for classes"
            )

    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:  # noqa: ARG002
        """Replace subtrees by equations; rows are not needed."""
        super().check_task(tree.task)
        need_counts(tree)
        n, weight = tree.n_rows.astype(np.float64), np.maximum(tree.weight, np.finfo(float).tiny)
        # Residuals and parameters of what each node is by now, its own at first.
        squares, sizes = node_risks(tree, "squared"), equations.sizes(tree).astype(np.float64)
        own = _adjusted(squares / weight, m5_factor(n, sizes, self.factor))
        floor = _EXACT * float(np.sqrt(max(tree.stats[0, 2], 0.0) / tree.weight[0]))

        def decide(level: Level) -> LevelDecision:
            tests = level.tests
            squares_below, sizes_below = level.sums(squares), level.sums(sizes) + 1
            factor = m5_factor(n[tests], sizes_below, self.factor)
            below = _adjusted(squares_below / weight[tests], factor)
            cut = (own[tests] <= below * (1 + TIE)) | (own[tests] < floor)
            squares[tests] = np.where(cut, squares[tests], squares_below)
            sizes[tests] = np.where(cut, sizes[tests], sizes_below)
            return tests, cut, {"as a tree": below, "as a leaf": own[tests]}

        leaf, decisions = decide_up(tree, decide)
        return Pruned(tree.collapse(leaf), decisions, self.name, {"factor": self.factor}, tree)


def _adjusted(squares: Floats, factor: Floats) -> Floats:
    """Errors times their factor; infinite where there are no more rows than parameters."""
    errors = np.full(squares.shape, np.inf)
    np.multiply(np.sqrt(squares), factor, out=errors, where=np.isfinite(factor))
    return errors
