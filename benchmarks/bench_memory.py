"""Peak memory of a fit: what it adds to the process that already holds the data.

The one idea: one fresh process for each measurement. It reads the array, fits a few rows so that the peer is
loaded, notes what is resident, sets the kernel's high-water mark back, fits once and reads the mark again:
nothing is missed.

    python -m benchmarks.bench_memory --rows 1000000 --only hornbeam,sklearn
"""

from __future__ import annotations

import argparse
import gc
import resource
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.apart import Apart, Refused
from benchmarks.common import (
    Result,
    cell,
    command,
    note,
    settings_of,
    table,
    times_text,
)
from benchmarks.data import TASKS, DataSpec, add_data_options, ensure, spec_of
from benchmarks.growth import Fit
from benchmarks.peers import choose, left_out

STATUS = Path("/proc/self/status")
AIMS = {"classes": 1.5, "regression": 0.6}
"""Wanted: peak memory of a fit as a multiple of the input array."""


def status_bytes(field: str) -> int | None:
    """A size the kernel keeps about this process, None where it does not tell."""
    try:
        lines = STATUS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith(f"{field}:")]
    return int(found[0]) * 1024 if found else None


def reset_peak() -> bool:
    """Set the high-water mark back to what is resident now; False where that is not allowed."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def peak_bytes() -> int:
    """The high-water mark; without /proc the one since the process began."""
    unit = 1 if sys.platform == "darwin" else 1024
    return status_bytes("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


class Footprint(Fit):
    """One fit, and what it added to what was resident before it."""

    def warm(self) -> None:
        super().warm()  # what is imported on first use is no part of it
        gc.collect()
        self.reset = reset_peak()
        self.before = status_bytes("VmRSS") or peak_bytes()

    def tell(self, model: Any) -> dict[str, Any]:
        added = peak_bytes() - self.before
        facts = {"added": added, "array": self.data.X.nbytes, "before": self.before, "reset": self.reset}
        return facts | {"leaves": self.peer.leaves(model)}


def measure_apart(spec: DataSpec, args: argparse.Namespace, name: str, setting: str) -> dict[str, Any]:
    """A footprint in a fresh process, or why there is none."""
    order = {"spec": asdict(spec), "rows": spec.rows, "cache": str(args.cache.resolve())}
    order |= {"peer": name, "setting": setting, "threads": args.threads}
    task = Apart("benchmarks.bench_memory:Footprint", order)
    try:
        task.begin(args.patience)
        task.run(args.patience)
        return task.tell(args.patience)
    except Refused as reason:
        if name == "hornbeam":
            raise RuntimeError(f"the fit of hornbeam {reason}") from reason
        return {"reason": str(reason)}
    finally:
        task.close()


def measure_task(
    spec: DataSpec, args: argparse.Namespace, skipped: list[dict[str, str]]
) -> list[dict[str, Any]]:
    """One line for each peer and setting on one table."""
    ensure(spec, args.cache)
    lines = []
    late: dict[str, str] = {}  # a peer that took too long for a small tree is not asked for a larger one
    settings = dict(zip(args.settings.split(","), settings_of(args), strict=True))
    for key, setting in settings.items():
        place = f"{spec.task}, {setting.label}"
        for peer in choose(args.only):
            runs = [
                {"reason": late[peer.name]}
                if peer.name in late
                else measure_apart(spec, args, peer.name, key)
                for _ in range(args.repeats)
            ]
            reasons = [run["reason"] for run in runs if "reason" in run]
            if reasons:
                if reasons[0].startswith("took longer"):
                    late.setdefault(peer.name, f"{reasons[0]} ({setting.label})")
                skipped.append({"setting": place, "peer": peer.name, "reason": reasons[0]})
                continue
            best = min(runs, key=lambda run: int(run["added"]))
            lines.append({"task": spec.task, "setting": setting.label, "peer": peer.name, **best})
            lines[-1]["share"] = best["added"] / best["array"]
            note(f"  {place}: {peer.name} {best['added'] / 1e6:.0f} MB, {lines[-1]['share']:.2f}x the array")
    return lines


def judge(lines: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Where a peer needs less, and where Hornbeam needs more than wanted."""
    own = {(line["task"], line["setting"]): line for line in lines if line["peer"] == "hornbeam"}
    ahead, short = [], []
    for line in lines:
        place = (line["task"], line["setting"])
        if line["peer"] == "hornbeam" and line["share"] > AIMS[line["task"]]:
            short.append(f"{', '.join(place)}: {line['share']:.2f}x the array, wanted {AIMS[line['task']]}x")
        elif place in own and line["added"] < own[place]["added"]:
            ahead.append(
                f"{line['peer']} needs {line['share']:.2f}x the array against"
                f" {own[place]['share']:.2f}x ({', '.join(place)})"
            )
    return ahead, short


def run(args: argparse.Namespace) -> Result:
    spec = spec_of(args)
    skipped = left_out(args.only)
    lines: list[dict[str, Any]] = []
    for task in TASKS if args.both_tasks else (spec.task,):
        one = DataSpec(**(asdict(spec) | {"task": task}))
        note(f"memory: {one.title}")
        lines += measure_task(one, args, skipped)
    ahead, short = judge(lines)
    head = ["task", "setting", "peer", "added MB", "added / array", "aim", "leaves"]
    rows = [
        [
            *(
                line["task"],
                line["setting"],
                line["peer"],
                cell(line["added"] / 1e6),
                times_text(line["share"]),
            ),
            *(f"{AIMS[line['task']]}x" if line["peer"] == "hornbeam" else None, line["leaves"]),
        ]
        for line in lines
    ]
    return {
        "benchmark": "memory",
        "title": f"Memory of a fit: {spec.rows:,} x {spec.cols} {spec.dtype}",
        "notes": [
            "Peak resident memory during the fit minus what was resident before, in a fresh process. A form"
            " of the table that a peer wants and is given beforehand is not counted."
        ],
        "measurements": lines,
        "skipped": skipped,
        "tables": [table("", head, rows)],
        "ahead": ahead,
        "short": short,
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--both-tasks", action="store_true", help="classes, then regression")
    parser.add_argument(
        "--patience", type=float, default=120.0, help="seconds for one step; a slower peer is named"
    )


def main(argv: list[str] | None = None) -> int:
    return command(run, __doc__, argv, add_data_options, add_options, repeats=1, settings="d10,full")


if __name__ == "__main__":
    raise SystemExit(main())
