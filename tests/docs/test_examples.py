"""The scripts in examples/ run as a user runs them, and the README shows the first one as it is."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import hornbeam as hb

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


def run(script: Path, folder: Path) -> str:
    """What the script prints, run in an empty folder with warnings as errors."""
    command = [sys.executable, "-W", "error", str(script)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_runs_without_a_warning(script, tmp_path):
    assert run(script, tmp_path).strip()


def test_the_query_of_the_published_algorithms_answers_as_the_saved_model(tmp_path):
    printed = run(ROOT / "examples" / "published_algorithms.py", tmp_path)
    scores = dict(line.split() for line in printed.splitlines()[:4])
    assert set(scores) == {"id3", "cart", "c45", "chaid"}
    assert all(0.6 < float(score) < 1 for score in scores.values())
    query = printed[printed.index("WITH") :]
    loans = pd.read_csv(tmp_path / "loans.csv")
    assert loans.isna().any().any()
    base = sqlite3.connect(":memory:")
    loans.to_sql("loans", base, index=False)
    found = pd.read_sql(query, base)
    model = hb.load(tmp_path / "loans.tree.json")
    assert model.tree_.n_leaves > 3
    assert found["prediction"].tolist() == model.predict(loans.drop(columns="default")).tolist()
    assert found["prediction"].nunique() == 2


def test_the_readme_shows_the_first_tree_script():
    code = (ROOT / "examples" / "first_tree.py").read_text(encoding="utf-8")
    assert f"```python\n{code}```" in (ROOT / "README.md").read_text(encoding="utf-8")
