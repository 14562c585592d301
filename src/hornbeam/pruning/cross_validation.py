"""Cross-validation of a pruning path: what rows lose by trees grown without them, at every step.

One idea: a tree is grown once for each fold and its strengths found once; then all steps are judged together.
A step stands for penalties between its own and the next one's, so trees of folds are judged at their
geometric mean (Breiman, Friedman, Olshen & Stone 1984, section 3.4.2).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.data.folds import folds_of
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target
from hornbeam.pruning.base import Grow
from hornbeam.pruning.critical_alphas import strengths
from hornbeam.pruning.held_out_losses import Lost, lost
from hornbeam.tree.apply import n_threads
from hornbeam.tree.tree import Tree


def cross_validated(
    grow: Grow,
    table: Table,
    target: Target,
    alpha: Floats,
    cv: Any,
    seed: int = 0,
    risk: str = "error",
    n_jobs: int | None = 1,
) -> Lost:
    """What the rows lose at each step of a path, every row by the tree of the fold it is held out of.

    Parameters
    ----------
    grow : the unpruned tree of some rows
    table, target : all rows
    alpha : the penalties of the path
    cv : the number of folds, or the fold of each row
    seed : of the folds
    risk : {"error", "impurity"}
    n_jobs : with more than one thread a tree is judged while the next one grows
    """
    points = between(alpha)

    def judged(tree: Tree, held: Rows) -> Lost:
        return lost(tree, strengths(tree, risk), points, held.table, held.target)

    parts = folds_of(table, target, cv, seed).parts(table, target)
    if n_threads(n_jobs) < 2:
        each = [judged(grow(*sample), held) for sample, held in parts]
    else:
        with ThreadPoolExecutor(1) as beside:
            waiting = [beside.submit(judged, grow(*sample), held) for sample, held in parts]
            each = [one.result() for one in waiting]
    return reduce(add, each)


def between(alpha: Floats) -> Floats:
    """The geometric means of successive penalties; the last is infinite.

    >>> between(np.array([0.0, 0.01, 0.04]))
    array([0.  , 0.02,  inf])
    """
    if len(alpha) == 1:
        return np.array([np.inf])
    found: Floats = np.sqrt(alpha) * np.sqrt(np.append(alpha[1:], np.inf))
    return found
