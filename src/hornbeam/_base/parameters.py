"""Parameters, checked: names that do not exist, columns, random states, threads, numbers, progress.

scikit-learn reads the parameters off `__init__`, which therefore lists them and takes no others; so a wrong
name is refused before `__init__` is called, in the constructor and in `set_params`.

Each check of a number has one sentence that says what is allowed. `check_...` raise and return nothing; the
others also return the number as a plain int or float.
"""

from __future__ import annotations

import difflib
import inspect
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

# What scikit-learn's trees and forests have and these do not.
_ELSEWHERE: Mapping[str, str] = {
    "ccp_alpha": "trees of a forest and automatic trees have no penalty for leaves; limit the size of a"
    " forest's trees with `min_samples_leaf` or `max_leaf_nodes`",
    "warm_start": "fit again; a forest of more trees and the same random_state begins with the same trees,"
    " and hb.edit goes on with a tree that stands",
    "verbose": "`fit` takes a function `progress` instead",
    "splitter": "the split is always the best one; to search random columns only, use `max_features`",
}


def did_you_mean(name: Any, names: Iterable[str]) -> str:
    """A hint at the name that was probably meant; empty if none is near.

    >>> did_you_mean("max_dept", ["max_depth", "max_nodes"])
    " (did you mean 'max_depth'?)"
    """
    close = difflib.get_close_matches(name, list(names), n=1) if isinstance(name, str) else []
    return f" (did you mean {close[0]!r}?)" if close else ""


def column_names(columns: str | Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """The columns a parameter `columns` names, one or several, all if None; raise if X has no such one.

    >>> column_names("age", ["age", "city"]), column_names(None, ["age", "city"])
    (['age'], ['age', 'city'])
    """
    chosen = list(names) if columns is None else [columns] if isinstance(columns, str) else list(columns)
    for name in chosen:
        if name not in names:
            raise ValueError(
                f"columns names {name!r}, which X does not have{did_you_mean(str(name), names)};"
                f" its columns are {', '.join(names)}"
            )
    return chosen


def unknown_name(estimator: type, names: Iterable[str]) -> str | None:
    """The sentence for the first of `names` that is no parameter of `estimator`; None if all are.

    >>> from hornbeam import TreeRegressor
    >>> unknown_name(TreeRegressor, ["max_depth", "verbose"])
    "TreeRegressor has no parameter 'verbose': `fit` takes a function `progress` instead"
    """
    known = _parameters(estimator)
    for name in names:
        if known and name not in known:
            fault = f"{estimator.__name__} has no parameter {name!r}"
            if name in _ELSEWHERE:
                return f"{fault}: {_ELSEWHERE[name]}"
            return f"{fault}{did_you_mean(name, known)}: its parameters are {', '.join(known)}"
    return None


@cache
def _parameters(estimator: type) -> tuple[str, ...]:
    """The names `__init__` takes; none if it takes any."""
    parameters = list(inspect.signature(estimator.__init__).parameters.values())[1:]  # type: ignore[misc]
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return ()
    return tuple(one.name for one in parameters)


def seed_of(random_state: Any) -> int:
    """A seed from anything scikit-learn accepts as a random state; None draws from numpy's own state.

    >>> seed_of(5) == seed_of(5)
    True
    """
    if random_state is None:
        return int(np.random.randint(2**31 - 1))  # noqa: NPY002 (scikit-learn's meaning of None)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if is_whole(random_state) and 0 <= random_state < 2**64:
        return int(random_state)
    raise ValueError(
        f"random_state={random_state!r} must be a whole number of at least 0, a numpy Generator or"
        " RandomState, or None for other random columns each time"
    )


def check_n_jobs(n_jobs: Any) -> None:
    """Raise unless `n_jobs` is a whole number other than 0, or None."""
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise ValueError(f"n_jobs={n_jobs!r} must be a whole number other than 0, or None for all cores")


def n_threads(n_jobs: int | None) -> int:
    """The number of threads `n_jobs` stands for.

    None is every core this process may use, less if its container has a share of them only (or
    OMP_NUM_THREADS, which joblib sets in its workers so that nested work does not multiply); -1 is all of
    them, -2 all but one. More threads than cores would only wait for each other, so no more are started.

    >>> n_threads(1)
    1
    """
    if n_jobs is not None and n_jobs > 0:
        return min(int(n_jobs), most_threads())
    cores = most_threads()
    if n_jobs is not None:
        return max(1, cores + 1 + int(n_jobs))
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores, max(1, int(limit))) if limit.isdecimal() else cores


def most_threads() -> int:
    """The most threads that `n_jobs` can ask for: the cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return _cores(None if affinity is None else len(affinity(0)))


@cache
def _cores(allowed: int | None) -> int:  # noqa: ARG001 (asked again where it changes)
    """The cores of this process; asked once, since that reads files of the system."""
    from joblib import cpu_count  # type: ignore[import-untyped]  # here: reading a tree does not wait for it

    return int(cpu_count())


# Numbers --------------------------------------------------------------------------------------------------


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
    if not is_number(value) or not low < value <= sys.float_info.max:
        raise ValueError(f"{name}={value!r} must be a number above {low:g}: {meaning}")


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise unless `value` is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={value!r} must be one of {', '.join(map(repr, choices))}")


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning at the line outside the package that called it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("hornbeam."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def as_path(value: Any, name: str = "path") -> Path:
    """A path that somebody has given.

    >>> as_path(3)
    Traceback (most recent call last):
    TypeError: path=3 must be a path: text that is not empty, or a pathlib.Path
    """
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        if isinstance(text, str) and text and "\0" not in text:
            return Path(text)
    raise TypeError(f"{name}={value!r} must be a path: text that is not empty, or a pathlib.Path")


def is_whole(value: Any) -> bool:
    """Whether this is a whole number, and no boolean."""
    return not isinstance(value, bool) and isinstance(value, Integral)


def is_number(value: Any) -> bool:
    """Whether this is a number, and neither a boolean nor not-a-number."""
    return not isinstance(value, bool) and isinstance(value, Real) and bool(value == value)


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
    check_least(name, value, 0, meaning)
    return float(value)


def positive(value: Any, name: str, meaning: str) -> float:
    """A finite number above 0."""
    check_above(name, value, 0, meaning)
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
    if value == math.inf:
        raise ValueError("the number is beyond what a float can be: give smaller numbers")
    near = round(value)
    return near if abs(value - near) <= 1e-12 * max(1.0, abs(value)) else math.ceil(value)


# Progress -------------------------------------------------------------------------------------------------
# Each of several pieces of work is an equal share of the whole, so that a bar never goes back.

Progress = Callable[[float], object]  # takes the share that is done, from 0 to 1; true means: stop


class Stages:
    """One progress over `n` pieces of work.

    >>> shares = []
    >>> stages = Stages(shares.append, 2)
    >>> for share in (0.0, 1.0):
    ...     stages.next()(share)
    >>> shares
    [0.0, 1.0]
    """

    def __init__(self, progress: Progress | None, n: int) -> None:
        if progress is not None and not callable(progress):
            raise TypeError(f"progress={progress!r} must be a function of the share that is done, or None")
        self.progress, self.n, self.done = progress, n, 0

    def next(self) -> Progress | None:
        """The progress of the next piece."""
        before, progress = self.done, self.progress
        self.done += 1
        if progress is None:
            return None
        return lambda share: progress((before + share) / self.n)
