"""The words in the boxes of nodes: scores with their unit, answers, numbers of rows, what a branch says.

One idea: a number is never without its name.
"""

from __future__ import annotations

import math

from hornbeam.data.formatting import class_text, number_text, share_text, visible
from hornbeam.display.drawing.text_width import one_line
from hornbeam.tree import words
from hornbeam.tree.arrays import EXPRESSION
from hornbeam.tree.scores import Scores
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import UNICODE, branch_text, is_for_missing

KIND_SIGNS = {"numeric": "∿", "nominal": "◧", "ordinal": "≡"}


def short(x: float, digits: int = 3) -> str:
    """Return a number for people in few characters.

    >>> short(0.21043), short(152.133), short(12345678.0), short(0), short(-0.00001234)
    ('0.21', '152', '1.23e+07', '0', '-1.23e-05')
    """
    if x == 0 or not math.isfinite(x):
        return number_text(x)
    size = math.floor(math.log10(abs(x)))
    if size >= 7 or size < -4:
        return f"{x:.{digits - 1}e}"
    return number_text(round(x, max(digits - 1 - size, 0)))


def score(tree: Tree, node: int) -> str:
    """Return the score of a split with its unit; nothing where there is none."""
    return Scores(tree).card(node, short)


def rows_at(tree: Tree, node: int) -> str:
    """Return `n=62`, or the weight where missing values divided rows; nothing in a tree without counts."""
    if tree.uncounted:
        return ""
    weight = float(tree.weight[node])
    if tree.policy["missing"] == "fractional" and abs(weight - round(weight)) > 1e-6:
        return f"n={words.grouped(weight)}"
    return f"n={int(tree.n_rows[node]):,}"


def answer_and_share(tree: Tree, node: int) -> tuple[str, str]:
    """Return the class and its share in percent; or the mean or density, with an empty share."""
    value = tree.answers()[node]
    if tree.classes is None:
        return short(float(value)), ""
    label = int(tree.label[node])
    share = "" if tree.uncounted else words.percent(float(value[label]))
    return one_line(class_text(tree.classes[label])), share


def prediction(tree: Tree, node: int) -> str:
    """Return the class with its share, the mean, or the density."""
    return share_text(*answer_and_share(tree, node))


def wrong_at(tree: Tree, node: int) -> float:
    """Return the weight of a node's training rows that its label gets wrong."""
    return max(float(tree.weight[node] - tree.stats[node][int(tree.label[node])]), 0.0)


def branch_words(tree: Tree, parent: int, child: int) -> str:
    """Return what a branch says, such as `≤ 13`, `= female`, `in {C, Q}`, `missing`."""
    branch = child - int(tree.first_child[parent])
    return (
        "missing"
        if is_for_missing(tree, parent, branch)
        else one_line(branch_text(tree, parent, branch, UNICODE, brief=True))
    )


def tested(tree: Tree, node: int) -> tuple[str, str]:
    """Return the sign of the kind of test and the words for what is tested."""
    if tree.column[node] >= 0:
        column = tree.columns[int(tree.column[node])]
        return KIND_SIGNS[column.kind], visible(column.name)
    if tree.kind[node] == EXPRESSION:
        return "ƒ", one_line(tree.expressions[node])
    is_sum = tree.plane_offset[node + 1] > tree.plane_offset[node]
    return "Σ" if is_sum else "◧", one_line(tested_names(tree, node))


def tested_names(tree: Tree, node: int) -> str:
    """Return the names of the columns that a node tests."""
    return ", ".join(visible(tree.columns[column].name) for column in tree.tested_columns(node))


def sentence(tree: Tree, node: int) -> str:
    """Return a node in one sentence, for those who hear it."""
    n = rows_at(tree, node).removeprefix("n=")
    records = f", {n} records" if n else ""
    answered = prediction(tree, node)
    if tree.first_child[node] < 0:
        return f"Leaf {node}{records}, predicts {answered}"
    name, count = tested(tree, node)[1], int(tree.n_children[node])
    return f"Node {node}, split on {name}{records}, predicts {answered}, {count} branches"
