"""Pruning paths: strengths against scikit-learn's path, cross-validation against its own growths.

The one idea: scikit-learn's `cost_complexity_pruning_path` fits a tree and then prunes it, so the function
that prunes is timed by itself, on a tree that stands, and so are Hornbeam's strengths.

    python -m benchmarks.bench_path --rows 100000
"""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict
from typing import Any

import numpy as np

from benchmarks.apart import Apart, add_turn_options, in_turns, named_in, turns_of
from benchmarks.common import (
    Result,
    command,
    note,
    seconds,
    table,
    times_text,
)

AIM_STRENGTHS, AIM_FOLDS, AIM_PRUNE = 200.0, 1.1, 1.0


def draw(rows: int, cols: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that follow two columns, some of them changed."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, cols)).astype(np.float32)
    return X, ((X[:, 0] + X[:, 1] > 0) ^ (rng.random(rows) < noise)).astype(np.int64)


class Strengths:
    """The pruning part of a path, on a tree that stands: Hornbeam's strengths, or scikit-learn's function."""

    def __init__(self, peer: str, rows: int, drawn: tuple[int, int, float]) -> None:
        X, y = (part[:rows] for part in draw(*drawn))
        if peer == "sklearn":
            from sklearn.tree import DecisionTreeClassifier
            from sklearn.tree._tree import ccp_pruning_path

            theirs = DecisionTreeClassifier(random_state=0).fit(X, y).tree_
            self.leaves, self.prune = int(theirs.n_leaves), lambda: ccp_pruning_path(theirs)
        else:
            import hornbeam as hb
            from hornbeam.pruning import strengths

            tree = hb.TreeClassifier().fit(X, y).tree_
            self.leaves, self.prune = int(tree.n_leaves), lambda: strengths(tree, "impurity")

    def warm(self) -> None:
        """Nothing: growing the tree has imported all there is."""

    def run(self) -> Any:
        return self.prune()

    def tell(self, _: Any) -> dict[str, Any]:
        return {"leaves": self.leaves}


def strengths_line(rows: int, args: argparse.Namespace, skipped: list[dict[str, str]]) -> dict[str, Any]:
    """Hornbeam's strengths of impurity and the pruning part of scikit-learn's path, in turns."""
    given = {"rows": rows, "drawn": [args.rows, args.cols, args.noise]}
    peers = ("hornbeam", "sklearn")
    tasks = {name: Apart("benchmarks.bench_path:Strengths", given | {"peer": name}) for name in peers}
    times, facts = in_turns(
        tasks, dict.fromkeys(tasks, args.repeats), turns_of(args, rows), named_in(skipped, f"{rows:,} rows")
    )
    best, theirs = min(times["hornbeam"]), min(times.get("sklearn", [np.nan]))
    return {
        "peer": "hornbeam",
        "rows": rows,
        "leaves": facts["hornbeam"]["leaves"],
        "sklearn": theirs,
        "best": best,
        "ratio": theirs / best,
    }


def folds_line(X: np.ndarray, y: np.ndarray, repeats: int, threads: int) -> dict[str, Any]:
    """Time of a cross-validated path over the time its own trees took to grow."""
    import hornbeam as hb
    from hornbeam.estimators import base as models

    fitted = hb.TreeClassifier(n_jobs=threads).fit(X, y)
    plain, growing = models.TreeModel.learn_tree, 0.0

    def timed(self: Any, *given: Any) -> Any:
        nonlocal growing
        start = time.perf_counter()
        found = plain(self, *given)
        growing += time.perf_counter() - start
        return found

    best: dict[str, Any] = {}
    models.TreeModel.learn_tree = timed  # type: ignore[method-assign]
    try:
        for _ in range(repeats):
            growing = 0.0
            total = seconds(lambda: hb.pruning_path(fitted, X, y, cv=10))[0]
            if not best or total / growing < best["over"]:
                best = {"rows": len(y), "total": total, "growing": growing, "over": total / growing}
    finally:
        models.TreeModel.learn_tree = plain  # type: ignore[method-assign]
    return best


def prune_line(X: np.ndarray, repeats: int, threads: int) -> dict[str, Any]:
    """Growing on noise, and pruning what grew: the path, and the subtree of a step."""
    import hornbeam as hb

    y = np.random.default_rng(1).integers(0, 2, len(X))
    grow, prune = [], []
    for _ in range(repeats):
        took, model = seconds(lambda: hb.TreeClassifier(n_jobs=threads).fit(X, y))
        grow.append(took)
        prune.append(seconds(lambda m=model: hb.pruning_path(m).choose(leaves=50))[0])
    return {"rows": len(y), "leaves": model.tree_.n_leaves, "growing": min(grow), "pruning": min(prune)}


def programme_line(X: np.ndarray, repeats: int) -> dict[str, Any]:
    """The smallest prunings for every number of errors, on noise."""
    import hornbeam as hb

    y = np.random.default_rng(1).integers(0, 2, len(X))
    model = hb.TreeClassifier().fit(X, y)
    took, found = min(
        (seconds(lambda: hb.teaching.smallest_prunings(model)) for _ in range(repeats)),
        key=lambda pair: pair[0],
    )
    return {
        "rows": len(y),
        "leaves": model.tree_.n_leaves,
        "steps": int(found.steps),
        "best": took,
    }


def run(args: argparse.Namespace) -> Result:
    note(f"path: {args.rows:,} x {args.cols}")
    X, y = draw(args.rows, args.cols, args.noise)
    large, _ = draw(args.large, 5, 0.0)
    skipped: list[dict[str, str]] = []
    lines = [strengths_line(n, args, skipped) for n in (args.rows // 4, args.rows // 2, args.rows)]
    folds = folds_line(X, y, args.repeats, args.threads)
    pruned, programme = (
        prune_line(large, args.repeats, args.threads),
        programme_line(X[:10_000], args.repeats),
    )
    head = ["rows", "leaves", "scikit-learn's pruning ms", "Hornbeam's strengths ms", "ratio"]
    rows = [
        [one["rows"], one["leaves"], one["sklearn"] * 1e3, one["best"] * 1e3, times_text(one["ratio"])]
        for one in lines
    ]
    other = [
        ["10-fold path / growing its trees", folds["rows"], f"{folds['over']:.3f}"],
        [
            f"path and subtree / growing {pruned['leaves']:,} leaves",
            pruned["rows"],
            f"{pruned['pruning'] / pruned['growing']:.3f}",
        ],
        [
            f"smallest prunings of {programme['leaves']:,} leaves, {programme['steps']:,} additions, ms",
            programme["rows"],
            f"{programme['best'] * 1e3:.1f}",
        ],
    ]
    short = []
    if lines[-1]["ratio"] < AIM_STRENGTHS:
        short.append(f"strengths {lines[-1]['ratio']:.0f}x faster than scikit-learn's pruning, not 200x")
    if folds["over"] > AIM_FOLDS:
        short.append(f"cross-validation takes {folds['over']:.2f} times its growths, not 1.1")
    if pruned["pruning"] > AIM_PRUNE * pruned["growing"]:
        short.append("pruning takes longer than growing")
    return {
        "benchmark": "path",
        "title": f"Pruning paths: {args.rows:,} x {args.cols} float32",
        "notes": [
            "Both prune a tree that stands: scikit-learn's time is that of its path without the fit.",
            f"Minimum of {args.repeats} repetitions.",
        ],
        "turns": asdict(turns_of(args, args.rows)),
        "measurements": lines,
        "skipped": skipped,
        "tables": [
            table("Strengths of impurity", head, rows),
            table("Other ratios", ["what", "rows", "value"], other),
        ],
        "ahead": [],
        "short": short,
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--large", type=int, default=400_000, help="rows of the tree that is only pruned")
    parser.add_argument("--cols", type=int, default=10)
    parser.add_argument("--noise", type=float, default=0.2, help="share of rows of the other class")
    parser.add_argument("--cache", help="not used: the data are drawn")


def main(argv: list[str] | None = None) -> int:
    return command(run, __doc__, argv, add_options, add_turn_options, repeats=3)


if __name__ == "__main__":
    raise SystemExit(main())
