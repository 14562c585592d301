"""The slow, obvious twin of the search by the log-rank statistic: every test of a node, by the definition.

Columns of numbers are cut between neighbouring values, nominal ones parted in every way. Rows without the
value join either branch ("learn"), or play no part in the search ("majority").
"""

from __future__ import annotations

from itertools import combinations

import numpy as np


def statistic(time, event, counts, left):
    """Mantel's log-rank statistic of two groups: (observed - expected)^2 / variance."""
    away = variance = 0.0
    for t in np.unique(time[event]):
        risk, died = time >= t, (time == t) & event
        n, d = counts[risk].sum(), counts[died].sum()
        n_left, d_left = counts[risk & left].sum(), counts[died & left].sum()
        away += d_left - d * n_left / n
        if n > 1:
            variance += d * (n_left / n) * (1 - n_left / n) * (n - d) / (n - 1)
    return away**2 / variance if variance > 1e-14 else 0.0


def partings(values, nominal):
    """The first branch of every test of a column, as masks of its known rows."""
    distinct = np.unique(values)
    if not nominal:
        yield from (values <= cut for cut in distinct[:-1])
        return
    first, *others = distinct
    for size in range(len(others)):
        for some in combinations(others, size):
            yield np.isin(values, [first, *some])


def best_statistic(columns, nominal, time, event, counts, least=1, missing="learn"):
    """The largest statistic among all tests of a node; 0 if there is none."""
    best = 0.0
    for name, values in columns.items():
        known = ~np.isnan(values)
        if not known.any():
            continue
        for parting in partings(values[known], name in nominal):
            masks = [np.zeros(len(values), dtype=bool) for _ in range(2)]
            for mask, gaps in zip(masks, (False, True), strict=True):
                mask[known] = parting
                mask[~known] = gaps
            rows = known if missing == "majority" else np.ones(len(values), dtype=bool)
            for mask in masks[: 1 if known.all() or missing == "majority" else 2]:
                sides = counts[rows & mask].sum(), counts[rows & ~mask].sum()
                if min(sides) >= least:
                    best = max(best, statistic(time[rows], event[rows], counts[rows], mask[rows]))
        large_enough = min(counts[known].sum(), counts[~known].sum()) >= least
        if not known.all() and missing == "learn" and large_enough:
            best = max(best, statistic(time, event, counts, known))
    return best
