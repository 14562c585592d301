"""Compact arrays: a tree of many nodes in little memory, and any of its arrays at full length again.

One idea: half the nodes or more are leaves, and what makes a node a test they have not. So the core hands a
tree over with the arrays of tests as long as there are tests (`BY_TEST`), and without what follows from the
rest::

    kind       [ t t . . . ]     nodes: two tests, three leaves
    column     [ 4 0 ]           as the core hands it over
    column     [ 4 0 -1 -1 -1 ]  as a reader of the Tree sees it, made when it is first read

`n_children` may be left out where all tests have two branches, `n_rows` where the Stats of rows without
weights count them, and `leaf_impurity`, an entry for each leaf, where all leaves are pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Floats, Longs, Task
from hornbeam.tree.arrays import LEAF, NODE_ARRAYS, complete_nodes, complete_pools, frozen

Arrays = Mapping[str, AnyArray]

# What the arrays of tests hold at a leaf.
BY_TEST: Mapping[str, float] = {
    "first_child": -1, "n_children": 0, "column": -1, "missing": -1, "absent": -1,
    "threshold": np.nan, "gap": np.nan, "gain": 0.0, "impurity": 0.0,
}  # fmt: skip
DERIVED = ("n_children", "n_rows")  # there for every tree, given or not


def compacted(arrays: Arrays, task: str) -> dict[str, AnyArray]:
    """The arrays of a tree without what can be put back: `restored` gives the same arrays.

    >>> whole = {"kind": np.array([1, 0, 0], np.int8), "column": np.array([4, -1, -1], np.int32)}
    >>> compacted(whole, "real")["column"], restored(compacted(whole, "real"), "real")["column"]
    (array([4], dtype=int32), array([ 4, -1, -1], dtype=int32))
    """
    tests = arrays["kind"] != LEAF
    out = {name: array[tests] if name in BY_TEST else array for name, array in arrays.items()}
    if "impurity" in arrays:
        out["leaf_impurity"] = arrays["impurity"][~tests]
    for name in _needless(out, task):
        del out[name]
    return out


def restored(arrays: Arrays, task: str) -> dict[str, AnyArray]:
    """The arrays that `compacted` was given, but for those that are at their defaults."""
    names = (set(NODE_ARRAYS) & set(arrays)).union(DERIVED if "stats" in arrays else ())
    pools = {name: array for name, array in arrays.items() if name not in NODE_ARRAYS}
    pools.pop("leaf_impurity", None)
    return pools | {name: whole(arrays, name, task) for name in NODE_ARRAYS if name in names}


def whole(arrays: Arrays, name: str, task: str) -> AnyArray:
    """One array at full length, read-only, from compact arrays."""
    if name == "n_rows":
        return frozen(_rows(arrays, task))
    short = arrays.get(name)
    if short is not None and len(short) == len(arrays["kind"]):
        return frozen(short)
    tests: Bools = arrays["kind"] != LEAF
    dtype, width = NODE_ARRAYS[name].dtype, NODE_ARRAYS[name].width
    array = np.full((len(tests), width) if width > 1 else len(tests), BY_TEST[name], dtype=dtype)
    array[tests] = 2 if short is None else short
    if name == "impurity" and "leaf_impurity" in arrays:
        array[~tests] = arrays["leaf_impurity"]
    return frozen(array)


def state_of(arrays: Arrays) -> dict[str, Any]:
    """What a Tree keeps of compact arrays: those of all nodes, the pools, and the rest for `Whole`."""
    n = len(arrays["kind"])
    waiting = {name for name in BY_TEST if name in arrays}.union(DERIVED)
    held = (*waiting, "kind", "stats", "leaf_impurity")
    return {
        **complete_nodes({name: arrays.get(name) for name in NODE_ARRAYS if name not in waiting}, n),
        **complete_pools(arrays, n),
        "_compact": {name: arrays[name] for name in held if name in arrays},
    }


class Whole:
    """An attribute of a Tree: one of its arrays, brought to full length when it is first read."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, tree: Any, owner: type | None = None) -> Any:
        compact = None if tree is None else tree.__dict__.get("_compact")
        if compact is None:  # the class is asked, or a tree that is not built yet
            raise AttributeError(f"there is no array {self._name!r} but that of a tree")
        array = tree.__dict__[self._name] = whole(compact, self._name, tree.task)
        return array


def when_read() -> Any:
    """The attribute `Whole`, for a class that says what type the array has."""
    return Whole()


def _rows(arrays: Arrays, task: str) -> Longs:
    n_rows = arrays.get("n_rows")
    return (node_weights(arrays["stats"], task) if n_rows is None else n_rows).astype(np.int64, copy=False)


def node_weights(stats: Floats, task: str) -> Floats:
    """The training weight in each node, by its Stats; the number of its rows if none has a weight."""
    weight: Floats = stats.sum(axis=1) if task == Task.CLASSES else stats[:, 0]
    return weight


def _needless(arrays: Arrays, task: str) -> list[str]:
    """The compact arrays that say nothing."""
    names = [name for name in ("missing", "absent") if name in arrays and (arrays[name] == -1).all()]
    if "n_children" in arrays and (arrays["n_children"] == 2).all():
        names.append("n_children")
    if "leaf_impurity" in arrays and not arrays["leaf_impurity"].view(np.int64).any():
        names.append("leaf_impurity")
    if "n_rows" in arrays:
        counts = node_weights(arrays["stats"], task)
        if counts.max() < 2**53 and np.array_equal(arrays["n_rows"], counts):
            names.append("n_rows")
    if not len(arrays.get("map_code", ())):
        names += [name for name in arrays if name.startswith("map_")]
    return names
