"""Broken files are refused or work; `tests.support.broken_files` breaks them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support import broken_files as fuzz_files

ROOT = Path(__file__).parents[2]


def faults(n, seed):
    """Break files in a process of its own, which forks: a process that forks must have no other threads."""
    command = [sys.executable, "-m", "tests.support.broken_files", "--n", str(n), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = int(re.search(r": ([\d,]+) loaded and worked, 0 at fault", done.stdout)[1].replace(",", ""))
    assert 0 < kept < n  # some changes do no harm; if no file loads, the test tests nothing


def test_broken_files_are_refused_or_work():
    faults(1500, 0)


@pytest.mark.slow
def test_a_million_broken_files_are_refused_or_work():
    faults(1_000_000, 1)


def test_what_kills_the_process_or_is_no_sentence_is_seen(monkeypatch):
    def odd(data):
        if len(data) % 7 == 0:
            raise KeyError("not a sentence")
        if len(data) % 11 == 0:
            import os

            os._exit(11)  # as a crash of the core would
        return True

    monkeypatch.setattr(fuzz_files, "survives", odd)
    lines = []
    kept, n_faults = fuzz_files.run(60, 0, report=lines.append)
    sizes = [len(fuzz_files.broken(k)) for k in range(60)]
    wrong = sum(size % 7 == 0 or size % 11 == 0 for size in sizes)
    assert (kept, n_faults) == (60 - wrong, wrong)
    assert any("KeyError" in line for line in lines)
    assert any("ended with 11" in line for line in lines)


def test_a_file_is_made_again_from_its_number():
    assert fuzz_files.broken(7, 3) == fuzz_files.broken(7, 3) != fuzz_files.broken(8, 3)
