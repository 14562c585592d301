"""Background: Shapley values against given rows, whose values stand in for what is not known.

One idea: against one background row a leaf is a product game again: a column's factor is 1 or 0 inside
(does the row pass the column's tests on the way?) and 1 or 0 outside (does the background row?). At a leaf
most rows pass the same tests, so games are played once for each pair of patterns, and weighed by how often
they occur.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Floats, Longs
from hornbeam.reading.shap.branch_shares import Followed, follow
from hornbeam.reading.shap.games import shapley
from hornbeam.tree.tree import Tree

_PAIRS = 100_000  # pairs of patterns played at once


class Background:
    """The rows one tree is asked about compared with background rows, of which the patterns are kept.

    `base` is the mean answer for them; `answers` has a row per node.
    """

    def __init__(self, tree: Tree, n_rows: int, arrays: Sequence[AnyArray], answers: Floats) -> None:
        if n_rows == 0:
            raise ValueError("background has no rows: give some rows to compare with, or leave it out")
        self.tree, self.answers = tree, answers
        found = follow(tree, arrays, np.arange(n_rows))
        _check(tree, found, "background", 0)
        self.base = np.zeros(answers.shape[1])
        self.patterns: dict[int, tuple[Bools, Floats]] = {}
        for leaf in tree.leaves().tolist():
            _, passed = _passed(tree, leaf, found)
            self.base += passed.all(axis=0).mean() * answers[leaf]
            kinds, count = np.unique(passed, axis=1, return_counts=True)
            self.patterns[leaf] = kinds, count / count.sum()

    def add(self, arrays: Sequence[AnyArray], rows: Longs, places: Longs, out: Floats) -> None:
        """Add the Shapley values of rows, the mean over the background, to `out`."""
        found = follow(self.tree, arrays, rows)
        _check(self.tree, found, "X", int(rows[0]))
        for leaf, (theirs, share) in self.patterns.items():
            columns, passed = _passed(self.tree, leaf, found)
            if not columns:
                continue
            mine, back = np.unique(passed, axis=1, return_inverse=True)
            values = _played(mine, theirs, share)[:, back.ravel()]
            for column, value in zip(columns, values, strict=True):
                out[:, places[column]] += value[:, None] * self.answers[leaf]


def _played(mine: Bools, theirs: Bools, share: Floats) -> Floats:
    """The Shapley values of each player (row) for each of my patterns (column), the mean over theirs."""
    found = np.zeros(mine.shape)
    step = max(1, _PAIRS // theirs.shape[1])
    for first in range(0, mine.shape[1], step):
        some = mine[:, first : first + step]
        inside = np.repeat(some, theirs.shape[1], axis=1).astype(np.float64)
        outside = np.tile(theirs, (1, some.shape[1])).astype(np.float64)
        played = shapley(inside, outside).reshape(len(mine), some.shape[1], -1)
        found[:, first : first + step] = (played * share).sum(axis=2)
    return found


def _passed(tree: Tree, leaf: int, found: Followed) -> tuple[list[int], Bools]:
    """The columns on the way to a leaf, and whether rows pass all tests of each: a row per column."""
    passed: dict[int, Bools] = {}
    for node, child in pairwise(tree.path(leaf)):
        column, part = int(tree.column[node]), found.part[child] > 0
        passed[column] = passed[column] & part if column in passed else part
    n_rows = found.part.shape[1]
    return list(passed), np.array(list(passed.values()), dtype=np.bool_).reshape(-1, n_rows)


def _check(tree: Tree, found: Followed, what: str, first: int) -> None:
    """Refuse what is no product of columns."""
    wide = [node for node, deciding in found.deciding.items() if any(len(d.columns) > 1 for d in deciding)]
    if wide:
        names = ", ".join(tree.columns[c].name for c in found.deciding[wide[0]][-1].columns)
        raise ValueError(
            f"background is given, but node {wide[0]} decides by several columns ({names}), for which values"
            " cannot be mixed column by column: leave background out"
        )
    if tree.has_models:
        raise ValueError(
            "background is given, but leaves of this tree answer with equations: leave background out, which"
            " knows their means"
        )
    parted = ((found.part > 0) & (found.part < 1)).any(axis=0) | found.parting.any(axis=0)
    if parted.any():
        raise ValueError(
            f"row {first + int(np.argmax(parted))} of {what} has a missing or unseen value with which it"
            " follows all paths, for which there are no values against a background: leave background out, or"
            " fill the gap"
        )
