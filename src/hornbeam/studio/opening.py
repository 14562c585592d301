"""Opening a table, a model or a project: by name below the studio's folder, as a bundled table, or sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hornbeam.io.load import load
from hornbeam.studio.chapter import check_model
from hornbeam.studio.data_source import DataSource, is_model, is_project, start_of_file
from hornbeam.studio.session import Session

FOLDER_HINT = "of a file below the folder the studio was started in"
_READING = ("format", "delimiter", "decimal", "quote", "encoding", "sheet")
_LONGEST_NAME = 200


class Forbidden(ValueError):  # noqa: N818 (what happened)
    """A path leads out of the folder of the studio."""


def within(folder: Path, given: Any, ending: str = "") -> Path:
    """A path below a folder, links followed; with an ending, a plain name that gets it."""
    if not isinstance(given, str) or not given or len(given) > _LONGEST_NAME or "\0" in given:
        raise ValueError(f"a path must be text of up to {_LONGEST_NAME} characters")
    if ending:
        stem = given.removesuffix(ending)
        if (
            not stem
            or stem.startswith(".")
            or any(sign in stem for sign in '/\\:*?"<>|')
            or not stem.isprintable()
        ):
            raise ValueError(f"name={given!r} must be a plain file name without folders and special signs")
        given = stem + ending
    try:
        path: Path = (folder / given).resolve()
    except (OSError, ValueError, RuntimeError):
        raise ValueError(f"{given!r} is no path") from None
    if not path.is_relative_to(folder.resolve()):
        raise Forbidden(f"{given!r} is not below the folder of the studio: only files there are opened")
    return path


def open_what(
    session: Session, given: str, settings: Mapping[str, Any], source: DataSource | None = None
) -> None:
    """Open whatever a name stands for: a bundled table, a table, a saved model with its rows, a project.

    `source` is the same as a source, if there is one already.
    """
    from hornbeam.studio.project import open_project

    if not given.startswith("demo:"):
        start = start_of_file(Path(given))
        if is_project(start):
            open_project(session, Path(given))
            return
        if is_model(start):
            open_model(session, Path(given), settings)
            return
    session.open_source(source or DataSource.of(given), settings)


def open_model(session: Session, path: Path, settings: Mapping[str, Any]) -> None:
    """Open a saved model with the rows it was fitted on, which its file names."""
    model = load(path)
    check_model(model)
    tree = getattr(model, "tree_", model)
    facts = tree.meta.get("data")
    if not isinstance(facts, Mapping) or not facts.get("source"):
        raise ValueError(
            f"{path.name} does not say where its rows are: open its table, and the model from Python,"
            " hb.studio(X, target=..., model=model)"
        )
    source = str(facts["source"])
    if not source.startswith("demo:"):
        beside = Path(source) if Path(source).exists() else path.parent / Path(source).name
        if not beside.exists():
            raise FileNotFoundError(
                f"the rows of {path.name} are in {source}, which is not there: open the table itself"
            )
        source = str(beside)
    given = {
        "target": facts.get("target"),
        "held_out": facts.get("holdout", 0.0),
        "seed": facts.get("seed", 0),
    }
    given |= {name: facts[name] for name in ("weight", "counts") if facts.get(name)}
    excluded = getattr(model, "exclude", None)
    given |= {"exclude": [*excluded] if excluded else [], "recipe": None}
    session.open_source(DataSource.of(source, **_reading_of(facts)), given | dict(settings), model=model)


def _reading_of(facts: Mapping[str, Any]) -> dict[str, Any]:
    reading = dict(facts.get("reading") or {})
    if "input_format" in reading:
        reading["format"] = reading.pop("input_format")
    reading.pop("columns", None)
    return reading


def open_upload(session: Session, name: str, content: bytes, query: Mapping[str, str]) -> None:
    """Open a table that was sent, under the name of its file; a project has no table beside it."""
    plain = Path(name.replace("\\", "/")).name
    if not plain or len(plain) > _LONGEST_NAME or not plain.isprintable():
        raise ValueError(f"name={name[:60]!r} must be the name of a file, such as name=titanic.csv")
    if is_project(content) or plain.endswith(".studio.json"):
        from hornbeam.studio.project import restore

        restore(session, read_json(content, plain), None)
        return
    if is_model(content):
        raise ValueError(
            f"{plain} is a saved model, which has no rows: run `hornbeam studio {plain}` beside its table, or"
            " open its table here"
        )
    settings = json.loads(query["settings"]) if "settings" in query else {}
    reading = {key: query[key] for key in _READING if key in query}
    session.open_source(DataSource(plain, content, reading), settings)


def read_json(content: bytes, name: str) -> dict[str, Any]:
    """The object of a JSON file; raise with its name for anything else."""
    from hornbeam._base.json_depth import too_deep

    try:
        if too_deep(content) is not None:
            raise ValueError("nested too deeply")
        given = json.loads(content)
    except (UnicodeDecodeError, ValueError, RecursionError) as fault:
        raise ValueError(f"{name} is damaged: {fault}") from None
    if not isinstance(given, dict):
        raise ValueError(f"{name} is no project of a studio")
    return given
