"""Short names for the types of arrays; and sums by place, the same for any order of the rows.

Whole numbers add up exactly in any order; others are added in the order of their values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]

_EXACT = 2.0**53

TIE = 1e-12  # of the larger number: what is closer than this is equal, whatever the rounding of the sums


def sums_by_place(place: Longs, values: Floats, n: int) -> Floats:
    """The sum of the values at each of the places 0 to n - 1.

    >>> sums_by_place(np.array([2, 0, 2]), np.array([0.5, 1.0, 0.25]), 3)
    array([1.  , 0.  , 0.75])
    """
    is_exact = bool((values == np.rint(values)).all()) and float(np.abs(values).sum()) < _EXACT
    if not is_exact:
        order = np.lexsort((values, place))
        place, values = place[order], values[order]
    return np.bincount(place, weights=values, minlength=n).astype(np.float64, copy=False)
