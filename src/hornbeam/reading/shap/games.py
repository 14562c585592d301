"""The weight of a leaf as games that are products over their players, and the Shapley values of such games.

What is known of a row, the columns S, follows a test if all columns that decide there are in S; else it takes
every branch with its share of the training weight. So the weight of a leaf is

    product over the tests on the way of   part  if the test's columns are in S,  share  if not.

Tests of the same columns multiply. For one column that is a factor of its player already. For several
columns C it is ``share + (part - share) * [all of C in S]``, two products, the second of which is 0 unless
all of C is there; products that need the same columns are added up, so a path of tests on the same columns
has two.

In the game v(S) = product of `inside[i]` over the players i of S times `outside[j]` over the others, the
Shapley value of player i is an integral over the share u of players that are there already (Owen 1972)::

    phi_i = (inside_i - outside_i) * integral from 0 to 1 of
            the product over j != i of (outside_j (1 - u) + inside_j u)  du

The integrand is a polynomial in u of degree p - 1 for p players, so Gauss and Legendre's ceil(p / 2) points
give the integral exactly. Nothing cancels: factors between 0 and 1 stay there.

At a test, a row that goes one way has the part 1 there and 0 elsewhere. Where it follows all paths, a child's
part is its share of what the row reaches: the training weight of the leaves reached below it, or the
branch's share, as the tree's policy says. The product of the parts on the way to a leaf is the leaf's weight
in the row's answer.

References
----------
Owen, G. (1972). Multilinear extensions of games. Management Science 18, 64-79.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Floats, Longs
from hornbeam.tree import routing
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class Deciding:
    """Columns that decide at a test, for the rows of a mask (None: for all)."""

    columns: tuple[int, ...]
    rows: Bools | None


@dataclass(frozen=True)
class FollowedRows:
    """Some rows at every test of a tree.

    Attributes
    ----------
    part : array (nodes, rows)
        Of a row at a node's parent, the part that goes to the node; 1 at the root.
    deciding : dict
        Test -> the columns that decide there.
    parting : array of bool (nodes, rows)
        Whether the row goes several ways at the node, each with some weight.
    """

    part: Floats
    deciding: dict[int, tuple[Deciding, ...]]
    parting: Bools


def follow_rows(tree: Tree, arrays: Sequence[AnyArray], rows: Longs) -> FollowedRows:
    """Where rows, by their positions in the arrays, go at every test, also at those they never come to."""
    tests = np.flatnonzero(tree.kind != LEAF).tolist()
    part = np.ones((len(tree), len(rows)))
    everywhere = np.zeros((len(tree), len(rows)), dtype=np.bool_)
    deciding = {}
    for node in tests:
        branch, surrogate = routing.find_branches(tree, node, arrays, rows)
        everywhere[node] = branch == routing.ALL_PATHS
        for k, child in enumerate(tree.children(node)):
            part[child] = branch == k
        deciding[node] = _deciding(tree, node, surrogate)
    parting = np.zeros_like(everywhere)
    several = np.flatnonzero(everywhere.any(axis=0))
    if len(several):
        some = part[:, several]
        parting[:, several] = _share_out(tree, everywhere[:, several], some)
        part[:, several] = some
    return FollowedRows(part, deciding, parting)


def _deciding(tree: Tree, node: int, used: Longs) -> tuple[Deciding, ...]:
    """The columns tested, and, for rows that one of the surrogates was used for, its column as well."""
    own = tree.tested_columns(node)
    if (used < 0).all():
        return (Deciding(tuple(sorted(own)), None),)
    deciding = []
    for k in np.unique(used).tolist():
        columns = own if k < 0 else {*own, int(tree.surrogate_column[k])}
        deciding.append(Deciding(tuple(sorted(columns)), used == k))
    return tuple(deciding)


def _share_out(tree: Tree, everywhere: Bools, out: Floats) -> Bools:
    """Fill in the parts of rows that follow all paths, from the leaves up; and where rows part in truth."""
    by_leaf = tree.policy["weights"] == "leaf"
    share = np.ones(len(tree)) if by_leaf else routing.branch_shares(tree)
    mass = np.zeros(out.shape)  # the weight of the leaves a row would reach from each node
    leaves = np.zeros(out.shape)  # and their number
    parting = np.zeros(out.shape, dtype=np.bool_)
    for node in range(len(tree) - 1, -1, -1):
        children = tree.children(node)
        if not children:
            mass[node], leaves[node] = tree.weight[node] if by_leaf else 1.0, 1.0
            continue
        span = slice(children.start, children.stop)
        here = everywhere[node]
        weighed = mass[span] * share[span, None]
        weightless = here & (weighed.sum(axis=0) <= 0)  # no leaf has weight: all count the same
        weighed = np.where(weightless, leaves[span], weighed)
        total = weighed.sum(axis=0)
        out[span] = np.where(here, weighed / np.where(here, total, 1.0), out[span])
        parting[node] = here & ((out[span] > 0).sum(axis=0) > 1)
        mass[node] = np.where(here, np.where(weightless, 0.0, total), (mass[span] * out[span]).sum(axis=0))
        leaves[node] = np.where(here, leaves[span].sum(axis=0), (leaves[span] * out[span]).sum(axis=0))
    return parting


@lru_cache(maxsize=64)
def points_of(n: int) -> tuple[Floats, Floats]:
    """Gauss and Legendre's points and weights on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(n)
    return (x + 1.0) / 2.0, w / 2.0


