"""Smaller trees from a tree: keep some nodes, renumber, and take the matching part of every pool.

One idea: `keep` is a mask over owners. The entries of a pool follow their owners, and a pool whose owners are
entries of another pool follows those, so one loop over the table of pools moves everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hornbeam.arrays import NODE_ARRAYS, POOLS, AnyArray, Bools, owners

if TYPE_CHECKING:
    from hornbeam.tree import Tree

# What makes a node a test; a collapsed node has the default instead.
_TEST = {
    "kind": 0,
    "n_children": 0,
    "column": -1,
    "threshold": np.nan,
    "gap": np.nan,
    "missing": -1,
    "absent": -1,
    "gain": 0.0,
}


def collapsed(tree: Tree, nodes: npt.ArrayLike) -> dict[str, Any]:
    """The constructor's arguments for `tree` with the masked nodes turned into leaves."""
    mask = np.asarray(nodes)
    if mask.shape != (len(tree),) or mask.dtype != np.bool_:
        raise ValueError(
            f"collapse takes a boolean mask with one value for each of the {len(tree)} nodes, not an array of"
            f" {mask.dtype} and shape {mask.shape}: make one with numpy.zeros(len(tree), dtype=bool)"
        )
    keep = ~_below(tree, mask)
    leaf = mask[keep]
    arrays: dict[str, AnyArray] = {name: getattr(tree, name)[keep] for name in NODE_ARRAYS}
    number = np.cumsum(keep) - 1
    inner = (arrays["first_child"] >= 0) & ~leaf
    arrays["first_child"] = np.where(inner, number[arrays["first_child"]], -1)
    for name, empty in _TEST.items():
        arrays[name][leaf] = empty
    tests = keep & ~mask
    changed = {
        "expressions": {int(number[n]): text for n, text in tree.expressions.items() if tests[n]},
    }
    return tree.attributes() | changed | arrays | _pools(tree, keep, tests)


def _below(tree: Tree, mask: Bools) -> Bools:
    """Nodes with a masked ancestor; looking twice as far up each time takes log2(depth) passes."""
    ancestor = np.maximum(tree.parent, 0)
    found: Bools = mask[ancestor]
    found[0] = False
    while ancestor.any():
        found |= found[ancestor]
        ancestor = ancestor[ancestor]
    return found


def _pools(tree: Tree, keep: Bools, tests: Bools) -> dict[str, AnyArray]:
    """The part of each pool that the kept nodes own; of a node that is no test any more what stays."""
    arrays: dict[str, AnyArray] = {}
    kept, live = {"node": keep}, {"node": tests}
    for pool in POOLS:
        offset = getattr(tree, pool.offset)
        holds = (kept if pool.stays else live)[pool.owner]
        entries = holds[owners(offset)]
        kept[pool.name] = live[pool.name] = entries
        if entries.any():
            counts = np.where(holds, np.diff(offset), 0)[kept[pool.owner]]
            arrays[pool.offset] = np.concatenate(([0], np.cumsum(counts)))
            arrays |= {name: getattr(tree, name)[entries] for name in pool.arrays}
    return arrays
