"""The benchmark of accuracies runs, its figures are finite and its page says what they are."""

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.accuracy import store
from benchmarks.accuracy.__main__ import keep_known, main
from benchmarks.accuracy.ahead import ahead
from benchmarks.accuracy.figures import corrected, mean_of, pairs, ranks
from benchmarks.accuracy.summary import page, plot
from benchmarks.accuracy.tables import facts_of, marks_of
from scipy import stats

ROOT = Path(__file__).resolve().parents[2]


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
        f"--out={folder}/out.csv",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.accuracy", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder, store.read(folder / "out.csv")


@pytest.mark.slow
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


@pytest.mark.slow
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


def folds_of(accuracy: float, leaves: int, seconds: float = 1) -> list[dict[str, float]]:
    return [
        {"accuracy": accuracy + wobble, "leaves": leaves, "seconds": seconds} for wobble in (0, 0.01, 0.02)
    ]


def test_a_peer_that_is_ahead_stands_in_the_first_lines():
    made = {"one": {"hornbeam auto": folds_of(0.8, 3), "peer": folds_of(0.9, 3)}}
    text = page(made, ["x is not installed"], {"hornbeam": "0"}, 3)
    first = text.splitlines()[2:6]
    assert first[0] == "**Where a peer is ahead of Hornbeam:**"
    assert "**peer is ahead** by mean rank on accuracy: 1.00 against 2.00" in first[2]
    assert (
        first[3] == "- Accuracy: a peer has the best figure of 1 of 1 tables;"
        " beyond chance peer on one (0.9100, 0.8100)."
    )
    assert "- Left out: x is not installed" in text
    assert "![mean ranks](accuracy-accuracy.svg)" in text
    other = page(made, [], {"hornbeam": "0"}, 3, "others", "Tables of others.")
    assert "![mean ranks](others-accuracy.svg)" in other
    assert "\nTables of others. A dash: not measured.\n" in other
    assert "peer" in plot("ranks", ranks(made, "accuracy")[1])


def test_a_smaller_or_quicker_peer_is_named_though_it_answers_worse():
    made = {
        "one": {
            "hornbeam auto": folds_of(0.9, 4, 6),
            "peer": folds_of(0.8, 2, 2),
            "slow": folds_of(0.8, 5, 7),
        }
    }
    assert ahead(made) == [
        "**Where a peer is ahead of Hornbeam:**",
        "",
        "- Leaves, trees of classes: peer 2.0, against 4.0 of hornbeam auto.",
        "- Time, trees of classes: hornbeam auto grows up to 60 trees to choose one and takes 3.0 times as"
        " long as peer.",
    ]
    assert ahead({"one": {"hornbeam auto": folds_of(0.9, 1, 1), "peer": folds_of(0.8, 2, 2)}}) == []


def folder_of(tmp_path: Path) -> Path:
    """Three tables without tables.json."""
    (tmp_path / "said.csv").write_text("x,said\n1,yes\n2,no\n3,yes\n", encoding="utf-8")
    (tmp_path / "few.csv").write_text("x,n\n0.5,1\n0.25,2\n0.75,1\n", encoding="utf-8")
    (tmp_path / "much.arff").write_text(
        "@relation t\n@attribute x {a,b}\n@attribute y numeric\n@data\na,0.5\nb,?\n", encoding="utf-8"
    )
    (tmp_path / "notes.txt").write_text("not a table", encoding="utf-8")
    return tmp_path


def test_without_a_list_the_last_column_is_the_target(tmp_path: Path) -> None:
    found = facts_of(folder_of(tmp_path))
    assert {name: (about["target"], about["task"], about["rows"]) for name, about in found.items()} == {
        "few.csv": ("n", "classification", 3),
        "much.arff": ("y", "regression", 2),
        "said.csv": ("said", "classification", 3),
    }


