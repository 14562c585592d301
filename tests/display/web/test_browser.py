"""Reports in a browser: seen, walked by keyboard, searched, folded, pruned, asked, printed."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from tests.conftest import NO_BROWSER
from tests.display.web.tools import PAINTED
from tests.io.export.cases import CASES, HOSTILE
from tests.support.mixed_tables import outcome, random_columns
from tests.support.selection import some

import hornbeam as hb


@functools.cache
def tennis() -> str:
    table = hb.datasets.load("tennis")
    return hb.report(hb.id3().fit(table.X, table.y), table.X, table.y, title="Tennis").to_html()


def _mixed(n: int = 500, classes: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(11)
    X = random_columns(rng, n)
    return X, outcome(rng, X, classes)


@functools.cache
def large() -> tuple[Any, str]:
    """A model of many nodes on a table with gaps, and its report."""
    X, y = _mixed()
    model = hb.TreeClassifier().fit(X[:350], y[:350])
    return model, hb.report(model, X[:350], y[:350], validation=(X[350:], y[350:])).to_html()


@functools.cache
def numbers() -> str:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return hb.report(hb.TreeRegressor(max_depth=4, min_samples_leaf=8).fit(X, y), X, y).to_html()


IN_SIGHT = """() => {
    const room = document.querySelector('svg.tree').getBoundingClientRect();
    return [...document.querySelectorAll('svg.tree .node .card')].map((card) => card.getBoundingClientRect())
        .filter((box) => box.left >= room.left && box.right <= room.right)
        .filter((box) => box.top >= room.top && box.bottom <= room.bottom).length;
}"""


def label(page: Any) -> str:
    """What a screen reader says of the node that has the focus."""
    found: str = page.evaluate("document.activeElement.getAttribute('aria-label')")
    return found


def until(page: Any, truth: str) -> None:
    """Wait for an expression to be true; the page's own policy forbids Playwright to wait inside it."""
    for _ in range(400):
        if page.evaluate(truth):
            return
        page.wait_for_timeout(25)
    raise AssertionError(f"never true: {truth}")


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
    X, y = _mixed()
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


def test_what_people_did_by_hand_is_shown(open_page: Any) -> None:
    table = hb.datasets.load("tennis")
    draft = hb.edit(hb.id3(), table.X, table.y).split(0, on="Wind", multiway=True).grow(max_depth=2)
    draft = draft.lock(1).note(2, "the rule of the club")
    page = open_page(hb.report(draft.model, table.X, table.y).to_html())
    assert "chosen · rank 3 of 4" in page.locator("#node-0").text_content()
    assert "the best is Outlook with gain 0.247 bits" in page.locator(".inspector .pill").inner_text()
    assert "locked" in page.locator("#node-1").text_content()
    assert "rule of the club" in str(page.locator("#node-2").get_attribute("aria-label"))


