"""Parameters of estimators: names they do not have, columns they name, and random states.

scikit-learn reads the parameters off `__init__`, which therefore lists them and takes no others; so a wrong
name is refused before `__init__` is called, in the constructor and in `set_params`.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from hornbeam._base.checks import is_whole

# What scikit-learn's trees have and these do not.
_ELSEWHERE: Mapping[str, str] = {
    "ccp_alpha": "prune with the slot `pruning` instead",
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
    wanted = list(names) if columns is None else [columns] if isinstance(columns, str) else list(columns)
    for name in wanted:
        if name not in names:
            raise ValueError(
                f"columns names {name!r}, which X does not have{did_you_mean(str(name), names)};"
                f" its columns are {', '.join(names)}"
            )
    return wanted


def unknown_name(estimator: type, names: Iterable[str]) -> str | None:
    """The sentence for the first of `names` that is no parameter of `estimator`; None if all are.

    >>> from hornbeam import TreeRegressor
    >>> unknown_name(TreeRegressor, ["max_depth", "ccp_alpha"])
    "TreeRegressor has no parameter 'ccp_alpha': prune with the slot `pruning` instead"
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
    given = list(inspect.signature(estimator.__init__).parameters.values())[1:]  # type: ignore[misc]
    if any(one.kind is one.VAR_KEYWORD for one in given):
        return ()
    return tuple(one.name for one in given)


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
