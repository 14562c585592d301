"""The order that `monotonic_cst` promises, kept where a person or growing changes a part of a tree.

Two rows that differ in one column part at a test of that column, so it is enough that everything on one side
of each such test answers no more than everything on the other.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hornbeam._base.types import Bools, Floats
from hornbeam.editing.edit_context import EditContext
from hornbeam.growing.plan import AT_LEAST_CLASS, MEAN, Constraints
from hornbeam.tree.arrays import INTERVALS, LEAF, THRESHOLD
from hornbeam.tree.tree import Tree

_SLACK = 1e-9


def refuse_disorder(context: EditContext, tree: Tree, what: str) -> None:
    """Raise if a test of a constrained column has its sides in the wrong order."""
    for column, functional, sign in context.plan.constraints.terms:
        low, high = extremes(tree, ordered(context, tree)[:, functional] * sign)
        for node in np.flatnonzero((tree.column == column) & (tree.kind != LEAF)).tolist():
            ends = [(low[c], high[c]) for c in _sides(tree, node)]
            if any(b[0] < a[1] - _SLACK for a, b in pairwise(ends)):
                way = "rise" if sign > 0 else "fall"
                raise ValueError(
                    f"{what} breaks monotonic_cst: at node {node} answers would not {way} with"
                    f" {tree.columns[column].name!r}; choose another test, or edit with monotonic_cst=None"
                )


def disordered(context: EditContext, tree: Tree, new: Bools) -> Bools:
    """Of the new tests, those that have to go so that nothing below answers beyond what the rest allows."""
    gone: Bools = np.zeros(len(tree), dtype=np.bool_)
    if not context.plan.constraints.terms or not new.any():
        return gone
    values = ordered(context, tree)
    low, high = _bounds(tree, context.plan.constraints, values, new)
    fits = np.all((values >= low - _SLACK) & (values <= high + _SLACK), axis=1)
    for node in np.flatnonzero(new).tolist():
        gone[node] = not all(fits[child] for child in tree.children(node))
    return gone


def within(context: EditContext, tree: Tree, leaf: int, test: Tree) -> bool:
    """Whether the branches of a test in the place of a leaf answer within what the rest allows."""
    nothing = np.zeros(len(tree), dtype=np.bool_)
    low, high = _bounds(tree, context.plan.constraints, ordered(context, tree), nothing)
    values = ordered(context, test)[1:]
    return bool((values >= low[leaf] - _SLACK).all() and (values <= high[leaf] + _SLACK).all())


def ordered(context: EditContext, tree: Tree) -> Floats:
    """What each node answers, by functional: [nodes, functionals]."""
    answers = tree.answers()
    functionals = [_functional(answers, kind, k) for kind, k in context.plan.constraints.functionals]
    return np.stack(functionals, axis=1)


def extremes(tree: Tree, values: Floats, ends: Bools | None = None) -> tuple[Floats, Floats]:
    """The least and the most that the leaves below each node answer; tests in `ends` count as leaves."""
    low, high = values.copy(), values.copy()
    for node in range(len(tree) - 1, -1, -1):
        if tree.kind[node] != LEAF and (ends is None or not ends[node]):
            span = slice(int(tree.first_child[node]), int(tree.first_child[node] + tree.n_children[node]))
            low[node], high[node] = low[span].min(), high[span].max()
    return low, high


def _functional(answers: Floats, kind: int, k: int) -> Floats:
    if kind == MEAN:
        return answers
    return answers[:, k:].sum(axis=1) if kind == AT_LEAST_CLASS else answers[:, k]


def _sides(tree: Tree, node: int) -> list[int]:
    """The children of a test on an ordered column, from its low to its high side, without gaps."""
    if tree.kind[node] not in (THRESHOLD, INTERVALS):
        return []
    children = list(tree.children(node))
    return children[:-1] if tree.own_missing[node] else children


def _bounds(tree: Tree, constraints: Constraints, values: Floats, new: Bools) -> tuple[Floats, Floats]:
    """Between what each node may answer: [nodes, functionals].

    The sides of a test that is not new are kept apart at the middle of what they answer now.
    """
    low, high = np.full(values.shape, -np.inf), np.full(values.shape, np.inf)
    for node in range(len(tree)):
        for child in tree.children(node):
            low[child] = np.maximum(low[child], low[node])
            high[child] = np.minimum(high[child], high[node])
        for column, functional, sign in constraints.terms:
            if tree.column[node] != column or new[node]:
                continue
            least, most = extremes(tree, values[:, functional], new)
            sides = _sides(tree, node)
            for a, b in pairwise(sides):
                under, over = (a, b) if sign > 0 else (b, a)
                middle = (most[under] + least[over]) / 2
                high[under, functional] = min(high[under, functional], middle)
                low[over, functional] = max(low[over, functional], middle)
    return low, high
