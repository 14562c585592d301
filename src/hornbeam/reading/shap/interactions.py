"""Interactions: how much two columns add together beyond what each adds alone, as exact Shapley interactions.

One idea: the worth of a leaf is a product of its columns' factors, each inside or outside of what is known.
The interaction of two columns is the mean of the product of their two differences and of all other factors,
over the order in which columns become known: an integral of a polynomial, which Gauss and Legendre's points
give exactly. Half of it is written on either side of the diagonal; on the diagonal stands what is left of a
value.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.reading.shap.games import Product, points_of


def add_interactions(games: Iterable[tuple[Product, Floats]], places: Longs, out: Floats) -> None:
    """Add the interactions of product games to `out`, an array of rows, columns, columns and answers."""
    n_rows = len(out)
    for game, answer in games:
        columns = list(game.players)
        if len(columns) < 2:
            continue
        inside, outside = (
            np.stack([np.broadcast_to(game.players[c][side], n_rows) for c in columns]) for side in (0, 1)
        )
        worth = np.broadcast_to(game.scale, n_rows)[:, None] * answer / 2
        for (first, second), share in _pairs(inside, outside):
            i, j = places[columns[first]], places[columns[second]]
            added = share[:, None] * worth
            out[:, i, j] += added
            out[:, j, i] += added


def _pairs(inside: Floats, outside: Floats) -> Iterable[tuple[tuple[int, int], Floats]]:
    """The interaction of every two players of product games; a row per player, a column per game."""
    n_players = len(inside)
    points, weights = points_of(max(1, n_players // 2))  # the others' product has degree n_players - 2
    factors = [t * inside + (1.0 - t) * outside for t in points.tolist()]
    gained = inside - outside
    for pair in combinations(range(n_players), 2):
        others = [k for k in range(n_players) if k not in pair]
        mean = sum(
            weight * factor[others].prod(axis=0)
            for weight, factor in zip(weights.tolist(), factors, strict=True)
        )
        yield pair, gained[pair[0]] * gained[pair[1]] * mean


def with_main_effects(interactions: Floats, values: Floats) -> Floats:
    """The interactions with what is left of the values on the diagonal, so that rows add up to the values.

    >>> apart, values = np.array([[[[0.0], [0.1]], [[0.1], [0.0]]]]), np.array([[[0.5], [0.3]]])
    >>> with_main_effects(apart, values)[0, :, :, 0]
    array([[0.4, 0.1],
           [0.1, 0.2]])
    """
    every = np.arange(values.shape[1])
    interactions[:, every, every] = values - interactions.sum(axis=2)
    return interactions
