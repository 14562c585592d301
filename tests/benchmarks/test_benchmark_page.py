"""The page of the benchmarks: what is stored, what the README says of it, and its pictures."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from benchmarks.__main__ import QUICK, SECTIONS
from benchmarks.page import circumstances, page, pictures_of, usual
from benchmarks.plots import LOOKS, spread

ROOT = Path(__file__).resolve().parents[2]
STORED = json.loads((ROOT / "docs" / "benchmarks" / "results.json").read_text(encoding="utf-8"))


def test_every_section_has_a_small_form_for_a_quick_run():
    assert {module for module, _ in SECTIONS.values()} == set(QUICK)


def test_the_page_is_what_the_stored_results_make():
    folder = ROOT / "docs" / "benchmarks"
    assert (folder / "index.md").read_text(encoding="utf-8") == page(STORED)
    for name, (_, drawn) in pictures_of(STORED).items():
        assert (folder / name).read_text(encoding="utf-8") == drawn


def test_what_speaks_against_comes_first_and_every_section_has_its_command():
    text = page(STORED)
    assert text.splitlines()[2].startswith("**Where a peer is ahead of Hornbeam:**")
    for name in STORED:
        assert f"`python -m benchmarks --sections {name}`" in text


def test_the_readme_says_what_was_measured():
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    said = re.search(r"(\d+) to (\d+) times as fast as scikit-learn, and (\d+) to (\d+) times", text)
    assert said
    summary = STORED["grow"]["summary"]
    found = [[row[key] for row in summary] for key in ("sklearn_ratio", "binned_ratio")]
    assert [int(number) for number in said.groups()] == [
        round(limit(ratios)) for ratios in found for limit in (min, max)
    ]


def test_versions_that_differ_are_named_with_their_sections():
    assert usual({"a": "1", "b": "1", "c": "2"}) == ("1", "2 in c")
    part = {"machine": {"cpu": "X", "cores": 2}, "threads": 2}
    results = {name: part | {"versions": {"numpy": v}} for name, v in {"a": "1", "b": "2", "c": "1"}.items()}
    assert "| numpy | 1 | 2 in b |" in circumstances(results)[0]


def test_pictures_are_valid_and_name_every_peer():
    lines = [
        {"setting": "depth 10, min leaf 20", "peer": peer, "rows": rows, "best": rows / 1e6 * (k + 1)}
        for k, peer in enumerate(LOOKS)
        for rows in (1000, 10_000, 100_000)
    ]
    grown = [line | {"ratio": line["best"], "exact": True} for line in lines]
    results = {
        "grow": {"benchmark": "grow", "measurements": grown},
        "scaling": {"benchmark": "scaling", "measurements": lines},
    }
    pictures = pictures_of(results)
    assert list(pictures) == ["speed.svg", "scaling-d10.svg"]
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
        "--only=hornbeam",
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
    results = json.loads((ran / "results.json").read_text(encoding="utf-8"))
    assert list(results) == ["classic", "scaling"]
    assert [line["rows"] for line in results["scaling"]["measurements"]] == [200, 400]
    assert {entry["peer"] for entry in results["classic"]["skipped"]} >= {"rpart", "ctree", "J48"}
    assert (ran / "scaling-d6.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "![Seconds for one fit against rows" in (ran / "index.md").read_text(encoding="utf-8")
