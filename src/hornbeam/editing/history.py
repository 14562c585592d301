"""The revisions of an edited tree, and which nodes of one are the nodes of another.

One idea: revisions are only ever added. Each names the one it was made from, so what was undone stays where
it is, and another operation after it begins a branch. Every node has an identity that edits keep: a node that
gets other rows or another test is still the same node, one that is new gets the next number that no node of
any revision has had.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam.editing.edit_context import EditContext
from hornbeam.editing.edit_words import EditResult
from hornbeam.editing.open_leaves import same_test
from hornbeam.editing.operations import perform
from hornbeam.tree.annotations import IDS
from hornbeam.tree.tree import Tree

BEGINNING = -1  # the parent of the first revision


@dataclass(frozen=True, eq=False)
class Revision:
    """One state of a tree that is edited.

    Attributes
    ----------
    operation : dict, or None for the beginning
    tree : the tree after it
    say : what happened, in words
    parent : the number of the revision it was made from, -1 for the beginning
    ids : the identity of each node of the tree
    """

    operation: Mapping[str, Any] | None
    tree: Tree
    say: str
    parent: int
    ids: tuple[int, ...]


@dataclass(frozen=True)
class Changes:
    """What an operation did to nodes.

    Attributes
    ----------
    number : dict
        Node before -> the same node now, for each that is still there.
    added, removed : lists of nodes
        Nodes now that were not there before, and nodes before that are gone.
    changed : list of nodes
        Nodes now that were there before, with another test, other rows or another answer.
    """

    number: dict[int, int]
    added: list[int]
    removed: list[int]
    changed: list[int]


def first_revision(tree: Tree, say: str) -> Revision:
    """The beginning: every node is new."""
    return Revision(None, tree, say, BEGINNING, tuple(range(len(tree))))


def perform_on(
    revision: Revision, operation: Mapping[str, Any], context: EditContext, first_new: int
) -> tuple[EditResult, tuple[int, ...]]:
    """What an operation gives, and the identity of each node of its tree; new ones count from `first_new`."""
    tree = revision.tree.replace(meta={**revision.tree.meta, IDS: list(revision.ids)})
    done = perform(tree, operation, context)
    meta = dict(done.tree.meta)
    ids = meta.pop(IDS)
    for node, identity in enumerate(ids):
        if identity < 0:
            ids[node], first_new = first_new, first_new + 1
    return EditResult(done.tree.replace(meta=meta), done.say, done.facts), tuple(ids)


def line_to(revisions: Sequence[Revision], last: int) -> list[int]:
    """The revisions from the beginning to one of them."""
    line = [last]
    while revisions[line[-1]].parent != BEGINNING:
        line.append(revisions[line[-1]].parent)
    return line[::-1]


def changes_between(before: Revision, after: Revision) -> Changes:
    """What became of the nodes of one revision in another."""
    there = {identity: node for node, identity in enumerate(after.ids)}
    number = {node: there[identity] for node, identity in enumerate(before.ids) if identity in there}
    kept = set(number.values())
    return Changes(
        number,
        [node for node in range(len(after.tree)) if node not in kept],
        [node for node in range(len(before.tree)) if node not in number],
        [new for old, new in number.items() if not _same_node(before.tree, old, after.tree, new)],
    )


def _same_node(before: Tree, old: int, after: Tree, new: int) -> bool:
    return (
        before.n_rows[old] == after.n_rows[new]
        and before.label[old] == after.label[new]
        and np.array_equal(before.stats[old], after.stats[new])
        and same_test(before, old, after, new)
    )
