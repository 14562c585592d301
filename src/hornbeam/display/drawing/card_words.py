"""The words on cards: scores with their unit, verdicts, numbers of rows, what a branch says.

One idea: a number is never without its name. Scores are worded by the criterion the tree was grown with; a
criterion not in the table is simply a gain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from hornbeam.data.formatting import number_text
from hornbeam.display.drawing.text_width import one_line
from hornbeam.tree import words
from hornbeam.tree.arrays import EXPRESSION
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import UNICODE, branch_text, is_for_missing

MARKS = {"numeric": "∿", "nominal": "◧", "ordinal": "≡"}


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


def _share_of_root(tree: Tree, node: int) -> str:
    total = float(tree.weight[0] * tree.impurity[0])
    share = float(tree.gain[node] * tree.weight[node]) / total if total > 0 else 0.0
    return f"R² +{short(share, 2)}"


def _as(pattern: str) -> Callable[[Tree, int], str]:
    return lambda tree, node: pattern.format(short(float(tree.gain[node])))


_SCORES: Mapping[str, Callable[[Tree, int], str]] = {
    "entropy": _as("gain {} bit"),
    "log_loss": _as("gain {} bit"),
    "gain-ratio": _as("gain ratio {}"),
    "gini": _as("Gini −{}"),
    "error": _as("error −{}"),
    "variance": _share_of_root,
    "squared_error": _share_of_root,
    "sd": _as("sd −{}"),
    "absolute": _as("error −{}"),
    "density": _as("risk −{}"),
}


def score(tree: Tree, node: int) -> str:
    """Return the score of a split with its unit; nothing where there is none."""
    if not tree.gain[node] > 0:
        return ""
    return _SCORES.get(str(tree.meta.get("criterion")), _as("gain {}"))(tree, node)


def rows_at(tree: Tree, node: int) -> str:
    """Return `n=62`, or the weight where gaps divided rows; nothing in a tree without counts."""
    if tree.uncounted:
        return ""
    weight = float(tree.weight[node])
    if tree.policy["missing"] == "fractional" and abs(weight - round(weight)) > 1e-6:
        return f"n={words.grouped(weight)}"
    return f"n={int(tree.n_rows[node]):,}"


def answer_and_share(tree: Tree, node: int) -> tuple[str, str]:
    """Return the class and its share in percent; or the mean or density, with an empty share."""
    found = tree.answers()[node]
    if tree.classes is None:
        return short(float(found)), ""
    label = int(tree.label[node])
    said = one_line(str(tree.classes[label]))
    return said, "" if tree.uncounted else words.percent(float(found[label]))


def verdict(tree: Tree, node: int) -> str:
    """Return the class with its share, the mean, or the density."""
    return " ".join(filter(None, answer_and_share(tree, node)))


def wrong_at(tree: Tree, node: int) -> float:
    """Return the weight of a node's training rows that its label gets wrong."""
    return max(float(tree.weight[node] - tree.stats[node][int(tree.label[node])]), 0.0)


def branch_words(tree: Tree, parent: int, child: int) -> str:
    """Return what a branch says, such as `≤ 13`, `= female`, `∈ {C, Q}`, `missing`."""
    branch = child - int(tree.first_child[parent])
    if is_for_missing(tree, parent, branch):
        return "missing"
    return one_line(branch_text(tree, parent, branch, UNICODE))


def is_gap_branch(tree: Tree, parent: int, child: int) -> bool:
    """Return whether only gaps take this branch."""
    return is_for_missing(tree, parent, child - int(tree.first_child[parent]))


def asked(tree: Tree, node: int) -> tuple[str, str]:
    """Return the mark of the kind of test and the words for what is asked about."""
    if tree.column[node] >= 0:
        column = tree.columns[int(tree.column[node])]
        return MARKS[column.kind], column.label
    if tree.kind[node] == EXPRESSION:
        return "ƒ", one_line(tree.expressions[node])
    names = ", ".join(tree.columns[c].name for c in tree.tested_columns(node))
    return (
        ("Σ", one_line(names))
        if tree.plane_offset[node + 1] > tree.plane_offset[node]
        else ("◧", one_line(names))
    )


def sentence(tree: Tree, node: int) -> str:
    """Return a card in one sentence, for those who hear it."""
    n = rows_at(tree, node).removeprefix("n=")
    records = f", {n} records" if n else ""
    said = verdict(tree, node)
    if tree.first_child[node] < 0:
        return f"Leaf {node}{records}, predicts {said}"
    name, count = asked(tree, node)[1], int(tree.n_children[node])
    return f"Node {node}, split on {name}{records}, predicts {said}, {count} branches"
