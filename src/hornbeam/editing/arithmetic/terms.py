"""Terms: the pieces of a calculation as text and as plain values.

One idea: a decrease is one potential minus others, each times its share of the rows; the same pieces are
written with letters, with numbers, and as data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hornbeam._base.types import Floats
from hornbeam.editing.arithmetic.split_measures import Parts
from hornbeam.tree.words import amount, count

_WHOLE = "T"  # all rows judged, where a branch is called by its answer


def four(x: float) -> str:
    """A number of a calculation: four decimals, 0 as such; of large ones two, then none.

    >>> four(0.24674982), four(0.0), four(5929.8849), four(12345678.9)
    ('0.2467', '0', '5929.88', '12345679')
    """
    if x == 0 or not math.isfinite(x):
        return "0" if x == 0 else str(x)
    return f"{x:.4f}" if abs(x) < 1000 else f"{x:.2f}" if abs(x) < 1e6 else amount(x)


def number(x: float) -> str:
    """A weight: whole numbers as such, others with up to three decimals.

    >>> number(5.0), number(2.384615)
    ('5', '2.385')
    """
    return count(round(x, 3))


def fraction(x: float) -> str:
    """Degrees of freedom, which weights make no whole number."""
    return number(x)


def own_terms(sizes: Sequence[float], total: float) -> tuple[str, list[list[float]]]:
    """An entropy written out, and its shares: numerators and denominators.

    >>> own_terms([9.0, 5.0], 14.0)[0]
    '−9/14·log2(9/14) − 5/14·log2(5/14)'
    """
    filled = [size for size in sizes if size > 0]
    if len(filled) < 2:
        return "0", [[size, total] for size in filled]
    parts = [f"{number(size)}/{number(total)}" for size in filled]
    return "−" + " − ".join(f"{p}·log2({p})" for p in parts), [[size, total] for size in filled]


@dataclass(frozen=True)
class Sum:
    """A decrease: `whole` minus each of the branches' potentials times its share."""

    name: str
    letter: str
    unit: str
    names: tuple[str, ...]  # of all rows, then of the branches
    shares: tuple[tuple[float, float], ...]  # of the branches: weight, weight of all
    values: tuple[float, ...]  # potentials of all rows, then of the branches
    total: float
    share: float  # of the rows judged
    inside: tuple[tuple[str, list[list[float]]], ...]  # of each potential: written out, and its terms

    def line(self) -> str:
        """The calculation on one line."""
        if not self.values:
            return f"{self.name} = {four(self.total)}"
        parts = [f"{number(w)}/{number(n)}" for w, n in self.shares]
        letters = [self.names[0]] + [f"{p}·{name}" for p, name in zip(parts, self.names[1:], strict=True)]
        numbers = [four(self.values[0])]
        numbers += [four(w / n * v) for (w, n), v in zip(self.shares, self.values[1:], strict=True)]
        first, second = " − ".join(letters), " − ".join(numbers)
        if self.share < 1:
            first, second = f"{four(self.share)}·[{first}]", f"{four(self.share)}·[{second}]"
        return f"{self.name} = {first} = {second} = {four(self.total)}{self.unit}"

    def details(self) -> list[str]:
        """Each potential written out, where it has a formula of shares."""
        pairs = zip(self.names, self.inside, self.values, strict=True) if self.inside else ()
        return [
            f"{name} = {four(value)}{self.unit}"
            if text == "0"
            else f"{name} = {text} = {four(value)}{self.unit}"
            for name, (text, _), value in pairs
        ]

    def plain(self) -> list[dict[str, Any]]:
        """The same as plain values."""
        unit = self.unit.strip()
        found: list[dict[str, Any]] = []
        for place, (name, value) in enumerate(zip(self.names, self.values, strict=True)):
            term: dict[str, Any] = {"name": name, "value": value, "unit": unit}
            if self.inside and self.inside[place][1]:
                term["terms"] = self.inside[place][1]
            found.append(term)
        parts = [f"-{number(w)}/{number(n)}" for w, n in self.shares]
        whole = {
            "name": self.name,
            "sum": [[name, factor] for name, factor in zip(self.names, [1, *parts], strict=False)],
            "value": self.total,
            "unit": unit,
        }
        return [*found, whole | ({"times": self.share} if self.share < 1 else {})]


def pieces(
    parts: Parts, answers: Sequence[str], name: str, letter: str, unit: str, whole: float, each: Floats
) -> Sum:
    """The decrease of a potential whose values are known."""
    weights, known = parts.weights.tolist(), parts.known
    values = (whole, *map(float, each))
    mean = math.fsum(w * v for w, v in zip(weights, values[1:], strict=True)) / known
    total = parts.share * max(whole - mean, 0.0)
    shares = tuple((w, known) for w in weights)
    if parts.is_real:
        names = (f"{letter}({_WHOLE})", *(f"{letter}({answer})" for answer in answers))
        spreads = tuple((text, list[list[float]]()) for text in _spreads(parts, letter))
        return Sum(name, letter, unit, names, shares, values, total, parts.share, spreads)
    groups = [parts.stats.sum(axis=0).tolist(), *parts.stats.tolist()]
    names = tuple(f"{letter}({','.join(map(number, group))})" for group in groups)
    inside = tuple(_written(letter, group) for group in groups)
    return Sum(name, letter, unit, names, shares, values, total, parts.share, inside)


def _spreads(parts: Parts, letter: str) -> list[str]:
    """A spread written out for all rows and for each branch; none for one that is no mean of squares."""
    if letter not in ("S", "Var"):
        return []
    rows = [parts.stats.sum(axis=0), *parts.stats]
    found = []
    for weight, total in ((float(row[0]), float(row[1])) for row in rows):
        text = f"Σ(y − {amount(parts.center + total / weight)})²/{number(weight)}"
        found.append(f"√({text})" if letter == "S" else text)
    return found


def _written(letter: str, group: list[float]) -> tuple[str, list[list[float]]]:
    """A potential of class weights written out."""
    total = math.fsum(group)
    terms = [[weight, total] for weight in group]
    shares = [f"{number(weight)}/{number(total)}" for weight in group]
    if letter == "H":
        return own_terms(group, total)
    if letter == "G":
        return "1 − " + " − ".join(f"({share})²" for share in shares), terms
    if letter == "R":
        return "½·(" + " + ".join(f"√({share}·(1−{share}))" for share in shares) + ")", terms
    return f"1 − max({', '.join(shares)})", terms
