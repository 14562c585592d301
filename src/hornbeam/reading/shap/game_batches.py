"""Batching: many small games played at once.

One idea: games of as many players are columns of one array. Few rows and many leaves, or many rows and few
leaves, are then the same work. Values are added up one game after the other, by the number of players, so
that a row's sums do not depend on how many rows there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.reading.shap.games import shapley
from hornbeam.reading.shap.leaf_products import Factor, Product

_COLUMNS = 20_000  # games times rows that are played at once


@dataclass
class _Waiting:
    """Games of one number of players: their places, factors, scales, and what multiplies their values."""

    places: list[list[int]] = field(default_factory=list)
    factors: list[tuple[Factor, ...]] = field(default_factory=list)
    scales: list[Factor] = field(default_factory=list)
    answers: list[Floats] = field(default_factory=list)


class Batch:
    """Games to be played and added up in an array of rows, columns and answers.

    `places` says where in `out` the tree's columns are.
    """

    def __init__(self, places: Longs, out: Floats) -> None:
        self.places, self.out = places.tolist(), out
        self.most = max(1, _COLUMNS // max(len(out), 1))
        self._waiting: dict[int, _Waiting] = {}
        self._totals: dict[int, Floats] = {}

    def add(self, game: Product, answer: Floats) -> None:
        """One game for every row; its values are multiplied by the answer."""
        n_players = len(game.players)
        if not n_players:
            return
        waiting = self._waiting.setdefault(n_players, _Waiting())
        waiting.places.append([self.places[column] for column in game.players])
        inside, outside = zip(*game.players.values(), strict=True)
        waiting.factors.append(inside + outside)
        waiting.scales.append(game.scale)
        waiting.answers.append(answer)
        if len(waiting.places) >= self.most:
            self._play(self._waiting.pop(n_players))

    def close(self) -> None:
        """Play what is left."""
        for waiting in self._waiting.values():
            self._play(waiting)
        for _, total in sorted(self._totals.items()):
            self.out += total
        self._waiting, self._totals = {}, {}

    def _play(self, games: _Waiting) -> None:
        n_games, n_rows = len(games.places), len(self.out)
        n_players = len(games.places[0])
        factors = np.empty((2 * n_players, n_games, n_rows))
        for k, given in enumerate(games.factors):
            for player, factor in enumerate(given):
                factors[player, k] = factor
        flat = factors.reshape(2 * n_players, -1)
        values = shapley(flat[:n_players], flat[n_players:]).reshape(n_players, n_games, n_rows)
        values *= np.stack([np.broadcast_to(scale, n_rows) for scale in games.scales])
        answers, places = np.stack(games.answers), np.array(games.places)
        total = self._totals.setdefault(n_players, np.zeros_like(self.out))
        for column in np.unique(places).tolist():  # few columns, each with the games it plays in
            which, seat = np.nonzero(places == column)
            added = values[seat, which][:, :, None] * answers[which][:, None, :]
            added[0] += total[:, column]
            total[:, column] = np.add.accumulate(added, axis=0)[-1]
