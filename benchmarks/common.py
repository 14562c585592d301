"""What the benchmarks share: settings, alternating repetitions, the machine, tables.

The one idea: every benchmark returns one plain dict (title, measurements, skipped, tables, ahead, ...), so
that printing, JSON and the page in the documentation are each written once, here.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Result = dict[str, Any]
Table = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent
LINEAR_TREE = ROOT / ".venv-linear-tree" / "bin" / "python"
"""linear-tree needs an older scikit-learn than Hornbeam: the environment `make peers` makes for it."""
PACKAGES = (
    "hornbeam",
    "numpy",
    "scikit-learn",
    "lightgbm",
    "xgboost",
    "snapml",
    "onnxruntime",
    "skl2onnx",
    "ydf",
    "catboost",
    "orange3",
    "cubist",
    "linear-tree",
    "shap",
)


@dataclass(frozen=True)
class Setting:
    """One size of tree; `label` is what tables print."""

    label: str
    max_depth: int | None
    min_leaf: int


SETTINGS = {
    "d6": Setting("depth 6, min leaf 20", 6, 20),
    "d10": Setting("depth 10, min leaf 20", 10, 20),
    "full": Setting("fully grown", None, 1),
}


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """The options of every benchmark."""
    parser.add_argument("--only", help="peers to run, comma-separated (default: all)")
    parser.add_argument("--settings", default=",".join(SETTINGS), help="comma-separated, of the default")
    parser.add_argument("--repeats", type=int, default=5, help="alternating repetitions, the minimum counts")
    parser.add_argument(
        "--threads", type=int, default=2, help="threads of Hornbeam and of every peer that has them"
    )
    parser.add_argument("--portable", action="store_true", help="Hornbeam without its AVX2 code")
    parser.add_argument("--json", type=Path, help="write the result here")
    parser.add_argument("--markdown", type=Path, help="write the tables here")


def command(
    run: Callable[[argparse.Namespace], Result],
    doc: str | None,
    argv: list[str] | None,
    *options: Callable[[argparse.ArgumentParser], None],
    **defaults: Any,
) -> int:
    """A benchmark as a command: its options beside those of all, other defaults, its result printed."""
    parser = parser_of(Path(run.__code__.co_filename).stem, doc)
    add_run_options(parser)
    for add in options:
        add(parser)
    parser.set_defaults(**defaults)
    args = parser.parse_args(argv)
    settings_of(args)
    prepare(args)
    return finish(run(args), args)


def prepare(args: argparse.Namespace) -> None:
    """Choose the code path; must come before Hornbeam is imported."""
    if args.portable:
        os.environ["HORNBEAM_PORTABLE"] = "1"
    else:
        os.environ.pop("HORNBEAM_PORTABLE", None)


def settings_of(args: argparse.Namespace) -> list[Setting]:
    unknown = [key for key in args.settings.split(",") if key not in SETTINGS]
    if unknown:
        raise SystemExit(f"--settings names {', '.join(unknown)}; choose from {', '.join(SETTINGS)}")
    return [SETTINGS[key] for key in args.settings.split(",")]


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """Wall time of one call, and what it returned."""
    gc.collect()
    start = time.perf_counter()
    value = call()
    return time.perf_counter() - start, value


def alternate(
    calls: Mapping[str, Callable[[], Any]], repeats: dict[str, int], failed: Callable[[str, Exception], None]
) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """Times and last values, taken in turns a b c, a b c, ... so that a busy spell hits all alike.

    A call that raises is reported to `failed` and left out.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    values: dict[str, Any] = {}
    broken: set[str] = set()
    for turn in range(max(repeats.values(), default=0)):
        for name, call in calls.items():
            if turn >= repeats[name] or name in broken:
                continue
            values.pop(name, None)  # the tree of the last turn must not stay beside the next
            try:
                elapsed, values[name] = seconds(call)
            except Exception as error:
                broken.add(name)
                failed(name, error)
                continue
            times[name].append(elapsed)
    done = {name: taken for name, taken in times.items() if taken and name not in broken}
    return done, values


def failures_to(skipped: list[dict[str, str]], setting: str) -> Callable[[str, Exception], None]:
    """What `alternate` calls for a peer that raises: it is listed among the skipped."""

    def failed(name: str, error: Exception) -> None:
        skipped.append({"peer": name, "setting": setting, "reason": f"failed: {error}"})

    return failed


def failure_of(errors: str) -> str:
    """The last line a program wrote before it failed."""
    words = errors.strip().splitlines() or ["without a word"]
    return f"failed: {words[-1][:200]}"


def machine() -> dict[str, Any]:
    """The processor and how busy it was when the run ended."""
    load = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count()
    return {"cpu": _cpu_name(), "cores": cores, "system": platform.system(), "load": load}


def _cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Python and the packages that are there."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def note(text: str) -> None:
    """Progress, apart from the result."""
    print(text, file=sys.stderr, flush=True)


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    return {"title": title, "head": list(head), "rows": [[cell(value) for value in row] for row in rows]}


def cell(value: Any) -> str:
    """Three significant digits for a number, a dash for what is not known."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return str(value)


def times_text(ratio: float | None) -> str | None:
    return None if ratio is None else f"{cell(ratio)}x"


def markdown(result: Result) -> str:
    """The tables of one result, with what was skipped and where a peer is ahead."""
    lines = [f"## {result['title']}", ""]
    for text in result.get("notes", []):
        lines += [text, ""]
    for part in result["tables"]:
        if part["title"]:
            lines += [f"**{part['title']}**", ""]
        widths = [max(len(row[j]) for row in [part["head"], *part["rows"]]) for j in range(len(part["head"]))]
        for i, row in enumerate([part["head"], *part["rows"]]):
            lines.append(
                "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |"
            )
            if i == 0:
                lines.append("|" + "|".join("-" * (width + 2) for width in widths) + "|")
        lines.append("")
    lines += [f"- Left out: {text}" for text in skipped_lines(result.get("skipped", []))]
    lines += [f"- Peer ahead: {text}" for text in result["ahead"]]
    lines += [f"- Short of the aim: {text}" for text in result.get("short", [])]
    return "\n".join(lines).rstrip() + "\n"


def skipped_lines(skipped: Sequence[dict[str, str]]) -> list[str]:
    """One sentence for each reason, with the peers and settings it holds for."""
    where: dict[tuple[str, str], list[str]] = {}
    for entry in skipped:
        where.setdefault((entry["peer"], entry["reason"]), []).append(entry["setting"])
    who: dict[tuple[str, str], list[str]] = {}
    for (peer, reason), places in where.items():
        there = "" if places[0] == "all" else f" ({'; '.join(dict.fromkeys(places))})"
        who.setdefault((reason, there), []).append(peer)
    return [
        f"{', '.join(peers)}{':' if len(peers) > 1 else ''} {reason}{there}"
        for (reason, there), peers in who.items()
    ]


def parser_of(module: str, text: str | None) -> argparse.ArgumentParser:
    """A parser named and described after a benchmark's module."""
    about = (text or "").partition("\n")[0]
    return argparse.ArgumentParser(prog=f"python -m benchmarks.{module}", description=about)


def finish(result: Result, args: argparse.Namespace) -> int:
    """Print the result and write what was asked for."""
    result |= {"machine": machine(), "versions": versions(), "threads": args.threads}
    text = markdown(result)
    print(text)
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if args.markdown:
        args.markdown.parent.mkdir(parents=True, exist_ok=True)
        args.markdown.write_text(text, encoding="utf-8")
    return 0
