"""The shape of a tree: parents, walks, paths, sizes, the cuts and values of a test, all from its arrays.

One idea: nodes 1, 2, ... fall into runs of siblings, in the order of their parents' `first_child`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from hornbeam._base.types import Bools, Floats, Ints, Longs, Task
from hornbeam.data.columns import Column
from hornbeam.tree.arrays import HYPERPLANE, KINDS, LEAF, MULTIWAY, THRESHOLD, whole
from hornbeam.tree.checks import value_branches
from hornbeam.tree.expressions.language import Expression
from hornbeam.tree.sizes import leaf_counts, reading_size

if TYPE_CHECKING:
    from hornbeam.tree.outputs import Output

_T = TypeVar("_T")


def remember(tree: TreeShape, name: str, make: Callable[[], _T]) -> _T:
    """What `make` gives, made once and then kept with the tree under a name."""
    if name not in tree.__dict__:
        tree.__dict__[name] = make()
    return cast(_T, tree.__dict__[name])


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


class TreeShape:
    """The attributes every Tree has, and what follows from them without looking at a row."""

    columns: tuple[Column, ...]
    classes: tuple[Any, ...] | None
    task: Task
    policy: Mapping[str, str]
    meta: Mapping[str, Any]
    expressions: Mapping[int, str]
    outputs: tuple[Output, ...]

    kind: npt.NDArray[np.int8]
    first_child: Ints = when_read()
    n_children: Ints = when_read()
    column: Ints = when_read()
    threshold: Floats = when_read()
    gap: Floats = when_read()
    missing: Ints = when_read()
    absent: Ints = when_read()
    gain: Floats = when_read()
    n_rows: Longs = when_read()
    stats: Floats
    label: Ints
    impurity: Floats = when_read()
    fraction: Floats
    map_offset: Longs
    map_code: Ints
    map_branch: Ints
    surrogate_offset: Longs
    surrogate_column: Ints
    surrogate_threshold: Floats
    surrogate_low: Ints
    surrogate_high: Ints
    surrogate_agreement: Floats
    surrogate_association: Floats
    surrogate_map_offset: Longs
    surrogate_map_code: Ints
    surrogate_map_branch: Ints
    plane_offset: Longs
    plane_column: Ints
    plane_weight: Floats
    set_offset: Longs
    set_column: Ints
    tuple_offset: Longs
    tuple_branch: Ints
    entry_offset: Longs
    entry_value: Floats
    output_offset: Longs
    output_value: Floats
    box_offset: Longs
    box_column: Ints
    box_low: Floats
    box_high: Floats
    cost_offset: Longs
    cost_value: Floats
    cut_offset: Longs
    quantile_offset: Longs
    quantile_level: Floats
    quantile_value: Floats
    curve_offset: Longs
    curve_time: Floats
    curve_at_risk: Floats
    curve_events: Floats
    cut_threshold: Floats
    cut_low: Floats
    cut_high: Floats
    model_offset: Longs
    model_intercept: Floats
    model_low: Floats
    model_high: Floats
    model_error: Floats
    model_size: Ints
    term_offset: Longs
    term_column: Ints
    term_power: Ints
    term_center: Floats
    term_coefficient: Floats
    term_gap: Floats
    member_offset: Longs
    member_code: Ints

    def __len__(self) -> int:
        """Stored nodes: the length of every array; `n_nodes` counts a shared empty leaf once per value."""
        return len(self.kind)

    # ---- walking -------------------------------------------------------------------------------------------

    @cached_property
    def parent(self) -> Ints:
        """The parent of each node, -1 for the root."""
        result = np.full(len(self), -1, dtype=np.int32)
        tests = np.flatnonzero(self.first_child >= 0)
        order = tests[np.argsort(self.first_child[tests], kind="stable")]
        result[1:] = np.repeat(order, self.n_children[order])
        result.flags.writeable = False
        return result

    @cached_property
    def depths(self) -> Ints:
        """The number of tests above each node."""
        # Every node knows how far above it a node is; looking twice as far up each time takes log2(depth)
        # passes.
        result = (self.parent >= 0).astype(np.int32)
        above = np.maximum(self.parent, 0)
        while above.any():
            result += result[above]
            above = above[above]
        result.flags.writeable = False
        return result

    @cached_property
    def _links(self) -> tuple[list[int], list[int]]:
        """First child and number of children as lists, which Python reads faster than arrays."""
        return self.first_child.tolist(), self.n_children.tolist()

    def children(self, node: int) -> range:
        """The children of a node, in branch order."""
        first, count = self._links[0][node], self._links[1][node]
        return range(first, first + count) if first >= 0 else range(0)

    def levels(self) -> list[Longs]:
        """The nodes of each depth, from the root down."""
        order = np.argsort(self.depths, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.depths))[:-1])

    def walk(self, start: int = 0) -> Iterator[tuple[int, int]]:
        """Nodes with their depths in pre-order: a node, then its branches from the first to the last."""
        stack = [(start, 0)]
        while stack:
            node, depth = stack.pop()
            yield node, depth
            stack.extend((child, depth + 1) for child in reversed(self.children(node)))

    def leaves(self) -> Ints:
        """The stored leaves from left to right."""
        first = self._links[0]
        return np.array([node for node, _ in self.walk() if first[node] < 0], dtype=np.int32)

    def path(self, node: int) -> list[int]:
        """The nodes from the root to `node`, both included."""
        if not 0 <= node < len(self):
            raise ValueError(f"node={node!r} must be a node number from 0 to {len(self) - 1}")
        nodes = [int(node)]
        while nodes[-1] > 0:
            nodes.append(int(self.parent[nodes[-1]]))
        return nodes[::-1]

    def branch_to(self, node: int) -> tuple[int, int]:
        """The test above a node, and which of its branches leads to the node."""
        above = int(self.parent[node])
        return above, node - int(self.first_child[above])

    def tests_above(self, node: int) -> list[tuple[int, int]]:
        """(test, branch) of every test on the path from the root to a node."""
        return [self.branch_to(below) for below in self.path(node)[1:]]

    def kind_of(self, node: int) -> str:
        """The kind of a node by name: "leaf", "threshold", ..."""
        return KINDS[int(self.kind[node])]

    # ---- sizes (a leaf shared by several absent values counts once for each of them) -----------------------

    @property
    def depth(self) -> int:
        """Tests on the longest path; a single leaf has depth 0."""
        return int(self.depths.max())

    @property
    def n_tests(self) -> int:
        """Inner nodes."""
        return int(np.count_nonzero(self.kind != LEAF))

    @property
    def n_leaves(self) -> int:
        """Leaves."""
        return int(leaf_counts(self)[self.kind == LEAF].sum())

    @property
    def n_nodes(self) -> int:
        """Tests and leaves."""
        return self.n_tests + self.n_leaves

    @property
    def reading_size(self) -> int:
        """What a person reads: 1 for each leaf, the terms of its equation, the terms each test compares."""
        return remember(self, "_reading_size", lambda: reading_size(self))

    def statistics(self) -> dict[str, int]:
        """depth, leaves, tests, nodes and reading size."""
        return {
            "depth": self.depth,
            "leaves": self.n_leaves,
            "tests": self.n_tests,
            "nodes": self.n_nodes,
            "reading_size": self.reading_size,
        }

    # ---- branches ------------------------------------------------------------------------------------------

    @cached_property
    def own_missing(self) -> Bools:
        """Which nodes have a branch of their own for missing values (their last child)."""
        result: Bools = value_branches({"absent": self.absent, **self.__dict__}) < self.n_children
        result.flags.writeable = False
        return result

    def value_map(self, node: int) -> tuple[Ints, Ints]:
        """Codes and branches of a test on values; a code that is not among them goes the way of `absent`."""
        span = slice(int(self.map_offset[node]), int(self.map_offset[node + 1]))
        return self.map_code[span], self.map_branch[span]

    def cuts(self, node: int) -> Floats:
        """The cuts of a test by size, ascending: how many of them are below a value is its branch."""
        if self.kind[node] in (THRESHOLD, HYPERPLANE):
            return self.threshold[node : node + 1]
        return self.cut_threshold[int(self.cut_offset[node]) : int(self.cut_offset[node + 1])]

    def plane(self, node: int) -> list[tuple[int, float]]:
        """(column, weight) of each term of a hyperplane."""
        span = slice(int(self.plane_offset[node]), int(self.plane_offset[node + 1]))
        return list(zip(self.plane_column[span].tolist(), self.plane_weight[span].tolist(), strict=True))

    def value_tuples(self, node: int) -> list[tuple[list[float], int]]:
        """(values, branch) of each tuple that a test of several columns names."""
        entries = range(int(self.tuple_offset[node]), int(self.tuple_offset[node + 1]))
        ends = self.entry_offset
        return [
            (self.entry_value[ends[k] : ends[k + 1]].tolist(), int(self.tuple_branch[k])) for k in entries
        ]

    def absent_codes(self, node: int) -> Ints:
        """The codes that share the absent branch of a multiway node."""
        if self.kind[node] != MULTIWAY or self.absent[node] < 0:
            return np.empty(0, dtype=np.int32)
        domain = np.arange(len(self.columns[self.column[node]].categories), dtype=np.int32)
        return np.setdiff1d(domain, self.value_map(node)[0])

    def tested_columns(self, node: int) -> tuple[int, ...]:
        """The columns a node tests, in order; none for a leaf."""
        if self.column[node] >= 0:
            return (int(self.column[node]),)
        if node in self.expressions:
            return Expression.parse(self.expressions[node]).columns_in(self.columns)
        for offset, column in ((self.plane_offset, self.plane_column), (self.set_offset, self.set_column)):
            if offset[node + 1] > offset[node]:
                return tuple(column[offset[node] : offset[node + 1]].tolist())
        return ()
