"""What the calculators accept, checked at the door: whole numbers, open fractions, constants, bases.

One idea: a formula is only as good as its arguments, so each wrong one gets a sentence with its name (K15).
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any


def is_number(value: Any) -> bool:
    """Whether this is a number, and no boolean."""
    return not isinstance(value, bool) and isinstance(value, Real)


def whole(value: Any, name: str, least: int) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name}={value!r} must be a whole number of at least {least}")
    return int(value)


def between(value: Any, name: str, meaning: str) -> float:
    """A number between 0 and 1, both excluded."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ValueError(f"{name}={value!r} must be a number between 0 and 1, both excluded: {meaning}")
    return float(value)


def share(value: Any, name: str, meaning: str) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ValueError(f"{name}={value!r} must be a number from 0 to 1: {meaning}")
    return float(value)


def not_negative(value: Any, name: str, meaning: str) -> float:
    """A finite number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < math.inf:
        raise ValueError(f"{name}={value!r} must be a number of at least 0: {meaning}")
    return float(value)


def positive(value: Any, name: str, meaning: str) -> float:
    """A finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < math.inf:
        raise ValueError(f"{name}={value!r} must be a number above 0: {meaning}")
    return float(value)


def confidence(value: Any, name: str = "delta") -> float:
    """The probability with which a guarantee may fail."""
    return between(value, name, "the probability with which the guarantee may fail")


def accuracy(value: Any, name: str = "epsilon") -> float:
    """The error that is put up with."""
    return between(value, name, "the error that is put up with")


def unit_of(base: Any) -> float:
    """How many natural units one unit of a logarithm of this base is: ln(base).

    >>> unit_of(math.e)
    1.0
    """
    if isinstance(base, bool) or not isinstance(base, Real) or not 1 < float(base) < math.inf:
        raise ValueError(f"base={base!r} must be a number above 1: math.e for natural logarithms, 2 for bits")
    return math.log(base)


def at_least(value: float) -> int:
    """The smallest whole number not below `value`, taking what is a whole number up to rounding for it.

    >>> at_least(246.61), at_least(3.0000000000000004)
    (247, 3)
    """
    near = round(value)
    return near if abs(value - near) <= 1e-12 * max(1.0, abs(value)) else math.ceil(value)
