"""Pools of a Tree while they are written: lists of entries by owner -> offsets and values.

One idea: whoever writes a tree, from hand-made nodes or from grown ones, appends tuples; the table of pools
says what they become. An entry of a pool that owns another pool ends with the list of what it owns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hornbeam.tree.arrays import POOLS

Entries = list[tuple[Any, ...]]
Pools = dict[str, list[Entries]]  # by name of the pool: the entries of each node

OUTER = tuple(pool.name for pool in POOLS if pool.owner == "node")


def new_pools() -> Pools:
    """Pools without nodes."""
    return {name: [] for name in OUTER}


def open_node(pools: Pools) -> None:
    """One more node, without entries so far."""
    for entries in pools.values():
        entries.append([])


def pool_arrays(pools: Mapping[str, Sequence[Entries]]) -> dict[str, Any]:
    """Offsets and values of all pools that are not empty.

    >>> pools = new_pools()
    >>> open_node(pools)
    >>> pools["map"][-1] += [(0, 1), (2, 0)]
    >>> {name: array.tolist() for name, array in pool_arrays(pools).items()}
    {'map_offset': [0, 2], 'map_code': [0, 2], 'map_branch': [1, 0]}
    """
    lists = dict(pools)
    lists["surrogate_map"] = [entry[-1] for node in lists["surrogate"] for entry in node]
    lists["surrogate"] = [[entry[:-1] for entry in node] for node in lists["surrogate"]]
    lists["entry"] = [[(v,) for v in entry[-1]] for node in lists["tuple"] for entry in node]
    lists["tuple"] = [[entry[:-1] for entry in node] for node in lists["tuple"]]
    arrays: dict[str, Any] = {}
    for pool in POOLS:
        entries = [entry for owner in lists.get(pool.name, ()) for entry in owner]
        if entries:
            arrays[pool.offset] = np.cumsum([0] + [len(owner) for owner in lists[pool.name]])
            for k, (name, dtype) in enumerate(pool.arrays.items()):
                arrays[name] = np.array([entry[k] for entry in entries], dtype=dtype)
    return arrays
