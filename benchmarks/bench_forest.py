"""Forests side by side with scikit-learn: the same settings, the same threads, the same out-of-bag error.

The one idea: a forest is many fits of one table, so what counts is the whole call, from the array to the last
tree; the out-of-bag errors of both say that the forests are worth the same.

    python -m benchmarks.bench_forest --rows 20000 --trees 10
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.common import (
    Result,
    Setting,
    add_run_options,
    alternate,
    failures_to,
    finish,
    note,
    parser_of,
    prepare,
    settings_of,
    table,
    times_text,
)
from benchmarks.data import Data, DataSpec, add_data_options, load, spec_of

AIM = 5.0  # times scikit-learn, fully grown on 100,000 rows


def settings_for(spec: DataSpec, setting: Setting, args: argparse.Namespace) -> dict[str, Any]:
    """What both forests are told; their names for it are the same."""
    return {
        "n_estimators": args.trees,
        "max_depth": setting.max_depth,
        "min_samples_leaf": setting.min_leaf,
        "max_features": "sqrt" if spec.task == "classes" else 1 / 3,
        "n_jobs": args.threads,
        "random_state": spec.seed,
    }


def fits(spec: DataSpec, data: Data, told: dict[str, Any], only: list[str]) -> dict[str, Callable[..., Any]]:
    """A fit for each peer; `oob` is True where the out-of-bag error is asked for."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    import hornbeam as hb

    classes = spec.task == "classes"
    peers = {
        "sklearn": RandomForestClassifier if classes else RandomForestRegressor,
        "hornbeam": hb.ForestClassifier if classes else hb.ForestRegressor,
    }
    return {
        name: lambda oob=False, make=make: make(**told, oob_score=oob).fit(data.X, data.y)
        for name, make in peers.items()
        if name in only
    }


def error_of(model: Any) -> float:
    """The share of wrong classes, or the unexplained share of the variance."""
    return float(1 - model.oob_score_)


def run(args: argparse.Namespace) -> Result:
    spec = spec_of(args)
    note(f"forests: {spec.title}, {args.trees} trees")
    data = load(spec, args.cache)
    only = args.only.split(",") if args.only else ["sklearn", "hornbeam"]
    skipped: list[dict[str, str]] = []
    lines: list[dict[str, Any]] = []
    for setting in settings_of(args):
        calls = fits(spec, data, settings_for(spec, setting, args), only)

        times, models = alternate(
            calls, dict.fromkeys(calls, args.repeats), failures_to(skipped, setting.label)
        )
        own = min(times.get("hornbeam", [np.nan]))
        for name, taken in times.items():
            models.pop(name, None)
            error = error_of(calls[name](oob=True)) if args.errors else None
            line = {"peer": name, "setting": setting.label, "seconds": taken, "best": min(taken)}
            lines.append(line | {"ratio": min(taken) / own, "error": error})
            note(f"  {setting.label}: {name} {min(taken):.2f} s")
    rows = [
        [line["setting"], line["peer"], line["best"], times_text(line["ratio"]), line["error"]]
        for line in lines
    ]
    slower = [line for line in lines if line["peer"] != "hornbeam"]
    return {
        "benchmark": "forest",
        "title": f"Forests of {args.trees} trees: {spec.title}",
        "notes": [
            f"The same settings and {args.threads} threads for both, {args.repeats} turns. The error is that"
            " of the trees that did not see a row: wrong classes, or the share of the variance not explained."
        ],
        "data": {"rows": spec.rows, "cols": spec.cols, "trees": args.trees},
        "measurements": lines,
        "skipped": skipped,
        "tables": [table("", ["setting", "peer", "seconds", "time / Hornbeam's", "out-of-bag error"], rows)],
        "ahead": [f"{line['peer']}, {line['setting']}" for line in slower if line["ratio"] < 1],
        "short": [
            f"{line['peer']}, {line['setting']}: {line['ratio']:.1f}x, less than the aim of {AIM:g}x"
            for line in slower
            if 1 <= line["ratio"] < AIM and spec.rows >= 100_000
        ],
    }


def main(argv: list[str] | None = None) -> int:
    parser = parser_of("bench_forest", __doc__)
    add_data_options(parser, rows=100_000)
    add_run_options(parser, repeats=2, settings="full")
    parser.add_argument("--trees", type=int, default=100, help="trees of each forest")
    parser.add_argument(
        "--no-errors", dest="errors", action="store_false", help="leave the out-of-bag errors out"
    )
    args = parser.parse_args(argv)
    prepare(args)
    return finish(run(args), args)


if __name__ == "__main__":
    raise SystemExit(main())
