"""Sparse matrices: trees of texts as marks for words, beside scikit-learn.

The one idea: most of a text's words are absent, so what is not stored should cost nothing. The words are as
frequent as words are, and a few of them tell the class. Hornbeam's tree is that of the dense matrix.

    python -m benchmarks.bench_sparse --rows 100000 --cols 20000
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from functools import cache
from typing import Any

import numpy as np

from benchmarks.apart import Apart, add_turn_options, lines_in_turns, named_in, turns_of
from benchmarks.common import SETTINGS, Result, command, note, settings_of, table

PEERS = ("hornbeam", "scikit-learn")
FIRST = 500  # rows of the fit that is not timed


@cache
def texts(n_rows: int, n_words: int, density: float, seed: int = 0) -> tuple[Any, Any]:
    """A sparse matrix of marks for words, and the class of each text."""
    import scipy.sparse as sp

    rng = np.random.default_rng(seed)
    often = 1 / np.arange(1, n_words + 1) ** 0.7
    n_marks = int(n_rows * n_words * density)
    at = [rng.integers(0, n_rows, n_marks), rng.choice(n_words, n_marks, p=often / often.sum())]
    at = [places.astype(np.int32) for places in at]  # scikit-learn takes no others
    X = sp.coo_array((np.ones(n_marks, dtype=np.float32), tuple(at)), shape=(n_rows, n_words)).tocsr()
    X.data[:] = 1
    liked = X @ (rng.normal(size=n_words) * (rng.random(n_words) < 0.05)) + 0.5 * rng.normal(size=n_rows)
    return X, (liked > 0).astype(np.int64)


class Fit:
    """One fit of one learner to the texts."""

    def __init__(self, rows: int, cols: int, density: float, name: str, setting: str, threads: int) -> None:
        self.X, self.y = texts(rows, cols, density)
        limits = {"max_depth": SETTINGS[setting].max_depth, "min_samples_leaf": SETTINGS[setting].min_leaf}
        if name == "hornbeam":
            import hornbeam as hb

            self.model: Any = hb.TreeClassifier(n_jobs=threads, **limits)
        else:
            from sklearn.tree import DecisionTreeClassifier

            self.model = DecisionTreeClassifier(random_state=0, **limits)
            self.X = self.X.tocsc()  # which it would make itself

    def warm(self) -> None:
        self.model.fit(self.X[:FIRST], self.y[:FIRST])

    def run(self) -> Any:
        return self.model.fit(self.X, self.y)

    def tell(self, model: Any) -> dict[str, Any]:
        tree = model.tree_
        return {
            "leaves": int(tree.n_leaves),
            "depth": int(getattr(tree, "depth", None) or tree.max_depth),
            "accuracy": float(model.score(self.X, self.y)),
        }


def measure(key: str, args: argparse.Namespace, skipped: list[dict[str, str]]) -> list[dict[str, Any]]:
    """One line for each learner in one setting."""
    label = SETTINGS[key].label
    given = {"rows": args.rows, "cols": args.cols, "density": args.density, "setting": key}
    given["threads"] = args.threads
    wanted = [name for name in PEERS if not args.only or name in args.only.split(",")]
    tasks = {name: Apart("benchmarks.bench_sparse:Fit", given | {"name": name}) for name in wanted}
    failed = named_in(skipped, label, PEERS[:1])
    return lines_in_turns(tasks, dict.fromkeys(tasks, args.repeats), turns_of(args, args.rows), label, failed)


def run(args: argparse.Namespace) -> Result:
    note(f"sparse: {args.rows:,} x {args.cols:,}, {args.density:.2%} stored")
    settings_of(args)
    skipped: list[dict[str, str]] = []
    lines = [line for key in args.settings.split(",") for line in measure(key, args, skipped)]
    own = {line["setting"]: line["best"] for line in lines if line["peer"] == "hornbeam"}
    for line in lines:
        line["times"] = line["best"] / own[line["setting"]] if line["setting"] in own else float("nan")
    return {
        "benchmark": "sparse",
        "title": f"Sparse matrices: {args.rows:,} texts x {args.cols:,} words, {args.density:.2%} stored",
        "notes": ["The accuracy is that on the training rows."],
        "turns": asdict(turns_of(args, args.rows)),
        "measurements": lines,
        "skipped": skipped,
        "tables": [
            table(
                "",
                ["setting", "learner", "fit seconds", "times Hornbeam's", "leaves", "depth", "accuracy"],
                [
                    [
                        *(line["setting"], line["peer"], line["best"], line["times"]),
                        *(line["leaves"], line["depth"], line["accuracy"]),
                    ]
                    for line in lines
                ],
            )
        ],
        "ahead": [f"{line['peer']}: {line['setting']}" for line in lines if line["times"] < 1],
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--cols", type=int, default=20_000)
    parser.add_argument("--density", type=float, default=0.001)


def main(argv: list[str] | None = None) -> int:
    return command(run, __doc__, argv, add_options, add_turn_options, repeats=3)


if __name__ == "__main__":
    raise SystemExit(main())
