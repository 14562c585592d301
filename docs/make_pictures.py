"""Make the pictures of the documentation.

One idea: every picture in the documentation is made by this command, from tables that everybody has; running
it again gives the same bytes, which a test checks. The screenshot of a report needs Playwright and Chromium
and is only made when it is asked for.

    python docs/make_pictures.py
    python docs/make_pictures.py report
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import hornbeam as hb
from hornbeam.display.drawing import Picture

FOLDER = Path(__file__).parent / "img"


def iris() -> Picture:
    """Three classes, two columns tested, histograms on the cards."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = y.map(dict(enumerate(load_iris().target_names)))
    return hb.draw(hb.TreeClassifier(max_depth=3).fit(X, names), X, names, title="Iris")


def tennis() -> Picture:
    """Words, a branch for each."""
    data = hb.datasets.load("tennis")
    return hb.draw(hb.id3().fit(data.X, data.y), data.X, data.y, title="Play tennis?")


def diabetes() -> Picture:
    """Numbers, with lines in the leaves."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X = X[["age", "bmi", "bp"]]
    model = hb.TreeRegressor("sd", leaf="linear", max_depth=2).fit(X, y)
    return hb.draw(model, X, y, title="Diabetes")


def folded() -> Picture:
    """A larger tree, folded."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    names = y.map({0: "malignant", 1: "benign"})
    return hb.draw(hb.TreeClassifier().fit(X, names), X, names, title="Breast cancer", max_nodes=15)


def icicle() -> Picture:
    """The same tree, all of it."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    names = y.map({0: "malignant", 1: "benign"})
    return hb.draw(hb.TreeClassifier().fit(X, names), kind="icicle", title="Breast cancer", width=900)


def paper() -> Picture:
    """For print: 6.5 inches wide, letters of 7 points."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = y.map(dict(enumerate(load_iris().target_names)))
    return hb.draw(hb.TreeClassifier(max_depth=3).fit(X, names), style="paper", title="Iris")


PICTURES: dict[str, Callable[[], Picture]] = {
    "iris": iris,
    "tennis": tennis,
    "diabetes": diabetes,
    "folded": folded,
    "icicle": icicle,
    "paper": paper,
}


def screenshot_of_a_report() -> None:
    """Write `img/report.png`: the first view of a report, in 128 colours."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    X, y = load_iris(return_X_y=True, as_frame=True)
    y = y.map(dict(enumerate(load_iris().target_names))).rename("species")
    X = X.rename(columns=lambda name: name.removesuffix(" (cm)"))
    train = X.index % 3 > 0
    model = hb.TreeClassifier(max_leaf_nodes=4).fit(X[train], y[train])
    report = hb.report(
        model, X[train], y[train], validation=(X[~train], y[~train]), title="Three kinds of iris"
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page, file = Path(folder, "report.html"), Path(folder, "report.png")
        report.to_html(page)
        chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 760}, color_scheme="light")
        tab.goto(page.as_uri())
        tab.wait_for_timeout(1000)
        tab.screenshot(path=file)
        browser.close()
        Image.open(file).convert("RGB").quantize(128).save(FOLDER / "report.png", optimize=True)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    if "report" in sys.argv[1:]:
        screenshot_of_a_report()
    for name, make in PICTURES.items():
        make().save(FOLDER / f"{name}.svg")
