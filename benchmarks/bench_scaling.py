"""How the time of a fit grows with the rows: the slope of log seconds on log rows.

The one idea: one table is made once and every size is a prefix of it (its rows are shuffled), so only the
number of rows changes. A slope of 1 is linear time; sorting adds a logarithm, 1.1 is the most that is wanted.

    python -m benchmarks.bench_scaling --sizes 10000,100000,1000000
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from benchmarks.apart import Turns
from benchmarks.bench_grow import add_turn_options, peculiar, turns_of
from benchmarks.common import Result, add_run_options, finish, note, parser_of, prepare, settings_of, table
from benchmarks.data import add_data_options, ensure, spec_of
from benchmarks.growth import Growth
from benchmarks.peers import choose, left_out

SIZES = "1000,10000,30000,100000,300000,1000000,4000000"
AIM = 1.1
FROM = 10_000
QUICK = 10_000  # rows up to which there are more turns
PEERS = "hornbeam,sklearn,ydf,orange,lightgbm,xgboost,snapml,catboost"
"""The others are these in another form."""


def slope(rows: list[int], times: list[float]) -> float:
    """The least-squares slope of log time on log rows."""
    return float(np.polyfit(np.log(rows), np.log(times), 1)[0])


def sizes_of(args: argparse.Namespace) -> list[int]:
    sizes = sorted({int(size) for size in args.sizes.split(",")})
    if len(sizes) < 2:
        raise SystemExit(f"--sizes={args.sizes} must name at least two numbers of rows")
    return sizes


def turns_at(args: argparse.Namespace, rows: int) -> Turns:
    """Five times as many turns where they are over in no time."""
    turns, often = turns_of(args, rows), 5 if rows <= QUICK else 1
    return replace(turns, repeats=often * turns.repeats, slow_repeats=often * turns.slow_repeats)


def run(args: argparse.Namespace) -> Result:
    sizes, peers = sizes_of(args), choose(args.only)
    spec = replace(spec_of(args), rows=sizes[-1])
    ensure(spec, args.cache)
    note(f"scaling: {spec.title}")
    skipped = left_out(args.only)
    lines: list[dict[str, Any]] = []
    growth = Growth(spec, args.cache, peers, turns_of(args, sizes[0]), skipped)
    for size in sizes:
        growth.turns = turns_at(args, size)
        for key, setting in zip(args.settings.split(","), settings_of(args), strict=True):
            lines += [line | {"rows": size} for line in growth.measure(key, setting.label, size)]
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
            large = [x for x in mine if x["rows"] >= FROM]
            large = large if len(large) > 1 else mine
            value = slope([x["rows"] for x in large], [x["best"] for x in large])
            slopes.append({"setting": setting.label, "peer": peer.name, "slope": value})
            at = {x["rows"]: x["best"] for x in mine}
            rows.append([setting.label, peer.name, *(at.get(size) for size in sizes), value])
            if peer.name == "hornbeam" and value > AIM:
                short.append(f"{setting.label}: slope {value:.2f}, at most {AIM} is wanted")
    head = ["setting", "peer", *(f"{size:,}" for size in sizes), "slope"]
    return {
        "benchmark": "scaling",
        "title": f"Time against rows: up to {title}",
        "notes": [
            f"Seconds at each number of rows, and the log-log slope from {FROM:,} rows on (at most {AIM} is"
            " wanted); below that the fixed costs of a call decide.",
            *peculiar(list(dict.fromkeys(x["peer"] for x in lines)), nominal=False),
        ],
        "turns": asdict(turns_of(args, sizes[-1])),
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
    add_turn_options(parser, patience=60.0)
    parser.set_defaults(only=PEERS)
    args = parser.parse_args(argv)
    prepare(args)
    return finish(run(args), args)


if __name__ == "__main__":
    raise SystemExit(main())
