"""What a tree costs on a cluster that is not at hand: parts measured on this machine, and their sum.

    python -m benchmarks.estimate_clusters

Two dask workers of one thread grow trees of depth 8 of small frames. A fit is taken to cost

    seconds = passes * delay + (row + cell * columns) * rows / workers

The delay is that of passes over next to no rows; what a row and a cell cost is what two larger frames, of 20
and of 40 columns, take beyond it. What follows for a frame of twice the rows and 60 columns is compared with
what that takes here; then the same sum is done for 1,000,000,000 rows and 100 columns, with what the answers
weigh on the way to the driver.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.bench_beyond_memory import write_rows
from hornbeam.engines import Dask, dask, far_rows

DEPTH = 8
NETWORK = 1e9  # bytes a second between machines, of 10 Gbit/s
MERGED = 16  # answers that one process merges at a time


def measured(client: Any, n_rows: int, n_columns: int, repeats: int) -> dict[str, float]:
    """Medians of some fits: seconds, passes, bytes of the answers, and the shortest pass."""
    import dask.dataframe as dd
    from distributed import wait

    import hornbeam as hb

    ask, passes = dask._DaskParts.map_reduce, []

    def timed(*args: Any) -> bytes:
        start = time.perf_counter()
        answer = ask(*args)
        passes.append((time.perf_counter() - start, len(answer)))
        return answer

    limits = {
        "fetch_rows": max(1, n_rows // 256),
        "fetch_bytes": 10**9,
        "answer_bytes": 10**9,
        "n_searches": 8,
    }
    kept, far_rows.FarRows._limits = far_rows.FarRows._limits, lambda _: limits
    dask._DaskParts.map_reduce = timed
    taken = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            write_rows(Path(folder), n_rows, 4, n_columns)
            frame = dd.read_parquet(folder).persist()
            wait(frame)
            for _ in range(repeats + 1):
                passes.clear()
                start = time.perf_counter()
                hb.TreeClassifier(max_depth=DEPTH).fit(frame, y="y", engine=Dask(client))
                seconds = time.perf_counter() - start
                taken.append(
                    (seconds, len(passes), sum(size for _, size in passes), min(own for own, _ in passes))
                )
    finally:
        far_rows.FarRows._limits, dask._DaskParts.map_reduce = kept, ask
    each = [statistics.median(values) for values in zip(*taken[1:], strict=True)]
    return dict(zip(("seconds", "passes", "bytes", "delay"), each, strict=True))


def main() -> None:
    """Measure, compare, and add up."""
    from distributed import Client, LocalCluster

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rows", type=int, default=1_000_000, help="of the frame that says what a cell costs"
    )
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster) as client:
        few = measured(client, 4_000, 20, options.repeats)
        delay = few["seconds"] / few["passes"]
        each = []  # what a row of a frame costs a worker
        for n_columns in (20, 40):
            some = measured(client, options.rows, n_columns, options.repeats)
            each.append((some["seconds"] - some["passes"] * delay) * 2 / options.rows)
        cell = (each[1] - each[0]) / 20
        row = each[0] - 20 * cell
        print(
            f"a pass over next to no rows: {1000 * delay:.1f} ms, the shortest {1000 * few['delay']:.1f} ms"
        )
        print(f"a row costs a worker {1e9 * row:.0f} ns, and {1e9 * cell:.0f} ns more for each column")
        other = measured(client, 2 * options.rows, 60, options.repeats)
        told = other["passes"] * delay + (row + 60 * cell) * options.rows
        print(
            f"{2 * options.rows:,} x 60 with {other['passes']:.0f} passes: estimated {told:.2f} s, measured"
            f" {other['seconds']:.2f} s ({told / other['seconds'] - 1:+.0%})"
        )
        weight = other["bytes"] * 100 / 60
        for workers in (16, 64):
            rounds = 1 + (workers > MERGED)
            shipping = rounds * MERGED * weight / NETWORK
            computing = (row + 100 * cell) * 1e9 / workers
            waiting = other["passes"] * delay
            print(
                f"1,000,000,000 x 100 on {workers} workers: computing {computing:,.0f} s, answers of"
                f" {weight / 1e6:,.0f} MB from each {shipping:.0f} s, delays {waiting:.0f} s:"
                f" {(computing + shipping + waiting) / 60:.0f} minutes"
            )


if __name__ == "__main__":
    main()
