"""Searching: the best test of every column at a node, and those that are no tests of one column.

One idea: what can be listed is listed and judged; what cannot (value sets of very many values, losses that
keep the order of y) is searched by the core and judged with the rest. Tests of significance bring their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.editing.arithmetic.column_gains import ColumnScorer, ScoredTests
from hornbeam.editing.arithmetic.column_tests import (
    MOST_VALUES,
    OPTIONS_OF,
    Bins,
    Options,
    bins_of,
    by_sets,
    in_order,
    lanes_of,
    multiway,
)
from hornbeam.editing.arithmetic.node_rows import NodeRows
from hornbeam.growing import core
from hornbeam.growing.candidates.axis_search import Derived, _goal
from hornbeam.growing.candidates.node_splits import EqualsSplit, MapSplit, Split, ThresholdSplit, from_core
from hornbeam.growing.missing import MissingRule
from hornbeam.growing.plan import Constraints
from hornbeam.growing.selections import AverageGain
from hornbeam.tree.arrays import KINDS, LEAF

_MANY_ROWS = 2000
_BY_ORDER = {"variance", "poisson"}
_BY_ORDER_OF_TWO = {"gini", "entropy", "root"}


@dataclass(frozen=True)
class BestTest:
    """What a column, or something that is no single column, brings to a node.

    columns : the columns tested
    kind : of the test
    judged : its tests, None if there is nothing to test
    split : the test where it is no plain one of a column
    reason : why it is refused, None if it is not
    order : the p-value's logarithm, where that chooses
    facts : of a test of significance
    """

    columns: tuple[int, ...]
    kind: str
    bins: Bins
    judged: ScoredTests | None
    split: Split | None = None
    reason: str | None = None
    order: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def possible(self) -> bool:
        """Whether it has a test that may be made."""
        return self.judged is not None and self.judged.best is not None


def plain(place: NodeRows, judge: ColumnScorer, column: int) -> BestTest:
    """The tests of one column."""
    growth, node = place.growth, place.node
    described = growth.columns[column]
    kind = place.plan.split.kind(described)
    bins = bins_of(growth, node, growth.arrays[column][node.rows])
    if not len(bins.values):
        return BestTest((column,), kind, bins, None, reason="missing in every row of this node")
    if len(bins.values) == 1 and bins.rule not in (MissingRule.LEARN, MissingRule.BRANCH):
        why = "constant at this node" if bins.rule is None else "its known values are constant at this node"
        return BestTest((column,), kind, bins, None, reason=why)
    options = _options(place, column, kind, bins)
    if options is None or not len(options):
        why = "a branch would hold too few rows" if options is None else "constant at this node"
        return BestTest((column,), kind, bins, None, reason=why)
    judged = judge.of(column).judged(options)
    reason = judged.why_none() if judged.best is None else None
    return BestTest((column,), kind, bins, judged, reason=reason)


def _options(place: NodeRows, column: int, kind: str, bins: Bins) -> Options | None:
    growth = place.growth
    if place.plan.criterion.level is not None or (kind == "threshold" and _by_core(place)):
        options = _of_core(place, column, bins)
        if options is not None or place.plan.criterion.level is not None:
            return options
    if kind != "subset":
        return OPTIONS_OF[kind](growth.columns[column], bins)
    lanes = bins.lanes
    if bins.rule == MissingRule.LEARN:
        assert bins.gaps is not None
        lanes = np.concatenate([lanes, bins.gaps[None]])
    if len(lanes) <= MOST_VALUES + 1:
        return OPTIONS_OF[kind](growth.columns[column], bins)
    name = place.plan.criterion.name
    if name in _BY_ORDER or (name in _BY_ORDER_OF_TWO and growth.width == 2 and not growth.is_real):
        top, bottom = lanes[:, 1], lanes[:, 0] if growth.is_real else lanes[:, 0] + lanes[:, 1]
        return by_sets(bins, lanes, in_order(top / bottom))
    return _of_core(place, column, bins)


def _by_core(place: NodeRows) -> bool:
    """Whether the core is asked for the best cut: at large nodes, where it needs no more than their rows."""
    free = not place.plan.constraints.functionals and not isinstance(place.plan.selection, AverageGain)
    return free and len(place.node.rows) > _MANY_ROWS


def _of_core(place: NodeRows, column: int, bins: Bins) -> Options | None:
    """The best test of a column as the core finds it; None if it finds none."""
    growth, node, given = place.growth, place.node, place.plan.limits
    described = growth.columns[column]
    share = given.get("min_weight_fraction", 0.0) * growth.total / place.weight
    limits = {"max_depth": 1, "min_rows_leaf": given.get("min_rows_leaf", 1), "min_weight_fraction": share}
    own = tuple((0, f, sign) for c, f, sign in place.plan.constraints.terms if c == column)
    constraints = Constraints(place.plan.constraints.functionals if own else (), own)
    plan = replace(place.plan, limits=limits, max_features=0, constraints=constraints)
    selection: dict[str, Any] = {"kind": 0}
    if isinstance(place.plan.selection, AverageGain):
        selection = {**place.plan.selection.core([described]), "correction": 0}
    view = core.core_column(plan, described, growth.arrays[column][node.rows])
    arrays, _, interrupted = core.grow(plan, selection, [view], _goal(growth, node))
    if interrupted:
        raise KeyboardInterrupt
    if arrays["kind"][0] == LEAF:
        return None
    split = from_core(arrays, column, len(described.categories))
    missing = int(arrays["missing"][0]) if "missing" in arrays else -1
    level = plan.criterion.level is not None
    gain = np.array([float(arrays["gain"][0])]) if level else None
    return _of_split(place, split, missing, bins, gain)


def _of_split(
    place: NodeRows, split: Split, missing: int, bins: Bins, decrease: Floats | None = None
) -> Options:
    """One test, of any kind, as options."""
    growth, node = place.growth, place.node
    branch = split.branches(growth, node.rows)
    left_out = place.plan.missing.core_rule.known_only
    lost = branch < 0
    at = np.where(lost, missing, branch) if not left_out else branch
    judged = at >= 0
    n = max(int(at.max(initial=0)) + 1, split.n_branches)
    lanes = lanes_of(growth, node, judged, at[judged], n)[None]
    gaps = (
        lanes_of(growth, node, lost, np.zeros(int(lost.sum()), dtype=np.int64), 1)[0] if lost.any() else None
    )
    kind = KINDS[split.kind]
    went = np.array([missing if lost.any() and not left_out else -1])
    left = gaps if left_out else None
    if isinstance(split, ThresholdSplit):
        last = np.searchsorted(bins.values, [split.threshold], side="right") - 1
        cut = np.array([split.threshold])
        return Options(kind, lanes, went, (), bins, cut, np.maximum(last, 0), left, decrease)
    first: tuple[int, ...] = ()
    if isinstance(split, MapSplit):
        first = _first(split, bins)
    elif isinstance(split, EqualsSplit):
        first = (int(np.searchsorted(bins.values, split.code)),)
    return Options(kind, lanes, went, (first,), bins, gaps=left, decrease=decrease)


def _first(split: MapSplit, bins: Bins) -> tuple[int, ...]:
    """The positions of the values of the first branch."""
    here = {code for code, to in zip(split.codes, split.targets, strict=True) if to == 0}
    return tuple(k for k, value in enumerate(bins.values.tolist()) if int(value) in here)


def derived(place: NodeRows, judge: ColumnScorer, each: Derived) -> BestTest:
    """A test that is no test of one column: its branches are bins."""
    bins = bins_of(place.growth, place.node, each.branch.astype(np.int32))
    kind, columns = KINDS[each.split.kind], each.split.columns
    if len(bins.values) + (bins.gaps is not None and not place.plan.missing.core_rule.known_only) < 2:
        return BestTest(columns, kind, bins, None, each.split, reason="constant at this node")
    judged = judge.of(-1).judged(multiway(place.growth.columns[columns[0]], bins))
    return BestTest(
        columns, kind, bins, judged, each.split, reason=judged.why_none() if judged.best is None else None
    )


def tested(
    place: NodeRows,
    judge: ColumnScorer,
    column: int,
    split: Split,
    missing: int,
    order: float,
    facts: dict[str, Any],
) -> BestTest:
    """A test chosen by a test of significance."""
    bins = bins_of(place.growth, place.node, place.growth.arrays[column][place.node.rows])
    judged = judge.of(column).judged(_of_split(place, split, missing, bins))
    judged = replace(judged, allowed=np.ones(1, dtype=bool), best=0)
    return BestTest((column,), judged.options.kind, bins, judged, split, None, order, facts)


def drawn(place: NodeRows, pool: Longs | list[int]) -> Iterator[list[int]]:
    """What `max_features` offers, batch by batch: all at once if it is not known."""
    if place.plan.max_features and place.seeded:
        yield from place.growth.draws(place.node, list(pool))
    else:
        yield list(pool)
