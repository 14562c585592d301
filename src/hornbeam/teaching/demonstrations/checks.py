"""What the demonstrations share: whole numbers checked at the door, and a small table of facts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral
from typing import Any


def lines(title: str, facts: Mapping[str, str]) -> str:
    """A title, and names and values in two columns."""
    width = max(map(len, facts))
    return "\n".join([title, *(f"{name:<{width}}  {value:>8}" for name, value in facts.items())])


def whole(value: Any, name: str, low: int, high: float = math.inf) -> int:
    """A whole number within bounds, both included."""
    iswhole = isinstance(value, Integral) and not isinstance(value, bool)
    if not iswhole or not low <= int(value) <= high:
        span = f"from {low} to {high:g}" if math.isfinite(high) else f"of at least {low}"
        raise ValueError(f"{name}={value!r} must be a whole number {span}")
    return int(value)
