"""Sums: tests of a weighted sum, whether of numbers alone or with marks for values of other columns.

One idea: a hyperplane and an expression such as `x + 2 * (colour == 'red') <= 3` ask the same question, so
both are read into one record: a weight for each number, a weight for each category, and the threshold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hornbeam.tree.arrays import HYPERPLANE
from hornbeam.tree.expressions.formulas import FormulaPart
from hornbeam.tree.expressions.language import formula_of
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class WeightedSum:
    """A sum that leads to the first branch where it is at most `threshold`, else to the second.

    Attributes
    ----------
    numbers : column -> weight, in the order in which they are added up
    marks : column of categories -> code -> weight
    threshold : float
    """

    numbers: dict[int, float] = field(default_factory=dict)
    marks: dict[int, dict[int, float]] = field(default_factory=dict)
    threshold: float = 0.0

    def terms(self, values: Mapping[int, float]) -> list[float]:
        """What each column adds, for the numbers and codes of a row."""
        products = [weight * values[column] for column, weight in self.numbers.items()]
        return products + [weights.get(int(values[column]), 0.0) for column, weights in self.marks.items()]

    def at(self, values: Mapping[int, float]) -> float:
        """The sum of a row."""
        total = 0.0
        for term in self.terms(values):
            total += term
        return total


def weighted_sum(tree: Tree, node: int) -> WeightedSum | None:
    """The sum a node tests; None for an expression that is not one.

    >>> nested = {"expression": "x - 2 * (c == 'u') <= 3", "yes": "a", "no": "b"}
    >>> weighted_sum(Tree.from_nested(nested), 0)
    WeightedSum(numbers={0: 1.0}, marks={1: {0: -2.0}}, threshold=3.0)
    """
    if tree.kind[node] == HYPERPLANE:
        return WeightedSum(dict(tree.plane(node)), {}, float(tree.threshold[node]))
    formula, reader = formula_of(tree, node), _SumReader(tree)
    if formula.kind in ("among", "not"):  # true where the mark is above a half
        is_sum = reader.add(FormulaPart("counted", (formula,)), -1.0)
        return WeightedSum(reader.numbers, reader.marks, -0.5) if is_sum else None
    if (
        formula.kind != "LtE"
        or not reader.add(formula.parts[0], 1.0)
        or not reader.add(formula.parts[1], -1.0)
    ):
        return None
    return WeightedSum(reader.numbers, reader.marks, -reader.constant)


class _SumReader:
    """Adds up the parts of a formula as long as they are weighted numbers and marks."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.numbers: dict[int, float] = {}
        self.marks: dict[int, dict[int, float]] = {}
        self.constant = 0.0

    def add(self, part: FormulaPart, weight: float) -> bool:
        """Whether the part is a sum; if so it has been added."""
        match part.kind:
            case "number":
                self.constant += weight * float(part.value)
            case "column":
                self.numbers[part.value] = self.numbers.get(part.value, 0.0) + weight
            case "negative":
                return self.add(part.parts[0], -weight)
            case "Add" | "Sub":
                sign = 1.0 if part.kind == "Add" else -1.0
                return self.add(part.parts[0], weight) and self.add(part.parts[1], sign * weight)
            case "Mult":
                first, second = part.parts
                if _constant(first) is None:
                    first, second = second, first
                factor = _constant(first)
                return factor is not None and self.add(second, weight * factor)
            case "counted":
                return self._mark(part.parts[0], weight)
            case _:
                return False
        return True

    def _mark(self, truth: FormulaPart, weight: float) -> bool:
        inside = truth.kind == "among"
        if not inside and (truth.kind != "not" or truth.parts[0].kind != "among"):
            return False
        column, codes = (truth if inside else truth.parts[0]).value
        weights = self.marks.setdefault(column, {})
        for code in range(len(self.tree.columns[column].categories)):
            if (code in codes) == inside:
                weights[code] = weights.get(code, 0.0) + weight
        return True


def _constant(part: FormulaPart) -> float | None:
    """The number that a part is, if it is one."""
    if part.kind == "number":
        return float(part.value)
    inner = _constant(part.parts[0]) if part.kind == "negative" else None
    return None if inner is None else -inner