def test_what_the_list_leaves_out_the_file_says(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "tables.json").write_text('{"said.csv": {"drop": ["said"]}}', encoding="utf-8")
    found = facts_of(folder)
    assert found == {
        "said.csv": {"drop": ["said"], "header": None, "target": "x", "rows": 3, "task": "classification"}
    }


@pytest.mark.parametrize(
    ("listed", "fault"),
    [
        ('{"gone.csv": {}}', "names gone.csv, which"),
        ("{", "is not JSON"),
        ("{}", "holds no ARFF and no CSV file"),
    ],
)
def test_a_folder_that_cannot_be_read_is_said_in_a_sentence(tmp_path: Path, listed: str, fault: str) -> None:
    (tmp_path / "tables.json").write_text(listed, encoding="utf-8")
    with pytest.raises(ValueError, match=fault):
        facts_of(tmp_path)
    with pytest.raises(ValueError, match="no folder"):
        facts_of(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("option", "fault"),
    [
        ("--only=nobody", "--only names nobody; choose from"),
        ("--tables=few", "--tables names few; "),
        ("--out=results.txt", "--out names results.txt; results are stored as CSV"),
    ],
)
def test_a_name_nobody_has_is_refused(tmp_path: Path, capsys, option: str, fault: str) -> None:
    with pytest.raises(SystemExit):
        main(["--data", str(folder_of(tmp_path)), f"--out={tmp_path}/out.csv", option])
    assert fault in capsys.readouterr().err


def test_a_folder_without_a_list_is_measured(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=40).round(3)
    rows = [f"{a},{b}" for a, b in zip(x, (2 * x + rng.normal(size=40)).round(3), strict=True)]
    (tmp_path / "line.csv").write_text("x,y\n" + "\n".join([*rows, "0.5,"]) + "\n", encoding="utf-8")
    out = tmp_path / "out.csv"
    assert main(["--data", str(tmp_path), "--folds=2", "--only=hornbeam cart", f"--out={out}"]) == 0
    stored = store.read(out)
    assert stored["skipped"] == {}
    assert len(stored["folds"]["line"]["hornbeam cart"]) == 2


