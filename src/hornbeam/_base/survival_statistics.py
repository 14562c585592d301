"""Statistics of survival times: curves, log-rank scores, concordance and the Brier score.

A row was observed for some time, and then either the event came or observation ended without it (the row is
*censored*: its event comes later than its time, nobody knows when). A row is at risk at every time up to its
own. Everything here follows from how many rows are at risk at each event time, and how many have the event.

References
----------
Kaplan, E. L. & Meier, P. (1958). Nonparametric estimation from incomplete observations. JASA 53, 457-481.
Harrell, F. E. et al. (1982). Evaluating the yield of medical tests. JAMA 247, 2543-2546.
Graf, E. et al. (1999). Assessment and comparison of prognostic classification schemes for survival data.
Statistics in Medicine 18, 2529-2545.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hornbeam._base.types import Bools, Floats, Longs, sums_by_place


class SurvivalCurve(NamedTuple):
    """The event times of some rows, ascending; the weight at risk at each, and that of the events.

    >>> curve = SurvivalCurve.of(np.array([1.0, 2.0, 2.0, 3.0]), np.array([True, True, False, True]))
    >>> curve.survival()
    array([0.75, 0.5 , 0.  ])
    >>> curve.hazard().round(4)
    array([0.25  , 0.5833, 1.5833])
    """

    time: Floats
    at_risk: Floats
    events: Floats

    @classmethod
    def of(cls, time: Floats, event: Bools, weight: Floats | None = None) -> SurvivalCurve:
        """The curve of rows."""
        weight = np.ones(len(time)) if weight is None else weight
        here = weight > 0
        distinct, place = np.unique(time[here], return_inverse=True)
        leaving = sums_by_place(place, weight[here], len(distinct))
        events = sums_by_place(place, weight[here] * event[here], len(distinct))
        some = events > 0
        return cls(distinct[some], np.cumsum(leaving[::-1])[::-1][some], events[some])

    def survival(self) -> Floats:
        """The share that lives beyond each event time (Kaplan & Meier)."""
        left: Floats = np.multiply.accumulate(1.0 - np.minimum(self.events / self.at_risk, 1.0))
        return left

    def hazard(self) -> Floats:
        """The cumulative hazard up to each event time (Nelson & Aalen)."""
        return np.cumsum(self.events / self.at_risk)

    def at(self, values: Floats, times: Floats, before: float) -> Floats:
        """The step function of `values` at some times; `before` the first event time it is that."""
        return np.concatenate(([before], values))[np.searchsorted(self.time, times, side="right")]

    def quantile(self, share: float = 0.5) -> float:
        """The time by which this share has had the event; infinite if observation ended before.

        Where survival is flat at exactly that share, the middle between the two event times.

        >>> curve = SurvivalCurve.of(np.array([1.0, 2.0, 2.0, 3.0]), np.array([True, True, False, True]))
        >>> curve.quantile(0.5), curve.quantile(0.25)
        (2.5, 1.5)
        """
        return _crossing(self.time, self.survival(), 1.0 - share)

    def median_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The times between which the median lies: where the interval of survival covers one half.

        The intervals are those of log survival (Greenwood's variance), as in R's `survfit`. An end is
        infinite if observation ended too early to tell it.

        >>> curve = SurvivalCurve.of(np.arange(1.0, 11.0), np.ones(10, dtype=bool))
        >>> curve.median_interval()
        (3.0, inf)
        """
        survival, left = self.survival(), self.at_risk - self.events
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = deviate(confidence) * np.sqrt(np.cumsum(self.events / (self.at_risk * left)))
            low, high = survival * np.exp(-spread), np.nan_to_num(survival * np.exp(spread), nan=1.0)
        return _crossing(self.time, low, 0.5), _crossing(self.time, high, 0.5)


def deviate(confidence: float) -> float:
    """The standard normal deviate of a two-sided interval.

    >>> round(deviate(0.95), 6)
    1.959964
    """
    from statistics import NormalDist

    return NormalDist().inv_cdf((1.0 + confidence) / 2.0)


