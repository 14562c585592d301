"""Prediction: rows a second for a large table, microseconds for one row in a call.

The one idea: throughput and latency are different costs, so both are measured, each against the engines that
are good at it, and the answers are compared with scikit-learn's so that nobody is fast by being wrong.

    python -m benchmarks.bench_predict --rows 1000000 --settings d10
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
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
from benchmarks.data import Array, add_data_options, load, spec_of
from benchmarks.engines import APPLY, PREDICT, Answer, Engine, Trees, choose_engines
from benchmarks.growth import job_of
from benchmarks.peers import PEERS

CALLS = 200
"""Calls on one row that are timed together."""

Line = dict[str, Any]


def build(
    engines: dict[str, Engine], trees: Trees, threads: int, setting: str, skipped: list[dict[str, str]]
) -> dict[tuple[str, int], Answer]:
    """Every engine at one thread and, where it can, at `threads`."""
    answers: dict[tuple[str, int], Answer] = {}
    for name, engine in engines.items():
        reason = engine.missing() or PEERS[engine.tree].missing()
        if reason:
            skipped.append({"setting": setting, "peer": name, "reason": reason})
            continue
        try:
            for count in (1,) if engine.one_thread else sorted({1, threads}):
                answers[name, count] = engine.build(trees, count)
        except Exception as error:
            if engine.tree == "hornbeam":
                raise
            skipped.append({"setting": setting, "peer": name, "reason": f"failed: {error}"})
    return answers


def timed(
    answers: dict[tuple[str, int], Answer], X: Array, calls: int, repeats: int
) -> tuple[dict[tuple[str, int], float], dict[str, Any]]:
    """Minimum seconds of one call on `X`, taken `calls` at a time in turns, and the last answers."""

    def many(answer: Answer) -> Array:
        for _ in range(calls - 1):
            answer(X)
        return answer(X)

    keys = {f"{name} {count}": (name, count) for name, count in answers}
    turns: dict[str, Callable[[], Any]] = {text: partial(many, answers[key]) for text, key in keys.items()}
    for turn in turns.values():
        turn()
    times, values = alternate(turns, dict.fromkeys(turns, repeats), _raise)
    return {keys[text]: min(taken) / calls for text, taken in times.items()}, values


def _raise(name: str, error: Exception) -> None:
    raise RuntimeError(f"{name} failed: {error}") from error


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


def measure_setting(args: argparse.Namespace, setting: Any, skipped: list[dict[str, str]]) -> list[Line]:
    """Throughput, then latency, of every engine on the trees of one setting."""
    spec = replace(spec_of(args), task="classes", classes=2)
    data, engines = load(spec, args.cache), choose_engines(args.only)
    train = min(args.train_rows or spec.rows, spec.rows)
    job = job_of(replace(spec, rows=train), data, setting, args.threads)
    trees = Trees(data.X[:train], data.y[:train], job, {})
    answers = build(engines, trees, args.threads, setting.label, skipped)
    best, values = timed(answers, data.X, 1, args.repeats)
    lines = lines_of(best, engines, setting.label, "throughput")
    truth = values.get("sklearn predict 1")
    for line in lines:
        found = labels(line["peer"], values[f"{line['peer']} {line['threads']}"])
        same = truth is not None and found is not None
        line["agrees"] = float(np.mean(found == truth)) if same else None
        line["rows_per_second"] = len(data.X) / line["best"]
        tree = engines[line["peer"]].tree
        line["leaves"] = PEERS[tree](job).leaves(trees.of(tree))
    single = {key: answer for key, answer in answers.items() if key[1] == 1}
    row = np.ascontiguousarray(data.X[:1])
    return lines + lines_of(timed(single, row, CALLS, args.repeats)[0], engines, setting.label, "one row")


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
    for setting in settings_of(args):
        lines += measure_setting(args, setting, skipped)
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


def main(argv: list[str] | None = None) -> int:
    parser = parser_of("bench_predict", __doc__)
    add_data_options(parser)
    add_run_options(parser, settings="d10,full")
    parser.add_argument("--train-rows", type=int, help="grow the trees on this many rows (default: all)")
    args = parser.parse_args(argv)
    prepare(args)
    return finish(run(args), args)


if __name__ == "__main__":
    raise SystemExit(main())
