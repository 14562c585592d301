"""The benchmark of growing runs and reports what it should; times are never judged here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("benchmarks")
    out = folder / "grow.json"
    options = ["--rows=500", "--repeats=2", "--only=sklearn,hornbeam", "--settings=d10,full"]
    options += [f"--json={out}", f"--cache={folder}"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_grow", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


@pytest.mark.slow
def test_every_peer_is_measured_in_every_setting(result: dict[str, Any]) -> None:
    settings = ("depth 10, min leaf 20", "fully grown")
    measured = {(line["setting"], line["peer"]) for line in result["measurements"]}
    assert measured == {(setting, peer) for setting in settings for peer in ("sklearn", "hornbeam")}
    assert {entry["reason"] for entry in result["skipped"]} == {"not asked for (--only)"}
    assert "lightgbm" in {entry["peer"] for entry in result["skipped"]}


@pytest.mark.slow
def test_every_measurement_has_times_a_ratio_and_a_tree_to_compare(result: dict[str, Any]) -> None:
    for line in result["measurements"]:
        assert len(line["seconds"]) == 2
        assert line["best"] == min(line["seconds"]) > 0
        assert line["ratio"] > 0
        assert line["threads"] == (1 if line["peer"] == "sklearn" else 2)
        assert line["leaves"] >= 2
        assert line["score"] == (1.0 if line["setting"] == "fully grown" else pytest.approx(0.8, abs=0.2))
    assert [row["setting"] for row in result["summary"]] == list(
        dict.fromkeys(line["setting"] for line in result["measurements"])
    )


@pytest.mark.slow
def test_the_report_names_the_machine_and_the_versions(result: dict[str, Any]) -> None:
    assert result["data"]["rows"] == 500
    assert result["machine"]["cpu"]
    assert {"python", "numpy", "scikit-learn"} <= set(result["versions"])
    assert all(len(row) == len(part["head"]) for part in result["tables"] for row in part["rows"])


def test_a_peer_that_does_not_exist_is_refused_with_a_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_grow", "--only=oaktree"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "--only names oaktree; choose from hornbeam" in done.stderr


@pytest.mark.slow
def test_model_trees_are_timed_against_constant_leaves(tmp_path: Path) -> None:
    out = tmp_path / "models.json"
    options = ["--rows=300", "--repeats=1", "--settings=d6", f"--json={out}", f"--cache={tmp_path}"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_models", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text(encoding="utf-8"))
    ratio = {line["peer"]: line["to_constant"] for line in found["measurements"]}
    assert ratio["hornbeam constant"] == 1
    assert {"hornbeam linear", "hornbeam ridge", "hornbeam polynomial", "hornbeam m5"} <= set(ratio)
    named = set(ratio) | {entry["peer"] for entry in found["skipped"]}
    assert {"cubist", "linear-tree"} <= named


def test_the_accuracy_of_model_trees_is_compared_fold_by_fold(tmp_path: Path) -> None:
    x = [k / 4 for k in range(80)]
    rows = "\n".join(f"{a},{'uv'[k % 2]},{3 * a + 5 * (k % 2)}" for k, a in enumerate(x))
    (tmp_path / "made.csv").write_text(f"x,c,y\n{rows}\n", encoding="utf-8")
    facts = {"made.csv": {"target": "y", "task": "regression", "drop": [], "rows": 80}}
    (tmp_path / "tables.json").write_text(json.dumps(facts), encoding="utf-8")
    out = tmp_path / "accuracy.json"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "benchmarks.accuracy_regression",
            f"--data={tmp_path}",
            f"--json={out}",
            "--folds=4",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text(encoding="utf-8"))
    errors = {line["peer"]: line["errors"] for line in found["measurements"]}
    assert all(len(of_folds) == 4 for of_folds in errors.values())
    assert max(errors["hornbeam m5"]) < 0.05 < min(errors["hornbeam constant"])
