"""How many validation examples it takes to choose among m prunings (R80).

    notes        (1 / epsilon^2) log(m / delta)             constant 1
    Hoeffding    (1 / (2 epsilon^2)) log(2 m / delta)       constants 2 and 2

One idea: if the validation error of each of the m candidates is within epsilon of its true error, the one
that looks best is within 2 epsilon of the best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hornbeam._base.formula_checks import accuracy, at_least, confidence, unit_of, whole


@dataclass(frozen=True)
class ValidationSize:
    """Validation examples that are enough, by two formulas, and what they guarantee.

    Attributes
    ----------
    notes : int
        ceil((1/epsilon^2) log(m/delta)), as the notes have it: constant 1.
    hoeffding : int
        ceil((1/(2 epsilon^2)) log(2 m/delta)), Hoeffding's inequality for both sides: constants 2 and 2.
    guarantee : float
        2 epsilon: how much worse than the best candidate the chosen one may be.
    """

    notes: int
    hoeffding: int
    guarantee: float


def validation_sample_size(m: int, epsilon: float, delta: float, *, base: float = math.e) -> ValidationSize:
    """How many validation examples are enough to choose among m candidates, with probability 1 - delta.

    Parameters
    ----------
    m : int
        Candidates, such as the prunings of a tree; at most the number of training examples.
    epsilon, delta : float
        Error put up with for each candidate, and the probability of failing.
    base : float
        Of the logarithms.

    Examples
    --------
    >>> validation_sample_size(100, 0.1, 0.05)
    ValidationSize(notes=761, hoeffding=415, guarantee=0.2)
    """
    m, epsilon, delta, unit = whole(m, "m", 1), accuracy(epsilon), confidence(delta), unit_of(base)
    notes = math.log(m / delta) / unit / epsilon**2
    hoeffding = math.log(2 * m / delta) / unit / (2 * epsilon**2)
    return ValidationSize(at_least(notes), at_least(hoeffding), 2 * epsilon)
