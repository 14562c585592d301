"""Fits on a small table, where the fixed costs of a call decide.

The one idea: a small fit is a few milliseconds, so many alternating repetitions are cheap; the minimum is
compared and the median stands beside it.

    python -m benchmarks.bench_small --rows 1000
"""

from __future__ import annotations

import argparse
import statistics
from dataclasses import asdict, replace
from typing import Any

from benchmarks.bench_grow import add_turn_options, turns_of
from benchmarks.common import (
    Result,
    add_run_options,
    finish,
    note,
    parser_of,
    prepare,
    settings_of,
    table,
    times_text,
)
from benchmarks.data import DataSpec, add_data_options, ensure, spec_of
from benchmarks.growth import Growth
from benchmarks.peers import choose, left_out


def tables_to_fit(spec: DataSpec) -> dict[str, DataSpec]:
    """Two classes, five classes and regression of the same size."""
    return {
        "2 classes": replace(spec, task="classes", classes=2),
        "5 classes": replace(spec, task="classes", classes=5),
        "regression": replace(spec, task="regression"),
    }


def run(args: argparse.Namespace) -> Result:
    spec, peers = spec_of(args), choose(args.only)
    note(f"small: {spec.rows:,} x {spec.cols}")
    skipped = left_out(args.only)
    lines: list[dict[str, Any]] = []
    for name, one in tables_to_fit(spec).items():
        ensure(one, args.cache)
        growth = Growth(one, args.cache, peers, turns_of(args, spec.rows), skipped)
        for key, setting in zip(args.settings.split(","), settings_of(args), strict=True):
            found = growth.measure(key, f"{name}, {setting.label}", spec.rows)
            lines += [line | {"median": statistics.median(line["seconds"])} for line in found]
    head = ["setting", "peer", "threads", "minimum ms", "median ms", "time / Hornbeam's", "leaves"]
    rows = [
        [
            *(line["setting"], line["peer"], line["threads"], line["best"] * 1e3, line["median"] * 1e3),
            *(times_text(line["ratio"]), line["leaves"]),
        ]
        for line in lines
    ]
    behind = [line for line in lines if line["ratio"] is not None and line["ratio"] < 1]
    return {
        "benchmark": "small",
        "title": f"Small fits: {spec.rows:,} x {spec.cols} {spec.dtype}",
        "notes": [f"Milliseconds for one fit, {args.repeats} alternating repetitions."],
        "turns": asdict(turns_of(args, spec.rows)),
        "measurements": lines,
        "skipped": skipped,
        "tables": [table("", head, rows)],
        "ahead": [f"{line['peer']} by {1 / line['ratio']:.2f}x, {line['setting']}" for line in behind],
        "short": [
            f"{line['setting']}: slower than scikit-learn" for line in behind if line["peer"] == "sklearn"
        ],
    }


def main(argv: list[str] | None = None) -> int:
    parser = parser_of("bench_small", __doc__)
    add_data_options(parser, rows=1000)
    add_run_options(parser, repeats=30)
    add_turn_options(parser)
    args = parser.parse_args(argv)
    prepare(args)
    return finish(run(args), args)


if __name__ == "__main__":
    raise SystemExit(main())
