"""Combining: what several trees answer together.

One idea: trees give probabilities; their mean counts how sure each tree is, a vote only which class it names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import Floats
from hornbeam.tree.answer_rule import heaviest_class

_DEFAULT = "mean"


def _votes(shares: Floats) -> Floats:
    """1 for the class a tree names, the first of equally likely ones."""
    n_trees, n_rows, n_classes = shares.shape
    named = heaviest_class(shares.reshape(-1, n_classes))
    return np.eye(n_classes)[named].reshape(n_trees, n_rows, n_classes)


# How answers are combined: what is averaged over the trees.
COMBINE: Mapping[str, Callable[[Floats], Floats]] = {"mean": lambda shares: shares, "vote": _votes}


def check_combine(how: Any) -> str:
    """The name of a way to combine answers; ValueError if it is none."""
    if not isinstance(how, str) or how not in COMBINE:
        raise ValueError(
            f"combine={how!r} is not known{did_you_mean(how, COMBINE)}: use 'mean' for the mean of the trees'"
            " probabilities or 'vote' for the share of the trees that name a class"
        )
    return how


def combine(shares: npt.ArrayLike, how: str = _DEFAULT) -> tuple[Floats, Any]:
    """What several trees answer together: the probabilities, and the class as its position.

    Parameters
    ----------
    shares : array (trees, classes) for one row, or (trees, rows, classes)
        The probabilities each tree gives.
    how : "mean" or "vote"
        The mean of the probabilities, or the share of the trees whose likeliest class it is. Ties go to the
        first class.

    Returns
    -------
    probabilities : array (classes,) or (rows, classes)
    position : int, or array (rows,)
        Of the class answered.

    Examples
    --------
    >>> trees = [[0.9, 0.1], [0.4, 0.6], [0.45, 0.55]]
    >>> combine(trees)
    (array([0.58333333, 0.41666667]), 0)
    >>> combine(trees, "vote")
    (array([0.33333333, 0.66666667]), 1)
    """
    how = check_combine(how)
    array = np.asarray(shares, dtype=np.float64)
    if array.ndim not in (2, 3) or 0 in array.shape:
        raise ValueError(
            f"shares has shape {array.shape}: give the probabilities of each tree as (trees, classes) for one"
            " row or (trees, rows, classes), with at least one of each"
        )
    if not (array >= 0).all() or not np.allclose(array.sum(axis=-1), 1, rtol=0, atol=1e-6):
        raise ValueError("shares must be probabilities: 0 or more, and adding up to 1 over the classes")
    together = COMBINE[how](array[:, None, :] if array.ndim == 2 else array).mean(axis=0)
    named = heaviest_class(together)
    return (together[0], int(named[0])) if array.ndim == 2 else (together, named)
