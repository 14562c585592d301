"""What conditions do not say: where rows go whose value is missing, or one that no branch lists.

One idea: a sentence below the text for each such case that the tree can meet, and none for others.
"""

from __future__ import annotations

import math

import numpy as np

from hornbeam.tree import words
from hornbeam.tree.arrays import COLUMNS, EQUALS, EXPRESSION, HYPERPLANE, LEAF, MULTIWAY, SUBSET
from hornbeam.tree.tree import Tree

_TOGETHER = {  # how leaves that a row reaches together answer, by the policy `vote` of the tree
    "distribution": "; the shares of the leaves it reaches are averaged, each weighted by its training rows.",
    "leaf": "; the leaves it reaches vote, each with the weight of its training rows.",
}


def gap_notes(tree: Tree, mark: str = "or missing", *, says_not_in: bool = False) -> list[str]:
    """What no condition says about missing values and values never seen, in sentences; mostly none.

    `mark` is how the text marks a branch that missing values take. Where the text `says_not_in` for the rest
    of the values, one never seen seems to be among them.

    >>> nested = {"column": "x", "<=": 1, "yes": "a", "no": "b", "missing": "c"}
    >>> gap_notes(Tree.from_nested(nested, policy={"missing": "all-paths"}))[0][:58]
    'A row without the value follows all branches of the test, '
    """
    notes, together = [], _TOGETHER[tree.policy["vote"]]
    if tree.task.is_real:
        together = together.replace("shares", "answers")
    if tree.surrogate_offset[-1]:
        notes.append(
            "Where a value is missing, or one that no branch lists, surrogates of the test are asked first;"
            f" {mark!r} holds where they do not know."
        )
    if tree.policy["missing"] == "all-paths" and tree.own_missing.any():
        notes.append(
            f"A row without the value follows all branches of the test, 'is missing' among them{together}"
        )
    elif met_gaps(tree) and divides_rows(tree):
        notes.append(
            "Where no branch takes missing values, a row without the value follows all branches of the"
            f" test{together}"
        )
    tested = [] if tree.uncounted else np.flatnonzero(tree.kind != LEAF).tolist()
    as_gaps = tree.policy["missing"] in ("branch", "majority", "surrogates")
    is_unseen = says_not_in or any(_meets_unseen(tree, node, as_gaps=as_gaps) for node in tested)
    is_unlisted = not tree.uncounted and _meets_unlisted(tree)
    if is_unseen and as_gaps:
        notes.append("A value that no training row had counts as missing.")
    all_branches = {
        "A value that no training row had": is_unseen and not as_gaps,
        "a known value that no branch of a test lists": is_unlisted,
    }
    who = " or ".join(one for one, does in all_branches.items() if does)
    if who:
        notes.append(
            f"{who[0].upper()}{who[1:]} follows all branches{' of the test' if is_unlisted else ''}."
        )
    return notes


def met_gaps(tree: Tree) -> bool:
    """Whether a column that the tree tests had missing values in training."""
    tested = {c for node in np.flatnonzero(tree.kind != LEAF).tolist() for c in tree.tested_columns(node)}
    return any(tree.columns[c].has_missing for c in tested)


def divides_rows(tree: Tree) -> bool:
    """Whether a row can follow several branches because it lacks a value.

    A gap gets no further than the first test of its column that sends gaps one way: below the other branches
    the value is known.

    >>> nested = {"column": "x", "<=": 1, "yes": "a", "no": {"column": "x", "<=": 2, "yes": "b", "no": "c"}}
    >>> divides_rows(Tree.from_nested(nested))
    True
    >>> divides_rows(Tree.from_nested({**nested, "missing_to": "yes"}))
    False
    """
    known: list[frozenset[int]] = [frozenset()] * len(tree)  # columns in which a row at a node has a value
    for node in np.flatnonzero(tree.kind != LEAF).tolist():
        tested = frozenset(tree.tested_columns(node))
        takes = -1 if tree.policy["missing"] == "all-paths" else int(tree.missing[node])
        if takes < 0 and not tested <= known[node]:
            return True
        may_lack = tree.kind[node] == EXPRESSION or (
            tree.surrogate_offset[node] < tree.surrogate_offset[node + 1]
        )
        for branch in range(int(tree.n_children[node])):
            is_known = branch != takes and not may_lack
            known[int(tree.first_child[node]) + branch] = known[node] | tested if is_known else known[node]
    return False


def _meets_unlisted(tree: Tree) -> bool:
    """Whether a value that no branch of a test lists can come to the test, and none of them takes it.

    Training rows had it at other nodes. Tests of the same column above may keep it away.
    """
    takes = tree.missing if tree.policy["missing"] != "all-paths" else np.full(len(tree), -1)
    left: list[dict[int, set[int]]] = [{}] * len(tree)  # values that tests above left, by column
    for node in np.flatnonzero(tree.kind != LEAF).tolist():
        column, first = int(tree.column[node]), int(tree.first_child[node])
        sides: dict[int, set[int]] = {}
        if tree.kind[node] in (SUBSET, MULTIWAY):
            unlisted = set(words.unlisted_codes(tree, node))
            if takes[node] < 0 and unlisted & left[node].get(column, unlisted):
                return True
            codes, branches = tree.value_map(node)
            sides = {k: set(codes[branches == k].tolist()) for k in range(int(tree.n_children[node]))}
            sides.setdefault(int(takes[node]), set()).update(unlisted)
            sides.setdefault(int(tree.absent[node]), set()).update(tree.absent_codes(node).tolist())
        elif tree.kind[node] == EQUALS:
            sides = {0: {int(tree.threshold[node])}}
        elif tree.kind[node] == COLUMNS and takes[node] < 0:
            tested = [tree.columns[c] for c in tree.tested_columns(node)]
            if len(tree.value_tuples(node)) < math.prod(len(c.categories) for c in tested):
                return True
        for branch in range(int(tree.n_children[node])):
            here = sides.get(branch)
            also = {} if here is None else {column: here & left[node].get(column, here)}
            left[first + branch] = left[node] | also
    return False


def _meets_unseen(tree: Tree, node: int, *, as_gaps: bool) -> bool:
    """Whether the conditions of a test do not tell where a value goes that training never saw."""
    if all(tree.columns[c].kind == "numeric" for c in tree.tested_columns(node)):
        return False
    if tree.kind[node] == EQUALS:
        return bool(tree.policy["unseen"] == "missing")
    takes_others = bool(tree.missing[node] >= 0)
    return tree.kind[node] in (EXPRESSION, HYPERPLANE) or (
        takes_others and (as_gaps or bool(tree.kind[node] == COLUMNS))
    )
