"""The programme: the least errors of a pruning of every size, and the prunings behind them.

One idea: the lecture's programme asks for the least size with at most k errors. Sizes are whole numbers,
errors need not be (weights, costs), so the tables go by size: the least errors of each size answer for every
k at once. A table is no longer than its branch, so all of them take at most one step for each pair of nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.checks import check_above, is_whole
from hornbeam._base.types import Bools, Floats, Longs
from hornbeam.pruning.base import need_counts
from hornbeam.pruning.levels import leaf_counts
from hornbeam.pruning.risks import node_risks
from hornbeam.tree.tree import Tree

MAX_COST = 2e10  # steps, about as many as a core takes in half a minute
_CELL = 16  # bytes of an entry of a table, while the tables are put together
_BYTE = 10  # additions that a byte of memory costs as much as: 2 GB by default
_TIE = 1e-12  # of the root's errors: what is closer is equal


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
class Programme:
    """The prunings that are smallest for some number of errors, largest first.

    Attributes
    ----------
    errors, nodes : of each pruning; errors rise and nodes fall
    steps : additions it took
    """

    errors: Floats
    nodes: Longs
    steps: float
    _tree: dict[str, Any] = field(repr=False)
    _tables: tuple[Longs, Floats] = field(repr=False)
    _entry: Longs = field(repr=False)

    def leaves(self, place: int) -> Bools:
        """The leaves of one of the prunings, as a mask of nodes."""
        return _core.fewest_leaves(self._tree, *self._tables, int(self._entry[place])).astype(np.bool_)


def run(tree: Tree, max_nodes: int | None = None, max_cost: float = MAX_COST) -> Programme:
    """Run the programme on a tree.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 3, "b": 1}},
    ...                          "no": {"counts": {"a": 1, "b": 4}}})
    >>> found = run(tree)
    >>> found.errors, found.nodes
    (array([2., 4.]), array([3, 1]))
    """
    need_counts(tree)
    check_above("max_cost", max_cost, 0, "the most additions the programme may take")
    given = {
        "first_child": tree.first_child,
        "n_children": tree.n_children,
        "errors": np.ascontiguousarray(node_risks(tree, "error")),
        "size": leaf_counts(tree),
        "most": tree.n_nodes if max_nodes is None else _most(max_nodes),
    }
    stride, steps, cells = _core.fewest_cost(given)
    memory = _CELL * cells
    if max(steps, _BYTE * memory) > max_cost:
        raise ProgrammeTooLargeError(
            f"the smallest prunings of a tree of {tree.n_nodes} nodes take {steps:.2g} additions and"
            f" {memory / 2**20:,.0f} MB, more than max_cost={max_cost:g}: look at prunings of at most"
            " max_nodes=... nodes only, prune by cost-complexity, or raise max_cost",
            steps,
            memory,
        )
    offset, errors = _core.fewest_tables(given)
    least = errors[: offset[1]]
    before = np.concatenate(([np.inf], np.minimum.accumulate(least)[:-1]))
    entry = np.flatnonzero(least < before - _TIE * least[0])[::-1]
    return Programme(least[entry].copy(), 1 + stride * entry, steps, given, (offset, errors), entry)


def _most(max_nodes: Any) -> int:
    if not is_whole(max_nodes) or max_nodes < 1:
        raise ValueError(
            f"max_nodes={max_nodes!r} must be a whole number of at least 1, or None for no limit"
        )
    return int(max_nodes)
