"""Criteria of regression side by side with scikit-learn's: Poisson deviance, absolute error.

The one idea: both packages fit the same rows in turns, the target as it is for medians, and as counts drawn
from rates that follow it for Poisson; what a quantile and what kept quantiles cost stands beside them.

    python -m benchmarks.bench_regression --rows 100000
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

PAIRS = {"variance": "squared_error", "poisson": "poisson", "absolute": "absolute_error"}
OWN = ("variance, 3 quantiles kept", "quantile 0.9")  # scikit-learn has none


def counts_of(data: Data, seed: int) -> NDArray[np.float64]:
    """Counts of events whose rate follows the target."""
    y = np.asarray(data.y, dtype=np.float64)
    z = (y - y.mean()) / max(float(y.std()), np.finfo(float).tiny)
    return np.random.default_rng(seed).poisson(np.exp(np.clip(z, -4, 4) / 2)).astype(np.float64)


def fits(spec: DataSpec, data: Data, setting: Setting, threads: int) -> dict[str, Callable[[], Any]]:
    """A fit of each package for each criterion; names are "criterion/package"."""
    from sklearn.tree import DecisionTreeRegressor

    import hornbeam as hb
    from hornbeam.criteria import Quantile
    from hornbeam.leaves import Quantiles

    limits = {"max_depth": setting.max_depth, "min_samples_leaf": setting.min_leaf}
    targets = {"poisson": counts_of(data, spec.seed)}
    found: dict[str, Callable[[], Any]] = {}

    def mine(y: NDArray[Any], **choice: Any) -> Callable[[], Any]:
        return lambda: hb.TreeRegressor(n_jobs=threads, **choice, **limits).fit(data.X, y)

    def peer(y: NDArray[Any], criterion: str) -> Callable[[], Any]:
        return lambda: DecisionTreeRegressor(criterion=criterion, random_state=0, **limits).fit(data.X, y)

    for name, other in PAIRS.items():
        y = targets.get(name, data.y)
        found[f"{name}/hornbeam"] = mine(y, criterion=name)
        found[f"{name}/sklearn"] = peer(y, other)
    found[f"{OWN[0]}/hornbeam"] = mine(data.y, leaf=Quantiles())
    found[f"{OWN[1]}/hornbeam"] = mine(data.y, criterion=Quantile(0.9))
    return found


def leaves_of(model: Any) -> int:
    return int(model.get_n_leaves() if hasattr(model, "get_n_leaves") else model.tree_.n_leaves)


def run(args: argparse.Namespace) -> Result:
    spec = spec_of(args)
    note(f"regression: {spec.title}")
    data = load(spec, args.cache)
    skipped: list[dict[str, str]] = []
    lines: list[dict[str, Any]] = []
    for setting in settings_of(args):
        calls = fits(spec, data, setting, args.threads)

        times, models = alternate(
            calls, dict.fromkeys(calls, args.repeats), failures_to(skipped, setting.label)
        )
        for name, taken in times.items():
            criterion, package = name.split("/")
            own = times.get(f"{criterion}/hornbeam")
            ratio = min(taken) / min(own) if own else None
            line = {"peer": package, "setting": setting.label, "criterion": criterion, "seconds": taken}
            lines.append(line | {"ratio": ratio, "leaves": leaves_of(models[name])})
            note(f"  {setting.label}: {name} {min(taken):.3f} s")
    rows = [
        [
            line["setting"],
            line["criterion"],
            line["peer"],
            min(line["seconds"]),
            "" if line["ratio"] is None else times_text(line["ratio"]),
            line["leaves"],
        ]
        for line in lines
    ]
    head = ["setting", "criterion", "package", "seconds", "time / Hornbeam", "leaves"]
    return {
        "benchmark": "regression",
        "title": f"Criteria of regression: {spec.title}",
        "notes": [
            f"Both packages in turns, {args.repeats} of them; scikit-learn has one thread, Hornbeam"
            f" {args.threads}. Trees differ where splits tie, which absolute errors of few rows often do."
        ],
        "measurements": lines,
        "skipped": skipped,
        "tables": [table("", head, rows)],
        "ahead": [
            f"{line['peer']}, {line['criterion']}, {line['setting']}: {1 / line['ratio']:.2f}x faster"
            for line in lines
            if line["ratio"] is not None and line["ratio"] < 1
        ],
    }


def main(argv: list[str] | None = None) -> int:
    parser = parser_of("bench_regression", __doc__)
    add_data_options(parser)
    add_run_options(parser, settings="d10,full")
    parser.set_defaults(task="regression", rows=100_000)
    args = parser.parse_args(argv)
    prepare(args)
    return finish(run(args), args)


if __name__ == "__main__":
    raise SystemExit(main())
