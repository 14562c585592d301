"""Markdown: the rules of a tree as a table for a report."""

from __future__ import annotations

import re

from hornbeam.reading.conditions import condition_texts
from hornbeam.reading.rules import rules
from hornbeam.tree import words
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import bounds_text

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&$^:=])")


def markdown(tree: Tree) -> str:
    """A table with a row for each rule: condition, answer, rows, and confidence or spread.

    >>> tree = Tree.from_nested({"column": "city", "equals": "Brno", "yes": {"counts": {"a": 3}},
    ...                          "no": {"counts": {"a": 1, "b": 3}}})
    >>> print(markdown(tree).splitlines()[0])
    | if | then | rows | confidence |
    """
    last = "confidence" if tree.classes is not None else "standard deviation"
    lines = [f"| if | then | rows | {last} |", "|---|---|--:|--:|"]
    for rule in rules(tree):
        when = " and ".join(condition_texts(rule.conditions)) or "always"
        then = str(rule.label) if rule.value is None else _said(tree, rule.leaf, rule.value)
        sure = ""
        if rule.confidence is not None:
            sure = words.percent(rule.confidence)
        elif rule.spread is not None and rule.equation is None:
            sure = words.amount(rule.spread)
        lines.append(f"| {_cell(when)} | {_cell(then)} | {rule.support} | {sure} |")
    return "\n".join(lines) + "\n"


def _said(tree: Tree, leaf: int, value: float) -> str:
    """The number a leaf answers, or its equation and what it is kept between."""
    model = tree.leaf_models.get(leaf)
    if model is None:
        return words.amount(value)
    return words.equation(tree, leaf, words.amount) + bounds_text(model["low"], model["high"])


def _cell(text: str) -> str:
    """Text in a cell: on one line, with every sign that means something escaped."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split())) or " "
