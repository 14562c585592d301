"""Criteria: how impure a group of rows is, and hence how much a split gains.

One idea: the formulas live in the core's table; here each has its part, which says whether it judges classes
or a real target. scikit-learn's names for the same things are accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from hornbeam.parts import Part, resolve


class Criterion(Part):
    """A criterion of the core, by name."""

    task: ClassVar[str] = "classes"


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

    name, about, task = "variance", "mean squared deviation (CART)", "real"


class StandardDeviation(Criterion):
    """Standard deviation (population form); its decrease is M5's standard deviation reduction."""

    name, about, task = "sd", "standard deviation reduction (Quinlan 1992)", "real"


CRITERIA: Mapping[str, type[Criterion]] = {
    part.name: part for part in (Gini, Entropy, GainRatio, Root, Error, Variance, StandardDeviation)
}
ALIASES: Mapping[str, str] = {"log_loss": "entropy", "squared_error": "variance"}
_WORDS: Mapping[str, str] = {"classes": "classes", "real": "a real target"}


def resolve_criterion(value: Any, task: str) -> Criterion:
    """The criterion a slot's value stands for, if it judges this kind of target.

    >>> resolve_criterion("log_loss", "classes").name
    'entropy'
    """
    wanted = ALIASES.get(value, value) if isinstance(value, str) else value
    own = {name: part for name, part in CRITERIA.items() if part.task == task}
    table = CRITERIA if isinstance(wanted, str) and wanted in CRITERIA else own
    criterion = resolve("criterion", wanted, table, Criterion)
    if criterion.name in own:
        return criterion
    fault = f"does not judge {_WORDS[task]}" if criterion.task != task else "has no formula in the core"
    raise ValueError(f"criterion={value!r} {fault}: use one of {', '.join(map(repr, own))}")
