"""Explanations of single rows, and importances by permutation, of fully grown trees.

The one idea: a fully grown tree is the hardest to explain, as its paths are the longest and most of its
leaves are near every row. CPU time is taken, of which a busy machine takes nothing.

    python -m benchmarks.bench_explain --data DIR
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy.tables import facts_of
from benchmarks.bench_frames import frame_of
from benchmarks.common import Result, command, note, table
from benchmarks.data import add_data_options, load, spec_of

AIMS = {"explain_ms": 5.0, "importance_s": 0.3}
"""For at most 33,000 rows; larger tables have larger trees."""
LARGEST = 33_000
EXPLAINED = 50
"""Rows of a table that are explained, one in a call."""


def run(args: argparse.Namespace) -> Result:
    import pandas as pd

    import hornbeam as hb

    warnings.simplefilter("ignore")  # columns that mislead, in tables that are what they are
    made = load(spec_of(args), args.cache)
    X = pd.DataFrame(np.array(made.X), columns=[f"c{j}" for j in range(args.cols)])
    estimators = {"classes": hb.TreeClassifier, "regression": hb.TreeRegressor}
    lines = [measurement("made", estimators[args.task](), X, pd.Series(np.array(made.y)))]
    for name, about in facts_of(args.data).items() if args.data else ():
        note(f"explain: {name}")
        estimator = estimators["regression" if about["task"] == "regression" else "classes"]()
        lines.append(measurement(Path(name).stem, estimator, *frame_of(args.data / name, about)))
    head = ["table", "rows", "columns", "nodes", "explained and printed, ms", "importance, s"]
    keys = ("table", "rows", "columns", "nodes", "explain_ms", "importance_s")
    return {
        "benchmark": "explain",
        "title": "Explanations and importance",
        "notes": [
            f"CPU time on fully grown trees: the median of {EXPLAINED} rows, each explained and printed as"
            " text in a call of its own, and `hb.importance` on all rows. The real tables are those of a"
            " folder, with `--data DIR`."
        ],
        "measurements": lines,
        "skipped": [],
        "tables": [table("", head, [[line[key] for key in keys] for line in lines])],
        "ahead": [],
        "short": [
            f"{line['table']}: {key} {line[key]:.3g}, the aim is {aim:g}"
            for line in lines
            for key, aim in AIMS.items()
            if line["rows"] <= LARGEST and line[key] > aim
        ],
    }


def measurement(name: str, estimator: Any, X: Any, y: Any) -> dict[str, Any]:
    """CPU milliseconds for one row explained as text, and seconds for the importance of the columns."""
    import hornbeam as hb

    model = estimator.fit(X, y)
    rows = [X.iloc[[i % len(X)]] for i in range(EXPLAINED)]
    str(hb.explain(model, rows[0]))  # what is imported and prepared at the first call
    explained = [cpu_seconds(lambda row=row: str(hb.explain(model, row))) for row in rows]
    return {
        "setting": "fully grown",
        "peer": "hornbeam",
        "table": name,
        "rows": len(X),
        "columns": X.shape[1],
        "nodes": len(model.tree_),
        "explain_ms": 1e3 * statistics.median(explained),
        "importance_s": cpu_seconds(lambda: hb.importance(model, X, y)),
    }


def cpu_seconds(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, help="folder of ARFF and CSV files, with tables.json")


def main(argv: list[str] | None = None) -> int:
    return command(run, __doc__, argv, add_data_options, add_options, rows=20_000, cols=20)


if __name__ == "__main__":
    raise SystemExit(main())
