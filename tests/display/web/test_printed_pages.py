"""Reports on paper, in the frame of a notebook, and without scripts."""

from __future__ import annotations

import re
from typing import Any

from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from tests.display.web.reports import large, tennis
from tests.display.web.tools import PAINTED

import hornbeam as hb


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
    page.set_viewport_size({"width": 900, "height": 1200})
    page.evaluate(PAINTED)  # paper has another size than the screen, which must not fold other nodes
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
