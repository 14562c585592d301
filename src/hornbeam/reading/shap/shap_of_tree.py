"""Answers: what one tree adds to the Shapley values of some rows, leaf by leaf.

One idea: a leaf's weight is a sum of product games (`products`); its answer multiplies them. An equation is a
sum over columns, each of which is one more factor of its column's player::

    column in S: the terms of the row's value      column not in S: what the terms are on average in the leaf

The bounds of an equation hold for the row's own value: what they take away counts if all its columns are in
S.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.reading.shap.branch_shares import follow, training_shares
from hornbeam.reading.shap.game_batches import Batch
from hornbeam.reading.shap.leaf_products import Product, ways
from hornbeam.tree import equations
from hornbeam.tree.tree import Tree


def base_of(tree: Tree, answers: Floats) -> Floats:
    """What the tree answers if nothing is known of a row: the mean of its leaves by training weight."""
    reach = training_shares(tree)
    for node in range(1, len(tree)):
        reach[node] *= reach[tree.parent[node]]
    leaves = tree.leaves()
    spoken = answers[leaves].copy()
    for place, leaf in enumerate(leaves.tolist()):
        if tree.model_offset[leaf] < tree.model_offset[leaf + 1]:
            spoken[place] = _intercept(tree, leaf) + sum(_gap(tree, leaf, c) for c in _used(tree, leaf))
    found: Floats = reach[leaves] @ spoken
    return found


def add_values(
    tree: Tree, arrays: Sequence[AnyArray], rows: Longs, answers: Floats, places: Longs, out: Floats
) -> None:
    """Add the Shapley values of rows to `out`, an array of rows, columns and answers.

    `answers` has a row per node; `places` says where in `out` the tree's columns are.
    """
    found, share = follow(tree, arrays, rows), training_shares(tree)
    batch = Batch(places, out)
    votes = tree.task == "classes" and tree.policy["vote"] == "leaf" and bool(found.parting.any())
    for way in ways(tree, found, share):
        leaf, games = way.node, way.products()
        if tree.model_offset[leaf] < tree.model_offset[leaf + 1]:
            games_and_answers = _equation(tree, leaf, arrays, rows, games)
        else:
            answer = np.eye(answers.shape[1])[tree.label[leaf]] if votes else answers[leaf]
            games_and_answers = ((game, answer) for game in games)
        for game, answer in games_and_answers:
            batch.add(game, answer)
    if votes:
        # Together with other leaves a leaf votes, alone it gives its shares: a vote always, and the
        # difference where the row has not parted.
        for way in ways(tree, found, share, together=False):
            vote = np.eye(answers.shape[1])[tree.label[way.node]]
            for game in way.products():
                batch.add(game, answers[way.node] - vote)
    batch.close()


def _equation(
    tree: Tree, leaf: int, arrays: Sequence[AnyArray], rows: Longs, games: Sequence[Product]
) -> Iterator[tuple[Product, Floats]]:
    """The games of a leaf with an equation: the intercept, the terms of each column, and the bounds."""
    one, intercept = np.ones(1), _intercept(tree, leaf)
    yield from ((game, one * intercept) for game in games)
    raw = np.full(len(rows), intercept)
    used = _used(tree, leaf)
    for column in used:
        told = equations.column_terms(tree, leaf, column, arrays[column][rows])
        raw += told
        gap = _gap(tree, leaf, column)
        yield from ((game.times(column, told, gap), one) for game in games)
    m = int(tree.model_offset[leaf])
    beyond = np.clip(raw, tree.model_low[m], tree.model_high[m]) - raw
    for game in games if beyond.any() else ():
        bounded = game
        for column in used:
            bounded = bounded.times(column, 1.0, 0.0)
        yield Product(bounded.scale * beyond, bounded.players), one


def _intercept(tree: Tree, leaf: int) -> float:
    return float(tree.model_intercept[int(tree.model_offset[leaf])])


def _used(tree: Tree, leaf: int) -> list[int]:
    return equations.used_columns(tree, leaf)


def _gap(tree: Tree, leaf: int, column: int) -> float:
    """What the terms of a column are where it is missing: their mean in the leaf."""
    return float(
        sum(tree.term_gap[t] for t in equations.terms_of(tree, leaf) if tree.term_column[t] == column)
    )
