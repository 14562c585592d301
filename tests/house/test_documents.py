"""The documents that list things list all of them, each once."""

import re
from collections import Counter
from pathlib import Path

import pytest

import hornbeam

ROOT = Path(__file__).parents[2]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def named_in_reference() -> Counter[str]:
    """The names in the first cells of the reference's tables, as `hb.name`."""
    cells = re.findall(r"^\| (`hb\..*?) \|", text("docs/reference/api.md"), re.MULTILINE)
    return Counter(name for cell in cells for name in re.findall(r"`hb\.((?:teaching\.)?\w+)", cell))


PUBLIC = sorted({*hornbeam._HOMES, *hornbeam._MODULES, *(f"teaching.{n}" for n in hornbeam.teaching.__all__)})
PUBLIC.remove("teaching")


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_in_the_reference(name):
    assert named_in_reference()[name] > 0, f"docs/reference/api.md says nothing about hb.{name}"


def test_the_reference_names_nothing_else():
    assert set(named_in_reference()) <= set(PUBLIC)


def test_the_reference_begins_with_all_names_in_groups():
    index = text("docs/reference/api.md").split("\n## ")[0]
    grouped = re.findall(r"^\| [a-z ]+ \| (`.*`) \|$", index, re.MULTILINE)
    names = Counter(name for cell in grouped for name in re.findall(r"`(\w+)`", cell))
    assert names == Counter([*hornbeam._HOMES, *hornbeam._MODULES])


def layout() -> str:
    """The lines of the architecture that describe the Python package."""
    found = re.search(r"^src/hornbeam/ .*?^tests/ ", text("ARCHITECTURE.md"), re.MULTILINE | re.DOTALL)
    assert found
    return found.group()


def entries(folder: Path) -> list[str]:
    """What a folder holds, as the architecture writes it; without what is made by running."""
    found = [path for path in folder.iterdir() if path.name != "__pycache__" and path.suffix != ".so"]
    return sorted(path.name + "/" * path.is_dir() for path in found)


def test_the_architecture_names_every_room_and_file_at_the_top_once():
    described = re.findall(r"^  ([\w.]+/?)  ", layout(), re.MULTILINE)
    assert sorted(described) == entries(ROOT / "src" / "hornbeam")


def test_the_architecture_names_every_folder_of_every_room_once():
    for part in re.split(r"^  (?=\w+/  )", layout(), flags=re.MULTILINE)[1:]:
        room = part.split("/")[0]
        described = re.findall(r"^    (\w+/)  ", part, re.MULTILINE)
        here = [name for name in entries(ROOT / "src" / "hornbeam" / room) if name.endswith("/")]
        assert sorted(described) == here, room


def test_a_name_of_a_module_occurs_once_in_the_package():
    """But for `base`, `checks` and `__init__`; commands are called by their names on the command line."""
    home = ROOT / "src" / "hornbeam"
    places: dict[str, list[str]] = {}
    for path in home.rglob("*.py"):
        inside = path.relative_to(home).as_posix()
        if not inside.startswith("cli/commands/") and path.stem not in ("__init__", "base", "checks"):
            places.setdefault(path.stem, []).append(inside)
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


@pytest.mark.parametrize(
    "name", ["ARCHITECTURE.md", "CHANGELOG.md", "docs/index.md", "docs/reference/api.md"]
)
def test_no_line_is_there_twice(name):
    headings = ("| name | what it is |", "|---|---|")
    lines = Counter(line for line in text(name).splitlines() if len(line) > 8 and line not in headings)
    assert [line for line, n in lines.items() if n > 1] == []
