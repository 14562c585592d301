"""Nominal columns: fully grown trees beside YDF's; how time grows with their values says `bench_scaling`.

The one idea: processor seconds of one thread, which a busy machine changes little.

    python -m benchmarks.bench_nominal --only hornbeam
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from benchmarks.apart import Apart, add_turn_options, lines_in_turns, named_in, turns_of
from benchmarks.common import (
    SETTINGS,
    Result,
    command,
    note,
    table,
    times_text,
)
from benchmarks.peer import Array, Job
from benchmarks.peers import PEERS

AIM = 1.0  # YDF's time over Hornbeam's
COLUMNS = 10
FIRST = 500  # rows of the fit that is not timed


def draw(rows: int, values: list[int], classes: int) -> tuple[Array, Array]:
    """Nominal columns of so many values, all of which shift a score; classes of it of equal size."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(n, size=rows) for n in values])
    score = rng.standard_normal(rows)
    for j, n in enumerate(values):
        score += 0.5 * rng.standard_normal(n)[X[:, j]]
    edges = np.quantile(score, np.arange(1, classes) / classes)
    return X.astype(np.float64), np.searchsorted(edges, score)


class Fit:
    """One tree of nominal columns, grown by one peer with one thread."""

    def __init__(self, peer: str, rows: int, values: list[int], classes: int, setting: str) -> None:
        size = SETTINGS[setting]
        nominal = tuple(range(len(values)))
        job = Job(
            "classes", classes, rows, size.max_depth, size.min_leaf, 1, nominal=nominal, cols=len(values)
        )
        self.peer, (X, self.y) = PEERS[peer](job), draw(rows, values, classes)
        self.first, self.X = self.peer.prepare(X[:FIRST]), self.peer.prepare(X)

    def warm(self) -> None:
        self.peer.fit(self.first, self.y[:FIRST])

    def run(self) -> Any:
        return self.peer.fit(self.X, self.y)

    def tell(self, model: Any) -> dict[str, Any]:
        return {"leaves": self.peer.leaves(model)}


def measure(
    peers: list[str], given: dict[str, Any], args: argparse.Namespace, skipped: list[dict[str, str]]
) -> list[dict[str, Any]]:
    """One line for each peer."""
    tasks = {name: Apart("benchmarks.bench_nominal:Fit", given | {"peer": name}) for name in peers}
    label = f"{given['rows']:,} rows"
    turns = replace(turns_of(args, given["rows"]), clock="processor")
    failed = named_in(skipped, label)
    lines = lines_in_turns(tasks, dict.fromkeys(tasks, args.repeats), turns, label, failed)
    return [given | line for line in lines]


def beside_ydf(args: argparse.Namespace, skipped: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Fully grown trees of 10 columns of 10 to 100 values, five classes."""
    values = np.random.default_rng(0).integers(10, 101, COLUMNS).tolist()
    wanted = [n for n in ("hornbeam", "ydf") if args.only is None or n in args.only.split(",")]
    lines = []
    for rows in args.sizes:
        given = {"rows": rows, "values": values, "classes": 5, "setting": "full"}
        lines += measure(wanted, given, args, skipped)
    return lines


def run(args: argparse.Namespace) -> Result:
    note("nominal")
    skipped: list[dict[str, str]] = []
    beside = beside_ydf(args, skipped)
    head = ["rows", "peer", "seconds", "time / Hornbeam's", "leaves"]
    rows = [
        [line["rows"], line["peer"], line["best"], times_text(line["ratio"]), line["leaves"]]
        for line in beside
    ]
    ratios = {line["rows"]: line["ratio"] for line in beside if line["peer"] == "ydf" and line["ratio"]}
    return {
        "benchmark": "nominal",
        "title": "Nominal columns",
        "notes": [
            "Minimum processor seconds of one thread, from a ready array to the finished tree.",
            f"Other trees: ydf {PEERS['ydf'].grows}.",
        ],
        "turns": asdict(turns_of(args, max(args.sizes))) | {"threads": 1},
        "measurements": beside,
        "skipped": skipped,
        "tables": [
            table(f"Fully grown, 5 classes, {COLUMNS} columns of 10 to 100 values", head, rows),
        ],
        "ahead": [f"ydf by {1 / r:.2f}x at {n:,} rows" for n, r in ratios.items() if r < 1],
        "short": [f"{n:,} rows: {r:.2f}x of {AIM:.2f}x" for n, r in ratios.items() if r < AIM],
    }


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sizes", type=numbers, default=[2_000, 20_000, 100_000], help="rows of the tables beside YDF"
    )
    parser.add_argument("--cache", help="not used: the tables are drawn in a moment")


def main(argv: list[str] | None = None) -> int:
    return command(run, __doc__, argv, add_options, add_turn_options, repeats=3)


if __name__ == "__main__":
    raise SystemExit(main())
