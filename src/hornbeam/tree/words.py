"""The words of a tree for people: numbers, the question of a test, its branches, values that none lists.

One idea: what is printed is what decides. A threshold has the fewest digits that read back as the same
number, sets of values are complete unless a text is to be brief, and names that could be misread stand in
quotes.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hornbeam._base.types import TIE, Floats
from hornbeam.data.columns import Column
from hornbeam.data.formatting import number_text as exact
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.arrays import COLUMNS, EQUALS, EXPRESSION, HYPERPLANE, INTERVALS, THRESHOLD

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree

COSTS_DECIDE = "costs decide"
_MOST_VALUES = 8  # longer lists of values are cut short where a text is brief
_SIGNS_OF_SUMS = re.compile(r"[-+*^]|^[\d(\[]")


@dataclass(frozen=True)
class Signs:
    """The characters a text is made of."""

    at_most: str = "<="
    more: str = ">"
    equal: str = "="
    unequal: str = "!="
    within: str = "in"
    without: str = "not in"
    arrow: str = "->"
    missing: str = "?"
    spread: str = "+-"
    dots: str = "..."
    tee: str = "|-- "
    corner: str = "`-- "
    bar: str = "|   "


ASCII = Signs()
UNICODE = Signs("≤", ">", "=", "≠", "in", "not in", "→", "∅", "±", "…", "├── ", "└── ", "│   ")
CHARSETS = {"unicode": UNICODE, "ascii": ASCII}


def signs_of(charset: str) -> Signs:
    """The signs of a charset by name."""
    if charset not in CHARSETS:
        raise ValueError(f"charset={charset!r} must be one of {', '.join(map(repr, CHARSETS))}")
    return CHARSETS[charset]


# --- numbers ------------------------------------------------------------------------------------------------


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


def rows_text(n: int) -> str:
    """A number of rows.

    >>> rows_text(1), rows_text(12000)
    ('1 row', '12,000 rows')
    """
    return number_of(n, "row", "rows")


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


def decided_by(tree: Tree, node: int, shares: Floats) -> str:
    """What made a node answer a class although another has a larger share: `costs decide`; mostly nothing."""
    if float(shares[int(tree.label[node])]) >= float(shares.max()) * (1 - TIE):
        return ""
    rule = answer_rule_of(tree.meta)
    if rule.costs is not None or len(tree.cost_value):
        return COSTS_DECIDE
    return "the median class" if rule.label == "median" else ""


def answer_share(tree: Tree, node: int, shares: Floats) -> str:
    """The share of the class that a node answers, and what decided: `62 %`, or `34 % (costs decide)`."""
    text, reason = percent(float(shares[int(tree.label[node])])), decided_by(tree, node, shares)
    return f"{text} ({reason})" if reason else text


# --- the parts of a test ------------------------------------------------------------------------------------


def _column(tree: Tree, node: int) -> Column:
    return tree.columns[int(tree.column[node])]


def threshold_text(column: Column, threshold: float) -> str:
    """What a value is compared with, as the column prints it; an ordinal cut names its last value."""
    return exact(threshold) if column.is_number or not math.isfinite(threshold) else column.word(threshold)


def cut_text(tree: Tree, node: int) -> str:
    """The threshold of a test in full: what is printed is what decides."""
    threshold = float(tree.threshold[node])
    return (
        exact(threshold) if tree.kind[node] == HYPERPLANE else threshold_text(_column(tree, node), threshold)
    )


def interval_ends(tree: Tree, node: int, branch: int) -> tuple[str, str]:
    """The ends of a branch of intervals, low < value <= high; "" if there is none."""
    column, first, last = _column(tree, node), int(tree.cut_offset[node]), int(tree.cut_offset[node + 1])

    def end(k: int) -> str:
        return threshold_text(column, float(tree.cut_threshold[k]))

    return end(first + branch - 1) if branch else "", end(first + branch) if first + branch < last else ""


def name_in_sum(column: Column) -> str:
    """The name of a column among signs: in quotes if it holds any."""
    name = column.label
    if _SIGNS_OF_SUMS.search(name) and not name.startswith('"'):
        return json.dumps(name, ensure_ascii=False)  # a sign in a name is none of the sum
    return name


def plane_text(tree: Tree, node: int, gap: str = "") -> str:
    """The weighted sum of a hyperplane, such as `x1 + 2*x2`; `gap` stands around the signs."""
    text = ""
    for column, weight in tree.plane(node):
        name = name_in_sum(tree.columns[column])
        term = name if abs(weight) == 1 else f"{exact(abs(weight))}*{name}"
        sign = "-" if weight < 0 else "+" if text else ""
        text += f"{gap}{sign}{gap}{term}" if text else f"{sign}{term}"
    return text


def branch_values(tree: Tree, node: int) -> dict[int, list[str]]:
    """For a test on values: the values of each branch in domain order, absent ones too."""
    texts: dict[int, list[str]] = {}
    if tree.kind[node] == COLUMNS:
        columns = [tree.columns[c] for c in tree.tested_columns(node)]
        for values, branch in tree.value_tuples(node):
            inside = ",".join(c.word(v) for c, v in zip(columns, values, strict=True))
            texts.setdefault(branch, []).append(f"({inside})")
        return texts
    codes, branches = tree.value_map(node)
    branch_of = dict(zip(codes.tolist(), branches.tolist(), strict=True))
    branch_of |= dict.fromkeys(tree.absent_codes(node).tolist(), int(tree.absent[node]))
    for code, branch in sorted(branch_of.items()):
        texts.setdefault(branch, []).append(_column(tree, node).word(code))
    return texts


def unlisted_codes(tree: Tree, node: int) -> list[int]:
    """The values of the domain that no branch of a test on values lists: no training row had them there."""
    if tree.absent[node] >= 0:
        return []
    listed = set(tree.value_map(node)[0].tolist())
    return [code for code in range(len(_column(tree, node).categories)) if code not in listed]


def value_list(values: list[str], signs: Signs, *, brief: bool = False) -> str:
    """Values between commas; where the text is brief, of many only the first, and their number."""
    if not brief or len(values) <= _MOST_VALUES:
        return ", ".join(values)
    return f"{', '.join(values[:_MOST_VALUES])}, {signs.dots} ({len(values)} values)"


def values_text(
    name: str, values: list[str], signs: Signs, *, excluded: bool = False, brief: bool = False
) -> str:
    """That a column has one of some values, or none of them: `city = Brno`, `city not in {Brno, Cheb}`."""
    if len(values) == 1:
        return f"{name} {signs.unequal if excluded else signs.equal} {values[0]}"
    return (
        f"{name} {signs.without if excluded else signs.within} {{{value_list(values, signs, brief=brief)}}}"
    )


def interval_text(name: str, low: str, high: str, signs: Signs) -> str:
    """That low < value <= high, without the ends that are "": `10 < age <= 29`, `age > 10`."""
    if low and high:
        return f"{low} < {name} {signs.at_most} {high}"
    return f"{name} {signs.at_most} {high}" if high else f"{name} {signs.more} {low}"


def is_for_missing(tree: Tree, node: int, branch: int) -> bool:
    """Whether only missing values take a branch: the node's own one, or what is beyond an infinite cut."""
    if tree.own_missing[node]:
        return branch == int(tree.n_children[node]) - 1
    return bool(tree.kind[node] == THRESHOLD and tree.threshold[node] == math.inf and branch == 1)


