"""The web server of a studio: its page, the files of the viewer, the API, and when it ends."""

from __future__ import annotations

import hashlib
import mimetypes
import socket
import threading
import time
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hornbeam.data.files import TableError
from hornbeam.display import __file__ as display_file
from hornbeam.studio.api import Api, answer
from hornbeam.studio.jobs import Busy
from hornbeam.studio.opening import Forbidden
from hornbeam.studio.security import LARGEST_UPLOAD, Gate, Guard, TooLarge
from hornbeam.studio.session import Session
from hornbeam.studio.teach_api import TeachApi
from hornbeam.studio.view import NothingOpen, StaleRevision

WEB = Path(display_file).parent / "web"
PAGE = "studio/index.html"
KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
LEFT_FOR = 600.0  # seconds after which a studio that nobody looks at ends
_CHECK = 2.0
_STATUS: dict[type[Exception], int] = {
    StaleRevision: 409,
    Busy: 409,
    NothingOpen: 400,
    Forbidden: 403,
    TooLarge: 413,
    FileNotFoundError: 404,
    KeyError: 404,
    TableError: 422,
    ValueError: 400,
    TypeError: 400,
    OSError: 400,
}


def make_app(api: Api, largest_upload: int = LARGEST_UPLOAD) -> Guard:
    """The application of a studio, behind its checks."""
    routes = [*api.routes(), *TeachApi(api).routes(), Route("/", page), Route("/web/{path:path}", web_file)]
    handlers: dict[Any, Any] = {Exception: _unforeseen, HTTPException: _http_error}
    handlers |= dict.fromkeys(_STATUS, _sentence)
    return Guard(Starlette(routes=routes, exception_handlers=handlers), api.gate, largest_upload)


async def page(request: Request) -> Response:
    """The page of the studio."""
    return _file_answer(request, WEB / PAGE)


async def web_file(request: Request) -> Response:
    """A file of the viewer."""
    given = request.path_params["path"]
    if "\0" in given:
        raise HTTPException(404)
    path = (WEB / given).resolve()
    if not path.is_relative_to(WEB.resolve()) or path.suffix not in KINDS:
        raise HTTPException(404)
    return _file_answer(request, path)


def _file_answer(request: Request, path: Path) -> Response:
    try:
        content = path.read_bytes()
    except OSError:
        raise HTTPException(404) from None
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    kind = KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0]
    return Response(content, media_type=f"{kind}; charset=utf-8", headers=headers)


async def _sentence(request: Request, error: Exception) -> Response:
    del request
    status = next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return answer({"error": " ".join(text.split()) or type(error).__name__}, status)


async def _http_error(request: Request, error: Any) -> Response:
    sentences = {404: f"there is nothing at {request.url.path}", 405: "this address takes another method"}
    return answer({"error": sentences.get(error.status_code, str(error.detail))}, error.status_code)


async def _unforeseen(request: Request, error: Exception) -> Response:
    del request
    return answer({"error": f"the studio failed: {type(error).__name__}; please report it"}, 500)


class StudioServer:
    """A studio that serves: in the thread that calls `run`, or in one of its own after `start`."""

    def __init__(
        self,
        session: Session,
        *,
        folder: Path | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        remote: bool = False,
        keep_alive: bool = False,
        largest_upload: int = LARGEST_UPLOAD,
    ) -> None:
        self.session, self.host = session, host
        self._socket = _listening(host, port)
        self.port = int(self._socket.getsockname()[1])
        self.gate = Gate(self.port, host, remote=remote)
        self.api = Api(session, self.gate, folder or Path.cwd(), quit_server=self.close)
        config = uvicorn.Config(
            make_app(self.api, largest_upload),
            log_level="error",
            access_log=False,
            server_header=False,
            lifespan="off",
            timeout_graceful_shutdown=1,
            limit_concurrency=None,
        )
        self._server = uvicorn.Server(config)
        self._keep_alive = keep_alive
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """An address that lets one browser in; a new one each time."""
        name = "127.0.0.1" if self.host in ("0.0.0.0", "127.0.0.1") else self.host
        name = f"[{name}]" if ":" in name else name
        return f"http://{name}:{self.port}/#t={self.gate.new_token()}"

    def run(self) -> None:
        """Serve until it is closed, or left for long."""
        watch = threading.Thread(target=self._watch, name="hornbeam-studio-watch", daemon=True)
        watch.start()
        self._server.run(sockets=[self._socket])

    def start(self) -> None:
        """Serve in another thread."""
        self._thread = threading.Thread(target=self.run, name="hornbeam-studio", daemon=True)
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.01)

    def close(self) -> None:
        """End the server; a growth at work is stopped."""
        for job in (self.api.jobs.running, self.api.jobs.reading):
            if job is not None:
                job.is_cancelled = True
        self._server.should_exit = True

    def join(self, seconds: float | None = None) -> None:
        """Wait for the end of the thread that `start` began."""
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(seconds)

    def _watch(self) -> None:
        """End the server when its last page has been gone for long."""
        while not self._server.should_exit:
            time.sleep(_CHECK)
            events = self.api.events
            away = 0.0 if events.n_listeners else time.monotonic() - events.left_at
            if not self._keep_alive and away > LEFT_FOR and self.api.jobs.running is None:
                self.close()


def _listening(host: str, port: int) -> socket.socket:
    """A socket that is bound; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once (TCP_NODELAY) only where the protocol is named; else each waits
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(2048)
    except OSError as fault:
        made.close()
        raise OSError(
            f"no server can listen at {host}:{port}: {fault.strerror}; choose another --port"
        ) from None
    return made
