"""Settings in the page of the studio: values in order, the search; what stays in sight and in focus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.studio.pages import grow, said, tab_to

import hornbeam as hb

STATES = ["none", ">=200", "<0", "0<=X<200"]


def accounts(folder: Path, n_more: int = 0) -> pd.DataFrame:
    """A table whose categories look like comparisons, with a column of truth values and some of chance."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"status": rng.choice(STATES, 120), "owner": rng.random(120) < 0.5})
    frame["rate"] = rng.normal(size=120).round(2)
    for k in range(n_more):
        frame[f"chance {k}"] = rng.normal(size=120).round(2)
    risk = frame["status"].isin(["<0", "0<=X<200"]) + frame["owner"] + frame["rate"]
    frame["y"] = np.where(risk > 1, "bad", "good")
    frame.to_csv(folder / "accounts.csv", index=False)
    return frame


def test_values_are_put_in_order_and_written_as_they_are(open_studio: Any, tmp_path: Path) -> None:
    accounts(tmp_path)
    page = open_studio("accounts.csv", "y")
    page.click(".candidates tbody button:text-is('status')")
    page.click("text=One branch per value")
    said(page, "split node 0 by status")
    assert page.locator(".inspector-body > p").first.inner_text() == "this node tests status"
    page.click("text=Settings")
    page.select_option("select[aria-label='kind/status']", "ordinal")
    values = page.locator(".order:visible li")
    last = values.last.inner_text().removesuffix("↑").strip()
    values.last.locator("button").focus()
    for _ in range(3):  # the button keeps the focus until its value is the first
        page.keyboard.press("Enter")
    order = [text.removesuffix("↑").strip() for text in values.all_inner_texts()]
    assert order[0] == last
    assert sorted(order) == sorted(STATES)
    page.click("dialog button:has-text('Apply')")
    said(page, "changed settings: kinds")
    page.wait_for_selector(f".columns li:has-text('{' < '.join(order)}')")
    page.wait_for_selector(".candidates .short:has-text('≤')")


def test_the_search_is_chosen_and_growth_says_what_is_proven(open_studio: Any, tmp_path: Path) -> None:
    accounts(tmp_path)
    page = open_studio("accounts.csv", "y")
    page.click("text=Settings")
    page.select_option("select[aria-label='search']", "optimal")
    page.click("summary:has-text('Limits of growth')")
    page.fill("input[aria-label='limit/max_depth']", "2")
    page.click("dialog button:has-text('Apply')")
    said(page, "changed settings")
    page.click("text=Grow all")
    sheet = hb.read_table(tmp_path / "accounts.csv")
    X, y, *_ = sheet.split("y")
    said(page, str(hb.TreeClassifier(search="optimal", max_depth=2).fit(X, y).certificate_))


def test_what_is_clicked_stays_in_sight_and_keeps_the_focus(open_studio: Any, tmp_path: Path) -> None:
    accounts(tmp_path, 25)
    page = open_studio("accounts.csv", "y")
    page.wait_for_selector(".detail h3")
    tab_to(page, ".candidates tbody tr:nth-child(3) button")
    column = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.wait_for_selector(f".detail h3:has-text('{column}')")
    assert page.evaluate("document.activeElement.textContent") == column
    heading, panel = (page.locator(what).bounding_box() for what in (".detail .why", ".studio-inspector"))
    assert heading["y"] + heading["height"] < panel["y"] + panel["height"]
    grow(page)
    field = page.locator(".whatif select[aria-label=owner]")
    assert field.locator("option").all_inner_texts() == ["∅ missing", "False", "True"]
    field.select_option("True")
    page.click("text=Predict")
    page.wait_for_selector(".answer .verdict")


@pytest.mark.parametrize("touch", [{"has_touch": True, "is_mobile": True}], ids=["phone"])
def test_long_names_fit_a_phone(open_studio: Any, tmp_path: Path, touch: dict[str, bool]) -> None:
    name = "average_number_of_monthly_transactions_over_the_last_12_months"
    accounts(tmp_path).rename(columns={"rate": name}).to_csv(tmp_path / "long.csv", index=False)
    page = open_studio("long.csv", "y", viewport={"width": 390, "height": 844}, **touch)
    grow(page)
    page.wait_for_selector(".detail button.main")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.click("text=Settings")
    box = page.locator("dialog.studio").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
