"""The documentation site: every page has its place, every link a goal, and no warning is left."""

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hornbeam

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)#\s]+)(#[^)\s]*)?\)")
INDEXED = ("tutorials", "howto", "coming-from", "algorithms", "reference", "decisions", "notebooks")
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", *DOCS.rglob("*.md"))
    if "benchmarks/quick" not in path.as_posix()
)
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
SCRIPTS = sorted((DOCS / "gallery").glob("*.py"))
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def links(page):
    """The links of a page without its code, each with its anchor."""
    text = FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    return [(target, anchor) for target, anchor in LINK.findall(text) if "://" not in target]


def anchors(path):
    """The names by which the headings of a page are linked, as GitHub and the site make them."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {"#" + re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(page):
    for target, anchor in links(page):
        path = ((ROOT / page).parent / target).resolve()
        assert path.exists(), f"{page} links to {target}"
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path), f"{page} links to {target}{anchor}"


@pytest.mark.parametrize("folder", INDEXED)
def test_the_index_of_a_folder_lists_each_of_its_pages_once(folder):
    index = (DOCS / folder / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"\]\(([\w.-]+\.(?:md|ipynb))\)", index)
    pages = {path.name for path in (DOCS / folder).iterdir() if path.suffix in (".md", ".ipynb")}
    assert sorted(listed) == sorted(pages - {"index.md"})


def test_the_front_page_leads_to_every_section_and_begins_with_what_a_visitor_needs():
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    sections = {path.parent.name for path in DOCS.glob("*/index.md") if not path.parent.name.startswith("_")}
    for name in sections - {"decisions"}:
        assert f"]({name}/index.md)" in text
    more = (DOCS / "more.md").read_text(encoding="utf-8")
    for page in {path.name for path in DOCS.glob("*.md")} - {"index.md", "more.md"}:
        assert f"]({page})" in more
    assert re.findall(r"^## (.*)$", text, re.MULTILINE)[:3] == [
        "A tree in five lines",
        "What it looks like",
        "Coming from",
    ]


def test_the_reference_gives_every_public_name_a_page(tmp_path):
    spec = importlib.util.spec_from_file_location("site_pages", DOCS / "site_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.write_reference(tmp_path / "api")
    pages = {path.stem for path in (tmp_path / "api").glob("*.rst")}
    assert {f"hb.{name}" for name in hornbeam._HOMES} <= pages
    assert {f"hb.parts.{name}" for name in module.public_names(hornbeam.parts)} <= pages
    teaching = {name for name in hornbeam.teaching.__all__ if callable(getattr(hornbeam.teaching, name))}
    assert {f"hb.teaching.{name}" for name in teaching} <= pages
    assert {f"hb.teaching.measures.{name}" for name in hornbeam.teaching.measures.__all__} <= pages


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_small_without_outputs(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) >= 4
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
    for cell in code:
        ast.parse("".join(cell["source"]))
    assert path.stat().st_size < 20_000


def test_each_lecture_has_a_notebook_and_there_are_enough_of_both_kinds():
    names = [path.stem for path in NOTEBOOKS]
    assert sum(name.startswith("lecture-") for name in names) == 5
    assert len(names) >= 8
    assert len(SCRIPTS) >= 30


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_picture_of_the_gallery_says_what_one_sees(path):
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    title, line, says = text.split("\n", 2)
    assert line == "=" * len(title)
    assert says.strip().endswith(".")


PICTURES = """
import runpy, sys, matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from hornbeam.display.drawing import Picture
space = runpy.run_path(sys.argv[1])
assert plt.get_fignums() or any(isinstance(value, Picture) for value in space.values())
"""


@pytest.mark.slow
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_of_the_gallery_makes_a_picture_without_a_warning(path, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    command = [sys.executable, "-W", "error::UserWarning", "-c", PICTURES, str(path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_jupyter_from_top_to_bottom(path, tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="the documentation's extra is not installed")
    pytest.importorskip("ipykernel", reason="the documentation's extra is not installed")
    nbformat = pytest.importorskip("nbformat", reason="the documentation's extra is not installed")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert len(shown) >= 4
    assert not [output for output in shown if output.get("name") == "stderr"]


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_or_a_network(tmp_path):
    pytest.importorskip("sphinx", reason="the documentation's extra is not installed")
    pytest.importorskip("myst_nb", reason="the documentation's extra is not installed")
    site = tmp_path / "site"
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-b",
        "html",
        "-d",
        str(tmp_path / "trees"),
    ]
    # Notebooks have a test of their own.
    done = subprocess.run(
        [*command, str(DOCS), str(site)],
        env=os.environ | {"HORNBEAM_DOCS_NOTEBOOKS": "off"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (site / "searchindex.js").stat().st_size > 100_000
    elsewhere = set()
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        elsewhere |= set(re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(https?://[^"]*)"', text))
    assert elsewhere == set()
