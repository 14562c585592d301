"""The words of an equation for people: its terms, its numbers, and between what it is kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hornbeam.data.columns import Column
from hornbeam.data.formatting import number_text as exact
from hornbeam.tree.words import amount, name_in_sum

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree


def equation(tree: Tree, node: int, number: Callable[[float], str]) -> str:
    """The equation of a node, such as `8 + 2*x - 0.5*x^2`; its mean if it has none.

    `number` writes a positive number; a coefficient that it writes as 1 is left out.
    """
    model = tree.leaf_models.get(node)
    if model is None:
        return _signed(float(tree.answers()[node]), number)
    text = _signed(model["intercept"], number)
    columns = {column.name: column for column in tree.columns}
    for term in model["terms"]:
        size, what = number(abs(term["coefficient"])), _variable(term, columns[term["column"]])
        sign = "-" if term["coefficient"] < 0 else "+"
        text += f" {sign} {what if size == '1' else f'{size}*{what}'}"
    return text


def _signed(x: float, number: Callable[[float], str]) -> str:
    return f"-{number(-x)}" if x < 0 else number(x)


def _variable(term: Mapping[str, Any], column: Column) -> str:
    """What a coefficient stands before: `x`, `x^2`, `(year - 1980)^2`, `[city in {Brno, Cheb}]`."""
    if "values" in term:
        codes = (column.code_of[value] for value in term["values"])
        return f"[{column.label} in {{{', '.join(map(column.word, codes))}}}]"
    name, center = name_in_sum(column), term["center"]
    if center:
        name = f"({name} {'-' if center > 0 else '+'} {exact(abs(center))})"
    return name if term["power"] == 1 else f"{name}^{term['power']}"


def coefficient(x: float) -> str:
    """A number of an equation: in full, as rounded ones are; of more than twelve digits as an amount.

    >>> coefficient(1234.56789), coefficient(1 / 3), coefficient(-0.5)
    ('1234.56789', '0.3333', '-0.5')
    """
    return exact(x) if float(f"{x:.12g}") == x else amount(x)


def equation_in_bounds(tree: Tree, node: int) -> str:
    """The equation of a node as people read it, and between what it is kept."""
    model = tree.leaf_models[node]
    return equation(tree, node, coefficient) + bounds_text(model["low"], model["high"])


def bounds_text(low: float, high: float) -> str:
    """Between what an equation is kept, said after it.

    >>> bounds_text(10.0, 14.0), bounds_text(-math.inf, 3.0), bounds_text(-math.inf, math.inf)
    ('  within 10 to 14', '  at most 3', '')
    """
    if math.isfinite(low) and math.isfinite(high):
        return f"  within {coefficient(low)} to {coefficient(high)}"
    if math.isfinite(low):
        return f"  at least {coefficient(low)}"
    return f"  at most {coefficient(high)}" if math.isfinite(high) else ""
