"""The canonical text of a Tree: one line, equal for equal trees, short enough to write in a test.

`attr[branch: subtree | branch: subtree]`, a leaf is `label(c1:c2:...)` with counts in class order, a
regression leaf `mean(n=...)` or `equation(n=...)`. The branches of each kind:

==========  ==========================================================
threshold   ``A[<=t: ... | >t: ...]`` (ordinal: t is the last category)
equals      ``A=v[yes: ... | no: ...]``
subset      ``A[{a,b}: ... | {c}: ...]``
multiway    ``A[v: ... | w: ...]`` in domain order, absent values too (classes)
hyperplane  ``2*x1-x2[<=t: ... | >t: ...]``
columns     ``(A,B)[{(a,b),(c,d)}: ... | {(a,d)}: ...]``
expression  ``(text)[yes: ... | no: ...]``
intervals   ``A[<=s: ... | (s,t]: ... | >t: ...]``
==========  ==========================================================

A leaf of several targets says each by its name: ``price=11.0000(n=2), days=9.0000(n=2)``.
A node's own branch for missing values comes last, as ``Missing: ...``. A single branch in the same spelling
is a literal: `Outlook=Sunny`, `neck!=tie`, `age<=30.5`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam._base.types import Floats
from hornbeam.tree import words
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.equation_words import equation

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree


def text(tree: Tree) -> str:
    """The canonical text of the whole tree."""
    each = [(f"{o.name}=", tree.output(k)) for k, o in enumerate(tree.outputs)] or [("", tree)]
    answering = [(name, one, one.answers()) for name, one in each]
    pieces: list[str] = []
    # A stack of what is still to be written, last first: text, or a node. Deep trees need no deep recursion.
    todo: list[str | int] = [0]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif tree.kind[item] == LEAF:
            pieces.append(", ".join(name + _leaf(one, item, said) for name, one, said in answering))
        else:
            todo.extend(reversed(_test(tree, item)))
    return "".join(pieces)


def _test(tree: Tree, node: int) -> list[str | int]:
    """The pieces of a test: strings, and its children as numbers."""
    parts: list[str | int] = [words.exact_question(tree, node), "["]
    for position, (label, child) in enumerate(_branches(tree, node)):
        parts += [f" | {label}: " if position else f"{label}: ", child]
    return [*parts, "]"]


def _branches(tree: Tree, node: int) -> list[tuple[str, int]]:
    """Labels and children in canonical order; a shared empty child appears once for each of its values."""
    kind, first = tree.kind_of(node), int(tree.first_child[node])
    if kind in ("threshold", "hyperplane"):
        threshold = words.cut_text(tree, node)
        labels = [(f"<={threshold}", first), (f">{threshold}", first + 1)]
    elif kind == "multiway":
        labels = _categories(tree, node)
    elif kind in ("subset", "columns"):
        sets = sorted(words.branch_values(tree, node).items())
        labels = [("{" + ",".join(values) + "}", first + branch) for branch, values in sets]
    elif kind == "intervals":
        labels = [(_interval(tree, node, k), first + k) for k in range(len(tree.cuts(node)) + 1)]
    else:
        labels = [("yes", first), ("no", first + 1)]
    if tree.own_missing[node]:
        labels.append(("Missing", first + int(tree.n_children[node]) - 1))
    return labels


def _categories(tree: Tree, node: int) -> list[tuple[str, int]]:
    """The categories of a multiway test, each with its child."""
    column = tree.columns[int(tree.column[node])]
    codes, branches = tree.value_map(node)
    branch_of = dict(zip(codes.tolist(), branches.tolist(), strict=True))
    if tree.task.is_classes:  # an empty branch has counts to show, but no mean of its own
        branch_of |= dict.fromkeys(tree.absent_codes(node).tolist(), int(tree.absent[node]))
    first = int(tree.first_child[node])
    return [(column.word(code), first + branch) for code, branch in sorted(branch_of.items())]


def _interval(tree: Tree, node: int, branch: int) -> str:
    low, high = words.interval_ends(tree, node, branch)
    return f"({low},{high}]" if low and high else f">{low}" if low else f"<={high}"


def _leaf(tree: Tree, node: int, answers: Floats) -> str:
    if not tree.task.is_classes and tree.has_models:
        return f"{equation(tree, node, '{:.4f}'.format)}(n={tree.n_rows[node]})"
    if not tree.task.is_classes:
        return f"{answers[node]:.4f}(n={tree.n_rows[node]})"
    assert tree.classes is not None
    label = str(tree.classes[tree.label[node]])
    if tree.uncounted:
        return label
    return f"{label}({':'.join(words.count(w) for w in tree.stats[node].tolist())})"


def literal(tree: Tree, node: int, branch: int) -> str:
    """What is true of the rows that take a branch, exactly: `Outlook=Sunny`, `neck!=tie`, `age<=30.5`.

    >>> from hornbeam.tree.tree import Tree
    >>> tree = Tree.from_nested({"column": "neck", "equals": "tie", "yes": "ally", "no": "enemy"})
    >>> literal(tree, 0, 0), literal(tree, 0, 1)
    ('neck=tie', 'neck!=tie')
    """
    kind, question = tree.kind_of(node), words.exact_question(tree, node)
    if words.is_for_missing(tree, node, branch):
        return f"{','.join(tree.columns[c].label for c in tree.tested_columns(node))} is missing"
    if kind == "equals" and branch:
        column = tree.columns[int(tree.column[node])]
        return f"{column.label}!={column.word(float(tree.threshold[node]))}"
    if kind == "equals":
        return question
    if kind == "expression":
        return f"NOT {question}" if branch else question
    if kind == "threshold" and tree.threshold[node] == math.inf:
        return f"{question} is not missing"
    if kind in ("threshold", "hyperplane"):
        return f"{question}{'>' if branch else '<='}{words.cut_text(tree, node)}"
    if kind == "intervals":
        low, high = words.interval_ends(tree, node, branch)
        return f"{question}>{low}" if not high else f"{f'{low}<' if low else ''}{question}<={high}"
    values = words.branch_values(tree, node)[branch]
    return f"{question} in {{{','.join(values)}}}" if len(values) > 1 else f"{question}={values[0]}"
