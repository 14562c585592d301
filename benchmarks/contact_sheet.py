"""A contact sheet: the same five trees drawn by Hornbeam, scikit-learn, dtreeviz, supertree and R's rpart.

The one idea: each program draws a tree of the same table and size with its own defaults, nothing is touched
up; a browser photographs what is no picture yet, and the sheet is kept, so that the documentation is built
without any of them. A program that is not installed leaves its column out, and is named.

    python -m benchmarks.contact_sheet docs/img/beside-others.png
"""

from __future__ import annotations

import argparse
import base64
import html
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import note

CELL = (620, 400)  # pixels of one picture


class Example(NamedTuple):
    """A table and how large its tree is."""

    name: str
    X: Any
    y: Any
    classes: list[str]
    limits: dict[str, int]
    model: Any  # scikit-learn's


def examples() -> list[Example]:
    from sklearn import datasets
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    tables: list[tuple[str, Any, dict[str, int]]] = [
        ("iris", datasets.load_iris(as_frame=True), {"max_depth": 3}),
        ("wine", datasets.load_wine(as_frame=True), {"max_leaf_nodes": 6}),
        ("breast cancer", datasets.load_breast_cancer(as_frame=True), {"max_leaf_nodes": 8}),
        ("diabetes", datasets.load_diabetes(as_frame=True, scaled=False), {"max_leaf_nodes": 8}),
        ("digits", datasets.load_digits(as_frame=True), {"max_leaf_nodes": 16}),
    ]
    made = []
    for name, table, limits in tables:
        classes = [] if name == "diabetes" else [str(one) for one in table.target_names]
        learner = DecisionTreeClassifier if classes else DecisionTreeRegressor
        model = learner(random_state=0, **limits).fit(table.data, table.target)
        made.append(Example(name, table.data, table.target, classes, limits, model))
    return made


def named(one: Example) -> Any:
    """The target with the names of its classes."""
    return one.y.map(dict(enumerate(one.classes))) if one.classes else one.y


def ours(one: Example) -> Any:
    import hornbeam as hb

    return (hb.TreeClassifier if one.classes else hb.TreeRegressor)(**one.limits).fit(one.X, named(one))


def screen(one: Example, folder: Path) -> str:
    del folder
    import hornbeam as hb

    svg: str = hb.draw(ours(one), one.X, named(one), theme="light").svg
    return svg


def paper(one: Example, folder: Path) -> str:
    del folder
    import hornbeam as hb

    svg: str = hb.draw(ours(one), style="paper").svg
    return svg


def scikit_learn(one: Example, folder: Path) -> str:
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt
    from sklearn.tree import plot_tree

    figure = plt.figure(figsize=(CELL[0] / 80, CELL[1] / 80))
    plot_tree(one.model, feature_names=list(one.X.columns), class_names=one.classes or None, filled=True)
    figure.savefig(folder / "sklearn.svg")
    plt.close(figure)
    return (folder / "sklearn.svg").read_text(encoding="utf-8")


def dtreeviz(one: Example, folder: Path) -> str:
    import dtreeviz as other

    drawn = other.model(
        one.model,
        one.X,
        one.y,
        feature_names=list(one.X.columns),
        target_name="target",
        class_names=one.classes or None,
    ).view()
    drawn.save(str(folder / "dtreeviz.svg"))
    return (folder / "dtreeviz.svg").read_text(encoding="utf-8")


def supertree(one: Example, folder: Path) -> Path:
    from supertree import SuperTree

    page = folder / "supertree.html"
    names = one.classes or "target"
    SuperTree(one.model, one.X, one.y, list(one.X.columns), names).save_html(str(page))
    return page


RPART = """
args <- commandArgs(trailingOnly = TRUE)
library(rpart)
table <- read.csv(args[1], check.names = FALSE)
classes <- args[4] == "classes"
if (classes) table$target <- factor(table$target)
control <- rpart.control(cp = 0, minsplit = 2, minbucket = 1, maxdepth = 10, xval = 0)
model <- rpart(target ~ ., table, method = if (classes) "class" else "anova", control = control)
sizes <- model$cptable[, "nsplit"] + 1
model <- prune(model, cp = model$cptable[max(which(sizes <= as.numeric(args[3]))), "CP"] * (1 + 1e-9))
svg(args[2], width = 7.75, height = 5)
par(mar = rep(0.2, 4), xpd = NA)
if (requireNamespace("rpart.plot", quietly = TRUE)) rpart.plot::rpart.plot(model) else {
  plot(model)
  text(model, use.n = TRUE)
}
invisible(dev.off())
"""


