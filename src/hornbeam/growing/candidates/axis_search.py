"""The search of a node's split (`Search`) as the core does it: tests of one column, user's predicates, sets.

A search is made once for a growth and used once at each node. Whatever parts the rows of a node is a column
to the core: a predicate or a set of columns becomes a column of branch numbers beside those of the table, and
the core scores all of them at once, by the plan's criterion, limits and missing rule, exactly and with the
same ties. Editing scores its tests in the same way. A predicate is evaluated, and the tuples of a set are
numbered, once and on all rows; at a node a predicate is a column of two values, and the tuples present are a
column of categories.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam._base.types import TIE, AnyArray, Floats, Longs, Task, distinct_rows
from hornbeam.growing import core
from hornbeam.growing.candidates.node_splits import (
    ExpressionSplit,
    Proposal,
    Split,
    TupleSplit,
    from_core,
    root_map,
)
from hornbeam.growing.core import COLUMN_KINDS, Progress, View
from hornbeam.growing.missing import MissingRule
from hornbeam.growing.plan import Constraints
from hornbeam.growing.splits.extra_tests import ColumnSets, Predicates
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.answers import impurities
from hornbeam.tree.arrays import LEAF, MULTIWAY, SUBSET


@dataclass(frozen=True)
class Derived:
    """A split that is no test of one column, with the branch it gives each row of a node.

    With `in_two` the core parts the branches into the best two sets.
    """

    split: Split
    branch: Longs
    in_two: bool = False

    def view(self) -> View:
        """The branches as a column of categories."""
        codes = self.branch.astype(np.int32)
        kind = SUBSET if self.in_two else MULTIWAY
        return codes, COLUMN_KINDS.index("nominal"), kind, self.split.n_branches

    def chosen(self, arrays: Mapping[str, AnyArray]) -> Split:
        """The split, with the two sets that the core chose."""
        if not self.in_two or not isinstance(self.split, TupleSplit):
            return self.split
        codes, targets = root_map(arrays)
        listed = tuple(self.split.tuples[code] for code in codes)
        return replace(self.split, tuples=listed, sets=targets)


def best(
    growth: Growth, node: Node, columns: Sequence[int] | None = None, derived: Sequence[Derived] = ()
) -> Proposal | None:
    """The best test of some columns (all that the node may use, if None) and of the derived ones after
    them.
    """
    columns = node.usable if columns is None else columns
    views = [_core_column(growth, node, column) for column in columns] + [each.view() for each in derived]
    arrays = _search(growth, node, views)
    if arrays is None:
        return None
    number = int(arrays["column"][0])
    if number < len(columns):
        return _proposal(growth, node, arrays, columns[number])
    chosen = derived[number - len(columns)]
    return _proposal(growth, node, arrays, split=chosen.chosen(arrays), is_mapped=chosen.in_two)


def search_column(
    growth: Growth, node: Node, column: int, constraints: Constraints, selection: dict[str, Any]
) -> Proposal | None:
    """The best test of one column, by a selection and with constraints of its own."""
    views = [_core_column(growth, node, column)]
    arrays = _search(growth, node, views, constraints, selection)
    return None if arrays is None else _proposal(growth, node, arrays, column)


def score_branches(growth: Growth, node: Node, branch: Longs, n_branches: int) -> tuple[float, int]:
    """What parting a node's rows by branch numbers scores, and the branch of gaps (-1: all of them).

    Gaps are -1 and follow the plan's missing rule; a branch after the last is one of their own.
    """
    is_gap, rule = branch < 0, growth.plan.missing.core_rule
    present, codes = np.unique(branch[~is_gap], return_inverse=True)
    known = np.bincount(branch[~is_gap], weights=node.weight[~is_gap], minlength=n_branches)
    heaviest = int(np.argmax(known >= known.max() - TIE * known.sum())) if len(present) else -1
    if rule in (MissingRule.MAJORITY, MissingRule.SURROGATES):
        missing = heaviest
    elif rule == MissingRule.FRACTIONAL or not is_gap.any():
        missing = -1
    else:
        missing = n_branches if rule == MissingRule.BRANCH else heaviest
    if len(present) + (is_gap.any() and rule == MissingRule.BRANCH) < 2:
        return 0.0, missing
    compact = np.full(len(branch), -1, dtype=np.int32)
    compact[~is_gap] = codes.reshape(-1)
    arrays = _search(growth, node, [(compact, COLUMN_KINDS.index("nominal"), MULTIWAY, len(present))])
    if arrays is None:  # all rows have the same target: nothing can be gained
        return 0.0, missing
    if is_gap.any() and rule == MissingRule.LEARN:
        to = int(arrays["missing"][0])
        missing = int(present[to]) if 0 <= to < len(present) else n_branches
    return float(arrays["gain"][0]), missing


def _core_column(growth: Growth, node: Node, column: int) -> View:
    return core.core_column(growth.plan, growth.columns[column], growth.values_of(column, node.rows))


def _search(
    growth: Growth,
    node: Node,
    views: Sequence[View],
    constraints: Constraints | None = None,
    selection: dict[str, Any] | None = None,
) -> Mapping[str, AnyArray] | None:
    """The core's tree of one test on the node's rows; None if there is no test."""
    if not views:
        return None
    limits = growth.plan.limits
    share = limits.get("min_weight_fraction", 0.0) * growth.total / float(growth.weights(node.stats))
    limits = {"max_depth": 1, "min_rows_leaf": limits.get("min_rows_leaf", 1), "min_weight_fraction": share}
    plan = replace(growth.plan, limits=limits, max_features=0, n_jobs=growth.n_threads)
    if constraints is not None:
        plan = replace(plan, constraints=constraints)
    arrays, interrupted = core.grow(
        plan, selection or growth.selection, views, growth.core_target(node.rows, node.weight)
    )
    if interrupted:
        raise KeyboardInterrupt
    return None if arrays["kind"][0] == LEAF else arrays


def _proposal(
    growth: Growth,
    node: Node,
    arrays: Mapping[str, AnyArray],
    column: int = -1,
    split: Split | None = None,
    *,
    is_mapped: bool = False,
) -> Proposal:
    """The test of the core's tree: of a column, or the derived split that it chose.

    `is_mapped`: the branches of the derived split are those of the core.
    """
    missing = int(arrays["missing"][0]) if "missing" in arrays else -1
    if split is None:
        split = from_core(arrays, column, len(growth.columns[column].categories))
    elif not is_mapped:
        missing = _derived_missing(arrays, split, missing)
    score = float(arrays["gain"][0])
    return Proposal(split, score * information_of(growth, node, split, missing), score, missing)


def _derived_missing(arrays: Mapping[str, AnyArray], split: Split, missing: int) -> int:
    """The child for gaps of a derived split, from the branch the core gave them among the present ones."""
    present = arrays["map_code"][: int(arrays["map_offset"][1])].tolist()
    if missing < len(present):
        return int(present[missing]) if missing >= 0 else -1
    if len(present) == 1 and split.n_branches == 2:
        return 1 - int(present[0])  # all known rows agree: the gaps are the other branch
    return split.n_children


def information_of(growth: Growth, node: Node, split: Split, missing: int) -> float:
    """What to multiply a score by to get the gain: 1, or for gain ratio the split information in bits."""
    if growth.plan.criterion.name != "gain-ratio":
        return 1.0
    branch = split.branches(growth, node.rows)
    own = growth.plan.missing.core_rule.known_only or missing < 0  # then gaps count as one more branch
    filled = np.where(branch < 0, split.n_children if own else missing, branch)
    weights = np.bincount(filled, weights=node.weight).astype(np.float64, copy=False)
    return float(impurities(weights[None], Task.CLASSES, "entropy")[0])


class Search(ABC):
    """Finds splits; `part` is the choice in the estimator's slot that asked for it."""

    n_growths = 1  # 2: the whole tree may be grown again, by what the first one taught

    def __init__(self, growth: Growth, part: Any) -> None:
        self.growth = growth
        self.part = part

    @abstractmethod
    def propose(self, node: Node) -> Proposal | None:
        """The node's best split (K4), None if it has no candidate."""

    def derived(self, node: Node, number: int) -> Derived | None:
        """The derived test of a number at a node; None if it has none there."""
        raise NotImplementedError

    def best_drawn(self, node: Node, pool: Sequence[int]) -> Proposal | None:
        """The best split among what a node draws of a pool: columns, and derived tests after them."""
        n_columns = len(self.growth.columns)
        for drawn in self.growth.draws(node, pool):
            derived = [self.derived(node, k - n_columns) for k in drawn if k >= n_columns]
            tests = [test for test in derived if test is not None]
            proposal = best(self.growth, node, [k for k in drawn if k < n_columns], tests)
            if proposal is not None:
                return proposal
        return None

    def prepare(self, progress: Progress | None) -> bool:  # noqa: ARG002 (most need nothing)
        """Do what is done once for the whole tree; whether that was interrupted."""
        return False

    def proof(self) -> dict[str, Any]:
        """What is proven about the tree, as its meta keeps it."""
        return {}

    def wiser(self, root: Node) -> Search | None:  # noqa: ARG002 (most learn nothing)
        """The search of a second growth, given the first tree; None if that would be the same."""
        return None


