"""Judging: what a test is worth at some rows, and the best test of every column, by the core.

One idea: whatever parts the rows of a node is a column of branch numbers to the core, which scores it by the
plan's criterion and missing rule as it scores its own tests. Limits of growth do not bind a person.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam._base.types import TIE, AnyArray, Longs
from hornbeam.editing.edit_context import EditContext
from hornbeam.editing.fill_nodes import Rows, descend, row_shares, trained
from hornbeam.growing import core
from hornbeam.growing.core import COLUMN_KINDS, View
from hornbeam.growing.grower import at_values, tree_facts
from hornbeam.growing.missing import MissingRule
from hornbeam.growing.plan import Constraints
from hornbeam.growing.selections import Best
from hornbeam.growing.splits import Splitting
from hornbeam.tree.apply import threads_for
from hornbeam.tree.arrays import COLUMNS, LEAF, MULTIWAY
from hornbeam.tree.compact import restored
from hornbeam.tree.routing import branches
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import amount

NOMINAL = COLUMN_KINDS.index("nominal")


@dataclass(frozen=True)
class TestScore:
    """The score of a test by the plan's criterion, and the branch where its gaps go (-1: all of them)."""

    score: float
    missing: int


def test_score(context: EditContext, rows: Rows, branch: Longs, n_branches: int) -> TestScore:
    """What parting rows by branch numbers is worth; -1 is a gap, which follows the plan's missing rule."""
    gaps = branch < 0
    present, codes = np.unique(branch[~gaps], return_inverse=True)
    compact = np.full(len(branch), -1, dtype=np.int32)
    compact[~gaps] = codes.reshape(-1)
    weight = rows[1] * context.judged_weight[rows[0]]
    rule = context.plan.missing.core_rule
    known = np.bincount(branch[~gaps], weights=weight[~gaps], minlength=n_branches)
    heaviest = int(np.argmax(known >= known.max() - TIE * known.sum())) if len(present) else -1
    if rule in (MissingRule.MAJORITY, MissingRule.SURROGATES):
        missing = heaviest
    elif rule == MissingRule.FRACTIONAL or not gaps.any():
        missing = -1
    else:
        missing = n_branches if rule == MissingRule.BRANCH else heaviest
    if len(present) + (gaps.any() and rule == MissingRule.BRANCH) < 2:
        return TestScore(0.0, missing)
    arrays = _asked(context, rows, [(compact, NOMINAL, MULTIWAY, len(present))])
    if arrays["kind"][0] == LEAF:  # all rows say the same: nothing can be gained
        return TestScore(0.0, missing)
    if gaps.any() and rule == MissingRule.LEARN:
        to = int(arrays["missing"][0])
        missing = int(present[to]) if 0 <= to < len(present) else n_branches
    return TestScore(float(arrays["gain"][0]), missing)


def best_of(context: EditContext, rows: Rows, column: int, *, least: int = 1) -> tuple[Tree, float] | None:
    """The best test of one column that leaves at least so many rows in a branch, as a tree; and its score."""
    if len(rows[0]) == 0:  # the leaf of a value without rows: the core takes no empty table
        return None
    view = core.core_column(context.plan, context.table.columns[column], context.arrays[column][rows[0]])
    arrays = _asked(context, rows, [view], least)
    if arrays["kind"][0] == LEAF:
        return None
    arrays["column"] = np.where(arrays["kind"] == LEAF, -1, column)
    said: dict[str, Any] = tree_facts(context.plan, context.table, context.target)
    said |= {name: array for name, array in arrays.items() if not _stays(name)}
    score = float(arrays["gain"][0])
    return with_values(context, Tree(**said)), score


def at_midpoints(split: Splitting) -> Splitting:
    """The same splits with thresholds between values; of some rows, their values are not those of all."""
    changed = copy.copy(split)
    changed.threshold_at = "midpoint"
    return changed


