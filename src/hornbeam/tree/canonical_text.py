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

A node's own branch for missing values comes last, as ``Missing: ...``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from hornbeam._base.types import Floats
from hornbeam.tree import words
from hornbeam.tree.arrays import INTERVALS, LEAF, MULTIWAY

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree


def text(tree: Tree) -> str:
    """The canonical text of the whole tree."""
    answers = tree.answers()
    pieces: list[str] = []
    # A stack of what is still to be written, last first: text, or a node. Deep trees need no deep recursion.
    todo: list[str | int] = [0]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif tree.kind[item] == LEAF:
            pieces.append(_leaf(tree, item, answers))
        else:
            todo.extend(reversed(_test(tree, item)))
    return "".join(pieces)


def _test(tree: Tree, node: int) -> list[str | int]:
    """The pieces of a test: strings, and its children as numbers."""
    parts: list[str | int] = [words.question(tree, node), "["]
    for position, (label, child) in enumerate(_branches(tree, node)):
        parts += [f" | {label}: " if position else f"{label}: ", child]
    return [*parts, "]"]


def _branches(tree: Tree, node: int) -> list[tuple[str, int]]:
    """Labels and children in canonical order; a shared empty child appears once for each of its values."""
    kind, first = int(tree.kind[node]), int(tree.first_child[node])
    if words.has_cut(kind):
        threshold = words.two_sided(tree, node)
        found = [(f"<={threshold}", first), (f">{threshold}", first + 1)]
    elif words.by_values(kind):
        found = _by_values(tree, node)
    elif kind == INTERVALS:
        found = [(label, first + branch) for branch, label in enumerate(_intervals(tree, node))]
    else:
        found = [("yes", first), ("no", first + 1)]
    if tree.own_missing[node]:
        found.append(("Missing", first + int(tree.n_children[node]) - 1))
    return found


def _by_values(tree: Tree, node: int) -> list[tuple[str, int]]:
    first = int(tree.first_child[node])
    if tree.kind[node] != MULTIWAY:
        sets = words.branch_values(tree, node)
        return [("{" + ",".join(sets[branch]) + "}", first + branch) for branch in sorted(sets)]
    column = tree.columns[int(tree.column[node])]
    codes, branches = tree.value_map(node)
    branch_of = dict(zip(codes.tolist(), branches.tolist(), strict=True))
    if tree.task == "classes":  # an empty branch has counts to show, but no mean of its own
        branch_of |= dict.fromkeys(tree.absent_codes(node).tolist(), int(tree.absent[node]))
    return [(column.text(code), first + branch_of[code]) for code in sorted(branch_of)]


def _intervals(tree: Tree, node: int) -> list[str]:
    column = tree.columns[int(tree.column[node])]
    cuts = [words.threshold_text(column, cut) for cut in tree.cuts(node).tolist()]
    between = [f"({low},{high}]" for low, high in pairwise(cuts)]
    return [f"<={cuts[0]}", *between, f">{cuts[-1]}"]


def _leaf(tree: Tree, node: int, answers: Floats) -> str:
    if tree.task != "classes" and tree.has_models:
        return f"{words.equation(tree, node, '{:.4f}'.format)}(n={tree.n_rows[node]})"
    if tree.task != "classes":
        return f"{answers[node]:.4f}(n={tree.n_rows[node]})"
    assert tree.classes is not None
    label = str(tree.classes[tree.label[node]])
    if tree.uncounted:
        return label
    return f"{label}({':'.join(words.count(w) for w in tree.stats[node].tolist())})"
