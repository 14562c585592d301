"""The classic programs beside the recipes named after them: rpart and ctree of R, J48 of Weka.

The one idea: the same table, the same settings, the time of the fit alone as the program itself takes it
(R's clock around the call after a small one, Weka's "Time taken to build model"), so that starting R or Java
and reading the file count for nothing.

    python -m benchmarks.bench_classic --rscript Rscript --weka weka.jar
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.apart import Apart, Refused, add_turn_options, turns_of
from benchmarks.bench_grow import ahead
from benchmarks.common import (
    Result,
    cell,
    command,
    failure_of,
    note,
    table,
    times_text,
)
from benchmarks.data import Array, DataSpec, add_data_options, load, spec_of

SIZES = "10000,100000"
FIRST = 1000

R_SCRIPT = """
a <- commandArgs(TRUE)
d <- read.csv(a[1])
d$y <- factor(d$y)
if (a[2] != "ctree") {
  library(rpart)
  folds <- if (a[2] == "rpart") 0 else 10
  limits <- rpart.control(cp = if (folds) 0 else 0.001, minsplit = 20, minbucket = 7, maxdepth = 30,
                          maxsurrogate = 5, maxcompete = 0, xval = folds)
  grow <- function(d) {
    f <- rpart(y ~ ., d, method = "class", control = limits)
    if (!folds) return(f)
    t <- f$cptable; b <- which.min(t[, "xerror"])
    prune(f, cp = t[which(t[, "xerror"] <= t[b, "xerror"] + t[b, "xstd"])[1], "CP"])
  }
  count <- function(f) sum(f$frame$var == "<leaf>")
  said <- function(f) predict(f, d, type = "class")
} else {
  suppressMessages(library(partykit))
  grow <- function(d) ctree(y ~ ., d)
  count <- function(f) width(f)
  said <- function(f) predict(f, d)
}
invisible(grow(head(d, 1000)))
took <- system.time(f <- grow(d))[["elapsed"]]
cat("", took, count(f), mean(said(f) == d$y), "\\n")
"""

R_VERSION = """
cat(paste("R", getRversion()), sapply(c("rpart", "partykit"), function(p)
  if (requireNamespace(p, quietly = TRUE)) paste(p, packageVersion(p)) else ""), sep = "\\n")
"""


@dataclass(frozen=True)
class Pair:
    """A program's fit, and the recipe set up alike."""

    program: str
    needs: str  # the option that names it
    recipe: str
    settings: dict[str, Any]
    about: str


PAIRS = (
    Pair("rpart", "rscript", "rpart", {"cp": 0.001}, "cp = 0.001, no cross-validation"),
    Pair(
        "rpart with 10 folds",
        "rscript",
        "cart",
        {"min_samples_split": 20, "min_samples_leaf": 7, "max_depth": 30, "cv": 10},
        "cp by 10 folds and the 1-SE rule",
    ),
    Pair("ctree", "rscript", "ctree", {}, "as it comes"),
    Pair("J48", "weka", "j48", {}, "as it comes"),
    Pair("J48", "weka", "c45", {}, "as it comes; J48 has another upper limit of errors"),
)


class Recipe:
    """The fit of one recipe."""

    def __init__(
        self, spec: dict[str, Any], cache: str, recipe: str, settings: dict[str, Any], threads: int
    ) -> None:
        import hornbeam as hb

        self.data = load(DataSpec(**spec), Path(cache))
        self.model = hb.recipe(recipe, n_jobs=threads, **settings)

    def warm(self) -> None:
        self.model.fit(self.data.X[:FIRST], self.data.y[:FIRST])

    def run(self) -> Any:
        return self.model.fit(self.data.X, self.data.y)

    def tell(self, model: Any) -> dict[str, Any]:
        score = float(np.mean(model.predict(self.data.X) == self.data.y))
        return {"leaves": int(model.tree_.n_leaves), "score": score}