_FLAT = 1e-9  # survival closer to a share than this is that share


def _crossing(time: Floats, survival: Floats, share: float) -> float:
    """The first time at which survival is at or below the share; nan counts as below."""
    below = np.flatnonzero(~(survival > share + _FLAT))
    if not len(below):
        return math.inf
    k = int(below[0])
    if abs(survival[k] - share) <= _FLAT and k + 1 < len(time):
        lower = np.flatnonzero(~(survival >= share - _FLAT))
        return float((time[k] + time[lower[0]]) / 2.0) if len(lower) else float(time[k])
    return float(time[k])


def log_rank_scores(time: Floats, event: Bools, weight: Floats | None = None) -> Floats:
    """What each row adds to a log-rank statistic: its events less those expected until its time.

    >>> log_rank_scores(np.array([1.0, 2.0, 3.0]), np.array([True, False, True])).round(4)
    array([ 0.6667, -0.3333, -0.3333])
    """
    curve = SurvivalCurve.of(time, event, weight)
    scores: Floats = event - curve.at(curve.hazard(), time, 0.0)
    return scores


def log_rank_statistic(time: Floats, event: Bools, first: Bools, weight: Floats) -> float:
    """The log-rank statistic of two groups of rows, of which `first` says who is in the first.

    >>> time, event = np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4, dtype=bool)
    >>> round(log_rank_statistic(time, event, time < 2.5, np.ones(4)), 4)
    2.8824
    """
    times = np.unique(time[event & (weight > 0)])
    place = np.searchsorted(times, time, side="right")  # event times that a row lives to see

    def at_risk(w: Floats) -> Floats:
        seen: Floats = np.cumsum(sums_by_place(place, w, len(times) + 1)[::-1])[::-1]
        return seen[1:]

    def died(w: Floats) -> Floats:
        return sums_by_place(place[event] - 1, w[event], len(times))

    n, d, own = at_risk(weight), died(weight), at_risk(weight * first)
    away = float((died(weight * first) - d * own / n).sum())
    spread = np.divide(d * (n - d), n * n * (n - 1), out=np.zeros(len(n)), where=n > 1)
    variance = float((spread * own * (n - own)).sum())
    return away**2 / variance if variance > 0 else 0.0


def concordance(time: Floats, event: Bools, risk: Floats, weight: Floats | None = None) -> float:
    """Harrell's c: of the pairs whose order is known, the share in which the earlier event has more risk.

    The order of two rows is known if the earlier time is an event, or if both times are equal and one of them
    is an event. Equal risks count one half. nan, if no pair has a known order.

    >>> concordance(np.array([1.0, 2.0, 3.0]), np.array([True, True, False]), np.array([3.0, 1.0, 1.0]))
    0.8333333333333334
    """
    return concordance_influence(time, event, risk, np.ones(len(time)) if weight is None else weight)[0]


def concordance_influence(time: Floats, event: Bools, risk: Floats, weight: Floats) -> tuple[float, Floats]:
    """Harrell's c, and what each row moves it by; these moves add up to 0."""
    # later rows first; of equal times those without an event, which outlive the others
    order = np.lexsort((event, -time))
    time, event, counted = time[order], event[order], weight[order]
    distinct, rank = np.unique(risk[order], return_inverse=True)
    begins = np.flatnonzero(np.concatenate(([True], (time[1:] != time[:-1]) | (event[1:] != event[:-1]))))
    first = np.repeat(begins, np.diff(np.append(begins, len(time))))  # before it: those that live longer
    after = np.repeat(np.append(begins[1:], len(time)), np.diff(np.append(begins, len(time))))
    died = counted * event
    # as the one with the event: all rows before it; as the one that lives longer: all events after it
    below, equal = _weights_before(rank, counted, len(distinct), first, rank)
    longer = np.concatenate(([0.0], np.cumsum(counted)))[first]
    up = len(distinct) - 1 - rank  # risks above one's own
    above, tied = _weights_before(up[::-1], died[::-1], len(distinct), len(time) - after, up)
    earlier = np.concatenate((np.cumsum(died[::-1])[::-1], [0.0]))[after]
    right = event * (below + equal / 2), above + tied / 2
    known = event * longer, earlier
    pairs = float((counted * known[0]).sum())
    if pairs <= 0:
        return math.nan, np.zeros(len(time))
    value = float((counted * right[0]).sum()) / pairs
    moves = np.empty(len(time))
    moves[order] = counted * (right[0] + right[1] - value * (known[0] + known[1])) / pairs
    return value, moves