def exact_question(tree: Tree, node: int) -> str:
    """What a node asks about: the column, `column=value`, a sum, a tuple of columns or an expression."""
    kind = int(tree.kind[node])
    if kind == HYPERPLANE:
        return plane_text(tree, node)
    if kind == COLUMNS:
        return f"({','.join(tree.columns[c].label for c in tree.tested_columns(node))})"
    if kind == EXPRESSION:
        return f"({tree.expressions[node]})"
    column = _column(tree, node)
    return f"{column.label}={column.word(float(tree.threshold[node]))}" if kind == EQUALS else column.label


def question_text(tree: Tree, node: int) -> str:
    """What a node asks about, without the value asked for."""
    kind = int(tree.kind[node])
    if kind == EQUALS:
        return _column(tree, node).label
    if kind == HYPERPLANE:
        return plane_text(tree, node, " ")
    return tree.expressions[node] if kind == EXPRESSION else exact_question(tree, node)


def branch_text(tree: Tree, node: int, branch: int, signs: Signs, *, brief: bool = False) -> str:
    """How a branch answers its node's question: `<= 2.5`, `= female`, `in {C, Q}`, `yes`, `is missing`.

    A brief text leaves out values beyond the eighth, so it does not tell where every row goes.
    """
    if is_for_missing(tree, node, branch):
        return "is missing"
    kind = int(tree.kind[node])
    if kind == THRESHOLD and tree.threshold[node] == math.inf:
        return "is not missing"
    if kind in (THRESHOLD, HYPERPLANE):
        return f"{signs.more if branch else signs.at_most} {cut_text(tree, node)}"
    if kind == INTERVALS:
        low, high = interval_ends(tree, node, branch)
        if low and high:
            return f"{signs.within} ({low}, {high}]"
        return f"{signs.more} {low}" if low else f"{signs.at_most} {high}"
    if kind == EXPRESSION:
        return "no" if branch else "yes"
    if kind == EQUALS:
        value = _column(tree, node).word(float(tree.threshold[node]))
        return f"{signs.unequal if branch else signs.equal} {value}"
    values = branch_values(tree, node)[branch]
    if branch == tree.absent[node]:
        return f"{signs.equal} other: {value_list(values, signs, brief=brief)}"
    if len(values) == 1:
        return f"{signs.equal} {values[0]}"
    return f"{signs.within} {{{value_list(values, signs, brief=brief)}}}"


def condition_text(tree: Tree, node: int, branch: int, signs: Signs, *, brief: bool = False) -> str:
    """Question and answer as one condition: `petal width <= 0.8`, `not (a > b)`."""
    if tree.kind[node] != EXPRESSION or is_for_missing(tree, node, branch):
        return f"{question_text(tree, node)} {branch_text(tree, node, branch, signs, brief=brief)}"
    return f"not ({tree.expressions[node]})" if branch else f"({tree.expressions[node]})"
