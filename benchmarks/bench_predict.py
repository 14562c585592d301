"""Prediction: rows a second for a large table, microseconds for one row in a call.

The one idea: throughput and latency are different costs, so both are measured, each against the engines that
are good at it, and the answers are compared with scikit-learn's so that nobody is fast by being wrong.

    python -m benchmarks.bench_predict --rows 1000000 --settings d10
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.apart import Apart, Refused, add_turn_options, in_turns, turns_of
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
from benchmarks.engines import APPLY, ENGINES, PREDICT, Engine, Trees, choose_engines
from benchmarks.growth import job_of
from benchmarks.peers import PEERS

CALLS = 200
"""Calls on one row that are timed together."""

Line = dict[str, Any]


class Answering:
    """One engine at one thread count: all rows in one call, or one row in each of many."""

    def __init__(
        self, spec: dict[str, Any], cache: str, folder: str, engine: str, count: int, **how: Any
    ) -> None:
        one = ENGINES[engine]
        reason = one.missing() or PEERS[one.tree].missing()
        if reason:
            raise Refused(reason)
        data, train = load(DataSpec(**spec), Path(cache)), how["train"]
        job = job_of(DataSpec(**spec | {"rows": train}), data, SETTINGS[how["setting"]], how["threads"])
        trees = Trees(data.X[:train], data.y[:train], job, Path(folder))
        self.answer, self.calls = one.build(trees, count), how["calls"]
        self.leaves = PEERS[one.tree](job).leaves(trees.of(one.tree))
        self.X = data.X if self.calls == 1 else np.ascontiguousarray(data.X[:1])
        self.path = Path(folder) / f"{engine}-{count}.npy"
        self.engine = engine

    def warm(self) -> None:
        self.run()

    def run(self) -> Array:
        for _ in range(self.calls - 1):
            self.answer(self.X)
        return self.answer(self.X)

    def tell(self, value: Array) -> dict[str, Any]:
        found = labels(self.engine, value)
        if self.calls == 1 and found is not None:
            np.save(self.path, found)
        return {"leaves": self.leaves}


def timed(
    args: argparse.Namespace, key: str, calls: int, folder: Path, skipped: list[dict[str, str]]
) -> tuple[dict[tuple[str, int], float], dict[tuple[str, int], dict[str, Any]]]:
    """Minimum seconds of one call, taken `calls` at a time in turns, and the facts of every engine."""
    spec = replace(spec_of(args), task="classes", classes=2)
    train = min(args.train_rows or spec.rows, spec.rows)
    given = {"spec": asdict(spec), "cache": str(args.cache.resolve()), "folder": str(folder)}
    given |= {"setting": key, "train": train, "threads": args.threads, "calls": calls}
    tasks, keys = {}, {}
    for name, engine in choose_engines(args.only).items():
        for count in (1,) if engine.one_thread or calls > 1 else sorted({1, args.threads}):
            keys[f"{name} {count}"] = (name, count)
            order = given | {"engine": name, "count": count}
            tasks[f"{name} {count}"] = Apart("benchmarks.bench_predict:Answering", order)

    def failed(text: str, reason: str) -> None:
        if text.startswith("hornbeam"):
            raise RuntimeError(f"{text} {reason}")
        skipped.append({"peer": keys[text][0], "setting": SETTINGS[key].label, "reason": reason})

    turns = turns_of(args, 0)
    times, facts = in_turns(tasks, dict.fromkeys(tasks, args.repeats), turns, failed)
    best = {keys[text]: min(taken) / calls for text, taken in times.items()}
    return best, {keys[text]: told for text, told in facts.items()}


def labels(name: str, answer: Array) -> Array | None:
    """Class numbers, for the engines that give classes."""
    if name.endswith("apply"):
        return None
    return (answer > 0.5).astype(np.int64) if name.startswith("xgboost") else answer


def lines_of(
    best: dict[tuple[str, int], float], engines: dict[str, Engine], setting: str, what: str
) -> list[Line]:
    """One line for each engine and thread count, with its ratio to Hornbeam at the same thread count."""
    lines = []
    for (name, count), seconds in best.items():
        own = best.get((engines[name].against, count))
        ratio = seconds / own if own else None
        line = {
            "what": what,
            "setting": setting,
            "peer": name,
            "threads": count,
            "best": seconds,
            "ratio": ratio,
        }
        lines.append(line)
        note(f"  {what}, {setting}: {name}, {count} thread(s) {seconds:.4g} s")
    return lines


def measure_setting(args: argparse.Namespace, key: str, skipped: list[dict[str, str]]) -> list[Line]:
    """Throughput, then latency, of every engine on the trees of one setting."""
    engines, label = choose_engines(args.only), SETTINGS[key].label
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        best, facts = timed(args, key, 1, folder, skipped)
        said = {(n, k): folder / f"{n}-{k}.npy" for n, k in best}
        answers = {pair: np.load(file) for pair, file in said.items() if file.exists()}
        single, _ = timed(args, key, CALLS, folder, [])
    lines = lines_of(best, engines, label, "throughput")
    truth = answers.get(("sklearn predict", 1))
    for line in lines:
        pair = line["peer"], line["threads"]
        same = truth is not None and pair in answers
        line["agrees"] = float(np.mean(answers[pair] == truth)) if same else None
        line["rows_per_second"] = args.rows / line["best"]
        line["leaves"] = facts[pair]["leaves"]
    return lines + lines_of(single, engines, label, "one row")


def aims_missed(lines: list[Line]) -> list[str]:
    """Twice scikit-learn on one thread, ahead of XGBoost and ONNX Runtime on two, a third for one row."""
    short = []
    for line in lines:
        ratio, peer = line["ratio"], line["peer"]
        aim = 0.0
        if peer.startswith("sklearn"):
            aim = 3.0 if line["what"] == "one row" else 2.0
        elif peer.startswith(("xgboost", "onnx")) and line["threads"] > 1:
            aim = 1.0
        if ratio is not None and ratio < aim:
            short.append(f"{line['what']}, {line['setting']}, against {peer}: {ratio:.2f}x of {aim:.0f}x")
    return short


def run(args: argparse.Namespace) -> Result:
    spec = replace(spec_of(args), task="classes", classes=2)
    if spec.kind == "nominal":
        raise SystemExit("--data-kind=nominal cannot be predicted by every engine; choose another kind")
    note(f"predict: {spec.title}")
    skipped: list[dict[str, str]] = []
    lines: list[Line] = []
    ensure(spec, args.cache)
    settings_of(args)
    for key in args.settings.split(","):
        lines += measure_setting(args, key, skipped)
    big, small = ([x for x in lines if x["what"] == what] for what in ("throughput", "one row"))
    head = [
        "setting",
        "engine",
        "threads",
        "seconds",
        "million rows / s",
        "time / Hornbeam's",
        "leaves",
        "agrees",
    ]
    rows = [
        [
            *(x["setting"], x["peer"], x["threads"], x["best"], x["rows_per_second"] / 1e6),
            *(times_text(x["ratio"]), x["leaves"], x["agrees"] and f"{x['agrees']:.4f}"),
        ]
        for x in big
    ]
    short_rows = [[x["setting"], x["peer"], x["best"] * 1e6, times_text(x["ratio"])] for x in small]
    short_head = ["setting", "engine", "microseconds", "time / Hornbeam's"]
    behind = [
        x for x in lines if x["ratio"] is not None and x["ratio"] < 1 and x["peer"] not in (PREDICT, APPLY)
    ]
    return {
        "benchmark": "predict",
        "title": f"Prediction: {spec.title}",
        "notes": ["XGBoost and ONNX Runtime walk scikit-learn's tree; Hornbeam and SnapML walk their own."],
        "data": asdict(spec),
        "turns": asdict(turns_of(args, 0)),
        "measurements": lines,
        "skipped": skipped,
        "tables": [
            table("All rows in one call", head, rows),
            table("One row in a call", short_head, short_rows),
        ],
        "ahead": [
            f"{x['peer']} by {1 / x['ratio']:.2f}x, {x['what']}, {x['setting']}, {x['threads']} thread(s)"
            for x in behind
        ],
        "short": aims_missed(lines),
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--train-rows", type=int, help="grow the trees on this many rows (default: all)")


def main(argv: list[str] | None = None) -> int:
    return command(
        run,
        __doc__,
        argv,
        add_data_options,
        add_turn_options,
        add_options,
        settings="d10,full",
        patience=600.0,
    )


if __name__ == "__main__":
    raise SystemExit(main())
