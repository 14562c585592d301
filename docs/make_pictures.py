"""Make the pictures of the documentation.

One idea: every picture in the documentation is made by this command, from tables that everybody has; running
it again gives the same bytes, which a test checks.

    python docs/make_pictures.py
"""

from __future__ import annotations

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


PICTURES: dict[str, Callable[[], Picture]] = {
    "iris": iris,
    "tennis": tennis,
    "diabetes": diabetes,
    "folded": folded,
    "icicle": icicle,
}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, make in PICTURES.items():
        make().save(FOLDER / f"{name}.svg")
