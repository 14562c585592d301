"""The studio's API: each request of docs/reference/studio-api.md is one method, plain JSON in and out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from hornbeam._base.json_depth import too_deep
from hornbeam.studio import reads
from hornbeam.studio.comparison import comparison, saved_models
from hornbeam.studio.facts import session_facts
from hornbeam.studio.jobs import Events, Jobs
from hornbeam.studio.opening import FOLDER_HINT, open_upload, open_what, within
from hornbeam.studio.operation_preview import preview
from hornbeam.studio.output import export_file
from hornbeam.studio.project import Autosave, project_facts, save_project
from hornbeam.studio.remembered import Remembered
from hornbeam.studio.row_pages import RowRequest, row_csv, row_page
from hornbeam.studio.security import Gate
from hornbeam.studio.session import Session
from hornbeam.studio.teacher import Teacher
from hornbeam.studio.view import View

_PING = 15  # seconds of silence after which a stream says that it is alive


class Api:
    """The requests to one session."""

    def __init__(
        self, session: Session, gate: Gate, folder: Path, *, quit_server: Callable[[], None]
    ) -> None:
        self.session, self.gate, self.folder, self.quit_server = session, gate, folder.resolve(), quit_server
        self.events = Events()
        self.jobs = Jobs(session, self.events)
        self.autosave = Autosave(session, self.folder)
        self.remembered = Remembered(session)
        self.teacher = Teacher(session)
        session.changed.append(self._after_change)
        self._one_at_a_time = anyio.CapacityLimiter(1)
        self._readers = anyio.CapacityLimiter(8)

    def _after_change(self) -> None:
        self.autosave.write()
        self.events.tell("revision", revision=self.session.head)

    def routes(self) -> list[Route]:
        """Where each request goes."""
        table: list[tuple[str, str, Any]] = [
            ("POST", "/api/enter", self.enter),
            ("GET", "/api/session", self.get_session),
            ("GET", "/api/document", self.document),
            ("GET", "/api/node/{id:int}/candidates", self.candidates),
            ("GET", "/api/node/{id:int}/candidates/{column:path}", self.candidate),
            ("GET", "/api/rows", self.rows),
            ("GET", "/api/path", self.path),
            ("GET", "/api/quality", self.quality),
            ("POST", "/api/op", self.operation),
            ("POST", "/api/preview", self.preview),
            ("POST", "/api/undo", partial(self.move, "undo")),
            ("POST", "/api/redo", partial(self.move, "redo")),
            ("POST", "/api/goto", partial(self.move, "goto")),
            ("POST", "/api/grow", self.grow),
            ("POST", "/api/stability", self.stability),
            ("GET", "/api/events", self.stream),
            ("POST", "/api/job/{id:int}/cancel", self.cancel),
            ("POST", "/api/predict", self.predict),
            ("POST", "/api/compare", self.compare),
            ("POST", "/api/export", self.export),
            ("POST", "/api/project/save", self.save),
            ("GET", "/api/project", self.project),
            ("PUT", "/api/data", self.upload),
            ("POST", "/api/open", self.open),
            ("POST", "/api/quit", self.quit),
        ]
        return [Route(path, endpoint, methods=[method]) for method, path, endpoint in table]

    # ---- helpers -------------------------------------------------------------------------------------------

    async def _read(self, work: Callable[[], Any]) -> Any:
        """Work that changes nothing, beside the loop of the server."""
        return await anyio.to_thread.run_sync(work, limiter=self._readers)

    async def _change(self, work: Callable[[], Any]) -> Any:
        """Work that changes the session: one after the other, and none while something grows."""
        self.jobs.refuse_if_busy()
        return await anyio.to_thread.run_sync(work, limiter=self._one_at_a_time)

    def _view(self, request: Request) -> View:
        given = request.query_params.get("revision")
        return self.session.view(None if given is None else whole("revision", given))

    # ---- entering and leaving ------------------------------------------------------------------------------

    async def enter(self, request: Request) -> Response:
        """Exchange a one-time token for the cookie."""
        given = (await body(request)).get("token")
        if not self.gate.enter(given) and not self.gate.admits(dict(request.headers))[0]:
            return answer(
                {"error": "the token was used or is not valid: open the studio from its command again"}, 401
            )
        response = answer({"entered": True})
        response.set_cookie(self.gate.cookie, self.gate.secret, httponly=True, samesite="strict", path="/")
        return response

    async def quit(self, request: Request) -> Response:
        """Stop the server when the answer is sent."""
        await body(request)
        self.quit_server()
        return answer({"quit": True})

    # ---- reads ---------------------------------------------------------------------------------------------

    async def get_session(self, request: Request) -> Response:
        """Everything but the tree."""
        del request
        facts = await self._read(partial(session_facts, self.session))
        more = {"autosave": self.autosave.facts(), "models": saved_models(self.folder)}
        return answer(facts | self.jobs.facts() | more)

    async def document(self, request: Request) -> Response:
        """The tree and what is known of its nodes."""
        if self.session.kept is not None and self.session.kept.get("document"):
            return answer(self.session.kept["document"])
        view = self._view(request)
        return answer_text(await self._read(partial(self.remembered.document, view)))

    async def candidates(self, request: Request) -> Response:
        """Every candidate of a node."""
        view = self._view(request)
        node = view.node(request.path_params["id"])
        return answer(await self._read(partial(self.remembered.candidate_list, view, node)))

    async def candidate(self, request: Request) -> Response:
        """One candidate with its arithmetic."""
        view = self._view(request)
        node, column = view.node(request.path_params["id"]), request.path_params["column"]
        return answer(await self._read(partial(reads.candidate_of, view, node, column)))

    async def rows(self, request: Request) -> Response:
        """A page of the rows of a node."""
        view, asked = self._view(request), request.query_params
        as_csv = asked.get("format") == "csv"
        page = RowRequest(
            view.node(whole("node", asked.get("node", str(view.ids[0])))),
            asked.get("part", "training"),
            asked.get("wrong", "0") == "1",
            asked.get("sort"),
            asked.get("descending", "0") == "1",
            whole("offset", asked.get("offset", "0")),
            whole("limit", asked["limit"]) if "limit" in asked else None if as_csv else 50,
        )
        if as_csv:
            text = await self._read(partial(row_csv, view, page, guard=asked.get("guard", "1") == "1"))
            return Response(text, media_type="text/csv; charset=utf-8")
        return answer(await self._read(partial(row_page, view, page)))

    async def path(self, request: Request) -> Response:
        """The pruning path; `cv` is the number of folds."""
        view, folds = self._view(request), whole("cv", request.query_params.get("cv", "0"))
        return answer(await self._read(partial(self.remembered.path, view, folds)))

    async def quality(self, request: Request) -> Response:
        """How good the tree is, with intervals."""
        return answer(await self._read(partial(self.remembered.quality, self._view(request))))

    async def predict(self, request: Request) -> Response:
        """Why a row gets its answer."""
        view = self._view(request)
        return answer(await self._read(partial(reads.predict, view, (await body(request)).get("row"))))

    async def compare(self, request: Request) -> Response:
        """Two revisions, or saved models, on the held-out rows."""
        given = await body(request)
        a, b = given.get("a"), given.get("b")
        return answer(await self._read(partial(comparison, self.session, self.folder, a, b)))

    async def preview(self, request: Request) -> Response:
        """What an operation would do, without doing it."""
        given = await body(request)
        view = self.session.view(given.get("base"))
        return answer(await self._read(partial(preview, view, given.get("op"))))

    # ---- changes -------------------------------------------------------------------------------------------

    async def operation(self, request: Request) -> Response:
        """Apply an operation."""
        given = await body(request)
        changes = await self._change(partial(self.session.apply, given.get("base"), given.get("op", {})))
        return await self._now(changes, with_document=given.get("document", True) is not False)

    async def move(self, where: str, request: Request) -> Response:
        """Undo, redo, or go to a revision."""
        given = await body(request)
        arguments = [given.get("revision")] if where == "goto" else []
        await self._change(partial(getattr(self.session, where), *arguments))
        return await self._now(None, with_document=given.get("document", True) is not False)

    async def _now(self, changes: Any, *, with_document: bool) -> Response:
        """The revision that stands, what changed, and its document."""
        if not self.session.revisions:
            return answer({"revision": None, "say": "settings kept; choose a target", "changes": None})
        view = self.session.view()
        facts: dict[str, Any] = {"revision": view.number, "say": self.session.revisions[view.number].say}
        if changes is not None:
            facts["changes"] = {name: getattr(changes, name) for name in ("added", "removed", "changed")}
            is_new = (self.session.revisions[view.number].operation or {}).get("op") == "settings"
            refused = view.chapter.impossible if is_new else ()
            facts["impossible"] = [{"op": operation, "error": why} for operation, why in refused]
        if not with_document:
            return answer(facts)
        document = await self._read(partial(self.remembered.document, view))
        return answer_text(f'{json.dumps(facts, ensure_ascii=False)[:-1]}, "document": {document}}}')

    async def grow(self, request: Request) -> Response:
        """Begin to grow."""
        given = await body(request)
        return answer(self.jobs.start(given.get("base"), given.get("op")).facts())

    async def stability(self, request: Request) -> Response:
        """Begin to grow the tree of a revision again and again, to see how stable it is."""
        view = self.session.view((await body(request)).get("revision"))
        work = partial(self.remembered.measure_stability, view)
        return answer(self.jobs.start_reading("stability", work).facts())

    async def cancel(self, request: Request) -> Response:
        """Stop growing."""
        await body(request)
        return answer(self.jobs.cancel(request.path_params["id"]).facts())

    async def stream(self, request: Request) -> Response:
        """Events as they happen, until the page is closed."""
        del request
        queue = self.events.listen()

        async def lines() -> AsyncIterator[str]:
            try:
                yield ": listening\n\n"
                while True:
                    try:
                        event = await asyncio.wait_for(queue.get(), _PING)
                    except TimeoutError:
                        yield ": alive\n\n"
                        continue
                    yield f"event: {event.pop('event')}\ndata: {json.dumps(event)}\n\n"
            finally:
                self.events.leave(queue)

        return StreamingResponse(
            lines(), media_type="text/event-stream", headers={"cache-control": "no-store"}
        )

    # ---- files ---------------------------------------------------------------------------------------------

    async def export(self, request: Request) -> Response:
        """The tree in another format."""
        given = await body(request)
        view = self.session.view(given.get("revision"))
        made = await self._read(
            partial(export_file, self.session, view, given.get("format"), given.get("options") or {})
        )
        headers = {"content-disposition": f'attachment; filename="{made.name}"'}
        return Response(made.content, media_type=made.kind, headers=headers)

    async def save(self, request: Request) -> Response:
        """Save the project under a name, in the folder of the studio."""
        given = await body(request)
        path = within(self.folder, given.get("name"), ending=".studio.json")
        await self._change(partial(save_project, self.session, path, self.autosave))
        return answer({"saved": path.name})

    async def project(self, request: Request) -> Response:
        """The project as its file would be."""
        del request
        return answer(await self._read(partial(project_facts, self.session, self.folder)))

    async def upload(self, request: Request) -> Response:
        """Open a table that is sent."""
        content, query = await request.body(), dict(request.query_params)
        await self._change(partial(open_upload, self.session, query.get("name", ""), content, query))
        return await self.get_session(request)

    async def open(self, request: Request) -> Response:
        """Open a bundled table, a guided lecture, or a file below the folder of the studio."""
        given = await body(request)
        if "lecture" in given:
            work = partial(self.teacher.go, f"lecture {given['lecture']}")
        elif "demo" in given or "path" in given:
            demo = f"demo:{str(given.get('demo')).removeprefix('demo:')}"
            what = demo if "demo" in given else str(within(self.folder, given["path"]))
            work = partial(open_what, self.session, what, given.get("settings") or {})
        else:
            raise ValueError(f"open needs a 'demo', a 'lecture' or a 'path' {FOLDER_HINT}")
        await self._change(work)
        return await self.get_session(request)


# ---- JSON --------------------------------------------------------------------------------------------------


async def body(request: Request) -> dict[str, Any]:
    """The object that a request brings; raise with a sentence for anything else."""
    content = await request.body()
    if not content:
        return {}
    if too_deep(content) is not None:
        raise ValueError("the body is nested too deeply")
    try:
        given = json.loads(content, parse_constant=_no_constant)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as fault:
        raise ValueError(f"the body is no JSON: {fault}") from None
    if not isinstance(given, dict):
        raise ValueError(f"the body must be a JSON object, not {type(given).__name__}")
    return given


def _no_constant(word: str) -> Any:
    raise ValueError(f"the body holds {word}, which is no number of JSON: use null")


def whole(name: str, text: str) -> int:
    """A whole number of a query."""
    digits = text.removeprefix("-")
    if not digits.isdecimal() or len(digits) > 15:
        raise ValueError(f"{name}={text[:40]!r} must be a whole number")
    return int(text)


def answer(facts: Any, status: int = 200) -> Response:
    """A value as JSON."""
    return answer_text(json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":")), status)


def answer_text(text: str, status: int = 200) -> Response:
    """JSON that is written already; text that is not Unicode (lone surrogates) is escaped."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:
        content = json.dumps(json.loads(text)).encode("ascii")
    return Response(content, status, media_type="application/json", headers={"cache-control": "no-store"})
