"""The documents that list things list all of them, each once."""

import re
from collections import Counter
from pathlib import Path

import pytest

import hornbeam

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\]\(([\w/.-]+\.md)\)")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def named_in_reference() -> Counter[str]:
    """The names in the first cells of the reference's tables, as `hb.name`."""
    cells = re.findall(r"^\| (`hb\..*?) \|", text("docs/reference/api.md"), re.MULTILINE)
    return Counter(name for cell in cells for name in re.findall(r"`hb\.(\w+)", cell))


@pytest.mark.parametrize("name", sorted(hornbeam._HOMES))
def test_every_public_name_is_in_the_reference(name):
    assert named_in_reference()[name] > 0, f"docs/reference/api.md says nothing about hb.{name}"


def test_the_reference_names_nothing_else():
    assert set(named_in_reference()) <= set(hornbeam._HOMES)


def layout() -> str:
    """The lines of the architecture that describe the Python package."""
    found = re.search(r"^src/hornbeam/ .*?^tests/ ", text("ARCHITECTURE.md"), re.MULTILINE | re.DOTALL)
    assert found
    return found.group()


def test_every_folder_and_module_of_the_package_has_its_place_in_the_architecture():
    home = ROOT / "src" / "hornbeam"
    folders = {path.name for path in home.iterdir() if path.is_dir() and not path.name.startswith("_")}
    modules = {path.stem for path in home.glob("*.py") if not path.name.startswith("_")}
    described = Counter(re.findall(r"(\w+)/", layout()))
    assert {folder: described[folder] for folder in folders} == dict.fromkeys(folders, 1)
    assert modules <= set(re.findall(r"\w+", layout()))


def test_the_architecture_describes_no_module_that_does_not_exist():
    home = ROOT / "src" / "hornbeam"
    first = re.findall(r"^  ((?:[a-z_]+/?, )*[a-z_]+/?)  ", layout(), re.MULTILINE)
    names = [name for line in first for name in line.split(", ")]
    assert len(names) > 50
    for name in names:
        assert (home / name).is_dir() if name.endswith("/") else (home / f"{name}.py").is_file(), name


def test_the_index_leads_to_every_page_once():
    docs = ROOT / "docs"
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")} - {"index.md"}
    pages = {page for page in pages if not page.startswith("benchmarks/quick/")}  # a quick run leaves them
    assert Counter(LINK.findall(text("docs/index.md"))) == Counter(pages)


@pytest.mark.parametrize(
    "name", ["ARCHITECTURE.md", "CHANGELOG.md", "docs/index.md", "docs/reference/api.md"]
)
def test_no_line_is_there_twice(name):
    headings = ("| name | what it is |", "|---|---|")
    lines = Counter(line for line in text(name).splitlines() if len(line) > 8 and line not in headings)
    assert [line for line, n in lines.items() if n > 1] == []
