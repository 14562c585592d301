"""The trees of a forest, and what they answer together, also for rows out of bag.

A forest has many trees, and mostly their sum is needed. In between a tree is a few arrays in which leaves
take no more room than their answers; what prediction reads is packed when it is first needed.

Every tree adds its answers to one array, in the order of the trees, so the sum is the same for any number of
threads. Rows that follow all paths in a tree, and trees with tests of other kinds, are answered as by single
trees. Trees give probabilities; their mean counts how sure each tree is, a vote only which class it names.
About a third of the trees were grown without a given row: out of bag it is new to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._base.parameters import did_you_mean, n_threads
from hornbeam._base.types import AnyArray, Floats, Ints, Task
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.tree import apply, routing
from hornbeam.tree.answer_rule import heaviest_class
from hornbeam.tree.arrays import BY_TEST, DERIVED, LEAF, NODE_ARRAYS, Arrays, node_weights, whole
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


_FEW = 10_000  # rows that one thread takes to their leaves sooner than several are started


def numeric_array(table: Table) -> AnyArray | None:
    """The table as one array of numbers; None if it has columns that are no numbers."""
    if table.dense is not None:
        return table.dense
    if not table.columns or not all(column.is_number for column in table.columns):
        return None
    return np.stack(table.arrays, axis=1)


class ForestRows:
    """Rows as every tree of a forest can read them.

    Parameters
    ----------
    trees : the forest
    X : the rows: a Table that matches the trees, or anything a Table can be made of
    estimator : the name of the estimator, for the error messages
    n_jobs : threads
    """

    def __init__(self, trees: Trees, X: Any, estimator: str, n_jobs: int | None) -> None:
        self.trees = trees
        columns = trees.columns
        self._X, self._estimator = X, estimator
        self._table: Table | None = None  # None: every tree has columns of its own
        self._numbers: AnyArray | None = None
        if isinstance(X, Table) or columns is not None:
            self._table = X if isinstance(X, Table) else Table.match(X, columns or (), estimator)
            self._numbers = numeric_array(self._table)
        self.n_rows = self._table_of(trees[0]).n_rows if self._table is None else self._table.n_rows
        self._threads = 1 if self.n_rows < _FEW else n_threads(n_jobs)

    def _table_of(self, tree: Tree) -> Table:
        if self._table is not None:
            return self._table
        return Table.match(self._X, tree.columns, self._estimator)

    def leaves(self, i: int) -> Ints:
        """The leaf of each row in tree i; of several the heaviest."""
        packed, leaves = self._packed_leaves(i, "value" if self.trees.task.is_real else "mean")
        return leaves if packed is not None else self._route(self.trees[i]).heaviest()

    def answers(self, i: int, how: str) -> Floats:
        """What tree i answers for each row: shares, a vote, or a value, as `how` says."""
        packed, leaves = self._packed_leaves(i, how)
        if packed is not None:
            return packed.answers.take(leaves, axis=0)
        tree = self.trees[i]
        reached = self._route(tree)
        if how == "vote":
            return np.eye(len(tree.classes or ()))[routing.labels(tree, reached)]
        return (
            routing.probabilities(tree, reached) if how == "mean" else routing.values(tree, reached)[:, None]
        )

    def _packed_leaves(self, i: int, how: str) -> tuple[Packed | None, Ints]:
        """The packed tree and the leaf of each row; no tree if it is not packed or a row takes all paths."""
        if self._numbers is not None:
            packed = self.trees.packed(i, self._numbers.dtype.char, how)
            if packed is not None:
                leaves, _ = _core.apply_dense(packed.nodes, self._numbers, self._threads)
                if leaves.min() >= 0:
                    return packed, leaves
        return None, np.empty(0, dtype=np.int32)

    def mean(self, how: str) -> Floats:
        """The mean of what the trees answer."""
        total = self.answers(0, how).copy()
        for i in range(1, len(self.trees)):
            total += self.answers(i, how)
        total /= len(self.trees)
        return total

    def _route(self, tree: Tree) -> routing.Routing:
        table = self._table_of(tree)
        leaves = apply.leaves(tree, table, self._threads)
        return apply.complete_routing(tree, leaves, table.arrays if leaves.min() < 0 else None)


def _votes(shares: Floats) -> Floats:
    """1 for the class a tree names, the first of equally likely ones."""
    n_classes = shares.shape[-1]
    return np.eye(n_classes)[heaviest_class(shares.reshape(-1, n_classes))].reshape(shares.shape)


# How answers are combined: what is averaged over the trees.
COMBINE: Mapping[str, Callable[[Floats], Floats]] = {"mean": lambda shares: shares, "vote": _votes}


def check_combine(how: Any) -> str:
    """The name of a way to combine answers; ValueError if it is none."""
    if not isinstance(how, str) or how not in COMBINE:
        raise ValueError(
            f"combine={how!r} is not known{did_you_mean(how, COMBINE)}: use 'mean' for the mean of the trees'"
            " probabilities or 'vote' for the share of the trees that name a class"
        )
    return how


def combine(shares: npt.ArrayLike, how: str = "mean") -> tuple[Floats, Any]:
    """What several trees answer together: the probabilities, and the class as its position.

    Parameters
    ----------
    shares : array (trees, classes) for one row, or (trees, rows, classes)
        The probabilities each tree gives.
    how : "mean" or "vote"
        The mean of the probabilities, or the share of the trees whose likeliest class it is. Ties go to the
        first class.

    Returns
    -------
    probabilities : array (classes,) or (rows, classes)
    position : int, or array (rows,)
        Of the class answered.

    Examples
    --------
    >>> trees = [[0.9, 0.1], [0.4, 0.6], [0.45, 0.55]]
    >>> combine(trees)
    (array([0.58333333, 0.41666667]), 0)
    >>> combine(trees, "vote")
    (array([0.33333333, 0.66666667]), 1)
    """
    how = check_combine(how)
    array = np.asarray(shares, dtype=np.float64)
    if array.ndim not in (2, 3) or 0 in array.shape:
        raise ValueError(
            f"shares has shape {array.shape}: give the probabilities of each tree as (trees, classes) for one"
            " row or (trees, rows, classes), with at least one of each"
        )
    if not (array >= 0).all() or not np.allclose(array.sum(axis=-1), 1, rtol=0, atol=1e-6):
        raise ValueError("shares must be probabilities: 0 or more, and adding up to 1 over the classes")
    together = COMBINE[how](array[:, None, :] if array.ndim == 2 else array).mean(axis=0)
    named = heaviest_class(together)
    return (together[0], int(named[0])) if array.ndim == 2 else (together, named)


def out_of_bag(rows: ForestRows, how: str, left_out: Callable[[int], AnyArray]) -> Floats:
    """The mean of what the trees that did not see a row answer for it; NaN where all have seen it.

    `left_out(i)` is the mask of the rows that tree i did not see.
    """
    total = np.zeros((rows.n_rows, 1))
    times = np.zeros((rows.n_rows, 1))
    for i in range(len(rows.trees)):
        mask = left_out(i)[:, None]
        total = total + np.where(mask, rows.answers(i, how), 0.0)
        times += mask
    means: Floats = np.divide(total, times, out=np.full(total.shape, np.nan), where=times > 0)
    return means


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
