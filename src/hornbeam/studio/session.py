"""Session: one table, its settings, and every revision of the tree that is edited on it.

One idea: every change is an operation, a small dict, and gives a revision; nothing is forgotten. Reads look
at one revision, which never changes, so they wait for nobody; changes take turns.
"""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hornbeam.data.files import TableFile
from hornbeam.editing import Draft
from hornbeam.editing.history import Changes, changes_between
from hornbeam.growing.interruption import Watcher
from hornbeam.studio.chapter import Chapter, check_model, node_by_way, way_to
from hornbeam.studio.data_source import DataSource
from hornbeam.studio.rows import first_settings, with_guesses
from hornbeam.studio.settings import Settings
from hornbeam.studio.view import (
    RESET,
    SETTINGS,
    NothingOpen,
    SessionRevision,
    StaleRevision,
    View,
    numbered,
    wayed_log,
)


class Session:
    """A studio without its server.

    Attributes
    ----------
    source, sheet : where the table is from, and the table; None before one is opened
    settings : those of the revision that stands
    revisions : all of them, in the order they were made
    head, end : the revision that stands, and the last one of the line that redo follows
    """

    def __init__(self) -> None:
        self.turn = threading.RLock()  # held by whoever makes a change, as long as it takes
        self.lock = threading.RLock()  # held for a moment by whoever looks at, or sets, what stands
        self.source: DataSource | None = None
        self._sheet: TableFile | None = None  # before there is a target
        self.chosen = Settings()  # before there is a target
        self.chapters: list[Chapter] = []
        self.revisions: list[SessionRevision] = []
        self.head = self.end = 0
        self.read_only: str | None = None  # why nothing can be changed
        self.kept: Mapping[str, Any] | None = None  # the project file that is only looked at
        self.project_path: Path | None = None
        self.model: Any = None  # the fitted model it began with
        self.generation = 0  # how many tables were opened: what was remembered of another one is void
        self.changed: list[Callable[[], None]] = []  # called after every change

    # ---- opening -------------------------------------------------------------------------------------------

    @classmethod
    def open(cls, given: Any, *, model: Any = None, **settings: Any) -> Session:
        """A session on a path, "demo:NAME" or a data frame; with settings such as target="Play"."""
        session = cls()
        session.open_source(DataSource.of(given), settings, model=model)
        return session

    def open_source(
        self, source: DataSource, given: Mapping[str, Any], *, model: Any = None, exactly: bool = False
    ) -> None:
        """Begin anew with a table; what was open stays if this one cannot be read.

        With `exactly` nothing is guessed: the settings are those of a session that was saved.
        """
        settings = Settings().changed(given)
        if model is not None:
            check_model(model)
        sheet = source.read(settings.kinds)
        if not exactly:
            settings = first_settings(sheet, given, is_demo=source.name.startswith("demo:"))
        chapters = [] if settings.target is None else [Chapter.begin(sheet, settings, model)]
        with self.turn, self.lock:
            self.source, self._sheet, self.chosen, self.chapters = source, sheet, settings, chapters
            self.revisions, self.head, self.end, self.read_only = [], 0, 0, None
            self.kept, self.project_path, self.model = None, None, model
            self.generation += 1
            if chapters:
                self._begin()
                chapters[0].rank_ahead()
                source.check_ahead()
        self._tell()

    def adopt(self, other: Session, path: Path | None) -> None:
        """Go on as another session, which nobody else uses: a project that was opened from a file."""
        with self.turn, self.lock:
            for name in ("source", "_sheet", "chosen", "model", "chapters", "revisions", "read_only", "kept"):
                setattr(self, name, getattr(other, name))
            self.head, self.end = other.head, other.end
            self.project_path = path
            self.generation += 1
        self._tell()

    def show_only(self, project: Mapping[str, Any], why: str) -> None:
        """Show what a project file holds."""
        with self.turn, self.lock:
            self.source, self._sheet, self.chapters, self.revisions = None, None, [], []
            self.head = self.end = 0
            self.kept, self.read_only, self.model = project, why, None
            self.chosen = Settings().changed(project["settings"])
            self.generation += 1
        self._tell()

    def _begin(self) -> None:
        chapter = self.chapters[0]
        self.revisions = [SessionRevision(None, chapter.draft.say, -1, 0, chapter.draft.head, _now())]

    # ---- what it is ----------------------------------------------------------------------------------------

    @property
    def sheet(self) -> TableFile | None:
        """The table, its columns read as the revision that stands has them."""
        if not self.revisions:
            return self._sheet
        return self.chapters[self.revisions[self.head].chapter].sheet

    @property
    def settings(self) -> Settings:
        """The settings of the revision that stands."""
        if not self.revisions:
            return self.chosen
        return self.chapters[self.revisions[self.head].chapter].settings

    @property
    def first_settings(self) -> Settings:
        """The settings that the session began with."""
        return self.chapters[0].settings if self.chapters else self.chosen

    @property
    def draft(self) -> Draft:
        """The Draft of the library at the revision that stands."""
        return self.view().draft

    def view(self, number: int | None = None) -> View:
        """A revision to read, the one that stands unless a number is given."""
        with self.lock:
            number = self.head if number is None else number
            if not self.revisions:
                sentence = "there is no tree yet: open a table and choose its target"
                raise NothingOpen(self.read_only or sentence)
            if (
                isinstance(number, bool)
                or not isinstance(number, int)
                or not 0 <= number < len(self.revisions)
            ):
                raise ValueError(
                    f"revision={number!r} must be the number of a revision, from 0 to"
                    f" {len(self.revisions) - 1}"
                )
            one = self.revisions[number]
            return View(self.chapters[one.chapter], one.place, number)

    def line(self, number: int) -> list[int]:
        """The revisions from the beginning to one of them."""
        line = [number]
        while self.revisions[line[-1]].parent >= 0:
            line.append(self.revisions[line[-1]].parent)
        return line[::-1]

    @property
    def branches(self) -> list[int]:
        """The last revision of each line that was left."""
        parents = {one.parent for one in self.revisions}
        return [k for k in range(len(self.revisions)) if k not in parents and k != self.end]

    def logged(self, number: int) -> dict[str, Any] | None:
        """An edit as the library's log has it, with the way to its node; None for what is no edit."""
        one = self.revisions[number]
        if one.operation is None or one.operation["op"] in (SETTINGS, RESET):
            return None
        draft = self.chapters[one.chapter].draft
        operation = dict(draft.revisions[one.place].operation or {})
        if "node" in operation:
            before = draft.revisions[draft.revisions[one.place].parent]
            operation["way"] = way_to(before.tree, operation["node"])
        return operation

    def apply(self, base: Any, operation: Mapping[str, Any], watcher: Watcher | None = None) -> Changes:
        """Apply an operation to the revision that stands; `base` says which one that is meant to be."""
        with self.turn:
            self.check_base(base)
            if not isinstance(operation, Mapping) or not isinstance(operation.get("op"), str):
                raise ValueError(
                    f"an operation is an object with an 'op', such as {{'op': 'step'}}, not {operation!r}"
                )
            if operation["op"] == SETTINGS:
                self._change_settings({k: v for k, v in operation.items() if k != "op"})
            elif operation["op"] == RESET:
                self._reset()
            else:
                self._edit(operation, watcher)
            changes = self.changes(self.head) if self.revisions else Changes({}, [], [], [])
        self._tell()
        return changes

    def changes(self, number: int) -> Changes:
        """What a revision changed of the one before, by the identities of nodes."""
        now = self.view(number)
        parent = self.revisions[number].parent
        before = now if parent < 0 else self.view(parent)
        old = replace(before.chapter.draft.revisions[before.place], ids=tuple(before.ids))
        new = replace(now.chapter.draft.revisions[now.place], ids=tuple(now.ids))
        made = changes_between(old, new)
        return Changes(
            {before.ids[k]: now.ids[n] for k, n in made.number.items()},
            [now.ids[k] for k in made.added],
            [before.ids[k] for k in made.removed],
            [now.ids[k] for k in made.changed],
        )

    def check_base(self, base: Any) -> None:
        """Raise unless `base` is the revision that stands, and it may be changed."""
        if self.read_only is not None:
            raise ValueError(self.read_only)
        if not self.revisions and base in (None, 0):
            return
        if isinstance(base, bool) or base != self.head:
            raise StaleRevision(
                f"base={base!r} is not the revision that stands, which is {self.head}: look at it, and try"
                " again"
            )

    def _edit(self, operation: Mapping[str, Any], watcher: Watcher | None) -> None:
        view = self.view()
        self._edit_node(operation, numbered(view, operation), view, watcher)

    def _edit_node(
        self, operation: Mapping[str, Any], plain: dict[str, Any], view: View, watcher: Watcher | None
    ) -> None:
        draft, context = view.draft, view.draft.context
        if watcher is None:
            made = draft.apply(plain)
        else:
            made = replace(draft, context=context.watched(watcher)).apply(plain)
            if watcher.has_stopped:  # when it was stopped depends on the time: the log keeps what was grown
                made = draft.apply({"op": "grow", "node": plain.get("node", 0), "stopped": made.tree})
            made = replace(made, context=context)
        view.chapter.draft = made
        self._add(operation, made.say, self.revisions[self.head].chapter, made.head)

    def redo_logged(self, operation: Mapping[str, Any], log: Mapping[str, Any] | None) -> None:
        """Do an operation of a saved session again; its node is found by the way that leads there."""
        if not isinstance(log, Mapping):
            self.apply(self.head, operation)
            return
        with self.turn:
            self.check_base(self.head)
            view = self.view()
            plain = {name: value for name, value in log.items() if name != "way"}
            named = dict(operation)
            if "way" in log:
                plain["node"] = node_by_way(view.tree, log["way"])
                named["node"] = view.ids[plain["node"]]
            self._edit_node(named, plain, view, None)
        self._tell()

    def _change_settings(self, given: Mapping[str, Any]) -> None:
        if self.source is None or self.sheet is None:
            raise NothingOpen("no table is open: open one first")
        before = self.settings
        settings = before.changed(given)
        sheet = self.sheet if settings.kinds == before.kinds else self.source.read(settings.kinds)
        if settings.target is not None and settings.target != before.target:
            settings = with_guesses(sheet, settings, given)
        if settings.target is None:
            self.chosen, self._sheet = settings, sheet
            return
        rows_only = self.model is not None and {*settings.changes_from(before)} <= {"held_out", "seed"}
        model = self.model if rows_only else None
        chapter = Chapter.begin(sheet, settings, model, number=len(self.chapters))
        if not self.chapters:
            with self.lock:
                self._sheet, self.chapters = sheet, [chapter]
                self._begin()
            return
        view = self.view()
        chapter.again(wayed_log(view.draft))
        chapter.keep_identities(view.tree, view.ids)
        chapter.rank_ahead()
        with self.lock:
            self.chapters.append(chapter)
        say = f"changed settings: {', '.join(settings.changes_from(before)) or 'nothing'}"
        if self.model is not None and model is None:
            say += "; the tree begins anew, without that of the model that was opened"
        for operation, why in chapter.impossible:
            say += f"; {operation['op']} became impossible ({why})"
        self._add({"op": SETTINGS, **given}, say, len(self.chapters) - 1, chapter.draft.head)

    def _reset(self) -> None:
        self.view()
        self._add({"op": RESET}, "began again from the start", self.revisions[self.head].chapter, 0)

    def _add(self, operation: Mapping[str, Any], say: str, chapter: int, place: int) -> None:
        with self.lock:
            self.revisions.append(SessionRevision(dict(operation), say, self.head, chapter, place, _now()))
            self.head = self.end = len(self.revisions) - 1

    def undo(self) -> None:
        """Go to the revision before."""
        with self.turn, self.lock:
            self.view()
            if self.revisions[self.head].parent < 0:
                raise ValueError("there is nothing to undo: this is the beginning")
            self.head = self.revisions[self.head].parent
        self._tell()

    def redo(self) -> None:
        """Go to the revision that was undone."""
        with self.turn, self.lock:
            self.view()
            if self.head == self.end:
                raise ValueError("there is nothing to redo: no operation was undone")
            line = self.line(self.end)
            self.head = line[line.index(self.head) + 1]
        self._tell()

    def goto(self, number: Any) -> None:
        """Go to any revision; all others stay reachable."""
        with self.turn, self.lock:
            self.view(number)
            if number not in self.line(self.end):
                self.end = number
            self.head = number
        self._tell()

    def _tell(self) -> None:
        for listener in self.changed:
            listener()


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
