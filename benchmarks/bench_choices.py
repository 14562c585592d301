"""What other choices cost: gaps, weights and selections, against the plain fit of the same table.

The one idea: every line is Hornbeam's own time over that of Hornbeam's default on the table without gaps,
taken in turns.

    python -m benchmarks.bench_choices --rows 100000
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import (
    Result,
    Setting,
    alternate,
    command,
    failures_to,
    note,
    settings_of,
    table,
    times_text,
)
from benchmarks.data import Data, DataSpec, add_data_options, load, spec_of

GAPS = 0.05
PLAIN = "plain"
AIMS = {"fractional": 3.0}  # times the plain fit, at depth 10 on the full table


def with_gaps(data: Data, seed: int) -> NDArray[Any]:
    """The table with gaps in every second column."""
    rng = np.random.default_rng(seed)
    X = data.X.copy()
    for column in range(0, X.shape[1], 2):
        X[rng.random(len(X)) < GAPS, column] = np.nan
    return X


def fits(spec: DataSpec, data: Data, setting: Setting, threads: int) -> dict[str, Callable[[], Any]]:
    """A fit for each choice."""
    import hornbeam as hb

    make = hb.TreeClassifier if spec.task == "classes" else hb.TreeRegressor
    limits = {"max_depth": setting.max_depth, "min_samples_leaf": setting.min_leaf, "n_jobs": threads}
    gaps = with_gaps(data, spec.seed)
    weights = np.random.default_rng(spec.seed).random(len(data.y))
    found: dict[str, Callable[[], Any]] = {
        PLAIN: lambda: make(**limits).fit(data.X, data.y),
        "weighted": lambda: make(**limits).fit(data.X, data.y, sample_weight=weights),
    }
    for missing in ("learn", "branch", "majority", "fractional"):
        found[missing] = lambda missing=missing: make(missing=missing, **limits).fit(gaps, data.y)
    if spec.task == "classes":
        c45 = {"criterion": "gain-ratio", "selection": "average-gain"} | limits
        found["gain ratio"] = lambda: make("gain-ratio", **limits).fit(data.X, data.y)
        found["average gain"] = lambda: make(**c45).fit(data.X, data.y)
    return found


def run(args: argparse.Namespace) -> Result:
    spec = spec_of(args)
    note(f"choices: {spec.title}")
    data = load(spec, args.cache)
    skipped: list[dict[str, str]] = []
    lines: list[dict[str, Any]] = []
    for setting in settings_of(args):
        calls = fits(spec, data, setting, args.threads)

        times, models = alternate(
            calls, dict.fromkeys(calls, args.repeats), failures_to(skipped, setting.label)
        )
        plain = min(times[PLAIN])
        for name, taken in times.items():
            ratio = min(taken) / plain
            leaves = models[name].tree_.n_leaves
            line = {"peer": "hornbeam", "setting": setting.label, "choice": name, "seconds": taken}
            lines.append(line | {"ratio": ratio, "leaves": leaves})
            note(f"  {setting.label}: {name} {ratio:.2f}x")
    rows = [
        [line["setting"], line["choice"], min(line["seconds"]), times_text(line["ratio"]), line["leaves"]]
        for line in lines
    ]
    return {
        "benchmark": "choices",
        "title": f"What other choices cost: {spec.title}",
        "notes": [
            f"Hornbeam's time over that of its default on the same table, {args.repeats} turns."
            f" The choices of `missing` grow on the table with {GAPS:.0%} gaps in every second column."
        ],
        "measurements": lines,
        "skipped": skipped,
        "tables": [table("", ["setting", "choice", "seconds", "time / plain", "leaves"], rows)],
        "ahead": [],
        "short": [
            f"{line['choice']}, {line['setting']}: {line['ratio']:.2f}x the plain fit, more than the aim"
            for line in lines
            if line["ratio"] > AIMS.get(line["choice"], np.inf)
        ],
    }


def main(argv: list[str] | None = None) -> int:
    return command(run, __doc__, argv, add_data_options, settings="d10")


if __name__ == "__main__":
    raise SystemExit(main())