def with_values(context: EditContext, tree: Tree) -> Tree:
    """The tree with its thresholds at values of the whole table, if the estimator wants them there."""
    return (
        tree
        if context.plan.split.threshold_at == "midpoint"
        else at_values(tree, context.table, context.target)
    )


def candidates(context: EditContext, tree: Tree, node: int, rows: Rows) -> list[tuple[int, Tree, float]]:
    """The best test of each column that may still be tested, best first: column, test, score."""
    least = context.plan.limits.get("min_rows_leaf", 1)
    used = used_up(tree, node)
    columns = [k for k in range(len(context.table.columns)) if k not in used]
    best_tests = [(k, best_of(context, rows, k, least=least)) for k in columns]
    listed = [(k, one[0], one[1]) for k, one in best_tests if one is not None]
    return sorted(listed, key=lambda each: -each[2])  # stable: ties in column order


def used_up(tree: Tree, node: int) -> set[int]:
    """The columns that a test above with a branch for each value leaves nothing to ask about (K10)."""
    above = tree.path(node)[:-1]
    return {c for n in above if tree.kind[n] in (MULTIWAY, COLUMNS) for c in tree.tested_columns(n)}


def rank(
    context: EditContext, tree: Tree, node: int, rows: Rows, column: int, score: float
) -> dict[str, Any]:
    """Where a test chosen by hand stands among the best tests of the columns.

    `of` counts those, and the test itself if it is not the best one of its column.
    """
    from hornbeam.editing.edit_words import test_text

    ranked = candidates(context, tree, node, rows)
    margin = TIE * max([abs(score), *(abs(s) for _, _, s in ranked), float(tree.impurity[node])])
    better = sum(s > score + margin for _, _, s in ranked)
    own = next((s for k, _, s in ranked if k == column), None)
    extra = own is None or own > score + margin or own < score - margin
    best = test_text(ranked[0][1], 0) if ranked else None
    return {
        "rank": 1 + better,
        "of": len(ranked) + extra,
        "score": score,
        "best": best,
        "best_score": ranked[0][2] if ranked else None,
    }


def regained(context: EditContext, tree: Tree, start: int) -> Tree:
    """The tree with the scores of `start` and of all tests below it judged anew."""
    gain, plain = tree.gain.copy(), trained(tree)
    for node, rows, weight in descend(context, tree, start):
        if tree.kind[node] == LEAF:
            continue
        share = row_shares(context, rows, weight)
        branch = branches(plain, node, context.arrays, rows)
        gain[node] = test_score(context, (rows, share), branch, int(tree.n_children[node])).score
    return Tree(**(tree.attributes() | tree.arrays() | {"gain": gain}))


def score_text(facts: dict[str, Any]) -> str:
    """A rank in words."""
    words = f"chosen by hand, rank {facts['rank']} of {facts['of']}"
    if facts["rank"] > 1:
        words += f" (score {amount(facts['score'])}; best is {facts['best']}, {amount(facts['best_score'])})"
    return words


def goal(context: EditContext, rows: Rows) -> dict[str, Any]:
    """The target of some rows as the core reads it."""
    place, share = rows
    target = context.growth_target.take(place)
    if not (share == 1).all():
        target = replace(target, weights=share * (1.0 if target.weights is None else target.weights))
    return core.core_target(target)


def _asked(context: EditContext, rows: Rows, views: list[View], least: int = 1) -> dict[str, AnyArray]:
    """The core's tree of one test on some rows."""
    limits = {"max_depth": 1, "min_rows_split": 2, "min_rows_leaf": least}
    plan = replace(
        context.plan,
        limits=limits,
        max_features=0,
        constraints=Constraints(),
        selection=Best(),
        n_jobs=threads_for(len(rows[0]), context.plan.n_jobs),
    )
    arrays, _, interrupted = core.grow(
        plan, Best().core(context.table.columns[: len(views)]), views, goal(context, rows)
    )
    if interrupted:
        raise KeyboardInterrupt
    return restored(arrays, context.target.task)


def _stays(name: str) -> bool:
    return name.startswith("quantile")
