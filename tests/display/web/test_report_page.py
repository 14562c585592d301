"""Reports as pages: names that look like markup, modules, notebooks."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.io.export.case import HOSTILE

import hornbeam as hb
from hornbeam.display.report.page import data, page_of
from hornbeam.display.scripts import join_modules, read_module
from hornbeam.parts import Predicates

# ---- pages -------------------------------------------------------------------------------------------------


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.append(tag)


def test_names_that_look_like_markup_stay_text() -> None:
    rng = np.random.default_rng(3)
    names = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", '"><b>', "<!--"]
    X = {name: rng.choice(HOSTILE[:8], 80) for name in names}
    y = np.array(["</title><b>", "'\"&amp;"])[(X[names[0]] == HOSTILE[0]).astype(int)]
    page = hb.report(
        hb.TreeClassifier(split="multiway", max_depth=3).fit(X, y), X, y, title="</title><script>"
    ).to_html()
    tags = _Tags()
    tags.feed(page)
    assert tags.found.count("script") == 2
    assert not {"img", "b", "iframe"} & set(tags.found)
    assert "<!--" not in page


def test_a_page_asks_nobody_for_anything() -> None:
    table = hb.datasets.load("tennis")
    page = hb.report(hb.id3().fit(table.X, table.y), table.X, table.y).to_html()
    assert "default-src 'none'" in page
    outside = set(re.findall(r"https?://[\w./-]+", page))
    assert outside == {"http://www.w3.org/2000/svg"}  # a name, not an address
    assert page.isascii() or '<meta charset="utf-8">' in page


def test_a_page_is_written_where_it_is_told(tmp_path: Path) -> None:
    X, y = {"x": [1, 2]}, ["a", "b"]
    report = hb.report(hb.TreeClassifier().fit(X, y), X, y)
    assert report.to_html(tmp_path / "a.html") == (tmp_path / "a.html").read_text(encoding="utf-8")
    assert report.to_json(str(tmp_path / "a.json")) == (tmp_path / "a.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("import x from './x.js';", "two forms"),
        ("import './x.js';", "two forms"),
        ("export default 1;", "two forms"),
        ("export {a};", "two forms"),
        ("import {a} from './main.js';", "circle"),
    ],
)
def test_modules_of_other_forms_are_refused(line: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        join_modules({"main.js": line}.__getitem__, "main.js")


def test_modules_write_no_html_and_load_nothing() -> None:
    script = re.sub(r"/\*.*?\*/", "", join_modules(read_module, "main.js"))
    words = (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "import(",
        "import.meta",
        "eval(",
    )
    assert "textContent" in script
    assert not [word for word in words if word in script]
    assert not re.search(r"</script|<!--", script, re.IGNORECASE)  # would end the script of a page


def test_comments_of_modules_stay_out_of_the_page() -> None:
    module = "/** innerHTML, import('x')\n * of a kind\n */\nconst a = /** @type {any} */ (1); // b\n"
    text = join_modules({"main.js": module}.__getitem__, "main.js")
    assert "innerHTML" not in text
    assert "of a kind" not in text
    assert "const a = /** @type {any} */ (1); // b" in text


def test_data_is_the_same_after_reading_it_back() -> None:
    given = {"a": "</script><!-- & \u2028 ' \""}
    assert json.loads(data(given)) == given
    assert "<" not in data(given)
    assert page_of(given, "").count("<script") == 2


# ---- notebooks ---------------------------------------------------------------------------------------------


def test_a_notebook_shows_a_tree_in_a_frame_and_as_text() -> None:
    table = hb.datasets.load("tennis")
    tree = hb.id3().fit(table.X, table.y).tree_
    shown = tree._repr_mimebundle_()
    assert shown["text/plain"] == hb.show(tree)
    assert shown["text/html"].startswith('<iframe sandbox="allow-scripts" srcdoc="&lt;!doctype html&gt;')
    assert "Overcast" in shown["text/html"].split('<div class="hornbeam-static">')[1]


@pytest.mark.parametrize(
    "make", [lambda: hb.Tree.from_nested("yes"), lambda: _density(), lambda: _by_function(), lambda: _large()]
)
def test_a_notebook_shows_any_tree(make: Any) -> None:
    assert make()._repr_mimebundle_()["text/html"]


def _density() -> hb.Tree:
    return hb.TreeDensity(max_depth=2).fit(np.random.default_rng(0).normal(size=(60, 2))).tree_


def _by_function() -> hb.Tree:
    X, y = {"x": [1.0, 2.0, 3.0]}, ["a", "b", "b"]
    return hb.TreeClassifier(split=Predicates([lambda table: table["x"] > 1.5])).fit(X, y).tree_


def _large() -> hb.Tree:
    rng = np.random.default_rng(0)
    return hb.TreeClassifier().fit(rng.normal(size=(3000, 2)), rng.integers(0, 2, 3000)).tree_


def test_a_report_shows_itself_in_a_notebook() -> None:
    X, y = {"x": [1, 2]}, ["a", "b"]
    report = hb.report(hb.TreeClassifier().fit(X, y), X, y)
    assert report._repr_mimebundle_()["text/plain"] == str(report)
    assert (
        repr(report)
        == "<Report 'Decision tree': <Tree classes: depth=1, leaves=2, tests=1, nodes=3, reading_size=3>>"
    )
