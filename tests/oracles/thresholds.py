"""The round threshold between two neighbouring values, step by step in exact fractions."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np


def shortest(value: float, *, single: bool) -> Fraction:
    """The shortest decimal that reads back as the value in its own type."""
    return Fraction(Decimal(str(np.float32(value)) if single else repr(float(value))))


def significant_digits(x: Fraction) -> int:
    """Of a number that has a finite decimal."""
    digits, rest = x.numerator, x.denominator
    while rest != 1:
        digits *= 10
        common = math.gcd(digits, rest)
        digits, rest = digits // common, rest // common
    return len(str(abs(digits)).rstrip("0"))


def round_threshold(low: float, high: float, *, single: bool = False) -> float:
    """The midpoint, or the shortest decimal in the middle half of the margin."""
    a, b = shortest(low, single=single), shortest(high, single=single)
    middle, first, last = (a + b) / 2, (3 * a + b) / 4, (a + 3 * b) / 4
    chosen = middle
    if significant_digits(middle) > 4 and (2 * middle).denominator != 1:
        chosen = Fraction(0) if first <= 0 <= last else _shortest_between(first, last, middle)
    threshold = float(chosen)
    if low <= threshold < high:
        return threshold
    threshold = low / 2 + high / 2
    return threshold if low <= threshold < high else low


def _shortest_between(first: Fraction, last: Fraction, middle: Fraction) -> Fraction:
    """The multiple of the largest power of ten that lies between, nearest to the middle, the lower of two."""
    largest = max(abs(first), abs(last))
    step = Fraction(1)
    while step <= largest:
        step *= 10
    while step > 10 * largest:
        step /= 10
    while True:
        below = math.floor(middle / step) * step
        inside = [x for x in (below, below + step) if first <= x <= last]
        if inside:
            return min(inside, key=lambda x: (abs(x - middle), x))
        step /= 10
