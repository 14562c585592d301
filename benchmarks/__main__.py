"""Run every benchmark and write `docs/benchmarks/`: results.json, and index.md rendered from it.

The one idea: each section is one benchmark in a process of its own, so that none inherits the memory, the
threads or the code path of another; `--sections` repeats some of them and keeps what is stored of the rest.

    python -m benchmarks --quick
    python -m benchmarks --data DIR --weka weka.jar --rscript Rscript

With a folder of tables, accuracy is measured as well (`benchmarks.accuracy`).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, Result, markdown, note
from benchmarks.data import default_cache

SECTIONS: dict[str, tuple[str, list[str]]] = {
    "grow": ("bench_grow", []),
    "grow-portable": ("bench_grow", ["--portable"]),
    "grow-five-classes": ("bench_grow", ["--classes=5"]),
    "grow-regression": ("bench_grow", ["--task=regression"]),
    "grow-float64": ("bench_grow", ["--dtype=float64"]),
    "grow-100000": ("bench_grow", ["--rows=100000"]),
    "grow-noise": ("bench_grow", ["--data-kind=noise"]),
    "grow-integer": ("bench_grow", ["--data-kind=integer"]),
    "grow-heavy": ("bench_grow", ["--data-kind=heavy"]),
    "grow-nominal": ("bench_grow", ["--data-kind=nominal"]),
    "forest": ("bench_forest", []),
    "forest-regression": ("bench_forest", ["--task=regression"]),
    "forest-1000000": ("bench_forest", ["--rows=1000000", "--trees=10"]),
    "choices": ("bench_choices", []),
    "regression": ("bench_regression", []),
    "prune": ("bench_prune", []),
    "small": ("bench_small", []),
    "scaling": ("bench_scaling", []),
    "memory": ("bench_memory", ["--both-tasks"]),
    "predict": ("bench_predict", []),
    "density": ("bench_density", []),
    "path": ("bench_path", []),
    "models": ("bench_models", []),
    "startup": ("bench_startup", []),
    "draw": ("bench_draw", []),
}

QUICK = {
    "bench_grow": ["--rows=20000", "--repeats=2"],
    "bench_choices": ["--rows=20000", "--repeats=2"],
    "bench_regression": ["--rows=5000", "--repeats=2"],
    "bench_forest": ["--rows=20000", "--trees=10", "--repeats=2"],
    "bench_prune": ["--rows=30000", "--repeats=2"],
    "bench_small": ["--repeats=5"],
    "bench_scaling": ["--sizes=5000,10000,20000", "--repeats=2"],
    "bench_memory": ["--rows=20000"],
    "bench_predict": ["--rows=20000", "--repeats=2"],
    "bench_density": ["--rows=20000", "--repeats=1"],
    "bench_path": ["--rows=4000", "--large=20000", "--repeats=2"],
    "bench_models": ["--rows=5000", "--repeats=2"],
    "bench_startup": ["--repeats=3"],
    "bench_draw": ["--leaves=50", "--repeats=1"],
}
"""Small enough for a look in a few minutes; the ratios are not those of the full run."""


def run_section(name: str, args: argparse.Namespace) -> Result:
    """The result of one section, or a result that says how it failed."""
    module, options = SECTIONS[name]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "result.json"
        quick = QUICK[module] if args.quick else []
        command = [sys.executable, "-m", f"benchmarks.{module}", *quick, *options]
        command += [f"--json={out}", f"--cache={args.cache.resolve()}", f"--threads={args.threads}"]
        if args.only:
            command.append(f"--only={args.only}")
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
        if done.returncode or not out.exists():
            failure = f"The section failed with exit code {done.returncode}; run it alone to see why."
            return {"title": name, "notes": [failure], "tables": [], "ahead": [], "failed": True}
        result: Result = json.loads(out.read_text(encoding="utf-8"))
    return result | {"quick": args.quick}


def summary(results: dict[str, Result]) -> list[str]:
    """The first lines of the page: where a peer is ahead, where an aim is missed, what is not known."""
    ahead = [f"{part['title']}: {text}" for part in results.values() for text in part["ahead"]]
    short = [f"{part['title']}: {text}" for part in results.values() for text in part.get("short", [])]
    unknown = [part["title"] for part in results.values() if part.get("failed") or not compared(part)]
    lines = [bullets("**Where a peer is ahead of Hornbeam:**", ahead, "nowhere in what was measured.")]
    lines += [bullets("**Where Hornbeam falls short of its aim:**", short, "nowhere in what was measured.")]
    if unknown:
        lines.append(bullets("**Not compared (Hornbeam was not measured):**", unknown, ""))
    return lines


def compared(part: Result) -> bool:
    return any(str(line["peer"]).startswith("hornbeam") for line in part.get("measurements", []))


def bullets(head: str, items: list[str], nothing: str) -> str:
    return f"{head} {nothing}\n" if not items else "\n".join([head, "", *(f"- {item}" for item in items), ""])


def circumstances(results: dict[str, Result]) -> list[str]:
    """On what and with what the sections were measured; more than one line if they differ."""
    lines: list[str] = []
    for part in results.values():
        if "machine" not in part:
            continue
        cpu, packages = part["machine"], ", ".join(f"{k} {v}" for k, v in part["versions"].items())
        text = f"Measured on {cpu['cpu']}, {cpu['cores']} cores, {part['threads']} threads. {packages}."
        if part.get("quick"):
            text = f"A quick run on small data, only for a look. {text}"
        if text not in lines:
            lines.append(text)
    return [line + "\n" for line in lines]


def page(results: dict[str, Result]) -> str:
    """The whole of index.md."""
    how = (
        "Every ratio is a peer's time divided by Hornbeam's, above 1 Hornbeam is faster; both were taken in"
        " turns in one run, the minimum counts. Ratios carry over to another machine, seconds do not."
        " `make peers` builds the environment and `python -m benchmarks` writes this page.\n"
    )
    parts: list[Any] = ["# Benchmarks\n", *summary(results), *circumstances(results), how]
    return "\n".join([*parts, *(markdown(part) for part in results.values())])


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Run all benchmarks.")
    parser.add_argument(
        "--quick", action="store_true", help="small data, few repetitions: minutes, not an hour"
    )
    parser.add_argument("--sections", help=f"only these, comma-separated: {', '.join(SECTIONS)}")
    parser.add_argument("--only", help="only these peers, comma-separated")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cache", type=Path, default=default_cache(), help="folder for the data")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "docs" / "benchmarks", help="folder for the results"
    )
    parser.add_argument(
        "--data", type=Path, help="folder of tables with tables.json: accuracy is measured, too"
    )
    parser.add_argument("--weka", default="", help="weka.jar, for accuracy")
    parser.add_argument("--rscript", default="", help="Rscript, for accuracy")
    args = parser.parse_args(argv)
    wanted = args.sections.split(",") if args.sections else list(SECTIONS)
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        parser.error(f"--sections names {', '.join(unknown)}; choose from {', '.join(SECTIONS)}")
    stored = args.out / "results.json"
    results = json.loads(stored.read_text(encoding="utf-8")) if args.sections and stored.exists() else {}
    args.out.mkdir(parents=True, exist_ok=True)
    for name in wanted:
        note(f"[{name}]")
        results[name] = run_section(name, args)
        results = {key: results[key] for key in SECTIONS if key in results}
        stored.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        (args.out / "index.md").write_text(page(results), encoding="utf-8")
    failed = any(results[name].get("failed", False) for name in wanted)
    return int(failed or (args.data is not None and not accuracy(args)))


def accuracy(args: argparse.Namespace) -> bool:
    """Measure accuracy on a folder of tables; whether it worked."""
    note("[accuracy]")
    command = [sys.executable, "-m", "benchmarks.accuracy", "--data", str(args.data.resolve())]
    command += [
        "--weka",
        args.weka,
        "--rscript",
        args.rscript,
        f"--out={args.out.resolve() / 'accuracy.json'}",
    ]
    command += ["--folds=3", "--most-rows=1000"] if args.quick else []
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    raise SystemExit(main())
