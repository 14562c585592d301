"""Growing one tree: Hornbeam and the peers side by side in one run.

The one idea: take turns, keep the minimum of each, and print leaves and training score beside the seconds, so
that nobody wins with a smaller tree. The clock runs from a ready row-major array to the finished tree.

    python -m benchmarks.bench_grow --rows 100000 --classes 5 --json grow.json
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from benchmarks.apart import add_turn_options, turns_of
from benchmarks.common import (
    SETTINGS,
    Result,
    Table,
    command,
    note,
    settings_of,
    table,
    times_text,
)
from benchmarks.data import DataSpec, add_data_options, ensure, spec_of
from benchmarks.growth import Growth
from benchmarks.peers import PEERS, choose, left_out

Aim = tuple[float | None, float | None]
D6, D10, FULL = (SETTINGS[key].label for key in ("d6", "d10", "full"))
AIMS: dict[tuple[str, str], dict[str, Aim]] = {
    ("plain", "classes"): {D6: (137.0, 6.4), D10: (121.0, 3.8), FULL: (78.0, 4.0)},
    ("weak", "classes"): {D10: (None, 2.0)},
    ("noise", "classes"): {D10: (None, 1.0), FULL: (None, 1.0)},
    ("noise", "regression"): {D6: (None, 1.0), D10: (None, 1.0), FULL: (None, 1.0)},
}
"""Wanted ratios at 1,000,000 x 20, two classes or (300,000 rows) numbers: to scikit-learn, to the fastest
binning peer. No less than version 0.1.0 reached where signals are strong."""
OTHERS: dict[str, tuple[float, float]] = {D6: (40.0, 2.0), D10: (26.7, 1.2), FULL: (20.0, 1.0)}
"""The same for other tables of 20 columns without noise; three quarters of them for portable code."""


def aims_of(spec: DataSpec, setting: str, *, portable: bool) -> Aim:
    """What is wanted in one setting: None where only a report is."""
    none = (None, None)
    if spec.cols != 20 or spec.rows < 100_000 or spec.classes > 5:
        return none
    usual = spec == DataSpec(seed=spec.seed)
    if not portable and (usual or spec.kind != "plain"):
        return AIMS.get((spec.kind, spec.task), {}).get(setting, none)
    if spec.kind != "plain" or setting not in OTHERS:
        return none
    exact, binned = OTHERS[setting]
    return (0.75 * exact, 0.75 * binned) if portable else (exact, binned)


def summarise(lines: Sequence[dict[str, Any]], setting: str, aims: Aim) -> dict[str, Any]:
    """The two ratios that matter in one setting, with what is wanted of them."""
    here = [line for line in lines if line["setting"] == setting and line["ratio"] is not None]
    exact = next((line["ratio"] for line in here if line["peer"] == "sklearn"), None)
    binned = min(
        (line for line in here if not line["exact"] and line.get("alike", True)),
        key=lambda line: float(line["best"]),
        default=None,
    )
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


def peculiar(names: Sequence[str], *, nominal: bool) -> list[str]:
    """What the page has to say about the trees of these peers, and of what they do with nominal columns."""
    said = [f"{name} {PEERS[name].grows}" for name in names if PEERS[name].grows]
    notes = [f"Other trees: {'; '.join(said)}."] if said else []
    if nominal:
        ways = "; ".join(f"{name}: {PEERS[name].way}" for name in names)
        notes.append(f"Nominal columns and gaps. {ways}.")
    return notes


def run(args: argparse.Namespace) -> Result:
    spec, peers = spec_of(args), choose(args.only)
    ensure(spec, args.cache)
    note(f"grow: {spec.title}{', portable' if args.portable else ''}")
    lines: list[dict[str, Any]] = []
    skipped = left_out(args.only)
    growth = Growth(spec, args.cache, peers, turns_of(args, spec.rows), skipped)
    settings = dict(zip(args.settings.split(","), settings_of(args), strict=True))
    for key, setting in settings.items():
        lines += growth.measure(key, setting.label, spec.rows)
    summary = [
        summarise(lines, one.label, aims_of(spec, one.label, portable=args.portable))
        for one in settings.values()
    ]
    code = "portable code" if args.portable else "best code for this processor"
    notes = [
        f"Minimum {args.clock} seconds from a ready array to the finished tree; Hornbeam with the {code}."
    ]
    if spec.task == "classes" and spec.classes > 2:
        notes.append("XGBoost's one tree for several classes does not keep to the least leaf size.")
    names = list(dict.fromkeys(line["peer"] for line in lines))
    return {
        "benchmark": "grow",
        "title": f"Growing: {spec.title}{', portable code' if args.portable else ''}",
        "notes": notes + peculiar(names, nominal=spec.kind == "nominal"),
        "data": asdict(spec),
        "portable": args.portable,
        "turns": asdict(growth.turns),
        "measurements": lines,
        "skipped": skipped,
        "summary": summary,
        "tables": tables_of(lines, summary, spec.task),
        "ahead": ahead(lines),
        "short": shortfalls(summary),
    }


def main(argv: list[str] | None = None) -> int:
    return command(run, __doc__, argv, add_data_options, add_turn_options)


if __name__ == "__main__":
    raise SystemExit(main())
