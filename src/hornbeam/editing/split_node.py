"""Split, move and regroup: a test that a person chose at a leaf, or in the place of one that stands.

A person may split where growing would not, so no limit binds; only a branch without rows, or an order that
`monotonic_cst` promised, is refused. Where a test that stands changes, only it changes: rows travel down
anew, and a test below that no longer parts any of them gives way to the one branch that has rows; a branch
that nothing reaches becomes an empty leaf.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.types import Longs
from hornbeam.editing.edit_context import EditContext
from hornbeam.editing.edit_words import EditResult, locks, marked, open_leaf, standing_test, test_text
from hornbeam.editing.fill_nodes import Rows, descend, modelled, refilled, rows_at, with_surrogates
from hornbeam.editing.graft import grafted
from hornbeam.editing.one_test_tree import parted, sprout, with_missing, without_own
from hornbeam.editing.order_check import refuse_disorder
from hornbeam.editing.split_scores import best_of, rank, regained, score_text, test_score
from hornbeam.tree.arrays import EQUALS, INTERVALS, LEAF, MULTIWAY, SUBSET, THRESHOLD
from hornbeam.tree.subtrees import place_nodes
from hornbeam.tree.tree import Tree

OWN = "own"


def split(
    context: EditContext,
    tree: Tree,
    node: int,
    on: Any,
    at: Any = None,
    groups: Any = None,
    multiway: Any = None,
    missing: Any = None,
) -> EditResult:
    """Split a leaf by a test of one column."""
    node = open_leaf(tree, node)
    column = context.column(on)
    if multiway not in (None, True, False):
        raise ValueError(f"multiway={multiway!r} must be True for a branch for each value, or left out")
    if sum(given is not None for given in (at, groups)) + bool(multiway) > 1:
        raise ValueError(
            "at, groups and multiway each say how to split: give one of them, or none for the best"
        )
    rows = rows_at(context, tree, node)
    test = _asked(context, column, rows, at, "multiway" if multiway else groups)
    test, score = placed(context, test, rows, missing)
    facts = rank(context, tree, node, rows, column, score)
    made = grafted(tree, {node: (test, 0)}, learned=False)
    new = int(made.number[node])
    changed = made.arguments
    changed["gain"][new] = score
    after = modelled(context, refilled(context, Tree(**changed), new))
    refuse_disorder(context, after, f"splitting node {node} by {test_text(test, 0)}")
    after = marked(after, new, forced=facts)
    say = f"split node {node} by {test_text(after, new)}: {score_text(facts)}"
    return EditResult(after, say, facts)


def placed(context: EditContext, test: Tree, rows: Rows, missing: Any) -> tuple[Tree, float]:
    """The test with its branch for gaps, and its score; refused if a branch has no rows."""
    branch = parted(test, context, rows[0])
    n, gaps = int(test.n_children[0]), branch < 0
    if test.threshold[0] == np.inf:  # all values against the gaps, which have no other place
        return with_missing(test, 1), test_score(context, rows, np.where(gaps, 1, 0), 2).score
    absent = int(test.absent[0])
    filled = np.bincount(branch[~gaps & (rows[1] * context.weight[rows[0]] > 0)], minlength=n) > 0
    if not all(full for k, full in enumerate(filled.tolist()) if k != absent):
        raise ValueError(f"{test_text(test, 0)} leaves a branch without rows: choose another test")
    if missing is None:
        judged = test_score(context, rows, branch, n)
        return with_surrogates(context, with_missing(test, judged.missing), rows, branch), judged.score
    to = _chosen(missing, n, gaps)
    judged = test_score(context, rows, np.where(gaps, to, branch), max(n, to + 1))
    return with_missing(test, to), judged.score


def _chosen(missing: Any, n: int, gaps: Any) -> int:
    """The branch that was chosen for gaps."""
    if isinstance(missing, str) and missing == OWN:
        if not gaps.any():
            raise ValueError(
                "missing='own' asks for a branch of missing values, but none is missing at this node"
            )
        return n
    if not isinstance(missing, bool) and isinstance(missing, (int, np.integer)) and 0 <= missing < n:
        return int(missing)
    raise ValueError(
        f"missing={missing!r} must be the number of a branch from 0 to {n - 1}, 'own' for a branch of its"
        " own, or None to let the estimator's rule decide"
    )


def _asked(context: EditContext, column: int, rows: Rows, at: Any, groups: Any) -> Tree:
    if at is not None or groups is not None:
        return sprout(context, column, rows, at, groups)
    least = context.plan.limits.get("min_rows_leaf", 1)
    best = best_of(context, rows, column, least=least) or best_of(context, rows, column)
    if best is None:
        name = context.table.columns[column].name
        raise ValueError(
            f"on={name!r} has no test that parts the rows of this node, or they all have one outcome: choose"
            " another column, or say at= or groups="
        )
    return without_own(best[0])


def move(context: EditContext, tree: Tree, node: int, at: Any) -> EditResult:
    """Change the cut of a test, its cuts, or the one value it asks for."""
    node = standing_test(tree, node)
    if tree.kind[node] not in (THRESHOLD, INTERVALS, EQUALS):
        raise ValueError(
            f"node={node} tests {test_text(tree, node)}, which has no cut to move: use regroup, or collapse"
            " and split it"
        )
    return _changed(context, tree, node, at, None)


def regroup(context: EditContext, tree: Tree, node: int, groups: Any) -> EditResult:
    """Change which values lead to which branch."""
    node = standing_test(tree, node)
    if tree.kind[node] not in (SUBSET, EQUALS, MULTIWAY):
        raise ValueError(
            f"node={node} tests {test_text(tree, node)}, which has no groups of values: use move, or collapse"
            " and split it"
        )
    return _changed(context, tree, node, None, groups)


def _changed(context: EditContext, tree: Tree, node: int, at: Any, groups: Any) -> EditResult:
    column = int(tree.column[node])
    rows = rows_at(context, tree, node)
    test = sprout(context, column, rows, at, groups)
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
    test, score = _like_before(context, tree, node, test, rows, before)
    facts = rank(context, tree, node, rows, column, score)
    made = grafted(tree, {node: (test, 0)}, keep_children=True, learned=False)
    new = int(made.number[node])
    after = refilled(context, made.tree(), new)
    after = regained(context, _thinned(after, new), new)
    after = modelled(context, _with_gaps(context, after, new))
    what = f"changing node {node} to {test_text(after, new)}"
    refuse_disorder(context, after, what)
    say = f"changed node {node} from {test_text(tree, node)} to {test_text(after, new)}: {score_text(facts)}"
    return EditResult(marked(after, new, forced=facts), say, facts)


def _like_before(
    context: EditContext, tree: Tree, node: int, test: Tree, rows: Rows, n: int
) -> tuple[Tree, float]:
    """The new test with its gaps where the old one had them, as far as it can, and its score."""
    if tree.own_missing[node]:
        branch = parted(test, context, rows[0])
        return with_missing(test, n), test_score(context, rows, np.where(branch < 0, n, branch), n + 1).score
    missing = int(tree.missing[node])
    gaps = bool((parted(test, context, rows[0]) < 0).any())
    decided = missing >= 0 and context.plan.missing.surrogate_rule() is None
    placed_test, score = placed(context, test, rows, missing if gaps and decided else None)
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
    nodes: set[int] = set()
    for node in locks(tree):
        nodes |= set(tree.path(node)) | {below for below, _ in tree.walk(node)}
    return nodes


def _with_gaps(context: EditContext, tree: Tree, start: int) -> Tree:
    """The neighbouring values of the cuts below a test, by the rows that reach them now."""
    gap = tree.gap.copy()
    for node, rows, weight in descend(context, tree, start):
        if tree.kind[node] == THRESHOLD and np.isfinite(tree.threshold[node]):
            gap[node] = _around(
                context, int(tree.column[node]), rows[weight > 0], float(tree.threshold[node])
            )
    return Tree(
        **(tree.attributes() | tree.arrays() | {"gap": np.where(tree.kind[:, None] == LEAF, np.nan, gap)})
    )


def _around(context: EditContext, column: int, rows: Longs, cut: float) -> tuple[float, float]:
    x = context.arrays[column][rows]
    x = x[~np.isnan(x)] if x.dtype.kind == "f" else x[x >= 0].astype(np.float64)
    below, above = x[x <= cut], x[x > cut]
    return (float(below.max()) if len(below) else np.nan, float(above.min()) if len(above) else np.nan)
