"""Disjunctive normal forms of truth tables: `(X1 AND NOT X2) OR (NOT X1 AND X2)`.

One idea: a term is a subcube inside the function. The canonical form has a term for each satisfying
assignment; the minimal one covers them with the fewest of the largest subcubes, the prime implicants (Quine
1952, McCluskey 1956).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from hornbeam._base.types import Bools
from hornbeam.teaching.boolean.truth_table import TruthTable, truth_table

MOST_MINIMAL = 10  # variables
FREE = 2  # a subcube has a digit for each variable: 0, 1, or 2 where it is free

Term = tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class DNF:
    """A disjunctive normal form: true where one of its terms is.

    Attributes
    ----------
    variables : tuple of str
    terms : tuple of terms
        A term is a tuple of (variable, whether it must be true).

    Examples
    --------
    >>> form = dnf("X1 != X2")
    >>> print(form)
    (X1 AND NOT X2) OR (NOT X1 AND X2)
    >>> form.expression
    '(X1 and not X2) or (not X1 and X2)'
    >>> form(X1=True, X2=False)
    True
    """

    variables: tuple[str, ...]
    terms: tuple[Term, ...]

    @property
    def n_terms(self) -> int:
        """The number of terms."""
        return len(self.terms)

    @property
    def n_literals(self) -> int:
        """The number of variables in all terms together."""
        return sum(map(len, self.terms))

    @property
    def expression(self) -> str:
        """The same in the closed expression language, which trees and formulas use."""
        return self._text(" and ", " or ", "not ", ("False", "True"))

    def __str__(self) -> str:
        return self._text(" AND ", " OR ", "NOT ", ("FALSE", "TRUE"))

    def _text(self, both: str, either: str, no: str, constants: tuple[str, str]) -> str:
        if not self.terms or not self.terms[0]:
            return constants[bool(self.terms)]
        texts = []
        for term in self.terms:
            literals = [("" if is_true else no) + _quoted(name) for name, is_true in term]
            texts.append(f"({both.join(literals)})" if len(literals) > 1 else literals[0])
        return either.join(texts)

    def __call__(self, **values: Any) -> bool:
        """The truth for one assignment, given by name."""
        return bool(self.table()(**values))

    def evaluate(self, X: Any) -> Bools:
        """The truth on each row of a table with a column of truth values, or 0 and 1, for each variable.

        >>> dnf("A and not B").evaluate({"A": [1, 1], "B": [1, 0]})
        array([False,  True])
        """
        columns = {name: _truths(X, name) for name in self.variables}
        n_rows = len(next(iter(columns.values())))
        truth = np.zeros(n_rows, dtype=np.bool_)
        for term in self.terms:
            literals = [columns[name] == is_true for name, is_true in term]
            truth |= np.logical_and.reduce([np.ones(n_rows, dtype=np.bool_), *literals])
        return truth

    def table(self) -> TruthTable:
        """Its truth table."""
        return truth_table(str(self), self.variables)


def dnf(
    function: Any, variables: Sequence[str] | None = None, *, value: Any = True, minimal: bool = True
) -> DNF:
    """The disjunctive normal form of a function of Boolean variables.

    Parameters
    ----------
    function, variables : as in `truth_table`
    value : the output the form is to tell; for a function of labels, one of them
    minimal : bool
        True: the fewest terms, of these the fewest literals, exactly; for up to 10 variables. False: the
        canonical form, a term of all variables for each assignment with that output.

    Returns
    -------
    DNF
        `str(form)` is its text; `form.evaluate(X)` and `form(A=1, B=0)` evaluate it.

    Examples
    --------
    >>> print(dnf("(A or B) and C"))
    (A AND C) OR (B AND C)
    >>> print(dnf("(A or B) and C", minimal=False))
    (NOT A AND B AND C) OR (A AND NOT B AND C) OR (A AND B AND C)
    >>> print(dnf({(0, 0): "low", (0, 1): "mid", (1, 0): "mid", (1, 1): "high"}, value="low"))
    (NOT X1 AND NOT X2)
    """
    table = truth_table(function, variables)
    truth = table.where(value)
    n = len(table.variables)
    if not minimal:
        terms = [tuple(row >> (n - 1 - k) & 1 for k in range(n)) for row in np.flatnonzero(truth).tolist()]
    else:
        terms = _minimal_terms(truth, n)
    return DNF(table.variables, tuple(_term(table.variables, term) for term in terms))


def _term(variables: Sequence[str], cube: Sequence[int]) -> Term:
    return tuple((name, digit == 1) for name, digit in zip(variables, cube, strict=True) if digit != FREE)


def _minimal_terms(truth: Bools, n: int) -> list[tuple[int, ...]]:
    """The subcubes of a minimal form; those that begin with a variable, true before false, come first."""
    if n > MOST_MINIMAL:
        raise ValueError(
            f"the function has {n} variables, but a minimal form is searched for up to {MOST_MINIMAL}: use"
            " minimal=False, or leave out variables that do not matter"
        )
    rows = np.flatnonzero(truth).tolist()
    if not rows:
        return []
    cubes = [tuple(cube) for cube in np.argwhere(_prime_implicants(truth, n)).tolist()]
    cubes.sort(key=lambda cube: tuple((1, 0, 2).index(digit) for digit in cube))
    bit = {row: 1 << k for k, row in enumerate(rows)}
    sets = [sum(bit[row] for row in _rows_of(cube)) for cube in cubes]
    prices = [2 * n * len(rows) + sum(digit != FREE for digit in cube) for cube in cubes]
    try:
        return [cubes[k] for k in cheapest_cover(sets, prices, len(rows))]
    except CoverTooLargeError:
        raise ValueError(
            f"the minimal form of this function of {n} variables, a choice among {len(cubes):,} prime"
            " implicants, takes too long to prove: use minimal=False, or fewer variables"
        ) from None


def _prime_implicants(truth: Bools, n: int) -> Bools:
    """Which subcubes lie inside the function and in no larger one that does, by their digits."""
    inside = truth.reshape((2,) * n)
    for axis in range(n):
        inside = np.concatenate([inside, inside.all(axis=axis, keepdims=True)], axis=axis)
    prime = inside.copy()
    for axis in range(n):
        fixed = [slice(None)] * n
        fixed[axis] = slice(0, FREE)
        prime[tuple(fixed)] &= ~np.take(inside, [FREE], axis=axis)
    return prime


def _rows_of(cube: Sequence[int]) -> list[int]:
    rows = [0]
    for digit in cube:
        rows = [2 * row + b for row in rows for b in ((0, 1) if digit == FREE else (digit,))]
    return rows


def _quoted(name: str) -> str:
    return name if name.isidentifier() else f"`{name}`"


def _truths(X: Any, name: str) -> Bools:
    try:
        column = np.asarray(X[name])
    except (KeyError, IndexError, TypeError, ValueError):
        raise ValueError(f"X has no column {name!r}: it needs one for each variable of the form") from None
    if column.dtype.kind not in "biuf" or not np.isin(column, (0, 1)).all():
        raise ValueError(f"column {name!r} must hold truth values, or 0 and 1")
    return column.astype(np.bool_)


# ---- the cheapest cover ----------------------------------------------------------------------------------
#
# As few sets as possible that together hold every element, exactly: shrink first, then guess. An element that
# only one set holds decides for that set; an element whose sets are all sets of another is covered with it; a
# set inside another that costs no more is never needed. Only when none of this applies, the element with the
# fewest sets is tried with each of them. Elements no two of which share a set need a set each: a lower bound.
# Where that takes too many guesses, what is left after shrinking goes to the integer programme of scipy.


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
    search, every = _CoverSearch(sets, prices), (1 << n_elements) - 1
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
    solution = milp(
        np.array([prices[s] for s in usable], dtype=np.float64),
        constraints=LinearConstraint(holds, 1, np.inf),
        integrality=np.ones(len(usable)),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0.0, "node_limit": _MAX_NODES, "time_limit": _MAX_SECONDS},
    )
    if solution.status != 0:
        raise CoverTooLargeError
    return [s for s, share in zip(usable, solution.x.tolist(), strict=True) if share > 0.5]


class _CoverSearch:
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
        bits = [1 << k for k in range(open_.bit_length()) if open_ >> k & 1]
        return [(bit, [s for s in usable if self.sets[s] & bit]) for bit in bits]

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
        outer: list[tuple[int, int, int]] = []
        for part, price, s in parts:
            if not any(part & ~other == 0 and cost <= price for other, cost, _ in outer):
                outer.append((part, price, s))
        return sorted(s for _, _, s in outer)

    def _easy_elements(self, holders: list[tuple[int, list[int]]]) -> int:
        """Elements covered as soon as another one is."""
        masks = sorted(
            ((sum(1 << s for s in sets), bit) for bit, sets in holders),
            key=lambda pair: (pair[0].bit_count(), pair[1]),
        )
        easy, needed = 0, list[int]()
        for mask, bit in masks:
            if any(other & ~mask == 0 for other in needed):
                easy |= bit
            else:
                needed.append(mask)
        return easy
