"""Checks at the door of drawing: each gives one sentence that names the parameter and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

from hornbeam._base.parameters import did_you_mean


def check_one_of(name: str, value: Any, allowed: Sequence[str]) -> None:
    """Raise unless a value is one of some words.

    >>> check_one_of("kind", "icycle", ("tree", "icicle"))
    Traceback (most recent call last):
    ValueError: kind='icycle' is not known (did you mean 'icicle'?): use one of 'tree', 'icicle'
    """
    if value not in allowed:
        hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
        raise ValueError(f"{name}={value!r} is not known{hint}: use one of {', '.join(map(repr, allowed))}")


def check_cards(value: Any) -> None:
    """Raise unless a number of cards is a whole number of at least 1, or None."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, Integral) or int(value) < 1):
        raise ValueError(f"max_cards={value!r} must be a whole number of at least 1, or None for all nodes")


def check_width(value: Any) -> None:
    """Raise unless a width is a number of at least 200 pixels, or None."""
    number = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    if value is not None and not 200 <= number < math.inf:
        raise ValueError(
            f"width={value!r} must be a number of pixels of at least 200, or None for as wide as needed"
        )
