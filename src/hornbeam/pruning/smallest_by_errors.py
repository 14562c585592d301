"""The smallest pruning for every number of errors (dynamic programming), and how one of them is chosen.

The lecture's programme asks for the least size with at most k errors. Sizes are whole numbers, errors need
not be (weights, costs), so the tables go by size: the least errors of each size answer for every k at once. A
table is no longer than its branch, so all of them take at most one step for each pair of nodes. Few prunings
are worth looking at, one for each size that makes fewer errors than all smaller ones. A second sample, or a
price for size, chooses among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.parameters import check_above, check_least, is_whole
from hornbeam._base.types import TIE, Bools, Floats, Longs
from hornbeam.data.target import Rows
from hornbeam.pruning.base import need_counts
from hornbeam.pruning.nested_subtrees import total_weight
from hornbeam.pruning.record import Decisions, Pruned, with_pruned_tree
from hornbeam.pruning.risks import node_risks
from hornbeam.pruning.sample_risks import sample_costs
from hornbeam.tree.sizes import leaf_counts
from hornbeam.tree.subtrees import nodes_below
from hornbeam.tree.tree import Tree

MAX_COST = 2e10  # steps, about as many as a core takes in half a minute
_CELL = 16  # bytes of an entry of a table, while the tables are put together
_BYTE = 10  # additions that a byte of memory costs as much as: 2 GB by default


class ProgrammeTooLargeError(ValueError):
    """The programme would cost more than `max_cost`.

    Attributes
    ----------
    steps, memory : float
        What it would cost: additions, and bytes for the tables.
    """

    def __init__(self, message: str, steps: float, memory: float) -> None:
        super().__init__(message)
        self.steps, self.memory = steps, memory

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.steps, self.memory)


@dataclass(frozen=True, eq=False)
class Choice:
    """One of the smallest prunings, and by which numbers it was chosen.

    Attributes
    ----------
    errors, nodes : its errors on the training rows, and its size
    score : the number that was least
    table : errors, nodes and score of every pruning, largest first
    tree : the pruned Tree
    model : the fitted model, or the Tree if the prunings are of a Tree
    record : the Pruned record
    """

    errors: float
    nodes: int
    score: float
    table: list[dict[str, float]] = field(repr=False)
    model: Any = field(repr=False)
    record: Pruned = field(repr=False)

    @property
    def tree(self) -> Tree:
        """The pruned Tree."""
        return self.record.tree


@dataclass(frozen=True, eq=False)
class SmallestPrunings:
    """For every number of errors k the smallest pruning of a tree with at most k errors.

    Attributes
    ----------
    tree : the Tree they are prunings of
    errors, nodes : of the prunings that are smallest for some k, largest first; errors rise and nodes fall
    steps : additions it took to find them
    model : the fitted model of the tree, None if there is none
    rows_of : the function that reads rows for `select`

    Examples
    --------
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> smallest = hb.teaching.smallest_prunings(hb.teaching.builddt().fit(robots.X, robots.y))
    >>> smallest.errors, smallest.nodes
    (array([0., 1., 4.]), array([6, 4, 1]))
    >>> smallest.size(0), smallest.size(3), smallest.sizes(4)
    (6, 4, [6, 4, 4, 4, 1])
    >>> smallest.pruning(2).tree_.text()
    'body[circle: ally(2:1) | square: enemy(0:3) | triangle: ally(2:0)]'
    """

    tree: Tree
    errors: Floats
    nodes: Longs
    steps: float
    _programme: dict[str, Any] = field(repr=False)
    _tables: tuple[Longs, Floats] = field(repr=False)
    _entry: Longs = field(repr=False)
    model: Any = field(default=None, repr=False)
    rows_of: Callable[..., Rows] | None = field(default=None, repr=False)

    def leaves(self, place: int) -> Bools:
        """The leaves of one of the prunings, as a mask of nodes."""
        return _core.fewest_leaves(self._programme, *self._tables, int(self._entry[place])).astype(np.bool_)

    def __len__(self) -> int:
        return len(self.errors)

    def size(self, k: float) -> float:
        """The least number of nodes of a pruning with at most k errors; infinite if there is none."""
        place = self.place(k)
        return math.inf if place is None else int(self.nodes[place])

    def sizes(self, most: int) -> list[float]:
        """`size(k)` for k = 0, 1, ..., most."""
        return [self.size(k) for k in range(most + 1)]

    def place(self, k: float) -> int | None:
        """Which of the prunings is the smallest with at most k errors; None if there is none."""
        check_least("k", k, 0, "the number of errors allowed")
        within = np.flatnonzero(self.errors <= k + TIE * float(self.errors[-1]))
        return int(within[-1]) if len(within) else None

    def pruning(self, k: float) -> Any:
        """The smallest pruning with at most k errors: a fitted model, or a Tree if a Tree was given.

        Of several one of fewest errors; of those the one that keeps more nodes in earlier branches.
        """
        place = self.place(k)
        if place is None:
            raise ValueError(
                f"k={k!r} is less than any pruning errs: the largest one looked at, of {self.nodes[0]} nodes,"
                f" makes {self.errors[0]:g} errors; allow so many"
            )
        return with_pruned_tree(self.model, self.pruned(place))

    def pruned(self, place: int, method: str = "smallest-for-errors") -> Pruned:
        """One of the prunings with the record of what became of each test."""
        leaf = self.leaves(place)
        tests = np.flatnonzero(self.tree.first_child >= 0)[::-1]
        goes = (leaf | nodes_below(self.tree, leaf))[tests]
        numbers = {"errors as a leaf": node_risks(self.tree, "error")[tests]}
        decisions = Decisions(tests, goes.astype(np.int8), numbers)
        facts = {"errors": float(self.errors[place]), "nodes": int(self.nodes[place])}
        return Pruned(self.tree.collapse(leaf), decisions, method, facts, self.tree)

    def select(
        self, X: Any, y: Any, sample_weight: Any = None, counts: Any = None, row_costs: Any = None
    ) -> Choice:
        """Hypothesis validation: the pruning of fewest errors on a second sample, ties to the smaller.

        Parameters
        ----------
        X, y : rows the tree was not grown on
        sample_weight, counts, row_costs : as in `hornbeam.prune`

        Returns
        -------
        Choice
            `score` counts the errors on the second sample.

        Examples
        --------
        >>> import hornbeam as hb
        >>> robots = hb.datasets.load("robots")
        >>> smallest = hb.teaching.smallest_prunings(hb.teaching.builddt().fit(robots.X, robots.y))
        >>> second = {"body": ["circle", "square"], "smile": ["no", "yes"]}
        >>> second |= {name: [None, None] for name in robots.X if name not in second}
        >>> smallest.select(second, ["ally", "enemy"])
        Choice(errors=1.0, nodes=4, score=0.0)
        """
        if self.rows_of is None:
            raise ValueError(
                "these prunings were made without a model: use select_rows with Table and Target"
            )
        return self.select_rows(self.rows_of(X, y, sample_weight, counts, row_costs))

    def select_rows(self, rows: Rows) -> Choice:
        """`select`, for rows that are a Table and a Target already."""
        sample = sample_costs(self.tree, rows.table, rows.target)
        cost = np.where(sample.weight > 0, sample.cost, 0.0)
        score = np.array([cost[self.leaves(place)].sum() for place in range(len(self))])
        return self._least(score, "hypothesis-validation")

    def select_srm(self, m: float | None = None) -> Choice:
        """Structural risk minimisation: least error + sqrt(nodes / m), ties to the smaller.

        Parameters
        ----------
        m : float or None
            The number of training rows; None: those of the tree.

        Returns
        -------
        Choice
            `score` is error + sqrt(nodes / m), the error a share of the training rows.

        Examples
        --------
        >>> import hornbeam as hb
        >>> robots = hb.datasets.load("robots")
        >>> hb.teaching.smallest_prunings(hb.teaching.builddt().fit(robots.X, robots.y)).select_srm()
        Choice(errors=1.0, nodes=4, score=0.8321067811865476)
        """
        rows = int(self.tree.n_rows[0]) if m is None else m
        check_above("m", rows, 0, "the number of training rows")
        score = self.errors / total_weight(self.tree, "error") + np.sqrt(self.nodes / rows)
        return self._least(score, "srm-selection")

    def _least(self, score: Floats, method: str) -> Choice:
        least = float(score.min())
        place = int(np.flatnonzero(score <= least + TIE * abs(least))[-1])
        table = [
            {"errors": float(e), "nodes": int(n), "score": float(s)}
            for e, n, s in zip(self.errors, self.nodes, score, strict=True)
        ]
        record = self.pruned(place, method)
        model = with_pruned_tree(self.model, record)
        errors, nodes, chosen_score = table[place].values()
        return Choice(errors, int(nodes), chosen_score, table, model, record)


def find_smallest_prunings(
    tree: Tree,
    max_nodes: int | None = None,
    max_cost: float = MAX_COST,
    model: Any = None,
    rows_of: Callable[..., Rows] | None = None,
) -> SmallestPrunings:
    """Find the smallest prunings of a tree by the dynamic programme.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 3, "b": 1}},
    ...                          "no": {"counts": {"a": 1, "b": 4}}})
    >>> smallest = find_smallest_prunings(tree)
    >>> smallest.errors, smallest.nodes
    (array([2., 4.]), array([3, 1]))
    """
    need_counts(tree)
    check_above("max_cost", max_cost, 0, "the most additions the programme may take")
    if max_nodes is not None and (not is_whole(max_nodes) or max_nodes < 1):
        raise ValueError(
            f"max_nodes={max_nodes!r} must be a whole number of at least 1, or None for no limit"
        )
    nodes = {
        "first_child": tree.first_child,
        "n_children": tree.n_children,
        "errors": np.ascontiguousarray(node_risks(tree, "error")),
        "size": leaf_counts(tree),
        "most": tree.n_nodes if max_nodes is None else min(int(max_nodes), tree.n_nodes),
    }
    stride, steps, cells = _core.fewest_cost(nodes)
    memory = _CELL * cells
    if max(steps, _BYTE * memory) > max_cost:
        raise ProgrammeTooLargeError(
            f"the smallest prunings of a tree of {tree.n_nodes} nodes take {steps:.2g} additions and"
            f" {memory / 2**20:,.0f} MB, more than max_cost={max_cost:g}: look at prunings of at most"
            " max_nodes=... nodes only, prune by cost-complexity, or raise max_cost",
            steps,
            memory,
        )
    offset, errors = _core.fewest_tables(nodes)
    least = errors[: offset[1]]
    before = np.concatenate(([np.inf], np.minimum.accumulate(least)[:-1]))
    entry = np.flatnonzero(least < before - TIE * least[0])[::-1]
    tables = offset, errors
    return SmallestPrunings(
        tree, least[entry].copy(), 1 + stride * entry, steps, nodes, tables, entry, model, rows_of
    )