def test_classes_that_are_numbers_are_called_classes(open_page: Any) -> None:
    X = {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
    page = open_page(
        hb.report(hb.TreeClassifier().fit(X, [1, 1, 2, 2, 2, 2]), X, [1, 1, 2, 2, 2, 2]).to_html()
    )
    assert "class 2 · 67 %" in page.locator("#node-0").text_content()
    assert "class 1" in page.locator(".headline").inner_text()


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_long_and_foreign_names_stay_in_the_page(open_page: Any, width: int) -> None:
    rng = np.random.default_rng(0)
    names = ["average_number_of_monthly_transactions_over_the_last_12_months"]
    names += [
        "average_number_of_monthly_transactions_over_the_last_36_months",
        "מספר הילדים",
        "عدد الأسرة",
        "平均交易金额",
    ]
    X = pd.DataFrame({name: rng.normal(size=200) for name in names})
    X["town"] = rng.choice([f"town number {k}" for k in range(30)], 200)
    y = np.where(X.sum(axis=1, numeric_only=True) + X["town"].str.len() % 2 > 0, "מאושר", "נדחה")
    model = hb.TreeClassifier(min_samples_leaf=5).fit(X, y)
    page = open_page(hb.report(model, X, y).to_html(), viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    fields = page.locator(".whatif label span").all_inner_texts()
    assert len(set(fields)) == len(fields)
    assert names[0] in fields, "names are whole"
    page.click("#tab-rules")
    for details in page.locator(".rules details").all()[:2]:
        details.locator("summary").click()
        assert details.locator("p").is_visible()


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
    X, _ = _mixed(1)
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


def test_hostile_names_are_shown_as_they_are(open_page: Any) -> None:
    rng = np.random.default_rng(3)
    names = [
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '"><b onclick=alert(1)>',
        "'`${x}",
    ]
    X = {name: rng.choice(HOSTILE[:12], 150) for name in names}
    y = np.array(["<b>no</b>", "__proto__", "</style>"])[rng.integers(0, 3, 150)]
    model = hb.TreeClassifier(split="multiway", max_depth=2).fit(X, y)
    page = open_page(hb.report(model, X, y, title="<script>alert(2)</script>").to_html())
    assert page.locator("h1").inner_text().endswith("<script>alert(2)</script>")
    assert page.locator("img").count() == 0
    assert page.locator("#hornbeam b[onclick]").count() == 0
    for tab in ("rules", "quality", "outline", "about"):
        page.click(f"#tab-{tab}")
    question = hb.report(model, X, y).to_dict()["nodes"][0]["question"]
    assert question in page.locator(".inspector h2").inner_text()


def test_a_narrow_window_shows_everything_below_each_other(open_page: Any) -> None:
    page = open_page(large()[1], viewport={"width": 420, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    for part in (".canvas", ".icicle", ".inspector", ".whatif"):
        assert page.locator(part).is_visible()


def test_the_printed_report_holds_every_panel(open_page: Any) -> None:
    page = open_page(large()[1])
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for part in ("#panel-rules table", "#panel-quality table", "#panel-outline li >> nth=0", "svg.tree"):
        assert page.locator(part).first.is_visible()
    assert not page.locator(".tools").is_visible()
    assert len(page.pdf(prefer_css_page_size=True)) > 1000


def test_a_report_of_eight_leaves_is_printed_on_one_page(open_page: Any) -> None:
    for load, learner in ((load_breast_cancer, hb.TreeClassifier), (load_diabetes, hb.TreeRegressor)):
        X, y = load(return_X_y=True, as_frame=True)
        html = hb.report(learner(max_leaf_nodes=8).fit(X, y), X, y, validation=(X[:99], y[:99])).to_html()
        page = open_page(html)
        printed = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("svg.tree [data-node].node").count() == 15, "no node is folded"
        for part in ("#panel-rules tbody tr >> nth=7", "#panel-quality table", "#panel-about table"):
            assert page.locator(part).first.is_visible()


def test_a_large_tree_is_printed_in_parts_that_hold_every_node(open_page: Any) -> None:
    model, html = large()
    page = open_page(html)
    assert page.locator(".sheet").count() == 0
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    n_sheets = page.locator(".sheet").count()
    assert n_sheets > 3
    assert page.locator(".sheet svg[data-level=full]").count() == n_sheets, "cards, not dots"
    drawn = set(
        page.eval_on_selector_all("svg.tree [data-node].node", "all => all.map((e) => e.dataset.node)")
    )
    assert drawn == {str(node) for node in range(len(model.tree_))}
    tall = page.eval_on_selector_all(".sheet svg", "all => all.map((e) => e.getBoundingClientRect().height)")
    assert max(tall) < 700, "a part fits on a page"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".sheet").count() == 0
    assert len(page.pdf(prefer_css_page_size=True)) > 1000


def test_a_small_tree_is_printed_on_one_page(open_page: Any) -> None:
    page = open_page(tennis())
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".sheet").count() == 0
    assert page.locator("svg.tree[data-level=full]").count() == 1
    assert page.locator(".sheets").is_visible() is False


def test_empty_names_are_seen(open_page: Any) -> None:
    X = {"": [1.0, 2.0, 3.0, 4.0], "city": ["", "", "x", "x"]}
    page = open_page(
        hb.report(hb.TreeClassifier().fit(X, ["", "", "b", "b"]), X, ["", "", "b", "b"]).to_html()
    )
    assert '""' in page.locator("header .key").first.inner_text()
    assert '""' in page.locator(".whatif label").first.inner_text()
    assert '""' in page.locator(".inspector h2").inner_text()
    assert '""' in page.locator(".columns b").nth(1).inner_text()


def test_the_frame_of_a_notebook_works_without_the_rights_of_its_page(open_page: Any) -> None:
    table = hb.datasets.load("tennis")
    framed = hb.id3().fit(table.X, table.y).tree_._repr_mimebundle_()["text/html"]
    page = open_page(f'<!doctype html><p class="node"><i class="card">a notebook</i></p>{framed}')
    frame = page.frame_locator("iframe")
    frame.locator("[role=treeitem]").first.wait_for()
    assert frame.locator("[role=treeitem]").count() == 8
    frame.locator("#node-0").focus()
    page.keyboard.press("ArrowRight")
    frame.locator("#node-1.selected").wait_for()
    assert not page.locator(".hornbeam-static").is_visible()


def test_the_frame_of_a_notebook_is_printed_whole_on_a_narrow_page(open_page: Any) -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    framed = hb.TreeClassifier(max_depth=3).fit(X, y).tree_._repr_mimebundle_()["text/html"]
    page = open_page(f'<!doctype html><p class="node"><i class="card">a notebook</i></p>{framed}')
    page.set_viewport_size({"width": 640, "height": 800})
    frame = page.frames[1]
    frame.wait_for_selector("#node-8")
    page.emulate_media(media="print")
    frame.evaluate("dispatchEvent(new Event('beforeprint'))")
    boxes = "[...document.querySelectorAll('.node')].map((one) => one.getBoundingClientRect())"
    edges = frame.evaluate(f"{boxes}.map((box) => [box.left, box.right])")
    wide = frame.evaluate("innerWidth")
    assert len(edges) == 9
    assert min(left for left, _ in edges) >= 0
    assert max(right for _, right in edges) <= wide


def test_without_scripts_the_tree_is_a_list(browser: Any, open_page: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_content(tennis())
    assert "= Overcast: Yes 100 %" in page.locator("ul.static").inner_text()
    context.close()


KINDS = ["written by hand", "hyperplane", "column sets", "expressions", "intervals", "a single leaf"]
KINDS += ["missing: surrogates", "missing: fractional", "costs of rows", "regression, fractional"]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_tree_is_shown_node_by_node(open_page: Any, name: str) -> None:
    case = CASES[name]()
    answers = case.tree.predict(case.frame)
    page = open_page(hb.report(case.tree, case.frame, answers).to_html())
    page.click("[aria-label='Unfold everything']")
    until(page, f"document.querySelectorAll('[role=treeitem]').length === {len(case.tree)}")
    page.locator("#node-0").focus()
    for node, _ in list(case.tree.walk())[:12]:
        assert page.locator(f"#node-{node}.selected").count() == 1
        assert f"#{node}" in page.locator(".inspector .kicker").inner_text()
        page.keyboard.press("ArrowDown")
    if page.locator(".whatif button").count():
        page.click("text=Predict")
        assert page.locator(".answer .verdict").inner_text()


def test_equations_are_shown_as_lines_and_tables(open_page: Any) -> None:
    x = np.linspace(0, 10, 120)
    X, y = {"x": x}, np.where(x > 5, 3 * x, 20 - 2 * x)
    page = open_page(hb.report(hb.TreeRegressor("sd", leaf="linear", max_depth=1).fit(X, y), X, y).to_html())
    assert page.locator(".node path.mean").count() >= 2
    page.locator("#node-1").click()
    page.wait_for_selector("text=Terms of the equation", state="attached")
    assert "20" in page.locator(".inspector .rule-text").last.inner_text()


def test_a_tree_of_many_hundred_nodes_draws_what_is_near(open_page: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 4)), rng.integers(0, 2, 1500)
    model = hb.TreeClassifier().fit(X, y)
    n = len(model.tree_)
    assert n > 600
    page = open_page(hb.report(model, X, y).to_html())
    page.click("[aria-label='Unfold everything']")
    page.wait_for_selector("svg.tree[data-level=dot]")
    assert page.locator(".edge").count() == n - 1
    page.locator("#node-0").focus()
    for _ in range(20):
        page.keyboard.press("+")
    page.wait_for_selector("svg.tree[data-level=full]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    until(page, "document.querySelectorAll('.label').length > 0")
    assert 0 < page.locator(".label").count() < n / 2


def test_the_tree_is_moved_by_dragging_and_zoomed_by_the_wheel(open_page: Any) -> None:
    page = open_page(tennis())
    world = page.locator("svg.tree > g")
    before = world.get_attribute("transform")
    page.mouse.move(300, 120)  # beside the cards
    page.mouse.down()
    page.mouse.move(360, 160, steps=4)
    page.mouse.up()
    now = "document.querySelector('svg.tree > g').getAttribute('transform')"
    until(page, f"{now} !== '{before}'")
    moved = world.get_attribute("transform")
    assert moved.split("scale")[1] == before.split("scale")[1]
    page.mouse.wheel(0, -300)
    until(page, f"!{now}.endsWith('{moved.split(' ')[-1]}')")


def test_the_overview_selects_and_looks_closer(open_page: Any) -> None:
    page = open_page(tennis())
    page.locator(".icicle g", has=page.locator("title", has_text="#3 ")).dispatch_event("click")
    page.wait_for_selector("#node-3.selected")
    page.locator(".icicle g", has=page.locator("title", has_text="#3 ")).dispatch_event("dblclick")
    page.wait_for_selector(".crumbs button")
    assert page.locator(".icicle g").count() == 3
    page.click(".crumbs button:has-text('all')")
    until(page, "document.querySelectorAll('.icicle g').length === 8")


def test_many_classes_and_many_columns_are_shown(open_page: Any) -> None:
    X, _ = load_breast_cancer(return_X_y=True, as_frame=True)
    classes = np.char.add(
        "class ", pd.qcut(X["mean area"], 9, labels=False).astype(str).to_numpy().astype(str)
    )
    page = open_page(hb.report(hb.TreeClassifier(max_depth=6).fit(X, classes), X, classes).to_html())
    assert page.locator(".kx").count() > 0  # the seventh class and those after it are grey
    page.click("#tab-quality")
    assert page.locator(".confusion tbody tr").count() == 9
