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


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.build_time", description=__doc__)
    parser.add_argument("--files", action="store_true", help="name each source with its processor seconds")
    args = parser.parse_args()
    source = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory() as made:
        clone = Path(made) / "hornbeam"
        subprocess.run(["git", "clone", "--quiet", str(source), str(clone)], check=True)
        print(f"{'clock s':>9} {'processor s':>12}  step")
        for step in STEPS:
            clock, used = seconds(["make", step], clone)
            print(f"{clock:9.1f} {used:12.1f}  make {step}", flush=True)
        if args.files:
            for build in ("build/.venv", "build/cpp-address"):
                for used, name in files(clone / build, clone / ".venv/bin/ninja"):
                    print(f"{used:22.1f}  {build}/{name}")


if __name__ == "__main__":
    main()
