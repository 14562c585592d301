"""The scripts in examples/ run as a user runs them, and the README shows the first one as it is."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


def run(script: Path, folder: Path) -> str:
    """What the script prints, run in an empty folder with warnings as errors."""
    command = [sys.executable, "-W", "error", str(script)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_runs_without_a_warning(script, tmp_path):
    assert run(script, tmp_path).strip()


def test_the_first_tree_is_accurate_and_readable(tmp_path):
    printed = run(ROOT / "examples" / "first_tree.py", tmp_path)
    accuracy = float(printed.split()[1].rstrip(","))
    assert accuracy > 0.85
    assert "worst" in printed


def test_the_readme_shows_the_first_tree_script():
    code = (ROOT / "examples" / "first_tree.py").read_text(encoding="utf-8")
    assert f"```python\n{code}```" in (ROOT / "README.md").read_text(encoding="utf-8")
