"""Smoothing: the shares or the mean of a node, drawn towards what is known without it.

One idea: every choice is one line of arithmetic on a node's own answer, its weight n and the answer of the
node above it, so it never looks below a node and pruning changes nothing that stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from hornbeam._base.types import Floats, Ints, Longs


def speakers(parent: Ints, weight: Floats) -> Longs:
    """The node each node answers with: itself, or its nearest ancestor of positive weight (else the root).

    Every silent node points to its parent; following the pointers twice as far each time takes log2(depth)
    passes.
    """
    ids = np.arange(len(parent), dtype=np.int64)
    speaker = np.where((weight > 0) | (parent < 0), ids, parent)
    while True:
        further = speaker[speaker]
        if np.array_equal(further, speaker):
            return speaker
        speaker = further


# `own` are a node's own shares or mean (a row each), `weight` its weight, `above` the nearest node above it
# that has rows (the root: itself), `amount` m or the strength. Nodes above come before the nodes below them.


def _none(own: Floats, weight: Floats, above: Longs, amount: float) -> Floats:
    del weight, above, amount
    return own


def _laplace(own: Floats, weight: Floats, above: Longs, amount: float) -> Floats:
    """(n_k + 1) / (n + K)."""
    del above, amount
    found: Floats = (own * weight[:, None] + 1.0) / (weight[:, None] + own.shape[1])
    return found


def _m_estimate(own: Floats, weight: Floats, above: Longs, amount: float) -> Floats:
    """(n_k + m p_k) / (n + m), p_k the share at the root (Cestnik 1990)."""
    del above
    found: Floats = (own * weight[:, None] + amount * own[0]) / (weight[:, None] + amount)
    return found


def _shrinkage(own: Floats, weight: Floats, above: Longs, amount: float) -> Floats:
    """(n f + s p_above) / (n + s), from the root down, where it is f."""
    found = own.copy()
    level = np.zeros(len(above), dtype=np.int64)
    for node, over in enumerate(above.tolist()):
        level[node] = level[over] + 1 if node else 0
    order = np.argsort(level, kind="stable")
    for nodes in np.split(order, np.flatnonzero(np.diff(level[order])) + 1)[1:]:
        n = weight[nodes, None]
        found[nodes] = (n * own[nodes] + amount * found[above[nodes]]) / (n + amount)
    return found


SMOOTHING: Mapping[str, Callable[[Floats, Floats, Longs, float], Floats]] = {
    "none": _none,
    "laplace": _laplace,
    "m-estimate": _m_estimate,
    "shrinkage": _shrinkage,
}


def smoothed(name: str, amount: float, own: Floats, weight: Floats, parent: Ints) -> Floats:
    """Shares or means after smoothing, for every node; a node without rows answers as the one above it.

    Zero where no node above has rows either.

    >>> own, weight, parent = np.array([[0.5], [0.0], [1.0]]), np.array([4.0, 2.0, 2.0]), np.array([-1, 0, 0])
    >>> smoothed("shrinkage", 2.0, own, weight, parent).ravel()
    array([0.5 , 0.25, 0.75])
    """
    speaker = speakers(parent, weight)
    if name == "none":
        return own[speaker]
    above = speaker[np.maximum(parent, 0)]
    spoken = np.where(weight > 0, weight, 1.0)  # a silent node's own result is not read
    found = SMOOTHING[name](own, spoken, above, amount)[speaker]
    found[weight[speaker] == 0] = 0.0
    return found
