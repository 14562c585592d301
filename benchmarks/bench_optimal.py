"""Proven best trees beside other solvers: the same optimum, and the time it took, in one run.

The one idea: every solver gets the same columns of numbers and one thread, in a process of its own, and is
timed by the clock of the processor, so that a busy machine changes little. STreeD takes columns of two
values only, ConTree any numbers.

    python -m benchmarks.bench_optimal                                  # tables that scikit-learn ships
    python -m benchmarks.bench_optimal --data DIR --depths 2 3 --limit 60 --csv results.csv

`--data DIR` adds tables: files with a `tables.json` beside them that names their targets. A column of text
becomes columns of two values, one for each value, for all solvers.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

SOLVERS = ("hornbeam", "contree", "streed")


def scikit_learn_tables() -> list[str]:
    """The names of the tables that scikit-learn ships."""
    return ["sklearn:breast_cancer", "sklearn:wine", "sklearn:iris", "sklearn:digits"]


def data_tables(folder: Path) -> list[str]:
    """The classification tables of a folder."""
    facts = json.loads((folder / "tables.json").read_text())
    return [str(folder / name) for name, fact in facts.items() if fact["task"] == "classification"]


def load(table: str) -> tuple[np.ndarray, np.ndarray]:
    """The numbers and the class of each row; text as columns of zeros and ones."""
    import pandas as pd
    import sklearn.datasets

    import hornbeam as hb

    if table.startswith("sklearn:"):
        X, y = getattr(sklearn.datasets, f"load_{table[8:]}")(return_X_y=True)
        return X.astype(float), np.unique(y, return_inverse=True)[1]
    path = Path(table)
    fact = json.loads((path.parent / "tables.json").read_text())[path.name]
    names = fact.get("header")  # of a file that has none
    frame = hb.read_table(path, **({} if names is None else {"header": False})).data.to_pandas()
    frame.columns = frame.columns if names is None else names
    y = np.unique(frame[fact["target"]].astype(str), return_inverse=True)[1]
    frame = frame.drop(columns=[fact["target"], *fact["drop"]])
    parts = []
    for _, column in frame.items():
        if pd.api.types.is_numeric_dtype(column):
            parts.append(column.to_numpy(float)[:, None])
        else:
            parts.append(pd.get_dummies(column, dtype=float).to_numpy())
    X = np.hstack(parts)
    X = X[:, ~np.isnan(X).all(axis=0)]  # a column of gaps says nothing
    return np.where(np.isnan(X), np.nanmedian(X, axis=0), X), y


def solve(solver: str, X: np.ndarray, y: np.ndarray, depth: int, limit: float) -> dict[str, Any]:
    """What one solver proves, and the seconds of its process."""
    import pandas as pd

    if solver == "hornbeam":
        from hornbeam import TreeClassifier
        from hornbeam.parts import Optimal

        TreeClassifier(search="optimal", max_depth=1).fit(X[:10], y[:10])
        model = TreeClassifier(search=Optimal(time_limit=limit), max_depth=depth, n_jobs=1)
        start = time.process_time()
        model.fit(X, y)
        seconds = time.process_time() - start
        proven = model.certificate_.status == "optimal"
        return {"errors": int(model.certificate_.objective), "proven": proven, "seconds": seconds}
    if solver == "contree":
        from pycontree import ConTree

        peer: Any = ConTree(max_depth=depth, time_limit=limit)
        frame, target = pd.DataFrame(X), pd.Series(y)
    else:
        if not set(np.unique(X)) <= {0.0, 1.0}:
            return {"refused": "columns of more than two values"}
        from pystreed import STreeDClassifier

        peer = STreeDClassifier("accuracy", max_depth=depth, max_num_nodes=2**depth - 1, time_limit=limit)
        frame, target = X.astype(int), y
    start, began = time.process_time(), time.monotonic()
    peer.fit(frame, target)
    seconds, waited = time.process_time() - start, time.monotonic() - began
    errors = int((np.asarray(peer.predict(frame)) != y).sum())
    # Their limits are those of a clock on the wall, which a busy machine reaches early.
    return {"errors": errors, "proven": max(seconds, waited) < 0.98 * limit, "seconds": seconds}


def in_process(solver: str, table: str, depth: int, limit: float) -> dict[str, Any]:
    """`solve` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.bench_optimal", "--one", solver, table, str(depth)]
    done = subprocess.run(
        [*command, "--limit", str(limit)],
        capture_output=True,
        text=True,
        check=False,
        timeout=20 * limit + 60,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        return {"refused": (done.stderr.strip().splitlines() or ["no answer"])[-1]}
    answer: dict[str, Any] = json.loads(lines[-1])
    return answer


def compare(tables: Sequence[str], depths: Sequence[int], limit: float) -> list[dict[str, Any]]:
    """One line for each table and depth, printed as they come."""
    print(
        "| table | rows | columns | depth | errors | " + " | ".join(f"{s} s" for s in SOLVERS) + " | ratio |"
    )
    print("|---" * (6 + len(SOLVERS)) + "|")
    lines = []
    for table in tables:
        X = load(table)[0]
        for depth in depths:
            answers = {solver: in_process(solver, table, depth, limit) for solver in SOLVERS}
            own = answers["hornbeam"]
            line = {"table": Path(table).stem.removeprefix("sklearn:"), "rows": len(X), "columns": X.shape[1]}
            line |= {"depth": depth, "errors": own.get("errors")}
            for solver, answer in answers.items():
                line[solver] = answer.get("seconds") if answer.get("proven") else None
                if answer.get("proven") and own.get("proven") and answer["errors"] != own["errors"]:
                    line["differs"] = f"{solver}: {answer['errors']}"
            peers = [line[solver] for solver in SOLVERS[1:] if line[solver]]
            line["ratio"] = min(peers) / line["hornbeam"] if peers and line["hornbeam"] else None
            cells = [*list(line.values())[:5], *(shown(line[s]) for s in SOLVERS), shown(line["ratio"])]
            print(
                "| " + " | ".join(map(str, cells)) + f" | {line.get('differs', '')}".rstrip(" |") + " |",
                flush=True,
            )
            lines.append(line)
    return lines


def shown(seconds: float | None) -> str:
    """A number of three digits; a dash where there is none."""
    return "-" if seconds is None else f"{seconds:.3g}"


def summary(lines: Sequence[dict[str, Any]]) -> None:
    """The median ratio against each peer at each depth."""
    for depth in sorted({line["depth"] for line in lines}):
        for peer in SOLVERS[1:]:
            here = [line for line in lines if line["depth"] == depth and line[peer] and line["hornbeam"]]
            ratios = [line[peer] / line["hornbeam"] for line in here]
            if ratios:
                middle, least = statistics.median(ratios), min(ratios)
                words = (
                    f"takes a median {middle:.1f} times as long on {len(ratios)} tables (least {least:.1f})"
                )
                print(f"depth {depth}: {peer} {words}")


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table, and write it if asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder with tables.json")
    parser.add_argument("--only", nargs="*", help="tables whose names contain one of these")
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each")
    parser.add_argument("--csv", type=Path, help="where the lines are written")
    parser.add_argument("--one", nargs=3, metavar=("SOLVER", "TABLE", "DEPTH"), help=argparse.SUPPRESS)
    given = parser.parse_args(argv)
    if given.one:
        solver, table, depth = given.one
        print(json.dumps(solve(solver, *load(table), int(depth), given.limit)))
        return
    tables = scikit_learn_tables() + (data_tables(given.data) if given.data else [])
    if given.only:
        tables = [table for table in tables if any(name in table for name in given.only)]
    lines = compare(tables, given.depths, given.limit)
    summary(lines)
    if given.csv:
        with given.csv.open("w", newline="") as file:
            names = ["table", "rows", "columns", "depth", "errors", *SOLVERS, "ratio", "differs"]
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(lines)


if __name__ == "__main__":
    main()
