"""The pages of the benchmarks: what is stored, what the README says of it, and their pictures."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from benchmarks.page import circumstances, pages, pictures_of, usual
from benchmarks.plots import LOOKS, spread
from benchmarks.sections import QUICK, SECTIONS

from benchmarks import accuracy_recipes, stored

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "benchmarks"
STORED = stored.read(FOLDER)


def test_every_section_has_a_small_form_for_a_quick_run():
    assert {module for module, _ in SECTIONS.values()} == set(QUICK)


def test_the_pages_are_what_the_stored_results_make():
    for name, text in pages(STORED).items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text
    for name, (_, drawn) in pictures_of(STORED).items():
        assert (FOLDER / name).read_text(encoding="utf-8") == drawn
    recipes = accuracy_recipes.read_results(FOLDER / "recipes.csv")
    assert (FOLDER / "recipes.md").read_text(encoding="utf-8") == accuracy_recipes.page(recipes, 10)


def test_the_folder_holds_pages_pictures_and_little_raw_text():
    assert {path.suffix for path in FOLDER.iterdir() if path.is_file()} == {".csv", ".md", ".svg"}
    sizes = {path.stem: path.stat().st_size for path in FOLDER.glob("*.csv")}
    folds = sizes.pop("accuracy") + sizes.pop("others")
    assert folds < 160_000
    assert sum(sizes.values()) < 90_000
    assert (FOLDER / "index.md").stat().st_size < 10_000


def test_what_is_stored_is_read_as_it_was_written(tmp_path: Path):
    stored.write(tmp_path, STORED)
    assert stored.read(tmp_path) == STORED
    for path in tmp_path.iterdir():
        assert path.read_text(encoding="utf-8") == (FOLDER / path.name).read_text(encoding="utf-8")


def test_a_section_can_be_measured_setting_by_setting():
    old = STORED["grow"]
    part = old["tables"][0]
    again = [[*row[:-1], "new"] for row in part["rows"] if row[0] == "depth 10, min leaf 20"]
    new = old | {
        "tables": [part | {"rows": again}, old["tables"][1] | {"rows": old["tables"][1]["rows"][1:2]}],
        "ahead": ["x at depth 10, min leaf 20"],
    }
    both = stored.joined(old | {"ahead": ["y at depth 10, min leaf 20", "z at depth 6, min leaf 20"]}, new)
    assert [row[:2] for row in both["tables"][0]["rows"]] == [row[:2] for row in part["rows"]]
    assert [row for row in both["tables"][0]["rows"] if row[-1] == "new"] == again
    assert both["tables"][1] == old["tables"][1]
    assert both["ahead"] == ["z at depth 6, min leaf 20", "x at depth 10, min leaf 20"]
    assert stored.joined(old | {"versions": "hornbeam 0"}, new) == new


def test_the_front_page_names_every_loss_and_every_section_has_its_command():
    front, *topics = pages(STORED).values()
    ahead = front.partition("## Where a peer is ahead")[2].partition("## ")[0]
    for part in STORED.values():
        assert all(text in ahead for text in part["ahead"])
    for name in STORED:
        assert sum(f"`python -m benchmarks --sections {name}`" in text for text in topics) == 1


def test_the_readme_says_what_was_measured():
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    said = re.search(r"(\d+) to (\d+) times as fast as scikit-learn, and (\d+) to (\d+) times", text)
    assert said
    head, rows = (STORED["grow"]["tables"][1][key] for key in ("head", "rows"))
    columns = [head.index(title) for title in ("scikit-learn / Hornbeam", "it / Hornbeam")]
    found = [[stored.number(row[column]) for row in rows] for column in columns]
    assert [int(number) for number in said.groups()] == [
        round(limit(ratios)) for ratios in found for limit in (min, max)
    ]


def test_versions_that_differ_are_named_with_their_sections():
    assert usual({"a": "1", "b": "1", "c": "2"}) == ("1", "2 in c")
    results = {name: {"versions": f"numpy {v}"} for name, v in {"a": "1", "b": "2", "c": "1"}.items()}
    assert "| numpy | 1 | 2 in b |" in circumstances(results)[0]


def test_pictures_are_valid_and_name_every_peer():
    label, sizes = "depth 10, min leaf 20", (1000, 10_000, 100_000)
    head = ["setting", "peer", "time / Hornbeam's"]
    grown = [[label, peer, f"{k + 1}x"] for k, peer in enumerate(LOOKS)]
    grew = [[label, peer, *(str(n / 1e6 * (k + 1)) for n in sizes)] for k, peer in enumerate(LOOKS)]
    by_size = {"title": "", "head": ["setting", "peer", *map(str, sizes)], "rows": grew}
    results = {
        "grow": {"tables": [{"title": "", "head": head, "rows": grown}]},
        "scaling": {"tables": [by_size]},
    }
    pictures = pictures_of(results)
    assert list(pictures) == ["speed.svg", "scaling.svg"]
    for _, drawn in pictures.values():
        assert "prefers-color-scheme:dark" in drawn
        words = "".join(ET.fromstring(drawn).itertext())
        assert all(name in words for name, _, _ in LOOKS.values() if name != "Hornbeam")


def test_labels_are_moved_apart_no_further_than_needed():
    moved = spread({"a": 10.0, "b": 12.0, "c": 100.0}, 10)
    assert moved == {"a": 6.0, "b": 16.0, "c": 100.0}
    many = spread(dict(zip("abcdef", [0, 0, 0, 5, 5, 30], strict=True)), 10)
    places = sorted(many.values())
    assert all(b - a >= 10 - 1e-9 for a, b in itertools.pairwise(places))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sections through the one command, on tiny tables."""
    folder = tmp_path_factory.mktemp("page")
    script = (
        "from benchmarks import __main__ as m; import sys;"
        "m.QUICK |= {'bench_scaling': ['--sizes=200,400', '--repeats=1', '--settings=d6'],"
        " 'bench_classic': ['--sizes=300', '--repeats=1']};"
        "sys.exit(m.main(sys.argv[1:]))"
    )
    options = [
        "--quick",
        "--sections=scaling,classic",
        "--only=hornbeam,sklearn",  # one curve alone makes no picture
        f"--out={folder}",
        f"--cache={folder}",
    ]
    done = subprocess.run(
        [sys.executable, "-c", script, *options], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_one_command_writes_results_page_and_pictures(ran):
    results = stored.read(ran)
    assert list(results) == ["scaling", "classic"]
    assert results["scaling"]["tables"][0]["head"][:4] == ["setting", "peer", "200", "400"]
    missing = " ".join(results["classic"]["left out"])
    assert all(name in missing for name in ("rpart", "ctree", "J48"))
    assert (ran / "scaling.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "![Seconds for one fit against rows" in (ran / "scaling.md").read_text(encoding="utf-8")
    assert "[Time against size](scaling.md)" in (ran / "index.md").read_text(encoding="utf-8")
