"""Saving and loading models: processor time, memory, and what Python's own JSON takes for the same text.

The one idea: one fresh process for each model. It saves and loads, each with the kernel's high-water mark set
back first, and then parses and writes the text by the standard library, which checks nothing and makes no
tree.

    python -m benchmarks.bench_files --leaves 1000,1000000
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.apart import Apart, add_turn_options, in_turns, named_in, turns_of
from benchmarks.bench_memory import peak_bytes, reset_peak, status_bytes
from benchmarks.common import (
    Result,
    command,
    note,
    table,
    times_text,
)

TREES = 100  # of the forest
AIM, AIM_BYTES = 3.0, 0.5e9  # seconds for a tree of a million leaves, and what saving it adds to memory
SOME = 0.2  # seconds that a measurement takes at least, by repeating


def fitted(leaves: int, trees: int, threads: int) -> Any:
    """A regression tree with as many leaves as rows, or a forest of such trees."""
    import hornbeam as hb

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(leaves, 4)), rng.normal(size=leaves)
    model = hb.ForestRegressor(trees, random_state=0, n_jobs=threads) if trees else hb.TreeRegressor()
    return model.fit(X, y)


def processor_seconds(call: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """The least processor time of some calls, and what the first added to what is resident, in bytes."""
    gc.collect()
    reset_peak()
    before = status_bytes("VmRSS") or peak_bytes()
    best, taken, turns, added = float("inf"), 0.0, 0, 0.0
    while turns < repeats or taken < SOME:
        start = time.process_time()
        call()
        best, turns = min(best, time.process_time() - start), turns + 1
        taken += best
        added = added if turns > 1 else float(peak_bytes() - before)
    return best, added


class Files:
    """One model saved and loaded in a process of its own."""

    def __init__(self, leaves: int, trees: int, threads: int, repeats: int) -> None:
        self.given = leaves, trees, threads, repeats

    def warm(self) -> None:
        """Nothing: the memory before it is part of what is measured."""

    def run(self) -> dict[str, Any]:
        return measured(*self.given)

    def tell(self, value: dict[str, Any]) -> dict[str, Any]:
        return value


def measured(leaves: int, trees: int, threads: int, repeats: int) -> dict[str, Any]:
    """Seconds and memory of saving and of loading."""
    import hornbeam as hb

    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "model.json", Path(folder) / "small.json"
        hb.load(hb.save(fitted(10, trees and 2, threads), small))  # what is imported is no part of it
        model = fitted(leaves, trees, threads)
        save, save_added = processor_seconds(lambda: hb.save(model, path), repeats)
        model = None
        load, load_added = processor_seconds(lambda: hb.load(path), repeats)
        data = path.read_bytes()
    json_load, _ = processor_seconds(lambda: json.loads(data), 1)
    document = json.loads(data)
    json_save, _ = processor_seconds(lambda: json.dumps(document).encode(), 1)
    return {
        "save": save,
        "load": load,
        "save_added": save_added,
        "load_added": load_added,
        "json_save": json_save,
        "json_load": json_load,
        "bytes": len(data),
    }


def run(args: argparse.Namespace) -> Result:
    sizes = [int(size) for size in args.leaves.split(",")]
    orders = [(f"{size:,} leaves", size, 0) for size in sizes]
    orders.append((f"{TREES} trees of about {args.forest * 5 // 8:,} leaves", args.forest, TREES))
    lines, turns = [], turns_of(args, 0)
    for name, size, trees in orders:
        given = {"leaves": size, "trees": trees, "threads": args.threads, "repeats": args.repeats}
        task = {"hornbeam": Apart("benchmarks.bench_files:Files", given)}
        _, facts = in_turns(task, {"hornbeam": 1}, turns, named_in([], name))
        line = facts["hornbeam"]
        lines.append({"setting": name, "peer": "hornbeam", "size": 0 if trees else size, **line})
        note(f"  {name}: saved in {line['save']:.4g} s, loaded in {line['load']:.4g} s")
    head = [
        "model",
        "file MB",
        "save s",
        "load s",
        "save / json",
        "load / json",
        "save adds MB",
        "load adds MB",
    ]
    rows = [
        [
            *(x["setting"], x["bytes"] / 1e6, x["save"], x["load"]),
            *(times_text(x["save"] / x["json_save"]), times_text(x["load"] / x["json_load"])),
            *(x["save_added"] / 1e6, x["load_added"] / 1e6),
        ]
        for x in lines
    ]
    return {
        "benchmark": "files",
        "title": "Saving and loading models",
        "notes": [
            "Regression trees of noise. Seconds of the processor, and the peak of memory above what was"
            " resident before. The ratios are to `json.dumps` and `json.loads` of the same document, which"
            " make no tree and check nothing.",
        ],
        "measurements": lines,
        "skipped": [],
        "tables": [table("", head, rows)],
        "ahead": [],
        "short": [
            f"a tree of {x['setting']} is {what} in {x[key]:.1f} s, the aim is {AIM * x['size'] / 1e6:.2g} s"
            for x in lines
            for what, key in (("saved", "save"), ("loaded", "load"))
            if x["size"] >= 1e5 and x[key] > AIM * x["size"] / 1e6
        ]
        + [
            f"saving a tree of {x['setting']} adds {x['save_added'] / 1e9:.2f} GB, the aim is"
            f" {AIM_BYTES * x['size'] / 1e15:.2g} GB"
            for x in lines
            if x["size"] >= 1e6 and x["save_added"] > AIM_BYTES * x["size"] / 1e6
        ],
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--leaves", default="100,1000,100000,1000000", help="sizes of trees, comma-separated")
    parser.add_argument("--forest", type=int, default=500, help="rows of the forest")
    parser.add_argument("--cache", help="not used: the models are grown on noise")


def main(argv: list[str] | None = None) -> int:
    return command(run, __doc__, argv, add_turn_options, add_options, repeats=3, patience=600.0)


if __name__ == "__main__":
    raise SystemExit(main())
