"""Run every learner on every table, each in a process of its own, and write the page.

    python -m benchmarks.accuracy --data DIR --weka weka.jar --rscript Rscript

What is stored of the same tables and folds stays: a run goes on where the last one ended. Results of other
tables go, so that a page is about one folder. `--page` only writes the page again.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.accuracy import store
from benchmarks.accuracy.figures import MEASURES, ranks, single_trees
from benchmarks.accuracy.learners import LEARNERS
from benchmarks.accuracy.summary import page, plot
from benchmarks.accuracy.tables import Facts, facts_of, marks_of
from benchmarks.common import LINEAR_TREE, ROOT, note, versions

PACKAGES = ("hornbeam", "scikit-learn", "lightgbm", "ydf", "orange3", "cubist", "linear-tree")


def usable(args: argparse.Namespace, skipped: list[str]) -> list[str]:
    """The learners that are there; the others are named."""
    found = []
    for name, (_, _, needs) in LEARNERS.items():
        if args.only and not any(part in name for part in args.only.split(",")):
            continue
        if name == "linear-tree" and args.linear_tree:
            present, reason = True, ""
        elif needs.isupper():
            present, reason = bool(os.environ.get(needs)), f"needs --{needs.lower()}"
        else:
            present, reason = importlib.util.find_spec(needs) is not None, "is not installed"
        if present:
            found.append(name)
        else:
            skipped.append(f"{name} {reason}")
    return found


def check_names(parser: argparse.ArgumentParser, args: argparse.Namespace, facts: dict[str, Facts]) -> None:
    """Every name of --only and --tables must mean something."""
    for part in args.only.split(",") if args.only else ():
        if not any(part in name for name in LEARNERS):
            parser.error(f"--only names {part}; choose from {', '.join(LEARNERS)}")
    for name in args.tables.split(",") if args.tables else ():
        if name not in facts:
            parser.error(f"--tables names {name}; {args.data} has {', '.join(facts)}")


def keep_known(stored: dict[str, Any], marks: dict[str, str]) -> None:
    """Forget what was measured on other tables, or in other folds."""
    same = {table for table, mark in marks.items() if stored["tables"].get(table) == mark}
    stored["folds"] = {table: found for table, found in stored["folds"].items() if table in same}
    stored["skipped"] = {
        what: why for what, why in stored["skipped"].items() if Path(what.rpartition(" on ")[2]).stem in same
    }
    stored["tables"] = marks


def asked(
    args: argparse.Namespace, facts: dict[str, Facts], learners: list[str]
) -> Iterator[tuple[str, str]]:
    """(table, learner) from the small tables to the large ones."""
    for name, about in sorted(facts.items(), key=lambda item: item[1]["rows"]):
        if about["rows"] > args.most_rows or (args.tables and name not in args.tables.split(",")):
            continue
        for learner in learners:
            if about["task"] in LEARNERS[learner][1]:
                yield name, learner


def measured(
    args: argparse.Namespace, name: str, about: Facts, learner: str
) -> tuple[list[dict[str, float]], str]:
    """The folds of a learner on a table, or why there are none."""
    command = [
        args.linear_tree if learner == "linear-tree" and args.linear_tree else sys.executable,
        "-m",
        "benchmarks.accuracy.worker",
        str(args.data),
        name,
        learner,
        str(args.folds),
        json.dumps(about),
    ]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=args.patience, cwd=ROOT)
    except subprocess.TimeoutExpired:
        return [], f"took longer than {args.patience:g} seconds"
    if run.returncode:
        return [], "failed: " + (run.stderr.strip().splitlines() or ["without a word"])[-1][:160]
    return [json.loads(line) for line in run.stdout.splitlines()], ""


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of ARFF and CSV files, with or without tables.json")
    parser.add_argument("--weka", default="", help="weka.jar; without it J48 and M5P are left out")
    parser.add_argument("--rscript", default="", help="Rscript; without it rpart and ctree are left out")
    old = str(LINEAR_TREE) if LINEAR_TREE.exists() else ""
    parser.add_argument("--linear-tree", default=old, help="the Python of an environment with linear-tree")
    parser.add_argument("--only", help="learners whose names hold one of these words, comma-separated")
    parser.add_argument("--tables", help="only these files, comma-separated")
    parser.add_argument("--most-rows", type=int, default=10**9, help="larger tables are left out")
    parser.add_argument("--patience", type=float, default=3600.0, help="seconds for a learner on a table")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--again", action="store_true", help="measure anew what is stored")
    parser.add_argument("--about", help="what the page says of where the tables come from; it is stored")
    parser.add_argument("--add", type=Path, help="take over what another file (CSV, or JSON as before) holds")
    parser.add_argument("--page", action="store_true", help="only write the page from what is stored")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "benchmarks" / "accuracy.csv")
    args = parser.parse_args(argv)
    os.environ.update({"WEKA": args.weka, "RSCRIPT": args.rscript})
    if args.out.suffix != ".csv":
        parser.error(f"--out names {args.out}; results are stored as CSV, give a name that ends in .csv")
    stored = store.read(args.out) if args.out.exists() else store.empty()
    if args.add:
        join(stored, store.read(args.add))
        store.write(args.out, stored)
    if args.about:
        stored["about"] = args.about
        store.write(args.out, stored)
    lacking: list[str] = []
    if not args.page:
        if not args.data:
            parser.error("--data names the folder with the tables")
        try:
            facts = facts_of(args.data)
        except ValueError as error:
            parser.error(str(error))
        check_names(parser, args, facts)
        keep_known(stored, marks_of(args.data, facts, args.folds))
        stored["versions"] |= {name: text for name, text in versions().items() if name in PACKAGES}
        for name, learner in asked(args, facts, usable(args, lacking)):
            known = stored["folds"].setdefault(Path(name).stem, {})
            if learner in known and not args.again:
                continue
            known[learner], reason = measured(args, name, facts[name], learner)
            stored["skipped"].pop(f"{learner} on {name}", None)
            if not reason:
                stored["skipped"].pop(f"{learner} on every table", None)
            else:
                del known[learner]
                stored["skipped"][f"{learner} on {name}"] = reason
            note(f"{name}: {learner} {reason or 'done'}")
            store.write(args.out, stored)
    write(store.read(args.out) if args.out.exists() else stored, lacking, args)
    return 0


def join(stored: dict[str, Any], other: dict[str, Any]) -> None:
    """Add what another file holds; of what both hold the other counts."""
    for table, found in other["folds"].items():
        stored["folds"].setdefault(table, {}).update(found)
    for key in ("skipped", "versions", "tables"):
        stored[key] |= other[key]
    stored |= {"about": other["about"]} if other.get("about") else {}


def write(stored: dict[str, Any], lacking: list[str], args: argparse.Namespace) -> None:
    """The page and its pictures beside the stored folds."""
    skipped = [*lacking, *(f"{what} {reason}" for what, reason in sorted(stored["skipped"].items()))]
    about = {"about": stored["about"]} if stored.get("about") else {}
    text = page(stored["folds"], skipped, stored["versions"], args.folds, args.out.stem, **about)
    args.out.with_suffix(".md").write_text(text, encoding="utf-8")
    for measure, (title, _) in MEASURES.items():
        found = ranks(single_trees(stored["folds"]), measure)[1]
        if found:
            path = args.out.with_name(f"{args.out.stem}-{measure.replace(' ', '-')}.svg")
            path.write_text(plot(f"{title}: mean rank", found), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
