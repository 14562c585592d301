"""Criteria: how impure a group of rows is, and hence how much a split gains.

One idea: the formulas live in the core's table; here each has its part, which says whether it judges classes
or a real target. scikit-learn's names for the same things are accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from hornbeam._base.types import Floats, Task
from hornbeam.data.rates import refuse_no_rate
from hornbeam.data.target import Target
from hornbeam.growing.part import Part, check_level, resolve
from hornbeam.tree.answers import impurities


class Criterion(Part):
    """How impure a group of rows is; a criterion of the core, or one of your own.

    A criterion of your own is a class with a `name`, a `task` and a method `impurity`, a function of Stats.
    Trees are then grown node by node, all tests of a column being scored in one call; pruning, candidates,
    texts and pictures work as with any other. `unit` is what its gains are measured in, "" for nothing.

    Examples
    --------
    >>> import numpy as np
    >>> import hornbeam as hb
    >>> class Tsallis(hb.parts.Criterion):
    ...     name, about = "tsallis", "(1 - sum p^q) / (q - 1), between entropy and Gini"
    ...
    ...     def __init__(self, q=1.5):
    ...         self.q = q
    ...
    ...     def impurity(self, stats):
    ...         p = stats / stats.sum(axis=-1, keepdims=True)
    ...         return (1 - (p**self.q).sum(axis=-1)) / (self.q - 1)
    >>> X, y = {"x": [1, 2, 3, 4, 5, 6], "z": [3, 1, 2, 3, 1, 2]}, list("aaabbb")
    >>> hb.TreeClassifier(Tsallis(q=1.2)).fit(X, y).tree_.text()
    'x[<=3.5: a(3:0) | >3.5: b(0:3)]'
    """

    unit: ClassVar[str] = ""
    task: ClassVar[Task] = Task.CLASSES
    of_moments: ClassVar[bool] = (
        True  # whether class weights, or weight, mean and variance, are enough for it
    )

    # Whether y is events over exposure, whose Stats hold w y ln y, too.
    of_rates: ClassVar[bool] = False
    # Whether it is no function of sums, and its search keeps the order of y at every node.
    keeps_order: ClassVar[bool] = False

    @property
    def level(self) -> float | None:
        """The quantile whose pinball loss judges and nodes answer; None: a function of Stats judges."""
        return None

    @property
    def loss_scale(self) -> float:
        """What the core multiplies a pinball loss by."""
        return 1.0

    def check_target(self, target: Target) -> None:
        """Raise a ValueError if the criterion has no meaning for the target."""
        if self.is_own and target.row_costs is not None:
            raise ValueError(f"row_costs do not go with criterion={self!r}, which is written in Python")

    def impurity(self, stats: Floats) -> Floats:
        """The impurity of each of the Stats: [..., width] becomes [...].

        Stats are the weight of each class, in class order; or of a target of numbers the weight, the mean,
        and the sum of w (y - mean)^2. Groups without any weight are never asked about.
        """
        return impurities(stats, self.task, self.name)

    def facts(self) -> dict[str, Any]:
        """What a tree keeps of it: its name, and the unit of its gains."""
        return {"criterion": self.name} | ({"unit": self.unit} if self.unit else {})

    @property
    def is_own(self) -> bool:
        """Whether it is written in Python, so that the core does not know it."""
        return type(self).impurity is not Criterion.impurity

    @property
    def method(self) -> str:
        """How trees are grown by it."""
        return "stepwise" if self.is_own else "core"


class Gini(Criterion):
    """Gini index, 1 - sum p^2."""

    name, about = "gini", "1 - sum p^2 (Breiman, Friedman, Olshen & Stone 1984)"


class Entropy(Criterion):
    """Entropy in bits; its decrease is the information gain."""

    name, about = "entropy", "-sum p log2 p (Quinlan 1986)"


class GainRatio(Criterion):
    """Information gain over split information."""

    name, about = "gain-ratio", "information gain / split information (Quinlan 1993)"


class Root(Criterion):
    """Half the sum of sqrt(p (1 - p)); for two classes sqrt(q (1 - q))."""

    name, about = "root", "sum sqrt(p (1-p)) / 2 (Kearns & Mansour 1996)"


class Error(Criterion):
    """Observed error, 1 - max p. It misses splits that make both children purer but change no label."""

    name, about = "error", "1 - max p; unsuitable for growing, kept for comparison"


class Variance(Criterion):
    """Variance around the mean (population form)."""

    name, about, task = "variance", "mean squared deviation (CART)", Task.REAL


class StandardDeviation(Criterion):
    """Standard deviation (population form); its decrease is M5's standard deviation reduction."""

    name, about, task = "sd", "standard deviation reduction (Quinlan 1992)", Task.REAL


