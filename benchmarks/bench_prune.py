"""What pruning costs: every method against the growth of the tree it prunes.

The one idea: the table is noise with some signal, so the tree has many leaves (about 100,000 of 600,000 rows)
and pruning has something to do. Two thirds of the rows grow it; the others are the second sample.

    python -m benchmarks.bench_prune --rows 900000
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.common import (
    Result,
    alternate,
    command,
    failures_to,
    note,
    table,
    times_text,
)

GROW = "grow"
AIM = 1.0  # times the growth


def samples(rows: int, cols: int, seed: int, task: str) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """The rows to grow on and the rows to prune on."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, cols)).astype(np.float32)
    signal = X[:, 0] + X[:, 1] * X[:, 2 % cols] + rng.normal(0, 1.5, rows)
    y = (signal > 0).astype(np.int64) if task == "classes" else np.round(signal, 1)
    n = 2 * rows // 3
    return (X[:n], y[:n]), (X[n:], y[n:])


def calls_for(model: Any, grown: tuple[Any, Any], held: tuple[Any, Any]) -> dict[str, Callable[[], Any]]:
    """A pruning by each method that has a meaning for the model's target."""
    import hornbeam as hb
    from hornbeam.parts import SRM, ChiSquare, ErrorBased, Penalised

    real = isinstance(model, hb.TreeRegressor)
    found: dict[str, Callable[[], Any]] = {
        "penalised": lambda: hb.prune(model, Penalised(5.0)),
        "reduced-error": lambda: hb.prune(model, "reduced-error", *held),
        "validation": lambda: hb.prune(model, "validation", *held),
        "replace-by-child": lambda: hb.prune(model, "replace-by-child", *held, training=grown),
        "simplify": lambda: hb.teaching.simplify(model),
    }
    if not real:
        found["chi-square"] = lambda: hb.prune(model, ChiSquare())
        found["srm"] = lambda: hb.prune(model, SRM(factor=0.1))
        found["error-based"] = lambda: hb.prune(model, "error-based", *grown)
        found["error-based, no raising"] = lambda: hb.prune(model, ErrorBased(raising=False))
    return found


def run(args: argparse.Namespace) -> Result:
    import hornbeam as hb

    skipped: list[dict[str, str]] = []
    lines: list[dict[str, Any]] = []
    for task, estimator in (("classes", hb.TreeClassifier), ("real", hb.TreeRegressor)):
        note(f"prune: {args.rows:,} x {args.cols}, {task}")
        grown, held = samples(args.rows, args.cols, args.seed, task)
        model = estimator(n_jobs=args.threads).fit(*grown)
        fit = estimator(n_jobs=args.threads).fit
        calls = {GROW: lambda fit=fit, grown=grown: fit(*grown)} | calls_for(model, grown, held)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # small expected counts are no matter here
            times, models = alternate(calls, dict.fromkeys(calls, args.repeats), failures_to(skipped, task))
        growth = min(times[GROW])
        for name, taken in times.items():
            ratio, leaves = min(taken) / growth, models[name].tree_.n_leaves
            line = {"peer": "hornbeam", "setting": task, "method": name, "seconds": taken}
            lines.append(line | {"ratio": ratio, "leaves": leaves})
            note(f"  {task}: {name} {ratio:.2f}x the growth, {leaves:,} leaves")
    rows = [
        [line["setting"], line["method"], min(line["seconds"]), times_text(line["ratio"]), line["leaves"]]
        for line in lines
    ]
    return {
        "benchmark": "prune",
        "title": f"What pruning costs: {args.rows:,} rows x {args.cols}, two thirds to grow on",
        "notes": [f"Each method's time over that of growing the tree it prunes, {args.repeats} turns."],
        "measurements": lines,
        "skipped": skipped,
        "tables": [table("", ["target", "method", "seconds", "time / growth", "leaves"], rows)],
        "ahead": [],
        "short": [
            f"{line['method']}, {line['setting']}: {line['ratio']:.2f}x the growth, more than the aim"
            for line in lines
            if line["method"] != GROW and line["ratio"] > AIM
        ],
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=900_000)
    parser.add_argument("--cols", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cache", help="taken as by the other benchmarks; this table is made in a second")


def main(argv: list[str] | None = None) -> int:
    return command(run, __doc__, argv, add_options, repeats=3)


if __name__ == "__main__":
    raise SystemExit(main())
