"""A studio on a bundled table, asked without a network; and its page in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the studio needs starlette: pip install 'hornbeam[studio]'")
pytest.importorskip("uvicorn", reason="the studio needs uvicorn: pip install 'hornbeam[studio]'")
pytest.importorskip("httpx", reason="these tests ask the server with httpx")

from tests.display.web.tools import PAINTED, chromium
from tests.studio.asking import Studio

from hornbeam.studio.launch import make_server


@pytest.fixture
def studio(tmp_path):
    """A studio on the tennis table, in a folder of its own."""
    return Studio("demo:tennis", tmp_path)


@pytest.fixture
def open_studio(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Starts a studio in a folder of its own and opens its page; at the end nothing complained.

    The server is a thread of this process, which has everything imported; test_processes.py has commands.
    """
    chromium()
    started: list[tuple[Any, Any]] = []

    def open_(
        source: str = "", target: str | None = None, *, url: str = "", refusals: int = 0, **how: Any
    ) -> Any:
        server = None
        if not url:
            given = source if source.startswith("demo:") or not source else str(tmp_path / source)
            server = make_server(given or None, target=target, folder=tmp_path)
            server.start()
            url = server.url
        how.setdefault("viewport", {"width": 1440, "height": 900})
        page = browser.new_context(**how).new_page()
        page.set_default_timeout(60_000)  # a busy machine is no fault of the page
        page.complaints, page.refusals = [], refusals
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda told: page.complaints.append(told.text) if told.type == "error" else None)
        page.on("dialog", lambda dialog: page.complaints.append(dialog.message))
        started.append((server, page))
        page.goto(url)
        page.wait_for_selector(".node .card, .opening h1")
        page.evaluate(PAINTED)
        return page

    yield open_
    for server, page in started:
        complaints, refusals = page.complaints, page.refusals
        page.context.close()
        if server is not None:
            server.close()
            server.join()
        assert len([text for text in complaints if "status of 4" in text]) == refusals
        assert [text for text in complaints if "status of 4" not in text] == []
