"""Chapter: what is edited under one choice of settings: the rows, parted, and the Draft begun on them.

One idea: settings that change begin another chapter, in which the operations so far are done again. An
operation names its node by the branches that lead there and the columns they test; one that the new tree has
no such way for, or that is refused there, is not done, and said so.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from hornbeam._base.types import Task
from hornbeam.data.files import TableFile
from hornbeam.editing import Draft, edit
from hornbeam.editing.open_leaves import same_test
from hornbeam.growing.candidates.node_rows import NodeRows, rows_of_growth
from hornbeam.studio.rows import PartedRows, part_rows
from hornbeam.studio.settings import Settings
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree

_FIRST_OF_CHAPTER = 10_000_000  # the identities of a chapter's own nodes count from multiples of this


@dataclass
class Chapter:
    """Edits under one choice of settings.

    Attributes
    ----------
    settings, rows : what was chosen, and the rows that follow from it
    sheet : the table, its columns read as the settings say
    draft : all revisions of this chapter
    first : the first identity of its own nodes
    known : identities that nodes of the draft have from the chapter before
    impossible : the operations that could not be done again, each with why
    observed : what the rows show of each column, once that was asked for
    """

    settings: Settings
    rows: PartedRows
    draft: Draft
    first: int = 0
    known: Mapping[int, int] = field(default_factory=dict)
    impossible: tuple[tuple[dict[str, Any], str], ...] = ()
    observed: list[dict[str, Any]] | None = None
    sheet: TableFile | None = None

    @classmethod
    def begin(cls, sheet: Any, settings: Settings, model: Any = None, number: int = 0) -> Chapter:
        """A chapter before its first edit; with a fitted `model`, from where that stands."""
        rows = part_rows(sheet, settings)
        estimator = settings.estimator(rows.task, rows.classes) if model is None else model
        held_out = None if rows.held_out is None else rows.held_out.as_tuple()
        draft = edit(estimator, *rows.training.as_tuple(), held_out=held_out)
        return cls(settings, rows, draft, number * _FIRST_OF_CHAPTER, sheet=sheet)

    def ids(self, revision: int) -> list[int]:
        """The identity of each node of a revision of the draft."""
        own = self.draft.revisions[revision].ids
        return [self.known.get(one, self.first + one) for one in own]

    def node_rows(self, tree: Tree, node: int) -> NodeRows:
        """A node with the training rows that reach it."""
        return rows_of_growth(self.draft.context.search_growth, tree, node)

    def rank_ahead(self) -> None:
        """Sort the values of all columns beside everything else: the first look at a node is then quick."""
        context = self.draft.context

        def sort() -> None:
            for column in range(len(context.table.columns)):
                context.search_growth.ranked(column)

        threading.Thread(target=sort, name="hornbeam-studio-ranks", daemon=True).start()

    def again(self, log: Sequence[Mapping[str, Any]]) -> None:
        """Do operations of another chapter again, as far as they are possible here."""
        refused = []
        for operation in log:
            plain = {name: value for name, value in operation.items() if name != "way"}
            try:
                if "way" in operation:
                    plain["node"] = node_by_way(self.draft.tree, operation["way"])
                self.draft = self.draft.apply(plain)
            except (ValueError, TypeError) as fault:
                refused.append((dict(operation), str(fault)))
        self.impossible = tuple(refused)

    def keep_identities(self, tree: Tree, ids: Sequence[int]) -> None:
        """Give nodes that are reached as in a tree of the chapter before the identities they had there."""
        here, now = self.draft.tree, self.draft.revisions[self.draft.head].ids
        pairs, known = [(0, 0)], {}
        while pairs:
            old, new = pairs.pop()
            known[now[new]] = ids[old]
            if tree.kind[old] != LEAF and same_test(tree, old, here, new):
                pairs += zip(tree.children(old), here.children(new), strict=True)
        self.known = known


def check_model(model: Any) -> None:
    """Raise with one sentence for a model that a studio does not edit."""
    tree = getattr(model, "tree_", model)
    words = "a forest" if hasattr(model, "trees_") else f"a {type(model).__name__}"
    if isinstance(tree, Tree):
        if not tree.outputs and tree.task in (Task.CLASSES, Task.REAL):
            return
        words = "a tree of several targets" if tree.outputs else f"a tree of task {tree.task.value!r}"
    elif hasattr(model, "fit") and not hasattr(model, "trees_"):
        return  # said where it is fitted
    raise ValueError(
        f"this is {words}, and a studio edits single trees that learn one column of classes or of numbers:"
        " `hornbeam show`, `hornbeam report` and hb.report look at it"
    )


def way_to(tree: Tree, node: int) -> list[list[Any]]:
    """How a node is reached: for each test above it the columns it tests, and the branch that is taken."""
    path = tree.path(node)
    return [
        [
            ",".join(tree.columns[k].name for k in tree.tested_columns(above)),
            int(child - tree.first_child[above]),
        ]
        for above, child in pairwise(path)
    ]


def node_by_way(tree: Tree, way: Sequence[Sequence[Any]]) -> int:
    """The node that some branches lead to, if the tests on the way are of the same columns; else raise."""
    if not isinstance(way, (list, tuple)) or not all(_is_step(step) for step in way):
        raise ValueError(f"way={way!r} must be a list of columns and branches")
    node = tree_annotations.node_at(tree, "/".join(str(branch) for _, branch in way))
    if node is None or [step[0] for step in way_to(tree, node)] != [step[0] for step in way]:
        where = ", ".join(str(name) for name, _ in way)
        raise ValueError(f"the tree has no node that is reached by tests of {where} as before")
    return node


def _is_step(step: Any) -> bool:
    return (
        isinstance(step, (list, tuple))
        and len(step) == 2
        and isinstance(step[0], str)
        and isinstance(step[1], int)
        and step[1] >= 0
    )
