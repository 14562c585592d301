"""Checks of a Tree's arrays: lengths, children, branches, value maps, cuts and side tables fit together.

One idea: a rule is a vector of wrong nodes and a sentence. The first wrong node is named in the error, and no
rule loops over nodes in Python, so a tree of 200,000 nodes is checked in a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Longs, Task
from hornbeam.data.columns import Column
from hornbeam.tree.arrays import (
    COLUMNS,
    EQUALS,
    EXPRESSION,
    HYPERPLANE,
    INTERVALS,
    KINDS,
    LEAF,
    MULTIWAY,
    NODE_ARRAYS,
    POLICY,
    POOLS,
    SUBSET,
    TASKS,
    THRESHOLD,
    owners,
)


def _kinds(*kinds: int) -> Bools:
    """A table over all kinds, true for those named: `table[kind]` is faster than a search."""
    return np.isin(np.arange(len(KINDS)), kinds)


_ONE_COLUMN = _kinds(THRESHOLD, SUBSET, EQUALS, MULTIWAY, INTERVALS)
_TWO_WAY = _kinds(THRESHOLD, EQUALS, HYPERPLANE, EXPRESSION)
_BY_CODE = _kinds(SUBSET, EQUALS, MULTIWAY)
_HAS_MAP = _kinds(SUBSET, MULTIWAY)
_HAS_CUT = _kinds(THRESHOLD, HYPERPLANE)
_ORDERED = _kinds(THRESHOLD, INTERVALS)
_LISTS_VALUES = _kinds(SUBSET, MULTIWAY, COLUMNS)
# The pools that nodes of one kind have, and no others.
_OWN_POOLS = (("plane", HYPERPLANE, "weights"), ("set", COLUMNS, "a column set"), ("cut", INTERVALS, "cuts"))


def check_attributes(task: str, classes: Sequence[Any] | None, policy: Mapping[str, str]) -> None:
    """The plain attributes: task, classes, policy."""
    if task not in TASKS:
        raise ValueError(f"task={task!r} must be one of {', '.join(map(repr, TASKS))}")
    if task == Task.CLASSES and not classes:
        raise ValueError("a tree of classes needs classes: give the labels in class order")
    if task != Task.CLASSES and classes is not None:
        raise ValueError(f"classes={classes!r} belongs to task='classes'; with task={task!r} leave it out")
    for name, value in policy.items():
        if name not in POLICY:
            raise ValueError(f"policy has no entry {name!r}: its entries are {', '.join(map(repr, POLICY))}")
        if value not in POLICY[name]:
            raise ValueError(
                f"policy[{name!r}]={value!r} must be one of {', '.join(map(repr, POLICY[name]))}"
            )


def check_arrays(
    arrays: Mapping[str, AnyArray], columns: Sequence[Column], task: Task, n_classes: int
) -> None:
    """Raise a ValueError whose sentence names the first array, node and rule that are wrong."""
    _check_shapes(arrays, task, n_classes)
    _check_links(arrays)
    _check_pools(arrays)
    _check_columns(arrays, columns)
    _check_branches(arrays)
    _check_answers(arrays, task, n_classes)


def refuse_nodes(wrong: Bools, sentence: str, nodes: Longs | None = None) -> None:
    """Raise `sentence` about the first wrong node; `nodes` translates positions to nodes."""
    if wrong.any():
        place = int(np.argmax(wrong))
        raise ValueError(f"node {place if nodes is None else int(nodes[place])} {sentence}")


def _check_shapes(a: Mapping[str, AnyArray], task: Task, n_classes: int) -> None:
    n = len(a["kind"])
    if n == 0:
        raise ValueError("a Tree needs at least one node: a single leaf is the smallest tree")
    stats_width = task.stats_width(n_classes)
    for name, node_array in NODE_ARRAYS.items():
        width = stats_width if name == "stats" else node_array.width
        if name == "stats" and task == Task.REAL and a[name].shape == (n, 4):
            continue  # rates: the sum of w y ln y, too
        shape = (n,) if width == 1 and name != "stats" else (n, width)
        if a[name].shape != shape:
            raise ValueError(
                f"{name} has shape {a[name].shape}, but this tree of {n} nodes needs {shape}"
                + (f": with task={task!r} a node's stats hold {width} numbers" if name == "stats" else "")
            )


def _check_links(a: Mapping[str, AnyArray]) -> None:
    """Children are contiguous, come after their parent, and every node but the root has one parent."""
    kind, first, count = a["kind"], a["first_child"], a["n_children"]
    n = len(kind)
    refuse_nodes((kind < 0) | (kind >= len(KINDS)), f"has an unknown kind: kinds are 0 to {len(KINDS) - 1}")
    leaf = kind == LEAF
    refuse_nodes(
        leaf & ((first != -1) | (count != 0)),
        "is a leaf but has children: first_child must be -1, n_children 0",
    )
    tests = np.flatnonzero(~leaf)
    first, count = first[tests].astype(np.int64), count[tests]
    refuse_nodes(count < 2, "is a test with fewer than two branches: a test needs at least two", tests)
    refuse_nodes(first <= tests, "has a child that does not come after it: number parents first", tests)
    refuse_nodes(first + count > n, "has children beyond the last node", tests)
    if not _tile(first, first + count, n):
        edges = np.bincount(first, minlength=n + 1) - np.bincount(first + count, minlength=n + 1)
        parents = np.cumsum(edges)[:n]
        parents[0] += 1
        refuse_nodes(parents != 1, "must be the child of exactly one node")


def _tile(first: Longs, last: Longs, n: int) -> bool:
    """Whether the runs of siblings from `first` up to `last` cover the nodes 1 to n - 1, each once.

    If no two runs begin or end together and where one ends another begins, the last run ends at n, so the one
    before it ends where the last begins, and so on.
    """
    begins, ends = np.zeros(n + 1, dtype=bool), np.zeros(n + 1, dtype=bool)
    begins[first] = ends[last] = True
    begins[n] = ends[1] = True
    return int(begins.sum()) == int(ends.sum()) == len(first) + 1 and bool((begins == ends).all())


def _check_pools(a: Mapping[str, AnyArray]) -> None:
    sizes = {"node": len(a["kind"])}
    for pool in POOLS:
        offset, n_owners, length = a[pool.offset], sizes[pool.owner], len(a[pool.first])
        sizes[pool.name] = length
        if offset.shape != (n_owners + 1,) or offset[0] != 0 or offset[-1] != length:
            raise ValueError(
                f"{pool.offset} must hold {n_owners + 1} numbers, from 0 to the {length} entries of the pool"
            )
        if length and (offset[1:] < offset[:-1]).any():
            raise ValueError(f"{pool.offset} must never decrease")
        for name in pool.arrays:
            if a[name].shape != (length,):
                raise ValueError(f"{name} has {len(a[name])} entries where its pool has {length}")
    tuples = owners(a["tuple_offset"])
    if len(tuples):
        width = np.diff(a["set_offset"])[tuples]
        refuse_nodes(np.diff(a["entry_offset"]) != width, "needs one value per column in each tuple", tuples)


def _check_columns(a: Mapping[str, AnyArray], columns: Sequence[Column]) -> None:
    """Every test names columns that exist and are of a kind it can test."""
    kind, column = a["kind"], a["column"]
    last = len(columns) - 1
    single = _ONE_COLUMN[kind]
    refuse_nodes(single & ((column < 0) | (column > last)), f"tests a column outside 0 to {last}")
    refuse_nodes(~single & (column != -1), "is no test of one column: its column must be -1")
    for pool in ("surrogate", "plane", "set", "box"):
        named = a[f"{pool}_column"]
        if len(named):
            wrong = (named < 0) | (named > last)
            refuse_nodes(
                wrong, f"names a column outside 0 to {last} in {pool}_column", owners(a[f"{pool}_offset"])
            )
    # x <= +inf sets all known values against the missing ones
    below = np.isfinite(a["threshold"]) | ((a["threshold"] == np.inf) & (kind == THRESHOLD))
    refuse_nodes(_HAS_CUT[kind] & ~below, "has a threshold that is not a finite number")
    ordered = np.array([c.kind in ("numeric", "ordinal") for c in columns] + [False])
    refuse_nodes(_ORDERED[kind] & ~ordered[column], "cuts a nominal column by a threshold: test its values")
    _check_cuts(a)
    if _BY_CODE[kind].any():
        _check_codes(a, np.array([len(c.categories) for c in columns] + [0]))
    for pool, needed, what in _OWN_POOLS:
        if a[f"{pool}_offset"][-1] or (kind == needed).any():
            refuse_nodes(
                (kind == needed) != (np.diff(a[f"{pool}_offset"]) > 0),
                f"must have {what} if, and only if, its kind is {KINDS[needed]!r}",
            )


def _check_cuts(a: Mapping[str, AnyArray]) -> None:
    """Several cuts of one column are finite and ascend."""
    nodes, cuts = owners(a["cut_offset"]), a["cut_threshold"]
    refuse_nodes(~np.isfinite(cuts), "has a cut that is not a finite number", nodes)
    same = nodes[1:] == nodes[:-1]
    refuse_nodes(
        same & (cuts[1:] <= cuts[:-1]), "must have its cuts in ascending order, each once", nodes[1:]
    )


def _check_codes(a: Mapping[str, AnyArray], sizes: Longs) -> None:
    """Tests on categories name codes of their column."""
    kind, column = a["kind"], a["column"]
    refuse_nodes(
        _BY_CODE[kind] & (sizes[column] == 0), "tests values of a column without categories: use a threshold"
    )
    equals = np.flatnonzero(kind == EQUALS)
    code = a["threshold"][equals]
    with np.errstate(invalid="ignore"):
        inside = (code >= 0) & (code < sizes[column[equals]]) & (code == np.floor(code))
    refuse_nodes(~inside, "compares with a code outside the categories of its column", equals)
    nodes, codes = owners(a["map_offset"]), a["map_code"]
    outside = (codes < 0) | (codes >= sizes[column[nodes]])
    refuse_nodes(outside, "maps a code outside the categories of its column", nodes)
    same = nodes[1:] == nodes[:-1]
    refuse_nodes(
        same & (codes[1:] <= codes[:-1]), "must map its codes in ascending order, each once", nodes[1:]
    )


def value_branches(a: Mapping[str, AnyArray]) -> Longs:
    """How many children of each node a value chooses; one more child is its own Missing branch."""
    count = 2 * _TWO_WAY[a["kind"]].astype(np.int64)
    for pool in ("map", "tuple"):
        if len(a[f"{pool}_branch"]):
            np.maximum.at(count, owners(a[f"{pool}_offset"]), a[f"{pool}_branch"] + 1)
    if len(a["cut_threshold"]):
        cut = a["kind"] == INTERVALS
        count[cut] = np.diff(a["cut_offset"])[cut] + 1
    most: Longs = np.maximum(count, a["absent"] + 1)
    return most


def _check_branches(a: Mapping[str, AnyArray]) -> None:
    """Every branch is chosen by something, and what chooses it exists."""
    kind, count, missing = a["kind"], a["n_children"], a["missing"]
    refuse_nodes(
        (missing < -1) | (missing >= count) & (missing > -1), "sends missing values to a branch it has not"
    )
    for pool in ("map", "tuple"):
        refuse_nodes(
            a[f"{pool}_branch"] < 0, "maps a value to a negative branch", owners(a[f"{pool}_offset"])
        )
    chosen = value_branches(a)
    extra = count - chosen
    refuse_nodes((extra < 0) | (extra > 1), "has a number of children that does not fit its test")
    refuse_nodes(
        (extra == 1) & (missing != count - 1),
        "has a last branch that no value chooses: it must be the branch of missing values",
    )
    absent = a["absent"]
    refuse_nodes(
        (absent < -1) | ((absent >= 0) & (kind != MULTIWAY)),
        "may have an absent branch only if it is multiway",
    )
    if _LISTS_VALUES[kind].any():
        _check_value_branches(a, chosen)


def _check_value_branches(a: Mapping[str, AnyArray], chosen: Longs) -> None:
    """Tests that list values: multiway in order, the absent branch a leaf, no branch without a value."""
    kind = a["kind"]
    shared = np.flatnonzero(a["absent"] >= 0)
    child = a["first_child"][shared] + a["absent"][shared]
    refuse_nodes(kind[child] != LEAF, "has an absent branch that is not a leaf", shared)
    nodes, branch = owners(a["map_offset"]), a["map_branch"].astype(np.int64)
    refuse_nodes(~_HAS_MAP[kind[nodes]], "has a value map but does not test values", nodes)
    position = np.arange(len(nodes)) - a["map_offset"][nodes]
    refuse_nodes(
        (kind[nodes] == MULTIWAY) & (branch != position), "is multiway: value i must go to branch i", nodes
    )
    _check_every_branch_is_used(a, chosen)


def _check_every_branch_is_used(a: Mapping[str, AnyArray], chosen: Longs) -> None:
    first = np.concatenate(([0], np.cumsum(chosen)))
    used = np.zeros(first[-1] + 1, dtype=np.int64)
    used[first[owners(a["map_offset"])] + a["map_branch"]] = 1
    used[first[owners(a["tuple_offset"])] + a["tuple_branch"]] = 1
    absent = np.flatnonzero(a["absent"] >= 0)
    used[first[absent] + a["absent"][absent]] = 1
    hit = np.add.reduceat(used, first[:-1])
    refuse_nodes(
        _LISTS_VALUES[a["kind"]] & ((chosen == 0) | (hit < chosen)), "has a branch that no value leads to"
    )


def _check_answers(a: Mapping[str, AnyArray], task: str, n_classes: int) -> None:
    stats, label = a["stats"], a["label"]
    refuse_nodes(np.asarray(~np.isfinite(stats).all(axis=1)), "has stats that are not finite")
    refuse_nodes(a["n_rows"] < 0, "has a negative number of rows")
    if task == Task.CLASSES:
        if stats.size and stats.min() < 0:
            refuse_nodes(stats.min(axis=1) < 0, "has a negative class weight")
        refuse_nodes((label < 0) | (label >= n_classes), f"answers a label outside 0 to {n_classes - 1}")
    else:
        refuse_nodes(stats[:, 0] < 0, "has a negative weight")
        if Task(task).is_real:
            refuse_nodes(stats[:, 2] < 0, "has a negative sum of squares")
        refuse_nodes(label != -1, f"has a label, but a tree with task={task!r} has none: use -1")
