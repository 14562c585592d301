"""A table and its target together, and how many rows they count for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.data.table import Table
from hornbeam.data.target import Target


class Rows(NamedTuple):
    """Rows with their outcomes."""

    table: Table
    target: Target


def counted_rows(target: Target) -> int:
    """The rows that take part: those of positive weight, as often as they are repeated (K3).

    >>> counted_rows(Target.real_of([1, 2, 3], sample_weight=[1, 0, 1], counts=[2, 2, 3]))
    5
    """
    if target.weights is None:
        return target.n_rows if target.counts is None else int(target.counts.sum())
    taken = target.weights > 0
    return int(np.count_nonzero(taken) if target.counts is None else target.counts[taken].sum())


def row_weights(target: Target) -> Floats:
    """The weight of each row, its repetitions counted."""
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    return weights if target.counts is None else weights * target.counts
