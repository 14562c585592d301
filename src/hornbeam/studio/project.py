"""Projects: a session as a file, its operations and not its rows; saved by itself after every operation.

One idea: the file says what was done, and to which table (its path beside the file, its checksum); opening it
does the same again. Its last tree document is there too, so that it can be looked at without the table.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hornbeam._base.atomic import write_atomically
from hornbeam.io.load import load
from hornbeam.io.save import save
from hornbeam.studio.data_source import PROJECT, DataSource
from hornbeam.studio.opening import read_json
from hornbeam.studio.output import stem_of
from hornbeam.studio.session import Session

VERSION = 1
ENDING = ".studio.json"
AUTOSAVE = "~"
_MOST_NAMES = 100


def project_facts(session: Session, folder: Path, *, document: bool = True) -> dict[str, Any]:
    """What a project file holds; paths are relative to the folder it is in."""
    with session.lock:
        revisions = list(session.revisions)
        facts: dict[str, Any] = {
            "format": PROJECT,
            "version": VERSION,
            "made_by": f"Hornbeam {version('hornbeam')}",
            "saved": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            "data": _data_facts(session, folder),
            "settings": session.first_settings.to_plain(),
            "revisions": [
                {"op": one.operation, "parent": one.parent, "say": one.say, "time": one.time}
                | ({"log": session.logged(k)} if session.logged(k) else {})
                for k, one in enumerate(revisions)
            ],
            "head": session.head,
            "end": session.end,
        }
    if document and revisions:
        from hornbeam.studio.reads import document as document_of

        facts["document"] = document_of(session, session.view(), measured=True)
    if session.model is not None:
        facts["model"] = _saved_text(session.model)
    return facts


def _saved_text(model: Any) -> str:
    """The model that a session began with, as `hornbeam.save` writes it."""
    with tempfile.TemporaryDirectory() as folder:
        return save(model, Path(folder) / "model.tree.json").read_text(encoding="utf-8")


def _loaded(text: Any) -> Any:
    if text is None:
        return None
    if not isinstance(text, str):
        raise ValueError("the project is damaged: the model it began with is no text")
    with tempfile.TemporaryDirectory() as folder:
        return load(write_atomically(Path(folder) / "model.tree.json", text))


def _data_facts(session: Session, folder: Path) -> dict[str, Any] | None:
    source = session.source
    if source is None or session.sheet is None:
        return None
    facts: dict[str, Any] = {"name": source.name, "rows": session.sheet.data.num_rows}
    facts |= {"sha256": source.sha256, "reading": dict(source.reading)}
    if source.path is not None:
        with suppress(ValueError):  # on another drive
            facts["path"] = Path(os.path.relpath(source.path.resolve(), folder)).as_posix()
    elif source.name.startswith("demo:"):
        facts["path"] = source.name
    return facts


def save_project(session: Session, path: Path, autosave: Autosave | None = None) -> None:
    """Write a project; what was saved by itself until then is not needed any more."""
    if session.read_only is not None:
        raise ValueError(session.read_only)
    write_atomically(path, _text(project_facts(session, path.parent)))
    if autosave is not None:
        autosave.saved(path)


def _text(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts, ensure_ascii=True, allow_nan=False, indent=1) + "\n"


class Autosave:
    """The file that a session saves itself to: NAME.studio.json~, where the project would be saved."""

    def __init__(self, session: Session, folder: Path) -> None:
        self._session, self._folder = session, folder
        self._generation = -1
        self.path: Path | None = None
        self.error: str | None = None

    def write(self) -> None:
        """Save the operations so far, before the answer to the last one is given."""
        session = self._session
        if session.read_only is not None or session.source is None:
            return
        if session.generation != self._generation:  # another table: another file, and none until it is edited
            self._generation, self.path = session.generation, session.project_path
            if self.path is not None:
                self.path = self.path.with_name(self.path.name + AUTOSAVE)
        if len(session.revisions) <= 1 and self.path is None:
            return
        try:
            if self.path is None:
                self.path = self._free_name()
            write_atomically(self.path, _text(project_facts(session, self.path.parent, document=False)))
            self.error = None
        except OSError as fault:
            self.error = f"{fault.strerror or fault}: edits are not saved by themselves"

    def _free_name(self) -> Path:
        """A name that no unsaved work of another session has."""
        stem = stem_of(self._session)
        for number in range(1, _MOST_NAMES):
            name = stem if number == 1 else f"{stem}-{number}"
            path = self._folder / f"{name}{ENDING}{AUTOSAVE}"
            if not path.exists():
                return path
        return self._folder / f"{stem}{ENDING}{AUTOSAVE}"

    def saved(self, path: Path) -> None:
        """The project was saved: the file is removed, and the next edit is kept beside the project."""
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink()
        self._session.project_path = path
        self._generation = self._session.generation
        self.path = path.with_name(path.name + AUTOSAVE)

    def facts(self) -> dict[str, Any]:
        """As a page reads it."""
        others = sorted(one.name for one in self._folder.glob(f"*{ENDING}{AUTOSAVE}") if one != self.path)
        name = None if self.path is None else self.path.name
        return {"file": name, "error": self.error, "others": others[:20]}


# ---- opening -----------------------------------------------------------------------------------------------


def open_project(session: Session, path: Path) -> None:
    """Open a project with its table; if the file saved by itself beside it is newer, that one."""
    facts = read_json(path.read_bytes(), path.name)
    own = path.with_name(path.name + AUTOSAVE)
    if own.is_file() and own.stat().st_mtime_ns > path.stat().st_mtime_ns:
        with suppress(ValueError):
            facts = {**facts, **read_json(own.read_bytes(), own.name)}
    restore(session, facts, path)


def restore(session: Session, facts: Mapping[str, Any], path: Path | None) -> None:
    """Make a session of what a project file holds; without its table it can only be looked at.

    What was open stays if the project cannot be opened.
    """
    check_project(facts)
    data = facts["data"] if isinstance(facts["data"], Mapping) else {}
    source, fresh = _source_of(data, path), Session()
    if source is None:
        name = data.get("name", "its table")
        fresh.show_only(
            facts,
            f"{name} is not where the project says: nothing can be changed until it is",
        )
    elif data.get("sha256") not in (None, source.sha256):
        fresh.show_only(
            facts,
            f"{source.name} was changed since the project was saved: run hornbeam replay on the new table, or"
            " put the old one back; nothing can be changed",
        )
    else:
        rerun(fresh, facts, source)
    session.adopt(fresh, None if path is None else path.with_name(path.name.removesuffix(AUTOSAVE)))


def check_project(facts: Mapping[str, Any]) -> None:
    """Raise with a sentence unless a dict is a project."""
    if facts.get("format") != PROJECT:
        raise ValueError("this is no project of a studio")
    if facts.get("version") != VERSION:
        raise ValueError(
            f"the project is of version {facts.get('version')!r}, and this Hornbeam reads {VERSION}"
        )
    revisions: Any = facts.get("revisions")
    sound = isinstance(revisions, list) and isinstance(facts.get("settings"), dict) and "data" in facts
    sound = sound and all(isinstance(facts.get(name), int) for name in ("head", "end"))
    if sound:
        n = max(len(revisions), 1)
        sound = all(_is_revision(one, k) for k, one in enumerate(revisions))
        sound = sound and 0 <= facts["head"] < n and 0 <= facts["end"] < n
    if not sound:
        raise ValueError(
            "the project is damaged: its revisions, settings, head or data are not as they should be"
        )


def _is_revision(one: Any, number: int) -> bool:
    if not isinstance(one, dict) or not isinstance(one.get("parent"), int):
        return False
    is_first = number == 0
    operation = one.get("op")
    return (
        (operation is None and one["parent"] == -1)
        if is_first
        else (isinstance(operation, dict) and 0 <= one["parent"] < number)
    )


def _source_of(data: Mapping[str, Any], path: Path | None) -> DataSource | None:
    """The table of a project, None if it is not there."""
    given = data.get("path")
    reading = data.get("reading") if isinstance(data.get("reading"), dict) else {}
    if not isinstance(given, str):
        return None
    if given.startswith("demo:"):
        return DataSource.of(given)
    if path is None or not (path.parent / given).is_file():
        return None
    return DataSource.of(path.parent / given, **(reading or {}))


def project_source(facts: Mapping[str, Any], path: Path) -> DataSource:
    """The table of a project; raise if it is not there."""
    check_project(facts)
    data = facts["data"] if isinstance(facts["data"], Mapping) else {}
    source = _source_of(data, path)
    if source is None:
        raise FileNotFoundError(
            f"{data.get('name', 'the table')} is not where {path.name} says: name it with --data"
        )
    return source


def rerun(session: Session, facts: Mapping[str, Any], source: DataSource) -> None:
    """Do all operations of a project again on its table, branches too."""
    settings = {**facts["settings"]}
    session.open_source(source, settings, model=_loaded(facts.get("model")), exactly=True)
    for number, one in enumerate(facts["revisions"]):
        if number == 0:
            continue
        session.goto(one["parent"])
        try:
            session.redo_logged(one["op"], one.get("log"))
        except (ValueError, TypeError, KeyError) as fault:
            raise ValueError(f"operation {number} of the project cannot be done again: {fault}") from None
    if facts["revisions"]:
        session.goto(facts["end"])
        session.goto(facts["head"])


def replay_project(facts: Mapping[str, Any], source: DataSource) -> tuple[Session, list[str]]:
    """The line of operations that led to a project's last tree, on another table; and what was impossible."""
    check_project(facts)
    session = Session()
    session.open_source(source, {**facts["settings"]}, model=_loaded(facts.get("model")), exactly=True)
    line, at = [], facts["head"]
    while at > 0:
        line.append(facts["revisions"][at])
        at = facts["revisions"][at]["parent"]
    refused = []
    for one in reversed(line):
        try:
            session.redo_logged(one["op"], one.get("log"))
        except (ValueError, TypeError, KeyError) as fault:
            refused.append(f"{one['op'].get('op')}: {fault}")
    return session, refused
