"""The twin of oblique splits on two columns: the best of all lines, found by trying them.

The one idea: a line that parts points can be turned until it almost touches two of them. So every way of
parting the points by a line is a cut along a normal of the line through some pair, turned a little to the
left or to the right.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

TURN = 1e-7  # small beside the angles between points, large beside rounding


def best_line(x: Any, y: Any, impurity: Any) -> float:
    """The largest decrease of an impurity of y by a line through the points x of two columns."""
    best = 0.0
    for first, second in combinations(range(len(x)), 2):
        across = np.arctan2(*(x[second] - x[first])[::-1]) + np.pi / 2
        for angle in (across - TURN, across + TURN):
            sums = x @ np.array([np.cos(angle), np.sin(angle)])
            order = np.argsort(sums)
            for k in range(1, len(x)):
                low, high = y[order[:k]], y[order[k:]]
                if sums[order[k]] > sums[order[k - 1]]:
                    parts = (len(low) * impurity(low) + len(high) * impurity(high)) / len(y)
                    best = max(best, impurity(y) - parts)
    return best
