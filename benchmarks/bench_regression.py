"""Criteria of regression side by side with scikit-learn's: Poisson deviance, absolute error.

The one idea: both packages fit the same rows in turns, the target as it is for medians, and as counts drawn
from rates that follow it for Poisson; what a quantile and what kept quantiles cost stands beside them.

    python -m benchmarks.bench_regression --rows 100000
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.apart import Apart, add_turn_options, in_turns, turns_of
from benchmarks.common import (
    SETTINGS,
    Result,
    command,
    note,
    settings_of,
    table,
    times_text,
)
from benchmarks.data import Data, DataSpec, add_data_options, ensure, load, spec_of

PAIRS = {"variance": "squared_error", "poisson": "poisson", "absolute": "absolute_error"}
PACKAGES = ("hornbeam", "sklearn")
FIRST = 1000  # rows of the fit that is not timed
OWN = ("variance, 3 quantiles kept", "quantile 0.9")  # scikit-learn has none


def counts_of(data: Data, seed: int) -> NDArray[np.float64]:
    """Counts of events whose rate follows the target."""
    y = np.asarray(data.y, dtype=np.float64)
    z = (y - y.mean()) / max(float(y.std()), np.finfo(float).tiny)
    return np.random.default_rng(seed).poisson(np.exp(np.clip(z, -4, 4) / 2)).astype(np.float64)


class Fit:
    """One package's tree by one criterion."""

    def __init__(
        self, spec: dict[str, Any], cache: str, package: str, criterion: str, setting: str, threads: int
    ) -> None:
        whole, size = DataSpec(**spec), SETTINGS[setting]
        data = load(whole, Path(cache))
        self.X = data.X
        self.y = counts_of(data, whole.seed) if criterion == "poisson" else data.y
        limits = {"max_depth": size.max_depth, "min_samples_leaf": size.min_leaf}
        if package == "sklearn":
            from sklearn.tree import DecisionTreeRegressor

            self.model: Any = DecisionTreeRegressor(criterion=PAIRS[criterion], random_state=0, **limits)
        else:
            import hornbeam as hb

            self.model = hb.TreeRegressor(n_jobs=threads, **choice_of(criterion), **limits)

    def warm(self) -> None:
        self.model.fit(self.X[:FIRST], self.y[:FIRST])

    def run(self) -> Any:
        return self.model.fit(self.X, self.y)

    def tell(self, model: Any) -> dict[str, Any]:
        count = model.get_n_leaves() if hasattr(model, "get_n_leaves") else model.tree_.n_leaves
        return {"leaves": int(count)}


def choice_of(criterion: str) -> dict[str, Any]:
    """Hornbeam's parameters for what is measured."""
    from hornbeam.parts import Quantile, Quantiles

    own = {OWN[0]: {"leaf": Quantiles()}, OWN[1]: {"criterion": Quantile(0.9)}}
    return own.get(criterion, {"criterion": criterion})


def measure(key: str, args: argparse.Namespace, skipped: list[dict[str, str]]) -> list[dict[str, Any]]:
    """One line for each criterion and package in one setting."""
    label, turns = SETTINGS[key].label, turns_of(args, args.rows)
    given = {"spec": asdict(spec_of(args)), "cache": str(args.cache.resolve()), "setting": key}
    names = [(criterion, package) for criterion in PAIRS for package in PACKAGES]
    names += [(criterion, "hornbeam") for criterion in OWN]
    only = args.only.split(",") if args.only else list(PACKAGES)
    tasks = {
        f"{criterion}/{package}": Apart(
            "benchmarks.bench_regression:Fit",
            given | {"threads": args.threads, "criterion": criterion, "package": package},
        )
        for criterion, package in names
        if package in only
    }

    def failed(name: str, reason: str) -> None:
        skipped.append({"peer": name, "setting": label, "reason": reason})

    times, facts = in_turns(tasks, dict.fromkeys(tasks, args.repeats), turns, failed)
    lines = []
    for name, taken in times.items():
        criterion, package = name.split("/")
        own = times.get(f"{criterion}/hornbeam")
        line = {"peer": package, "setting": label, "criterion": criterion, "seconds": taken}
        lines.append(line | {"ratio": min(taken) / min(own) if own else None} | facts[name])
        note(f"  {label}: {name} {min(taken):.3f} s")
    return lines


def run(args: argparse.Namespace) -> Result:
    spec = spec_of(args)
    note(f"regression: {spec.title}")
    ensure(spec, args.cache)
    skipped: list[dict[str, str]] = []
    settings_of(args)
    lines = [line for key in args.settings.split(",") for line in measure(key, args, skipped)]
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
        "turns": asdict(turns_of(args, args.rows)),
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
    return command(
        run,
        __doc__,
        argv,
        add_data_options,
        add_turn_options,
        task="regression",
        rows=100_000,
        settings="d10,full",
        patience=600.0,
    )


if __name__ == "__main__":
    raise SystemExit(main())
