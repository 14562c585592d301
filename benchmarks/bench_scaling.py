"""How the time of a fit grows with rows, columns, classes or levels: the slope of log seconds on log size.

The one idea: everything but one size stays as it is. An exponent of 1 is linear time; sorting adds a
logarithm, 1.1 is the most that is wanted, and where it is more the page says why. Between neighbouring
numbers of rows the cost of a row should never rise by more than 1.3 times, so that no size falls off a cliff.

    python -m benchmarks.bench_scaling --over classes --sizes 2,20,200
    python -m benchmarks.bench_scaling --over row-cost --only hornbeam --threads 1 --clock processor
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from benchmarks.apart import Turns, add_turn_options, turns_of
from benchmarks.bench_grow import peculiar
from benchmarks.common import (
    SETTINGS,
    Result,
    command,
    note,
    settings_of,
    table,
    times_text,
)
from benchmarks.data import DataSpec, add_data_options, ensure, spec_of
from benchmarks.growth import Growth
from benchmarks.peers import choose, left_out

AIM, STEP = 1.1, 1.3
SMALL_SECONDS, SMALL_RATIO = 0.006, 3.0
"""Wanted at 10,000 rows, depth 6, one thread: the seconds, and the time of SnapML over Hornbeam's."""
LEVELS_SECONDS = 2.0
"""Wanted of 100,000 levels, whatever the number of classes."""
QUICK = 10_000  # rows up to which there are more turns
PEERS = "hornbeam,sklearn,ydf,orange,lightgbm,xgboost,snapml,catboost"
"""The others are these in another form."""


@dataclass(frozen=True)
class Scale:
    """What grows: a field of `DataSpec`, its sizes, what else is given, from where on the slope is taken."""

    field: str
    axis: str
    sizes: str
    given: dict[str, Any]
    start: int
    why: str = ""


ROWS = "100,200,500,1000,2000,5000,10000,20000,50000,100000,200000,500000,1000000"
SCALES = {
    "rows": Scale(
        "rows",
        "rows of 20 columns",
        "100,1000,10000,100000,1000000,8000000",
        {},
        10_000,
        "A fully grown tree of more rows is deeper, too: each row passes more nodes.",
    ),
    "row-cost": Scale("rows", "rows of 20 columns", ROWS, {}, 10_000),
    "columns": Scale("cols", "columns, 10,000 rows", "10,50,200,1000,5000", {"rows": 10_000}, 10),
    "classes": Scale(
        "classes", "classes, 100,000 rows of 20 columns", "2,5,10,20,50,100,200", {"rows": 100_000}, 2
    ),
    "levels": Scale(
        "levels",
        "levels of one nominal column, 200,000 rows",
        "2,10,100,1000,10000,100000",
        {"rows": 200_000, "cols": 1, "kind": "levels"},
        2,
    ),
}
FEW_AND_MANY = (2, 3, 5, 20)
"""Classes for which the levels of a column are scaled."""


