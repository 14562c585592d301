"""Seeds from whatever scikit-learn accepts as a random state."""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.checks import is_whole


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