def said(command: list[str], patience: float) -> str:
    """What a program printed; `Refused` with the reason where it did not get there."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=patience, check=False)
    except subprocess.TimeoutExpired:
        raise Refused(f"took longer than {patience:g} seconds") from None
    except OSError as error:
        raise Refused(f"not available: {error}") from None
    if done.returncode:
        raise Refused(failure_of(done.stderr))
    return done.stdout


def r_fit(args: argparse.Namespace, folder: Path, name: str) -> tuple[float, dict[str, Any]]:
    """Seconds, leaves and training accuracy of one fit in R."""
    command = [args.rscript, str(folder / "fit.R"), str(folder / "table.csv"), name]
    seconds, leaves, score = said(command, 2 * args.patience).split()[-3:]
    return float(seconds), {"leaves": int(leaves), "score": float(score)}


def weka_fit(args: argparse.Namespace, folder: Path, name: str) -> tuple[float, dict[str, Any]]:
    """The same of one fit in Weka, as it prints them."""
    command = ["java", "-Xmx4g", "-cp", args.weka, f"weka.classifiers.trees.{name}"]
    text = said([*command, "-t", str(folder / "table.arff"), "-no-cv"], 2 * args.patience)
    took = re.search(r"Time taken to build model:\s*([\d.]+)", text)
    leaves = re.search(r"Number of Leaves\s*:\s*(\d+)", text)
    hits = re.search(r"Correctly Classified Instances\s+\d+\s+([\d.]+)", text)
    if not (took and leaves and hits):
        raise Refused("failed: it printed no time, leaves and accuracy")
    return float(took[1]), {"leaves": int(leaves[1]), "score": float(hits[1]) / 100}


PROGRAMS: dict[str, Callable[..., tuple[float, dict[str, Any]]]] = {"rscript": r_fit, "weka": weka_fit}


def write_table(X: Array, y: Array, folder: Path) -> None:
    """The table as R and Weka read it, in digits that give the same numbers back."""
    names = [f"x{j}" for j in range(X.shape[1])]
    rows = [",".join([*map(repr, row), f"c{k}"]) for row, k in zip(X.tolist(), y.tolist(), strict=True)]
    (folder / "table.csv").write_text("\n".join([",".join([*names, "y"]), *rows, ""]), encoding="ascii")
    head = ["@relation t", *(f"@attribute {name} numeric" for name in names)]
    classes = ",".join(f"c{k}" for k in sorted(set(y.tolist())))
    text = "\n".join([*head, f"@attribute y {{{classes}}}", "@data", *rows, ""])
    (folder / "table.arff").write_text(text, encoding="ascii")
    (folder / "fit.R").write_text(R_SCRIPT, encoding="ascii")


def measure(pair: Pair, spec: DataSpec, folder: Path, args: argparse.Namespace, skipped: list[Any]) -> Any:
    """The lines of a program and its recipe on one table: the recipe first, then the program, in turns."""
    place = f"{spec.rows:,} rows, {pair.program}"
    turns, own = turns_of(args, spec.rows), f"hornbeam {pair.recipe}"
    given = {"spec": asdict(spec), "cache": str(args.cache.resolve()), "threads": args.threads}
    task = Apart(
        "benchmarks.bench_classic:Recipe", given | {"recipe": pair.recipe, "settings": pair.settings}
    )
    mine: list[float] = []
    theirs: list[float] = []
    facts: dict[str, Any] = {}
    refused = False
    try:
        task.begin(turns.patience)
        for _ in range(turns.repeats):
            mine.append(task.run(turns.patience))
            if refused or sum(theirs) > turns.enough:
                continue
            try:
                took, facts = PROGRAMS[pair.needs](args, folder, pair.program)
                theirs.append(took)
            except Refused as reason:
                refused = True
                skipped.append({"peer": pair.program, "setting": place, "reason": str(reason)})
        told = task.tell(turns.patience)
    finally:
        task.close()
    best = min(mine)
    common = {"setting": place, "rows": spec.rows, "about": pair.about}
    lines = [common | {"peer": own, "seconds": mine, "best": best, "ratio": 1.0} | told]
    if theirs:
        line = {"peer": pair.program, "seconds": theirs, "best": min(theirs), "ratio": min(theirs) / best}
        lines.append(common | line | facts)
    for line in lines:
        note(f"  {place}: {line['peer']} {line['best']:.4g} s, {line['leaves']} leaves")
    return lines


def programs(args: argparse.Namespace) -> str:
    """The versions of R, its packages and Weka, as they say themselves."""
    found = []
    if args.rscript:
        found += [line for line in said([args.rscript, "-e", R_VERSION], 60).splitlines() if line]
    if args.weka:
        text = re.search(r"\d+(\.\d+)+", said(["java", "-cp", args.weka, "weka.core.Version"], 60))
        found.append(f"Weka {text[0]}" if text else "Weka")
    return ", ".join(found) or "none is there"


def run(args: argparse.Namespace) -> Result:
    sizes = [int(size) for size in args.sizes.split(",")]
    skipped: list[dict[str, str]] = []
    lines: list[dict[str, Any]] = []
    for rows in sizes:
        spec = replace(spec_of(args), rows=rows, task="classes")
        note(f"classic: {spec.title}")
        data = load(spec, args.cache)
        with tempfile.TemporaryDirectory() as folder:
            write_table(data.X, data.y, Path(folder))
            for pair in PAIRS:
                if args.only and pair.program not in args.only.split(","):
                    reason = "not asked for (--only)"
                    skipped.append({"peer": pair.program, "setting": "all", "reason": reason})
                elif getattr(args, pair.needs):
                    lines += measure(pair, spec, Path(folder), args, skipped)
                else:
                    reason = f"needs --{pair.needs}"
                    skipped.append({"peer": pair.program, "setting": f"{rows:,} rows", "reason": reason})
    head = ["rows", "learner", "settings", "seconds", "runs", "time / Hornbeam's", "leaves", "accuracy"]
    rows_of = [
        [
            *(x["rows"], x["peer"], x["about"], x["best"], len(x["seconds"]), times_text(x["ratio"])),
            *(x["leaves"], f"{x['score']:.4f}"),
        ]
        for x in lines
    ]
    return {
        "benchmark": "classic",
        "title": f"The classic programs: {' and '.join(map(cell, sizes))} rows x {args.cols}, 2 classes",
        "notes": [
            f"The fit alone, by the program's own clock: {programs(args)}. R fits {FIRST:,} rows before it;"
            " Weka's first fit in a fresh Java is all there is, to a hundredth of a second. They have one"
            f" thread, Hornbeam {args.threads}. Accuracy is that on the training rows.",
        ],
        "turns": asdict(turns_of(args, sizes[-1])),
        "measurements": lines,
        "skipped": skipped,
        "tables": [table("", head, rows_of)],
        "ahead": ahead([x for x in lines if not x["peer"].startswith("hornbeam")]),
        "short": [],
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", default=SIZES, help="numbers of rows, comma-separated")
    parser.add_argument("--weka", default="", help="weka.jar; without it J48 is left out")
    parser.add_argument("--rscript", default="", help="Rscript; without it rpart and ctree are left out")


def main(argv: list[str] | None = None) -> int:
    return command(
        run, __doc__, argv, add_data_options, add_turn_options, add_options, repeats=3, patience=180.0
    )


if __name__ == "__main__":
    raise SystemExit(main())