def slope(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The least-squares slope of log time on log size."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def sizes_of(args: argparse.Namespace) -> list[int]:
    sizes = sorted({int(size) for size in (args.sizes or SCALES[args.over].sizes).split(",")})
    if len(sizes) < 2:
        raise SystemExit(f"--sizes={args.sizes} must name at least two sizes")
    return sizes


def turns_at(args: argparse.Namespace, rows: int) -> Turns:
    """Five times as many turns where they are over in no time."""
    turns, often = turns_of(args, rows), 5 if rows <= QUICK else 1
    return replace(turns, repeats=often * turns.repeats, slow_repeats=often * turns.slow_repeats)


def kinds_of(args: argparse.Namespace, spec: DataSpec) -> dict[str, DataSpec]:
    """What is measured over all sizes: words before the setting -> table."""
    if args.over == "levels":
        return {f"{k} classes, ": replace(spec, classes=k) for k in FEW_AND_MANY}
    return {"": spec}


def run(args: argparse.Namespace) -> Result:
    scale, sizes, peers = SCALES[args.over], sizes_of(args), choose(args.only)
    spec = replace(spec_of(args), **scale.given)
    spec = replace(spec, rows=args.scale_rows) if args.scale_rows and scale.field != "rows" else spec
    note(f"scaling: {scale.axis}")
    skipped, lines = left_out(args.only) if args.over != "row-cost" else [], []
    for words, one in kinds_of(args, spec).items():
        growth = Growth(one, args.cache, peers, turns_of(args, one.rows), skipped)
        for size in sizes:
            growth.spec = replace(one, **{scale.field: sizes[-1] if scale.field == "rows" else size})
            ensure(growth.spec, args.cache)  # of rows, every size is a prefix of one table
            rows = size if scale.field == "rows" else one.rows
            growth.turns = turns_at(args, rows)
            for key, setting in zip(args.settings.split(","), settings_of(args), strict=True):
                lines += [x | {"size": size} for x in growth.measure(key, words + setting.label, rows)]
    return result_of(args, scale, sizes, lines, skipped)


def shortfalls(over: str, lines: list[dict[str, Any]]) -> list[str]:
    """A sentence for each time that is longer than wanted."""
    best = {(x["size"], x["setting"], x["peer"]): x["best"] for x in lines}
    said = []
    if over == "rows":
        place = (10_000, SETTINGS["d6"].label)
        own, other = (best.get((*place, peer)) for peer in ("hornbeam", "snapml"))
        if own is not None and own > SMALL_SECONDS:
            said.append(f"10,000 rows, {place[1]}: {own * 1e3:.1f} ms, the aim is {SMALL_SECONDS * 1e3:g} ms")
        if own is not None and other is not None and other < SMALL_RATIO * own:
            said.append(f"10,000 rows, {place[1]}, against snapml: {other / own:.2f}x of {SMALL_RATIO:g}x")
    if over == "levels":
        said += [
            f"{size:,} levels, {setting}: {seconds:.2f} s, the aim is {LEVELS_SECONDS:g} s"
            for (size, setting, peer), seconds in best.items()
            if peer == "hornbeam" and seconds > LEVELS_SECONDS
        ]
    return said


def result_of(
    args: argparse.Namespace,
    scale: Scale,
    sizes: list[int],
    lines: list[dict[str, Any]],
    skipped: list[dict[str, str]],
) -> Result:
    """Seconds by size with their exponents; for rows also what a row costs."""
    rows, short, above = [], [], []
    for setting in dict.fromkeys(line["setting"] for line in lines):
        for peer in choose(args.only):
            at = {x["size"]: x["best"] for x in lines if (x["peer"], x["setting"]) == (peer.name, setting)}
            large = (
                [size for size in at if size >= scale.start] if max(at, default=0) > scale.start else [*at]
            )
            value = slope(large, [at[size] for size in large]) if len(large) > 1 else None
            if at:
                rows.append([setting, peer.name, *(at.get(size) for size in sizes), value])
            if peer.name == "hornbeam" and value is not None and value > AIM:
                short.append(f"{setting}: exponent {value:.2f}, at most {AIM} is wanted")
                above.append(setting)
    short += shortfalls(args.over, lines)
    seconds = table("", ["setting", "peer", *(f"{size:,}" for size in sizes), "exponent"], rows)
    cost, jumps, most = row_cost(sizes, lines)
    notes = [
        f"{args.clock.title()} seconds, {args.threads} thread{'s' * (args.threads > 1)}, at each number of"
        f" {scale.axis}, and the exponent: the slope of log seconds on log size from"
        f" {scale.start:,} on (at most {AIM} is wanted); below that the fixed costs of a call decide.",
        *(
            [f"What a row costs rises by at most {most} from one size to the next (wanted: {STEP})."]
            if args.over == "row-cost"
            else []
        ),
        *([f"Above {AIM} ({'; '.join(above)}): {scale.why}"] if above and scale.why else []),
        *peculiar(list(dict.fromkeys(x["peer"] for x in lines)), nominal=args.over == "levels"),
    ]
    return {
        "benchmark": "scaling",
        "title": title_of(args, scale),
        "axis": scale.axis,
        "notes": notes,
        "turns": asdict(turns_of(args, sizes[-1])),
        "measurements": lines,
        "skipped": skipped,
        "tables": [seconds, *([cost] if args.over == "row-cost" else [])],
        "ahead": ahead(lines),
        "short": short + (jumps if args.over == "row-cost" else []),
    }


def title_of(args: argparse.Namespace, scale: Scale) -> str:
    if args.over == "row-cost":
        return f"What a row costs, {args.threads} thread{'s' * (args.threads > 1)}"
    return f"Time against {scale.axis}"


def row_cost(sizes: list[int], lines: list[dict[str, Any]]) -> tuple[dict[str, Any], list[str], str]:
    """Microseconds a row by size with the rise from the size before, what rises too much, the most."""
    at = {(x["setting"], x["size"]): 1e6 * x["best"] / x["size"] for x in lines if x["peer"] == "hornbeam"}
    settings = list(dict.fromkeys(setting for setting, _ in at))
    rows, jumps, rises = [], [], [1.0]
    for before, size in itertools.zip_longest([None, *sizes[:-1]], sizes):
        cells: list[Any] = [size]
        for setting in settings:
            rise = None if before is None else at[setting, size] / at[setting, before]
            cells += [at[setting, size], times_text(rise)]
            rises.append(rise or 1.0)
            if rise is not None and rise > STEP:
                jumps.append(
                    f"{setting}: a row costs {rise:.2f}x from {before:,} to {size:,} rows, {STEP} is wanted"
                )
        rows.append(cells)
    head = ["rows", *(text for setting in settings for text in (f"{setting}: µs", "rise"))]
    return table("Microseconds a row", head, rows), jumps, f"{max(rises):.2f}x"


def ahead(lines: list[dict[str, Any]]) -> list[str]:
    """A sentence for each peer and size that was faster than Hornbeam, with its leaves where they are few."""
    own = {(x["size"], x["setting"]): x["leaves"] for x in lines if x["peer"] == "hornbeam"}
    said = []
    for line in lines:
        if line["ratio"] is not None and line["ratio"] < 1:
            leaves, mine = line["leaves"], own[line["size"], line["setting"]]
            smaller = leaves is not None and 2 * leaves < mine
            said.append(
                f"{line['peer']} by {1 / line['ratio']:.2f}x at {line['size']:,}, {line['setting']}"
                + (f", leaves of its tree: {leaves:,}, of Hornbeam's: {mine:,}" if smaller else "")
            )
    return said


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--over", choices=tuple(SCALES), default="rows", help="what grows")
    parser.add_argument("--sizes", help="comma-separated (default: those of the page)")
    parser.add_argument("--scale-rows", type=int, help="rows of the table where something else grows")


def main(argv: list[str] | None = None) -> int:
    return command(
        run,
        __doc__,
        argv,
        add_data_options,
        add_turn_options,
        add_options,
        only=PEERS,
        repeats=3,
        patience=60.0,
    )


if __name__ == "__main__":
    raise SystemExit(main())
