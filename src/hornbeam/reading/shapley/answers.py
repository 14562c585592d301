"""Answers: what one tree adds to the Shapley values of some rows, leaf by leaf.

One idea: a leaf's weight is a sum of product games (`products`); its answer multiplies them. An equation is a
sum over columns, each of which is one more factor of its column's player::

    column in S: the terms of the row's value      column not in S: what the terms are on average in the leaf

The bounds of an equation hold for the row's own value: what they take away counts if all its columns are in
S.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hornbeam import models
from hornbeam.arrays import AnyArray, Floats, Longs
from hornbeam.reading.shapley.following import follow, training_shares
from hornbeam.reading.shapley.products import Product, products
from hornbeam.tree import Tree


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
    votes = tree.task == "classes" and tree.policy["vote"] == "leaf" and bool(found.parting.any())
    for leaf in tree.leaves().tolist():
        games = products(tree, leaf, found, share)
        if tree.model_offset[leaf] < tree.model_offset[leaf + 1]:
            _add_equation(tree, leaf, arrays, rows, games, places, out)
        elif votes:
            # Together with other leaves it votes, alone it gives its shares: a vote always, and the
            # difference where the row has not parted.
            vote = np.eye(answers.shape[1])[tree.label[leaf]]
            _add(games, vote, places, out)
            _add(products(tree, leaf, found, share, together=False), answers[leaf] - vote, places, out)
        else:
            _add(games, answers[leaf], places, out)


def _add(games: Sequence[Product], answer: Floats, places: Longs, out: Floats) -> None:
    for game in games:
        for column, values in game.values():
            out[:, places[column]] += values[:, None] * answer


def _add_equation(
    tree: Tree, leaf: int, arrays: Sequence[AnyArray], rows: Longs, games: Sequence[Product], places: Longs,
    out: Floats,
) -> None:  # fmt: skip
    one = np.ones(1)
    _add(games, one * _intercept(tree, leaf), places, out)
    raw = np.full(len(rows), _intercept(tree, leaf))
    used = _used(tree, leaf)
    for column in used:
        told = models.column_terms(tree, leaf, column, arrays[column][rows])
        raw += told
        gap = np.full(len(rows), _gap(tree, leaf, column))
        _add([game.times(column, told, gap) for game in games], one, places, out)
    m = int(tree.model_offset[leaf])
    beyond = np.clip(raw, tree.model_low[m], tree.model_high[m]) - raw
    if beyond.any():
        bounded = []
        for game in games:
            for column in used:
                game = game.times(column, np.ones(len(rows)), np.zeros(len(rows)))
            bounded.append(Product(game.scale * beyond, game.players))
        _add(bounded, one, places, out)


def _intercept(tree: Tree, leaf: int) -> float:
    return float(tree.model_intercept[int(tree.model_offset[leaf])])


def _used(tree: Tree, leaf: int) -> list[int]:
    return models.used_columns(tree, leaf)


def _gap(tree: Tree, leaf: int, column: int) -> float:
    """What the terms of a column are where it is missing: their mean in the leaf."""
    return float(sum(tree.term_gap[t] for t in models.terms_of(tree, leaf) if tree.term_column[t] == column))
