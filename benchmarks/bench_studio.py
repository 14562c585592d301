"""How long a person waits in the studio: opening a table, candidates, a dragged cut, a step, a split.

The one idea: the requests that a page sends, sent to a server in a process of its own, over the network;
each is compared with what a person takes for immediate. A table is opened anew in every repetition, so that
nothing is remembered.

    python -m benchmarks.bench_studio --rows 100000 --cols 50
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Result, command, note, table
from benchmarks.data import add_data_options

AIMS = {"candidates": 300, "candidates below": 300, "dragged cut": 50, "step": 150, "next step": 150}
AIMS |= {"split by hand": 150, "undo": 150}  # milliseconds
AIMED_ROWS = 100_000  # a larger table has to open, and takes longer
LETTERS = np.array(list("abcdefgh"))


def write_table(path: Path, rows: int, cols: int, seed: int) -> None:
    """A CSV file: four of five columns are numbers of four decimals, the fifth has eight values."""
    import pyarrow as pa
    import pyarrow.csv

    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    score = rng.normal(size=rows)
    for k in range(cols):
        if k % 5 == 4:
            codes = rng.integers(0, 8, rows)
            columns[f"c{k}"] = LETTERS[codes]
            score += (codes > 3) * 0.3
        else:
            columns[f"x{k}"] = rng.normal(size=rows).round(4)
            score += columns[f"x{k}"] * (0.5 if k < 6 else 0.05)
    columns["y"] = np.where(score > 0, "yes", "no")
    pyarrow.csv.write_csv(pa.table(columns), path)


class Client:
    """A page that asks a server."""

    def __init__(self, url: str) -> None:
        self.origin, _, token = url.partition("/#t=")
        answer = self._open("/api/enter", {"token": token})
        self.cookie = answer.headers["set-cookie"].partition(";")[0]

    def _open(self, path: str, body: Any = None) -> Any:
        headers = {"content-type": "application/json", "origin": self.origin}
        headers |= {"cookie": self.cookie} if hasattr(self, "cookie") else {}
        data = None if body is None else json.dumps(body).encode()
        return urllib.request.urlopen(urllib.request.Request(self.origin + path, data, headers))

    def ask(self, path: str, body: Any = None) -> Any:
        return json.load(self._open(path, body))


@contextmanager
def server(path: Path) -> Iterator[str]:
    """The address of a studio that runs."""
    start = [sys.executable, "-m", "hornbeam", "studio", str(path), "--target", "y", "--no-browser"]
    with subprocess.Popen(start, cwd=path.parent, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def waits(path: Path, pause: float) -> dict[str, float]:
    """The milliseconds of each request of one session; a person reads for `pause` seconds before each."""
    taken: dict[str, float] = {}

    def timed(name: str, call: Callable[[], Any]) -> Any:
        if taken:
            time.sleep(pause)
        start = time.perf_counter()
        made = call()
        taken[name] = (time.perf_counter() - start) * 1e3
        return made

    began = time.perf_counter()
    with server(path) as url:
        client = Client(url)
        client.ask("/api/session")
        root = client.ask("/api/document")["ids"][0]
        taken["open: command to tree"] = (time.perf_counter() - began) * 1e3
        head = 0

        def edit(**operation: Any) -> Any:
            return client.ask("/api/op", {"base": head, "op": operation})

        timed("candidates", lambda: client.ask(f"/api/node/{root}/candidates"))
        cut = {"op": "split", "node": root, "on": "x1", "at": 0.125}
        timed("dragged cut", lambda: client.ask("/api/preview", {"base": head, "op": cut}))
        made = timed("step", lambda: edit(op="step"))
        head, below = made["revision"], made["document"]["ids"][-1]
        timed("candidates below", lambda: client.ask(f"/api/node/{below}/candidates"))
        head = timed("next step", lambda: edit(op="step"))["revision"]
        leaf = client.ask("/api/document")["ids"][-1]
        head = timed("split by hand", lambda: edit(op="split", node=leaf, on="x1", at=0.25))["revision"]
        timed("undo", lambda: client.ask("/api/undo", {}))
    return taken


def run(args: argparse.Namespace) -> Result:
    note(f"studio: {args.rows:,} x {args.cols}, {args.repeats} sessions")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path, args.rows, args.cols, args.seed)
        sessions = [waits(path, args.pause) for _ in range(args.repeats)]
    lines = []
    aims = AIMS if args.rows <= AIMED_ROWS else {}
    for name in sessions[0]:
        taken = [one[name] / 1e3 for one in sessions]
        lines.append(
            {"setting": name, "peer": "hornbeam", "seconds": taken, "best": min(taken), "aim": aims.get(name)}
        )
    middle = {line["setting"]: statistics.median(line["seconds"]) * 1e3 for line in lines}
    rows = [
        [name, line["best"] * 1e3, middle[name], line["aim"]]
        for name, line in zip(middle, lines, strict=True)
    ]
    size = f"{args.rows:,} x {args.cols}"
    return {
        "benchmark": "studio",
        "title": f"The studio: {size}, 2 classes",
        "notes": [
            f"Milliseconds from a request to its whole answer, {args.repeats} sessions, with {args.pause:g} s"
            " between two requests, in which the server computes what will perhaps be asked next. A quarter"
            " of the rows is held out."
        ],
        "measurements": lines,
        "skipped": [],
        "tables": [table("", ["request", "minimum ms", "median ms", "aim"], rows)],
        "ahead": [],
        "short": [
            f"{line['setting']} takes {line['best'] * 1e3:.0f} ms at {size}, the aim is {line['aim']}"
            for line in lines
            if line["aim"] is not None and line["best"] * 1e3 > line["aim"]
        ],
    }


def _options(parser: argparse.ArgumentParser) -> None:
    add_data_options(parser)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two requests")


def main(argv: list[str] | None = None) -> int:
    return command(run, __doc__, argv, _options, rows=100_000, cols=50, repeats=3)


if __name__ == "__main__":
    raise SystemExit(main())
