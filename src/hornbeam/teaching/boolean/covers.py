"""The cheapest cover: as few sets as possible that together hold every element, exactly.

One idea: shrink first, then guess. An element that only one set holds decides for that set; an element whose
sets are all sets of another is covered with it; a set inside another that costs no more is never needed. Only
when none of this applies, the element with the fewest sets is tried with each of them. Elements no two of
which share a set need a set each: a lower bound. Where that takes too many guesses, what is left after
shrinking goes to the integer programme of scipy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

_MAX_GUESSES = 300
_MAX_NODES, _MAX_SECONDS = 20_000, 60.0  # of the integer programme


class CoverTooLargeError(Exception):
    """The cover was not found within the work allowed."""


class _ManyGuessesError(Exception):
    pass


def cheapest_cover(sets: Sequence[int], prices: Sequence[int], n_elements: int) -> list[int]:
    """The numbers of the sets of a cover of least price, ascending.

    Sets are bit masks of elements 0 to n_elements - 1; together they hold all of these.

    >>> cheapest_cover([0b011, 0b110, 0b100], [1, 1, 1], 3)
    [0, 1]
    """
    search, every = _Search(sets, prices), (1 << n_elements) - 1
    try:
        search.run(every, list(range(len(sets))), [], 0)
    except _ManyGuessesError:
        open_, usable, forced = search.shrink(every, list(range(len(sets))))
        return sorted(forced + _programme(sets, prices, open_, usable))
    assert search.best is not None
    return sorted(search.best)


def _programme(sets: Sequence[int], prices: Sequence[int], open_: int, usable: list[int]) -> list[int]:
    """The cheapest of the usable sets that cover the open elements, by branch and cut."""
    elements = [k for k in range(open_.bit_length()) if open_ >> k & 1]
    holds = np.array([[sets[s] >> k & 1 for s in usable] for k in elements], dtype=np.float64)
    found = milp(
        np.array([prices[s] for s in usable], dtype=np.float64),
        constraints=LinearConstraint(holds, 1, np.inf),
        integrality=np.ones(len(usable)),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0.0, "node_limit": _MAX_NODES, "time_limit": _MAX_SECONDS},
    )
    if found.status != 0:
        raise CoverTooLargeError
    return [s for s, share in zip(usable, found.x.tolist(), strict=True) if share > 0.5]


class _Search:
    def __init__(self, sets: Sequence[int], prices: Sequence[int]) -> None:
        self.sets, self.prices = sets, prices
        self.left = _MAX_GUESSES
        self.best: list[int] | None = None
        self.best_price = sum(prices) + 1

    def run(self, open_: int, usable: list[int], chosen: list[int], price: int) -> None:
        """Complete a partial cover in every way that may be cheaper than the best."""
        open_, usable, forced = self.shrink(open_, usable)
        chosen = chosen + forced
        price += sum(self.prices[s] for s in forced)
        if price >= self.best_price:
            return
        if not open_:
            self.best, self.best_price = chosen, price
            return
        holders = self._holders(open_, usable)
        if price + self._least(holders) >= self.best_price:
            return
        self.left -= 1
        if self.left < 0:
            raise _ManyGuessesError
        _, sets = min(holders, key=lambda pair: (len(pair[1]), pair[0]))
        sets = sorted(sets, key=lambda s: (-(self.sets[s] & open_).bit_count(), self.prices[s], s))
        for k, s in enumerate(sets):
            tried = set(sets[:k])  # a cover with one of these has been looked at
            rest = [t for t in usable if t != s and t not in tried]
            self.run(open_ & ~self.sets[s], rest, [*chosen, s], price + self.prices[s])

    def _holders(self, open_: int, usable: list[int]) -> list[tuple[int, list[int]]]:
        """Each open element with the sets that hold it."""
        found = []
        rest = open_
        while rest:
            bit = rest & -rest
            rest ^= bit
            found.append((bit, [s for s in usable if self.sets[s] & bit]))
        return found

    def _least(self, holders: list[tuple[int, list[int]]]) -> int:
        """A lower bound: the cheapest set of each of some elements no two of which share a set."""
        total, blocked = 0, set[int]()
        for _, sets in sorted(holders, key=lambda pair: (len(pair[1]), pair[0])):
            if blocked.isdisjoint(sets):
                blocked.update(sets)
                total += min((self.prices[s] for s in sets), default=self.best_price)
        return total

    def shrink(self, open_: int, usable: list[int]) -> tuple[int, list[int], list[int]]:
        """What is left when nothing can be decided without a guess; and the sets decided for."""
        forced: list[int] = []
        while open_:
            usable = self._without_inner_sets(open_, usable)
            holders = self._holders(open_, usable)
            only = next((sets[0] for _, sets in holders if len(sets) == 1), None)
            if only is not None:
                forced.append(only)
                usable = [s for s in usable if s != only]
                open_ &= ~self.sets[only]
                continue
            easy = self._easy_elements(holders)
            if not easy:
                break
            open_ &= ~easy
        return open_, usable, forced

    def _without_inner_sets(self, open_: int, usable: list[int]) -> list[int]:
        """Leave out what holds nothing open, or no more than a set that costs no more."""
        parts = [(self.sets[s] & open_, self.prices[s], s) for s in usable]
        parts = sorted((p for p in parts if p[0]), key=lambda p: (-p[0].bit_count(), p[1], p[2]))
        kept: list[tuple[int, int, int]] = []
        for part, price, s in parts:
            if not any(part & ~other == 0 and cost <= price for other, cost, _ in kept):
                kept.append((part, price, s))
        return sorted(s for _, _, s in kept)

    def _easy_elements(self, holders: list[tuple[int, list[int]]]) -> int:
        """Elements covered as soon as another one is."""
        masks = sorted(
            ((sum(1 << s for s in sets), bit) for bit, sets in holders),
            key=lambda pair: (pair[0].bit_count(), pair[1]),
        )
        easy, kept = 0, list[int]()
        for mask, bit in masks:
            if any(other & ~mask == 0 for other in kept):
                easy |= bit
            else:
                kept.append(mask)
        return easy
