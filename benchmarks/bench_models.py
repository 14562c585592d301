"""Model trees: how much longer than constant leaves, and against Cubist and linear-tree.

The one idea: the same growth with and without equations shows what they cost; a package that grows other
trees is compared by the time for a model tree of the same table.

    python -m benchmarks.bench_models --rows 100000

linear-tree needs an older scikit-learn than Hornbeam: `--linear-tree PYTHON` names the interpreter of an
environment that has both.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import (
    Result,
    add_run_options,
    alternate,
    finish,
    note,
    parser_of,
    prepare,
    settings_of,
    table,
    times_text,
)
from benchmarks.data import add_data_options, load, spec_of

MOST = 5.0  # a model tree should take no more than this many times the constant tree
KINDS = ("constant", "linear", "ridge", "polynomial", "m5, constant leaves", "m5")
BASE = {"hornbeam m5": "hornbeam m5, constant leaves"}  # what a learner's time is compared with
TIMED = """
import sys, time, warnings
import numpy as np
from lineartree import LinearTreeRegressor
from sklearn.linear_model import LinearRegression
warnings.simplefilter("ignore")
data = np.load(sys.argv[1])
model = LinearTreeRegressor(LinearRegression(), max_depth=int(sys.argv[2]), min_samples_leaf=int(sys.argv[3]))
start = time.perf_counter()
model.fit(data["X"], data["y"])
print(time.perf_counter() - start)
"""
LEAST = 20.0  # and peers at least this many times Hornbeam's model tree


def ours(kind: str, X: Any, y: Any, args: argparse.Namespace, setting: Any) -> Callable[[], Any]:
    import hornbeam as hb
    from hornbeam.leaves import Linear, Polynomial

    leaf = {
        "constant": "constant",
        "linear": Linear(),
        "ridge": Linear(ridge=1.0),
        "polynomial": Polynomial(2),
    }
    limits = {"max_depth": setting.max_depth, "n_jobs": args.threads}
    if kind == "m5":
        return lambda: hb.m5(**limits).fit(X, y)
    if kind == "m5, constant leaves":
        return lambda: hb.m5(**limits).set_params(leaf="constant", pruning=None).fit(X, y)
    return lambda: hb.TreeRegressor(leaf=leaf[kind], min_samples_leaf=setting.min_leaf, **limits).fit(X, y)


def linear_tree(python: Path, X: Any, y: Any, setting: Any) -> float:
    """The seconds linear-tree takes for one fit, in its own environment."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, X=X, y=y)
        told = subprocess.run(
            [str(python), "-c", TIMED, str(path), str(setting.max_depth), str(max(setting.min_leaf, 3))],
            capture_output=True,
            text=True,
            check=True,
        )
    return float(told.stdout)


def peers(X: Any, y: Any) -> dict[str, Callable[[], Any]]:
    found: dict[str, Callable[[], Any]] = {}
    if importlib.util.find_spec("cubist"):
        from cubist import Cubist

        found["cubist"] = lambda: Cubist(n_committees=1).fit(X, y)
    return found


def run(args: argparse.Namespace) -> Result:
    data = load(replace(spec_of(args), task="regression"), args.cache)
    X, y = data.X, np.asarray(data.y, dtype=float)
    note(f"models: {len(y):,} x {X.shape[1]}")
    skipped: list[dict[str, str]] = []
    if not args.linear_tree:
        skipped.append({"peer": "linear-tree", "setting": "all", "reason": "needs --linear-tree PYTHON"})
    if not importlib.util.find_spec("cubist"):
        skipped.append({"peer": "cubist", "setting": "all", "reason": "is not installed"})
    lines: list[dict[str, Any]] = []
    for setting in settings_of(args):
        calls = {f"hornbeam {kind}": ours(kind, X, y, args, setting) for kind in KINDS}
        others = peers(X, y)
        times, _ = alternate(
            calls | others,
            {name: args.repeats if name in calls else 1 for name in calls | others},
            lambda name, error, at=setting: skipped.append(
                {"peer": name, "setting": at.label, "reason": f"failed: {str(error)[:80]}"}
            ),
        )
        if args.linear_tree and setting.max_depth is not None:
            times["linear-tree"] = [linear_tree(args.linear_tree, X, y, setting)]
        linear = min(times["hornbeam linear"])
        for name, taken in times.items():
            constant = min(times[BASE.get(name, "hornbeam constant")])
            lines.append(
                {
                    "setting": setting.label,
                    "peer": name,
                    "seconds": taken,
                    "best": min(taken),
                    "to_constant": min(taken) / constant,
                    "to_linear": min(taken) / linear,
                }
            )
    head = ["setting", "learner", "seconds", "time / constant leaves", "time / linear leaves"]
    rows = [
        [x["setting"], x["peer"], x["best"], times_text(x["to_constant"]), times_text(x["to_linear"])]
        for x in lines
    ]
    return {
        "benchmark": "models",
        "title": f"Model trees: {len(y):,} x {X.shape[1]}",
        "notes": [
            f"Best of {args.repeats}; peers once. linear-tree is left out where the depth is not limited.",
            "M5 is compared with constant leaves on its own growth.",
        ],
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


def main(argv: list[str] | None = None) -> int:
    parser = parser_of("bench_models", __doc__)
    add_data_options(parser, rows=100_000)
    add_run_options(parser, repeats=3)
    parser.add_argument("--linear-tree", type=Path, help="the Python of an environment with linear-tree")
    args = parser.parse_args(argv)
    prepare(args)
    return finish(run(args), args)


if __name__ == "__main__":
    raise SystemExit(main())
