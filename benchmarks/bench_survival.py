"""Trees of survival times beside scikit-survival's SurvivalTree, by the log-rank statistic.

The one idea: both fit the same rows with the same limits, in processes of their own that take turns, and are
timed in processor seconds, so that what else the machine does matters little. scikit-survival adds up the
statistic anew at every threshold, so its time grows with rows times event times; `--times` says how many
distinct times there are, 0 that all differ. It may live in an environment of its own.

    python -m benchmarks.bench_survival --rows 100000 --times 365 --peer-python env/bin/python
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

DEPTH, LEAST = 5, 20
PACKAGES = ("hornbeam", "hornbeam exponential", "sksurv")


def drawn(rows: int, columns: int, times: int, seed: int = 0) -> tuple[Any, Any, Any]:
    """A table whose first three columns change the hazard, with times and events; a third is censored."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    hazard = np.exp(X[:, 0] - 0.5 * X[:, 1] * X[:, 2])
    death, end = rng.exponential(1 / hazard), rng.exponential(2.0, rows)
    observed = np.minimum(death, end)
    if times:
        edges = np.quantile(observed, np.linspace(0, 1, times + 1)[1:])
        observed = 1.0 + np.minimum(np.searchsorted(edges, observed), times - 1)
    return X, observed, death <= end


def fit_of(package: str, threads: int) -> Any:
    """A function that fits a table and says how many leaves the tree has."""
    limits = {"max_depth": DEPTH, "min_samples_leaf": LEAST, "min_samples_split": 2 * LEAST}
    if package == "sksurv":
        from sksurv.tree import SurvivalTree
        from sksurv.util import Surv

        def fit_peer(X: Any, observed: Any, event: Any) -> int:
            model = SurvivalTree(random_state=0, **limits).fit(X, Surv.from_arrays(event, observed))
            return int((model.tree_.children_left < 0).sum())

        return fit_peer
    import hornbeam as hb

    criterion = "exponential" if package.endswith("exponential") else "log-rank"

    def fit(X: Any, observed: Any, event: Any) -> int:
        model = hb.TreeSurvival(criterion, n_jobs=threads, **limits).fit(X, (observed, event))
        return int(model.tree_.n_leaves)

    return fit


def measure(package: str, rows: int, columns: int, times: int, threads: int) -> dict[str, Any]:
    """Processor and wall seconds of one fit, after a small one."""
    table = drawn(rows, columns, times)
    fit = fit_of(package, threads)
    fit(*drawn(500, columns, times))
    wall, processor = time.perf_counter(), time.process_time()
    leaves = fit(*table)
    return {
        "package": package,
        "cpu": time.process_time() - processor,
        "wall": time.perf_counter() - wall,
        "leaves": leaves,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--times", type=int, default=365, help="distinct times; 0: all differ")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peer-python", default=sys.executable, help="Python that has scikit-survival")
    parser.add_argument("--only", choices=PACKAGES, help="measure one package once and print JSON")
    options = parser.parse_args()
    size = (options.rows, options.columns, options.times, options.threads)
    if options.only:
        print(json.dumps(measure(options.only, *size)))
        return
    results: dict[str, list[dict[str, Any]]] = {package: [] for package in PACKAGES}
    for _ in range(options.repeats):
        for package in PACKAGES:
            python = options.peer_python if package == "sksurv" else sys.executable
            names = ("rows", "columns", "times", "threads")
            given = [f"--{name}={value}" for name, value in zip(names, size, strict=True)]
            line = [python, str(Path(__file__)), f"--only={package}", *given]
            done = subprocess.run(line, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{package}: {done.stderr.strip().splitlines()[-1]}")
                continue
            results[package].append(json.loads(done.stdout))
    own = statistics.median(one["cpu"] for one in results["hornbeam"])
    print(f"{options.rows:,} rows, {options.columns} columns, {options.times or 'all'} distinct times")
    for package, runs in results.items():
        if runs:
            cpu = statistics.median(one["cpu"] for one in runs)
            wall = statistics.median(one["wall"] for one in runs)
            leaves = f"{runs[0]['leaves']} leaves"
            print(f"{package:<22} {cpu:9.3f} s CPU  {wall:9.3f} s  {cpu / own:8.1f} x  {leaves}")


if __name__ == "__main__":
    main()