class Poisson(Criterion):
    """Half the mean Poisson deviance of a rate, for counts of events: y is at least 0, its total positive.

    With m the node's mean rate, the impurity is the mean of y ln(y / m) - y + m. `fit(..., exposure=)` says
    over how much time, area or number each row's events were counted; then rates are per unit of exposure. As
    in scikit-learn no test is made that leaves a branch without any event: its rate of 0 would make every
    later event impossible.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X, events, years = {"age": [20, 30, 40, 50]}, [4, 1, 1, 2], [2.0, 0.5, 1.0, 2.0]
    >>> model = hb.TreeRegressor("poisson", max_depth=1).fit(X, events, exposure=years)
    >>> model.tree_.text()  # (4 + 1) / 2.5 events a year, and (1 + 2) / 3
    'age[<=35: 2.0000(n=2) | >35: 1.0000(n=2)]'
    """

    name, about, task = "poisson", "half the Poisson deviance of a rate", Task.REAL
    of_moments, of_rates = False, True

    def check_target(self, target: Target) -> None:
        """Raise if a value is negative, or if nothing ever happens."""
        refuse_no_rate(target.values, target.weights, target.counts)


class Exponential(Criterion):
    """Half the mean deviance of exponential survival times: how far risks lie apart.

    Time is rescaled so that the hazard of all rows together is even (`hornbeam.data.rates`); then events over
    exposure are judged as rates are by `Poisson`. A branch may be without events. This is rpart's
    `method="exp"`.

    References
    ----------
    LeBlanc, M. & Crowley, J. (1992). Relative risk trees for censored survival data. Biometrics 48, 411-425.
    """

    name, about, task = "exponential", "half the deviance of exponential survival times", Task.SURVIVAL
    of_moments, of_rates = False, True


class LogRank(Criterion):
    """The log-rank statistic of a split: how surely the survival curves of its branches differ.

    At every event time the events of a branch are compared with what its share of the rows at risk expects;
    the statistic is the squared sum of the differences over its variance. It is no function of sums, so its
    search keeps the order of the times at every node. The impurity of a node is that of "exponential".

    References
    ----------
    Segal, M. R. (1988). Regression trees for censored data. Biometrics 44, 35-47.
    """

    name, about, task = "log-rank", "log-rank statistic of the branches (Segal 1988)", Task.SURVIVAL
    of_moments, of_rates, keeps_order = False, True, True

    def check_target(self, target: Target) -> None:
        """Raise if rows have weights: the statistic counts them."""
        weights, exposure = target.weights, target.exposure
        if weights is not None and exposure is not None and (weights != exposure).any():
            raise ValueError(
                "sample_weight is not possible with criterion='log-rank', which counts rows at risk: say with"
                " counts how often rows are repeated, or use criterion='exponential'"
            )


