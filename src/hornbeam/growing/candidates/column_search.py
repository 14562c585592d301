"""The best test of each column at a node, taken from its scored tests, and of what is no test of one column.

What can be listed is listed and scored; what cannot (value sets of very many values, losses that keep the
order of y) is searched by the core and scored with the rest. Tests of significance bring their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.growing.candidates.axis_search import Derived, search_column
from hornbeam.growing.candidates.column_scores import CONSTANT, ColumnScorer, ScoredTests
from hornbeam.growing.candidates.column_tests import (
    MOST_VALUES,
    VALUE_TESTS,
    Buckets,
    ColumnTests,
    buckets_of,
    buckets_of_column,
    multiway,
    ordered_subsets,
    sums_of,
    sums_of_values,
    thresholds,
)
from hornbeam.growing.candidates.node_rows import NodeRows
from hornbeam.growing.candidates.node_splits import EqualsSplit, MapSplit, Split, ThresholdSplit
from hornbeam.growing.plan import Constraints
from hornbeam.growing.selections import AverageGain, Best
from hornbeam.tree.arrays import KINDS

_MANY_ROWS = 2000
_BY_ORDER = {"variance", "poisson", "exponential"}
_BY_ORDER_OF_TWO = {"gini", "entropy", "root"}


@dataclass(frozen=True)
class BestTest:
    """What a column, or something that is no single column, brings to a node.

    columns : the columns tested
    kind : of the test
    number : its place in the order of ties: the column, or for other tests a number after all columns
    scored : its tests, None if there is nothing to test
    split : the test where it is no plain one of a column
    reason : why it is refused, None if it is not
    log_p : the p-value's logarithm, where that chooses
    facts : of a test of significance
    """

    columns: tuple[int, ...]
    kind: str
    number: int
    buckets: Buckets
    scored: ScoredTests | None
    split: Split | None = None
    reason: str | None = None
    log_p: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def possible(self) -> bool:
        """Whether it has a test that may be made."""
        return self.scored is not None and self.scored.best is not None

    @property
    def top(self) -> int:
        """Its best test; if none may be made, the one of the best score."""
        if self.scored is None or self.scored.best is not None:
            return 0 if self.scored is None else self.scored.best or 0
        return int(np.argmax(self.scored.score))


def column_test(node_rows: NodeRows, scorer: ColumnScorer, column: int, *, every: bool = False) -> BestTest:
    """The tests of one column; `every`: all of them, none left to the core."""
    growth, node = node_rows.growth, node_rows.node
    kind = node_rows.plan.split.kind(growth.columns[column])
    buckets = buckets_of_column(growth, node, column)
    scored, reason = None, None
    if not len(buckets.values):
        reason = "missing in every row of this node"
    elif len(buckets.values) == 1 and buckets.rule is None:
        reason = CONSTANT
    elif len(buckets.values) == 1 and buckets.left_out is not None:
        reason = "its known values are constant at this node"
    else:
        tests = _tests(node_rows, column, kind, buckets, every=every)
        if tests is None:
            reason = "a branch would hold too few rows"
        elif not len(tests):
            reason = CONSTANT
        else:
            scored = scorer.score_tests(tests, column)
            reason = scored.refusal_of_all()
    return BestTest((column,), kind, column, buckets, scored, reason=reason)


def _tests(
    node_rows: NodeRows, column: int, kind: str, buckets: Buckets, *, every: bool
) -> ColumnTests | None:
    growth, plan = node_rows.growth, node_rows.plan
    described = growth.columns[column]
    if every and kind == "subset" and len(buckets.values) > MOST_VALUES:
        raise ValueError(
            f"column {described.name!r} has {len(buckets.values)} values, but value sets are listed for up to"
            f" {MOST_VALUES}: use split='one-vs-rest' or split='multiway', or leave the column out with"
            " `columns`"
        )
    own = plan.criterion.is_own
    by_core = not (every or own) and kind == "threshold" and _is_large(node_rows) and not _is_exact(node_rows)
    if plan.criterion.level is not None or by_core:
        tests = _core_test(node_rows, column, buckets)
        if tests is not None or plan.criterion.level is not None:
            return tests
    if kind == "threshold":
        return thresholds(described, buckets)
    sums = sums_of_values(buckets)
    if kind != "subset" or len(sums) <= MOST_VALUES + 1:
        return VALUE_TESTS[kind](buckets)
    name = plan.criterion.name
    two = growth.width == 2 and not growth.is_real
    if own or name in _BY_ORDER or (name in _BY_ORDER_OF_TWO and two):
        total = sums[:, 0] if growth.is_real else sums[:, : growth.width].sum(axis=1)
        return ordered_subsets(buckets, sums[:, 1] / total)
    return _core_test(node_rows, column, buckets)


def _is_large(node_rows: NodeRows) -> bool:
    """Whether the core searches the best cut: at large nodes, where it needs no more than their rows."""
    plan = node_rows.plan
    free = not plan.constraints.functionals and not isinstance(plan.selection, AverageGain)
    return free and len(node_rows.node.rows) > _MANY_ROWS


def _is_exact(node_rows: NodeRows) -> bool:
    """Whether sums of rows are whole numbers, of which all cuts of sorted values are scored without loss."""
    growth, node = node_rows.growth, node_rows.node
    return growth.codes is not None and np.array_equal(node.weight, growth.copies[node.rows])


def _core_test(node_rows: NodeRows, column: int, buckets: Buckets) -> ColumnTests | None:
    """The best test of a column that the core can make; None if there is none."""
    plan, described = node_rows.plan, node_rows.growth.columns[column]
    own = tuple((0, f, sign) for c, f, sign in plan.constraints.terms if c == column)
    constraints = Constraints(plan.constraints.functionals if own else (), own)
    selection: dict[str, Any] = Best().core([described])
    if isinstance(plan.selection, AverageGain):
        selection = {**plan.selection.core([described]), "correction": 0}
    proposal = search_column(node_rows.growth, node_rows.node, column, constraints, selection)
    if proposal is None:
        return None
    gain = np.array([proposal.score]) if plan.criterion.level is not None else None
    return _tests_of_split(node_rows, proposal.split, proposal.missing, buckets, gain)


def _tests_of_split(
    node_rows: NodeRows, split: Split, missing: int, buckets: Buckets, decrease: Floats | None = None
) -> ColumnTests:
    """One test, of any kind, as the only test of a column."""
    growth, node = node_rows.growth, node_rows.node
    branch = split.branches(growth, node.rows)
    left_out = node_rows.plan.missing.core_rule.known_only
    is_gap = branch < 0
    to = branch if left_out else np.where(is_gap, missing, branch)
    n = max(int(to.max(initial=0)) + 1, split.n_branches)
    sums = sums_of(growth, node, to >= 0, to[to >= 0], n)[None]
    gaps = None
    if left_out and is_gap.any():
        gaps = sums_of(growth, node, is_gap, np.zeros(int(is_gap.sum()), dtype=np.int64), 1)[0]
    kind = KINDS[split.kind]
    missing_branch = np.array([missing if is_gap.any() and not left_out else -1])
    if isinstance(split, ThresholdSplit):
        last = np.searchsorted(buckets.values, [split.threshold], side="right") - 1
        cut = np.array([split.threshold])
        return ColumnTests(kind, sums, missing_branch, (), buckets, cut, np.maximum(last, 0), gaps, decrease)
    first: tuple[int, ...] = ()
    if isinstance(split, MapSplit):
        codes = {code for code, to in zip(split.codes, split.targets, strict=True) if to == 0}
        first = tuple(k for k, value in enumerate(buckets.values.tolist()) if int(value) in codes)
    elif isinstance(split, EqualsSplit):
        first = (int(np.searchsorted(buckets.values, split.code)),)
    return ColumnTests(kind, sums, missing_branch, (first,), buckets, gaps=gaps, decrease=decrease)


def derived_test(node_rows: NodeRows, scorer: ColumnScorer, derived: Derived, number: int) -> BestTest:
    """A test that is no test of one column: its branches are buckets."""
    buckets = buckets_of(node_rows.growth, node_rows.node, derived.branch.astype(np.int32))
    kind, columns = KINDS[derived.split.kind], derived.split.columns
    scored: ScoredTests | None = None
    reason: str | None = CONSTANT
    if (
        len(buckets.values) + (buckets.gaps is not None and not node_rows.plan.missing.core_rule.known_only)
        >= 2
    ):
        scored = scorer.score_tests(multiway(buckets))
        reason = scored.refusal_of_all()
    return BestTest(columns, kind, number, buckets, scored, derived.split, reason)


def significant_test(
    node_rows: NodeRows,
    scorer: ColumnScorer,
    column: int,
    split: Split,
    missing: int,
    log_p: float,
    facts: dict[str, Any],
) -> BestTest:
    """A test chosen by a test of significance."""
    buckets = buckets_of_column(node_rows.growth, node_rows.node, column)
    scored = scorer.score_tests(_tests_of_split(node_rows, split, missing, buckets), column)
    scored = replace(scored, allowed=np.ones(1, dtype=bool), best=0)
    return BestTest((column,), scored.tests.kind, column, buckets, scored, split, None, log_p, facts)
