"""Criteria: how impure a group of rows is, and hence how much a split gains.

One idea: the formulas live in the core's table; here each has its part, which says whether it judges classes
or a real target. scikit-learn's names for the same things are accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from hornbeam._base.types import Task
from hornbeam.data.target import Target, refuse_no_rate
from hornbeam.growing.part import Part, check_level, resolve


class Criterion(Part):
    """A criterion of the core, by name."""

    task: ClassVar[Task] = Task.CLASSES
    of_moments: ClassVar[bool] = (
        True  # whether class weights, or weight, mean and variance, are enough for it
    )

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
    of_moments = False

    def check_target(self, target: Target) -> None:
        """Raise if a value is negative, or if nothing ever happens."""
        refuse_no_rate(target.values, target.weights, target.counts)


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
    of_moments = False

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
    of_moments = False

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
    )
}  # fmt: skip
ALIASES: Mapping[str, str] = {
    "log_loss": "entropy",
    "squared_error": "variance",
    "absolute_error": "absolute",
}


def resolve_criterion(value: Any, task: Task) -> Criterion:
    """The criterion a slot's value stands for, if it judges this kind of target.

    >>> resolve_criterion("log_loss", Task.CLASSES).name
    'entropy'
    """
    wanted = ALIASES.get(value, value) if isinstance(value, str) else value
    own = {name: part for name, part in CRITERIA.items() if part.task == task}
    table = CRITERIA if isinstance(wanted, str) and wanted in CRITERIA else own
    criterion = resolve("criterion", wanted, table, Criterion)
    if criterion.name in own:
        return criterion
    fault = (
        f"does not judge {'classes' if task.is_classes else 'a real target'}"
        if criterion.task != task
        else "has no formula in the core"
    )
    raise ValueError(f"criterion={value!r} {fault}: use one of {', '.join(map(repr, own))}")


__all__ = [
    "Absolute",
    "Criterion",
    "Entropy",
    "Error",
    "GainRatio",
    "Gini",
    "Poisson",
    "Quantile",
    "Root",
    "StandardDeviation",
    "Variance",
]
