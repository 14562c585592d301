"""Teaching in a browser: line by line, by button and by key; a guided lecture; why not this column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.conftest import NO_BROWSER
from tests.studio.pages import said

import hornbeam as hb
from hornbeam.teaching.lectures import lecture

TENNIS = hb.datasets.load("tennis")


def start(page: Any) -> None:
    """Open the panel."""
    page.click(".toolbar button:has-text('Teach')")
    page.wait_for_selector(".teach .code [aria-current]")


def go(page: Any, how: Any) -> None:
    """Do something, and wait until the panel shows another place."""
    before = page.locator(".teach").inner_text() + page.locator(".code [aria-current]").inner_text()
    how()
    page.wait_for_function(
        "(before) => document.querySelector('.teach').innerText"
        " + (document.querySelector('.code [aria-current]')?.innerText ?? '') !== before",
        arg=before,
    )


def lit(page: Any) -> str:
    text: str = page.locator(".code [aria-current]").inner_text()
    return text


def button(page: Any, name: str) -> Any:
    return lambda: page.click(f".teach [data-go={name}]")


def key(page: Any, name: str) -> Any:
    return lambda: page.keyboard.press(name)


def scores(page: Any) -> dict[str, list[str]]:
    """The candidates that the panel shows."""
    rows = page.locator(".teach table.numbers tbody tr").all()
    return {row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in rows}


def test_id3_on_tennis_line_by_line_with_the_numbers_of_the_library(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    start(page)
    assert lit(page) == "ID3(S, columns):"
    assert page.locator("#node-0.working").count() == 1
    walk = hb.teaching.walk(hb.edit(hb.id3(), TENNIS.X, TENNIS.y))
    for step in walk.steps[1:]:
        go(page, button(page, "next"))
        assert lit(page) == walk.listing.lines[step.line].text
        assert page.locator(".teach .blocks > div:last-child p").first.inner_text() == step.say
        if step.table is not None and step.table.heads[0] == "column":
            wanted = hb.candidates(hb.id3(), TENNIS.X, TENNIS.y)
            assert scores(page) == {
                one.column: [one.short, f"{one.after:.4f}", f"{one.gain:.4f}"] for one in wanted
            }
            assert page.locator(".teach tr.chosen th").inner_text() == "Outlook"
    page.wait_for_selector("#node-3")
    assert "split on Outlook" in page.locator("#node-0").text_content()
    go(page, button(page, "back"))
    page.wait_for_selector("#node-1", state="detached")
    go(page, button(page, "split"))
    page.wait_for_selector("#node-1")
    go(page, button(page, "split"))
    page.wait_for_selector(".node.working#node-2")
    assert page.locator(".node.working").count() == 1
    go(page, button(page, "finish"))
    page.wait_for_selector(".teach h2:has-text('The tree is grown')")
    assert "5 leaves" in page.locator(".headline").inner_text()
    assert page.locator(".teach [data-go=next]").is_disabled()
    assert page.locator("section > .history > li").count() == 4


def test_the_same_by_keys_alone(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    page.locator("#node-0").focus()
    page.keyboard.press("t")
    page.wait_for_selector(".teach .code [aria-current]")
    lines = [lit(page)]
    for name in (".", "PageDown", "."):
        go(page, key(page, name))
        lines.append(lit(page))
    assert lines == [
        one.text for one in hb.teaching.walk(hb.edit(hb.id3(), TENNIS.X, TENNIS.y)).listing.lines[:4]
    ]
    for name in (",", "PageUp"):
        go(page, key(page, name))
    assert lit(page) == lines[1]
    go(page, key(page, ">"))
    page.wait_for_selector("#node-3")
    page.locator(".teach [data-go=next]").focus()
    go(page, key(page, "Enter"))
    assert page.evaluate("document.activeElement.dataset.go") == "next"
    go(page, key(page, "."))
    assert page.locator(".teach h2").inner_text() == "Node #1"
    page.fill(".search input", "a.b")
    assert page.locator(".teach h2").inner_text() == "Node #1"
    page.locator("#node-0").focus()
    page.keyboard.press("t")
    page.wait_for_selector(".teach", state="hidden")
    assert page.locator(".node.working").count() == 0


def test_the_panel_follows_undo_and_splits_by_hand(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    start(page)
    go(page, button(page, "split"))
    page.wait_for_selector("#node-3")
    go(page, lambda: page.click(".toolbar button:has-text('Undo')"))
    page.wait_for_selector("#node-1", state="detached")
    assert page.locator(".teach h2").inner_text() == "Node #0"
    page.click(".candidates tbody button:has-text('Wind')")
    go(page, lambda: page.click("text=Split on Wind"))
    page.wait_for_selector("#node-2")
    assert page.locator(".teach h2").inner_text() == "Node #1"
    go(page, lambda: page.select_option(".teach select", "algorithm cart"))
    assert lit(page) == "CART(S):"


def test_a_guided_lecture_from_beginning_to_end(open_studio: Any) -> None:
    page = open_studio("demo:xor2")
    start(page)
    page.select_option(".teach select", "lecture robots")
    guide = lecture("robots")
    known = {fact.what: fact for fact in hb.teaching.reproduce("robots").facts}
    for number, step in enumerate(guide.steps):
        page.wait_for_selector(f".teach h2:has-text('Step {number + 1} of {len(guide.steps)}')")
        assert page.locator(".teach h3").inner_text() == step.title
        for row in page.locator(".teach table.numbers tbody tr").all():
            fact = known[row.locator("th").inner_text()]
            slide, computed = row.locator("td").all_inner_texts()
            assert slide == (fact.printed or "–")
            assert computed.removesuffix(" ✗") == fact.recomputed
            assert computed.endswith("✗") == (fact.verdict == "slide is wrong")
        if step.question:
            answer = page.locator(".question p")
            assert not answer.is_visible()
            page.click(".question summary")
            assert answer.inner_text() == guide.filled(step.answer)
        if number + 1 < len(guide.steps):
            page.keyboard.press("PageDown")
    assert page.locator(".teach [data-go=next]").is_disabled()
    page.wait_for_selector("#node-0:has-text('chosen · rank 2 of 5')")
    assert "5 leaves" in page.locator(".headline").inner_text()
    assert page.locator("aside.left .columns li").count() == 6
    page.wait_for_selector("text=1 other line of edits", state="detached")
    page.click(".teach [data-go=back]")
    page.wait_for_selector(".teach h3:has-text('Neck first')")
    assert "3 leaves" in page.locator(".headline").inner_text()


def told(page: Any, words: str) -> None:
    """Wait until the inspector says exactly these words of a candidate."""
    page.wait_for_function("(words) => document.querySelector('.why')?.innerText === words", arg=words)


def test_a_lecture_begins_on_the_first_page_and_forced_colours_show_what_is_chosen(open_studio: Any) -> None:
    page = open_studio(forced_colors="active")
    page.click(".demos button:has-text('Robots: friends')")
    page.wait_for_selector(".teach h3")
    line = "one => getComputedStyle(one).borderBottomColor"
    chosen, other = (page.locator(f".tabs button[aria-selected='{on}']").first for on in ("true", "false"))
    assert chosen.evaluate(line) != other.evaluate(line), (
        "backgrounds are gone: the line tells which tab it is"
    )
    pressed = page.locator(".toolbar [aria-pressed='true']")
    assert pressed.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"


def test_why_not_this_column(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    listed = hb.candidates(hb.id3(), TENNIS.X, TENNIS.y)
    for column in ("Humidity", "Wind", "Outlook"):
        page.click(f".candidates tbody button:has-text('{column}')")
        told(page, listed.why(column))
    page.click("button:has-text('Step')")
    said(page, "split node 0")
    page.locator("#node-3").click()
    page.click(".candidates tbody button:has-text('Outlook')")
    model = hb.id3().fit(TENNIS.X, TENNIS.y)
    told(page, hb.candidates(model, TENNIS.X, TENNIS.y, 3).why("Outlook"))


@pytest.mark.parametrize("width", [1024, 390])
def test_the_page_is_no_wider_than_the_window(open_studio: Any, width: int) -> None:
    page = open_studio("demo:tennis", viewport={"width": width, "height": 850})
    start(page)
    for _ in range(5):
        go(page, button(page, "next"))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    current = page.locator(".code [aria-current]").bounding_box()
    panel = page.locator(".teach .blocks").bounding_box()
    assert panel["y"] <= current["y"] + 1
    assert current["y"] + current["height"] <= panel["y"] + panel["height"] + 1
    page.select_option(".teach select", "lecture hours")
    page.wait_for_selector(".teach h3")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_nothing_is_hard_to_read_or_to_reach(open_studio: Any, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=f"{NO_BROWSER}: no axe").Axe()
    page = open_studio("demo:tennis", color_scheme=scheme)
    start(page)

    def check(where: str) -> None:
        violations = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [(where, v["id"], v["nodes"][0]["html"][:200]) for v in violations] == []

    for _ in range(4):
        go(page, button(page, "next"))
    page.wait_for_selector(".arithmetic")
    check("scores")
    page.select_option(".teach select", "lecture tennis")
    page.wait_for_selector(".teach h3")
    page.click(".question summary")
    check("lecture")


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["builddt", "c45", "cart", "buildtree", "dt"])
def test_every_algorithm_is_walked_to_its_end(open_studio: Any, recipe: str, tmp_path: Path) -> None:
    del tmp_path
    page = open_studio("demo:tennis")
    start(page)
    page.select_option(".teach select", f"algorithm {recipe}")
    said(page, "Node 0")
    for _ in range(150):
        if page.locator(".teach [data-go=next]").is_disabled():
            break
        go(page, button(page, "next"))
    assert page.locator(".teach h2").inner_text() == "The tree is grown"
    draft = hb.edit(hb.recipe(recipe), TENNIS.X, TENNIS.y).grow()
    leaves = {"c45": draft.prune(method="error-based"), "cart": draft.prune(alpha=0.0)}.get(recipe, draft)
    assert f"{leaves.tree.n_leaves} leaves" in page.locator(".headline").inner_text()
