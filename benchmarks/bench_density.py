"""Density trees: growing, scoring and pruning, beside scikit-learn's kernel density.

The one idea: both say how likely a held-out row is. The tree's time is that of growing, then next to nothing
for a row; the kernels' is that of every row scored, so they score a few.

    python -m benchmarks.bench_density --rows 1000000 --cols 10
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from benchmarks.common import (
    Result,
    add_run_options,
    alternate,
    failures_to,
    finish,
    note,
    parser_of,
    prepare,
    seconds,
    settings_of,
    table,
)
from benchmarks.data import add_data_options, load, spec_of

KERNEL_ROWS = 100_000  # kernels learn from at most so many rows
SCORED = 1_000  # and score so many; trees score all that are held out
PRUNED_ROWS = 100_000  # cross-validation grows eleven trees


def calls_of(X: Any, box: Any, setting: Any, threads: int) -> dict[str, Any]:
    """What is fitted."""
    from sklearn.neighbors import KernelDensity

    import hornbeam as hb

    limits = {"max_depth": setting.max_depth, "min_samples_leaf": setting.min_leaf, "support": box}
    pruned = hb.TreeDensity("cross-validated", random_state=0, n_jobs=threads, **limits)
    return {
        "hornbeam": lambda: hb.TreeDensity(n_jobs=threads, **limits).fit(X),
        "hornbeam, cross-validated": lambda: pruned.fit(X[:PRUNED_ROWS]),
        "sklearn KernelDensity": lambda: KernelDensity(bandwidth="scott").fit(X[:KERNEL_ROWS]),
    }


def run(args: argparse.Namespace) -> Result:
    spec = spec_of(args)
    note(f"density: {spec.title}")
    rows = load(spec, args.cache).X
    box = list(zip(rows.min(axis=0).tolist(), rows.max(axis=0).tolist(), strict=True))
    X, held = rows[: -len(rows) // 5], rows[-len(rows) // 5 :]
    skipped: list[dict[str, str]] = []
    lines: list[dict[str, Any]] = []
    for setting in settings_of(args):
        calls = calls_of(X, box, setting, args.threads)
        if args.only:
            calls = {name: call for name, call in calls.items() if name.split()[0].strip(",") in args.only}

        times, models = alternate(
            calls, dict.fromkeys(calls, args.repeats), failures_to(skipped, setting.label)
        )
        for name, taken in times.items():
            some = held if name.startswith("hornbeam") else held[:SCORED]
            took, scores = seconds(lambda model=models[name], some=some: model.score_samples(some))
            tree = models[name].tree_ if name.startswith("hornbeam") else None
            line = {"peer": name, "setting": setting.label, "seconds": taken, "scoring": took / len(some)}
            line |= {
                "leaves": None if tree is None else tree.n_leaves,
                "score": float(np.mean(scores[:SCORED])),
            }
            lines.append(line)
            note(f"  {setting.label}: {name} {min(taken):.3g} s")
    best = max((line["score"] for line in lines if line["peer"].startswith("hornbeam")), default=-np.inf)
    return {
        "benchmark": "density",
        "title": f"Density trees: {spec.title}",
        "notes": [
            f"Fits on four fifths of the rows (at most {PRUNED_ROWS:,} with cross-validation,"
            f" {KERNEL_ROWS:,} for kernels); the mean log-likelihood is that of {SCORED:,} rows held out."
        ],
        "measurements": lines,
        "skipped": skipped,
        "tables": [
            table(
                "",
                [
                    "setting",
                    "estimator",
                    "fit seconds",
                    "microseconds a row scored",
                    "log-likelihood",
                    "leaves",
                ],
                [
                    [
                        *(line["setting"], line["peer"], min(line["seconds"]), line["scoring"] * 1e6),
                        *(line["score"], line["leaves"]),
                    ]
                    for line in lines
                ],
            )
        ],
        "ahead": [
            f"{line['peer']}: a log-likelihood of {line['score']:.3f} a held-out row, the best tree has"
            f" {best:.3f}"
            for line in lines
            if line["score"] > best
        ],
    }


def main(argv: list[str] | None = None) -> int:
    parser = parser_of("bench_density", __doc__)
    add_data_options(parser)
    add_run_options(parser, repeats=3, settings="d10")
    parser.set_defaults(cols=10)
    args = parser.parse_args(argv)
    prepare(args)
    return finish(run(args), args)


if __name__ == "__main__":
    raise SystemExit(main())
