"""Choosing among trees of different sizes by their risks: the least, the 1-SE rule, or a price for size.

One idea: a risk measured on other rows is uncertain; of the trees that may well be as good as the best, the
smallest is taken (Breiman, Friedman, Olshen & Stone 1984, section 3.4.3), or the one of the best bargain.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.checks import check_choice
from hornbeam._base.types import Floats

RULES = ("1-se", "min", "thrifty")
HALVING = 0.75  # what half the leaves is worth, in standard errors
_TIE = 1e-12  # of the risk: what is closer is equal


def price(leaves: Any, risk: Any, error: float) -> Floats:
    """What trees cost by the thrifty rule, given their sizes, their risks and one standard error."""
    found: Floats = np.asarray(risk) + HALVING * error * np.log2(leaves)
    return found


def choose_step(leaves: Any, risk: Any, error: Any = None, rule: str = "1-se") -> int:
    """Which of several trees to choose, given their sizes, risks and standard errors.

    Parameters
    ----------
    leaves : the size of each tree
    risk : its cross-validated risk, or that on other rows
    error : the standard error of each risk; needed for "1-se" and "thrifty"
    rule : {"1-se", "min", "thrifty"}
        "min": least risk, of equal ones the smaller tree. "1-se": the smallest tree whose risk is at most the
        least risk plus its standard error. "thrifty": the least of risk + 3/4 error log2(leaves), where error
        is that of the least risk: half the leaves is worth three quarters of a standard error.

    Returns
    -------
    int
        The position of the chosen tree.

    Examples
    --------
    >>> leaves, risk = [1, 2, 3, 5, 8], [0.50, 0.36, 0.31, 0.30, 0.33]
    >>> error = [0.05, 0.048, 0.046, 0.046, 0.047]
    >>> leaves[choose_step(leaves, risk, error, "min")], leaves[choose_step(leaves, risk, error)]
    (5, 3)
    >>> leaves[choose_step(leaves, risk, error, "thrifty")]
    3
    """
    check_choice("rule", rule, RULES)
    size, mean = np.asarray(leaves, dtype=np.float64), np.asarray(risk, dtype=np.float64)
    if size.ndim != 1 or size.shape != mean.shape or not len(size):
        raise ValueError(
            "leaves and risk must be columns of one length, a number for each tree, but their shapes are"
            f" {size.shape} and {mean.shape}"
        )
    unknown = np.flatnonzero(~np.isfinite(mean))
    if len(unknown):
        raise ValueError(f"risk[{unknown[0]}]={mean[unknown[0]]} must be a finite number")
    least = mean.min()
    margin = _TIE * abs(least)
    best = int(np.flatnonzero(mean <= least + margin)[np.argmin(size[mean <= least + margin])])
    if rule == "min":
        return best
    spread = np.full(mean.shape, np.nan) if error is None else np.asarray(error, dtype=np.float64)
    if spread.shape != mean.shape or not spread[best] >= 0:
        raise ValueError(
            f"error must hold the standard error of each risk for rule={rule!r}; or use rule='min'"
        )
    if rule == "thrifty":
        if not (size >= 1).all():
            raise ValueError(
                f"leaves holds {size[~(size >= 1)][0]:g}: a tree has a leaf at least, and rule='thrifty'"
                " weighs their number"
            )
        cost = price(size, mean, spread[best])
        cheap = np.flatnonzero(cost <= cost.min() + _TIE * abs(cost.min()))
        return int(cheap[np.argmin(size[cheap])])
    limit = mean[best] + spread[best]
    within = np.flatnonzero(mean <= limit + _TIE * abs(limit))
    return int(within[np.argmin(size[within])])
