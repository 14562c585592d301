"""Reports in a browser: walked by keyboard, searched, folded, pruned, moved, asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.conftest import NO_BROWSER
from tests.display.web.reports import IN_SIGHT, label, large, mixed_table, numbers, tennis, until
from tests.display.web.tools import PAINTED
from tests.support.selection import some

import hornbeam as hb


def test_a_report_opens_from_a_file_without_any_request(open_page: Any) -> None:
    page = open_page(tennis())
    assert page.title() == "Tennis"
    assert page.locator("[role=treeitem]").count() == 8
    assert page.locator(".edge").count() == 7
    assert "no single records" in page.locator("footer").inner_text()


def test_the_tree_is_walked_by_keyboard_alone(open_page: Any) -> None:
    page = open_page(tennis())
    for _ in range(60):  # the tab key leads to the root of the tree sooner or later
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "treeitem":
            break
    assert label(page).startswith("split on Outlook, 14 records")
    page.keyboard.press("ArrowRight")
    assert label(page).startswith("= Overcast: leaf, 4 records, predicts Yes 100 percent")
    page.keyboard.press("ArrowDown")
    assert label(page).startswith("= Rain: split on Wind")
    page.keyboard.press("ArrowLeft")  # folds
    assert "folded" in label(page)
    assert page.locator("[role=treeitem]").count() == 6
    page.keyboard.press("ArrowRight")  # unfolds
    assert page.locator("[role=treeitem]").count() == 8
    page.keyboard.press("End")
    assert label(page).startswith("= Normal: leaf")
    page.keyboard.press("ArrowLeft")
    assert label(page).startswith("= Sunny: split on Humidity")
    page.keyboard.press("Home")
    assert label(page).startswith("split on Outlook")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className") == "inspector"
    assert page.locator("[role=treeitem][tabindex='0']").count() == 1


def test_keys_open_the_list_of_keys_and_the_search(open_page: Any) -> None:
    page = open_page(tennis())
    page.locator("#node-0").focus()
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    page.locator("#node-0").focus()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    before = page.locator("svg.tree > g").get_attribute("transform")
    page.locator("#node-0").focus()
    page.keyboard.press("+")
    until(page, f"document.querySelector('svg.tree > g').getAttribute('transform') !== '{before}'")


def test_a_search_dims_the_rest_and_counts(open_page: Any) -> None:
    page = open_page(tennis())
    page.fill("input[type=search]", "humidity")
    page.wait_for_selector(".node.dim")
    assert page.locator(".node.hit").count() == 3  # the test, and the two leaves whose rules name it
    assert page.locator(".found").inner_text() == "3 found"
    page.keyboard.press("Enter")
    page.wait_for_selector(".node.selected.hit")


def test_folding_by_mouse_hides_and_shows(open_page: Any) -> None:
    page = open_page(tennis())
    page.locator(".knob").first.click()
    until(page, "document.querySelectorAll('[role=treeitem]').length === 1")
    page.locator(".knob").first.click()
    until(page, "document.querySelectorAll('[role=treeitem]').length === 8")


def test_a_large_tree_starts_readable_and_can_be_seen_whole(open_page: Any) -> None:
    model, html = large()
    page = open_page(html)
    n = page.locator("[role=treeitem]").count()
    assert 15 <= n <= 60 < len(model.tree_)
    assert page.evaluate(IN_SIGHT) == n, "the first view shows the whole shape"
    names = page.locator("svg.tree .node").all_text_contents()
    assert all(any(letter.isalpha() for letter in name) for name in names), "every node is labelled"
    smallest = page.evaluate(
        """() => Math.min(...[...document.querySelectorAll('svg.tree text')]
        .map((text) => text.getBoundingClientRect()).filter((box) => box.width).map((box) => box.height))"""
    )
    assert smallest >= 9
    page.click("[aria-label='Unfold everything']")
    until(page, f"document.querySelectorAll('[role=treeitem]').length === {len(model.tree_)}")
    page.click("[aria-label^='Fit']")
    page.wait_for_selector("svg.tree[data-level=dot]")
    assert page.locator(".dot").count() == len(model.tree_)


def test_the_slider_previews_then_prunes_to_the_size_it_says(open_page: Any) -> None:
    model, html = large()
    page = open_page(html)
    path = hb.pruning_path(model)
    slider = page.locator("#prune-slider")
    slider.evaluate("(s) => { s.value = 1; s.dispatchEvent(new Event('input')); }")
    page.wait_for_selector(".node.going")
    slider.evaluate("(s) => s.dispatchEvent(new Event('change'))")
    until(page, "!document.querySelector('.node.going')")
    smaller = path.choose(leaves=int(path.leaves[-2])).tree_
    page.click("[aria-label='Unfold everything']")
    until(page, f"document.querySelectorAll('[role=treeitem]').length === {len(smaller)}")
    page.click("#tab-rules")
    assert page.locator(".rules tbody tr").count() == smaller.n_leaves
    assert f"{smaller.n_leaves} of {model.tree_.n_leaves} leaves" in page.locator(".headline").inner_text()
    page.click("#tab-quality")
    assert f"pruned to {smaller.n_leaves} leaves" in page.locator(".quality h2").inner_text()
    X, y = mixed_table()
    said = page.locator(".quality .numbers.wide tbody tr", has_text="accuracy").first.locator("td b")
    for place, rows in enumerate((slice(None, 350), slice(350, None))):
        accuracy = np.mean(smaller.predict(X[rows]) == y[rows])
        assert said.nth(place).inner_text() == f"{accuracy:.4f}"


def test_the_tree_is_arranged_again_as_cards_lines_and_dots(open_page: Any) -> None:
    page = open_page(large()[1])
    page.locator("#node-0").focus()
    levels = []
    for key in "+" * 8 + "-" * 24:
        page.keyboard.press(key)
        page.evaluate(PAINTED)
        levels.append(page.locator("svg.tree").get_attribute("data-level"))
    assert levels[7] == "full"
    assert levels[-1] == "dot"
    assert {"line", "dot"} <= set(levels[8:])
    assert page.locator(".name:not(.quiet)").count() > 1, "dots have names where there is room"
    hidden = page.locator(".node:has(.name.quiet)").first
    hidden.locator(".reach").hover(force=True)
    assert hidden.locator(".name").is_visible()


def test_lines_say_thresholds_whole_and_sets_by_their_first_values(open_page: Any) -> None:
    rng = np.random.default_rng(1)
    names = ["worst concave points", "mean fractal dimension", "worst perimeter of all"]
    X = pd.DataFrame({name: rng.normal(size=600) * 0.01 for name in names})
    X["town"] = rng.choice([f"the town of {k}" for k in range(12)], 600)
    y = (X[names].sum(axis=1) + 0.02 * (X["town"].str[-1].astype(int) > 4) > rng.normal(size=600) * 0.01).map(
        str
    )
    page = open_page(hb.report(hb.TreeClassifier(max_leaf_nodes=40).fit(X, y), X, y).to_html())
    assert page.locator("svg.tree").get_attribute("data-level") == "line"
    said = page.locator(".node text.soft:first-of-type").all_text_contents()
    assert [text for text in said if text.startswith(("≤", ">"))]
    assert not [text for text in said if text.startswith(("≤", ">")) and "…" in text]
    assert not [text for text in said if text.startswith(("in {", "not in {")) and not text.endswith("}")]


def test_what_people_did_by_hand_is_shown(open_page: Any) -> None:
    table = hb.datasets.load("tennis")
    draft = hb.edit(hb.id3(), table.X, table.y).split(0, on="Wind", multiway=True).grow(max_depth=2)
    draft = draft.lock(1).note(2, "the rule of the club")
    page = open_page(hb.report(draft.model, table.X, table.y).to_html())
    assert "chosen · rank 3 of 4" in page.locator("#node-0").text_content()
    assert "the best is Outlook with gain 0.247 bits" in page.locator(".inspector .pill").inner_text()
    assert "locked" in page.locator("#node-1").text_content()
    assert "rule of the club" in str(page.locator("#node-2").get_attribute("aria-label"))


def test_rules_are_sorted_by_their_headings(open_page: Any) -> None:
    page = open_page(tennis())
    page.click("#tab-rules")
    heads = page.locator(".rules th[aria-sort]")
    assert heads.nth(2).get_attribute("aria-sort") == "descending"
    counts = page.locator(".rules tbody tr td:nth-child(3)").all_inner_texts()
    assert counts == ["4", "3", "3", "2", "2"]
    page.locator(".rules th button", has_text="Records").click()
    page.wait_for_selector(".rules th[aria-sort=ascending]")
    assert page.locator(".rules tbody tr td:nth-child(3)").all_inner_texts() == ["2", "2", "3", "3", "4"]


def test_the_form_answers_as_the_model_gaps_and_all(open_page: Any) -> None:
    model, html = large()
    page = open_page(html)
    row = {"age": 55.5, "pay": 0.3, "rooms": 2.0, "city": None, "size": "M", "owner": True}
    for name, value in row.items():
        field = page.locator(".whatif label", has=page.locator(f"span:text-is('{name}')")).locator(
            "input, select"
        )
        if not field.count():
            continue
        if field.evaluate("(f) => f.tagName") == "SELECT":
            field.select_option(label="∅ missing" if value is None else str(value))
        else:
            field.fill("" if value is None else str(value))
    page.click("text=Predict")
    X, _ = mixed_table(1)
    frame = pd.DataFrame([row]).astype(X.dtypes.to_dict())
    wanted, shares = model.predict(frame)[0], model.predict_proba(frame)[0]
    share = shares[list(model.classes_).index(wanted)]
    said = page.locator(".answer .verdict").inner_text()
    assert said.startswith(wanted)
    assert abs(float(said.split()[-2].strip("<>")) - 100 * share) <= 0.51
    assert page.locator(".node.onpath").count() >= 2
    page.click("text=Clear")
    until(page, "!document.querySelector('.node.onpath')")


def test_the_form_says_what_it_cannot_read(open_page: Any) -> None:
    _, html = large()
    page = open_page(html)
    page.locator(".whatif input").first.fill("many")
    assert "cannot be read" in page.locator(".answer").inner_text()
    assert page.locator(".whatif [aria-invalid=true]").count() == 1


READ = [("tennis", "light"), ("large", "dark"), ("numbers", "light")]


@pytest.mark.parametrize(("what", "scheme"), some(READ, of=READ[:2]))
def test_nothing_is_hard_to_read_or_to_reach(open_page: Any, what: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=f"{NO_BROWSER}: no axe").Axe()
    html = {"tennis": tennis, "large": lambda: large()[1], "numbers": numbers}[what]()
    page = open_page(html, color_scheme=scheme)
    for tab in ("tree", "rules") if what == "large" else ("tree", "rules", "quality", "outline", "about"):
        page.click(f"#tab-{tab}")
        found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []


def test_the_theme_follows_the_system_and_the_button(open_page: Any) -> None:
    page = open_page(tennis(), color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(background) == "rgb(20, 24, 31)"
    page.click(".theme")
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    assert page.locator(".theme").get_attribute("aria-pressed") == "false"


def test_a_narrow_window_shows_everything_below_each_other(open_page: Any) -> None:
    page = open_page(large()[1], viewport={"width": 420, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    for part in (".canvas", ".icicle", ".inspector", ".whatif"):
        assert page.locator(part).is_visible()
