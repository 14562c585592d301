"""Trees: the trees of a forest, a sequence that makes a Tree when asked for one.

One idea: a forest has many trees and is mostly asked for their sum. Between questions a tree is a few arrays
in which leaves take no more room than what they say; what prediction reads is packed when first needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np

from hornbeam import applying
from hornbeam.arrays import LEAF, AnyArray, Floats
from hornbeam.columns import Column
from hornbeam.tree import Tree

Arrays = Mapping[str, AnyArray]

# What the arrays of tests hold at a leaf.
_AT_LEAVES: Mapping[str, float] = {
    "first_child": -1, "n_children": 0, "column": -1, "missing": -1, "absent": -1,
    "threshold": np.nan, "gap": np.nan, "gain": 0.0,
}  # fmt: skip


def slim(arrays: Arrays) -> dict[str, AnyArray]:
    """The arrays of a tree without what can be put back: `full` gives the same arrays.

    >>> whole = {"kind": np.array([1, 0, 0], np.int8), "column": np.array([4, -1, -1], np.int32)}
    >>> slim(whole)["column"], full(slim(whole))["column"]
    (array([4], dtype=int32), array([ 4, -1, -1], dtype=int32))
    """
    branch = arrays["kind"] != LEAF
    out = {}
    for name, array in arrays.items():
        if name.startswith("map_") and not len(arrays.get("map_code", ())):
            continue
        kept = array[branch] if name in _AT_LEAVES else array
        if name in ("missing", "absent") and (kept == -1).all():
            continue
        out[name] = kept.astype(np.int32) if name == "n_rows" and kept.max() < 2**31 else kept
    return out


def full(arrays: Arrays) -> dict[str, AnyArray]:
    """The arrays that `slim` was given, but for those that are at their defaults."""
    branch = arrays["kind"] != LEAF
    out = dict(arrays)
    for name in _AT_LEAVES.keys() & arrays.keys():
        kept = arrays[name]
        out[name] = np.full((len(branch), *kept.shape[1:]), _AT_LEAVES[name], dtype=kept.dtype)
        out[name][branch] = kept
    if "n_rows" in out:
        out["n_rows"] = out["n_rows"].astype(np.int64)
    return out


class Packed:
    """A tree of thresholds as the core walks it over one type of numbers, and what its nodes answer."""

    __slots__ = ("answers", "nodes")

    def __init__(self, nodes: AnyArray, answers: Floats) -> None:
        self.nodes = nodes
        self.answers = answers


class Trees(Sequence[Tree]):
    """The trees of a forest in order; `trees[i]` is a Tree, made anew at each asking.

    Parameters
    ----------
    facts : what the trees have in common, as `Tree` takes it: columns, classes, task, policy, meta
    grown : for each tree its slim arrays and its center, or a Tree

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
    >>> Trees({}, [tree, tree])[1].text()
    'x[<=1.5: a | >1.5: b]'
    """

    def __init__(self, facts: Mapping[str, Any], grown: Sequence[tuple[Arrays, float] | Tree]) -> None:
        self._facts = dict(facts)
        self._grown = list(grown)
        self._packed: dict[tuple[int, str, str], Packed | None] = {}

    def __len__(self) -> int:
        return len(self._grown)

    @overload
    def __getitem__(self, i: int) -> Tree: ...
    @overload
    def __getitem__(self, i: slice) -> list[Tree]: ...
    def __getitem__(self, i: int | slice) -> Tree | list[Tree]:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        one = self._grown[i]
        if isinstance(one, Tree):
            return one
        arrays, center = one
        return Tree(**(self._facts | {"center": center} | full(arrays)))

    def __repr__(self) -> str:
        return f"<Trees: {len(self)}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trees):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_packed": {}}

    @property
    def columns(self) -> tuple[Column, ...] | None:
        """The columns of all trees; None if they differ."""
        if "columns" in self._facts:
            return tuple(self._facts["columns"])
        first = self[0].columns
        return first if all(tree.columns == first for tree in self) else None

    @property
    def task(self) -> str:
        """What the trees answer: "classes" or "real"."""
        return str(self._facts["task"]) if "task" in self._facts else self[0].task

    def packed(self, i: int, char: str, how: str) -> Packed | None:
        """Tree i packed for float32 ("f") or float64 ("d") rows; None if a test is no threshold."""
        key = (i, char, how)
        if key not in self._packed:
            tree = self[i]
            core = applying.compiled(tree)
            nodes = core.packed(char) if core.plain and not tree.has_models else np.empty(0, np.uint8)
            self._packed[key] = Packed(nodes, node_answers(tree, how)) if len(nodes) else None
        return self._packed[key]


def node_answers(tree: Tree, how: str) -> Floats:
    """What each node adds to the sum: shares ("mean"), a vote ("vote"), or a value ("value")."""
    if how == "vote":
        return np.eye(len(tree.classes or ()))[tree.label]
    answers = tree.answers()
    return answers if how == "mean" else answers[:, None]
