"""The benchmark of accuracies runs, its figures are finite and its page says what they are."""

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.accuracy.summary import corrected, page, pairs, plot, ranks
from scipy import stats

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A small run on two made tables."""
    folder = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(60, 2)).round(3).T
    colour = rng.choice(["red", "blue"], 60)
    kind = np.where(x + (colour == "red") > 0.5, "yes", "no")
    head = "@relation t\n@attribute x numeric\n@attribute colour {red,blue}\n"
    rows = [f"{a},{b},{c}" for a, b, c in zip(x, colour, kind, strict=True)]
    text = head + "@attribute class {yes,no}\n@data\n" + "\n".join(rows) + "\n"
    (folder / "classes.arff").write_text(text, encoding="utf-8")
    rows = [f"{a},{b},{3 * a + c}" for a, b, c in zip(x, colour, z / 4, strict=True)]
    text = head + "@attribute y numeric\n@data\n" + "\n".join(rows) + "\n"
    (folder / "numbers.arff").write_text(text, encoding="utf-8")
    facts = {
        "classes.arff": {"target": "class", "task": "classification", "drop": [], "rows": 60},
        "numbers.arff": {"target": "y", "task": "regression", "drop": [], "rows": 60},
    }
    (folder / "tables.json").write_text(json.dumps(facts), encoding="utf-8")
    options = [
        "--data",
        str(folder),
        "--folds=2",
        "--only=hornbeam cart,scikit-learn",
        f"--out={folder}/out.json",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.accuracy", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder, json.loads((folder / "out.json").read_text(encoding="utf-8"))


def test_every_learner_answers_every_table_of_its_task(ran):
    folds = ran[1]["folds"]
    assert ran[1]["skipped"] == {}
    assert {table: sorted(found) for table, found in folds.items()} == {
        "classes": ["hornbeam cart", "scikit-learn"],
        "numbers": ["hornbeam cart", "scikit-learn"],
    }
    for found in folds.values():
        for lines in found.values():
            assert len(lines) == 2
            assert all(math.isfinite(value) for line in lines for value in line.values())
            assert all(line["leaves"] >= 1 for line in lines)


def test_the_page_and_its_pictures_are_written(ran):
    text = (ran[0] / "out.md").read_text(encoding="utf-8")
    assert text.startswith("# Accuracy of single trees")
    for title in ("## Accuracy", "## Log loss", "## Relative root mean squared error"):
        assert title in text
    assert (ran[0] / "out-log-loss.svg").read_text(encoding="utf-8").startswith("<svg")


STORE = {
    "one": {
        "a": [{"accuracy": 0.9, "leaves": 4, "seconds": 1}] * 3,
        "b": [{"accuracy": 0.8, "leaves": 1, "seconds": 1}] * 3,
    },
    "two": {
        "a": [{"accuracy": 0.7, "leaves": 1, "seconds": 1}] * 3,
        "b": [{"accuracy": 0.7, "leaves": 4, "seconds": 1}] * 3,
    },
}


def test_ranks_count_ties_half_and_leaves_are_geometric_means():
    tables, found = ranks(STORE, "accuracy")
    assert tables == ["one", "two"]
    assert [(who, n["rank"], n["leaves"]) for who, n in found.items()] == [
        ("a", 1.25, pytest.approx(2)),
        ("b", 1.75, pytest.approx(2)),
    ]


def test_wins_and_losses_are_counted_by_table():
    assert pairs(STORE, "accuracy", "a") == [("b", 1, 0, 1, 0)]


def test_the_corrected_test_is_wider_than_students():
    one, two = [0.9, 0.8, 0.85, 0.95, 0.7], [0.8, 0.81, 0.8, 0.9, 0.69]
    assert corrected(one, two) > stats.ttest_rel(one, two).pvalue
    # by hand: the mean of the differences is 0.04, their variance 0.0018, of five folds
    t = 0.04 / math.sqrt(0.0018 * (1 / 5 + 1 / 4))
    assert corrected(one, two) == pytest.approx(2 * stats.t.sf(t, 4))
    assert corrected(one, one) == 1.0


def test_a_peer_that_is_ahead_stands_in_the_first_lines():
    store = {
        "one": {
            "hornbeam auto": [{"accuracy": 0.8, "leaves": 3, "seconds": 1}] * 2,
            "peer": [{"accuracy": 0.9, "leaves": 3, "seconds": 1}] * 2,
        }
    }
    text = page(store, ["x is not installed"], {"hornbeam": "0"}, 2)
    assert "**peer is ahead** by mean rank on accuracy: 1.00 against 2.00" in text.splitlines()[2]
    assert "- Left out: x is not installed" in text
    assert "peer" in plot("ranks", ranks(store, "accuracy")[1])
