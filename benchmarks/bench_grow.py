"""Growing one tree: Hornbeam and the peers side by side in one run.

The one idea: take turns, keep the minimum of each, and print leaves and training score beside the seconds, so
that nobody wins with a smaller tree. The clock runs from a ready row-major array to the finished tree.

    python -m benchmarks.bench_grow --rows 100000 --classes 5 --json grow.json
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from benchmarks.common import (
    SETTINGS,
    Result,
    Setting,
    Table,
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
from benchmarks.data import Array, Data, DataSpec, add_data_options, load, spec_of
from benchmarks.peers import Job, Peer, choose

AIMS = {
    SETTINGS["d6"].label: (60.0, 3.0),
    SETTINGS["d10"].label: (40.0, 1.8),
    SETTINGS["full"].label: (30.0, 1.5),
}
"""Wanted ratios at 1,000,000 x 20, two classes: to scikit-learn, to the fastest binning peer."""


def aim_share(spec: DataSpec, *, portable: bool) -> float | None:
    """Which part of `AIMS` holds for this data: None where only a report is wanted."""
    if spec.cols != 20 or spec.rows < 100_000 or spec.kind != "plain":
        return None
    if portable:
        return 0.5
    usual = spec == DataSpec(seed=spec.seed)
    return 1.0 if usual else 2 / 3


def job_of(spec: DataSpec, data: Data, setting: Setting, threads: int) -> Job:
    """The tree of `setting` on `data`."""
    classes = spec.classes if spec.task == "classes" else 0
    return Job(spec.task, classes, spec.rows, setting.max_depth, setting.min_leaf, threads, data.nominal)


def training_score(answer: Array, y: Array, task: str) -> float:
    """Accuracy, or the share of variance explained."""
    if task == "classes":
        return float(np.mean(answer == y))
    return float(1 - np.mean((answer - y) ** 2) / np.var(y))


def able(
    peers: Sequence[type[Peer]], job: Job, setting: str, skipped: list[dict[str, str]]
) -> dict[str, Peer]:
    """The peers that can do the job, set up for it; the others are named in `skipped`."""
    fit = {}
    for peer in peers:
        reason = peer.missing() or peer(job).refuses()
        if reason:
            skipped.append({"setting": setting, "peer": peer.name, "reason": reason})
        else:
            fit[peer.name] = peer(job)
    return fit


def measure(
    data: Data,
    job: Job,
    setting: str,
    peers: Sequence[type[Peer]],
    repeats: tuple[int, int],
    skipped: list[dict[str, str]],
) -> list[dict[str, Any]]:
    """One line for each peer: times, ratio to Hornbeam, leaves, training score.

    `repeats` has two numbers, the second for slow peers.
    """

    def failed(name: str, error: Exception) -> None:
        if name == "hornbeam":
            raise error
        skipped.append({"setting": setting, "peer": name, "reason": f"failed: {error}"})

    runners = able(peers, job, setting, skipped)
    X, y = data.X[:1000], data.y[:1000]  # a first small fit: imports and thread pools are no part of growing
    first = {name: partial(peer.fit, X, y) for name, peer in runners.items()}
    warm, _ = alternate(first, dict.fromkeys(first, 1), failed)
    calls = {name: partial(peer.fit, data.X, data.y) for name, peer in runners.items() if name in warm}
    times, models = alternate(calls, {name: repeats[runners[name].slow] for name in calls}, failed)
    own = min(times["hornbeam"]) if "hornbeam" in times else None
    lines = []
    for name, taken in times.items():
        peer, best = runners[name], min(times[name])
        line = {
            "setting": setting,
            "peer": name,
            "exact": peer.exact,
            "threads": 1 if peer.one_thread else job.threads,
            "seconds": taken,
            "best": best,
            "ratio": best / own if own else None,
            "leaves": peer.leaves(models[name]),
            "score": training_score(peer.predict(models[name], data.X), data.y, job.task),
        }
        lines.append(line)
        note(f"  {setting}: {name} {best:.4g} s, {line['leaves']} leaves")
    return lines


def summarise(lines: Sequence[dict[str, Any]], setting: str, share: float | None) -> dict[str, Any]:
    """The two ratios that matter in one setting, with what is wanted of them."""
    here = [line for line in lines if line["setting"] == setting and line["ratio"] is not None]
    exact = next((line["ratio"] for line in here if line["peer"] == "sklearn"), None)
    binned = min(
        (line for line in here if not line["exact"]), key=lambda line: float(line["best"]), default=None
    )
    aims = [None if share is None else share * aim for aim in AIMS.get(setting, (0.0, 0.0))]
    return {
        "setting": setting,
        "sklearn_ratio": exact,
        "sklearn_aim": aims[0],
        "binned_peer": binned["peer"] if binned else None,
        "binned_ratio": binned["ratio"] if binned else None,
        "binned_aim": aims[1],
    }


def shortfalls(summary: Sequence[dict[str, Any]]) -> list[str]:
    """A sentence for each ratio below its aim."""
    found = []
    for row in summary:
        for key, name in (("sklearn", "scikit-learn"), ("binned", row["binned_peer"])):
            ratio, aim = row[f"{key}_ratio"], row[f"{key}_aim"]
            if ratio is not None and aim is not None and ratio < aim:
                found.append(f"{row['setting']}, against {name}: {ratio:.2f}x of {aim:.2f}x")
    return found


def ahead(lines: Sequence[dict[str, Any]]) -> list[str]:
    """A sentence for each peer that was faster than Hornbeam."""
    return [
        f"{line['peer']} by {1 / line['ratio']:.2f}x at {line['setting']}"
        for line in lines
        if line["ratio"] is not None and line["ratio"] < 1
    ]


def tables_of(lines: Sequence[dict[str, Any]], summary: Sequence[dict[str, Any]], task: str) -> list[Table]:
    score = "training accuracy" if task == "classes" else "training R2"
    head = ["setting", "peer", "exact", "threads", "seconds", "runs", "time / Hornbeam's", "leaves", score]
    rows = [
        [
            *(
                line["setting"],
                line["peer"],
                line["exact"],
                line["threads"],
                line["best"],
                len(line["seconds"]),
            ),
            *(times_text(line["ratio"]), line["leaves"], f"{line['score']:.4f}"),
        ]
        for line in lines
    ]
    parts = [table("", head, rows)]
    if any(row["sklearn_ratio"] or row["binned_ratio"] for row in summary):
        keys = ("setting", "sklearn_ratio", "sklearn_aim", "binned_peer", "binned_ratio", "binned_aim")
        head = ["setting", "scikit-learn / Hornbeam", "aim", "fastest binning peer", "it / Hornbeam", "aim"]
        rows = [
            [times_text(row[k]) if isinstance(row[k], float) else row[k] for k in keys] for row in summary
        ]
        parts.append(table("Ratios", head, rows))
    return parts


def run(args: argparse.Namespace) -> Result:
    spec, peers = spec_of(args), choose(args.only)
    slow_repeats = args.slow_repeats or (1 if spec.rows >= 500_000 else args.repeats)
    data = load(spec, args.cache)
    note(f"grow: {spec.title}{', portable' if args.portable else ''}")
    lines: list[dict[str, Any]] = []
    skipped: list[dict[str, str]] = []
    for setting in settings_of(args):
        job = job_of(spec, data, setting, args.threads)
        lines += measure(data, job, setting.label, peers, (args.repeats, slow_repeats), skipped)
    share = aim_share(spec, portable=args.portable)
    summary = [summarise(lines, setting.label, share) for setting in settings_of(args)]
    code = "portable code" if args.portable else "best code for this processor"
    notes = [f"Minimum wall seconds from a ready array to the finished tree; Hornbeam with the {code}."]
    if spec.task == "classes" and spec.classes > 2:
        notes.append("XGBoost's one tree for several classes does not keep to the least leaf size.")
    return {
        "benchmark": "grow",
        "title": f"Growing: {spec.title}{', portable code' if args.portable else ''}",
        "notes": notes,
        "data": asdict(spec),
        "portable": args.portable,
        "measurements": lines,
        "skipped": skipped,
        "summary": summary,
        "tables": tables_of(lines, summary, spec.task),
        "ahead": ahead(lines),
        "short": shortfalls(summary),
    }


def main(argv: list[str] | None = None) -> int:
    parser = parser_of("bench_grow", __doc__)
    add_data_options(parser)
    add_run_options(parser)
    parser.add_argument(
        "--slow-repeats", type=int, help="repetitions of the exact peers (1 from 500,000 rows on)"
    )
    args = parser.parse_args(argv)
    prepare(args)
    return finish(run(args), args)


if __name__ == "__main__":
    raise SystemExit(main())
