"""Early stopping: exclusive or, which no single column tells anything about.

One idea: a rule that demands a gain at every step cannot take the first of two steps that only together gain.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np

from hornbeam.data.measure_checks import number
from hornbeam.estimators.tree_estimators import TreeClassifier
from hornbeam.teaching import measures
from hornbeam.teaching.demonstrations.checks import lines, whole
from hornbeam.tree.words import amount

_MOST_COLUMNS = 16  # a truth table of more columns is too long to be a demonstration


@dataclass(frozen=True)
class EarlyStopping:
    """What a minimum gain does to exclusive or.

    Attributes
    ----------
    n_columns, n_rows : int
    min_gain : float
    gains : dict of str to float
        The information gain of every single column: none.
    joint_gain : float
        That of x1 and x2 together: all.
    full_leaves, stopped_leaves : int
        The leaves of the tree grown fully, and of the one that splits only if the gain exceeds `min_gain`.
    full_error, stopped_error : float
        Their training errors.
    """

    n_columns: int
    n_rows: int
    min_gain: float
    gains: dict[str, float]
    joint_gain: float
    full_leaves: int
    stopped_leaves: int
    full_error: float
    stopped_error: float

    def to_dict(self) -> dict[str, Any]:
        """The numbers by name."""
        return asdict(self)

    def __str__(self) -> str:
        facts = {
            "gain of any single column": amount(max(self.gains.values())),
            "gain of x1 and x2 together": amount(self.joint_gain),
            "leaves of the full tree": str(self.full_leaves),
            f"leaves with min_gain={self.min_gain:g}": str(self.stopped_leaves),
        }
        return lines(f"x1 xor x2 on {self.n_rows} rows of {self.n_columns} columns", facts)


def xor(n_columns: int = 2, min_gain: float = 1e-9) -> EarlyStopping:
    """Show that early stopping misses what only two columns together tell: y = x1 xor x2.

    All rows of the truth table of `n_columns` columns are used, so every single column has gain 0. A learner
    that insists on a gain stops at the root; one that grows fully finds the four leaves. Growing fully and
    pruning afterwards can do what early stopping does, not the other way round.

    Parameters
    ----------
    n_columns : int
        From 2 to 16; the columns after the first two do not matter.
    min_gain : float
        At least 0; a split must gain more.

    Returns
    -------
    EarlyStopping

    Examples
    --------
    >>> found = xor(5)
    >>> found.gains
    {'x1': 0.0, 'x2': 0.0, 'x3': 0.0, 'x4': 0.0, 'x5': 0.0}
    >>> found.joint_gain, found.full_leaves, found.stopped_leaves
    (1.0, 4, 1)
    """
    n_columns = whole(n_columns, "n_columns", 2, _MOST_COLUMNS)
    least = number(min_gain, "min_gain", 0.0, math.inf)
    rows = np.array(list(product((0, 1), repeat=n_columns)))
    X = {f"x{j + 1}": rows[:, j] for j in range(n_columns)}
    y = rows[:, 0] ^ rows[:, 1]
    full = TreeClassifier("entropy").fit(X, y)
    stopped = TreeClassifier("entropy", min_gain=least).fit(X, y)
    return EarlyStopping(
        n_columns,
        len(y),
        least,
        {name: measures.information_gain(column, y) for name, column in X.items()},
        measures.information_gain(list(zip(X["x1"].tolist(), X["x2"].tolist(), strict=True)), y),
        full.tree_.n_leaves,
        stopped.tree_.n_leaves,
        measures.error_rate(y, full.predict(X)),
        measures.error_rate(y, stopped.predict(X)),
    )
