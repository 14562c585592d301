"""The memory that growing from files takes, measured in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.bench_beyond_memory import write_rows

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc what a process holds for itself")
def test_a_fit_stays_within_its_memory(tmp_path):
    """Four times the memory in float32 columns; Arrow's libraries and buffers of reading are counted, too."""
    write_rows(tmp_path, 8_000_000, 16)
    fit = [sys.executable, "-m", "benchmarks.bench_beyond_memory", "--fit", "160MB"]
    command = [*fit, "--folder", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert told["leaves"] == 256
    assert told["peak MB"] <= 160, told
