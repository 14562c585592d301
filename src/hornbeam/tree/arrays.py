"""What a Tree is made of: the literal table of its arrays, and the compact form in which a tree is grown.

Every node has the same short record (`NODE_ARRAYS`), and whatever only some nodes have lives in a *pool*, an
offset array plus value arrays of equal length. Entries `offset[i]` up to `offset[i + 1]` belong to owner `i`,
which is a node or an entry of another pool::

    nodes            0        1    2 ...
    map_offset     [ 0        3    3 ... ]
    map_code       [ 0  1  2 ]              node 0 maps three codes,
    map_branch     [ 0  0  1 ]              two of them to child 0

Building, checking, saving, comparing and collapsing a Tree are loops over these two tables, so a new side
table is one more row here. Whoever writes a tree node by node appends tuples to `Pools`, which `pool_arrays`
turns into offsets and values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam._base.types import AnyArray, Bools, Floats, Longs, Task
from hornbeam.tree.node_stats import row_sums

KINDS = (
    "leaf", "threshold", "subset", "equals", "multiway", "hyperplane", "columns", "expression", "intervals",
)  # fmt: skip
LEAF, THRESHOLD, SUBSET, EQUALS, MULTIWAY, HYPERPLANE, COLUMNS, EXPRESSION, INTERVALS = range(len(KINDS))

TASKS = tuple(task.value for task in Task)

# How a prediction treats a missing value: the allowed values of each entry, the default first.
POLICY: Mapping[str, tuple[str, ...]] = {
    "missing": ("learn", "branch", "all-paths", "fractional", "majority", "surrogates"),
    "vote": ("distribution", "leaf"),
    "weights": ("leaf", "branch"),
    "unseen": ("missing", "other"),  # a category the tree does not know: a gap, or simply another value
}


@dataclass(frozen=True)
class NodeArray:
    """One value (or a row of `width` values) per node; `fill` is the default, None says it must be given."""

    dtype: type[np.generic]
    fill: float | None
    width: int = 1


NODE_ARRAYS: Mapping[str, NodeArray] = {
    "kind": NodeArray(np.int8, None),
    "first_child": NodeArray(np.int32, None),
    "n_children": NodeArray(np.int32, None),
    "column": NodeArray(np.int32, -1),
    "threshold": NodeArray(np.float64, np.nan),
    "gap": NodeArray(np.float64, np.nan, width=2),
    "missing": NodeArray(np.int32, -1),
    "absent": NodeArray(np.int32, -1),
    "gain": NodeArray(np.float64, 0.0),
    "n_rows": NodeArray(np.int64, 0),
    "stats": NodeArray(np.float64, None, width=0),  # the width follows from the task
    "label": NodeArray(np.int32, -1),
    "impurity": NodeArray(np.float64, 0.0),
    "fraction": NodeArray(np.float64, np.nan),  # share of the parent's known rows; NaN: from the weights
}


@dataclass(frozen=True)
class Pool:
    """A side table: `name_offset` over the owners, and one array `name_field` per field.

    What a test owns goes when the node becomes a leaf; what `stays` is a leaf's, too.
    """

    name: str
    owner: str
    fields: Mapping[str, type[np.generic]]
    stays: bool = False

    @cached_property
    def offset(self) -> str:
        """Name of the offset array."""
        return f"{self.name}_offset"

    @cached_property
    def arrays(self) -> dict[str, type[np.generic]]:
        """Names and types of the value arrays."""
        return {f"{self.name}_{field}": dtype for field, dtype in self.fields.items()}

    @cached_property
    def first(self) -> str:
        """Name of the first value array, whose length is the number of entries."""
        return next(iter(self.arrays))


_INT, _REAL = np.int32, np.float64

POOLS: tuple[Pool, ...] = (
    # Which child a code goes to (subset, multiway), codes ascending within a node.
    Pool("map", "node", {"code": _INT, "branch": _INT}),
    # Splits that imitate the node's own where its column is missing, best first. On a numeric or ordinal
    # column a value <= threshold follows branch `low`, a greater one `high`; on a nominal column the
    # surrogate's own map decides.
    Pool("surrogate", "node", {
        "column": _INT, "threshold": _REAL, "low": _INT, "high": _INT, "agreement": _REAL,
        "association": _REAL,
    }),
    Pool("surrogate_map", "surrogate", {"code": _INT, "branch": _INT}),
    # Hyperplanes: the sum of weight times value against the node's threshold.
    Pool("plane", "node", {"column": _INT, "weight": _REAL}),
    # Tests on a set of columns: the columns, the value tuples with their branches, the values of each tuple.
    Pool("set", "node", {"column": _INT}),
    Pool("tuple", "node", {"branch": _INT}),
    Pool("entry", "tuple", {"value": _REAL}),
    # The box of a node in a density tree: one interval per column.
    Pool("box", "node", {"column": _INT, "low": _REAL, "high": _REAL}, stays=True),
    # Trees grown with costs of each row: the cost of answering each class, summed over the node's rows.
    Pool("cost", "node", {"value": _REAL}, stays=True),
    # Trees of several targets: the Stats of all of them, one after another (`hornbeam.tree.outputs`).
    Pool("output", "node", {"value": _REAL}, stays=True),
    # Several cuts of one column, ascending, each with the neighbouring training values. The branch of a value
    # is the number of cuts below it.
    Pool("cut", "node", {"threshold": _REAL, "low": _REAL, "high": _REAL}),
    # Quantiles of the target in the node's rows, levels ascending and the same at every node.
    Pool("quantile", "node", {"level": _REAL, "value": _REAL}, stays=True),
    # Survival: the event times of the node's rows, ascending; the weight at risk at each, and of the events.
    Pool("curve", "node", {"time": _REAL, "at_risk": _REAL, "events": _REAL}, stays=True),
    # The equation a node of a regression tree answers with, if it has one (`hornbeam.tree.equations` says
    # how), kept between low and high; the mean square of what it leaves of its training rows, and the number
    # of its parameters.
    Pool("model", "node", {
        "intercept": _REAL, "low": _REAL, "high": _REAL, "error": _REAL, "size": _INT,
    }, stays=True),
    # Its terms: coefficient * (value - center) ** power; with power 0 the coefficient where the value is one
    # of the term's members. A missing value adds `gap` instead.
    Pool("term", "model", {
        "column": _INT, "power": _INT, "center": _REAL, "coefficient": _REAL, "gap": _REAL,
    }, stays=True),
    Pool("member", "term", {"code": _INT}, stays=True),
)  # fmt: skip

ARRAY_NAMES: frozenset[str] = frozenset(NODE_ARRAYS).union(*({p.offset, *p.arrays} for p in POOLS))


def as_array(name: str, value: npt.ArrayLike, dtype: type[np.generic]) -> AnyArray:
    """`value` as a read-only contiguous array of `dtype`, copied only when it has to be converted."""
    array = np.asarray(value)
    if array.dtype != dtype or not array.flags.c_contiguous:
        if array.size and not np.can_cast(array.dtype, dtype, casting="same_kind"):
            raise TypeError(
                f"{name} has dtype {array.dtype}, which does not convert safely to {np.dtype(dtype)}:"
                f" give an array of {np.dtype(dtype)}"
            )
        array = np.ascontiguousarray(array, dtype=dtype)
    return frozen(array)


def frozen(array: AnyArray) -> AnyArray:
    """The same numbers, which nobody can change through the result."""
    array = array.view()
    array.flags.writeable = False
    return array


def owners(offset: AnyArray) -> Longs:
    """The owner of each entry of a pool.

    >>> owners(np.array([0, 2, 2, 3])).tolist()
    [0, 0, 2]
    """
    if offset[-1] == 0:
        return np.empty(0, dtype=np.int64)
    return np.repeat(np.arange(len(offset) - 1, dtype=np.int64), np.diff(offset))


def complete(given: Mapping[str, npt.ArrayLike | None]) -> dict[str, AnyArray]:
    """All arrays of a tree, from those given: converted, frozen, the others at their defaults."""
    unknown = sorted(set(given) - ARRAY_NAMES)
    if unknown:
        known = ", ".join(sorted(ARRAY_NAMES))
        raise TypeError(f"a Tree has no array {unknown[0]!r}: its arrays are {known}")
    lacking = [name for name, a in NODE_ARRAYS.items() if a.fill is None and given.get(name) is None]
    if lacking:
        raise TypeError(f"a Tree needs the array {lacking[0]!r}: give one value for each node")
    n = len(np.asarray(given["kind"]))
    return complete_nodes({name: given.get(name) for name in NODE_ARRAYS}, n) | complete_pools(given, n)


def complete_nodes(given: Mapping[str, npt.ArrayLike | None], n: int) -> dict[str, AnyArray]:
    """These arrays of `n` nodes, converted and frozen; where one is None, one value stands for all."""
    arrays: dict[str, AnyArray] = {}
    for name, value in given.items():
        node_array = NODE_ARRAYS[name]
        if value is None:
            shape = (n,) if node_array.width == 1 else (n, node_array.width)
            arrays[name] = np.broadcast_to(np.asarray(node_array.fill, dtype=node_array.dtype), shape)
        else:
            arrays[name] = as_array(name, value, node_array.dtype)
    return arrays


_ZERO = frozen(np.zeros(1, dtype=np.int64))
_NOTHING = {dtype: frozen(np.empty(0, dtype)) for pool in POOLS for dtype in pool.fields.values()}


def complete_pools(given: Mapping[str, npt.ArrayLike | None], n: int) -> dict[str, AnyArray]:
    """The side tables of `n` nodes, those not given empty."""
    arrays: dict[str, AnyArray] = {}
    sizes = {"node": n}
    # The offsets of pools without entries, by the number of owners: one zero stands for all offsets.
    no_entries: dict[int, AnyArray] = {0: _ZERO}
    for pool in POOLS:
        offset, n_owners = given.get(pool.offset), sizes[pool.owner]
        if offset is not None:
            arrays[pool.offset] = as_array(pool.offset, offset, np.int64)
        else:
            if n_owners not in no_entries:
                no_entries[n_owners] = np.broadcast_to(_ZERO, n_owners + 1)
            arrays[pool.offset] = no_entries[n_owners]
        for name, dtype in pool.arrays.items():
            value = given.get(name)
            arrays[name] = _NOTHING[dtype] if value is None else as_array(name, value, dtype)
        sizes[pool.name] = len(arrays[pool.first])
    return arrays


Entries = list[tuple[Any, ...]]
Pools = dict[str, list[Entries]]  # by name of the pool: the entries of each node


def new_pools(n: int = 0) -> Pools:
    """The pools of `n` nodes without entries."""
    return {pool.name: [[] for _ in range(n)] for pool in POOLS if pool.owner == "node"}


def open_node(pools: Pools) -> None:
    """One more node, without entries so far."""
    for entries in pools.values():
        entries.append([])


def pool_arrays(pools: Mapping[str, Sequence[Entries]]) -> dict[str, Any]:
    """Offsets and values of all pools that are not empty.

    An entry of a pool that owns another pool ends with the list of what it owns; entries of one field may be
    given as they are, without a tuple.

    >>> pools = new_pools()
    >>> open_node(pools)
    >>> pools["map"][-1] += [(0, 1), (2, 0)]
    >>> {name: array.tolist() for name, array in pool_arrays(pools).items()}
    {'map_offset': [0, 2], 'map_code': [0, 2], 'map_branch': [1, 0]}
    """
    lists = dict(pools)
    arrays: dict[str, Any] = {}
    for pool in POOLS:
        if pool.owner != "node":
            lists[pool.name] = [entry[-1] for owner in lists[pool.owner] for entry in owner]
        entries = [entry for owner in lists[pool.name] for entry in owner]
        if entries:
            arrays[pool.offset] = np.cumsum([0] + [len(owner) for owner in lists[pool.name]])
            for k, (name, dtype) in enumerate(pool.arrays.items()):
                arrays[name] = np.array(
                    [entry[k] if isinstance(entry, tuple) else entry for entry in entries], dtype=dtype
                )
    return arrays


# Compact arrays ------------------------------------------------------------------------------------------
# Half the nodes or more are leaves, and what makes a node a test they have not. So the core hands a tree over
# with the arrays of tests as long as there are tests (`BY_TEST`), and without what follows from the rest:
#
#     kind       [ t t . . . ]     nodes: two tests, three leaves
#     column     [ 4 0 ]           as the core hands it over
#     column     [ 4 0 -1 -1 -1 ]  as a reader of the Tree sees it, made when it is first read
#
# `n_children` may be left out where all tests have two branches, `n_rows` where the Stats of rows without
# weights count them, and `leaf_impurity`, an entry for each leaf, where all leaves are pure.


Arrays = Mapping[str, AnyArray]

# What the arrays of tests hold at a leaf.
BY_TEST: Mapping[str, float] = {
    "first_child": -1, "n_children": 0, "column": -1, "missing": -1, "absent": -1,
    "threshold": np.nan, "gap": np.nan, "gain": 0.0, "impurity": 0.0,
}  # fmt: skip
DERIVED = ("n_children", "n_rows")  # there for every tree, given or not


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


def _rows(arrays: Arrays, task: str) -> Longs:
    n_rows = arrays.get("n_rows")
    return (node_weights(arrays["stats"], task) if n_rows is None else n_rows).astype(np.int64, copy=False)


def node_weights(stats: Floats, task: str) -> Floats:
    """The training weight in each node, by its Stats; the number of its rows if none has a weight."""
    return row_sums(stats) if task == Task.CLASSES else stats[..., 0]
