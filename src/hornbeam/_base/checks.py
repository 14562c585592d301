"""Checks of the numbers of pruners, each with one sentence that says what is allowed."""

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
