"""Model trees: how much longer than constant leaves, and against Cubist and linear-tree.

The one idea: the same growth with and without equations shows what they cost; a package that grows other
trees is compared by the time for a model tree of the same table.

    python -m benchmarks.bench_models --rows 100000

linear-tree needs an older scikit-learn than Hornbeam: `--linear-tree PYTHON` names the interpreter of an
environment that has both, by default the one that `make peers` made.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.apart import Apart, Refused, add_turn_options, in_turns, named_in, turns_of
from benchmarks.common import (
    LINEAR_TREE,
    SETTINGS,
    Result,
    Setting,
    command,
    note,
    table,
    times_text,
)
from benchmarks.data import DataSpec, add_data_options, ensure, load, spec_of

FIRST = 200  # rows of the fit that is not timed: linear-tree takes its time
MOST = 5.0  # a model tree should take no more than this many times the constant tree
LEAST = 20.0  # and peers at least this many times Hornbeam's model tree
KINDS = ("constant", "linear", "ridge", "polynomial", "m5, constant leaves", "m5")
PEERS = ("cubist", "linear-tree")
BASE = {"hornbeam m5": "hornbeam m5, constant leaves"}  # what a learner's time is compared with


def ours(kind: str, threads: int, setting: Setting) -> Any:
    """Hornbeam's estimator with one kind of leaf."""
    import hornbeam as hb
    from hornbeam.parts import Linear, Polynomial

    leaf = {
        "constant": "constant",
        "linear": Linear(),
        "ridge": Linear(ridge=1.0),
        "polynomial": Polynomial(2),
    }
    limits = {"max_depth": setting.max_depth, "n_jobs": threads}
    if kind == "m5":
        return hb.m5(**limits)
    if kind == "m5, constant leaves":
        return hb.m5(**limits).set_params(leaf="constant", pruning=None)
    return hb.TreeRegressor(leaf=leaf[kind], min_samples_leaf=setting.min_leaf, **limits)


def cubist() -> Any:
    from cubist import Cubist

    return Cubist(n_committees=1)


def linear_tree(setting: Setting) -> Any:
    """It tries at most 20 levels."""
    from lineartree import LinearTreeRegressor
    from sklearn.linear_model import LinearRegression

    if setting.max_depth is None:
        raise Refused("grows at most 20 levels")
    limits = {"max_depth": setting.max_depth, "min_samples_leaf": max(setting.min_leaf, 3)}
    return LinearTreeRegressor(LinearRegression(), **limits)


class Model:
    """One fit of one learner of model trees."""

    def __init__(self, spec: dict[str, Any], cache: str, learner: str, setting: str, threads: int) -> None:
        warnings.simplefilter("ignore")
        data, size = load(DataSpec(**spec), Path(cache)), SETTINGS[setting]
        self.X, self.y = data.X, np.asarray(data.y, dtype=float)
        if learner.startswith("hornbeam "):
            self.model = ours(learner.removeprefix("hornbeam "), threads, size)
        else:
            self.model = cubist() if learner == "cubist" else linear_tree(size)

    def warm(self) -> None:
        self.model.fit(self.X[:FIRST], self.y[:FIRST])

    def run(self) -> Any:
        return self.model.fit(self.X, self.y)

    def tell(self, model: Any) -> dict[str, Any]:
        squares = float(np.mean((np.asarray(model.predict(self.X)) - self.y) ** 2))
        return {"score": 1 - squares / float(np.var(self.y))}


def measure(key: str, args: argparse.Namespace, skipped: list[dict[str, str]]) -> list[dict[str, Any]]:
    """One line for each learner in one setting."""
    label, turns = SETTINGS[key].label, turns_of(args, args.rows)
    given = {"spec": asdict(spec_of(args)), "cache": str(args.cache.resolve()), "setting": key}
    given["threads"] = args.threads
    others = [name for name in PEERS if args.only is None or name in args.only.split(",")]
    own = [f"hornbeam {kind}" for kind in KINDS]
    learners = own + others
    pythons = {"linear-tree": str(args.linear_tree)}
    tasks = {
        name: Apart(
            "benchmarks.bench_models:Model", given | {"learner": name}, pythons.get(name, sys.executable)
        )
        for name in learners
    }

    times, facts = in_turns(
        tasks, dict.fromkeys(learners, args.repeats), turns, named_in(skipped, label, own)
    )
    linear, lines = min(times["hornbeam linear"]), []
    for name, taken in times.items():
        constant = min(times[BASE.get(name, "hornbeam constant")])
        best = min(taken)
        line = {"setting": label, "peer": name, "seconds": taken, "best": best, **facts[name]}
        lines.append(line | {"to_constant": best / constant, "to_linear": best / linear})
        note(f"  {label}: {name} {best:.4g} s")
    return lines


def run(args: argparse.Namespace) -> Result:
    spec = spec_of(args)
    ensure(spec, args.cache)
    note(f"models: {spec.title}")
    skipped: list[dict[str, str]] = []
    lines = [line for key in args.settings.split(",") for line in measure(key, args, skipped)]
    head = ["setting", "learner", "seconds", "runs", "time / constant", "time / linear", "training R2"]
    rows = [
        [
            *(x["setting"], x["peer"], x["best"], len(x["seconds"])),
            *(times_text(x["to_constant"]), times_text(x["to_linear"]), f"{x['score']:.4f}"),
        ]
        for x in lines
    ]
    return {
        "benchmark": "models",
        "title": f"Model trees: {spec.rows:,} x {spec.cols}",
        "notes": [
            "Times over those of Hornbeam's constant leaves, M5's over constant leaves on its own growth, and"
            " over those of its linear leaves. Cubist (one committee) stops by itself and grows rules.",
        ],
        "turns": asdict(turns_of(args, args.rows)),
        "measurements": lines,
        "skipped": skipped,
        "tables": [table("", head, rows)],
        "ahead": [
            f"{x['peer']}, {x['setting']}"
            for x in lines
            if not x["peer"].startswith("hornbeam") and x["to_linear"] < 1
        ],
        "short": [
            f"{x['peer']}, {x['setting']}: {x['to_constant']:.1f}x the constant tree"
            for x in lines
            if x["peer"].startswith("hornbeam") and x["to_constant"] > MOST
        ]
        + [
            f"{x['peer']}, {x['setting']}: only {x['to_linear']:.1f}x slower than linear leaves"
            for x in lines
            if not x["peer"].startswith("hornbeam") and x["to_linear"] < LEAST
        ],
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    python = LINEAR_TREE if LINEAR_TREE.exists() else Path(sys.executable)
    parser.add_argument(
        "--linear-tree", type=Path, default=python, help="the Python of an environment with linear-tree"
    )


def main(argv: list[str] | None = None) -> int:
    return command(
        run,
        __doc__,
        argv,
        add_data_options,
        add_turn_options,
        add_options,
        task="regression",
        rows=100_000,
        repeats=3,
        patience=400.0,
    )


if __name__ == "__main__":
    raise SystemExit(main())
