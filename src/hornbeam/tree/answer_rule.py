"""The settings by which nodes answer (priors, costs, smoothing, kind of label), and their formulas.

One idea: Stats stay what the rows add up to. Whatever an answer needs beyond them is one small record, the
AnswerRule, kept in the Tree's `meta["answers"]`, so that a tree saved, pruned or refitted answers as the
estimator that made it. Smoothing is one line of arithmetic on a node's own answer, its weight and the
answer of the node above it; it never looks below a node, so pruning changes nothing that stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._base.types import TIE, Floats, Ints, Longs

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree


def answering_nodes(parent: Ints, weight: Floats) -> Longs:
    """The node each node answers with: itself, or its nearest ancestor of positive weight (else the root).

    A node without weight points to its parent; following the pointers twice as far each time takes
    log2(depth) passes.
    """
    ids = np.arange(len(parent), dtype=np.int64)
    source = np.where((weight > 0) | (parent < 0), ids, parent)
    while True:
        further = source[source]
        if np.array_equal(further, source):
            return source
        source = further


# `own` are a node's own shares or mean (a row each), `weight` its weight, `above` the nearest node above it
# that has rows (the root: itself), `amount` m or the strength. Nodes above come before the nodes below them.


def _none(own: Floats, weight: Floats, above: Longs, amount: float) -> Floats:
    del weight, above, amount
    return own


def _laplace(own: Floats, weight: Floats, above: Longs, amount: float) -> Floats:
    """(n_k + 1) / (n + K)."""
    del above, amount
    shares: Floats = (own * weight[:, None] + 1.0) / (weight[:, None] + own.shape[1])
    return shares


def _m_estimate(own: Floats, weight: Floats, above: Longs, amount: float) -> Floats:
    """(n_k + m p_k) / (n + m), p_k the share at the root (Cestnik 1990)."""
    del above
    shares: Floats = (own * weight[:, None] + amount * own[0]) / (weight[:, None] + amount)
    return shares


def _shrinkage(own: Floats, weight: Floats, above: Longs, amount: float) -> Floats:
    """(n f + s p_above) / (n + s), from the root down, where it is f."""
    shrunk = own.copy()
    level = np.zeros(len(above), dtype=np.int64)
    for node, over in enumerate(above.tolist()):
        level[node] = level[over] + 1 if node else 0
    order = np.argsort(level, kind="stable")
    for nodes in np.split(order, np.flatnonzero(np.diff(level[order])) + 1)[1:]:
        n = weight[nodes, None]
        shrunk[nodes] = (n * own[nodes] + amount * shrunk[above[nodes]]) / (n + amount)
    return shrunk


SMOOTHING: Mapping[str, Callable[[Floats, Floats, Longs, float], Floats]] = {
    "none": _none,
    "laplace": _laplace,
    "m-estimate": _m_estimate,
    "shrinkage": _shrinkage,
}
# what each does to a share, for the legend of a printed tree
SMOOTHED_TOWARDS: Mapping[str, str] = {
    "none": "",
    "laplace": ", moved a little towards equal shares",
    "m-estimate": ", moved a little towards its share of all rows",
    "shrinkage": ", moved a little towards its share one step up",
}


def smooth_answers(name: str, amount: float, own: Floats, weight: Floats, parent: Ints) -> Floats:
    """Shares or means after smoothing, for every node; a node without rows answers as the one above it.

    Zero where no node above has rows either.

    >>> own, weight, parent = np.array([[0.5], [0.0], [1.0]]), np.array([4.0, 2.0, 2.0]), np.array([-1, 0, 0])
    >>> smooth_answers("shrinkage", 2.0, own, weight, parent).ravel()
    array([0.5 , 0.25, 0.75])
    """
    source = answering_nodes(parent, weight)
    if name == "none":
        return own[source]
    above = source[np.maximum(parent, 0)]
    safe_weight = np.where(weight > 0, weight, 1.0)  # the result of a node without weight is not read
    answers = SMOOTHING[name](own, safe_weight, above, amount)[source]
    answers[weight[source] == 0] = 0.0
    return answers


KEY = "answers"  # where a Tree's meta keeps it
LABELS = ("majority", "median")


@dataclass(frozen=True, eq=False)
class AnswerRule:
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
        return counted if self.costs is None else counted * mistake_costs(self.costs)

    def plain(self) -> dict[str, Any]:
        """What differs from the default, as plain values; `answer_rule_of` reads it.

        >>> AnswerRule(smoothing="m-estimate", amount=2.0).plain()
        {'smoothing': 'm-estimate', 'amount': 2.0}
        """
        arrays = {"priors": self.priors, "factors": self.factors, "costs": self.costs}
        entries: dict[str, Any] = {
            name: array.tolist() for name, array in arrays.items() if array is not None
        }
        if self.smoothing != "none":
            entries["smoothing"] = self.smoothing
            if self.smoothing != "laplace":
                entries["amount"] = self.amount
        entries |= {} if self.level is None else {"level": self.level}
        return entries | ({"label": self.label} if self.label != "majority" else {})


PLAIN = AnswerRule()


def answer_rule_of(meta: Mapping[str, Any]) -> AnswerRule:
    """The rule a Tree's meta describes.

    >>> answer_rule_of({"criterion": "gini", "answers": {"smoothing": "laplace"}}).smoothing
    'laplace'
    """
    if KEY not in meta:
        return PLAIN
    entries = dict(meta[KEY])
    for name in ("priors", "factors", "costs"):
        if entries.get(name) is not None:
            entries[name] = np.asarray(entries[name], dtype=np.float64)
    known = [field.name for field in fields(AnswerRule)]
    unknown = [name for name in entries if name not in known]
    if unknown:
        raise ValueError(f"meta[{KEY!r}] has an entry {unknown[0]!r}: its entries are {', '.join(known)}")
    rule = AnswerRule(**entries)
    if rule.smoothing not in SMOOTHING or rule.label not in LABELS:
        raise ValueError(
            f"meta[{KEY!r}] has smoothing={rule.smoothing!r} and label={rule.label!r}: smoothing is one of"
            f" {', '.join(SMOOTHING)}, label one of {', '.join(LABELS)}"
        )
    return rule


def joint_decision(tree: Tree) -> tuple[str, Floats | None, Floats | None]:
    """How the leaves that one row reaches together decide on a class: "cheapest", "middle" or "heaviest".

    With it come the costs that decide on the cheapest class: of each answer where each class is true, or, for
    trees grown with costs of rows, of each class at each node. Leaves that vote have weighed them already.
    """
    rule = answer_rule_of(tree.meta)
    if tree.policy["vote"] != "leaf":
        if len(tree.cost_value):
            weight = rule.counted(tree.stats).sum(axis=1, keepdims=True)
            each = tree.cost_value.reshape(len(tree), -1) / np.maximum(weight, np.finfo(float).tiny)
            answering = answering_nodes(tree.parent, tree.weight)
            return "cheapest", None, np.asarray(each[answering], dtype=np.float64)
        if rule.costs is not None:
            return "cheapest", rule.costs, None
    return "middle" if rule.label == "median" else "heaviest", None, None


def with_answer_rule(meta: Mapping[str, Any], rule: AnswerRule) -> dict[str, Any]:
    """The meta of a tree that answers by this rule."""
    rest = {name: value for name, value in meta.items() if name != KEY}
    plain = rule.plain()
    return rest | ({KEY: plain} if plain else {})


def mistake_costs(costs: Floats) -> Floats:
    """What a mistake about each class costs, summed over the answers (rpart's altered priors).

    >>> mistake_costs(np.array([[0.0, 2.0], [1.0, 0.0]]))
    array([2., 1.])
    """
    total: Floats = costs.sum(axis=1)
    return total


def prior_factors(priors: Floats, totals: Floats) -> Floats:
    """Prior over share of the training weight, for each class; their mean over the rows is 1.

    >>> prior_factors(np.array([0.5, 0.5]), np.array([1.0, 3.0]))
    array([2.        , 0.66666667])
    """
    present = totals > 0
    scale = totals.sum() / priors[present].sum()
    factors: Floats = np.divide(priors * scale, totals, out=np.ones_like(totals), where=present)
    return factors


# ---- from probabilities to one class ---------------------------------------------------------------------


def heaviest_class(shares: Floats) -> Ints:
    """The first class within rounding of the largest share.

    >>> heaviest_class(np.array([[0.2, 0.4, 0.4]]))
    array([1], dtype=int32)
    """
    best = shares[:, 0]
    for column in range(1, shares.shape[1]):  # of few columns many times as fast as a maximum of each row
        best = np.maximum(best, shares[:, column])
    enough = best - TIE * np.abs(best)
    classes: Ints = np.zeros(len(shares), dtype=np.int32)
    for column in range(shares.shape[1] - 1, -1, -1):
        classes[shares[:, column] >= enough] = column
    return classes


def cheapest_class(expected: Floats) -> Ints:
    """The first class within rounding of the least expected cost.

    >>> cheapest_class(np.array([[3.0, 1.0, 1.0]]))
    array([1], dtype=int32)
    """
    margin = TIE * expected.max(axis=1, keepdims=True)
    least = expected.min(axis=1, keepdims=True)
    classes: Ints = (expected <= least + margin).argmax(axis=1).astype(np.int32)
    return classes


def median_class(shares: Floats) -> Ints:
    """The weighted median class: the first with at least half of the weight at or below it.

    >>> median_class(np.array([[0.4, 0.2, 0.4], [0.5, 0.0, 0.5]]))
    array([1, 0], dtype=int32)
    """
    below = np.cumsum(shares, axis=1)
    classes: Ints = (below >= (0.5 - TIE) * below[:, -1:]).argmax(axis=1).astype(np.int32)
    return classes


def choose_class(rule: AnswerRule, shares: Floats) -> Ints:
    """The class answered for probabilities: of least expected cost, the median, or the likeliest."""
    if rule.costs is not None:
        return cheapest_class(shares @ rule.costs)
    return median_class(shares) if rule.label == "median" else heaviest_class(shares)
