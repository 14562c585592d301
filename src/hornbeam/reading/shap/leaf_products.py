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
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.reading.shap.branch_shares import Followed
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree

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
class Way:
    """The factors on the way to a node: of tests on one column, and of tests on several."""

    node: int
    singles: dict[int, Factors]
    groups: dict[tuple[int, ...], Factors]

    def products(self) -> list[Product]:
        """The weight of the node as a sum of product games."""
        if not self.groups:
            return [Product(1.0, self.singles)]
        found = []
        for needed, scale in self._terms().items():
            players = dict(self.singles)
            for column in needed:
                players[column] = (players[column][0] if column in players else 1.0, 0.0)
            found.append(Product(scale, players))
        return found

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


def ways(tree: Tree, found: Followed, share: Floats, *, together: bool = True) -> Iterator[Way]:
    """The way to every leaf, from left to right.

    With `together=False` a row that goes several ways at a test whose columns are known weighs nothing
    below: what is left of a leaf is what no such test has a part in.
    """
    waiting = [Way(0, {}, {})]
    while waiting:
        way = waiting.pop()
        if tree.kind[way.node] == LEAF:
            yield way
            continue
        for child in reversed(tree.children(way.node)):
            part = found.part[child]
            if not together:
                part = np.where(found.parting[way.node], 0.0, part)
            singles, groups = dict(way.singles), dict(way.groups)
            for deciding in found.deciding[way.node]:
                inside: Factor = part
                outside: Factor = float(share[child])
                if deciding.rows is not None:
                    inside, outside = (np.where(deciding.rows, x, 1.0) for x in (inside, outside))
                single = len(deciding.columns) == 1
                into: dict[Any, Factors] = singles if single else groups
                key = deciding.columns[0] if single else deciding.columns
                was = into.get(key)
                into[key] = (inside, outside) if was is None else (was[0] * inside, was[1] * outside)
            waiting.append(Way(child, singles, groups))
