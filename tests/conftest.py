"""What holds for the whole run: no deadlines, and what it says at its end."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings
from tests.support.selection import SEED_NAME, SEED_TEXT

from hornbeam._base import parameters

# The first example may wait for an import, any of them for a busy machine: that is no fault of the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# A shell lets what it runs in the background ignore Ctrl-C, and so would every process that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def threads_beyond_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tests ask for more threads than this machine has cores: more of them meet at the same work."""
    monkeypatch.setattr(parameters, "most_threads", lambda: 64)


@pytest.fixture(autouse=True)
def figures_closed() -> Iterator[None]:
    """Close the figures that a test has left open: matplotlib warns of many."""
    yield
    if plt := sys.modules.get("matplotlib.pyplot"):
        plt.close("all")


NO_BROWSER = "no browser for tests of pages"
NO_NODE = "no node for tests of JavaScript"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How to repeat drawn tables, and one line for each kind of test that this machine could not run."""
    if any("drawn-" in report.nodeid for report in terminalreporter.stats.get("failed", [])):
        terminalreporter.write_line(f"{SEED_NAME}={SEED_TEXT} draws the same seeds again.", red=True)
    skipped = terminalreporter.stats.get("skipped", [])
    for reason, words in ((NO_BROWSER, "Tests of pages in a browser"), (NO_NODE, "Tests of JavaScript")):
        n = sum(reason in str(report.longrepr) for report in skipped)
        if n:
            terminalreporter.write_line(f"{words} did not run ({n} tests): {reason}.", yellow=True)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, started once for all tests of pages: two of them in one process do not go together."""
    from tests.display.web.tools import chromium  # here: it needs this file

    program = chromium()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip(f"{NO_BROWSER}: pip install playwright")
    with sync_playwright() as play:
        launched = play.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield launched
        launched.close()
