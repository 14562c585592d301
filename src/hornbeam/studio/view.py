"""One revision of a session, to be read: its tree, the rows and the settings it stands on.

One idea: a revision never changes, so whoever reads it waits for nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hornbeam.editing import Draft
from hornbeam.studio.chapter import Chapter, way_to
from hornbeam.tree.tree import Tree

SETTINGS, RESET = "settings", "reset"
GROWING = ("grow", "regrow")


class StaleRevision(ValueError):  # noqa: N818 (what happened, not a fault of the program)
    """An operation was meant for a revision that does not stand any more."""


class NothingOpen(ValueError):  # noqa: N818
    """No table is open, or no target is chosen, so that there is no tree yet."""


@dataclass(frozen=True)
class SessionRevision:
    """One state: an operation, the revision it was applied to, and where its tree is.

    Attributes
    ----------
    operation : the operation with "node" an identity, None for the beginning
    say : what happened, in words
    parent : the number of the revision before, -1 for the beginning
    chapter, place : the chapter, and the number of the revision in the chapter's draft
    time : when, in UTC
    """

    operation: Mapping[str, Any] | None
    say: str
    parent: int
    chapter: int
    place: int
    time: str


class View:
    """One revision, to be read: its tree, the rows and the settings it stands on."""

    def __init__(self, chapter: Chapter, place: int, number: int) -> None:
        self.chapter, self.place, self.number = chapter, place, number
        self.tree: Tree = chapter.draft.revisions[place].tree
        self.ids = chapter.ids(place)
        self._node_of = {identity: node for node, identity in enumerate(self.ids)}

    @property
    def model(self) -> Any:
        """A fitted estimator with this tree."""
        return self.chapter.draft.context.model(self.tree)

    @property
    def draft(self) -> Draft:
        """The draft at this revision."""
        return self.chapter.draft.goto(self.place)

    def node(self, identity: Any) -> int:
        """The number of a node, by its identity."""
        if isinstance(identity, bool) or not isinstance(identity, int) or identity not in self._node_of:
            raise KeyError(f"the tree of revision {self.number} has no node with the id {identity!r}")
        return self._node_of[identity]


def numbered(view: View, operation: Mapping[str, Any]) -> dict[str, Any]:
    """An operation whose node is a number of the tree instead of an identity."""
    plain = dict(operation)
    if "node" in plain:
        plain["node"] = view.node(plain["node"])
    if "stopped" in plain:
        raise ValueError("'stopped' is kept by the log alone: leave it out")
    return plain


def wayed_log(draft: Draft) -> list[dict[str, Any]]:
    """The operations up to a revision, each with the way to its node, by which another tree finds it."""
    log = []
    here = draft
    while here.head != 0:
        operation = dict(here.revisions[here.head].operation or {})
        here = here.undo()
        if "node" in operation:
            operation["way"] = way_to(here.tree, operation["node"])
        log.append(operation)
    return log[::-1]