class AxisSearch(Search):
    """The best test of one column, as the core would choose it."""

    def propose(self, node: Node) -> Proposal | None:
        """The node's best split (K4), None if it has no candidate."""
        return self.best_drawn(node, node.usable)


@dataclass(frozen=True)
class _Set:
    """A set of columns: the tuples of its values in order, and the place of each row's tuple, -1 with a
    gap.
    """

    columns: tuple[int, ...]
    tuples: Floats
    place: Longs

    def derived(self, node: Node, most: int, *, in_two: bool) -> Derived | None:
        """The test at a node; None if too many tuples are there, or none."""
        place = self.place[node.rows]
        present = np.flatnonzero(np.bincount(place[place >= 0], minlength=len(self.tuples)))
        if not 0 < len(present) <= most:
            return None
        branch = np.where(place < 0, -1, np.searchsorted(present, place))
        split = TupleSplit(self.columns, tuple(map(tuple, self.tuples[present].tolist())))
        return Derived(split, branch, in_two)


class SetSearch(Search):
    """Columns first, then sets in their order."""

    def __init__(self, growth: Growth, part: ColumnSets) -> None:
        super().__init__(growth, part)
        self.sets = [numbered(growth, columns) for columns in part.sets_in(growth.columns, growth.arrays)]

    def propose(self, node: Node) -> Proposal | None:
        """The node's best split (K4), None if it has no candidate."""
        first = len(self.growth.columns)
        plain = self.part.plain_columns(node.usable)
        usable = set(node.usable)
        sets = [first + k for k, some in enumerate(self.sets) if usable.issuperset(some.columns)]
        return self.best_drawn(node, (*plain, *sets))

    def derived(self, node: Node, number: int) -> Derived | None:
        """The test of a set at a node; None if too many tuples are there, or none."""
        return self.sets[number].derived(node, self.part.max_branches, in_two=self.part.branches == "two")

    def resolved(self, node: Node, number: int) -> Derived | None:
        """The same with the two sets of tuples that are best, where tuples share branches."""
        derived = self.derived(node, number)
        proposal = best(self.growth, node, (), [derived]) if derived is not None and derived.in_two else None
        if proposal is None:
            return derived
        return Derived(proposal.split, proposal.split.branches(self.growth, node.rows))


