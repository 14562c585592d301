"""Density trees: growing, scoring and pruning, beside scikit-learn's kernel density.

The one idea: both say how likely a held-out row is. The tree's time is that of growing, then next to nothing
for a row; the kernels' is that of every row scored, so they score a few.

    python -m benchmarks.bench_density --rows 1000000 --cols 10
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.apart import Apart, add_turn_options, lines_in_turns, named_in, turns_of
from benchmarks.common import (
    SETTINGS,
    Result,
    command,
    note,
    seconds,
    settings_of,
    table,
)
from benchmarks.data import DataSpec, add_data_options, ensure, load, spec_of

KERNEL_ROWS = 100_000  # kernels learn from at most so many rows
SCORED = 1_000  # and score so many; trees score all that are held out
PRUNED_ROWS = 100_000  # cross-validation grows eleven trees
FIRST = 500  # rows of the fit that is not timed
ESTIMATORS = ("hornbeam", "hornbeam, cross-validated", "sklearn KernelDensity")


class Estimate:
    """One fit of one estimator of densities to four fifths of the rows."""

    def __init__(self, spec: dict[str, Any], cache: str, name: str, setting: str, threads: int) -> None:
        rows = load(DataSpec(**spec), Path(cache)).X
        self.X, self.held, self.own = rows[: -len(rows) // 5], rows[-len(rows) // 5 :], name[0] == "h"
        if not self.own:
            from sklearn.neighbors import KernelDensity

            self.X, self.held = self.X[:KERNEL_ROWS], self.held[:SCORED]
            self.model: Any = KernelDensity(bandwidth="scott")
            return
        import hornbeam as hb

        box = list(zip(rows.min(axis=0).tolist(), rows.max(axis=0).tolist(), strict=True))
        size = SETTINGS[setting]
        limits = {"max_depth": size.max_depth, "min_samples_leaf": size.min_leaf, "support": box}
        if name == "hornbeam":
            self.model = hb.TreeDensity(n_jobs=threads, **limits)
        else:
            self.X = self.X[:PRUNED_ROWS]
            self.model = hb.TreeDensity("cross-validated", random_state=0, n_jobs=threads, **limits)

    def warm(self) -> None:
        self.model.fit(self.X[:FIRST])

    def run(self) -> Any:
        return self.model.fit(self.X)

    def tell(self, model: Any) -> dict[str, Any]:
        took, scores = seconds(lambda: model.score_samples(self.held))
        return {
            "scoring": took / len(self.held),
            "leaves": model.tree_.n_leaves if self.own else None,
            "score": float(np.mean(scores[:SCORED])),
        }


def measure(key: str, args: argparse.Namespace, skipped: list[dict[str, str]]) -> list[dict[str, Any]]:
    """One line for each estimator in one setting."""
    label = SETTINGS[key].label
    given = {"spec": asdict(spec_of(args)), "cache": str(args.cache.resolve()), "setting": key}
    given["threads"] = args.threads
    wanted = [n for n in ESTIMATORS if not args.only or n.split()[0].strip(",") in args.only.split(",")]
    tasks = {name: Apart("benchmarks.bench_density:Estimate", given | {"name": name}) for name in wanted}
    turns = turns_of(args, args.rows)
    failed = named_in(skipped, label, ESTIMATORS[:2])
    return lines_in_turns(tasks, dict.fromkeys(tasks, args.repeats), turns, label, failed)


def run(args: argparse.Namespace) -> Result:
    spec = spec_of(args)
    note(f"density: {spec.title}")
    ensure(spec, args.cache)
    settings_of(args)
    skipped: list[dict[str, str]] = []
    lines = [line for key in args.settings.split(",") for line in measure(key, args, skipped)]
    best = max((line["score"] for line in lines if line["peer"].startswith("hornbeam")), default=-np.inf)
    return {
        "benchmark": "density",
        "title": f"Density trees: {spec.title}",
        "notes": [
            f"Fits on four fifths of the rows (at most {PRUNED_ROWS:,} with cross-validation,"
            f" {KERNEL_ROWS:,} for kernels); the mean log-likelihood is that of {SCORED:,} rows held out."
        ],
        "turns": asdict(turns_of(args, args.rows)),
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
                        *(line["setting"], line["peer"], line["best"], line["scoring"] * 1e6),
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
    return command(run, __doc__, argv, add_data_options, add_turn_options, cols=10, repeats=3, settings="d10")


if __name__ == "__main__":
    raise SystemExit(main())
