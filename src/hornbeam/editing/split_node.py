"""The edits that put a test into a tree: split a leaf, take the best test or another, move a cut, regroup.

A person may split where growing would not, so no limit binds; only a branch without rows, or an order that
`monotonic_cst` promised, is refused. Where a test that stands changes, only it changes: rows travel down
anew, and a test below that no longer parts any of them gives way to the one branch that has rows; a branch
that nothing reaches becomes an empty leaf.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam.editing.chosen_split import (
    best_test,
    chosen_split,
    neighbours,
    one_test_tree,
    rank,
    rank_text,
    regained,
)
from hornbeam.editing.edit_context import EditContext, Rows
from hornbeam.editing.edit_words import EditResult, held_nodes, marked, open_leaf, standing_test, test_text
from hornbeam.editing.fill_nodes import descend, modelled, refilled, rows_at, with_surrogates
from hornbeam.editing.graft import grafted
from hornbeam.editing.monotone_order import refuse_disorder
from hornbeam.growing.candidates.axis_search import score_branches
from hornbeam.growing.candidates.node_splits import Split, ThresholdSplit
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
    by_hand = at is not None or groups is not None or multiway
    if by_hand:
        chosen = chosen_split(context, column, rows, at, "multiway" if multiway else groups)
    else:
        chosen = _best_split(context, column, rows)
    test, score = placed(context, chosen, rows, missing)
    facts = rank(context, tree, node, rows, column, score)
    scored = test.replace(gain=np.where(test.kind == LEAF, 0.0, score))
    after, number = grafted(tree, {node: (scored, 0)}, learned=False)
    new = int(number[node])
    after = modelled(context, refilled(context, after, new))
    refuse_disorder(context, after, f"splitting node {node} by {test_text(test, 0)}")
    after = marked(after, new, forced=facts)
    ranked = rank_text(facts, context.plan.criterion.name)
    say = f"split node {node} by {test_text(after, new)}: {ranked}"
    return EditResult(after, say, facts)


def placed(context: EditContext, split: Split, rows: Rows, missing: Any) -> tuple[Tree, float]:
    """The split as a tree of one test with its branch for gaps, and its score.

    Refused if a branch has no rows.
    """
    node, branch = context.node(rows), split.branches(context.growth, rows[0])
    n, is_gap = split.n_children, branch < 0
    if isinstance(split, ThresholdSplit) and split.threshold == np.inf:  # gaps have no other place
        score, _ = score_branches(context.growth, node, np.where(is_gap, 1, 0), 2)
        return one_test_tree(context, rows, split, 1), score
    weighs = rows[1] * context.weight[rows[0]] > 0
    if not (np.bincount(branch[~is_gap & weighs], minlength=n) > 0)[: split.n_branches].all():
        test = test_text(one_test_tree(context, rows, split), 0)
        raise ValueError(f"{test} leaves a branch without rows: choose another test")
    if missing is None:
        score, to = score_branches(context.growth, node, branch, n)
        return with_surrogates(context, one_test_tree(context, rows, split, to), rows, branch), score
    to = _missing_branch(missing, n, is_gap)
    score, _ = score_branches(context.growth, node, np.where(is_gap, to, branch), max(n, to + 1))
    return one_test_tree(context, rows, split, to), score


def _missing_branch(missing: Any, n: int, gaps: Any) -> int:
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


def _best_split(context: EditContext, column: int, rows: Rows) -> Split:
    proposal = best_test(context, rows, column) or best_test(context, rows, column, limited=False)
    if proposal is None:
        name = context.table.columns[column].name
        raise ValueError(
            f"on={name!r} has no test that parts the rows of this node, or they all have one outcome: choose"
            " another column, or say at= or groups="
        )
    return proposal.split


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
    chosen = chosen_split(context, column, rows, at, groups)
    before = int(tree.n_children[node]) - int(tree.own_missing[node]) - (tree.absent[node] >= 0)
    if chosen.n_children != before:
        raise ValueError(
            f"node={node} has {before} branches, but this would make {chosen.n_children}: collapse and"
            " split it to change their number"
        )
    if tree.absent[node] >= 0:
        raise ValueError(
            f"node={node} has a branch for values that no row has, which no group would lead to: collapse and"
            " split it"
        )
    test, score = like_before(context, tree, node, chosen, rows)
    facts = rank(context, tree, node, rows, column, score)
    after, number = grafted(tree, {node: (test, 0)}, keep_children=True, learned=False)
    new = int(number[node])
    after = refilled(context, after, new)
    after = regained(context, _thinned(after, new), new)
    after = modelled(context, _with_gaps(context, after, new))
    what = f"changing node {node} to {test_text(after, new)}"
    refuse_disorder(context, after, what)
    ranked = rank_text(facts, context.plan.criterion.name)
    say = f"changed node {node} from {test_text(tree, node)} to {test_text(after, new)}: {ranked}"
    return EditResult(marked(after, new, forced=facts), say, facts)


def like_before(context: EditContext, tree: Tree, node: int, split: Split, rows: Rows) -> tuple[Tree, float]:
    """The new test with its gaps where the old one had them, as far as it can, and its score."""
    branch, n = split.branches(context.growth, rows[0]), split.n_children
    if tree.own_missing[node]:
        branch = np.where(branch < 0, n, branch)
        score, _ = score_branches(context.growth, context.node(rows), branch, n + 1)
        return one_test_tree(context, rows, split, n), score
    missing = int(tree.missing[node])
    decided = missing >= 0 and context.plan.missing.surrogate_rule() is None
    test, score = placed(context, split, rows, missing if decided and (branch < 0).any() else None)
    if test.own_missing[0]:  # no gap came here before, so there is no branch for them
        return one_test_tree(context, rows, split), score
    return test, score


def _thinned(tree: Tree, start: int) -> Tree:
    """The tree without the tests below `start` that part nothing, and with empty branches as leaves."""
    stand, ended = np.arange(len(tree)), tree.first_child < 0
    held = held_nodes(tree)
    below = [node for node, _ in tree.walk(start)][1:]
    for node in sorted(below, reverse=True):
        if ended[node] or held[node]:
            continue
        filled = [child for child in tree.children(node) if tree.n_rows[child] > 0]
        if not filled:
            ended[node] = True
        elif len(filled) == 1:
            stand[node] = stand[filled[0]]
    if (stand == np.arange(len(tree))).all() and (ended == (tree.first_child < 0)).all():
        return tree
    return grafted(Tree.unchecked(**place_nodes(tree, stand, ended)), {})[0]


def _with_gaps(context: EditContext, tree: Tree, start: int) -> Tree:
    """The neighbouring values of the cuts below a test, by the rows that reach them now."""
    gap = tree.gap.copy()
    for node, rows, weight in descend(context, tree, start):
        if tree.kind[node] == THRESHOLD and np.isfinite(tree.threshold[node]):
            values = context.growth.numbers(int(tree.column[node]), rows[weight > 0])
            gap[node] = neighbours(values[~np.isnan(values)], float(tree.threshold[node]))
    return tree.replace(gap=np.where(tree.kind[:, None] == LEAF, np.nan, gap))
