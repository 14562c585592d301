"""A split that a person chose, made into a tree of one test, and its rank among the best of the columns.

It is a cut, several cuts, one value, or sets of values of one column. Scores are those of the search of
growth; limits of growth do not bind a person, but the best tests keep `min_samples_leaf`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.significance.bins_and_halves import Cut
from hornbeam._base.types import TIE, Floats
from hornbeam.data.columns import Column
from hornbeam.data.formatting import MISSING_TEXT
from hornbeam.data.table import Table
from hornbeam.editing.edit_context import EditContext, Rows
from hornbeam.editing.edit_words import test_text
from hornbeam.editing.fill_nodes import descend, row_shares
from hornbeam.growing.candidates.axis_search import best, score_branches
from hornbeam.growing.candidates.node_splits import (
    EqualsSplit,
    MapSplit,
    Proposal,
    Split,
    ThresholdSplit,
    cut_split,
)
from hornbeam.growing.stepwise import tree_of
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.growing.thresholds import place_thresholds
from hornbeam.tree.arrays import COLUMNS, LEAF, MULTIWAY, SUBSET
from hornbeam.tree.routing import as_in_training, branches
from hornbeam.tree.scores import score_text
from hornbeam.tree.tree import Tree

_KEPT = 8  # nodes whose best tests are kept


def chosen_split(context: EditContext, column: int, rows: Rows, at: Any = None, groups: Any = None) -> Split:
    """The split at a cut, at several, of one value (`at`), or of sets of values (`groups`, or "multiway")."""
    about = context.table.columns[column]
    values = context.growth.numbers(column, rows[0])
    known = values[~np.isnan(values)]
    if groups is not None:
        return _of_groups(about, column, groups, np.unique(known).astype(int).tolist())
    several = isinstance(at, (list, tuple, np.ndarray))
    if about.kind == "nominal" and not several:
        return EqualsSplit(column, _value(about, at, "at"))
    return cut_split(column, _cuts(about, list(at) if several else [at], known))


# ---- cuts --------------------------------------------------------------------------------------------------


def _cuts(column: Column, cuts: list[Any], known: Floats) -> tuple[Cut, ...]:
    """The cuts with the neighbouring values; refused if a branch would have no rows."""
    if column.kind == "nominal":
        raise ValueError(
            f"at={cuts!r} cuts the column {column.name!r}, whose values have no order: give groups=[[...],"
            " [...]], multiway=True, or one value as at="
        )
    if not cuts:
        raise ValueError("at=[] has no cut: give a value, or several")
    thresholds = [_threshold(column, cut) for cut in cuts]
    if any(b <= a for a, b in pairwise(thresholds)):
        raise ValueError(f"at={cuts!r} must be ascending, each cut once")
    _refuse_empty_cuts(column, cuts, thresholds, known)
    return tuple(Cut(cut, *neighbours(known, cut)) for cut in thresholds)


def _threshold(column: Column, cut: Any) -> float:
    """What values are compared with: a number, or half a step above an ordinal value's code."""
    if column.kind == "ordinal":
        return _value(column, cut, "at") + 0.5
    if column.is_time and not isinstance(cut, (int, float, np.number)):
        try:
            moment = dt.datetime.fromisoformat(cut) if isinstance(cut, str) else cut
            return float(Table.match({column.name: [moment]}, (column,)).arrays[0][0])
        except (TypeError, ValueError):
            raise ValueError(
                f"at={cut!r} is no value of the column {column.name!r}, which holds {column.display}: give a"
                " date, a time, or text such as '2020-01-31'"
            ) from None
    if isinstance(cut, bool) or not isinstance(cut, (int, float, np.number)) or not np.isfinite(cut):
        raise ValueError(f"at={cut!r} must be a number, since the column {column.name!r} is numeric")
    return float(cut)


def neighbours(known: Floats, cut: float) -> tuple[float, float]:
    """The neighbouring values of a cut."""
    below, above = known[known <= cut], known[known > cut]
    return (float(below.max()) if len(below) else np.nan, float(above.min()) if len(above) else np.nan)


