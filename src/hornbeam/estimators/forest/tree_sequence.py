"""The trees of a forest: a sequence that makes a Tree when one is read.

A forest has many trees, and mostly their sum is needed. In between a tree is a few arrays in which leaves
take no more room than their answers; what prediction reads is packed when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Task
from hornbeam.data.columns import Column
from hornbeam.tree import apply
from hornbeam.tree.compact import Arrays, restored
from hornbeam.tree.tree import Tree


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
    grown : for each tree its compact arrays, or a Tree
    trusted : whether the core has just grown them; others, such as those of a file, are checked when made

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
    >>> Trees({}, [tree, tree])[1].text()
    'x[<=1.5: a | >1.5: b]'
    """

    _trusted = False

    def __init__(
        self, facts: Mapping[str, Any], grown: Sequence[Arrays | Tree], *, trusted: bool = False
    ) -> None:
        self._facts = dict(facts)
        self._trusted = trusted
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
        if self._trusted:
            return Tree.grown(one, **self._facts)
        return Tree(**(self._facts | restored(one, self._facts["task"])))

    def __repr__(self) -> str:
        return f"<Trees: {len(self)}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trees):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_packed": {}, "_trusted": False}

    @property
    def columns(self) -> tuple[Column, ...] | None:
        """The columns of all trees; None if they differ."""
        if "columns" in self._facts:
            return tuple(self._facts["columns"])
        first = self[0].columns
        return first if all(tree.columns == first for tree in self) else None

    @property
    def task(self) -> Task:
        """What the trees answer."""
        return Task(self._facts["task"]) if "task" in self._facts else self[0].task

    def packed(self, i: int, char: str, how: str) -> Packed | None:
        """Tree i packed for float32 ("f") or float64 ("d") rows; None if a test is no threshold."""
        key = (i, char, how)
        if key not in self._packed:
            tree = self[i]
            plain = apply.compiled(tree).plain and not tree.has_models
            nodes = apply.packed(tree, char) if plain else np.empty(0, np.uint8)
            self._packed[key] = Packed(nodes, node_answers(tree, how)) if len(nodes) else None
        return self._packed[key]


def node_answers(tree: Tree, how: str) -> Floats:
    """What each node adds to the sum: shares ("mean"), a vote ("vote"), or a value ("value")."""
    if how == "vote":
        return np.eye(len(tree.classes or ()))[tree.label]
    answers = tree.answers()
    return answers if how == "mean" else answers[:, None]


class FittedTrees(Sequence[Any]):
    """The trees of a forest as fitted estimators."""

    def __init__(self, n_trees: int, estimator_of: Callable[[int], Any]) -> None:
        self._n_trees = n_trees
        self._estimator_of = estimator_of

    def __len__(self) -> int:
        return self._n_trees

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if not -len(self) <= i < len(self):
            raise IndexError(f"the forest has {len(self)} trees, from 0: there is no tree {i}")
        return self._estimator_of(i)

    def __repr__(self) -> str:
        return f"<{len(self)} fitted estimators of one tree>"
