"""What one tree adds to the Shapley values of some rows: by the core, or leaf by leaf.

One idea: a leaf's weight is a sum of product games; its answer multiplies them. Where every test asks for one
column and leaves are constant, there is one game for each leaf, and the core plays all of them in one walk
through the tree. An equation is a sum over columns, each of which is one more factor of its column's player::

    column in S: the terms of the row's value      column not in S: what the terms are on average in the leaf

The bounds of an equation hold for the row's own value: what they take away counts if all its columns are in
S.

Against one background row a leaf is a product game again: a column's factor is 1 or 0 inside (does the row
pass the column's tests on the way?) and 1 or 0 outside (does the background row?). At a leaf most rows pass
the same tests, so games are played once for each pair of patterns, and weighed by how often they occur.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from hornbeam import _core
from hornbeam._base.parameters import n_threads
from hornbeam._base.types import AnyArray, Bools, Floats, Longs
from hornbeam.reading.shap.games import (
    Batch,
    FollowedRows,
    Product,
    follow_rows,
    leaf_paths,
    points_of,
    shapley,
)
from hornbeam.tree import apply, equations
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.routing import branch_shares, training_shares
from hornbeam.tree.shape import remember
from hornbeam.tree.tree import Tree

_FEW = 1_000_000  # nodes times rows that one thread walks sooner than several are started


def base_of(tree: Tree, answers: Floats) -> Floats:
    """What the tree answers if nothing is known of a row: the mean of its leaves by training weight."""
    leaves, reach = remember(tree, "_leaf_shares", lambda: _leaf_shares(tree))
    leaf_answers = answers[leaves]
    for place in np.flatnonzero(np.diff(tree.model_offset)[leaves]).tolist():
        leaf = int(leaves[place])
        leaf_answers[place] = _intercept(tree, leaf) + sum(
            equations.column_gap(tree, leaf, c) for c in equations.used_columns(tree, leaf)
        )
    mean: Floats = reach @ leaf_answers
    return mean


def _leaf_shares(tree: Tree) -> tuple[Longs, Floats]:
    """The leaves, and their shares of the training weight."""
    reach = training_shares(tree)
    reach[0] = 1.0
    for nodes in tree.levels()[1:]:
        reach[nodes] *= reach[tree.parent[nodes]]
    leaves = np.flatnonzero(tree.kind == LEAF)
    return leaves, reach[leaves]


def is_plain(tree: Tree) -> bool:
    """Whether the core has the values: tests ask for one column each, leaves answer for themselves."""
    votes = tree.task.is_classes and tree.policy["vote"] == "leaf"
    return apply.compiled(tree).known and not tree.has_models and not votes


class PlainTree:
    """A tree whose values the core computes.

    A constant may be taken from the answers, since what all leaves say alike is nobody's merit: without their
    mean they are small numbers, whose sums are more exact. Shares of two classes mirror each other, so one of
    them is enough.
    """

    def __init__(self, tree: Tree, answers: Floats, base: Floats, places: Longs) -> None:
        self.tree, self.places = tree, places
        mirrored = answers.shape[1] == 2 and bool((np.abs(answers.sum(axis=1) - 1.0) < 1e-12).all())
        if mirrored or answers.shape[1] == 1:
            answers = (answers - base)[:, -1:]
        self.answers = np.ascontiguousarray(answers)
        self.shares = remember(tree, "_shares", lambda: _shares(tree))

    def add(self, arrays: Sequence[AnyArray], rows: Longs, n_jobs: int | None, out: Floats) -> None:
        """Add the Shapley values of rows that follow each other to `out`, which has all rows."""
        threads = 1 if len(rows) * len(self.tree) < _FEW else n_threads(n_jobs)
        span = int(rows[0]), int(rows[-1]) + 1
        _core.add_shap_values(
            apply.tests(self.tree), list(arrays), self.shares, self.answers, self.places, points_of, span,
            threads, out,
        )  # fmt: skip


def _shares(tree: Tree) -> dict[str, Floats | None]:
    """How rows that do not know a column, or follow all paths, part at the tests."""
    by_leaf = tree.policy["weights"] == "leaf"
    return {
        "share": training_shares(tree),
        "weight": tree.weight if by_leaf else None,
        "part": None if by_leaf else branch_shares(tree),
    }


def add_values(
    tree: Tree, arrays: Sequence[AnyArray], rows: Longs, answers: Floats, places: Longs, out: Floats
) -> None:
    """Add the Shapley values of rows to `out`, an array of rows, columns and answers.

    `answers` has a row per node; `places` says where in `out` the tree's columns are.
    """
    batch = Batch(places, out)
    for game, answer in games_of(tree, arrays, rows, answers):
        batch.add(game, answer)
    batch.close()


def games_of(
    tree: Tree, arrays: Sequence[AnyArray], rows: Longs, answers: Floats
) -> Iterator[tuple[Product, Floats]]:
    """The games of all leaves for some rows, and what each is worth; `answers` has a row per node."""
    followed, share = follow_rows(tree, arrays, rows), training_shares(tree)
    votes = tree.task.is_classes and tree.policy["vote"] == "leaf" and bool(followed.parting.any())
    for path in leaf_paths(tree, followed, share):
        leaf, games = path.node, path.products()
        if tree.model_offset[leaf] < tree.model_offset[leaf + 1]:
            yield from _equation(tree, leaf, arrays, rows, games)
        else:
            answer = np.eye(answers.shape[1])[tree.label[leaf]] if votes else answers[leaf]
            yield from ((game, answer) for game in games)
    if votes:
        # Together with other leaves a leaf votes, alone it gives its shares: a vote always, and the
        # difference where the row has not parted.
        for path in leaf_paths(tree, followed, share, together=False):
            vote = np.eye(answers.shape[1])[tree.label[path.node]]
            yield from ((game, answers[path.node] - vote) for game in path.products())


def _equation(
    tree: Tree, leaf: int, arrays: Sequence[AnyArray], rows: Longs, games: Sequence[Product]
) -> Iterator[tuple[Product, Floats]]:
    """The games of a leaf with an equation: the intercept, the terms of each column, and the bounds."""
    one, intercept = np.ones(1), _intercept(tree, leaf)
    yield from ((game, one * intercept) for game in games)
    raw = np.full(len(rows), intercept)
    used = equations.used_columns(tree, leaf)
    for column in used:
        terms = equations.column_terms(tree, leaf, column, arrays[column][rows])
        raw += terms
        gap = equations.column_gap(tree, leaf, column)
        yield from ((game.times(column, terms, gap), one) for game in games)
    m = int(tree.model_offset[leaf])
    beyond = np.clip(raw, tree.model_low[m], tree.model_high[m]) - raw
    for game in games if beyond.any() else ():
        bounded = game
        for column in used:
            bounded = bounded.times(column, 1.0, 0.0)
        yield Product(bounded.scale * beyond, bounded.players), one


def _intercept(tree: Tree, leaf: int) -> float:
    return float(tree.model_intercept[int(tree.model_offset[leaf])])


_PAIRS = 100_000  # pairs of patterns played at once


class Background:
    """The rows one tree is asked about compared with background rows, of which the patterns are kept.

    `base` is the mean answer for them; `answers` has a row per node.
    """

    def __init__(self, tree: Tree, n_rows: int, arrays: Sequence[AnyArray], answers: Floats) -> None:
        if n_rows == 0:
            raise ValueError("background has no rows: give some rows to compare with, or leave it out")
        self.tree, self.answers = tree, answers
        followed = follow_rows(tree, arrays, np.arange(n_rows))
        _check(tree, followed, "background", 0)
        self.base = np.zeros(answers.shape[1])
        self.patterns: dict[int, tuple[Bools, Floats]] = {}
        for leaf in tree.leaves().tolist():
            _, passed = _passed(tree, leaf, followed)
            self.base += passed.all(axis=0).mean() * answers[leaf]
            kinds, count = np.unique(passed, axis=1, return_counts=True)
            self.patterns[leaf] = kinds, count / count.sum()

    def add(self, arrays: Sequence[AnyArray], rows: Longs, places: Longs, out: Floats) -> None:
        """Add the Shapley values of rows, the mean over the background, to `out`."""
        followed = follow_rows(self.tree, arrays, rows)
        _check(self.tree, followed, "X", int(rows[0]))
        for leaf, (theirs, share) in self.patterns.items():
            columns, passed = _passed(self.tree, leaf, followed)
            if not columns:
                continue
            mine, back = np.unique(passed, axis=1, return_inverse=True)
            values = _played(mine, theirs, share)[:, back.ravel()]
            for column, value in zip(columns, values, strict=True):
                out[:, places[column]] += value[:, None] * self.answers[leaf]


def _played(mine: Bools, theirs: Bools, share: Floats) -> Floats:
    """The Shapley values of each player (row) for each of my patterns (column), the mean over theirs."""
    values = np.zeros(mine.shape)
    step = max(1, _PAIRS // theirs.shape[1])
    for first in range(0, mine.shape[1], step):
        some = mine[:, first : first + step]
        inside = np.repeat(some, theirs.shape[1], axis=1).astype(np.float64)
        outside = np.tile(theirs, (1, some.shape[1])).astype(np.float64)
        played = shapley(inside, outside).reshape(len(mine), some.shape[1], -1)
        values[:, first : first + step] = (played * share).sum(axis=2)
    return values


def _passed(tree: Tree, leaf: int, followed: FollowedRows) -> tuple[list[int], Bools]:
    """The columns on the way to a leaf, and whether rows pass all tests of each: a row per column."""
    passed: dict[int, Bools] = {}
    for node, child in pairwise(tree.path(leaf)):
        column, part = int(tree.column[node]), followed.part[child] > 0
        passed[column] = passed[column] & part if column in passed else part
    n_rows = followed.part.shape[1]
    return list(passed), np.array(list(passed.values()), dtype=np.bool_).reshape(-1, n_rows)


def _check(tree: Tree, followed: FollowedRows, what: str, first: int) -> None:
    """Refuse what is no product of columns."""
    wide = [node for node, deciding in followed.deciding.items() if any(len(d.columns) > 1 for d in deciding)]
    if wide:
        names = ", ".join(tree.columns[c].name for c in followed.deciding[wide[0]][-1].columns)
        raise ValueError(
            f"background is given, but node {wide[0]} decides by several columns ({names}), for which values"
            " cannot be mixed column by column: leave background out"
        )
    if tree.has_models:
        raise ValueError(
            "background is given, but leaves of this tree answer with equations: leave background out, which"
            " knows their means"
        )
    parted = ((followed.part > 0) & (followed.part < 1)).any(axis=0) | followed.parting.any(axis=0)
    if parted.any():
        raise ValueError(
            f"row {first + int(np.argmax(parted))} of {what} has a missing or unseen value with which it"
            " follows all paths, for which there are no values against a background: leave background out, or"
            " fill the gap"
        )
