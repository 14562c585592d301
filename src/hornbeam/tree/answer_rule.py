"""Voice: how a node turns its Stats into an answer; priors, costs, smoothing and the kind of label.

One idea: Stats stay what the rows add up to. Whatever an answer needs beyond them is this one small record,
kept in the Tree's `meta["answers"]`, so that a tree saved, pruned or refitted speaks as the estimator that
made it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Ints
from hornbeam.tree.smoothing import SMOOTHING

KEY = "answers"  # where a Tree's meta keeps it
LABELS = ("majority", "median")
_TIE = 1e-12  # of the largest: what is closer than this is equal, whatever the sums' rounding


@dataclass(frozen=True, eq=False)
class Voice:
    """How nodes answer; the default is the shares of their rows and the heaviest class.

    Attributes
    ----------
    priors : the share of each class before anything is known, None: as in the training rows
    factors : by what priors multiply a class's weight: prior over the class's share of the training weight
    costs : costs[i, j] of answering class j where i is true, None: every mistake costs 1
    smoothing, amount : a name of `SMOOTHING` and its number (m, or strength)
    label : "majority", or "median" of classes that have an order
    level : the quantile that nodes of a regression tree answer, None: their mean
    levels : other quantiles to be kept at every node when the tree is settled
    """

    priors: Floats | None = None
    factors: Floats | None = None
    costs: Floats | None = None
    smoothing: str = "none"
    amount: float = 0.0
    label: str = "majority"
    level: float | None = None
    levels: tuple[float, ...] = ()

    @property
    def decides(self) -> bool:
        """Whether labels are other than the heaviest class of the Stats."""
        return self.factors is not None or self.costs is not None or self.label != "majority"

    @property
    def kept(self) -> tuple[float, ...]:
        """All quantiles kept at every node, ascending."""
        return tuple(sorted({*self.levels} | (set() if self.level is None else {self.level})))

    def counted(self, stats: Floats) -> Floats:
        """Class weights as the answers see them: times the factors of the priors."""
        return stats if self.factors is None else stats * self.factors

    def judged(self, stats: Floats) -> Floats:
        """Class weights as growing saw them: also times what a mistake about the class costs."""
        counted = self.counted(stats)
        return counted if self.costs is None else counted * burden(self.costs)

    def plain(self) -> dict[str, Any]:
        """What differs from the default, as plain values; `voice_of` reads it.

        >>> Voice(smoothing="m-estimate", amount=2.0).plain()
        {'smoothing': 'm-estimate', 'amount': 2.0}
        """
        arrays = {"priors": self.priors, "factors": self.factors, "costs": self.costs}
        found: dict[str, Any] = {name: array.tolist() for name, array in arrays.items() if array is not None}
        if self.smoothing != "none":
            found["smoothing"] = self.smoothing
            if self.smoothing != "laplace":
                found["amount"] = self.amount
        found |= {} if self.level is None else {"level": self.level}
        return found | ({"label": self.label} if self.label != "majority" else {})


PLAIN = Voice()


def voice_of(meta: Mapping[str, Any]) -> Voice:
    """The voice a Tree's meta describes.

    >>> voice_of({"criterion": "gini", "answers": {"smoothing": "laplace"}}).smoothing
    'laplace'
    """
    if KEY not in meta:
        return PLAIN
    given = dict(meta[KEY])
    for name in ("priors", "factors", "costs"):
        if given.get(name) is not None:
            given[name] = np.asarray(given[name], dtype=np.float64)
    voice = Voice(**given)
    if voice.smoothing not in SMOOTHING or voice.label not in LABELS:
        raise ValueError(
            f"meta[{KEY!r}] has smoothing={voice.smoothing!r} and label={voice.label!r}: smoothing is one of"
            f" {', '.join(SMOOTHING)}, label one of {', '.join(LABELS)}"
        )
    return voice


def with_voice(meta: Mapping[str, Any], voice: Voice) -> dict[str, Any]:
    """The meta of a tree that speaks with this voice."""
    rest = {name: value for name, value in meta.items() if name != KEY}
    plain = voice.plain()
    return rest | ({KEY: plain} if plain else {})


def burden(costs: Floats) -> Floats:
    """What a mistake about each class costs, summed over the answers (rpart's altered priors).

    >>> burden(np.array([[0.0, 2.0], [1.0, 0.0]]))
    array([2., 1.])
    """
    found: Floats = costs.sum(axis=1)
    return found


def prior_factors(priors: Floats, totals: Floats) -> Floats:
    """Prior over share of the training weight, for each class; their mean over the rows is 1.

    >>> prior_factors(np.array([0.5, 0.5]), np.array([1.0, 3.0]))
    array([2.        , 0.66666667])
    """
    present = totals > 0
    scale = totals.sum() / priors[present].sum()
    found: Floats = np.divide(priors * scale, totals, out=np.ones_like(totals), where=present)
    return found


# ---- from probabilities to one class ---------------------------------------------------------------------


def heaviest(shares: Floats) -> Ints:
    """The first class within rounding of the largest share.

    >>> heaviest(np.array([[0.2, 0.4, 0.4]]))
    array([1], dtype=int32)
    """
    best = shares[:, 0]
    for column in range(1, shares.shape[1]):  # of few columns many times as fast as a maximum of each row
        best = np.maximum(best, shares[:, column])
    enough = best - _TIE * np.abs(best)
    found: Ints = np.zeros(len(shares), dtype=np.int32)
    for column in range(shares.shape[1] - 1, -1, -1):
        found[shares[:, column] >= enough] = column
    return found


def cheapest(expected: Floats) -> Ints:
    """The first class within rounding of the least expected cost.

    >>> cheapest(np.array([[3.0, 1.0, 1.0]]))
    array([1], dtype=int32)
    """
    margin = _TIE * expected.max(axis=1, keepdims=True)
    least = expected.min(axis=1, keepdims=True)
    found: Ints = (expected <= least + margin).argmax(axis=1).astype(np.int32)
    return found


def middle(shares: Floats) -> Ints:
    """The weighted median class: the first with at least half of the weight at or below it.

    >>> middle(np.array([[0.4, 0.2, 0.4], [0.5, 0.0, 0.5]]))
    array([1, 0], dtype=int32)
    """
    below = np.cumsum(shares, axis=1)
    found: Ints = (below >= (0.5 - _TIE) * below[:, -1:]).argmax(axis=1).astype(np.int32)
    return found


def chosen(voice: Voice, shares: Floats) -> Ints:
    """The class answered for probabilities: of least expected cost, the median, or the likeliest."""
    if voice.costs is not None:
        return cheapest(shares @ voice.costs)
    return middle(shares) if voice.label == "median" else heaviest(shares)
