"""Games that are products over their players, and their Shapley values.

One idea: in the game v(S) = product of `inside[i]` over the players i of S times `outside[j]` over the
others, the Shapley value of player i is an integral over the share u of players that are there already (Owen
1972)::

    phi_i = (inside_i - outside_i) * integral from 0 to 1 of
            the product over j != i of (outside_j (1 - u) + inside_j u)  du

The integrand is a polynomial in u of degree p - 1 for p players, so Gauss and Legendre's ceil(p / 2) points
give the integral exactly. Nothing cancels: factors between 0 and 1 stay there.

References
----------
Owen, G. (1972). Multilinear extensions of games. Management Science 18, 64-79.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from hornbeam._base.types import Floats


@lru_cache(maxsize=64)
def _points(n: int) -> tuple[Floats, Floats]:
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
    found = np.zeros(np.broadcast_shapes(inside.shape, outside.shape))
    step = inside - outside
    for u, weight in zip(*_points((n_players + 1) // 2), strict=True):
        mixed = outside + u * step
        others = np.empty_like(mixed)  # the product of all rows but one's own: those before, those after
        others[0] = 1.0
        np.cumprod(mixed[:-1], axis=0, out=others[1:])
        after = np.cumprod(mixed[:0:-1], axis=0)[::-1]
        others[:-1] *= after
        found += weight * others
    found *= step
    return found