def _refuse_empty_cuts(column: Column, cuts: list[Any], given: list[float], known: Floats) -> None:
    filled = np.bincount(np.searchsorted(given, known), minlength=len(given) + 1)
    if len(known) and filled.all():
        return
    shown = cuts[0] if len(cuts) == 1 else cuts
    if not len(known):
        raise ValueError(f"the column {column.name!r} has no value at this node: split on another column")
    low, high = column.text(float(known.min())), column.text(float(known.max()))
    if low == high:
        raise ValueError(f"the column {column.name!r} is always {low} at this node: split on another column")
    raise ValueError(
        f"at={shown!r} leaves a branch empty: at this node {column.name!r} lies between {low} and {high}, so"
        f" a cut is at least {low} and below {high}"
    )


# ---- values ------------------------------------------------------------------------------------------------


def _of_groups(column: Column, number: int, groups: Any, present: list[int]) -> Split:
    if column.kind == "numeric":
        raise ValueError(
            f"groups divide values, but the column {column.name!r} is numeric: give a cut as at="
        )
    if isinstance(groups, str) and groups == "multiway":
        if len(present) < 2:
            raise ValueError(
                f"the column {column.name!r} has {len(present)} value at this node, so there is nothing to"
                " part: split on another column"
            )
        absent = len(column.categories) - len(present)
        return MapSplit(MULTIWAY, number, tuple(present), tuple(range(len(present))), absent)
    coded = _covering(column, _listed(groups), present)
    for group in coded:
        if not set(group) & set(present):
            values = [column.categories[code] for code in group]
            raise ValueError(
                f"groups leave a branch empty: none of {values!r} occurs at this node, whose values of"
                f" {column.name!r} are {', '.join(repr(column.categories[c]) for c in present)}"
            )
    pairs = sorted((code, branch) for branch, group in enumerate(coded) for code in group)
    codes, targets = zip(*pairs, strict=True)
    return MapSplit(SUBSET, number, codes, targets)


def _listed(groups: Any) -> list[list[Any]]:
    usable = isinstance(groups, Sequence) and not isinstance(groups, str)
    if not usable or not all(isinstance(g, (list, tuple, set, frozenset)) and len(g) for g in groups):
        raise ValueError(
            f"groups={groups!r} must be a list of lists of values, such as [['a', 'b'], ['c']]; one list"
            " alone stands against all other values"
        )
    return [list(group) for group in groups]


def _covering(column: Column, groups: list[list[Any]], present: list[int]) -> list[list[int]]:
    """The codes of the groups, each value once; one group alone stands against all others."""
    codes = [[_value(column, value, "groups") for value in group] for group in groups]
    flat = [code for group in codes for code in group]
    if len(set(flat)) < len(flat):
        twice = next(code for code in flat if flat.count(code) > 1)
        raise ValueError(
            f"groups name the value {column.categories[twice]!r} twice: each leads to one branch"
        )
    if len(codes) == 1:
        codes.append([code for code in range(len(column.categories)) if code not in flat])
        flat += codes[1]
    left = [column.categories[code] for code in present if code not in flat]
    if left:
        raise ValueError(
            f"groups leave out {', '.join(map(repr, left))}, which occurs at this node: put every value of"
            f" {column.name!r} into a group"
        )
    if any(not group for group in codes):
        raise ValueError(f"groups must have two groups at least: all values of {column.name!r} are in one")
    return codes


def _value(column: Column, value: Any, name: str) -> int:
    """The code of a value."""
    try:
        return column.code_of[value]
    except (KeyError, TypeError):
        known = [str(v) for v in column.categories]
        shown = ", ".join(map(repr, column.categories[:8])) + (", ..." if len(known) > 8 else "")
        word = "a missing value" if value is None or value == MISSING_TEXT else repr(value)
        raise ValueError(
            f"{name} names {word}, which the column {column.name!r} does not have"
            f"{did_you_mean(value, known)}: its values are {shown}"
        ) from None