def shapley(inside: Floats, outside: Floats) -> Floats:
    """The Shapley value of each player of product games: a row per player, a column per game.

    >>> shapley(np.array([[1.0], [1.0]]), np.array([[0.5], [0.25]])).ravel()  # 1 - 0.125 = 0.3125 + 0.5625
    array([0.3125, 0.5625])
    """
    n_players = len(inside)
    if n_players == 1:
        return inside - outside
    values = np.zeros(np.broadcast_shapes(inside.shape, outside.shape))
    step = inside - outside
    for u, weight in zip(*points_of((n_players + 1) // 2), strict=True):
        mixed = outside + u * step
        others = np.empty_like(mixed)  # the product of all rows but one's own: those before, those after
        others[0] = 1.0
        np.cumprod(mixed[:-1], axis=0, out=others[1:])
        after = np.cumprod(mixed[:0:-1], axis=0)[::-1]
        others[:-1] *= after
        values += weight * others
    values *= step
    return values


_COLUMNS = 20_000  # games times rows that are played at once


class Batch:
    """Games to be played and added up in an array of rows, columns and answers.

    `places` says where in `out` the tree's columns are.
    """

    def __init__(self, places: Longs, out: Floats) -> None:
        self.places, self.out = places.tolist(), out
        self.most = max(1, _COLUMNS // max(len(out), 1))
        self._waiting: dict[int, list[tuple[Product, Floats]]] = {}  # by number of players
        self._totals: dict[int, Floats] = {}

    def add(self, game: Product, answer: Floats) -> None:
        """One game for every row; its values are multiplied by the answer."""
        n_players = len(game.players)
        if not n_players:
            return
        waiting = self._waiting.setdefault(n_players, [])
        waiting.append((game, answer))
        if len(waiting) >= self.most:
            self._play(self._waiting.pop(n_players))

    def close(self) -> None:
        """Play what is left."""
        for waiting in self._waiting.values():
            self._play(waiting)
        for _, total in sorted(self._totals.items()):
            self.out += total
        self._waiting, self._totals = {}, {}

    def _play(self, games: list[tuple[Product, Floats]]) -> None:
        n_games, n_rows, n_players = len(games), len(self.out), len(games[0][0].players)
        inside, outside = np.empty((2, n_players, n_games, n_rows))
        for k, (game, _) in enumerate(games):
            for player, factors in enumerate(game.players.values()):
                inside[player, k], outside[player, k] = factors
        flat = (n_players, n_games * n_rows)
        values = shapley(inside.reshape(flat), outside.reshape(flat)).reshape(inside.shape)
        values *= np.stack([np.broadcast_to(game.scale, n_rows) for game, _ in games])
        answers = np.stack([answer for _, answer in games])
        places = np.array([[self.places[column] for column in game.players] for game, _ in games])
        total = self._totals.setdefault(n_players, np.zeros_like(self.out))
        for column in np.unique(places).tolist():  # few columns, each with the games it plays in
            which, seat = np.nonzero(places == column)
            added = values[seat, which][:, :, None] * answers[which][:, None, :]
            added[0] += total[:, column]
            total[:, column] = np.add.accumulate(added, axis=0)[-1]


_MOST_TERMS = 4096

Factor = Floats | float  # of each row, or of all rows
Factors = tuple[Factor, Factor]  # inside of S, and outside


@dataclass(frozen=True)
class Product:
    """A product game for each row: `scale` times the factors of the players, inside or outside of S."""

    scale: Factor
    players: dict[int, Factors]

    def times(self, column: int, inside: Factor, outside: Factor) -> Product:
        """The game in which a player's factors are multiplied by others."""
        was_in, was_out = self.players.get(column, (1.0, 1.0))
        return Product(self.scale, self.players | {column: (was_in * inside, was_out * outside)})


@dataclass(frozen=True)
class LeafPath:
    """The factors on the way to a node: of tests on one column, and of tests on several."""

    node: int
    singles: dict[int, Factors]
    groups: dict[tuple[int, ...], Factors]

    def products(self) -> list[Product]:
        """The weight of the node as a sum of product games."""
        if not self.groups:
            return [Product(1.0, self.singles)]
        products = []
        for needed, scale in self._terms().items():
            players = dict(self.singles)
            for column in needed:
                players[column] = (players[column][0] if column in players else 1.0, 0.0)
            products.append(Product(scale, players))
        return products

    def _terms(self) -> dict[frozenset[int], Factor]:
        """The columns that products need, and their scales."""
        terms: dict[frozenset[int], Factor] = {frozenset(): 1.0}
        for columns, (inside, outside) in self.groups.items():
            grown: dict[frozenset[int], Factor] = {}
            for needed, scale in terms.items():
                for key, factor in ((needed, outside), (needed | set(columns), inside - outside)):
                    grown[key] = grown.get(key, 0.0) + scale * factor
            terms = {key: scale for key, scale in grown.items() if np.any(scale)}
            if len(terms) > _MOST_TERMS:
                raise ValueError(
                    f"the way to leaf {self.node} has {len(self.groups)} tests on different sets of several"
                    f" columns, which takes more than {_MOST_TERMS} products: a shallower tree (max_depth) or"
                    " one whose tests take one column has Shapley values that can be computed"
                )
        return terms


def leaf_paths(
    tree: Tree, followed: FollowedRows, share: Floats, *, together: bool = True
) -> Iterator[LeafPath]:
    """The way to every leaf, from left to right.

    With `together=False` a row that goes several ways at a test whose columns are known weighs nothing
    below: what is left of a leaf is what no such test has a part in.
    """
    waiting = [LeafPath(0, {}, {})]
    while waiting:
        path = waiting.pop()
        if tree.kind[path.node] == LEAF:
            yield path
            continue
        for child in reversed(tree.children(path.node)):
            part = followed.part[child]
            if not together:
                part = np.where(followed.parting[path.node], 0.0, part)
            singles, groups = dict(path.singles), dict(path.groups)
            for deciding in followed.deciding[path.node]:
                inside: Factor = part
                outside: Factor = float(share[child])
                if deciding.rows is not None:
                    inside, outside = (np.where(deciding.rows, x, 1.0) for x in (inside, outside))
                single = len(deciding.columns) == 1
                into: dict[Any, Factors] = singles if single else groups
                key = deciding.columns[0] if single else deciding.columns
                was = into.get(key)
                into[key] = (inside, outside) if was is None else (was[0] * inside, was[1] * outside)
            waiting.append(LeafPath(child, singles, groups))
