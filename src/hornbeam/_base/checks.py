"""Checks of numbers, each with one sentence that says what is allowed; and what kind of number a value is.

`check_...` raise and return nothing; the others also return the number as a plain int or float.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any


def check_share(name: str, value: Any, meaning: str) -> None:
    """Raise unless `value` is a number above 0 and below 1.

    >>> check_share("alpha", 1.5, "the level of the test")
    Traceback (most recent call last):
    ...
    ValueError: alpha=1.5 must be a number above 0 and below 1: the level of the test
    """
    if not is_number(value) or not 0 < value < 1:
        raise ValueError(f"{name}={value!r} must be a number above 0 and below 1: {meaning}")


def check_least(name: str, value: Any, least: float, meaning: str) -> None:
    """Raise unless `value` is a finite number of at least `least`."""
    if not is_number(value) or not least <= value < math.inf:
        raise ValueError(f"{name}={value!r} must be a number of at least {least:g}: {meaning}")


def check_above(name: str, value: Any, low: float, meaning: str) -> None:
    """Raise unless `value` is a finite number above `low`."""
    if not is_number(value) or not low < value < math.inf:
        raise ValueError(f"{name}={value!r} must be a number above {low:g}: {meaning}")


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise unless `value` is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={value!r} must be one of {', '.join(map(repr, choices))}")


def warn_user(message: str) -> None:
    """A UserWarning at the line outside the package that called it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("hornbeam."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)


def is_whole(value: Any) -> bool:
    """Whether this is a whole number, and no boolean."""
    return not isinstance(value, bool) and isinstance(value, Integral)


def is_number(value: Any) -> bool:
    """Whether this is a number, and neither a boolean nor not-a-number."""
    return not isinstance(value, bool) and isinstance(value, Real) and not math.isnan(value)


def whole(value: Any, name: str, least: int) -> int:
    """A whole number of at least `least`."""
    if not is_whole(value) or value < least:
        raise ValueError(f"{name}={value!r} must be a whole number of at least {least}")
    return int(value)


def between(value: Any, name: str, meaning: str) -> float:
    """A number between 0 and 1, both excluded."""
    if not is_number(value) or not 0 < float(value) < 1:
        raise ValueError(f"{name}={value!r} must be a number between 0 and 1, both excluded: {meaning}")
    return float(value)


def share(value: Any, name: str, meaning: str) -> float:
    """A number from 0 to 1."""
    if not is_number(value) or not 0 <= float(value) <= 1:
        raise ValueError(f"{name}={value!r} must be a number from 0 to 1: {meaning}")
    return float(value)


def not_negative(value: Any, name: str, meaning: str) -> float:
    """A finite number of at least 0."""
    if not is_number(value) or not 0 <= float(value) < math.inf:
        raise ValueError(f"{name}={value!r} must be a number of at least 0: {meaning}")
    return float(value)


def positive(value: Any, name: str, meaning: str) -> float:
    """A finite number above 0."""
    if not is_number(value) or not 0 < float(value) < math.inf:
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
    if not is_number(base) or not 1 < float(base) < math.inf:
        raise ValueError(f"base={base!r} must be a number above 1: math.e for natural logarithms, 2 for bits")
    return math.log(base)


def at_least(value: float) -> int:
    """The smallest whole number not below `value`, taking what is a whole number up to rounding for it.

    >>> at_least(246.61), at_least(3.0000000000000004)
    (247, 3)
    """
    near = round(value)
    return near if abs(value - near) <= 1e-12 * max(1.0, abs(value)) else math.ceil(value)
