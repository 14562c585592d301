"""Names in a browser: long, foreign, hostile and empty ones are shown as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.io.export.case import HOSTILE

import hornbeam as hb


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


def test_empty_names_are_seen(open_page: Any) -> None:
    X = {"": [1.0, 2.0, 3.0, 4.0], "city": ["", "", "x", "x"]}
    page = open_page(
        hb.report(hb.TreeClassifier().fit(X, ["", "", "b", "b"]), X, ["", "", "b", "b"]).to_html()
    )
    assert '""' in page.locator("header .key").first.inner_text()
    assert '""' in page.locator(".whatif label").first.inner_text()
    assert '""' in page.locator(".inspector h2").inner_text()
    assert '""' in page.locator(".columns b").nth(1).inner_text()
