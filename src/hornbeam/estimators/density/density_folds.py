"""Dealing rows to the parts of a cross-validation.

One idea: rows are put in the order of their values first and dealt at random then, so that neither the order
in which a table lists its rows nor writing a repeated row once with a count changes anything.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hornbeam._base.types import Longs
from hornbeam.data.table import Table
from hornbeam.estimators.density.row_weights import Mass

_MOST_ROWS = 200_000_000  # repetitions are dealt one by one


def folds_of(table: Table, mass: Mass, n_folds: int, seed: int) -> Iterator[Longs]:
    """For each part, how many repetitions of each row are in it; no more parts than rows that count.

    >>> table = Table.learn({"x": [1.0, 2.0, 3.0]})
    >>> sum(folds_of(table, Mass(3, counts=np.array([4, 0, 2])), 3, seed=0))
    array([4, 0, 2])
    """
    n = mass.n_counted
    if n > _MOST_ROWS:
        raise ValueError(
            f"counts sum to {n}, but cross-validation deals at most {_MOST_ROWS} repetitions: use"
            " sample_weight, or pruning=CostComplexity(alpha=...)"
        )
    rows = np.flatnonzero(mass.live)
    keys = [array[rows] for array in table.arrays]
    if mass.weights is not None:
        keys.append(mass.weights[rows])
    rows = rows[np.lexsort(keys[::-1])]
    if mass.counts is not None:
        rows = np.repeat(rows, mass.counts[rows])
    fold = np.random.default_rng(seed).permutation(n) % n_folds
    for k in range(min(n_folds, n)):
        yield np.bincount(rows[fold == k], minlength=mass.n_rows)
