"""The studio's page in a browser: open, grow, question, override, prune, compare and hand over a tree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import NO_BROWSER
from tests.display.web.tools import PAINTED
from tests.studio.pages import grow, said

import hornbeam as hb


def test_a_bundled_table_is_opened_from_the_empty_page(open_studio: Any) -> None:
    page = open_studio()
    page.click(".demos button:has-text('Fourteen days: is tennis played?')")
    page.wait_for_selector("#node-0:has-text('+ choose a split')")
    assert page.locator("aside.left .columns li").count() == 5


def test_a_file_is_dropped_in_and_its_target_chosen(open_studio: Any, tmp_path: Path) -> None:
    lines = ["<img src=x onerror=alert(1)>,חדרים,answer"] + [
        f"{k},{k % 3},{'yes' if k > 9 else 'no'}" for k in range(20)
    ]
    (tmp_path / "own.csv").write_text("\n".join(lines), encoding="utf-8")
    page = open_studio()
    page.set_input_files("#file", str(tmp_path / "own.csv"))
    page.click(".columns-table button:has-text('answer')")
    page.wait_for_selector("#node-0")
    grow(page)
    assert "<img src=x onerror=alert(1)>" in page.locator("aside.left .columns").inner_text()
    assert page.locator("img").count() == 0


def test_candidates_are_the_library_s_to_the_last_printed_digit(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    page.wait_for_selector(".candidates tbody tr")
    table = hb.datasets.load("tennis")
    wanted = {one.column: one for one in hb.candidates(hb.id3(), table.X, table.y, work=True)}
    for row in page.locator(".candidates tbody tr").all():
        one = wanted[row.locator("th button").inner_text()]
        cells = row.locator("td").all_inner_texts()
        assert cells[1:5] == [f"{x:.3f}" for x in (one.gain, one.gain_ratio, one.gini, one.chi2)]
    names = page.locator(".candidates tbody th button")
    assert names.first.inner_text() == "Outlook"
    page.click(".candidates th button:has-text('column')")
    assert names.all_inner_texts() == sorted(wanted)
    assert page.locator(".candidates [aria-sort=ascending]").inner_text().startswith("column")
    page.click(".candidates tbody button:has-text('Wind')")
    page.wait_for_selector(".arithmetic:has-text('0.0481')")
    assert "6/14" in page.locator(".arithmetic").inner_text()


def test_the_bar_stands_behind_the_score_that_ranks(open_studio: Any, tmp_path: Path) -> None:
    lines = ["size,kind,y"] + [
        f"{k // 2},{'one' if k % 3 else 'two'},{'a' if k < 25 else 'b'}" for k in range(40)
    ]
    (tmp_path / "steps.csv").write_text("\n".join(lines), encoding="utf-8")
    page = open_studio("steps.csv", "y", viewport={"width": 1024, "height": 768})
    grow(page)
    ranked = page.locator(".candidates tbody tr").first.locator("td.bar")
    column = ranked.evaluate("(cell) => [...cell.parentElement.children].indexOf(cell)")
    assert page.locator(".candidates thead th").nth(column).inner_text() == "Gini decrease"
    page.wait_for_selector(".candidates .short:text-is('= one')")
    root, buttons = page.locator("#node-0").bounding_box(), page.locator(".tools").bounding_box()
    beside = root["x"] + root["width"] <= buttons["x"] or buttons["x"] + buttons["width"] <= root["x"]
    assert (
        beside or root["y"] >= buttons["y"] + buttons["height"] or buttons["y"] >= root["y"] + root["height"]
    )


def test_a_tree_seen_whole_is_read_on_a_screen_that_becomes_narrow(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    grow(page)
    assert page.locator("svg.tree").get_attribute("data-level") == "full"
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.querySelector('.canvas').clientWidth <= 390")
    page.evaluate(PAINTED)
    assert page.locator("svg.tree").get_attribute("data-level") != "dot"


def test_a_split_is_chosen_by_hand_undone_and_kept_as_a_branch(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    page.click(".candidates tbody button:has-text('Wind')")
    page.click("text=Split on Wind")
    said(page, "rank 3 of 4")
    page.wait_for_selector("#node-0:has-text('chosen · rank 3 of 4')")
    page.click("text=Undo")
    page.wait_for_selector("#node-1", state="detached")
    page.click("text=Redo")
    page.wait_for_selector("#node-1")
    page.click("text=Undo")
    page.wait_for_selector("#node-1", state="detached")
    page.click("button:has-text('Step')")
    page.wait_for_selector("#node-0:has-text('Outlook')")
    page.wait_for_selector("text=1 other line of edits")
    page.click("text=1 other line of edits")
    page.click(".history .history button, details .history button")
    page.wait_for_selector("#node-0:has-text('Wind')")


def test_a_cut_is_dragged_typed_and_moved_by_keys(open_studio: Any, tmp_path: Path) -> None:
    lines = ["x,y"] + [f"{k},{'a' if (k // 5) % 2 else 'b'}" for k in range(40)]
    (tmp_path / "waves.csv").write_text("\n".join(lines), encoding="utf-8")
    page = open_studio("waves.csv", "y")
    chart = page.locator(".cuts")
    chart.wait_for()
    box = chart.bounding_box()
    page.mouse.move(box["x"] + 40, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40, steps=3)
    page.mouse.up()
    page.wait_for_selector(".preview table")
    before = float(page.locator(".cut-field input").input_value())
    chart.focus()
    page.keyboard.press("ArrowRight")
    assert float(page.locator(".cut-field input").input_value()) > before
    page.fill(".cut-field input", "21.25")
    page.keyboard.press("Tab")
    page.wait_for_selector(".preview:has-text('21.25')")
    page.click("text=Split here")
    said(page, "x ≤ 21.25")
    page.wait_for_selector(".node:has-text('≤ 21.25'), .label:has-text('≤ 21.25')")


def test_values_are_grouped_by_hand(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    page.click(".candidates tbody button:has-text('Outlook')")
    page.click("text=Groups …")
    page.select_option("select[aria-label='Branch of Sunny']", label="1")
    page.select_option("select[aria-label='Branch of Rain']", label="1")
    page.select_option("select[aria-label='Branch of Overcast']", label="new")
    page.click("dialog button:has-text('Split')")
    said(page, "split node 0")
    page.wait_for_selector("#node-2")
    assert page.locator("[role=treeitem]").count() == 3


def test_the_tree_is_edited_by_keys_alone(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "treeitem":
            break
    page.keyboard.press("s")
    page.wait_for_selector("#node-3")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("g")
    page.wait_for_selector("#node-5", state="attached")
    page.keyboard.press("l")
    page.wait_for_selector(".node.selected:has-text('locked')")
    page.keyboard.press("n")
    page.keyboard.type("windy days")
    page.keyboard.press("Enter")
    page.wait_for_selector(".node.selected:has-text('windy days')")
    for _ in range(4):  # without waiting: what is pressed while another operation is under way is not lost
        page.keyboard.press("Control+z")
    page.wait_for_selector("#node-1", state="detached")
    page.wait_for_selector("button:has-text('Undo'):disabled")
    page.keyboard.press("Home")
    for key in "ssgl":
        page.keyboard.press(key)
    page.wait_for_selector("#node-0:has-text('locked')")
    page.wait_for_selector("#node-7")


def test_a_candidate_that_arrives_after_its_node_has_gone_is_not_shown(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    page.locator("#node-0").click()
    page.keyboard.press("s")
    page.wait_for_selector("#node-3")
    held: list[Any] = []
    hold = lambda route: held.append((route, route.fetch()))  # noqa: E731
    page.route("**/candidates/*", lambda route: route.continue_() if held else hold(route))
    page.locator("#node-3").click()
    page.wait_for_selector(".kicker:has-text('Node #3')")
    while not held:
        page.wait_for_timeout(10)
    page.keyboard.press("Control+z")
    page.wait_for_selector("#node-3", state="detached")
    route, answer = held[0]
    route.fulfill(response=answer)
    page.wait_for_selector(".detail h3")  # the details of the root


def test_pruning_moves_the_tree_the_header_and_the_quality(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    grow(page)
    page.locator("#prune-slider").evaluate("(s) => { s.value = 0; s.dispatchEvent(new Event('input')); }")
    page.wait_for_selector(".node.going")
    page.locator("#prune-slider").evaluate("(s) => s.dispatchEvent(new Event('change'))")
    said(page, "pruned")
    page.wait_for_selector("#node-1", state="detached")
    assert "1 leaf" in page.locator(".headline").inner_text()
    page.click("#tab-quality")
    page.wait_for_selector(".quality:has-text('0.6429')")


def test_records_are_sorted_and_filtered(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    page.click(".studio-inspector [data-name=records]")
    page.wait_for_selector(".records tbody tr")
    assert page.locator(".records tbody tr").count() == 14
    page.click(".records th button:has-text('Outlook')")
    page.wait_for_selector(".records th[aria-sort=ascending]:has-text('Outlook')")
    first = page.locator(".records tbody tr").first.inner_text()
    assert "Overcast" in first
    page.check("text=wrong only")
    page.wait_for_selector("text=1 to 5 of 5")
    assert page.locator(".records .is-wrong").count() == 5


def test_settings_take_a_column_away_and_hold_rows_out(open_studio: Any) -> None:
    page = open_studio("demo:tennis")
    page.click("text=Settings")
    page.select_option("select[aria-label='role/Outlook']", "excluded")
    page.fill("input[aria-label='held out']", "30")
    page.click("dialog button:has-text('Apply')")
    said(page, "changed settings")
    page.wait_for_selector(".candidates tbody tr:has-text('Outlook')", state="detached")
    page.wait_for_selector(".candidates tbody tr")
    assert "14 records" not in page.locator(".headline").inner_text()


def test_what_if_compare_save_and_export(open_studio: Any, tmp_path: Path) -> None:
    page = open_studio("demo:tennis")
    grow(page)
    page.locator(".whatif select").first.select_option("Overcast")
    page.click("text=Predict")
    page.wait_for_selector(".answer .verdict:has-text('Yes 100 %')")
    assert page.locator(".node.onpath").count() == 2
    page.click("summary:has-text('File')")
    page.click("text=Compare two revisions")
    page.wait_for_selector("dialog td:has-text('0.3571')")
    page.wait_for_selector("dialog .records tbody tr >> nth=4")  # five of fourteen are answered differently
    page.click("dialog.studio button:has-text('Close')")
    page.click("summary:has-text('File')")
    page.click("text=Save the project")
    page.fill("dialog.studio input", "mine")
    page.keyboard.press("Enter")
    said(page, "mine.studio.json")
    project = json.loads((tmp_path / "mine.studio.json").read_text(encoding="utf-8"))
    assert len(project["revisions"]) == 2
    page.click("summary:has-text('Export')")
    with page.expect_download() as download:
        page.click("text=Python calls")
    assert "grow" in Path(download.value.path()).read_text(encoding="utf-8")


def test_what_is_refused_is_said_and_nothing_is_lost(open_studio: Any) -> None:
    page = open_studio("demo:tennis", refusals=1)
    page.locator("#node-0").focus()
    page.keyboard.press("x")
    page.wait_for_selector(".message.problem")
    assert page.locator("[role=treeitem]").count() == 1


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_the_page_is_no_wider_than_the_window(open_studio: Any, width: int) -> None:
    page = open_studio("demo:tennis", viewport={"width": width, "height": 850})
    grow(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_of_the_studio_is_hard_to_read_or_to_reach(open_studio: Any, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=f"{NO_BROWSER}: no axe").Axe()
    page = open_studio("demo:tennis", color_scheme=scheme)
    grow(page)
    page.wait_for_selector(".arithmetic")

    def check(where: str) -> None:
        violations = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [(where, v["id"], v["nodes"][0]["html"][:200]) for v in violations] == []

    shown = {
        "candidates": ".arithmetic",
        "records": ".records tbody tr",
        "rules": ".rule-text",
        "node": ".facts",
    }
    for tab in ("candidates", "records", "rules", "surrogates", "node"):
        page.click(f".studio-inspector [data-name={tab}]")
        page.wait_for_selector(f".inspector-body {shown.get(tab, 'p')}")
        check(tab)
    for panel in ("rules", "quality", "outline", "about"):
        page.click(f"#tab-{panel}")
        page.wait_for_selector(f"#panel-{panel} :is(table, li)")
        check(panel)
    page.click("#tab-tree")
    page.click("text=Settings")
    check("settings")
    page.keyboard.press("Escape")
    page.click("summary:has-text('Export')")
    check("menu")
    page.keyboard.press("Escape")
    page.click("summary:has-text('File')")
    page.click("text=Compare two revisions")
    page.wait_for_selector("dialog td:has-text('0.3571')")
    check("compare")
    page.keyboard.press("Escape")
    page.click(".studio-inspector [data-name=candidates]")
    page.click("text=Groups …")
    check("groups")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_of_the_first_page_is_hard_to_read_or_to_reach(open_studio: Any, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=f"{NO_BROWSER}: no axe").Axe()
    page = open_studio(color_scheme=scheme)
    violations = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in violations] == []
