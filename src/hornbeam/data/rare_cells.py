"""Python objects and times that Arrow does not take, brought to a form that it does, or refused by name.

One idea: `cells` reads what comes back as it reads any other column, so nothing here knows of cells.
"""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam.data.columns import is_missing, too_large, unusable

AnyArray = NDArray[Any]


def plain_objects(values: list[Any], name: str) -> AnyArray | list[str | None]:
    """What Arrow does not take but is clear: numbers of several types, numpy's own times, intervals.

    >>> from fractions import Fraction
    >>> plain_objects([1, Fraction(1, 2), None], "share")
    array([1. , 0.5, nan])
    """
    present = [value for value in values if not is_missing(value)]
    types = {type(value) for value in present}
    if types and all(issubclass(t, (numbers.Real, Decimal)) and not issubclass(t, bool) for t in types):
        lost = [v for v in present if isinstance(v, int) and int(float(v)) != v]
        if lost:
            raise ValueError(too_large(name, lost[0]))
        return np.array([math.nan if is_missing(value) else float(value) for value in values])
    if types in ({np.datetime64}, {np.timedelta64}):
        missing = types.pop()("NaT")
        return np.array([missing if is_missing(value) else value for value in values])
    if {t.__name__ for t in types} == {"Interval"}:  # the bins of pandas.cut, known by their text
        return [None if is_missing(value) else str(value) for value in values]
    if types == {str}:
        raise ValueError(f"column {name!r} holds text that is not Unicode (lone surrogates); decode it again")
    raise unusable(name, types)


def in_arrow_unit(times: AnyArray, name: str) -> AnyArray:
    """Dates and spans in a unit Arrow knows: seconds, or finer as they are.

    >>> in_arrow_unit(np.array(["2024-02-29"], dtype="datetime64[D]"), "day").dtype
    dtype('<M8[s]')
    """
    unit, count = np.datetime_data(times.dtype)
    if unit in ("s", "ms", "us", "ns") and count == 1 and times.dtype.isnative:
        return times
    calendar = times.dtype.kind == "m" and unit in "YM"
    if calendar or unit in ("ps", "fs", "as", "generic"):
        raise TypeError(
            f"column {name!r} holds {times.dtype}, which has no fixed length in microseconds;"
            " convert it with astype to days, seconds or nanoseconds"
        )
    return times.astype(f"{times.dtype.kind}8[{unit if unit in ('ms', 'us', 'ns') else 's'}]")
