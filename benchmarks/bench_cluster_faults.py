"""A worker is killed while a tree is grown on dask: what Hornbeam, XGBoost and LightGBM answer then.

    python -m benchmarks.bench_cluster_faults --rows 500000 --limit 120

Two worker processes of one thread each hold the frame; one of them is killed (SIGKILL) after a part of the
time that the undisturbed fit took, and dask starts another in its place. Every trial has a cluster and a
process of its own, so one that hangs harms no other. The answer is compared with the undisturbed one: the
same model, another one, an error, or nothing until the limit.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.bench_beyond_memory import write_rows
from benchmarks.bench_clusters import DEPTH, NAMES

PEERS = {"Hornbeam": "hornbeam", "XGBoost": "xgboost", "LightGBM": "lightgbm"}
MOMENTS = (0.25, 0.5, 0.75)  # parts of the time of the undisturbed fit


def fit_of(peer: str, client: Any, frame: Any) -> Callable[[], str]:
    """What fits one tree, and says its model as text."""
    if peer == "Hornbeam":
        import hornbeam as hb
        from hornbeam.engines import Dask

        return lambda: json.dumps(
            hb.TreeClassifier(max_depth=DEPTH).fit(frame, y="y", engine=Dask(client)).tree_.to_dict()
        )
    from distributed import wait

    X, label = frame[NAMES].persist(), (frame["y"] == "yes").astype("int8").persist()
    wait([X, label])
    if peer == "XGBoost":
        import xgboost.dask as xgb

        boosted = xgb.DaskXGBClassifier(
            n_estimators=1, max_depth=DEPTH, max_bin=256, tree_method="hist", n_jobs=1
        )
        return lambda: json.dumps(boosted.fit(X, label).get_booster().get_dump())
    import lightgbm as lgb

    leaves = lgb.DaskLGBMClassifier(
        n_estimators=1, max_depth=DEPTH, num_leaves=2**DEPTH, max_bin=255, verbose=-1
    )
    return lambda: json.dumps(leaves.fit(X, label).booster_.dump_model()["tree_info"])


def attempt(peer: str, folder: str, moment: float) -> None:
    """One trial in this process; prints how it ended."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster, wait

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        frame = dd.read_parquet(folder).persist()
        wait(frame)
        fit = fit_of(peer, client, frame)
        undisturbed = fit()  # imports on the workers are not timed
        start = time.perf_counter()
        again = fit()
        usual = time.perf_counter() - start
        worker = next(iter(client.run(os.getpid).values()))
        timer = threading.Timer(moment * usual, os.kill, [worker, signal.SIGKILL])
        start = time.perf_counter()
        timer.start()
        try:
            model = fit()
            ended = "the same model" if model == undisturbed else "another model"
        except Exception as error:
            ended = (
                f"{type(error).__name__}: {str(error).splitlines()[0][:120]}" if str(error) else repr(error)
            )
        taken = time.perf_counter() - start
        timer.join()
        told = {"ended": ended, "usual": usual, "seconds": taken, "same twice": undisturbed == again}
        print("told", json.dumps(told), flush=True)
        os._exit(0)  # a cluster that lost a worker in the middle of a fit may wait for it


def trial(peer: str, folder: str, moment: float, limit: float) -> dict[str, Any]:
    """One trial in a process of its own; one that goes on beyond the limit is ended."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.bench_cluster_faults",
        "--attempt",
        peer,
        folder,
        str(moment),
    ]
    run = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )
    try:
        said = run.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        said = ""
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
    told = [line for line in said.splitlines() if line.startswith("told ")]
    if told:
        answer: dict[str, Any] = json.loads(told[-1][5:])
        return answer
    ended = "no answer until the limit" if run.returncode is None or not said else "the process ended"
    return {"ended": ended, "usual": float("nan"), "seconds": limit, "same twice": None}


def main() -> None:
    """Try every peer at every moment, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--limit", type=float, default=180, help="seconds of a trial, its start included")
    parser.add_argument("--attempt", nargs=3, metavar=("PEER", "FOLDER", "MOMENT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.attempt:
        peer, folder, moment = options.attempt
        attempt(peer, folder, float(moment))
        return
    with tempfile.TemporaryDirectory() as folder:
        write_rows(Path(folder), options.rows, 8)
        for peer, package in PEERS.items():
            if find_spec(package) is None:
                print("left out, not installed:", peer)
                continue
            for moment in MOMENTS:
                told = trial(peer, folder, moment, options.limit)
                print(
                    f"{peer:10} killed after {moment:.0%} of {told['usual']:.2f} s: {told['ended']}"
                    f" ({told['seconds']:.1f} s); undisturbed twice the same: {told['same twice']}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
