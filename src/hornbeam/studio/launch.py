"""`hb.studio`: a studio from Python, in a script or a notebook."""

from __future__ import annotations

import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hornbeam.studio.data_source import DataSource, is_model, is_project, start_of_file

if TYPE_CHECKING:
    from hornbeam.editing import Draft
    from hornbeam.studio.server import StudioServer
    from hornbeam.studio.session import Session

NEEDED = "the studio needs starlette and uvicorn: pip install 'hornbeam[studio]'"


class Studio:
    """A studio that runs; `hornbeam.studio` makes it.

    Attributes
    ----------
    url : an address that lets one browser in, a new one each time it is read
    draft : the tree as it stands, with all its revisions, as `hornbeam.edit` gives one
    model : a fitted estimator with the tree as it stands
    """

    def __init__(self, server: StudioServer) -> None:
        self._server = server
        self.session: Session = server.session

    @property
    def url(self) -> str:
        """An address to open."""
        return self._server.url

    @property
    def draft(self) -> Draft:
        """The draft at the revision that stands."""
        return self.session.draft

    @property
    def model(self) -> Any:
        """A fitted estimator with the tree as it stands."""
        return self.session.view().model

    def close(self) -> None:
        """End the server."""
        self._server.close()
        self._server.join(5)

    def __enter__(self) -> Studio:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Studio at port {self._server.port}; .url opens it, .draft is its tree, .close() ends it>"


def studio(
    data: Any = None,
    *,
    target: str | None = None,
    model: Any = None,
    settings: dict[str, Any] | None = None,
    folder: Any = None,
    port: int = 0,
    browser: bool = True,
    largest_upload: int | None = None,
    lecture: str | None = None,
) -> Studio:
    """Open a studio: grow, question, override, prune and hand over a tree in the browser.

    The server runs in a thread of this process, listens on this machine only, and ends with `close`, or with
    the process.

    Parameters
    ----------
    data : path, "demo:NAME", data frame, dict of columns, or None
        A table, a saved model that says where its rows are, or a project (NAME.studio.json). None begins with
        an empty page.
    target : str or None
        The column to predict; None: what the file declares, or what is chosen in the page.
    model : fitted TreeClassifier or TreeRegressor, or None
        The tree to begin with, fitted on these rows.
    settings : dict or None
        Other settings to begin with, such as {"held_out": 0.3, "seed": 7, "recipe": "c45"}.
    folder : path or None
        Where projects are saved and opened; None: that of the file, or the working directory.
    port : int
        0: any that is free.
    browser : bool
        Whether to open a browser; the address is printed either way.
    largest_upload : int or None
        The most bytes of a table that the page may send; None: 200 MB.
    lecture : str or None
        A guided lecture to begin with, in the place of `data`, such as "tennis"; the first page lists all.

    Returns
    -------
    Studio
        `url`, `draft`, `model`, `close()`; also a context manager.

    Examples
    --------
    >>> import hornbeam as hb
    >>> with hb.studio("demo:tennis", browser=False) as studio:  # doctest: +SKIP
    ...     studio.draft.tree.n_leaves
    the studio is at http://127.0.0.1:...
    1
    """
    server = make_server(
        data, target=target, model=model, settings=settings, folder=folder, port=port, keep_alive=True,
        largest_upload=largest_upload, lecture=lecture,
    )  # fmt: skip
    server.start()
    url = server.url
    sys.stdout.write(f"the studio is at {url}\n")
    sys.stdout.flush()
    if browser:
        webbrowser.open(server.url)
    return Studio(server)


def make_server(
    data: Any = None,
    *,
    target: str | None = None,
    model: Any = None,
    settings: dict[str, Any] | None = None,
    folder: Any = None,
    largest_upload: int | None = None,
    lecture: str | None = None,
    **options: Any,
) -> StudioServer:
    """A server on whatever is opened, not started yet."""
    given = dict(settings or {}) | ({} if target is None else {"target": target})
    source = _source_read_ahead(data) if "kinds" not in given else None
    try:
        from hornbeam.studio.server import StudioServer
    except ImportError as missing:
        if missing.name not in ("starlette", "uvicorn", "anyio", "h11"):
            raise
        raise ImportError(NEEDED, name=missing.name) from None
    from hornbeam.studio.opening import open_what
    from hornbeam.studio.session import Session

    if lecture is not None and (data is not None or target is not None or model is not None):
        raise ValueError(f"lecture={lecture!r} brings its own table: leave data, target and model out")
    session = Session()
    where = Path.cwd() if folder is None else Path(folder)
    if isinstance(data, (str, Path)) and not str(data).startswith("demo:"):
        path = Path(data).expanduser()
        where = path.resolve().parent if folder is None else where
        if model is None:
            open_what(session, str(path), given, source)
        else:
            session.open_source(source or DataSource.of(path), given, model=model)
    elif data is not None:
        session.open_source(DataSource.of(data), given, model=model)
    if largest_upload is not None:
        options["largest_upload"] = largest_upload
    server = StudioServer(session, folder=where, **options)
    if lecture is not None:
        server.api.teacher.begin_lecture(lecture)
    return server


def _source_read_ahead(data: Any) -> DataSource | None:
    """The source of a file that is a table, being read already: imports take longer than reading."""
    if not isinstance(data, (str, Path)) or str(data).startswith("demo:"):
        return None
    path = Path(data).expanduser()
    with suppress(OSError):  # said where it is opened
        start = start_of_file(path)
        if not is_project(start) and not is_model(start):
            source = DataSource.of(path)
            source.read_ahead()
            return source
    return None
