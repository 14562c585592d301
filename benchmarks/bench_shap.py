"""Shapley values of many rows, beside the package shap.

The one idea: both explain the same tree, which shap reads through `hb.to_shap`, and their values are
compared, so that nobody is fast by being wrong.

    python -m benchmarks.bench_shap --rows 20000
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.apart import Apart, Refused, add_turn_options, lines_in_turns, named_in, turns_of
from benchmarks.common import (
    SETTINGS,
    Result,
    command,
    note,
    settings_of,
    table,
    times_text,
)
from benchmarks.data import Array, DataSpec, add_data_options, ensure, load, spec_of

AIM = 1.5  # times as fast as shap
FIRST = 20  # rows explained before the clock starts
SHAP = "shap TreeExplainer"


class Explaining:
    """One explainer of one tree, which half of the rows grow; the other half is explained."""

    def __init__(self, spec: dict[str, Any], cache: str, path: str, name: str, **how: Any) -> None:
        import hornbeam as hb

        if name == SHAP and importlib.util.find_spec("shap") is None:
            raise Refused("is not installed")
        data, size = load(DataSpec(**spec), Path(cache)), SETTINGS[how["setting"]]
        half = len(data.X) // 2
        estimator = hb.TreeClassifier if spec["task"] == "classes" else hb.TreeRegressor
        limits = {"max_depth": size.max_depth, "min_samples_leaf": size.min_leaf}
        self.model = estimator(n_jobs=how["threads"], **limits).fit(data.X[:half], data.y[:half])
        self.X, self.path = data.X[half:], Path(path)
        if name == SHAP:
            import shap

            self.explain = shap.TreeExplainer(hb.to_shap(self.model)).shap_values
        else:
            self.explain = lambda X: hb.shap_values(self.model, X).values

    def warm(self) -> None:
        self.explain(self.X[:FIRST])

    def run(self) -> Array:
        values: Array = self.explain(self.X)
        return values

    def tell(self, values: Array) -> dict[str, Any]:
        np.save(self.path, values)
        return {"leaves": self.model.tree_.n_leaves}


def measure(key: str, args: argparse.Namespace, skipped: list[dict[str, str]]) -> list[dict[str, Any]]:
    """One line for each explainer in one setting; `differs` is the largest difference from Hornbeam's."""
    label = SETTINGS[key].label
    given = {"spec": asdict(spec_of(args)), "cache": str(args.cache.resolve()), "setting": key}
    threads = {f"hornbeam, {n} thread{'s' * (n > 1)}": n for n in sorted({1, args.threads})}
    own = next(iter(threads))
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{k}.npy" for k, name in enumerate([*threads, SHAP])}
        tasks = {
            name: Apart(
                "benchmarks.bench_shap:Explaining",
                given | {"name": name, "path": str(path), "threads": threads.get(name, 1)},
            )
            for name, path in paths.items()
            if not args.only or name.split(",")[0].split()[0] in args.only.split(",")
        }
        failed = named_in(skipped, label, tuple(threads))
        turns = turns_of(args, 0)
        lines = lines_in_turns(tasks, dict.fromkeys(tasks, args.repeats), turns, label, failed, own)
        values = {line["peer"]: np.load(paths[line["peer"]]) for line in lines}
    for line in lines:
        said = values[line["peer"]].reshape(values[own].shape)
        line["differs"] = float(np.abs(said - values[own]).max())
    return lines


def run(args: argparse.Namespace) -> Result:
    spec = spec_of(args)
    note(f"shap: {spec.title}")
    ensure(spec, args.cache)
    settings_of(args)
    skipped: list[dict[str, str]] = []
    lines = [line for key in args.settings.split(",") for line in measure(key, args, skipped)]
    head = ["setting", "explainer", "seconds", "time / Hornbeam's on one thread", "leaves", "differs by"]
    rows = [
        [
            *(line["setting"], line["peer"], line["best"], times_text(line["ratio"])),
            *(line["leaves"], f"{line['differs']:.1e}"),
        ]
        for line in lines
    ]
    rivals = [line for line in lines if line["peer"] == SHAP]
    return {
        "benchmark": "shap",
        "title": f"Shapley values: {spec.title}",
        "notes": [
            "Half of the rows grow the tree, the other half is explained. shap reads the same tree through"
            " `hb.to_shap` and works on one thread."
        ],
        "data": asdict(spec),
        "turns": asdict(turns_of(args, 0)),
        "measurements": lines,
        "skipped": skipped,
        "tables": [table("", head, rows)],
        "ahead": [f"shap by {1 / x['ratio']:.2f}x, {x['setting']}" for x in rivals if x["ratio"] < 1],
        "short": [
            f"{x['setting']}, against shap: {x['ratio']:.2f}x of {AIM}x" for x in rivals if x["ratio"] < AIM
        ],
    }


def main(argv: list[str] | None = None) -> int:
    return command(run, __doc__, argv, add_data_options, add_turn_options, rows=20_000)


if __name__ == "__main__":
    raise SystemExit(main())
