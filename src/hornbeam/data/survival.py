"""The target of survival: how long each row was observed, and whether that ended with the event.

Whatever says so becomes two arrays, and those a Target of rates: events over exposure
(`hornbeam.data.rates`), whose mean in a group is its risk relative to all rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hornbeam._base.survival_statistics import log_rank_scores
from hornbeam._base.types import AnyArray, Bools, Floats, Task
from hornbeam.data.cells import read_cells
from hornbeam.data.encoding import LARGEST, encode_reals
from hornbeam.data.frames import as_frame
from hornbeam.data.rates import exposed, hazard_exposure
from hornbeam.data.target import Target
from hornbeam.data.target_columns import part_columns
from hornbeam.data.weights_and_costs import check_some_row_counts, row_counts, sample_weights

HOW = (
    "y must be (time, event): a structured array with a number and a boolean for each row, an array or table"
    " of two columns, a tuple of two columns, or the names of two columns of X, such as y=('time', 'event')"
)


class Survival(NamedTuple):
    """How long each row was observed, and whether it had the event at the end of that time."""

    time: Floats
    event: Bools


def names_of(y: Any) -> tuple[str, str] | None:
    """The names of two columns of X, if y is that."""
    is_pair = isinstance(y, (tuple, list)) and len(y) == 2 and all(isinstance(name, str) for name in y)
    return (y[0], y[1]) if is_pair else None


def part_outcome(X: Any, names: tuple[str, str]) -> tuple[Any, tuple[Any, Any]]:
    """A table without the columns of time and event, and those two columns.

    >>> part_outcome({"age": [61, 70], "years": [2.5, 4.0], "died": [1, 0]}, ("years", "died"))
    ({'age': [61, 70]}, ([2.5, 4.0], [1, 0]))
    """
    rest, (time, event) = part_columns(X, names)
    return rest, (time, event)


def two_columns(X: Any, y: Any) -> tuple[Any, Floats]:
    """A table and its outcome, time and event side by side; their names are looked up in the table.

    >>> two_columns({"age": [61, 70], "years": [2.5, 4.0], "died": [1, 0]}, ("years", "died"))
    ({'age': [61, 70]}, array([[2.5, 1. ],
           [4. , 0. ]]))
    """
    names = names_of(y)
    if names is not None:
        X, y = part_outcome(X, names)
    return X, np.column_stack(survival_of(y))


def survival_of(y: Any) -> Survival:
    """Times and events, from any of the forms of y.

    >>> survival_of([[2.5, 1], [4.0, 0]])
    Survival(time=array([2.5, 4. ]), event=array([ True, False]))
    >>> survival_of(np.array([(True, 2.5), (False, 4.0)], dtype=[("died", bool), ("years", float)])).time
    array([2.5, 4. ])
    """
    if isinstance(y, Survival):
        return y
    time, event = (_numbers(column, name) for column, name in zip(_columns(y), Survival._fields, strict=True))
    if len(time) != len(event):
        raise ValueError(f"y has {len(time)} times and {len(event)} events: {HOW}")
    wrong = np.flatnonzero(time <= 0)
    if len(wrong):
        raise ValueError(
            f"the time of row {wrong[0]} is {time[wrong[0]]:g}, and must be above 0: a row that was observed"
            " for no time says nothing; drop it"
        )
    wrong = np.flatnonzero((event != 0) & (event != 1))
    if len(wrong):
        raise ValueError(
            f"the event of row {wrong[0]} is {event[wrong[0]]:g}, and must be 1 (or True) where the event"
            " came, 0 (or False) where observation ended without it"
        )
    return Survival(time, event.astype(bool))


def _columns(y: Any) -> tuple[Any, Any]:
    """The two columns of y: time, event."""
    if y is None:
        raise ValueError(f"This TreeSurvival requires y to be passed, but the target y is None. {HOW}")
    if isinstance(y, tuple) and len(y) == 2:
        return y
    fields = getattr(getattr(y, "dtype", None), "names", None)
    if fields is not None:
        kinds = [y.dtype[name].kind for name in fields]
        if len(fields) != 2 or kinds.count("b") != 1:
            raise ValueError(f"y has the fields {', '.join(map(repr, fields))}: {HOW}")
        return y[fields[1 - kinds.index("b")]], y[fields[kinds.index("b")]]
    frame = None if isinstance(y, (np.ndarray, Sequence, Mapping)) else as_frame(y)
    if frame is not None and frame.shape[1] == 2:
        return frame[:, 0].to_native(), frame[:, 1].to_native()
    if isinstance(y, Mapping) and len(y) == 2:
        return tuple(y.values())
    array: AnyArray = np.asarray(y) if frame is None and not isinstance(y, (str, Mapping)) else np.empty(0)
    if array.ndim != 2 or array.shape[1] != 2:
        shape = array.shape if frame is None else frame.shape
        raise ValueError(f"y has the shape {shape}: {HOW}")
    return array[:, 0], array[:, 1]


def _numbers(column: Any, name: str) -> Floats:
    try:
        return encode_reals(read_cells(column, name))
    except ValueError as error:
        raise ValueError(f"the column of y that says the {name}: {error}") from None


def survival_target(
    y: Any,
    sample_weight: Any = None,
    counts: Any = None,
    *,
    n_rows: int | None = None,
    estimator: str = "TreeSurvival",  # noqa: ARG001 (as the constructors of Target)
) -> Target:
    """The target of survival; the parameters are those of `Target.real_of`.

    >>> target = survival_target([[2.5, 1], [4.0, 0], [5.0, 1]])
    >>> target.exposure.round(4), (target.values * target.weights).round(4)
    (array([0.3333, 0.7083, 0.9583]), array([1., 0., 1.]))
    """
    time, event = survival_of(y)
    if n_rows is not None and len(time) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, len(time)]};"
            " X and y must have the same number of rows"
        )
    repeats = None if counts is None else row_counts(counts, len(time))
    weights = None if sample_weight is None else sample_weights(sample_weight, len(time))
    check_some_row_counts(weights, repeats)
    each = np.ones(len(time)) if weights is None else weights
    counted = each if repeats is None else each * repeats
    if not (event & (counted > 0)).any():
        raise ValueError("no row that counts has an event: there is no risk to learn")
    exposure = hazard_exposure(time, event, counted)
    rates, exposures = exposed(event.astype(np.float64), weights, exposure, LARGEST)
    return Target(
        Task.SURVIVAL, values=rates, weights=exposures, counts=repeats, times=time, exposure=exposure
    )


def outcome_of(target: Target) -> Survival:
    """The times and events of a target of survival."""
    assert target.times is not None
    assert target.values is not None
    return Survival(target.times, target.values > 0)


def score_target(target: Target) -> Target:
    """The log-rank scores of a target of survival, as a target of numbers."""
    weight = person_weights(target)
    scores = log_rank_scores(*outcome_of(target), weight)
    plain = target.weights is None or target.exposure is None or (target.weights == target.exposure).all()
    weights = None if plain else weight / target.copies
    return Target(Task.REAL, values=scores, weights=weights, counts=target.counts)


def person_weights(target: Target) -> Floats:
    """How much each row counts, whatever its exposure; its repetitions included."""
    assert target.exposure is not None
    return target.row_weight / target.exposure
