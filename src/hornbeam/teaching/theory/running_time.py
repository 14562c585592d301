"""How much work growing and pruning take (R95).

One idea: operations are counted with the constant 1: a row looked at once by one test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hornbeam._base.formula_checks import whole


@dataclass(frozen=True)
class Work:
    """Operations, with the constant 1.

    Attributes
    ----------
    node : float
        |H| m: every test on every row of one node.
    balanced : float
        |H| m log2(m): a tree whose levels halve the rows.
    worst : float
        |H| m^2: a chain that takes one row off at a time.
    pruning : float
        m^2: the programme that finds the smallest pruning for every number of errors.
    """

    node: float
    balanced: float
    worst: float
    pruning: float


def work(n_tests: int, m: int) -> Work:
    """What growing on m rows with a class of n_tests tests costs, and pruning by the programme over errors.

    >>> work(10, 1024)
    Work(node=10240, balanced=102400.0, worst=10485760, pruning=1048576)
    """
    h, m = whole(n_tests, "n_tests", 1), whole(m, "m", 1)
    return Work(h * m, h * m * math.log2(m), h * m * m, m * m)
