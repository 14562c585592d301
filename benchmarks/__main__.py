"""Run every benchmark and write `docs/benchmarks/`: CSV files, and pages made of them.

The one idea: each section is one benchmark in a process of its own, so that none inherits the memory, the
threads or the code path of another; `--sections` repeats some of them and keeps what is stored of the rest.

    python -m benchmarks --quick --data DIR
    python -m benchmarks --data DIR --weka weka.jar --rscript Rscript

A quick run takes minutes and writes a folder of its own, `docs/benchmarks/quick/`; its ratios are those of
small data. With a folder of tables, fits of those are timed (`bench_frames`), and a run of all sections
measures accuracy as well (`benchmarks.accuracy`). Weka and R are found where Debian puts them.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import stored
from benchmarks.common import ROOT, Result, note
from benchmarks.data import default_cache
from benchmarks.page import write
from benchmarks.sections import NEEDS, QUICK, SECTIONS

OUT = ROOT / "docs" / "benchmarks"
DEBIAN = Path("/usr/share/java/weka.jar")  # where Debian's package puts it


def run_section(name: str, args: argparse.Namespace) -> Result:
    """The result of one section, or a result that says how it failed."""
    module, options = SECTIONS[name]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "result.json"
        quick = QUICK[module] if args.quick else []
        command = [sys.executable, "-m", f"benchmarks.{module}", f"--threads={args.threads}"]
        command += [f"--json={out}", f"--cache={args.cache.resolve()}"]
        given = {name: getattr(args, name) for name in ("only", "settings", *NEEDS.get(module, ()))}
        command += [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if value]
        command += [*options, *quick]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
        if done.returncode or not out.exists():
            failure = f"The section failed with exit code {done.returncode}; run it alone to see why."
            return stored.section_of({"title": name, "notes": [failure], "failed": True})
        result: Result = json.loads(out.read_text(encoding="utf-8"))
    return stored.section_of(result | {"quick": args.quick})


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Run all benchmarks.")
    parser.add_argument(
        "--quick", action="store_true", help="small data, few repetitions: minutes, not an hour"
    )
    parser.add_argument("--sections", help=f"only these, comma-separated: {', '.join(SECTIONS)}")
    parser.add_argument("--only", help="only these peers, comma-separated")
    parser.add_argument("--settings", help="only these; others of the same version stay as they are stored")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cache", type=Path, default=default_cache(), help="folder for the data")
    parser.add_argument(
        "--out", type=Path, help="folder for the results; docs/benchmarks, for a quick run quick/ in it"
    )
    parser.add_argument("--data", type=Path, help="folder of ARFF and CSV files: fits of them, and accuracy")
    weka, rscript = str(DEBIAN) if DEBIAN.exists() else "", shutil.which("Rscript") or ""
    parser.add_argument("--weka", default=weka, help="weka.jar, for the classic programs and accuracy")
    parser.add_argument("--rscript", default=rscript, help="Rscript, for the classic programs and accuracy")
    parser.add_argument("--linear-tree", default="", help="the Python of an environment with linear-tree")
    parser.add_argument("--page", action="store_true", help="only write the page from what is stored")
    args = parser.parse_args(argv)
    for name in ("weka", "linear_tree", "data"):  # sections run in the folder of the package
        setattr(args, name, str(Path(getattr(args, name)).absolute()) if getattr(args, name) else "")
    args.out = args.out or OUT / ("quick" if args.quick else "")
    wanted = args.sections.split(",") if args.sections else list(SECTIONS)
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        parser.error(f"--sections names {', '.join(unknown)}; choose from {', '.join(SECTIONS)}")
    results = stored.read(args.out) if args.sections or args.page else {}
    args.out.mkdir(parents=True, exist_ok=True)
    if args.page:
        write(results, args.out)
        return 0
    for name in wanted:
        note(f"[{name}]")
        found = run_section(name, args)
        results[name] = stored.joined(results.get(name, {}), found) if args.settings else found
        results = {key: results[key] for key in SECTIONS if key in results}
        stored.write(args.out, results)
        write(results, args.out)
    note(f"wrote {args.out / 'index.md'}")
    failed = any("failed" in results[name] for name in wanted)
    with_accuracy = args.data and not args.sections
    return int(failed or bool(with_accuracy and not accuracy(args)))


def accuracy(args: argparse.Namespace) -> bool:
    """Measure accuracy on a folder of tables; whether it worked."""
    note("[accuracy]")
    command = [sys.executable, "-m", "benchmarks.accuracy", "--data", args.data]
    command += [f"--weka={args.weka}", f"--rscript={args.rscript}"]
    command += [f"--linear-tree={args.linear_tree}"] if args.linear_tree else []
    command.append(f"--out={args.out.resolve() / 'accuracy.csv'}")
    command += ["--folds=2", "--most-rows=400"] if args.quick else []
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    raise SystemExit(main())
