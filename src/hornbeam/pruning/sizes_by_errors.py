"""The smallest prunings of a tree: for every number of errors the smallest, and which of them to choose.

One idea: there are few prunings worth looking at, one for each size that errs less than all smaller ones.
A second sample, or the price of size, chooses among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hornbeam._base.checks import check_above, check_least
from hornbeam._base.types import Floats, Longs
from hornbeam.data.target import Rows
from hornbeam.pruning.base import Pruned
from hornbeam.pruning.critical_alphas import total_weight
from hornbeam.pruning.dynamic_program import Programme
from hornbeam.pruning.pruned_copy import dressed
from hornbeam.pruning.record import Decisions
from hornbeam.pruning.risks import node_risks
from hornbeam.pruning.sample_risks import sample_costs
from hornbeam.tree.subtrees import _below
from hornbeam.tree.tree import Tree

_TIE = 1e-12  # of the larger number: what is closer is equal


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
    """For every number of errors k the smallest pruning of a tree with at most k errors (R79).

    Attributes
    ----------
    given : the fitted model or Tree they are prunings of
    tree : its Tree
    programme : the dynamic programme that found them

    Examples
    --------
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> found = hb.smallest_prunings(hb.builddt().fit(robots.X, robots.y))
    >>> found.errors, found.nodes
    (array([0., 1., 4.]), array([6, 4, 1]))
    >>> found.size(0), found.size(3), found.sizes(4)
    (6, 4, [6, 4, 4, 4, 1])
    >>> found.pruning(2).tree_.text()
    'body[circle: ally(2:1) | square: enemy(0:3) | triangle: ally(2:0)]'
    """

    tree: Tree
    programme: Programme = field(repr=False)
    model: Any = field(default=None, repr=False)
    rows_of: Callable[..., Rows] | None = field(default=None, repr=False)

    @property
    def errors(self) -> Floats:
        """The errors of the prunings that are smallest for some k, largest pruning first."""
        return self.programme.errors

    @property
    def nodes(self) -> Longs:
        """Their sizes, in nodes."""
        return self.programme.nodes

    def __len__(self) -> int:
        return len(self.errors)

    def size(self, k: float) -> float:
        """The least number of nodes of a pruning with at most k errors; infinite if there is none."""
        found = self.place(k)
        return math.inf if found is None else int(self.nodes[found])

    def sizes(self, most: int) -> list[float]:
        """`size(k)` for k = 0, 1, ..., most."""
        return [self.size(k) for k in range(most + 1)]

    def place(self, k: float) -> int | None:
        """Which of the prunings is the smallest with at most k errors; None if there is none."""
        check_least("k", k, 0, "the number of errors allowed")
        within = np.flatnonzero(self.errors <= k + _TIE * float(self.errors[-1]))
        return int(within[-1]) if len(within) else None

    def pruning(self, k: float) -> Any:
        """The smallest pruning with at most k errors: a fitted model, or a Tree if a Tree was given.

        Of several one of fewest errors; of those the one that keeps more nodes in earlier branches.
        """
        found = self.place(k)
        if found is None:
            raise ValueError(
                f"k={k!r} is less than any pruning errs: the largest one looked at, of {self.nodes[0]} nodes,"
                f" makes {self.errors[0]:g} errors; allow so many"
            )
        return dressed(self.model, self.pruned(found))

    def pruned(self, place: int, method: str = "smallest-for-errors") -> Pruned:
        """One of the prunings with the record of what became of each test."""
        leaf = self.programme.leaves(place)
        tests = np.flatnonzero(self.tree.first_child >= 0)[::-1]
        goes = (leaf | _below(self.tree, leaf))[tests]
        numbers = {"errors as a leaf": node_risks(self.tree, "error")[tests]}
        decisions = Decisions(tests, goes.astype(np.int8), numbers)
        facts = {"errors": float(self.errors[place]), "nodes": int(self.nodes[place])}
        return Pruned(self.tree.collapse(leaf), decisions, method, facts, self.tree)

    # ---- choosing ------------------------------------------------------------------------------------------

    def select(
        self, X: Any, y: Any, sample_weight: Any = None, counts: Any = None, row_costs: Any = None
    ) -> Choice:
        """Hypothesis validation: the pruning of fewest errors on a second sample, ties to the smaller (R80).

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
        >>> found = hb.smallest_prunings(hb.builddt().fit(robots.X, robots.y))
        >>> second = {"body": ["circle", "square"], "smile": ["no", "yes"]}
        >>> second |= {name: [None, None] for name in robots.X if name not in second}
        >>> found.select(second, ["ally", "enemy"])
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
        score = np.array([cost[self.programme.leaves(place)].sum() for place in range(len(self))])
        return self._least(score, "hypothesis-validation")

    def select_srm(self, m: float | None = None) -> Choice:
        """Structural risk minimisation: least error + sqrt(nodes / m), ties to the smaller (R81).

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
        >>> hb.smallest_prunings(hb.builddt().fit(robots.X, robots.y)).select_srm()
        Choice(errors=1.0, nodes=4, score=0.8321067811865476)
        """
        rows = int(self.tree.n_rows[0]) if m is None else m
        check_above("m", rows, 0, "the number of training rows")
        score = self.errors / total_weight(self.tree, "error") + np.sqrt(self.nodes / rows)
        return self._least(score, "srm-selection")

    def _least(self, score: Floats, method: str) -> Choice:
        least = float(score.min())
        place = int(np.flatnonzero(score <= least + _TIE * abs(least))[-1])
        table = [
            {"errors": float(e), "nodes": int(n), "score": float(s)}
            for e, n, s in zip(self.errors, self.nodes, score, strict=True)
        ]
        record = self.pruned(place, method)
        chosen = table[place]
        model = dressed(self.model, record)
        return Choice(chosen["errors"], int(self.nodes[place]), chosen["score"], table, model, record)
