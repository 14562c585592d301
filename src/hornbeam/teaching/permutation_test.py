"""Independence: a permutation test of one column against the target, as conditional inference trees use it.

One idea: the arithmetic is that of a tree's node (`hornbeam._base.significance.permutation_statistics`), so
what a tree says about a column can be asked for any column and any rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.significance.contingency import p_text
from hornbeam._base.significance.permutation_statistics import FORMS, Influence, nominal_test, numeric_tests
from hornbeam.data.table import Table
from hornbeam.data.target import Target


@dataclass(frozen=True)
class PermutationTest:
    """The outcome of a permutation test of independence; `str()` is the text for people.

    Attributes
    ----------
    statistic : float
        The quadratic form or the largest standardised component; NaN if there is nothing to test, because the
        column or the target has one value only.
    p, log_p : float
        The probability of a larger statistic if the target were shuffled, and its natural logarithm.
    n : float
        Rows tested, repetitions counted: those whose value is known.
    test : "quadratic" or "maximum"

    Examples
    --------
    >>> permutation_test(["a", "a", "b", "b"], ["no", "no", "yes", "yes"]).statistic
    3.0
    """

    statistic: float
    p: float
    log_p: float
    n: float
    test: str = "quadratic"

    def __str__(self) -> str:
        return f"{self.test} statistic = {self.statistic:.6g}, p = {p_text(self.log_p)}, n = {self.n:g}"


def permutation_test(
    x: Any,
    y: Any,
    *,
    task: str = "classes",
    test: str = "quadratic",
    sample_weight: Any = None,
    counts: Any = None,
) -> PermutationTest:
    """Test whether a column and a target are independent, by the law of their link over all permutations.

    Parameters
    ----------
    x : the column: numbers, text (nominal), or ordered categories of pandas or polars; gaps take no part
    y : the target
    task : "classes" or "real": how y is read
    test : "quadratic" (chi-square law) or "maximum" (the largest standardised component)
    sample_weight, counts : weight and number of repetitions of each row; weights are scaled to sum to the
        number of rows

    Examples
    --------
    >>> print(permutation_test([1, 2, 3, 4, 5, 6], [1.0, 1.0, 2.0, 3.0, 2.0, 4.0], task="real"))
    quadratic statistic = 3.77352, p = 0.05207, n = 6
    """
    if task not in ("classes", "real"):
        raise ValueError(f"task={task!r} must be 'classes' or 'real'")
    if test not in FORMS:
        raise ValueError(f"test={test!r} must be one of {', '.join(map(repr, FORMS))}")
    table = Table.learn({"x": x})
    column, array = table.columns[0], table.arrays[0]
    make = Target.classes_of if task == "classes" else Target.real_of
    target = make(y, sample_weight, counts, n_rows=table.n_rows)
    weight = target.row_weight
    known = (~np.isnan(array) if column.kind == "numeric" else array >= 0) & (weight > 0)
    n = float(target.copies[known].sum())
    if not known.any():
        return PermutationTest(math.nan, math.nan, math.nan, n, test)
    if target.codes is not None:
        influence = Influence.of_classes(target.codes[known], len(target.classes), weight[known], n)
    else:
        assert target.values is not None
        influence = Influence.of_real(target.values[known], weight[known], n)
    if column.kind == "nominal":
        outcome = nominal_test(influence, array[known], len(column.categories), test)
    else:
        outcome = numeric_tests(influence, array[known].astype(np.float64)[None], test)
    if influence.rank == 0:
        return PermutationTest(math.nan, math.nan, math.nan, n, test)
    statistic, log_p = float(outcome.statistic.reshape(-1)[0]), float(outcome.log_p.reshape(-1)[0])
    return PermutationTest(statistic, math.exp(log_p) if not math.isnan(log_p) else math.nan, log_p, n, test)