def _weights_before(
    rank: Longs, weight: Floats, n_ranks: int, end: Longs, of: Longs
) -> tuple[Floats, Floats]:
    """For each query the weight of the rows before `end` whose rank is below `of`, and equal to it.

    A row is looked at once for each binary digit of the ranks: at every digit the rows are parted, those with
    0 before those with 1, and a query follows its own digit.
    """
    end, start = end.copy(), np.zeros(len(of), dtype=np.int64)
    below = np.zeros(len(of))
    for digit in range(max(n_ranks - 1, 1).bit_length() - 1, -1, -1):
        ones = (rank >> digit) & 1
        zeros = np.concatenate(([0], np.cumsum(1 - ones)))
        in_zeros = np.concatenate(([0.0], np.cumsum(np.where(ones == 0, weight, 0.0))))
        is_one = ((of >> digit) & 1).astype(bool)
        below += np.where(is_one, in_zeros[end] - in_zeros[start], 0.0)
        n_zeros = zeros[-1]
        start, end = (np.where(is_one, n_zeros + (at - zeros[at]), zeros[at]) for at in (start, end))
        order = np.argsort(ones, kind="stable")
        rank, weight = rank[order], weight[order]
    sums = np.concatenate(([0.0], np.cumsum(weight)))
    return below, sums[end] - sums[start]


def brier_losses(curve: SurvivalCurve, time: Floats, event: Bools, times: Floats, survival: Floats) -> Floats:
    """The squared distance of predicted survival from what happened, [rows, times]: means are Brier scores.

    Parameters
    ----------
    curve : of the censoring in training (`censoring`), by which rows still observed stand for those that are
        not
    time, event : of the rows predicted
    times : where survival was predicted
    survival : [rows, times]

    Examples
    --------
    >>> time, event = np.array([1.0, 2.0, 3.0]), np.array([True, True, True])
    >>> survival = np.array([[0.0], [1.0], [0.5]])
    >>> brier_losses(censoring(time, event), time, event, np.array([1.5]), survival).mean(axis=0).round(4)
    array([0.0833])
    """
    kept = curve.survival()
    own, then = curve.at(kept, time, 1.0), curve.at(kept, times, 1.0)
    with np.errstate(divide="ignore"):
        per_own, per_then = np.where(own > 0, 1.0 / own, 0.0), np.where(then > 0, 1.0 / then, 0.0)
    died = (time[:, None] <= times) & event[:, None]
    lives = time[:, None] > times
    losses: Floats = survival**2 * died * per_own[:, None] + (1.0 - survival) ** 2 * lives * per_then
    return losses


def censoring(time: Floats, event: Bools, weight: Floats | None = None) -> SurvivalCurve:
    """The curve of being censored; of equal times the events come first, and are not at risk any more."""
    weight = np.ones(len(time)) if weight is None else weight
    curve = SurvivalCurve.of(time, ~event, weight)
    if not len(curve.time):
        return curve
    own, weight = time[event], weight[event]
    place = np.minimum(np.searchsorted(curve.time, own), len(curve.time) - 1)
    here = curve.time[place] == own
    return curve._replace(at_risk=curve.at_risk - sums_by_place(place[here], weight[here], len(curve.time)))
