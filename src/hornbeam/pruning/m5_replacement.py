"""M5's replacement of subtrees by linear models (R68; Quinlan 1992, Wang & Witten 1997).

One idea: what a model leaves unexplained on its own training rows is too small by how many parameters it has
to its rows, so errors are compared after multiplying by (n + v) / (n - v).
"""

from __future__ import annotations

import numpy as np

from hornbeam._base.types import Bools, Floats
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.leaves.fit_equations import check_factor, m5_factor
from hornbeam.pruning.base import Decisions, Pruned, Pruner, need_counts, need_task
from hornbeam.pruning.levels import Level, levels_up
from hornbeam.pruning.risks import node_risks
from hornbeam.tree import equations
from hornbeam.tree.tree import Tree

_TIE = 1e-12
_SETTLED = 1e-5  # of the target's deviation: with less error than this a model is taken as it is


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
    """

    name, about = "m5", "a node's equation in place of a subtree of larger adjusted error"

    def __init__(self, factor: str = "quinlan") -> None:
        self.factor = factor

    def check(self) -> None:
        """Raise if the factor is not known."""
        check_factor(self.factor)

    def check_task(self, task: str) -> None:
        """Raise for anything but a real target."""
        if task != "real":
            raise ValueError(
                f"{self!r} compares errors of numbers: use it in a TreeRegressor, or pruning='error-based' or"
                " another method for classes"
            )

    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:  # noqa: ARG002
        """The tree with subtrees replaced; rows are not needed."""
        need_task(self, tree.task, ("real",), "its errors are those of numbers")
        need_counts(tree)
        state = _Errors(tree, self.factor)
        floor = _SETTLED * float(np.sqrt(max(tree.stats[0, 2], 0.0) / tree.weight[0]))
        leaf, examined, below = np.zeros(len(tree), dtype=np.bool_), [], []
        for level in levels_up(tree):
            tests, subtree = level.tests, state.below(level)
            own = state.own[tests]
            leaf[tests] = (own <= subtree * (1 + _TIE)) | (own < floor)
            state.keep(level, ~leaf[tests])
            examined.append(tests)
            below.append(subtree)
        order = np.concatenate(examined) if examined else np.empty(0, dtype=np.int64)
        numbers = {
            "as a tree": np.concatenate(below) if below else np.empty(0),
            "as a leaf": state.own[order],
        }
        made = Decisions(order, leaf[order].astype(np.int8), numbers)
        return Pruned(tree.collapse(leaf), made, self.name, {"factor": self.factor}, tree)


class _Errors:
    """Adjusted errors while subtrees are replaced: residuals and parameters of what each node is now."""

    def __init__(self, tree: Tree, factor: str) -> None:
        self.factor = factor
        self.n, self.weight = tree.n_rows.astype(np.float64), np.maximum(tree.weight, np.finfo(float).tiny)
        self.squares, self.sizes = node_risks(tree, "squared"), equations.sizes(tree).astype(np.float64)
        self.own: Floats = _adjusted(self.squares / self.weight, m5_factor(self.n, self.sizes, factor))

    def below(self, level: Level) -> Floats:
        """The adjusted error of each test as it stands."""
        squares = level.sums(self.squares) / self.weight[level.tests]
        parameters = level.sums(self.sizes) + 1
        return _adjusted(squares, m5_factor(self.n[level.tests], parameters, self.factor))

    def keep(self, level: Level, kept: Bools) -> None:
        """Tests that stay have the residuals and parameters of what is below them."""
        stay = level.tests[kept]
        self.squares[stay] = level.sums(self.squares)[kept]
        self.sizes[stay] = level.sums(self.sizes)[kept] + 1


def _adjusted(squares: Floats, factor: Floats) -> Floats:
    """Errors times their factor; infinite where there are no more rows than parameters."""
    found = np.full(squares.shape, np.inf)
    np.multiply(np.sqrt(squares), factor, out=found, where=np.isfinite(factor))
    return found
