"""Accuracy and size of the recipes beside the programs they are named after: J48 of Weka, rpart of R.

The one idea: the same rows, the same ten folds, the programs as they come. Whatever is lost is in the table.

    python -m benchmarks.accuracy_recipes --data DIR --weka weka.jar --rscript Rscript

DIR holds tables (ARFF or CSV); `tables.json`, if there, names target, task and columns to drop for each.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from tests.estimators.test_golden_j48 import as_weka, same
from tests.golden.j48.make import parsed

import hornbeam as hb
from benchmarks.accuracy.tables import facts_of
from benchmarks.arff import Plain, read, write
from benchmarks.common import ROOT, note

R_SCRIPT = """
library(rpart)
a <- commandArgs(TRUE)
d <- read.csv(a[1], na.strings = "", stringsAsFactors = TRUE)
fold <- d$fold; d$fold <- NULL
for (k in sort(unique(fold))) {
  fit <- rpart(class ~ ., d[fold != k, ], method = "class", control = rpart.control(xval = 0))
  hit <- mean(predict(fit, d[fold == k, ], type = "class") == d$class[fold == k])
  cat(hit, sum(fit$frame$var == "<leaf>"), "\\n")
}
"""


def j48(jar: Path, folder: Path, table: Plain, train: np.ndarray, test: np.ndarray) -> tuple[float, int]:
    """Accuracy on the test rows and leaves of J48's tree."""
    write(table, train, folder / "train.arff")
    write(table, test, folder / "test.arff")
    said = weka(jar, "-t", str(folder / "train.arff"), "-T", str(folder / "test.arff"), "-v")
    hits = re.search(r"Correctly Classified Instances\s+(\d+)", said.split("Error on test data")[1])
    leaves = re.search(r"Number of Leaves\s*:\s*(\d+)", said)
    assert hits
    return int(hits[1]) / len(test), int(leaves[1]) if leaves else 1


def weka(jar: Path, *options: str) -> str:
    command = ["java", "-Xmx1g", "-XX:+UseSerialGC", "-cp", str(jar), "weka.classifiers.trees.J48", *options]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def own(model: Any, table: Plain, train: np.ndarray, test: np.ndarray) -> tuple[float, int]:
    model.fit(table.X.iloc[train], table.y[train])
    return float(model.score(table.X.iloc[test], table.y[test])), model.tree_.n_leaves


def rpart(rscript: str, folder: Path, table: Plain, fold: np.ndarray) -> list[tuple[float, int]]:
    """Accuracy and leaves of rpart's trees by fold; none if it takes too long (many values, many classes)."""
    (folder / "folds.R").write_text(R_SCRIPT, encoding="utf-8")
    table.X.assign(**{"class": table.y, "fold": fold}).to_csv(folder / "folds.csv", index=False)
    command = [rscript, str(folder / "folds.R"), str(folder / "folds.csv")]
    try:
        said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return []
    return [(float(a), int(b)) for a, b in (line.split() for line in said.splitlines())]


def measured(
    name: str, table: Plain, args: argparse.Namespace, before: dict[str, Any] | None
) -> dict[str, Any]:
    """Means over the folds of one table, and whether the trees of all rows are the same.

    With `before` the programs are not run on the folds again.
    """
    folds = list(StratifiedKFold(args.folds, shuffle=True, random_state=0).split(table.X, table.y))
    fold = np.empty(len(table.y), dtype=int)
    for k, (_, test) in enumerate(folds):
        fold[test] = k
    found: dict[str, Any] = {"table": name, "rows": len(table.y), "gaps": table.has_gaps}
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        runs: dict[str, list[tuple[float, int]]] = {
            "c45": [own(hb.c45(), table, *part) for part in folds],
            "j48": [own(hb.j48(), table, *part) for part in folds],
        }
        if before is not None:
            found |= {who: before[who] for who in ("J48", "R") if who in before}
            runs["rpart"] = [own(hb.rpart(), table, *part) for part in folds] if "R" in before else []
        else:
            runs["J48"] = [j48(args.weka, folder, table, *part) for part in folds]
        if args.rscript and before is None:
            theirs = rpart(args.rscript, folder, table, fold)
            runs |= {
                "R": theirs,
                "rpart": [own(hb.rpart(), table, *part) for part in folds] if theirs else [],
            }
        write(table, np.arange(len(table.y)), folder / "all.arff")
        grown = parsed(weka(args.weka, "-t", str(folder / "all.arff"), "-no-cv"))
    for who, results in runs.items():
        if results:
            found[who] = [
                100 * float(np.mean([a for a, _ in results])),
                float(np.mean([b for _, b in results])),
            ]
    mine = as_weka(hb.j48().fit(table.X, table.y).tree_)
    found["same"] = bool(same(mine, grown))
    return found


WHO = ("J48", "R", "c45", "j48", "rpart")
MEASURED = ("accuracy", "leaves")


def write_results(path: Path, results: list[dict[str, Any]]) -> None:
    """A line for each table: accuracy in percent and leaves of each program and recipe."""
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(
            ["table", "rows", "gaps", "same", *(f"{who} {what}" for who in WHO for what in MEASURED)]
        )
        for one in results:
            found = [f"{value:.6g}" if value else "" for who in WHO for value in one.get(who, (None, None))]
            lines.writerow([one["table"], one["rows"], one["gaps"], one["same"], *found])


