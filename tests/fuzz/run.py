"""Coverage-guided fuzzing of the readers, with atheris.

    python -m tests.fuzz.run csv --seconds 600 --corpus ~/hornbeam-corpus
    python -m tests.fuzz.run all --seconds 600 --corpus ~/hornbeam-corpus
    python -m tests.fuzz.run csv --until-quiet 1800 --corpus ~/hornbeam-corpus    until nothing is new
    python -m tests.fuzz.run csv --input FILE            one input again, with its traceback

The bytes that reach the code of others may end the process, so every reader runs in a process of its own; one
that ends early is started again until the time is over. Inputs that reach new code are kept in
CORPUS/READER, those at fault in CORPUS/faults, and CORPUS/log.jsonl gets a line for each run: executions,
coverage, seconds since it last rose, and the faults. Seconds are of processor time: a busy machine is no
patience.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from functools import partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SEEDS = Path(__file__).parent / "seeds"
HANG = 20  # seconds of processor time for one input
STUCK = 1200  # seconds by the clock after which one that never ends is given up; a process may be paused
MEMORY = 2048  # megabytes of the process
GROWTH = 1 << 30  # bytes that one input may take
_STATUS = re.compile(r"^#(\d+)\s.*?\bcov: (\d+) ft: (\d+)")
_DONE = re.compile(r"stat::number_of_executed_units:\s*(\d+)")


# Inside the process that is fuzzed ------------------------------------------------------------------------


def fuzz_inside(name: str, corpus: Path, seconds: int, seed: int) -> None:
    """Fuzz one reader in this process; does not return."""
    import atheris

    instrument_imports("hornbeam", "openpyxl")
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.json
    from tests.fuzz import targets

    pa.set_cpu_count(1)
    for module in (pyarrow.csv, pyarrow.json):  # waiting for threads takes longer than reading a small file
        module.ReadOptions = partial(module.ReadOptions, use_threads=False)
    reader = targets.READERS[name]
    faults = corpus / "faults"
    for folder in (faults, corpus / name):
        folder.mkdir(parents=True, exist_ok=True)
    words = corpus / f"{name}.words"
    words.write_text("".join('"{}"\n'.format(word.replace('"', '\\"')) for word in reader.words))
    options = [
        *(f"-max_total_time={seconds}", f"-max_len={reader.longest}", f"-seed={seed}"),
        *(f"-timeout={STUCK}", f"-rss_limit_mb={MEMORY}", "-print_final_stats=1", "-reload=0"),
        *(f"-dict={words}", f"-artifact_prefix={faults / name}-", str(corpus / name)),
    ]
    if (SEEDS / name).is_dir():
        options.append(str(SEEDS / name))
    atheris.Setup([sys.argv[0], *options], guarded_target(reader.target, faults, name))
    atheris.Fuzz()


def instrument_imports(*packages: str) -> None:
    """Let the modules of some packages, which are imported later, count their branches.

    atheris has a function for this, which fails silently where the loader of an editable install stands
    before Python's own.
    """
    from atheris.instrument_bytecode import patch_code

    plain = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> Any:
        code = plain(loader, name)
        return patch_code(code, True) if code is not None and name.split(".")[0] in packages else code

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


def guarded_target(target: Callable[[bytes], bool], faults: Path, name: str) -> Callable[[bytes], None]:
    """The target, which writes an input at fault into a file, once for each place of a fault, and goes on."""
    seen: set[str] = set()

    def run(data: bytes) -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.process_time()
        try:
            target(data)
            after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            if (after - before) << 10 > GROWTH:
                raise MemoryError(f"{after - before:,} kB for one input")
            if (seconds := time.process_time() - start) > HANG:
                raise TimeoutError(f"{seconds:.0f} seconds for one input")
        except Exception as fault:  # whatever it is, it is what we look for
            place = fault_place(fault)
            if place not in seen:
                seen.add(place)
                stem = faults / f"{name}-{hashlib.sha256(place.encode()).hexdigest()[:12]}"
                stem.with_suffix(".input").write_bytes(data)
                stem.with_suffix(".txt").write_text("".join(traceback.format_exception(fault)))
                print(f"FAULT {stem.name} {place}", flush=True)

    return run


def fault_place(fault: BaseException) -> str:
    """The type of a fault and the line where it happened; that of the accident if a sentence hid one."""
    fault = fault.__cause__ or fault
    frames = traceback.extract_tb(fault.__traceback__)
    last = frames[-1] if frames else None
    return (
        f"{type(fault).__name__} {Path(last.filename).name}:{last.lineno}" if last else type(fault).__name__
    )


# Outside --------------------------------------------------------------------------------------------------


def fuzz(name: str, corpus: Path, seconds: float, seed: int = 0) -> dict[str, Any]:
    """Fuzz one reader for so many seconds, in processes of its own; what came of it."""
    start = time.monotonic()
    used = rose = 0.0  # seconds of processor time: of all processes, and of them until the last new branch
    result = {"reader": name, "executions": 0, "coverage": 0, "features": 0, "crashes": [], "faults": []}
    while (left := seconds - (time.monotonic() - start)) >= 1 and len(result["crashes"]) < 5:
        command = [sys.executable, "-m", "tests.fuzz.run", name, "--inside", "--corpus", str(corpus)]
        command += ["--seconds", str(int(left)), "--seed", str(seed + len(result["crashes"]) + 1)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT)
        assert process.stdout is not None
        executions, tail, own = 0, [], 0.0
        try:
            for raw in process.stdout:
                line = raw.decode("utf-8", "replace").rstrip()
                tail, own = [*tail[-40:], line], processor_seconds(process.pid, own)
                if status := _STATUS.match(line):
                    executions = int(status[1])
                    if int(status[2]) > result["coverage"]:
                        result["coverage"], rose = int(status[2]), used + own
                    result["features"] = max(result["features"], int(status[3]))
                elif done := _DONE.search(line):
                    executions = max(executions, int(done[1]))
                elif line.startswith("FAULT "):
                    result["faults"].append(line[6:])
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait()
        used += own
        result["executions"] += executions
        if process.returncode != 0:
            result["crashes"].append("\n".join(tail))
        elif executions == 0:
            break
    result |= {"seconds": round(used), "seconds_since_rise": round(used - rose)}
    with (corpus / "log.jsonl").open("a") as log:
        log.write(json.dumps(result | {"ended": time.strftime("%H:%M:%S")}) + "\n")
    return result


def fuzz_until_quiet(name: str, corpus: Path, quiet: float, seed: int = 0) -> dict[str, Any]:
    """Fuzz one reader, with what former runs kept, until no new branch was reached for so many seconds."""
    whole = fuzz(name, corpus, quiet / 4, seed)
    while whole["seconds_since_rise"] < quiet and not (whole["faults"] or whole["crashes"]):
        more = fuzz(name, corpus, quiet / 4, seed := seed + 1)
        rose = more["coverage"] > whole["coverage"]
        whole["seconds_since_rise"] = more["seconds_since_rise"] + (
            0 if rose else whole["seconds_since_rise"]
        )
        for key in ("executions", "seconds", "faults", "crashes"):
            whole[key] += more[key]
        whole["coverage"] = max(whole["coverage"], more["coverage"])
        if more["executions"] == 0:
            break
    return whole


def processor_seconds(pid: int, before: float) -> float:
    """The processor time of a process so far; `before` if it has ended, or where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return before
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") or before


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; 1 if there was a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run")
    parser.add_argument("reader", help="a name in tests.fuzz.targets.READERS, or all")
    parser.add_argument("--seconds", type=int, default=60, help="for each reader")
    parser.add_argument("--until-quiet", type=int, metavar="SECONDS", help="without a new branch, instead")
    parser.add_argument("--corpus", type=Path, help="folder that is kept; a temporary one without it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--input", type=Path, help="run this one input, without atheris")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.inside:
        fuzz_inside(given.reader, given.corpus, given.seconds, given.seed)
    if given.input is not None:
        from tests.fuzz.targets import READERS

        print("accepted" if READERS[given.reader].target(given.input.read_bytes()) else "refused")
        return 0
    readers = sorted(folder.name for folder in SEEDS.iterdir())  # every reader has seeds
    if given.reader not in ("all", *readers):
        parser.error(f"{given.reader} is no reader: use one of {', '.join(readers)}, or all")
    names = readers if given.reader == "all" else [given.reader]
    n_faults = 0
    with tempfile.TemporaryDirectory() as folder:
        corpus = given.corpus or Path(folder)
        corpus.mkdir(parents=True, exist_ok=True)
        for name in names:
            if given.until_quiet:
                result = fuzz_until_quiet(name, corpus, given.until_quiet, given.seed)
            else:
                result = fuzz(name, corpus, given.seconds, given.seed)
            n_faults += len(result["faults"]) + len(result["crashes"])
            print(
                f"{name}: {result['executions']:,} executions in {result['seconds']} s, coverage"
                f" {result['coverage']:,}, {result['seconds_since_rise']} s since it rose,"
                f" {len(result['faults'])} faults, {len(result['crashes'])} crashes"
            )
            print(*result["faults"], *result["crashes"], sep="\n")
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main())
