"""Move and regroup: another cut, or other groups, at a test that stands; what is below it stays.

One idea: only the test changes. Rows travel down anew, and a test below that no longer parts any of them
gives way to the one branch that has rows; a branch that nothing reaches becomes an empty leaf.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.types import Longs
from hornbeam.editing.edit_context import Ground
from hornbeam.editing.edit_result import Done, marked
from hornbeam.editing.edit_words import locks, standing_test, test_text
from hornbeam.editing.fill_nodes import Rows, descend, modelled, refilled, rows_at
from hornbeam.editing.graft import grafted
from hornbeam.editing.one_test_tree import parted, sprout, with_missing
from hornbeam.editing.order_check import refuse_disorder
from hornbeam.editing.split_leaf import placed
from hornbeam.editing.split_scores import rank, regained, score_text, verdict
from hornbeam.tree.arrays import EQUALS, INTERVALS, LEAF, MULTIWAY, SUBSET, THRESHOLD
from hornbeam.tree.subtrees import place_nodes
from hornbeam.tree.tree import Tree


def move(ground: Ground, tree: Tree, node: int, at: Any) -> Done:
    """Change the cut of a test, its cuts, or the one value it asks for."""
    node = standing_test(tree, node)
    if tree.kind[node] not in (THRESHOLD, INTERVALS, EQUALS):
        raise ValueError(
            f"node={node} tests {test_text(tree, node)}, which has no cut to move: use regroup, or collapse"
            " and split it"
        )
    return _changed(ground, tree, node, at, None)


def regroup(ground: Ground, tree: Tree, node: int, groups: Any) -> Done:
    """Change which values lead to which branch."""
    node = standing_test(tree, node)
    if tree.kind[node] not in (SUBSET, EQUALS, MULTIWAY):
        raise ValueError(
            f"node={node} tests {test_text(tree, node)}, which has no groups of values: use move, or collapse"
            " and split it"
        )
    return _changed(ground, tree, node, None, groups)


def _changed(ground: Ground, tree: Tree, node: int, at: Any, groups: Any) -> Done:
    column = int(tree.column[node])
    rows = rows_at(ground, tree, node)
    test = sprout(ground, column, rows, at, groups)
    before = int(tree.n_children[node]) - int(tree.own_missing[node]) - (tree.absent[node] >= 0)
    if int(test.n_children[0]) != before:
        raise ValueError(
            f"node={node} has {before} branches, but this would make {int(test.n_children[0])}: collapse and"
            " split it to change their number"
        )
    if tree.absent[node] >= 0:
        raise ValueError(
            f"node={node} has a branch for values that no row has, which no group would lead to: collapse and"
            " split it"
        )
    test, score = _like_before(ground, tree, node, test, rows, before)
    found = rank(ground, tree, node, rows, column, score)
    made = grafted(tree, {node: (test, 0)}, keep_children=True, learned=False)
    new = int(made.number[node])
    after = refilled(ground, made.tree(), new)
    after = regained(ground, _thinned(after, new), new)
    after = modelled(ground, _with_gaps(ground, after, new))
    what = f"changing node {node} to {test_text(after, new)}"
    refuse_disorder(ground, after, what)
    say = f"changed node {node} from {test_text(tree, node)} to {test_text(after, new)}: {score_text(found)}"
    return Done(marked(after, new, forced=found), say, found)


def _like_before(ground: Ground, tree: Tree, node: int, test: Tree, rows: Rows, n: int) -> tuple[Tree, float]:
    """The new test with its gaps where the old one had them, as far as it can, and its score."""
    if tree.own_missing[node]:
        branch = parted(test, ground, rows[0])
        return with_missing(test, n), verdict(ground, rows, np.where(branch < 0, n, branch), n + 1).score
    missing = int(tree.missing[node])
    gaps = bool((parted(test, ground, rows[0]) < 0).any())
    decided = missing >= 0 and ground.plan.missing.surrogate_rule() is None
    placed_test, score = placed(ground, test, rows, missing if gaps and decided else None)
    if placed_test.own_missing[0]:  # no gap came here before, so there is no branch for them
        return test, score
    return placed_test, score


def _thinned(tree: Tree, start: int) -> Tree:
    """The tree without the tests below `start` that part nothing, and with empty branches as leaves."""
    stand, ended = np.arange(len(tree)), tree.first_child < 0
    kept = _kept(tree)
    below = [node for node, _ in tree.walk(start)][1:]
    for node in sorted(below, reverse=True):
        if ended[node] or node in kept:
            continue
        filled = [child for child in tree.children(node) if tree.n_rows[child] > 0]
        if not filled:
            ended[node] = True
        elif len(filled) == 1:
            stand[node] = stand[filled[0]]
    if (stand == np.arange(len(tree))).all() and (ended == (tree.first_child < 0)).all():
        return tree
    return grafted(Tree(**place_nodes(tree, stand, ended)), {}).tree()


def _kept(tree: Tree) -> set[int]:
    """Locked nodes, and everything above and below them."""
    found: set[int] = set()
    for node in locks(tree):
        found |= set(tree.path(node)) | {below for below, _ in tree.walk(node)}
    return found


def _with_gaps(ground: Ground, tree: Tree, start: int) -> Tree:
    """The neighbouring values of the cuts below a test, by the rows that reach them now."""
    gap = tree.gap.copy()
    for node, rows, weight in descend(ground, tree, start):
        if tree.kind[node] == THRESHOLD and np.isfinite(tree.threshold[node]):
            gap[node] = _around(ground, int(tree.column[node]), rows[weight > 0], float(tree.threshold[node]))
    return tree.replace(gap=np.where(tree.kind[:, None] == LEAF, np.nan, gap))


def _around(ground: Ground, column: int, rows: Longs, cut: float) -> tuple[float, float]:
    x = ground.arrays[column][rows]
    x = x[~np.isnan(x)] if x.dtype.kind == "f" else x[x >= 0].astype(np.float64)
    below, above = x[x <= cut], x[x > cut]
    return (float(below.max()) if len(below) else np.nan, float(above.min()) if len(above) else np.nan)
