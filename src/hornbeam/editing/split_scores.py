"""Judging: what a test is worth at some rows, and the best test of every column, by the core.

One idea: whatever parts the rows of a node is a column of branch numbers to the core, which scores it by the
plan's criterion and missing rule as it scores its own tests. Limits of growth do not bind a person.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Longs
from hornbeam.editing.edit_context import Ground
from hornbeam.editing.fill_nodes import Rows, descend, trained
from hornbeam.growing import core
from hornbeam.growing.core import COLUMN_KINDS, View
from hornbeam.growing.grow import facts
from hornbeam.growing.monotonic import Constraints
from hornbeam.growing.selections import Best
from hornbeam.growing.splits import Splitting
from hornbeam.growing.thresholds import at_values
from hornbeam.tree.apply import threads_for
from hornbeam.tree.arrays import COLUMNS, LEAF, MULTIWAY
from hornbeam.tree.compact import restored
from hornbeam.tree.routing import branches
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import amount

NOMINAL = COLUMN_KINDS.index("nominal")
_TIE = 1e-12  # K4
_HEAVIEST, _OWN, _SHARED = 3, 1, 2  # the core's numbers of missing rules; 4 is surrogates


@dataclass(frozen=True)
class Verdict:
    """The score of a test by the plan's criterion, and the branch where its gaps go (-1: all of them)."""

    score: float
    missing: int


def verdict(ground: Ground, rows: Rows, branch: Longs, n_branches: int) -> Verdict:
    """What parting rows by branch numbers is worth; -1 is a gap, which follows the plan's missing rule."""
    gaps = branch < 0
    present, codes = np.unique(branch[~gaps], return_inverse=True)
    compact = np.full(len(branch), -1, dtype=np.int32)
    compact[~gaps] = codes.reshape(-1)
    weight = rows[1] * ground.judged_weight[rows[0]]
    rule = ground.plan.missing.core_rule
    known = np.bincount(branch[~gaps], weights=weight[~gaps], minlength=n_branches)
    heaviest = int(np.argmax(known >= known.max() - _TIE * known.sum())) if len(present) else -1
    missing = heaviest if rule >= _HEAVIEST else -1
    if gaps.any() and rule < _HEAVIEST:
        missing = {_OWN: n_branches, _SHARED: -1}.get(rule, heaviest)
    if len(present) + (gaps.any() and rule == _OWN) < 2:
        return Verdict(0.0, missing)
    arrays = _asked(ground, rows, [(compact, NOMINAL, MULTIWAY, len(present))])
    if arrays["kind"][0] == LEAF:  # all rows say the same: nothing can be gained
        return Verdict(0.0, missing)
    if gaps.any() and rule == 0:
        to = int(arrays["missing"][0])
        missing = int(present[to]) if 0 <= to < len(present) else n_branches
    return Verdict(float(arrays["gain"][0]), missing)


def best_of(ground: Ground, rows: Rows, column: int, *, least: int = 1) -> tuple[Tree, float] | None:
    """The best test of one column that leaves at least so many rows in a branch, as a tree; and its score."""
    if len(rows[0]) == 0:  # the leaf of a value without rows: the core takes no empty table
        return None
    view = core.view_of(ground.plan, ground.table.columns[column], ground.arrays[column][rows[0]])
    arrays = _asked(ground, rows, [view], least)
    if arrays["kind"][0] == LEAF:
        return None
    arrays["column"] = np.where(arrays["kind"] == LEAF, -1, column)
    said: dict[str, Any] = facts(ground.plan, ground.table, ground.target)
    said |= {name: array for name, array in arrays.items() if not _stays(name)}
    score = float(arrays["gain"][0])
    return with_values(ground, Tree(**said)), score


def at_midpoints(split: Splitting) -> Splitting:
    """The same splits with thresholds between values; of some rows, their values are not those of all."""
    found = copy.copy(split)
    found.threshold_at = "midpoint"
    return found


