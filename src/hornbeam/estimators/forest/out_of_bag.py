"""Judging out of bag: for every row, what the trees answer that did not see it.

One idea: about a third of the trees were grown without a row, and to them it is new.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hornbeam._base.types import AnyArray, Floats
from hornbeam.data.target import Target
from hornbeam.estimators.forest.forest_answers import Question
from hornbeam.estimators.forest.row_draws import row_mass


def out_of_bag(question: Question, how: str, left_out: Callable[[int], AnyArray]) -> Floats:
    """The mean of what the trees that did not see a row answer for it; NaN where all have seen it.

    `left_out(i)` is the mask of the rows that tree i did not see.
    """
    total = np.zeros((question.n_rows, 1))
    times = np.zeros((question.n_rows, 1))
    for i in range(len(question.trees)):
        mask = left_out(i)[:, None]
        total = total + np.where(mask, question.answers(i, how), 0.0)
        times += mask
    found: Floats = np.divide(total, times, out=np.full(total.shape, np.nan), where=times > 0)
    return found


def judged_rows(found: Floats, target: Target) -> tuple[AnyArray, Floats]:
    """The rows that out-of-bag answers are judged on, as a mask, and what they weigh."""
    mass = row_mass(target)
    weight = np.ones(target.n_rows) if mass is None else mass.astype(np.float64)
    judged = ~np.isnan(found[:, 0]) & (weight > 0)
    if not judged.any():
        raise ValueError(
            "oob_score=True found no row that some tree did not see: use more trees or rows, or a smaller"
            " max_samples"
        )
    return judged, weight[judged]