def test_what_is_stored_of_other_tables_or_folds_is_forgotten(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    facts = facts_of(folder)
    before = marks_of(folder, facts, 10)
    stored = {
        "folds": {"few": {"a": []}, "said": {"a": []}, "gone": {"a": []}},
        "skipped": {"b on few.csv": "failed", "b on said.csv": "failed", "b on gone.arff": "failed"},
        "tables": before | {"gone": "0, 10 folds"},
    }
    (folder / "said.csv").write_text("x,said\n1,yes\n2,no\n4,yes\n", encoding="utf-8")
    now = marks_of(folder, facts, 10)
    keep_known(stored, now)
    assert stored == {"folds": {"few": {"a": []}}, "skipped": {"b on few.csv": "failed"}, "tables": now}
    keep_known(stored, marks_of(folder, facts, 3))
    assert stored["folds"] == stored["skipped"] == {}


def test_black_boxes_and_cut_trees_are_shown_but_not_ranked():
    fold = {"accuracy": 0.8, "log loss": 0.5, "auc": 0.7, "brier": 0.3, "leaves": 4, "seconds": 1.0}
    known = {**fold, "size": 7}
    names = {"hornbeam auto": known, "scikit-learn": known, "LightGBM": fold, "random forest": fold}
    names |= {"hornbeam, 3 leaves at most": known, "hornbeam, 12 leaves at most": known}
    made = {table: {who: [numbers] * 3 for who, numbers in names.items()} for table in ("one", "two")}
    made["two"]["hornbeam auto"] = [fold] * 3
    text = page(made, [], {}, 3)
    ranked, _, rest = text.partition("## Accuracy")[2].partition("## Log loss")
    assert "LightGBM" not in ranked + rest
    assert "leaves at most" not in ranked + rest
    assert "| scikit-learn | 1.50 | 0.8000 | 4.0 | 7.0 | 6 |" in ranked
    assert "| hornbeam auto | 1.50 | 0.8000 | 4.0 | - | 6 |" in ranked  # not known of all tables
    given_up = text.partition("## What is given up")[2].partition("##")[0]
    assert "| LightGBM | - | 0.8000 | 0.5000 | 0.7000 | 0.3000 |" in given_up
    assert "Measured before the default was changed:** `hornbeam auto` on two," in text
    frontier = text.partition("## More reading")[2].partition("##")[0]
    assert frontier.index("3 leaves") < frontier.index("12 leaves") < frontier.index("hornbeam auto")


@pytest.mark.parametrize("stem", ["accuracy", "others"])
def test_the_page_and_its_pictures_are_what_the_stored_folds_make(tmp_path: Path, stem: str) -> None:
    folder = ROOT / "docs" / "benchmarks"
    shutil.copy(folder / f"{stem}.csv", tmp_path)
    assert main(["--page", f"--out={tmp_path / stem}.csv"]) == 0
    for path in (tmp_path / f"{stem}.md", *tmp_path.glob("*.svg")):
        assert path.read_text(encoding="utf-8") == (folder / path.name).read_text(encoding="utf-8")


def test_the_means_of_what_is_stored_stay_and_folds_keep_four_digits(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    folds = [{"accuracy": rng.random(), "leaves": k, "seconds": 0.5} for k in range(10)]
    folds[3].pop("accuracy")
    kept = {
        "t": {"peer": folds, "LightGBM": [{"accuracy": k / 3, "leaves": 1, "seconds": 2} for k in range(3)]}
    }
    given = store.empty() | {
        "folds": kept,
        "versions": {"peer": "1.0"},
        "skipped": {"a on b.csv": "failed: why"},
    }
    store.write(tmp_path / "a.csv", given)
    stored = store.read(tmp_path / "a.csv")
    assert [stored[key] for key in ("versions", "skipped")] == [given[key] for key in ("versions", "skipped")]
    there = stored["folds"]["t"]["peer"]
    assert "accuracy" not in there[3]
    for one, two in zip(folds, there, strict=True):
        assert one.get("accuracy", 0) == pytest.approx(two.get("accuracy", 0), abs=5e-4)
    assert mean_of(there, "accuracy") == pytest.approx(mean_of(folds, "accuracy"), abs=1e-12)
    assert mean_of(there, "leaves") == 4.5
    assert [fold["accuracy"] for fold in stored["folds"]["t"]["LightGBM"]] == pytest.approx(
        [1 / 3] * 3, abs=1e-6
    )


def test_what_another_file_holds_is_taken_over(tmp_path: Path) -> None:
    old = {"folds": {"t": {"peer": [{"accuracy": 0.5, "leaves": 1, "seconds": 1}]}}, "about": "Made."}
    (tmp_path / "old.json").write_text(json.dumps(old), encoding="utf-8")
    store.write(tmp_path / "new.csv", store.empty() | {"folds": {"t": {"b": []}}})
    assert main(["--page", f"--add={tmp_path}/old.json", f"--out={tmp_path}/new.csv"]) == 0
    joined = store.read(tmp_path / "new.csv")
    assert list(joined["folds"]["t"]) == ["b", "peer"]
    assert joined["about"] == "Made."


def test_the_reading_size_of_plain_trees_follows_from_their_leaves(tmp_path):
    folds = [{"accuracy": 0.9, "leaves": 4.0, "seconds": 1.0}] * 2
    found = {"one": {"scikit-learn": folds, "rpart": folds}}
    store.write(tmp_path / "a.csv", store.empty() | {"folds": found})
    read = store.read(tmp_path / "a.csv")["folds"]["one"]
    assert [fold["size"] for fold in read["scikit-learn"]] == [7.0, 7.0]
    assert "size" not in read["rpart"][0]  # its sets of values may be long