class Absolute(Criterion):
    """Mean absolute deviation from the median, which is what nodes answer.

    It is no function of sums, so its search has to keep the order of y at every node; see
    `docs/algorithms/regression.md` for what that costs.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X, y = {"x": [1, 2, 3, 4, 5, 6]}, [1, 2, 90, 10, 11, 12]  # 90 moves a mean, not a median
    >>> hb.TreeRegressor("absolute", max_depth=1).fit(X, y).tree_.text()
    'x[<=2.5: 1.5000(n=2) | >2.5: 11.5000(n=4)]'
    """

    name, about, task = "absolute", "mean absolute deviation from the median", Task.REAL
    of_moments, keeps_order = False, True

    @property
    def level(self) -> float:
        """The median."""
        return 0.5

    @property
    def loss_scale(self) -> float:
        """An absolute deviation is twice the pinball loss of the median."""
        return 2.0


class Quantile(Criterion):
    """Mean pinball loss of a quantile, which is what nodes answer.

    With m the node's quantile, a row costs q (y - m) if y is above m, and (1 - q) (m - y) if it is below.

    Parameters
    ----------
    q : float
        The share of the weight at or below the quantile, above 0 and below 1.

    References
    ----------
    Koenker, R. & Bassett, G. (1978). Regression quantiles. Econometrica 46, 33-50.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from hornbeam.parts import Quantile
    >>> X, y = {"x": [1, 1, 1, 1, 1, 2, 2, 2, 2, 2]}, [1, 2, 3, 4, 5, 10, 20, 30, 40, 50]
    >>> hb.TreeRegressor(Quantile(q=0.7)).fit(X, y).tree_.text()
    'x[<=1.5: 4.0000(n=5) | >1.5: 40.0000(n=5)]'
    """

    name, about, task = "quantile", "mean pinball loss of a quantile (Koenker & Bassett 1978)", Task.REAL
    of_moments, keeps_order = False, True

    def __init__(self, q: float = 0.5) -> None:
        self.q = q

    def check(self) -> None:
        """Raise if q is no share."""
        check_level("q", self.q)

    @property
    def level(self) -> float:
        """The quantile."""
        return float(self.q)


CRITERIA: Mapping[str, type[Criterion]] = {
    part.name: part
    for part in (
        Gini, Entropy, GainRatio, Root, Error, Variance, StandardDeviation, Poisson, Absolute, Quantile,
        LogRank, Exponential,
    )
}  # fmt: skip
ALIASES: Mapping[str, str] = {
    "log_loss": "entropy",
    "squared_error": "variance",
    "absolute_error": "absolute",
}


_TARGETS = {"classes": "classes", "real": "a real target", "survival": "survival", "density": "densities"}


def resolve_criterion(value: Any, task: Task) -> Criterion:
    """The criterion a slot's value stands for, if it judges this kind of target.

    >>> resolve_criterion("log_loss", Task.CLASSES).name
    'entropy'
    """
    wanted = ALIASES.get(value, value) if isinstance(value, str) else value
    own = {name: part for name, part in CRITERIA.items() if part.task == task}
    table = CRITERIA if isinstance(wanted, str) and wanted in CRITERIA else own
    criterion = resolve("criterion", wanted, table, Criterion)
    if criterion.is_own:
        _check_own(criterion)
    if criterion.name in own or (criterion.is_own and criterion.task == task):
        return criterion
    fault = f"does not judge {_TARGETS[task]}" if criterion.task != task else "has no formula in the core"
    raise ValueError(f"criterion={value!r} {fault}: use one of {', '.join(map(repr, own))}")


def _check_own(criterion: Criterion) -> None:
    """Raise unless a criterion that is written in Python has a name of its own."""
    if not criterion.name or criterion.name in CRITERIA:
        raise ValueError(
            f"criterion={criterion!r} has the name {criterion.name!r}: give its class a name of its own, such"
            f" as name = {type(criterion).__name__.lower()!r}"
        )


__all__ = [
    "Absolute",
    "Criterion",
    "Entropy",
    "Error",
    "Exponential",
    "GainRatio",
    "Gini",
    "LogRank",
    "Poisson",
    "Quantile",
    "Root",
    "StandardDeviation",
    "Variance",
]