def numbered(growth: Growth, columns: tuple[int, ...]) -> _Set:
    """The tuples of a set of columns in all rows; sorted by the first column, then the second, ..."""
    values = np.stack([growth.numbers(column, np.arange(growth.n_rows)) for column in columns])
    known = np.flatnonzero(~np.isnan(values).any(axis=0))
    first, number = distinct_rows(values[:, known])
    place = np.full(growth.n_rows, -1, dtype=np.int64)
    place[known] = number
    return _Set(columns, values[:, known[first]].T, place)


class PredicateSearch(Search):
    """Columns first, then predicates in the order given."""

    def __init__(self, growth: Growth, part: Predicates) -> None:
        super().__init__(growth, part)
        tests = part.tests(growth.columns)
        rows = np.arange(growth.n_rows)
        self.splits = [ExpressionSplit(test, test.columns_in(growth.columns)) for test in tests]
        self.branches = [split.branches(growth, rows) for split in self.splits]

    def propose(self, node: Node) -> Proposal | None:
        """The node's best split (K4), None if it has no candidate."""
        first = len(self.growth.columns)
        plain = self.part.plain_columns(node.usable)
        return self.best_drawn(node, (*plain, *range(first, first + len(self.splits))))

    def derived(self, node: Node, number: int) -> Derived:
        """The test of a predicate at a node."""
        return Derived(self.splits[number], self.branches[number][node.rows])
