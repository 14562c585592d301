"""Draft: a tree that is edited by hand. Every operation gives a new Draft and leaves the old one as it was.

One idea: a Draft is a context and a list of revisions, each an operation and the tree it made, with a head
that undo, redo and goto move. The operations that lead to the head are the log; replaying it on the same rows
gives the same trees, bit by bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hornbeam._base.parameters import is_whole
from hornbeam._base.types import Floats, Longs
from hornbeam.editing.candidate import Candidate
from hornbeam.editing.chosen_split import best_tests, proposal_text
from hornbeam.editing.edit_context import EditContext
from hornbeam.editing.edit_words import checked, leaves_text
from hornbeam.editing.fill_nodes import rows_at
from hornbeam.editing.history import Changes, Revision, changes_between, line_to, perform_on
from hornbeam.editing.operations import RESULT, script
from hornbeam.estimators.base import TreeModel
from hornbeam.io.model_file import parameter_to_plain
from hornbeam.reading.show import show
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree.arrays import KINDS
from hornbeam.tree.dicts import value_to_plain
from hornbeam.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Draft:
    r"""A tree that is being edited; made by `hornbeam.edit`.

    Every method that edits returns a new Draft and leaves this one as it is. Nodes are named by their numbers
    in `draft.tree`, which `print(draft)` shows; an edit may renumber them. `ids` are the identities of nodes,
    which no edit changes, and `changes` says what the last one did.

    Attributes
    ----------
    tree : Tree
        The tree as it stands.
    model : estimator
        A fitted estimator with this tree.
    log : list of dict
        The operations so far, as plain values that JSON can hold; `hornbeam.replay` runs them again.
    history : list of str
        The same in words.
    forced : dict
        Node -> rank, number of candidates, score and best test, of each test chosen by hand.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> draft = hb.edit(hb.id3(), tennis.X, tennis.y)
    >>> draft = draft.split(0, on="Wind", multiway=True).grow(max_depth=2)
    >>> print(draft)
    Wind?  gain 0.0481 bits  64 % Yes  n=14 (5:9)  #0  chosen by hand, rank 3 of 4
    ├── = Strong  Outlook?  gain 0.667 bits  50 % No  n=6 (3:3)  #1
    │   ├── = Overcast  → Yes  100 %  n=2 (0:2)  #3
    │   ├── = Rain  → No  100 %  n=2 (2:0)  #4
    │   └── = Sunny  → No  50 %  n=2 (1:1)  #5
    └── = Weak  Outlook?  gain 0.467 bits  75 % Yes  n=8 (2:6)  #2
        ├── = Overcast  → Yes  100 %  n=2 (0:2)  #6
        ├── = Rain  → Yes  100 %  n=3 (0:3)  #7
        └── = Sunny  → No  67 %  n=3 (2:1)  #8
    counts are No:Yes
    >>> print(*draft.history, sep="\n")
    began with 1 leaf
    split node 0 by Wind = Strong: chosen by hand, rank 3 of 4
    (gain 0.0481 bits; best is Outlook, gain 0.247 bits)
    grew below node 0: 4 leaves more, 6 leaves in all
    >>> draft.undo().tree.n_leaves, draft.undo().redo().tree == draft.tree
    (2, True)
    """

    context: EditContext
    revisions: tuple[Revision, ...]
    head: int = 0  # the revision that stands
    end: int = 0  # the last revision of the line that redo follows

    # ---- what it is ----------------------------------------------------------------------------------------

    @property
    def tree(self) -> Tree:
        """The tree as it stands."""
        return self.revisions[self.head].tree

    @property
    def tree_(self) -> Tree:
        """The same, where readers look for it: `hb.show(draft)`, `hb.rules(draft)`."""
        return self.tree

    @property
    def model(self) -> TreeModel:
        """A fitted estimator of the same class and parameters whose tree is this one."""
        return self.context.model(self.tree)

    @property
    def log(self) -> list[dict[str, Any]]:
        """The operations up to now, as plain dicts."""
        done = [self.revisions[k] for k in line_to(self.revisions, self.head)]
        return [dict(each.operation) for each in done if each.operation is not None]

    @property
    def history(self) -> list[str]:
        """What happened up to now, in words."""
        return [self.revisions[k].say for k in line_to(self.revisions, self.head)]

    @property
    def branches(self) -> list[int]:
        """The last revision of each line of edits that was left by undoing and going another way."""
        parents = {each.parent for each in self.revisions}
        return [k for k in range(len(self.revisions)) if k not in parents and k != self.end]

    @property
    def ids(self) -> list[int]:
        """The identity of each node, which it keeps through all edits, undone or not."""
        return list(self.revisions[self.head].ids)

    @property
    def changes(self) -> Changes:
        """What the last operation did to nodes: `number` (before -> now), `added`, `removed`, `changed`."""
        now = self.revisions[self.head]
        return changes_between(now if now.operation is None else self.revisions[now.parent], now)

    def script(self) -> str:
        """The log as lines of Python, `draft = draft.split(...)`, to keep in a file."""
        return script(self.log)

    @property
    def say(self) -> str:
        """What happened last, in words."""
        return self.revisions[self.head].say

    @property
    def forced(self) -> dict[int, dict[str, Any]]:
        """Node -> where its test, chosen by hand, stands among the candidates."""
        return self._marks("forced")

    @property
    def locked(self) -> list[int]:
        """The nodes that are locked."""
        return [node for node, is_locked in self._marks("locked").items() if is_locked]

    @property
    def notes(self) -> dict[int, str]:
        """Node -> what was noted at it."""
        return self._marks("note")

    def _marks(self, name: str) -> dict[int, Any]:
        """Node -> what is marked there under a name."""
        marks = tree_annotations.by_node(self.tree)
        return {node: mark[name] for node, mark in marks.items() if name in mark}

    def __str__(self) -> str:
        return show(self.tree, node_ids=True)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What notebooks show: the tree, and as text the numbers of its nodes."""
        return self.tree._repr_mimebundle_(include, exclude) | {"text/plain": str(self)}

    def __repr__(self) -> str:
        n_edits, n_all = (len(line_to(self.revisions, last)) - 1 for last in (self.head, self.end))
        undone = f", {n_all - n_edits} undone" if n_all > n_edits else ""
        left = f", {len(self.branches)} other lines of edits" if self.branches else ""
        return f"<Draft: {leaves_text(self.tree.n_leaves)}, {n_edits} edits{undone}{left}; {self.say}>"

    # ---- looking -------------------------------------------------------------------------------------------

    def rows(self, node: int) -> tuple[Longs, Floats]:
        """The positions of the rows that reach a node, and the share of each row that does.

        Shares are 1, except where a missing value sends a part of a row down every branch.
        """
        return rows_at(self.context, self.tree, checked(self.tree, node))

    def candidates(self, node: int) -> list[Candidate]:
        """The best test of every column at a node, best first: `column`, `kind`, `test`, `score`, `rank`."""
        rows = self.rows(node)
        names = [column.name for column in self.context.table.columns]
        return [
            Candidate(
                names[proposal.split.columns[0]],
                KINDS[proposal.split.kind],
                proposal_text(self.context, rows, proposal),
                score=proposal.score,
                rank=rank,
            )
            for rank, proposal in enumerate(best_tests(self.context, self.tree, node, rows), start=1)
        ]

    # ---- editing -------------------------------------------------------------------------------------------

    def apply(self, operation: Mapping[str, Any]) -> Draft:
        """Any operation as a dict, such as `{"op": "collapse", "node": 3}`; as a log holds them."""
        first_new = max(max(each.ids) for each in self.revisions) + 1
        done, ids = perform_on(self.revisions[self.head], operation, self.context, first_new)
        given = {key: value for key, value in operation.items() if key not in RESULT}
        plain = {key: parameter_to_plain(key, value_of(value)) for key, value in given.items()}
        if done.facts:
            plain["facts"] = value_to_plain(dict(done.facts))
        made = Revision(plain, done.tree, done.say, self.head, ids)
        last = len(self.revisions)
        return replace(self, revisions=(*self.revisions, made), head=last, end=last)

    def split(
        self,
        node: int,
        on: Any,
        *,
        at: Any = None,
        groups: Any = None,
        multiway: bool = False,
        missing: Any = None,
    ) -> Draft:
        """Split a leaf by a test of your choice.

        Limits such as `min_samples_leaf` do not bind you; a branch without rows, or one that breaks
        `monotonic_cst`, is refused.

        Parameters
        ----------
        node : a leaf
        on : the column, by name or number
        at : number, value, or list of numbers
            A cut (values up to it go to the first branch), several cuts, the last value of the first branch
            of an ordinal column, or one value of a nominal column against all others.
        groups : list of lists of values
            The values of each branch; one list alone stands against all other values.
        multiway : bool
            A branch for each value. Without `at`, `groups` and `multiway` the column's best test is made.
        missing : None, int or "own"
            The branch for missing values, or one of their own; None: as the estimator does it.
        """
        given = {"op": "split", "node": node, "on": on, "at": at, "groups": groups, "missing": missing}
        given["multiway"] = True if multiway else None
        return self.apply({k: v for k, v in given.items() if v is not None})

    def move(self, node: int, at: Any) -> Draft:
        """Change the cut of a test; what is below stays, with the rows that reach it now."""
        return self.apply({"op": "move", "node": node, "at": at})

    def regroup(self, node: int, groups: Any) -> Draft:
        """Change which values lead to which branch of a test; what is below stays."""
        return self.apply({"op": "regroup", "node": node, "groups": groups})

    def collapse(self, node: int) -> Draft:
        """Make a leaf of a test and everything below it."""
        return self.apply({"op": "collapse", "node": node})

    def grow(self, node: int = 0, **limits: Any) -> Draft:
        """Let the estimator grow on at the leaves below a node; what stands, and what is locked, stays.

        From a single leaf this gives the tree that `fit` grows. `limits` such as `max_depth=4` or
        `max_leaf_nodes=10` stand in for the estimator's; they count for the whole tree.
        """
        return self.apply({"op": "grow", "node": node, **limits})

    def regrow(self, node: int = 0, **limits: Any) -> Draft:
        """Forget what is below a node, and let the estimator grow there anew."""
        return self.apply({"op": "regrow", "node": node, **limits})

    def step(self, node: int = 0, order: str = "best") -> Draft:
        """Let the estimator make one split, below a node.

        `order` says where: "best" at the leaf where it lowers the whole tree's impurity most, "breadth" at
        the first one nearest to the node, "depth" at the first one from left to right.
        """
        given = {"node": node, "order": order}
        usual = {"node": 0, "order": "best"}
        return self.apply({"op": "step"} | {k: v for k, v in given.items() if v != usual[k]})

    def prune(self, *, leaves: int | None = None, alpha: float | None = None, method: Any = None) -> Draft:
        """Prune to at most so many leaves, at a penalty for each leaf, or by a method of `hornbeam.parts`.

        Locked nodes, with what is above and below them, stay.
        """
        given = {"leaves": leaves, "alpha": alpha, "method": method}
        return self.apply({"op": "prune"} | {k: v for k, v in given.items() if v is not None})

    def lock(self, node: int) -> Draft:
        """Keep a node and everything below it as it is."""
        return self.apply({"op": "lock", "node": node})

    def unlock(self, node: int) -> Draft:
        """Let a locked node be changed again."""
        return self.apply({"op": "unlock", "node": node})

    def note(self, node: int, text: str) -> Draft:
        """Write a remark at a node, kept and shown with the tree; an empty one takes it back."""
        return self.apply({"op": "note", "node": node, "text": text})

    # ---- going back and forth ------------------------------------------------------------------------------

    def undo(self) -> Draft:
        """The draft before the last operation."""
        if self.head == 0:
            raise ValueError("there is nothing to undo: this is the beginning")
        return replace(self, head=self.revisions[self.head].parent)

    def redo(self) -> Draft:
        """The draft with the operation that was undone."""
        if self.head == self.end:
            raise ValueError("there is nothing to redo: no operation was undone")
        line = line_to(self.revisions, self.end)
        return replace(self, head=line[line.index(self.head) + 1])

    def goto(self, revision: int) -> Draft:
        """The draft at any revision, by its number in `revisions`; all others stay reachable."""
        if not is_whole(revision) or not 0 <= revision < len(self.revisions):
            raise ValueError(
                f"revision={revision!r} must be the number of a revision, from 0 to {len(self.revisions) - 1}"
            )
        on_the_line = revision in line_to(self.revisions, self.end)
        return replace(self, head=revision, end=self.end if on_the_line else revision)


def value_of(value: Any) -> Any:
    """A number of numpy as Python's, sets as lists; anything else as it is."""
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        return value.tolist()
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, (list, tuple)):
        return [value_of(each) for each in value]
    return value
