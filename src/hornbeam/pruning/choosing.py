"""Choosing among trees of different sizes by their risks: the least, or the 1-SE rule.

One idea: a risk measured on other rows is uncertain; of the trees that may well be as good as the best, the
smallest is taken (Breiman, Friedman, Olshen & Stone 1984, section 3.4.3).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam.pruning.checks import check_choice

RULES = ("1-se", "min")
_TIE = 1e-12  # of the risk: what is closer is equal


def choose_step(leaves: Any, risk: Any, error: Any = None, rule: str = "1-se") -> int:
    """Which of several trees to choose, given their sizes, risks and standard errors.

    Parameters
    ----------
    leaves : the size of each tree
    risk : its cross-validated risk, or that on other rows
    error : the standard error of each risk; needed for "1-se"
    rule : {"1-se", "min"}
        "min": least risk, of equal ones the smaller tree. "1-se": the smallest tree whose risk is at most the
        least risk plus its standard error.

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
        raise ValueError("error must hold the standard error of each risk for rule='1-se'; or use rule='min'")
    limit = mean[best] + spread[best]
    within = np.flatnonzero(mean <= limit + _TIE * abs(limit))
    return int(within[np.argmin(size[within])])
