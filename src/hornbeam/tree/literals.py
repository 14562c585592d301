"""Literals: one branch of a test as the shortest exact text, `Outlook=Sunny`, `neck!=tie`, `age<=30.5`.

One idea: the spelling is that of the canonical text of a tree, so a literal can be compared, while the
conditions of rules are rounded and merged for people.
"""

from __future__ import annotations

import math

from hornbeam.tree import words
from hornbeam.tree.arrays import EQUALS, EXPRESSION, HYPERPLANE, INTERVALS, THRESHOLD
from hornbeam.tree.branch_words import is_for_missing
from hornbeam.tree.tree import Tree


def literal(tree: Tree, node: int, branch: int) -> str:
    """What is true of the rows that take a branch of a test.

    >>> tree = Tree.from_nested({"column": "neck", "equals": "tie", "yes": "ally", "no": "enemy"})
    >>> literal(tree, 0, 0), literal(tree, 0, 1)
    ('neck=tie', 'neck!=tie')
    """
    kind = int(tree.kind[node])
    if is_for_missing(tree, node, branch):
        names = ",".join(tree.columns[c].name for c in tree.tested_columns(node))
        return f"{names} is missing"
    question = words.question(tree, node)
    if kind == EQUALS:
        column = tree.columns[int(tree.column[node])]
        return f"{column.name}{'!=' if branch else '='}{column.text(float(tree.threshold[node]))}"
    if kind == EXPRESSION:
        return f"NOT {question}" if branch else question
    if kind == THRESHOLD and tree.threshold[node] == math.inf:
        return f"{question} is not missing"
    if kind in (THRESHOLD, HYPERPLANE):
        return f"{question}{'>' if branch else '<='}{words.two_sided(tree, node)}"
    if kind == INTERVALS:
        return _between(tree, node, branch)
    values = words.branch_values(tree, node)[branch]
    return f"{question} in {{{','.join(values)}}}" if len(values) > 1 else f"{question}={values[0]}"


def _between(tree: Tree, node: int, branch: int) -> str:
    column, cuts = tree.columns[int(tree.column[node])], tree.cuts(node).tolist()
    texts = [words.threshold_text(column, cut) for cut in cuts]
    if branch == 0:
        return f"{column.name}<={texts[0]}"
    if branch == len(cuts):
        return f"{column.name}>{texts[-1]}"
    return f"{texts[branch - 1]}<{column.name}<={texts[branch]}"
