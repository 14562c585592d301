"""Trees of every kind and size in a browser: each node, equations, hundreds of nodes, many classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from tests.display.web.reports import tennis, until
from tests.io.export.cases import CASES
from tests.support.selection import some

import hornbeam as hb

KINDS = ["written by hand", "hyperplane", "column sets", "expressions", "intervals", "a single leaf"]
KINDS += ["missing: surrogates", "missing: fractional", "costs of rows", "regression, fractional"]
QUICK = ["written by hand", "hyperplane", "expressions", "intervals", "missing: surrogates"]


@pytest.mark.parametrize("name", some(KINDS, of=QUICK))
def test_every_kind_of_tree_is_shown_node_by_node(open_page: Any, name: str) -> None:
    case = CASES[name]()
    answers = case.tree.predict(case.frame)
    page = open_page(hb.report(case.tree, case.frame, answers).to_html())
    page.click("[aria-label='Unfold everything']")
    until(page, f"document.querySelectorAll('[role=treeitem]').length === {len(case.tree)}")
    page.locator("#node-0").focus()
    for node, _ in list(case.tree.walk())[:12]:
        page.wait_for_selector(f"#node-{node}.selected", state="attached")
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
