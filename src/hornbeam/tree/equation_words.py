"""The words of an equation: its terms, its numbers, and between what it is kept.

For people the terms of a nominal column are one, with what each of its values adds. In the canonical text of
a tree (`equation`) every term stands by itself, as the tree holds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hornbeam.data.columns import Column
from hornbeam.data.formatting import number_text as exact
from hornbeam.tree.branches import branches_of_codes
from hornbeam.tree.sizes import SHORT_SET
from hornbeam.tree.words import ASCII, amount, name_in_sum, values_text

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
    return text + "".join(_summand(term, columns[term["column"]], number) for term in model["terms"])


def _summand(term: Mapping[str, Any], column: Column, number: Callable[[float], str]) -> str:
    size, what = number(abs(term["coefficient"])), _variable(term, column)
    return f" {'-' if term['coefficient'] < 0 else '+'} {what if size == '1' else f'{size}*{what}'}"


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


def equation_parts(tree: Tree, node: int) -> list[str]:
    """The equation of a node as people read it, part by part, and at last between what it is kept.

    Such as `8`, ` + 2*x`, ` - (8 if city = Brno,`, ` 1 if city in {Cheb, Graz})`, `  within 1 to 12`.
    """
    model, columns = tree.leaf_models[node], {column.name: column for column in tree.columns}
    parts, told = [_signed(model["intercept"], coefficient)], set()
    for term in model["terms"]:
        column = columns[term["column"]]
        if "values" not in term:
            parts.append(_summand(term, column, coefficient))
        elif column.name not in told:
            told.add(column.name)
            sets = [each for each in model["terms"] if each["column"] == column.name and "values" in each]
            parts += _clauses(sets, column, _possible_codes(tree, node, column))
    return [*parts, bounds_text(model["low"], model["high"])]


def _possible_codes(tree: Tree, node: int, column: Column) -> list[int]:
    """The values of a nominal column that no test above a node sends elsewhere."""
    codes = list(range(len(column.categories)))
    for test, branch in tree.tests_above(node):
        if tree.columns[int(tree.column[test])] is column and tree.column[test] >= 0:
            goes = branches_of_codes(tree, test)
            codes = [code for code in codes if goes[code] in (-1, branch)]
    return codes


def _clauses(sets: Sequence[Mapping[str, Any]], column: Column, possible: Sequence[int]) -> list[str]:
    """What the values of a nominal column add: the coefficients of all sets that hold a value, added up."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for code in possible:
        held = tuple(k for k, each in enumerate(sets) if column.categories[code] in each["values"])
        if held:
            groups.setdefault(held, []).append(code)
    if not groups:
        return []
    sums = [sum(sets[k]["coefficient"] for k in held) for held in groups]
    if all(float(f"{each['coefficient']:.12g}") == each["coefficient"] for each in sets):
        sums = [float(f"{x:.12g}") for x in sums]  # 0.1 and 0.2 are 0.3
    falls = all(x <= 0 for x in sums)
    clauses = []
    for x, codes in zip(sums, groups.values(), strict=True):
        others = [code for code in possible if code not in codes]
        excluded = len(codes) > max(SHORT_SET, len(others)) and bool(others)
        listed = [column.word(code) for code in (others if excluded else codes)]
        condition = f"{column.label} not in {{{', '.join(listed)}}}"  # the same in all charsets
        if not excluded:
            condition = values_text(column.label, listed, ASCII)
        clauses.append(f" {_signed(-x if falls else x, coefficient)} if {condition},")
    clauses[0] = f" {'-' if falls else '+'} ({clauses[0].lstrip()}"
    return [*clauses[:-1], f"{clauses[-1].removesuffix(',')})"]


def equation_in_bounds(tree: Tree, node: int) -> str:
    """The equation of a node as people read it, and between what it is kept."""
    return "".join(equation_parts(tree, node))


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
