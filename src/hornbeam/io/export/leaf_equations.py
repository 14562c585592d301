"""Equations and boxes: what leaves answer beyond a constant, for other languages.

One idea: an equation is written in the order in which it is added up, intercept first, then term by term, so
that another language rounds as `predict` does. A density is its leaf's number inside one box, 0 outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class EquationTerm:
    """One term: coefficient * (x - center) ** power; of power 0 the coefficient if the code is in `codes`.

    `column` is its number in the tree, `gap` what is added where its value is missing or was never seen.
    """

    column: int
    power: int
    center: float
    coefficient: float
    gap: float
    codes: tuple[int, ...]


@dataclass(frozen=True)
class Equation:
    """intercept + the terms in order, kept between `low` and `high`."""

    intercept: float
    low: float
    high: float
    terms: tuple[EquationTerm, ...]


@dataclass(frozen=True)
class Side:
    """One side of the box of a density: an interval of a numeric column, or all known values of another."""

    column: int
    low: float | None
    high: float | None


def equation_of(tree: Tree, node: int) -> Equation | None:
    """The equation of a node, None if it answers a constant.

    >>> tree = Tree.from_nested({"value": 3.0, "model": {"intercept": 3.5}}, task="real")
    >>> equation_of(tree, 0)
    Equation(intercept=3.5, low=-inf, high=inf, terms=())
    """
    m = int(tree.model_offset[node])
    if m == tree.model_offset[node + 1]:
        return None
    span = range(int(tree.term_offset[m]), int(tree.term_offset[m + 1]))
    bounds = float(tree.model_low[m]), float(tree.model_high[m])
    return Equation(float(tree.model_intercept[m]), *bounds, tuple(_term(tree, t) for t in span))


def _term(tree: Tree, t: int) -> EquationTerm:
    codes = tree.member_code[int(tree.member_offset[t]) : int(tree.member_offset[t + 1])].tolist()
    numbers = (float(a[t]) for a in (tree.term_center, tree.term_coefficient, tree.term_gap))
    center, coefficient, gap = numbers
    power = int(tree.term_power[t])
    return EquationTerm(int(tree.term_column[t]), power, center, coefficient, gap, tuple(codes))


def box_of(tree: Tree) -> tuple[Side, ...]:
    """The sides of the root's box; a tree that is no density has none.

    >>> half = {"column": "x", "<=": 4, "box": {"x": [0, 10]}, "yes": {"n": 3}, "no": {"n": 1}}
    >>> box_of(Tree.from_nested(half, task="density"))
    (Side(column=0, low=0.0, high=10.0),)
    """
    if not tree.task.is_density:
        return ()
    sides: list[Any] = []
    for k in range(int(tree.box_offset[1])):
        column = int(tree.box_column[k])
        if tree.columns[column].kind == "numeric":
            sides.append(Side(column, float(tree.box_low[k]), float(tree.box_high[k])))
        else:
            sides.append(Side(column, None, None))
    return tuple(sides)
