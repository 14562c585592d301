"""Products: the way to one leaf as a sum of product games, one player for each column that decides on it.

One idea: what is known of a row, the columns S, follows a test if all columns that decide there are in S;
else it takes every branch with its share of the training weight. So the weight of a leaf is

    product over the tests on the way of   part  if the test's columns are in S,  share  if not.

Tests of the same columns multiply. For one column that is a factor of its player already. For several
columns C it is ``share + (part - share) * [all of C in S]``, two products, the second of which is 0 unless
all of C is there; products that need the same columns are added up, so a path of tests on the same columns
has two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hornbeam.arrays import Floats
from hornbeam.reading.shapley.following import Followed
from hornbeam.reading.shapley.games import shapley
from hornbeam.tree import Tree

_MOST_TERMS = 4096


@dataclass(frozen=True)
class Product:
    """A product game for each row: `scale` times the factors of the players, inside or outside of S."""

    scale: Floats
    players: dict[int, tuple[Floats, Floats]]

    def times(self, column: int, inside: Floats, outside: Floats) -> Product:
        """The game in which a player's factors are multiplied by others."""
        one = np.ones(len(self.scale))
        was_in, was_out = self.players.get(column, (one, one))
        return Product(self.scale, self.players | {column: (was_in * inside, was_out * outside)})

    def values(self) -> Iterator[tuple[int, Floats]]:
        """The players with their Shapley values, an array over the rows each."""
        if self.players:
            inside, outside = (np.stack(factors) for factors in zip(*self.players.values(), strict=True))
            yield from zip(self.players, shapley(inside, outside) * self.scale, strict=True)


def products(
    tree: Tree, leaf: int, found: Followed, share: Floats, *, together: bool = True
) -> list[Product]:
    """The weight of a leaf as a sum of product games.

    With `together=False` a row that goes several ways at a test whose columns are known weighs nothing below:
    what is left of the leaf is what no such test has a part in.
    """
    singles, groups = _grouped(tree, leaf, found, share, together=together)
    n_rows = found.part.shape[1]
    terms: dict[frozenset[int], Floats] = {frozenset(): np.ones(n_rows)}
    for columns, (inside, outside) in groups.items():
        step = inside - outside
        grown: dict[frozenset[int], Floats] = {}
        for needed, scale in terms.items():
            for key, factor in ((needed, outside), (needed | set(columns), step)):
                added = scale * factor
                grown[key] = grown[key] + added if key in grown else added
        terms = {key: scale for key, scale in grown.items() if scale.any()}
        if len(terms) > _MOST_TERMS:
            raise ValueError(
                f"the way to leaf {leaf} has {len(groups)} tests on different sets of several columns, which"
                f" takes more than {_MOST_TERMS} products: a shallower tree (max_depth) or one whose tests"
                " take one column has Shapley values that can be computed"
            )
    one, zero = np.ones(n_rows), np.zeros(n_rows)
    return [
        Product(scale, {
            column: (singles[column][0] if column in singles else one,
                     zero if column in needed else singles[column][1])
            for column in sorted(singles.keys() | needed)
        })
        for needed, scale in terms.items()
    ]  # fmt: skip


Factors = tuple[Floats, Floats]


def _grouped(
    tree: Tree, leaf: int, found: Followed, share: Floats, *, together: bool
) -> tuple[dict[int, Factors], dict[tuple[int, ...], Factors]]:
    """The factors of the tests on one column, and of those on several, inside and outside of S."""
    singles: dict[int, Factors] = {}
    groups: dict[tuple[int, ...], Factors] = {}
    path = tree.path(leaf)
    for node, child in pairwise(path):
        part = found.part[child] if together else np.where(found.parting[node], 0.0, found.part[child])
        for deciding in found.deciding[node]:
            inside, outside = part, np.full(len(part), share[child])
            if deciding.rows is not None:
                inside, outside = (np.where(deciding.rows, x, 1.0) for x in (inside, outside))
            single = len(deciding.columns) == 1
            into: dict[Any, Factors] = singles if single else groups
            key = deciding.columns[0] if single else deciding.columns
            known = into.get(key)
            into[key] = (inside, outside) if known is None else (known[0] * inside, known[1] * outside)
    return singles, groups
