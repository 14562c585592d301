"""The words in the boxes of nodes: scores with their unit, answers, numbers of rows, what a branch says.

One idea: a number is never without its name.
"""

from __future__ import annotations

from hornbeam.data.formatting import class_text, share_text, visible
from hornbeam.display.drawing.text_width import one_line
from hornbeam.tree import words
from hornbeam.tree.arrays import EXPRESSION
from hornbeam.tree.scores import Scores, digits
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import UNICODE, branch_text, is_for_missing

KIND_SIGNS = {"numeric": "∿", "nominal": "◧", "ordinal": "≡"}


def score(tree: Tree, node: int) -> str:
    """Return the score of a split with its unit; nothing where there is none."""
    return Scores(tree).text(node)


def rows_at(tree: Tree, node: int) -> str:
    """Return `n=62`, or the weight where missing values divided rows; nothing in a tree without counts.

    The weight of a survival tree is no number of rows.
    """
    if tree.uncounted:
        return ""
    weight = float(tree.weight[node])
    divided = tree.policy["missing"] == "fractional" and not tree.task.is_survival
    if divided and abs(weight - round(weight)) > 1e-6:
        return f"n={words.grouped(weight)}"
    return f"n={int(tree.n_rows[node]):,}"


def answer_and_share(tree: Tree, node: int) -> tuple[str, str]:
    """Return the class and its share in percent; or the mean or density, with an empty share."""
    value = tree.answers()[node]
    if tree.classes is None:
        return ("risk " if tree.task.is_survival else "") + digits(float(value)), ""
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
    records = f", {n} record{'' if n == '1' else 's'}" if n else ""
    answered = prediction(tree, node)
    if tree.first_child[node] < 0:
        return f"Leaf {node}{records}, predicts {answered}"
    name, count = tested(tree, node)[1], int(tree.n_children[node])
    return f"Node {node}, split on {name}{records}, predicts {answered}, {count} branches"
