"""The best tests of the columns at some rows, and the scores of tests, by the search of growth.

Limits of growth do not bind a person, but the best tests keep `min_samples_leaf`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hornbeam._base.types import TIE
from hornbeam.editing.edit_context import EditContext, Rows
from hornbeam.editing.edit_words import test_text
from hornbeam.editing.fill_nodes import descend, row_shares
from hornbeam.growing.candidates.axis_search import best, score_branches
from hornbeam.growing.candidates.node_splits import Proposal, Split, ThresholdSplit
from hornbeam.growing.stepwise import tree_of
from hornbeam.growing.thresholds import place_thresholds
from hornbeam.tree.arrays import COLUMNS, LEAF, MULTIWAY
from hornbeam.tree.routing import as_in_training, branches
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import amount


def one_test_tree(context: EditContext, rows: Rows, split: Split, missing: int = -1) -> Tree:
    """A tree of one test, with a branch for gaps: one of their own if it is the next after the last."""
    growth, root = context.growth, context.node(rows)
    root.proposal, root.missing = Proposal(split, 0.0, 0.0), missing
    n_children = max(split.n_children, missing + 1)
    no_rows = rows[0][:0], rows[1][:0]
    root.children = [growth.child(root, branch, *no_rows, ()) for branch in range(n_children)]
    return tree_of(growth, root)


def best_test(context: EditContext, rows: Rows, column: int, *, limited: bool = True) -> Proposal | None:
    """The best test of one column; None if nothing can be gained by one."""
    node = context.node(rows)
    if not node.weight.any():  # the leaf of a value without rows
        return None
    proposal = best(context.limited_growth if limited else context.growth, node, [column])
    if proposal is None or not isinstance(proposal.split, ThresholdSplit):
        return proposal
    tree = with_thresholds(context, one_test_tree(context, rows, proposal.split))
    low, high = tree.gap[0].tolist()
    split = replace(proposal.split, threshold=float(tree.threshold[0]), low=low, high=high)
    return replace(proposal, split=split)


def with_thresholds(context: EditContext, tree: Tree) -> Tree:
    """The tree with its thresholds where the estimator wants them, by the values of the whole table."""
    return place_thresholds(tree, context.table, context.target, context.plan.threshold_at)


def best_tests(context: EditContext, tree: Tree, node: int, rows: Rows) -> list[Proposal]:
    """The best test of each column that may still be tested, best first, ties in column order."""
    used = used_up(tree, node)
    tests = [best_test(context, rows, k) for k in range(len(context.table.columns)) if k not in used]
    return sorted((test for test in tests if test is not None), key=lambda test: -test.score)


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
    ranked = best_tests(context, tree, node, rows)
    margin = TIE * max([abs(score), *(abs(test.score) for test in ranked), float(tree.impurity[node])])
    own = next((test.score for test in ranked if test.split.columns == (column,)), None)
    return {
        "rank": 1 + sum(test.score > score + margin for test in ranked),
        "of": len(ranked) + (own is None or abs(own - score) > margin),
        "score": score,
        "best": proposal_text(context, rows, ranked[0]) if ranked else None,
        "best_score": ranked[0].score if ranked else None,
    }


def proposal_text(context: EditContext, rows: Rows, proposal: Proposal) -> str:
    """A test in words."""
    return test_text(one_test_tree(context, rows, proposal.split, proposal.missing), 0)


def regained(context: EditContext, tree: Tree, start: int) -> Tree:
    """The tree with the scores of `start` and of all tests below it computed anew."""
    gain, trained = tree.gain.copy(), as_in_training(tree)
    for node, rows, weight in descend(context, tree, start):
        if tree.kind[node] != LEAF:
            branch = branches(trained, node, context.arrays, rows)
            here = context.node((rows, row_shares(context, rows, weight)))
            gain[node], _ = score_branches(context.growth, here, branch, int(tree.n_children[node]))
    return tree.replace(gain=gain)


def score_text(facts: dict[str, Any]) -> str:
    """A rank in words."""
    words = f"chosen by hand, rank {facts['rank']} of {facts['of']}"
    if facts["rank"] > 1:
        words += f" (score {amount(facts['score'])}; best is {facts['best']}, {amount(facts['best_score'])})"
    return words
