"""The pictures of the documentation are what the command makes; the code of the page on drawing runs."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def pictures():
    spec = importlib.util.spec_from_file_location("make_pictures", DOCS / "make_pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["iris", "tennis", "diabetes", "folded", "icicle", "paper"])
def test_making_a_picture_again_gives_the_same_bytes(name):
    stored = (DOCS / "img" / f"{name}.svg").read_text(encoding="utf-8")
    assert pictures().PICTURES[name]().svg == stored, "run python docs/make_pictures.py"


def test_every_picture_stored_is_one_that_is_made_and_shown():
    made = {f"{name}.svg" for name in pictures().PICTURES}
    stored = {file.name for file in (DOCS / "img").iterdir()}
    assert made == {name for name in stored if name.endswith(".svg")}
    pages = [DOCS / "tutorials" / "studio.md", DOCS / "gallery" / "README.rst", DOCS.parent / "README.md"]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert stored - made == set(re.findall(r"img/([\w-]+\.(?:png|gif))", text))
    shown = (DOCS / "howto" / "draw.md").read_text(encoding="utf-8")
    assert made == set(re.findall(r"img/(\w+\.svg)", shown))


def test_the_code_of_the_page_runs(tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "howto" / "draw.md").read_text(encoding="utf-8")
    space = {}
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(block, space)
    made = {file.name for file in tmp_path.iterdir()}
    assert made == {
        *("iris.svg", "iris.png", "icicle.svg", "both.pdf", "paper.svg", "paper.tex", "slide.svg")
    }
    assert len(space["small"].svg) < len(space["whole"].svg)
