"""How numbers, values and branches of a Tree are put into words, for every text the package writes.

One idea: a number is printed with the fewest digits that mean the same. Exactly the same where text is
compared (`exact`), the same cut of the training values where people read it (`cut`): any number inside the
gap between two neighbouring training values separates them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.columns import Column
from hornbeam.data.formatting import number_text as exact
from hornbeam.tree.arrays import COLUMNS, EQUALS, EXPRESSION, HYPERPLANE, MULTIWAY, SUBSET, THRESHOLD

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree

_SHORT = 6  # a threshold of so few significant digits is printed whole


def cut(threshold: float, low: float, high: float) -> str:
    """The threshold with the fewest digits that cut between the training values `low` and `high`.

    A threshold of few digits is printed whole; a long one is rounded, by at most a tenth of the gap.

    >>> cut(28.85625, 28.7125, 29.0), cut(0.800000011920929, 0.6, 1.0), cut(-5.5, -9.0, -2.0)
    ('28.86', '0.8', '-5.5')
    """
    whole = exact(threshold)
    if len(whole.lstrip("-0.").replace(".", "")) <= _SHORT or not low < high:
        return whole
    slack = (high - low) / 10
    for digits in range(18):
        rounded = round(threshold, digits)
        if low <= rounded < high and abs(rounded - threshold) <= slack:
            return exact(rounded)
    return whole


def count(weight: float) -> str:
    """A weight: whole numbers as such, others with up to six decimals.

    >>> count(5.0), count(5 / 13)
    ('5', '0.384615')
    """
    return str(int(weight)) if weight == math.floor(weight) else f"{weight:.6f}".rstrip("0").rstrip(".")


def records(weight: float) -> str:
    """A number of rows, or of parts of rows, for people: at most one decimal, small ones a digit.

    >>> records(12000.0), records(59.561576), records(5 / 13), records(0.0123), records(2.98)
    ('12000', '59.6', '0.4', '0.01', '3')
    """
    text = f"{weight:.1f}" if weight >= 0.05 or weight <= 0 else f"{weight:.1g}"
    return text.removesuffix(".0")


def grouped(weight: float) -> str:
    """The same with thousands apart.

    >>> grouped(1234.0), grouped(1234.56), grouped(0.01)
    ('1,234', '1,234.6', '0.01')
    """
    whole, point, part = records(weight).partition(".")
    return f"{int(whole):,}{point}{part}" if whole.isdigit() else whole


def number_of(n: int, one: str, several: str) -> str:
    """How many there are.

    >>> number_of(1, "leaf", "leaves"), number_of(12000, "row", "rows")
    ('1 leaf', '12,000 rows')
    """
    return f"{n:,} {one if n == 1 else several}"


def amount(x: float) -> str:
    """A value for people: four significant digits, all of those before the decimal point.

    >>> amount(39.785714), amount(123456.7), amount(46.25), amount(0.0001234567)
    ('39.79', '123457', '46.25', '0.0001235')
    """
    if x == 0 or not math.isfinite(x):
        return exact(x)
    digits = max(3 - math.floor(math.log10(abs(x))), 0)
    return exact(round(x, digits)) if digits < 300 else exact(x)


def percent(share: float) -> str:
    """A share in percent; 0 % and 100 % are said only when they are true.

    >>> percent(1.0), percent(0.625), percent(0.9999), percent(0.0001)
    ('100 %', '62 %', '>99 %', '<1 %')
    """
    if 0.995 <= share < 1:
        return ">99 %"
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def threshold_text(column: Column, threshold: float, gap: Iterable[float] = (math.nan, math.nan)) -> str:
    """What a value is compared with, as the column prints it; an ordinal cut names its last value."""
    if not math.isfinite(threshold):
        return exact(threshold)
    if column.kind == "numeric" and not column.is_time:
        return cut(threshold, *gap)
    return column.text(threshold)


def interval(tree: Tree, node: int, branch: int) -> tuple[str, str]:
    """The ends of a branch of intervals, low < value <= high, in the fewest digits; "" if there is none."""
    column, first = tree.columns[int(tree.column[node])], int(tree.cut_offset[node])
    ends = []
    for k in (first + branch - 1, first + branch):
        if first <= k < int(tree.cut_offset[node + 1]):
            gap = (float(tree.cut_low[k]), float(tree.cut_high[k]))
            ends.append(threshold_text(column, float(tree.cut_threshold[k]), gap))
        else:
            ends.append("")
    return ends[0], ends[1]


def plane_text(tree: Tree, node: int, gap: str = "") -> str:
    """The weighted sum of a hyperplane, such as `x1 + 2*x2`; `gap` stands around the signs."""
    span = slice(int(tree.plane_offset[node]), int(tree.plane_offset[node + 1]))
    pieces: list[str] = []
    for column, weight in zip(
        tree.plane_column[span].tolist(), tree.plane_weight[span].tolist(), strict=True
    ):
        name = tree.columns[column].name
        term = name if abs(weight) == 1 else f"{exact(abs(weight))}*{name}"
        sign = "-" if weight < 0 else "+"
        pieces.append(f"{gap}{sign}{gap}{term}" if pieces else term if weight >= 0 else f"-{term}")
    return "".join(pieces)


def equation(tree: Tree, node: int, number: Callable[[float], str]) -> str:
    """The equation of a node, such as `8 + 2*x - 0.5*x^2`; its mean if it has none.

    `number` writes a positive number; a coefficient that it writes as 1 is left out.
    """
    model = tree.leaf_models.get(node)
    if model is None:
        return _signed(float(tree.answers()[node]), number)
    text = _signed(model["intercept"], number)
    for term in model["terms"]:
        size, what = number(abs(term["coefficient"])), _variable(term)
        sign = "-" if term["coefficient"] < 0 else "+"
        text += f" {sign} {what if size == '1' else f'{size}*{what}'}"
    return text


def _signed(x: float, number: Callable[[float], str]) -> str:
    return f"-{number(-x)}" if x < 0 else number(x)


def _variable(term: Mapping[str, Any]) -> str:
    """What a coefficient stands before: `x`, `x^2`, `(year - 1980)^2`, `[city in {Brno, Cheb}]`."""
    if "values" in term:
        return f"[{term['column']} in {{{', '.join(map(str, term['values']))}}}]"
    name, center = term["column"], term["center"]
    if center:
        name = f"({name} {'-' if center > 0 else '+'} {exact(abs(center))})"
    return name if term["power"] == 1 else f"{name}^{term['power']}"


def tuple_texts(tree: Tree, node: int) -> list[tuple[int, str]]:
    """(branch, "(v1,v2)") for each value tuple of a test on a set of columns."""
    columns = [tree.columns[c] for c in tree.tested_columns(node)]
    found = []
    for k in range(int(tree.tuple_offset[node]), int(tree.tuple_offset[node + 1])):
        values = tree.entry_value[tree.entry_offset[k] : tree.entry_offset[k + 1]]
        inside = ",".join(c.text(v) for c, v in zip(columns, values.tolist(), strict=True))
        found.append((int(tree.tuple_branch[k]), f"({inside})"))
    return found


def question(tree: Tree, node: int) -> str:
    """What a node asks about: the column, `column=value`, a sum, a tuple of columns or an expression."""
    kind = int(tree.kind[node])
    if kind == HYPERPLANE:
        return plane_text(tree, node)
    if kind == COLUMNS:
        return f"({','.join(tree.columns[c].name for c in tree.tested_columns(node))})"
    if kind == EXPRESSION:
        return f"({tree.expressions[node]})"
    column = tree.columns[int(tree.column[node])]
    if kind == EQUALS:
        return f"{column.name}={column.text(float(tree.threshold[node]))}"
    return column.name


def branch_values(tree: Tree, node: int) -> dict[int, list[str]]:
    """For a test on values: the values of each branch in domain order, absent ones too."""
    if tree.kind[node] == COLUMNS:
        pairs = tuple_texts(tree, node)
    else:
        column = tree.columns[int(tree.column[node])]
        codes, branches = tree.value_map(node)
        absent = tree.absent_codes(node)
        pairs = [
            (b, column.text(c))
            for c, b in sorted(
                [
                    *zip(codes.tolist(), branches.tolist(), strict=True),
                    *((c, int(tree.absent[node])) for c in absent.tolist()),
                ]
            )
        ]
    found: dict[int, list[str]] = {}
    for branch, text in pairs:
        found.setdefault(branch, []).append(text)
    return found


def by_values(kind: int) -> bool:
    """Whether nodes of this kind list their values."""
    return kind in (SUBSET, MULTIWAY, COLUMNS)


def has_cut(kind: int) -> bool:
    """Whether nodes of this kind compare with a threshold."""
    return kind in (THRESHOLD, HYPERPLANE)


def two_sided(tree: Tree, node: int) -> str:
    """The threshold of a cut, exactly."""
    threshold = float(tree.threshold[node])
    if tree.kind[node] == HYPERPLANE:
        return exact(threshold)
    column = tree.columns[int(tree.column[node])]
    return threshold_text(column, threshold, (np.nan, np.nan))
