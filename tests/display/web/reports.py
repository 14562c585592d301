"""Reports to open in a browser, and what the tests read of a page."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes
from tests.display.web.tools import PAINTED
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb


@functools.cache
def tennis() -> str:
    table = hb.datasets.load("tennis")
    return hb.report(hb.id3().fit(table.X, table.y), table.X, table.y, title="Tennis").to_html()


def mixed_table(n: int = 500, classes: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(11)
    X = random_columns(rng, n)
    return X, outcome(rng, X, classes)


@functools.cache
def large() -> tuple[Any, str]:
    """A model of many nodes on a table with gaps, and its report."""
    X, y = mixed_table()
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
    """What a screen reader says of the node that has the focus, once it is drawn."""
    page.evaluate(PAINTED)
    found: str = page.evaluate("document.activeElement.getAttribute('aria-label')")
    return found


def until(page: Any, truth: str) -> None:
    """Wait for an expression to be true; the page's own policy forbids Playwright to wait inside it."""
    for _ in range(4000):  # a busy machine is no fault of the page
        if page.evaluate(truth):
            return
        page.wait_for_timeout(25)
    raise AssertionError(f"never true: {truth}")
