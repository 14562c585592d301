"""The page of a studio, in a browser."""

from __future__ import annotations

from typing import Any


def said(page: Any, text: str) -> None:
    """Wait until the last operation is told with some words."""
    page.wait_for_selector(f".message:has-text('{text}')", state="attached")


def grow(page: Any) -> None:
    page.click("text=Grow all")
    said(page, "grew below")
    page.wait_for_selector("#node-1", state="attached")


def pick(page: Any, column: str) -> None:
    """Look at one candidate of the node that is selected."""
    page.click(f".candidates tbody button:text-is('{column}')")
    page.wait_for_selector(f".detail h3:has-text('{column}')")


def tab_to(page: Any, selector: str) -> None:
    """Press the tab key until what a selector names has the focus."""
    _tab_until(page, "(what) => document.activeElement.matches(what)", selector)


def tab_to_text(page: Any, words: str) -> None:
    """Press the tab key until a button with some words has the focus."""
    _tab_until(
        page,
        """(words) => document.activeElement.matches('button, summary')
        && document.activeElement.textContent.startsWith(words)""",
        words,
    )


def _tab_until(page: Any, truth: str, what: str) -> None:
    for _ in range(150):
        if page.evaluate(truth, what):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the tab key does not lead to {what}")