def read_results(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [
            {"table": row["table"], "rows": int(row["rows"])}
            | {what: row[what] == "True" for what in ("gaps", "same")}
            | {
                who: [float(row[f"{who} {what}"]) for what in MEASURED]
                for who in WHO
                if row[f"{who} accuracy"]
            }
            for row in csv.DictReader(file)
        ]


def page(results: list[dict[str, Any]], folds: int) -> str:
    """The page in the documentation."""
    lines = [
        "# Recipes beside the programs they are named after\n",
        f"Mean accuracy in percent over {folds} stratified folds, the same for both sides, and mean number of"
        " leaves. J48 is that of Weka 3.6.14, rpart that of R, both with their defaults. `python -m"
        " benchmarks.accuracy_recipes --data DIR --weka weka.jar --rscript Rscript` writes this page; the"
        " tables are not part of the package. J48 puts no cut between numbers at most 0.00001 apart, and"
        " takes scores nearer than a millionth for ties. A column of glass has numbers 0.00001 apart: with"
        " that column a thousand times as large both grow the same tree. rpart differs at ties and where rows"
        " are counted for its stand-ins ([recipes](../reference/recipes.md)).\n",
        *_summary(results),
        "| table | rows | gaps | J48 | `hb.c45()` | `hb.j48()` | leaves J48 | c45 | j48 | same tree | rpart |"
        " `hb.rpart()` |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in results:
        cells = [one["table"], f"{one['rows']:,}", "yes" if one["gaps"] else "no"]
        cells += [f"{one[who][0]:.2f}" for who in ("J48", "c45", "j48")]
        cells += [f"{one[who][1]:.1f}" for who in ("J48", "c45", "j48")]
        cells.append("yes" if one["same"] else "**no**")
        cells += [f"{one[who][0]:.2f}" if who in one else "-" for who in ("R", "rpart")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _summary(results: list[dict[str, Any]]) -> list[str]:
    mean = {who: np.mean([one[who] for one in results], axis=0) for who in ("J48", "c45", "j48")}
    whole = [one for one in results if not one["gaps"]]
    lines = []
    for who in ("c45", "j48"):
        points, leaves = mean[who][0] - mean["J48"][0], 100 * (mean[who][1] / mean["J48"][1] - 1)
        lines.append(f"- `hb.{who}()` against J48: {points:+.2f} points, {leaves:+.1f} % leaves, on average.")
    same_trees = [sum(one["same"] for one in part) for part in (whole, results)]
    lines.append(
        f"- `hb.j48()` grows J48's tree on {same_trees[0]} of {len(whole)} tables without gaps, on"
        f" {same_trees[1]} of all {len(results)}."
    )
    both = [one for one in results if "R" in one]
    if both:
        gap = np.mean([one["rpart"][0] - one["R"][0] for one in both])
        lines.append(f"- `hb.rpart()` against rpart: {gap:+.2f} points on average of {len(both)} tables.")
    worse = [
        f"{one['table']} ({one['c45'][0] - one['J48'][0]:+.2f})"
        for one in results
        if one["c45"][0] < one["J48"][0] - 0.2
    ]
    lines.append(f"- `hb.c45()` loses more than 0.2 points to J48 on: {', '.join(worse) or 'none'}.\n")
    return lines


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Accuracy of the recipes beside Weka and R.")
    parser.add_argument("--data", type=Path, required=True, help="folder of ARFF and CSV files")
    parser.add_argument("--weka", type=Path, required=True, help="weka.jar")
    parser.add_argument("--rscript", help="Rscript; without it rpart is left out")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--most-rows", type=int, default=10**9, help="larger tables are left out")
    parser.add_argument("--tables", help="only these files, comma-separated")
    parser.add_argument("--keep", action="store_true", help="keep what is stored, measure the other tables")
    parser.add_argument("--own", action="store_true", help="keep what the programs gave, measure the recipes")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "benchmarks" / "recipes.md")
    args = parser.parse_args(argv)
    warnings.simplefilter("ignore")  # columns with a value for each row
    facts = facts_of(args.data)
    wanted = [
        (name, fact)
        for name, fact in facts.items()
        if fact["task"] == "classification" and fact["rows"] <= args.most_rows
        if not args.tables or name in args.tables.split(",")
    ]
    stored = args.out.with_suffix(".csv")
    kept = read_results(stored) if stored.exists() else []
    results = kept if args.keep or args.own else []
    for name, fact in sorted(wanted, key=lambda item: item[1]["rows"]):
        before = next((one for one in results if one["table"] == Path(name).stem), None)
        if before is not None and not args.own:
            continue
        table = read(args.data / name, fact["target"], fact["drop"], fact.get("header"))
        results = [one for one in results if one is not before]
        results.append(measured(Path(name).stem, table, args, before))
        note(json.dumps(results[-1]))
        results.sort(key=lambda one: one["table"])
        write_results(stored, results)
        args.out.write_text(page(results, args.folds), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