def with_values(ground: Ground, tree: Tree) -> Tree:
    """The tree with its thresholds at values of the whole table, if the estimator wants them there."""
    return (
        tree if ground.plan.split.threshold_at == "midpoint" else at_values(tree, ground.table, ground.target)
    )


def candidates(ground: Ground, tree: Tree, node: int, rows: Rows) -> list[tuple[int, Tree, float]]:
    """The best test of each column that may still be tested, best first: column, test, score."""
    least = ground.plan.limits.get("min_rows_leaf", 1)
    used = used_up(tree, node)
    columns = [k for k in range(len(ground.table.columns)) if k not in used]
    found = [(k, best_of(ground, rows, k, least=least)) for k in columns]
    listed = [(k, one[0], one[1]) for k, one in found if one is not None]
    return sorted(listed, key=lambda each: -each[2])  # stable: ties in column order


def used_up(tree: Tree, node: int) -> set[int]:
    """The columns that a test above with a branch for each value leaves nothing to ask about (K10)."""
    above = tree.path(node)[:-1]
    return {c for n in above if tree.kind[n] in (MULTIWAY, COLUMNS) for c in tree.tested_columns(n)}


def rank(ground: Ground, tree: Tree, node: int, rows: Rows, column: int, score: float) -> dict[str, Any]:
    """Where a test chosen by hand stands among the best tests of the columns.

    `of` counts those, and the test itself if it is not the best one of its column.
    """
    from hornbeam.editing.edit_words import test_text

    found = candidates(ground, tree, node, rows)
    margin = _TIE * max([abs(score), *(abs(s) for _, _, s in found), float(tree.impurity[node])])
    better = sum(s > score + margin for _, _, s in found)
    own = next((s for k, _, s in found if k == column), None)
    extra = own is None or own > score + margin or own < score - margin
    best = test_text(found[0][1], 0) if found else None
    return {
        "rank": 1 + better,
        "of": len(found) + extra,
        "score": score,
        "best": best,
        "best_score": found[0][2] if found else None,
    }


def regained(ground: Ground, tree: Tree, start: int) -> Tree:
    """The tree with the scores of `start` and of all tests below it judged anew."""
    gain, plain = tree.gain.copy(), trained(tree)
    for node, rows, weight in descend(ground, tree, start):
        if tree.kind[node] == LEAF:
            continue
        own = ground.weight[rows]
        share = np.divide(weight, own, out=np.zeros(len(rows)), where=own > 0)
        branch = branches(plain, node, ground.arrays, rows)
        gain[node] = verdict(ground, (rows, share), branch, int(tree.n_children[node])).score
    return tree.replace(gain=gain)


def score_text(found: dict[str, Any]) -> str:
    """A rank in words."""
    words = f"chosen by hand, rank {found['rank']} of {found['of']}"
    if found["rank"] > 1:
        words += f" (score {amount(found['score'])}; best is {found['best']}, {amount(found['best_score'])})"
    return words


def goal(ground: Ground, rows: Rows) -> dict[str, Any]:
    """The target of some rows as the core reads it."""
    place, share = rows
    seen = ground.seen.take(place)
    if not (share == 1).all():
        seen = replace(seen, weights=share * (1.0 if seen.weights is None else seen.weights))
    return core.goal_of(seen)


def _asked(ground: Ground, rows: Rows, views: list[View], least: int = 1) -> dict[str, AnyArray]:
    """The core's tree of one test on some rows."""
    limits = {"max_depth": 1, "min_rows_split": 2, "min_rows_leaf": least}
    plan = replace(
        ground.plan,
        limits=limits,
        max_features=0,
        constraints=Constraints(),
        selection=Best(),
        n_jobs=threads_for(len(rows[0]), ground.plan.n_jobs),
    )
    arrays, _, interrupted = core.grow(
        plan, Best().core(ground.table.columns[: len(views)]), views, goal(ground, rows)
    )
    if interrupted:
        raise KeyboardInterrupt
    return restored(arrays, ground.target.kind)


def _stays(name: str) -> bool:
    return name.startswith("quantile")