def rpart(one: Example, folder: Path) -> str:
    table, picture = folder / "table.csv", folder / "rpart.svg"
    one.X.assign(target=named(one)).to_csv(table, index=False)
    leaves, task = str(one.model.get_n_leaves()), "classes" if one.classes else "numbers"
    command = ["Rscript", "-e", RPART, str(table), str(picture), leaves, task]
    subprocess.run(command, check=True, capture_output=True)
    return picture.read_text(encoding="utf-8")


PROGRAMS: dict[str, Callable[[Example, Path], str | Path]] = {
    "Hornbeam: hb.draw": screen,
    "Hornbeam: hb.draw(style='paper')": paper,
    "scikit-learn: plot_tree": scikit_learn,
    "dtreeviz: view": dtreeviz,
    "supertree: show_tree": supertree,
    "R's rpart: plot, text": rpart,
}


def photograph(browser: Any, drawn: str | Path, size: tuple[int, int]) -> bytes:
    """A picture as large as a cell, of an SVG text or of a page."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, device_scale_factor=1.25)
    if isinstance(drawn, Path):
        page.goto(drawn.as_uri())
        page.wait_for_timeout(3000)
    else:
        data = base64.b64encode(drawn.encode()).decode()
        fit = "width:100vw;height:100vh;object-fit:contain"
        page.set_content(
            f'<body style="margin:0"><img style="{fit}" src="data:image/svg+xml;base64,{data}"></body>'
        )
        page.wait_for_timeout(300)
    shot: bytes = page.screenshot()
    page.close()
    return shot


def sheet_html(cells: dict[str, dict[str, bytes]]) -> str:
    """A table of pictures: a row for each tree, a column for each program."""
    tables = list(next(iter(cells.values())))
    heads = "".join(f"<th>{html.escape(name)}</th>" for name in cells)
    lines = []
    for table in tables:
        pictures = "".join(
            f'<td><img src="data:image/png;base64,{base64.b64encode(one[table]).decode()}"></td>'
            for one in cells.values()
        )
        lines.append(f"<tr><th>{table}</th>{pictures}</tr>")
    style = "body{margin:8px;font:20px sans-serif} td{border:1px solid #ccc;padding:4px}" + (
        f"img{{width:{CELL[0]}px;height:{CELL[1]}px;display:block}} table{{border-collapse:collapse}}"
        "tr>th:first-child{writing-mode:vertical-rl;rotate:180deg} th{padding:6px}"
    )
    return f"<style>{style}</style><table><tr><th></th>{heads}</tr>{''.join(lines)}</table>"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contact_sheet", description=__doc__)
    parser.add_argument("out", type=Path, help="the PNG file")
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="the browser")
    args = parser.parse_args(argv)
    from PIL import Image
    from playwright.sync_api import sync_playwright

    warnings.simplefilter("ignore")
    cells: dict[str, dict[str, bytes]] = {}
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as place:
        browser = playwright.chromium.launch(executable_path=args.chromium)
        for name, draw in PROGRAMS.items():
            try:
                cells[name] = {
                    one.name: photograph(browser, draw(one, Path(place)), CELL) for one in examples()
                }
            except (ImportError, FileNotFoundError, subprocess.CalledProcessError) as missing:
                note(f"left out: {name} ({missing})")
        width = 60 + (CELL[0] + 12) * len(cells)
        page = browser.new_page(viewport={"width": width, "height": 2400})
        page.set_content(sheet_html(cells))
        page.wait_for_timeout(500)
        page.locator("table").screenshot(path=str(args.out))
    few = Image.open(args.out).convert("RGB").quantize(192, method=Image.Quantize.MAXCOVERAGE)
    few.save(args.out, optimize=True)
    note(f"wrote {args.out}: {args.out.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