# --- where a test stands among the best ---------------------------------------------------------------------


def one_test_tree(context: EditContext, rows: Rows, split: Split, missing: int = -1) -> Tree:
    """A tree of one test, with a branch for gaps: one of their own if it is the next after the last."""
    growth, root = context.growth, context.node(rows)
    root.proposal, root.missing = Proposal(split, 0.0, 0.0), missing
    n_children = max(split.n_children, missing + 1)
    no_rows = rows[0][:0], rows[1][:0]
    root.children = [growth.child(root, branch, *no_rows, ()) for branch in range(n_children)]
    return tree_of(growth, root, {})


def best_test(context: EditContext, rows: Rows, column: int, *, limited: bool = True) -> Proposal | None:
    """The best test of one column; None if nothing can be gained by one."""
    growth = context.limited_growth if limited else context.growth
    proposal = _best_test(growth, context.node(rows), column)
    return None if proposal is None else in_place(context, rows, proposal)


def _best_test(growth: Growth, node: Node, column: int) -> Proposal | None:
    """The same as the search leaves it: cut at the midpoint."""
    return best(growth, node, [column]) if node.weight.any() else None  # a value may have no rows


def in_place(context: EditContext, rows: Rows, proposal: Proposal) -> Proposal:
    """A test with its threshold where the estimator wants it."""
    if not isinstance(proposal.split, ThresholdSplit):
        return proposal
    tree = with_thresholds(context, one_test_tree(context, rows, proposal.split))
    low, high = tree.gap[0].tolist()
    split = replace(proposal.split, threshold=float(tree.threshold[0]), low=low, high=high)
    return replace(proposal, split=split)


def with_thresholds(context: EditContext, tree: Tree) -> Tree:
    """The tree with its thresholds where the estimator wants them, by the values of the whole table."""
    return place_thresholds(tree, context.table, context.target, context.plan.threshold_at)


def best_tests(context: EditContext, tree: Tree, node: int, rows: Rows) -> list[Proposal]:
    """The best test of each column that may still be tested, best first, ties in column order.

    Their thresholds are midpoints, which `in_place` moves: of most of them only the score is asked for. The
    last ones are kept: a cut that is dragged asks for the same again and again.
    """
    used = used_up(tree, node)
    key = hash((rows[0].tobytes(), rows[1].tobytes(), *sorted(used)))
    if key not in context.ranked:
        while len(context.ranked) >= _KEPT:
            context.ranked.pop(next(iter(context.ranked)), None)
        context.ranked[key] = _best_tests(context, rows, used)
    kept: list[Proposal] = context.ranked[key]
    return kept


def _best_tests(context: EditContext, rows: Rows, used: set[int]) -> list[Proposal]:
    growth, node = context.limited_growth, context.node(rows)
    columns = [k for k in range(len(context.table.columns)) if k not in used]
    tests = [_best_test(growth, node, column) for column in columns]
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
    split = in_place(context, rows, proposal).split
    return test_text(one_test_tree(context, rows, split, proposal.missing), 0)


def regained(context: EditContext, tree: Tree, start: int) -> Tree:
    """The tree with the scores of `start` and of all tests below it computed anew."""
    gain, trained = tree.gain.copy(), as_in_training(tree)
    for node, rows, weight in descend(context, tree, start):
        if tree.kind[node] != LEAF:
            branch = branches(trained, node, context.arrays, rows)
            here = context.node((rows, row_shares(context, rows, weight)))
            gain[node], _ = score_branches(context.growth, here, branch, int(tree.n_children[node]))
    return tree.replace(gain=gain)


def rank_text(facts: dict[str, Any], criterion: str) -> str:
    """A rank in words."""
    words = f"chosen by hand, rank {facts['rank']} of {facts['of']}"
    if facts["rank"] > 1:
        best = score_text(criterion, facts["best_score"])
        words += f" ({score_text(criterion, facts['score'])}; best is {facts['best']}, {best})"
    return words
