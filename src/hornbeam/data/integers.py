"""Whole numbers and ticks of time as float64, without ever merging two that differ.

One idea: float64 holds every whole number up to 2**53 and only some beyond. When learning, a number it cannot
hold is refused, for two training values must not become one. When predicting, such a number is rounded *up*:
for every float t, `x <= t` exactly if `up(x) <= t`, so the answer stays exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam.data.cells import too_large

Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]
ToFloats = Callable[[Ints, str], Floats]

_EXACT = 2**53


def exact_floats(whole: Ints, name: str) -> Floats:
    """The same numbers as floats, float32 where that is enough; an error if one would change.

    >>> exact_floats(np.array([1, 2**40]), "id")
    array([1.00000000e+00, 1.09951163e+12])
    """
    floats = _nearest_floats(whole)
    changed = first_changed(whole, floats)
    if changed is not None:
        raise ValueError(too_large(name, whole[changed]))
    return floats


def first_changed(whole: Ints, floats: Floats) -> int | None:
    """The position of the first whole number that its float does not equal.

    >>> first_changed(np.array([1, 2**53 + 1]), np.array([1.0, 2.0**53]))
    1
    """
    if whole.dtype.itemsize < 8 or not _beyond_exact(whole):
        return None
    changed = np.flatnonzero(_back(floats, whole) != whole)
    return int(changed[0]) if len(changed) else None


def ceiling_floats(whole: Ints, name: str) -> Floats:
    """The smallest floats that are not below the numbers; `name` is there to match `exact_floats`.

    >>> int(ceiling_floats(np.array([2**53 + 1]), "id")[0]) - 2**53
    2
    """
    del name
    floats = _nearest_floats(whole)
    if whole.dtype.itemsize < 8 or not _beyond_exact(whole):
        return floats
    too_low = (_back(floats, whole) < whole) & (floats <= _largest(whole))
    return np.where(too_low, np.nextafter(floats, np.inf), floats)


def ceiling_thousandths(whole: Ints) -> Floats:
    """The smallest floats that are not below `whole / 1000`: nanoseconds as microseconds.

    >>> ceiling_thousandths(np.array([2500]))
    array([2.5])
    """
    thousands, rest = np.divmod(whole, 1000)
    floats = thousands + rest / 1000
    return np.where((floats - thousands) * 1000 < rest, np.nextafter(floats, np.inf), floats)


def _nearest_floats(whole: Ints) -> Floats:
    return whole.astype(np.float32 if whole.dtype.itemsize <= 2 else np.float64)


def _beyond_exact(whole: Ints) -> bool:
    return whole.size > 0 and (int(whole.max()) > _EXACT or int(whole.min()) < -_EXACT)


def _back(floats: Floats, whole: Ints) -> Ints:
    """The floats as whole numbers again; those that would overflow come back as the largest that does not."""
    back: Ints = np.minimum(floats, _largest(whole)).astype(whole.dtype)
    return back


def _largest(whole: Ints) -> float:
    """The largest float that is a whole number of this type: 2**63 and 2**64 are not."""
    return float(np.nextafter(float(np.iinfo(whole.dtype).max), 0))
