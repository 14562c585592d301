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

from hornbeam._base.types import Bools
from hornbeam.teaching.boolean.covers import CoverTooLargeError, cheapest_cover
from hornbeam.teaching.boolean.cubes import FREE, digits, implicants
from hornbeam.teaching.boolean.truth_formulas import Formula
from hornbeam.teaching.boolean.truth_table import TruthTable
from hornbeam.teaching.boolean.truth_table_sources import truth_table

MOST_MINIMAL = 10  # variables

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
        found = np.zeros(n_rows, dtype=np.bool_)
        for term in self.terms:
            found |= np.logical_and.reduce(
                [np.ones(n_rows, dtype=np.bool_), *(columns[n] == v for n, v in term)]
            )
        return found

    def table(self) -> TruthTable:
        """Its truth table."""
        return truth_table(Formula(str(self)).text, self.variables)


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
    cubes = [digits(cube, n) for cube in np.flatnonzero(implicants(truth)[1]).tolist()]
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
