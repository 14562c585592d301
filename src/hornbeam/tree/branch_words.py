"""What all readers share: finding the Tree of a model, and the signs and words of one branch.

One idea: a branch is worded by its test alone (`<= 2.5`, `= female`, `in {C, Q}`), with one table of signs
for Unicode and one for ASCII.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hornbeam.data.formatting import visible
from hornbeam.tree import words
from hornbeam.tree.arrays import EQUALS, EXPRESSION, HYPERPLANE, INTERVALS, THRESHOLD
from hornbeam.tree.hooks import opened
from hornbeam.tree.tree import Tree

_MOST_VALUES = 8  # longer lists of values are cut short


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
UNICODE = Signs("≤", ">", "=", "≠", "∈", "∉", "→", "∅", "±", "…", "├── ", "└── ", "│   ")
CHARSETS = {"unicode": UNICODE, "ascii": ASCII}


def tree_of(model: Any) -> Tree:
    """The Tree of a model: itself, the `tree_` of a fitted estimator, or that of a saved file by its path.

    >>> tree = Tree.from_nested("yes")
    >>> tree_of(tree) is tree
    True
    """
    model = opened(model)
    found = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if isinstance(found, Tree):
        return found
    if hasattr(model, "trees_"):
        raise ValueError(
            f"this {type(model).__name__} has {len(model.trees_)} trees: read one of them, such as"
            " model.trees_[0]"
        )
    if hasattr(model, "fit") and found is None:
        raise ValueError(f"this {type(model).__name__} has no tree yet: call fit first")
    hint = ": make a Tree of it with hb.from_sklearn(model)" if hasattr(found, "children_left") else ""
    raise TypeError(
        f"a model is a Tree or a fitted estimator of Hornbeam, not a {type(model).__name__}{hint}"
    )


def signs_of(charset: str) -> Signs:
    """The signs of a charset by name."""
    if charset not in CHARSETS:
        raise ValueError(f"charset={charset!r} must be one of {', '.join(map(repr, CHARSETS))}")
    return CHARSETS[charset]


def cut_text(tree: Tree, node: int) -> str:
    """The threshold of a cut, with the fewest digits that separate the training values around it."""
    threshold, (low, high) = float(tree.threshold[node]), tree.gap[node].tolist()
    if tree.kind[node] == HYPERPLANE:
        return words.cut(threshold, low, high)
    return words.threshold_text(tree.columns[int(tree.column[node])], threshold, (low, high))


def value_list(values: list[str], signs: Signs) -> str:
    """Values between commas; of many only the first, and their number."""
    if len(values) <= _MOST_VALUES:
        return ", ".join(values)
    return f"{', '.join(values[:_MOST_VALUES])}, {signs.dots} ({len(values)} values)"


def question(tree: Tree, node: int) -> str:
    """What a node asks about, without the value asked for."""
    kind = int(tree.kind[node])
    if kind == EQUALS:
        return tree.columns[int(tree.column[node])].label
    if kind == HYPERPLANE:
        return words.plane_text(tree, node, " ")
    if kind == EXPRESSION:
        return tree.expressions[node]
    return visible(words.question(tree, node))


def is_for_missing(tree: Tree, node: int, branch: int) -> bool:
    """Whether only missing values take a branch: the node's own one, or what is beyond an infinite cut."""
    if tree.own_missing[node]:
        return branch == int(tree.n_children[node]) - 1
    return bool(tree.kind[node] == THRESHOLD and tree.threshold[node] == math.inf and branch == 1)


def answer(tree: Tree, node: int, branch: int, signs: Signs) -> str:
    """How a branch answers its node's question: `<= 2.5`, `= female`, `in {C, Q}`, `yes`, `is missing`."""
    if is_for_missing(tree, node, branch):
        return "is missing"
    kind = int(tree.kind[node])
    if kind == THRESHOLD and tree.threshold[node] == math.inf:
        return "is not missing"
    if kind in (THRESHOLD, HYPERPLANE):
        return f"{signs.more if branch else signs.at_most} {cut_text(tree, node)}"
    if kind == INTERVALS:
        low, high = words.interval(tree, node, branch)
        if low and high:
            return f"{signs.within} ({low}, {high}]"
        return f"{signs.more} {low}" if low else f"{signs.at_most} {high}"
    if kind == EXPRESSION:
        return "no" if branch else "yes"
    if kind == EQUALS:
        value = tree.columns[int(tree.column[node])].word(float(tree.threshold[node]))
        return f"{signs.unequal if branch else signs.equal} {value}"
    values = [visible(text) for text in words.branch_values(tree, node)[branch]]
    if branch == tree.absent[node]:
        return f"{signs.equal} other: {value_list(values, signs)}"
    if len(values) == 1:
        return f"{signs.equal} {values[0]}"
    return f"{signs.within} {{{value_list(values, signs)}}}"


def condition_of(tree: Tree, node: int, branch: int, signs: Signs) -> str:
    """Question and answer as one condition: `petal width <= 0.8`, `not (a > b)`."""
    if tree.kind[node] != EXPRESSION or is_for_missing(tree, node, branch):
        return f"{question(tree, node)} {answer(tree, node, branch, signs)}"
    return f"not ({tree.expressions[node]})" if branch else f"({tree.expressions[node]})"


def bounds_text(low: float, high: float) -> str:
    """Between what an equation is kept, said after it.

    >>> bounds_text(10.0, 14.0), bounds_text(-math.inf, 3.0), bounds_text(-math.inf, math.inf)
    ('  within 10 to 14', '  at most 3', '')
    """
    if math.isfinite(low) and math.isfinite(high):
        return f"  within {words.amount(low)} to {words.amount(high)}"
    if math.isfinite(low):
        return f"  at least {words.amount(low)}"
    return f"  at most {words.amount(high)}" if math.isfinite(high) else ""


def rows_text(n: int) -> str:
    """A number of rows.

    >>> rows_text(1), rows_text(12000)
    ('1 row', '12,000 rows')
    """
    return words.number_of(n, "row", "rows")
