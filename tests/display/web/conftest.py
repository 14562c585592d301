"""A browser for the tests of pages, with the network blocked and every complaint kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.display.web.tools import PAINTED


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens HTML from a file; at the end nothing was asked of the network, and nothing complained."""
    opened: list[Any] = []

    def open_(html: str, **how: Any) -> Any:
        how.setdefault("viewport", {"width": 1300, "height": 900})
        context = browser.new_context(offline=True, **how)
        page = context.new_page()
        page.set_default_timeout(100_000)  # a busy machine is no fault of the page
        page.complaints = []
        file = tmp_path / f"page{len(opened)}.html"
        file.write_text(html, encoding="utf-8")

        def said(message: Any) -> None:
            if message.type in ("error", "warning"):
                page.complaints.append(message.text)

        def asked(request: Any) -> None:
            if request.url != file.as_uri():
                page.complaints.append(request.url)

        page.on("request", asked)
        page.on("console", said)
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("dialog", lambda dialog: page.complaints.append(dialog.message))
        page.goto(file.as_uri())
        page.wait_for_selector(".node .card, .node .dot")
        page.evaluate(PAINTED)
        opened.append(page)
        return page

    yield open_
    for page in opened:
        complaints = page.complaints
        page.context.close()
        assert complaints == []
