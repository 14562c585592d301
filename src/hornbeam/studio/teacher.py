"""Teacher: where a class stands, in the pseudo-code of an algorithm or in a guided lecture.

One idea: a place is a revision, a node and a line; going on is the next line, and only the line that divides
rows changes the tree, by an ordinary operation of the session. Whoever edits beside it is not in the way: the
place is found anew from the revision that stands.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hornbeam._base.parameters import did_you_mean
from hornbeam.studio import reads
from hornbeam.studio.data_source import DataSource
from hornbeam.studio.session import Session
from hornbeam.studio.view import View
from hornbeam.teaching.lectures import Lecture, lecture, node_by_answers
from hornbeam.teaching.pseudocode import NodeWalk, walk
from hornbeam.tree.arrays import LEAF

DONE = -1  # the node of a place after the last one
_FORGET = 500  # places


class Place(NamedTuple):
    """A revision, the identity of a node (DONE: all nodes are finished), and which of its steps is shown."""

    revision: int
    node: int
    step: int


class Teacher:
    """The position of a class in one session.

    Attributes
    ----------
    is_open : whether teaching is shown
    lecture : the guided lecture, None for the pseudo-code
    chapter : the step of the lecture
    """

    def __init__(self, session: Session) -> None:
        self.session, self.is_open = session, False
        self.lecture: Lecture | None = None
        self.chapter = 0
        self._place: Place | None = None
        self._trail: list[Place] = []  # places before this one
        self._stands: list[int] = []  # the revision after each step of the lecture so far
        self._generation = session.generation
        self._walks: dict[tuple[int, int, int], NodeWalk] = {}
        self.lock = threading.RLock()

    # ---- going ---------------------------------------------------------------------------------------------

    def go(self, what: Any) -> None:
        """Go where a word says: "next", "back", "algorithm NAME", "lecture NAME STEP"; `_WAYS` has all."""
        if not isinstance(what, str) or not what.split():
            raise ValueError(f"go={what!r} must be text, such as 'next'")
        name, *given = what.split()
        if name not in _WAYS:
            raise ValueError(f"go={what!r} is not known{did_you_mean(name, _WAYS)}: {', '.join(_WAYS)}")
        with self.lock:
            self.follow()
            way, most = _WAYS[name]
            if len(given) > most:
                raise ValueError(f"go={what!r} has more words than {name!r} takes")
            way(self, *given)

    def open(self) -> None:
        """Show teaching."""
        self.is_open = True

    def close(self) -> None:
        """Show it no more; the place is kept."""
        self.is_open = False

    def next(self) -> None:
        """The next line, or the next step of the lecture."""
        if self.lecture is not None:
            self._next_chapter(self.lecture)
            return
        place = self.place()
        if place.node == DONE:
            self._prune(place)
            return
        view, steps = self.session.view(), self.walk_at(place).steps
        self._leave(place)
        if place.step + 1 < len(steps):
            operation = steps[place.step + 1].operation
            if operation is not None:
                self._do({**operation, "node": place.node})
            self._place = Place(self.session.head, place.node, place.step + 1)
            return
        self._place = Place(view.number, self._node_after(view, place.node), 0)

    def split(self) -> None:
        """Go on to the next node that is split, and split it."""
        self._refuse_in_lecture("split")
        place, view = self.place(), self.session.view()
        node = place.node
        while node != DONE:
            steps = self.walk_at(Place(view.number, node, 0)).steps
            if steps[-1].operation is not None:
                self._leave(place)
                self._do({**steps[-1].operation, "node": node})
                self._place = Place(self.session.head, node, len(steps) - 1)
                return
            node = self._node_after(view, node, closed=False)
        self._leave(place)
        self._place = Place(view.number, DONE, 0)

    def finish(self) -> None:
        """Grow everything that is left."""
        self._refuse_in_lecture("finish")
        place = self.place()
        self._leave(place)
        if self._open_leaves(self.session.view()):
            self._do({"op": "grow"})
        self._place = Place(self.session.head, DONE, 0)

    def back(self) -> None:
        """The place before; what was done in between is undone."""
        if self.lecture is not None:
            if self.chapter == 0:
                raise ValueError("this is the first step of the lecture")
            self.chapter -= 1
            self.session.goto(self._stands[self.chapter])
            del self._stands[self.chapter + 1 :]
            return
        if self._trail:
            self._place = self._trail.pop()
            if self._place.revision != self.session.head:
                self.session.goto(self._place.revision)
        else:
            self.session.undo()
            self._place = None

    def algorithm(self, name: str = "") -> None:
        """Teach by the pseudo-code, of the recipe that is named or of the present settings."""
        if name:
            plain = dict.fromkeys(("criterion", "selection", "split"))
            self._do({"op": "settings", "recipe": name, **plain})
        self.lecture, self._place, self.is_open = None, None, True
        self._trail.clear()

    def begin_lecture(self, name: str = "", chapter: str = "0") -> None:
        """Begin a guided lecture, or go to one of its steps: the table is opened, and all before is done."""
        chosen = lecture(name)
        if not chapter.isdecimal() or int(chapter) >= len(chosen.steps):
            raise ValueError(f"step {chapter!r} of the lecture {name!r} must be below {len(chosen.steps)}")
        self.session.open_source(DataSource.of(f"demo:{chosen.table}"), dict(chosen.settings))
        self.lecture, self.is_open, self.chapter = chosen, True, 0
        self._generation, self._stands = self.session.generation, [self.session.head]
        for _ in range(int(chapter)):
            self._next_chapter(chosen)

    # ---- places --------------------------------------------------------------------------------------------

    def place(self) -> Place:
        """Where the class stands; where it stood before, if somebody undid; else the first open leaf."""
        head = self.session.head
        if self._place is not None and self._place.revision == head:
            return self._place
        while self._trail and self._trail[-1].revision > head:
            self._trail.pop()
        if self._trail and self._trail[-1].revision == head:
            self._place = self._trail.pop()
        else:
            leaves = self._open_leaves(self.session.view())
            self._place = Place(head, leaves[0] if leaves else DONE, 0)
        return self._place

    def node(self) -> int | None:
        """The identity of the node under work; None if there is none."""
        if self.lecture is None:
            node = self.place().node
            return None if node == DONE else node
        view = self.session.view()
        try:
            return view.ids[node_by_answers(view.tree, self.lecture.steps[self.chapter].node)]
        except ValueError:  # somebody changed the tree
            return None

    def walk_at(self, place: Place) -> NodeWalk:
        """The steps at the node of a place."""
        key = (self._generation, place.revision, place.node)
        if key not in self._walks:
            view = self.session.view(place.revision)
            if len(self._walks) > _FORGET:
                self._walks.clear()
            self._walks[key] = walk(view.draft, view.node(place.node))
        return self._walks[key]

    @property
    def can_go_back(self) -> bool:
        """Whether there is a place before."""
        if self.lecture is not None:
            return self.chapter > 0
        return bool(self._trail) or self.session.revisions[self.session.head].parent >= 0

    def _open_leaves(self, view: View) -> list[int]:
        """The identities of the leaves that are not pure or locked, from left to right."""
        marks = reads.marks(view)
        return [view.ids[node] for node, _ in view.tree.walk() if marks[node]["open"]]

    def _node_after(self, view: View, identity: int, *, closed: bool = True) -> int:
        """The node that recursion comes to next: the first branch, or the next leaf; then those left open."""
        tree, node = view.tree, view.node(identity)
        order = [node for node, _ in tree.walk()]
        after = [one for one in order[order.index(node) + 1 :] if tree.kind[one] == LEAF]
        left = set(self._open_leaves(view))
        if not closed:
            after = [one for one in after if view.ids[one] in left]
        if after:
            return view.ids[after[0]]
        before = [one for one in order[: order.index(node)] if view.ids[one] in left]
        can = (view.ids[one] for one in before)
        splits = (one for one in can if self.walk_at(Place(view.number, one, 0)).steps[-1].operation)
        return next(splits, DONE)

    # ---- helpers -------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Forget the places of another table."""
        if self.session.generation != self._generation:
            self._generation, self._place, self.lecture = self.session.generation, None, None
            self._trail.clear()
            self._walks.clear()

    def _leave(self, place: Place) -> None:
        self._trail.append(place)
        del self._trail[:-_FORGET]

    def _do(self, operation: Mapping[str, Any]) -> None:
        self.session.apply(self.session.head, operation)

    def _prune(self, place: Place) -> None:
        """Do the last line of an algorithm that prunes."""
        operation = self.pruning()
        if operation is None or place.step:
            raise ValueError("the tree is finished")
        self._leave(place)
        self._do(operation)
        self._place = Place(self.session.head, DONE, 1)

    def pruning(self) -> dict[str, Any] | None:
        """What the algorithm does to the grown tree, None if nothing."""
        view = self.session.view()
        listing = self.walk_at(Place(view.number, view.ids[0], 0)).listing
        if listing.line_of("prune") is None or view.tree.n_leaves == 1:
            return None
        if listing.name == "c45":
            return {"op": "prune", "method": "error-based"}
        if view.chapter.rows.held_out is not None:
            return {"op": "prune", "method": "cost-complexity"}
        return {"op": "prune", "alpha": 0.0}

    def _next_chapter(self, chosen: Lecture) -> None:
        if self.chapter + 1 >= len(chosen.steps):
            raise ValueError("this is the end of the lecture")
        if self.session.head != self._stands[self.chapter]:  # what was tried beside it stays in the history
            self.session.goto(self._stands[self.chapter])
        operation = dict(chosen.steps[self.chapter + 1].do)
        if operation:
            if "at" in operation:
                view = self.session.view()
                operation["node"] = view.ids[node_by_answers(view.tree, operation.pop("at"))]
            self._do(operation)
        self.chapter += 1
        self._stands = [*self._stands[: self.chapter], self.session.head]

    def _refuse_in_lecture(self, what: str) -> None:
        if self.lecture is not None:
            raise ValueError(f"{what} goes with an algorithm: a lecture has 'next' and 'back'")


# By word: where it leads, and how many words may follow.
_WAYS: Mapping[str, tuple[Callable[..., None], int]] = {
    "open": (Teacher.open, 0),
    "close": (Teacher.close, 0),
    "next": (Teacher.next, 0),
    "split": (Teacher.split, 0),
    "finish": (Teacher.finish, 0),
    "back": (Teacher.back, 0),
    "algorithm": (Teacher.algorithm, 1),
    "lecture": (Teacher.begin_lecture, 2),
}
