"""The README shows a script and what it prints, and says what the pages that it cites say."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
WORDS = " ".join(README.split())

# What the README says, the page it cites, and where the same figures stand there.
CLAIMS = [
    (
        r"(\d+) tables that had no part in any choice `hb.auto\(\)` has an accuracy of ([\d.]+) "
        r"with ([\d.]+) leaves, tuned scikit-learn ([\d.]+) with ([\d.]+)",
        "docs/benchmarks/others.md",
        [
            r"\n(\d+) tables that all of these learners answered",
            r"\n\| hornbeam auto \| [\d.]+ \| ([\d.]+) \| ([\d.]+) \|",
            r"\n\| scikit-learn \| [\d.]+ \| ([\d.]+) \| ([\d.]+) \|",
        ],
    ),
    (
        r"grows the tree of Weka's J48 on (\d+) of (\d+) tables",
        "docs/benchmarks/recipes.md",
        [r"`hb.j48\(\)` grows J48's tree on .*, on (\d+) of all (\d+)"],
    ),
]


def test_the_speed_of_growing_is_that_of_the_benchmarks():
    said = re.search(
        r"(\d+) to (\d+) times as fast as scikit-learn, and (\d+) to (\d+) times as fast as the", WORDS
    )
    page = (ROOT / "docs" / "benchmarks" / "index.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"\n\| (?:one tree, 1,000,000 x 20|the same, (?:depth 10|fully)).*?\| ([\d.]+)x \| \w+ \| ([\d.]+)x",
        page,
    )
    sklearn, peer = ([float(row[k]) for row in rows] for k in (0, 1))
    assert len(rows) == 3
    ends = (min(sklearn), max(sklearn), min(peer), max(peer))
    assert [int(figure) for figure in said.groups()] == [round(end) for end in ends]


@pytest.mark.parametrize(("said", "page", "stands"), CLAIMS, ids=[claim[1] for claim in CLAIMS])
def test_a_figure_is_that_of_the_page_it_cites(said, page, stands):
    figures = re.search(said, WORDS)
    assert figures, said
    assert f"]({page}" in README
    text = (ROOT / page).read_text(encoding="utf-8").split("\n## Accuracy\n")[-1]
    assert list(figures.groups()) == [figure for one in stands for figure in re.search(one, text).groups()]


def test_the_speed_of_shapley_values_is_that_of_the_benchmarks():
    low, high = map(
        int, re.search(r"values (\d+) to (\d+) times as fast as the package shap", WORDS).groups()
    )
    section = (
        (ROOT / "docs" / "benchmarks" / "use.md").read_text(encoding="utf-8").split("## Shapley values")[1]
    )
    ratios = [
        float(ratio)
        for ratio in re.findall(r"\| shap TreeExplainer +\| [\d.]+ +\| ([\d.]+)x", section.split("\n## ")[0])
    ]
    assert (low, high) == (round(min(ratios)), round(max(ratios)))


def test_the_readme_shows_what_the_first_script_prints(tmp_path):
    script = ROOT / "examples" / "first_tree.py"
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    assert f"```text\n{done.stdout}```" in README, "put what examples/first_tree.py prints into the README"
    assert float(done.stdout.split()[1].rstrip(",")) > 0.9
    assert "worst" in done.stdout


def test_the_readme_can_be_read_in_a_minute():
    prose = re.sub(r"^```.*?^```", "", README, flags=re.MULTILINE | re.DOTALL)
    prose = re.sub(r"\]\([^)]*\)", "]", prose)
    assert len(prose.split()) < 420
    assert re.search(r"^!\[.*\]\(docs/img/report.png\)$", README, re.MULTILINE)
    assert (ROOT / "docs" / "img" / "report.png").stat().st_size < 120_000


def test_the_code_of_the_front_page_runs():
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert blocks
    for block in blocks:
        *lines, last = block.strip().splitlines()
        names: dict[str, object] = {}
        exec("\n".join(lines), names)
        picture = eval(last, names)
        assert picture.svg.startswith("<svg")
        assert names["model"].score(names["X"], names["y"]) > 0.9


def test_every_block_of_the_readme_is_one_that_a_test_runs():
    blocks = re.findall(r"```(\w*)\n(.*?)```", README, re.DOTALL)
    script = (ROOT / "examples" / "first_tree.py").read_text(encoding="utf-8")
    assert [text for kind, text in blocks if kind == "python"] == [script]
    typed = [line for kind, text in blocks if kind == "" for line in text.splitlines()]
    others = ("pip install .", "make demo", "make test")  # what builds and tests the project itself
    assert all(line.startswith(("$ hornbeam ", *others)) for line in typed)
