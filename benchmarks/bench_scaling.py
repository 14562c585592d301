"""How the time of a fit grows with the rows: the slope of log seconds on log rows.

The one idea: one table is made once and every size is a prefix of it (its rows are shuffled), so only the
number of rows changes. A slope of 1 is linear time; sorting adds a logarithm, 1.1 is the most that is wanted.

    python -m benchmarks.bench_scaling --sizes 10000,100000,1000000
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.bench_grow import job_of, measure
from benchmarks.common import Result, add_run_options, finish, note, parser_of, prepare, settings_of, table
from benchmarks.data import Data, add_data_options, load, spec_of
from benchmarks.peers import choose

SIZES = "10000,30000,100000,300000,1000000,4000000"
AIM = 1.1


def slope(rows: list[int], times: list[float]) -> float:
    """The least-squares slope of log time on log rows."""
    return float(np.polyfit(np.log(rows), np.log(times), 1)[0])


def sizes_of(args: argparse.Namespace) -> list[int]:
    sizes = sorted({int(size) for size in args.sizes.split(",")})
    if len(sizes) < 2:
        raise SystemExit(f"--sizes={args.sizes} must name at least two numbers of rows")
    return sizes


def run(args: argparse.Namespace) -> Result:
    sizes, peers = sizes_of(args), choose(args.only)
    spec = replace(spec_of(args), rows=sizes[-1])
    whole = load(spec, args.cache)
    note(f"scaling: {spec.title}")
    skipped: list[dict[str, str]] = []
    lines: list[dict[str, Any]] = []
    for size in sizes:
        slow = 1 if size >= 500_000 else args.repeats
        part = Data(np.ascontiguousarray(whole.X[:size]), whole.y[:size], whole.nominal)
        for setting in settings_of(args):
            job = job_of(replace(spec, rows=size), part, setting, args.threads)
            found = measure(part, job, setting.label, peers, (args.repeats, slow), skipped)
            lines += [line | {"rows": size} for line in found]
    return result_of(args, spec.title, sizes, lines, skipped)


def result_of(
    args: argparse.Namespace, title: str, sizes: list[int], lines: list[Any], skipped: list[dict[str, str]]
) -> Result:
    """The slopes and their table."""
    slopes, rows, short = [], [], []
    for setting in settings_of(args):
        for peer in choose(args.only):
            mine = [x for x in lines if x["peer"] == peer.name and x["setting"] == setting.label]
            if len(mine) < 2:
                continue
            value = slope([x["rows"] for x in mine], [x["best"] for x in mine])
            slopes.append({"setting": setting.label, "peer": peer.name, "slope": value})
            at = {x["rows"]: x["best"] for x in mine}
            rows.append([setting.label, peer.name, *(at.get(size) for size in sizes), value])
            if peer.name == "hornbeam" and value > AIM:
                short.append(f"{setting.label}: slope {value:.2f}, at most {AIM} is wanted")
    head = ["setting", "peer", *(f"{size:,}" for size in sizes), "slope"]
    return {
        "benchmark": "scaling",
        "title": f"Time against rows: up to {title}",
        "notes": [f"Seconds at each number of rows, and the log-log slope (at most {AIM} is wanted)."],
        "measurements": lines,
        "slopes": slopes,
        "skipped": skipped,
        "tables": [table("", head, rows)],
        "ahead": ahead(lines),
        "short": short,
    }


def ahead(lines: list[dict[str, Any]]) -> list[str]:
    """A sentence for each peer and size that was faster than Hornbeam."""
    return [
        f"{line['peer']} by {1 / line['ratio']:.2f}x at {line['rows']:,} rows, {line['setting']}"
        for line in lines
        if line["ratio"] is not None and line["ratio"] < 1
    ]


def main(argv: list[str] | None = None) -> int:
    parser = parser_of("bench_scaling", __doc__)
    add_data_options(parser)
    add_run_options(parser, repeats=3)
    parser.add_argument(
        "--sizes", default=SIZES, help="numbers of rows, comma-separated (--rows is not used)"
    )
    parser.set_defaults(only="hornbeam")
    args = parser.parse_args(argv)
    prepare(args)
    return finish(run(args), args)


if __name__ == "__main__":
    raise SystemExit(main())
