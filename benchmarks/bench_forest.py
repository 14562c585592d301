"""Forests side by side with scikit-learn: the same settings, the same threads, the same out-of-bag error.

The one idea: a forest is many fits of one table, so what counts is the whole call, from the array to the last
tree; the errors of both say that the forests are worth the same. With `--random` both draw their tests:
scikit-learn's ExtraTrees beside `split="random", bootstrap=False`, and a single such tree of both. Every tree
sees all rows then, so the error is that on one half of the rows after a fit of the other.

    python -m benchmarks.bench_forest --rows 20000 --trees 10
    python -m benchmarks.bench_forest --rows 20000 --trees 10 --random
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.apart import Apart, add_turn_options, lines_in_turns, named_in, turns_of
from benchmarks.common import (
    Result,
    Setting,
    command,
    note,
    settings_of,
    table,
    times_text,
)
from benchmarks.data import DataSpec, add_data_options, ensure, load, spec_of

PEERS = ("sklearn", "hornbeam")
FIRST = 1000  # rows of the fit that is not timed
AIM = 5.0  # times scikit-learn, fully grown on 100,000 rows


def settings_for(spec: DataSpec, setting: Setting, args: argparse.Namespace) -> dict[str, Any]:
    """What both forests are told; their names for it are the same."""
    told = {
        "max_depth": setting.max_depth,
        "min_samples_leaf": setting.min_leaf,
        "max_features": "sqrt" if spec.task == "classes" else 1.0 if args.random else 1 / 3,
        "random_state": spec.seed,
    }
    if args.trees == 1:
        return told
    return told | {"n_estimators": args.trees, "n_jobs": args.threads}


class Fit:
    """One peer's forest."""

    def __init__(
        self, spec: dict[str, Any], cache: str, peer: str, told: dict[str, Any], *, errors: bool, random: bool
    ) -> None:
        whole = DataSpec(**spec)
        self.data, self.told, self.errors, self.random = load(whole, Path(cache)), told, errors, random
        classes = whole.task == "classes"
        what = "Classifier" if classes else "Regressor"
        if peer == "hornbeam":
            import hornbeam as hb

            self.make: Any = getattr(hb, ("Forest" if "n_estimators" in told else "Tree") + what)
            self.told = told | ({"split": "random"} if random else {})
            if random and "n_estimators" in told:
                self.told["bootstrap"] = False
            elif random:
                self.told["n_jobs"] = 1
        else:
            import sklearn.ensemble
            import sklearn.tree

            if "n_estimators" in told:
                self.make = getattr(sklearn.ensemble, ("ExtraTrees" if random else "RandomForest") + what)
            else:
                self.make = getattr(sklearn.tree, "ExtraTree" + what)

    def warm(self) -> None:
        few = self.make(**self.told | ({"n_estimators": 2} if "n_estimators" in self.told else {}))
        few.fit(self.data.X[:FIRST], self.data.y[:FIRST])

    def run(self) -> Any:
        return self.make(**self.told).fit(self.data.X, self.data.y)

    def tell(self, _: Any) -> dict[str, Any]:
        """The error of a further fit: wrong classes, or the unexplained share of the variance."""
        if not self.errors:
            return {"error": None}
        if self.random:
            half, X, y = len(self.data.y) // 2, self.data.X, self.data.y
            halved = self.make(**self.told).fit(X[:half], y[:half])
            return {"error": float(1 - halved.score(X[half:], y[half:]))}
        model = self.make(**self.told, oob_score=True).fit(self.data.X, self.data.y)
        return {"error": float(1 - model.oob_score_)}


def measure(
    setting: Setting, args: argparse.Namespace, skipped: list[dict[str, str]]
) -> list[dict[str, Any]]:
    """One line for each peer in one setting."""
    spec, turns = spec_of(args), turns_of(args, args.rows)
    given = {"spec": asdict(spec), "cache": str(args.cache.resolve()), "errors": args.errors}
    given |= {"told": settings_for(spec, setting, args), "random": args.random}
    only = args.only.split(",") if args.only else list(PEERS)
    skipped += [
        {"peer": p, "setting": "all", "reason": "not asked for (--only)"} for p in PEERS if p not in only
    ]
    tasks = {p: Apart("benchmarks.bench_forest:Fit", given | {"peer": p}) for p in PEERS if p in only}

    failed = named_in(skipped, setting.label)
    return lines_in_turns(tasks, dict.fromkeys(tasks, args.repeats), turns, setting.label, failed)


def title_of(spec: DataSpec, args: argparse.Namespace) -> str:
    """What was grown, and of which table."""
    if args.trees == 1:
        return f"A tree of random tests: {spec.title}"
    return f"Forests of {args.trees} trees{' of random tests' if args.random else ''}: {spec.title}"


def note_of(args: argparse.Namespace) -> str:
    """What both have in common, and what the error is."""
    threads = f"{args.threads} threads" if args.trees > 1 else "one thread"
    error = (
        "that on one half of the rows after a fit of the other"
        if args.random
        else "that of the trees that did not see a row"
    )
    return (
        f"The same settings and {threads} for both, {args.repeats} turns. The error is {error}: wrong"
        " classes, or the share of the variance not explained."
    )


def run(args: argparse.Namespace) -> Result:
    spec = spec_of(args)
    if args.trees == 1 and not args.random:
        raise SystemExit(
            "one tree of the best tests is what bench_grow measures: give --trees 2, or --random"
        )
    note(f"forests: {spec.title}, {args.trees} trees")
    ensure(spec, args.cache)
    skipped: list[dict[str, str]] = []
    lines = [line for setting in settings_of(args) for line in measure(setting, args, skipped)]
    rows = [
        [line["setting"], line["peer"], line["best"], times_text(line["ratio"]), line["error"]]
        for line in lines
    ]
    error = "error on other rows" if args.random else "out-of-bag error"
    slower = [line for line in lines if line["peer"] != "hornbeam" and line["ratio"]]
    return {
        "benchmark": "forest",
        "title": title_of(spec, args),
        "notes": [note_of(args)],
        "data": {"rows": spec.rows, "cols": spec.cols, "trees": args.trees},
        "turns": asdict(turns_of(args, args.rows)),
        "measurements": lines,
        "skipped": skipped,
        "tables": [table("", ["setting", "peer", "seconds", "time / Hornbeam's", error], rows)],
        "ahead": [f"{line['peer']}, {line['setting']}" for line in slower if line["ratio"] < 1],
        "short": [
            f"{line['peer']}, {line['setting']}: {line['ratio']:.1f}x, less than the aim of {AIM:g}x"
            for line in slower
            if 1 <= line["ratio"] < AIM and spec.rows >= 100_000
        ],
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--trees", type=int, default=100, help="trees of each forest")
    parser.add_argument("--random", action="store_true", help="draw tests, as ExtraTrees do")
    parser.add_argument("--no-errors", dest="errors", action="store_false", help="leave the errors out")


def main(argv: list[str] | None = None) -> int:
    return command(
        run,
        __doc__,
        argv,
        add_data_options,
        add_turn_options,
        add_options,
        rows=100_000,
        repeats=2,
        settings="full",
        patience=900.0,
    )


if __name__ == "__main__":
    raise SystemExit(main())
