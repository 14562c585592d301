"""How long a person waits for `hornbeam --version` and for `hornbeam show` of a small file.

The one idea: a start is compared with that of `python -c "import numpy"` on the same machine, the runs taken
in turns; the aims are 2 times for the version and 3 times for showing a tree. Other commands stand beside.

    python -m benchmarks.bench_startup --repeats 20
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.common import (
    Result,
    alternate,
    command,
    note,
    table,
    times_text,
)
from benchmarks.data import add_data_options

BASE = "import numpy"
AIMS = {"hornbeam --version": 2.0, "hornbeam show": 3.0}


def commands(folder: Path) -> dict[str, list[str]]:
    """What is started, by name; the file to show is made first."""
    model = str(folder / "tennis.tree.json")
    start = [sys.executable, "-m", "hornbeam"]
    subprocess.run([*start, "fit", "demo:tennis", "-o", model], check=True, capture_output=True)
    return {
        BASE: [sys.executable, "-c", BASE],
        "hornbeam --version": [*start, "--version"],
        "hornbeam --help": [*start, "--help"],
        "hornbeam show": [*start, "show", model],
        "hornbeam show --rules": [*start, "show", model, "--rules"],
        "hornbeam explain": [*start, "explain", model, "Outlook=Sunny"],
        "hornbeam fit": [*start, "fit", "demo:tennis", "-o", model],
    }


def starter(command: list[str]) -> Callable[[], Any]:
    return lambda: subprocess.run(command, check=True, capture_output=True)


def run(args: argparse.Namespace) -> Result:
    note(f"startup: {args.repeats} alternating runs")
    skipped: list[dict[str, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        calls = {name: starter(command) for name, command in commands(Path(folder)).items()}
        times, _ = alternate(
            calls,
            dict.fromkeys(calls, args.repeats),
            lambda name, error: skipped.append({"setting": "", "peer": name, "reason": str(error)}),
        )
    middle = {name: statistics.median(taken) for name, taken in times.items()}
    lines = [
        {
            "setting": "start",
            "peer": name,
            "seconds": taken,
            "best": min(taken),
            "ratio": middle[name] / middle[BASE],
            "aim": AIMS.get(name),
        }
        for name, taken in times.items()
    ]
    rows = [
        [line["peer"], line["best"] * 1e3, middle[line["peer"]] * 1e3, times_text(line["ratio"]), line["aim"]]
        for line in lines
    ]
    return {
        "benchmark": "startup",
        "title": "Starting the command line",
        "notes": [
            f"Milliseconds from the start of Python to the end of the process, {args.repeats} alternating"
            f" runs; the ratio is that of the medians, to `python -c '{BASE}'`."
        ],
        "measurements": lines,
        "skipped": skipped,
        "tables": [table("", ["started", "minimum ms", "median ms", f"time / {BASE}", "aim"], rows)],
        "ahead": [],
        "short": [
            f"{line['peer']} takes {line['ratio']:.2f} times as long as {BASE}, the aim is {line['aim']:g}"
            for line in lines
            if line["aim"] is not None and line["ratio"] > line["aim"]
        ],
    }


def main(argv: list[str] | None = None) -> int:
    return command(run, __doc__, argv, add_data_options, repeats=20)


if __name__ == "__main__":
    raise SystemExit(main())
