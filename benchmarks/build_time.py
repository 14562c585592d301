"""How long the first build takes: `make demo` and the C++ tests in a fresh clone, step by step.

The one idea: on a machine that others use, too, processor time varies less than the clock, so the user and
system seconds of all processes of a step stand beside it. Compiler caches are switched off.

    python -m benchmarks.build_time           # the steps of `make`
    python -m benchmarks.build_time --files   # each source, too, compiled a second time on its own
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.common import ROOT, Result, command, note, table

AIM = 115
"""Processor seconds wanted for compiling the extension."""
STEPS = (".venv/tools", ".venv/installed", "demo", "build/cpp-address/hornbeam_tests")


def seconds(command: list[str], folder: Path) -> tuple[float, float]:
    """Run a command; its seconds on the clock, and those of the processor of all its processes."""
    env = {name: value for name, value in os.environ.items() if name != "CMAKE_CXX_COMPILER_LAUNCHER"}
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, cwd=folder, env={**env, "CCACHE_DISABLE": "1"}, check=True, stdout=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return time.perf_counter() - start, used


def files(folder: Path, ninja: Path) -> list[tuple[float, str]]:
    """The processor seconds of each object of a finished build, the slowest first."""
    listed = subprocess.run(
        [str(ninja), "-t", "commands", "all"], cwd=folder, check=True, capture_output=True, text=True
    )
    commands = [line for line in listed.stdout.splitlines() if " -c " in line]
    names = [re.search(r" -o (\S+)", line) for line in commands]
    return sorted(
        (
            (seconds(["sh", "-c", line], folder)[1], name[1])
            for line, name in zip(commands, names, strict=True)
            if name
        ),
        reverse=True,
    )


def run(args: argparse.Namespace) -> Result:
    steps, lines = args.steps.split(","), []
    with tempfile.TemporaryDirectory() as made:
        clone = Path(made) / "hornbeam"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        for step in steps:
            lines.append([f"make {step}", *seconds(["make", step], clone)])
            note(f"  {lines[-1][0]}: {lines[-1][1]:.1f} s, {lines[-1][2]:.1f} s of the processor")
        tables = [table("", ["step", "clock s", "processor s"], lines)]
        for build in ("build/.venv", "build/cpp-address") if args.files else ():
            rows = [[name, used] for used, name in files(clone / build, clone / ".venv/bin/ninja")]
            tables.append(table(build, ["object", "processor s"], rows))
    built = {name: used for name, _, used in lines}.get("make .venv/installed")
    return {
        "benchmark": "build",
        "title": "The first build",
        "notes": [
            "`make demo` and the C++ tests in a fresh clone, step by step: tools from the package index, the"
            " extension, the demonstration, the tests with sanitizers. Two jobs, no compiler cache."
        ],
        "measurements": [],
        "skipped": [],
        "tables": tables,
        "ahead": [],
        "short": [f"compiling takes {built:.0f} s of the processor, the aim is {AIM}"]
        if built and built > AIM
        else [],
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cache", help="not used: a clone in a folder of its own is built")
    parser.add_argument("--steps", default=",".join(STEPS), help="targets of make, comma-separated")
    parser.add_argument("--files", action="store_true", help="name each source with its processor seconds")


def main(argv: list[str] | None = None) -> int:
    return command(run, __doc__, argv, add_options)


if __name__ == "__main__":
    raise SystemExit(main())
