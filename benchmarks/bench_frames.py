"""Small and middling tables as data frames: a small fit, one row, and a folder of real tables.

The one idea: Hornbeam is given the frame as its user has it, with categories or text and with gaps, and
scikit-learn the codes that somebody has prepared before the clock starts. Both work in one process and take
turns; CPU time is compared, of which a busy machine takes nothing.

    python -m benchmarks.bench_frames --data DIR
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy.tables import Facts, facts_of
from benchmarks.common import Result, command, note, table, times_text
from benchmarks.data import add_data_options, load, spec_of

DEPTHS = {"fully grown": None, "depth 6": 6}
FORMS = {"categories": "category", "text": object}
"""What a column that is no number is in the frame."""
MOST_SECONDS = 1.0
"""CPU time after which a pair is not repeated."""

AIMS = {"fit": 1.3, "predict": 0.3}
"""Milliseconds for a fit of 200 x 10 and for the prediction of one row; every real table at least as fast as
scikit-learn."""

Calls = Mapping[str, Callable[[], Any]]


def run(args: argparse.Namespace) -> Result:
    warnings.simplefilter("ignore")  # columns that mislead, in tables that are what they are
    lines = [*made_frames(args)]
    for name, about in facts_of(args.data).items() if args.data else ():
        note(f"frames: {name}")
        lines += real_table(args.data / name, about, args)
    made = [line for line in lines if line["form"] == "numbers"]
    rows = [
        [line["setting"], line["best"] * 1e3, line["peer_best"] * 1e3, times_text(line["ratio"])]
        for line in made
    ]
    head = ["made frame", "hornbeam ms", "sklearn ms", "sklearn / hornbeam"]
    tables = [table("", head, rows)]
    if args.data:
        real = [line for line in lines if line["form"] != "numbers"]
        tables += [summary_table(real), table_by_table(real)]
    return {
        "benchmark": "frames",
        "title": "Data frames of pandas",
        "notes": [
            f"CPU milliseconds, at most {args.repeats} turns. The real tables are those of a folder, with"
            " `--data DIR`: Hornbeam reads the frame with categories (or objects of text) and gaps,"
            " scikit-learn is given ready codes, whose making is not timed."
        ],
        "measurements": lines,
        "skipped": [],
        "tables": tables,
        "ahead": ahead(lines),
        "short": shortfalls(lines),
    }


def shortfalls(lines: list[dict[str, Any]]) -> list[str]:
    """A sentence for each made frame that takes too long, and for the real tables below 1."""
    late = [
        f"{line['setting']}: {line['best'] * 1e3:.2f} ms, the aim is {AIMS[what]} ms"
        for line in lines
        for what in AIMS
        if line["form"] == "numbers" and line["setting"].startswith(what) and line["best"] * 1e3 > AIMS[what]
    ]
    below = sorted({line["table"] for line in lines if "table" in line and line["ratio"] < 1})
    return late + ([f"slower than scikit-learn on ready codes: {', '.join(below)}"] if below else [])


def summary_table(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """For each form and depth: the worst ratio, the median, and the tables below 1."""
    rows = []
    for form in FORMS:
        for depth in DEPTHS:
            mine = sorted((x["ratio"], x["table"]) for x in lines if (x["form"], x["depth"]) == (form, depth))
            if mine:
                middle = statistics.median(ratio for ratio, _ in mine)
                below = ", ".join(f"{name} {ratio:.2f}" for ratio, name in mine if ratio < 1)
                worst = times_text(mine[0][0])
                rows.append([f"{form}, {depth}", len(mine), worst, times_text(middle), below or "none"])
    head = ["real tables", "tables", "worst sklearn / hornbeam", "median", "below 1"]
    return table("", head, rows)


def table_by_table(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The ratios of every table."""
    places = [(form, depth) for form in FORMS for depth in DEPTHS]
    found: dict[tuple[str, int], dict[tuple[str, str], str | None]] = {}
    for line in lines:
        ratios = found.setdefault((line["table"], line["rows"]), {})
        ratios[line["form"], line["depth"]] = times_text(line["ratio"])
    rows = [[*which, *(ratios.get(place) for place in places)] for which, ratios in found.items()]
    head = ["table", "rows", *(", ".join(place) for place in places)]
    return table("sklearn / hornbeam, table by table", head, rows)


def ahead(lines: list[dict[str, Any]]) -> list[str]:
    """For each form and depth: on how many tables scikit-learn is faster, and by how much at most."""
    found = []
    for where in dict.fromkeys((line["form"], line.get("depth", line["setting"])) for line in lines):
        mine = [line for line in lines if (line["form"], line.get("depth", line["setting"])) == where]
        worst = min(mine, key=lambda line: float(line["ratio"]))
        below = sum(line["ratio"] < 1 for line in mine)
        if below:
            which = f", most on {worst['table']}" if "table" in worst else ""
            found.append(
                f"sklearn on ready codes, {', '.join(where)}: {below} of {len(mine)}, by up to"
                f" {1 / worst['ratio']:.2f}x{which}"
            )
    return found


def made_frames(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A fit of few rows of numbers, and the prediction of one row."""
    import pandas as pd
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    import hornbeam as hb

    data = load(spec_of(args), args.cache)
    X = pd.DataFrame(np.array(data.X), columns=[f"c{j}" for j in range(args.cols)])
    y = pd.Series(np.array(data.y))
    is_classes = args.task == "classes"
    Own = hb.TreeClassifier if is_classes else hb.TreeRegressor
    Peer = DecisionTreeClassifier if is_classes else DecisionTreeRegressor
    mine, other, row = Own(n_jobs=args.threads).fit(X, y), Peer().fit(X, y), X.iloc[[0]]
    pairs: dict[str, Calls] = {
        f"fit, {args.rows:,} x {args.cols}": {
            "hornbeam": lambda: Own(n_jobs=args.threads).fit(X, y),
            "sklearn": lambda: Peer().fit(X, y),
        },
        f"predict, one row of {args.cols}": {
            "hornbeam": lambda: mine.predict(row),
            "sklearn": lambda: other.predict(row),
        },
    }
    for setting, calls in pairs.items():
        yield measurement(calls, args, {"setting": setting, "form": "numbers"})


def frame_of(path: Path, about: Facts) -> tuple[Any, Any]:
    """A table of the folder as a data frame, and its target."""
    import hornbeam as hb

    header = {} if about["header"] is None else {"header": False}
    missing = {"missing": [about["missing"]]} if "missing" in about else {}
    frame = hb.read_table(path, **header, **missing).data.to_pandas()
    frame.columns = frame.columns if about["header"] is None else about["header"]
    y = frame.pop(about["target"])
    return frame.drop(columns=about["drop"]), y


def real_table(path: Path, about: Facts, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Fits of one table in each form, to both depths."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    import hornbeam as hb

    frame, y = frame_of(path, about)
    ready = frame.apply(codes_of)
    if about["task"] == "classification":
        mine, other, goal = hb.TreeClassifier, DecisionTreeClassifier, codes_of(y)
    else:
        mine, other, goal = hb.TreeRegressor, DecisionTreeRegressor, y
    for form, dtype in FORMS.items():
        X = frame.astype({name: dtype for name in frame if frame[name].dtype == "category"})
        if form == "text" and X.dtypes.equals(frame.dtypes):
            continue  # nothing but numbers
        for depth, most in DEPTHS.items():
            calls = {
                "hornbeam": lambda X=X, most=most: mine(max_depth=most, n_jobs=args.threads).fit(X, y),
                "sklearn": lambda most=most: other(max_depth=most, random_state=0).fit(ready, goal),
            }
            facts = {"setting": f"{path.stem}, {form}, {depth}", "table": path.stem, "form": form}
            yield measurement(calls, args, facts | {"depth": depth, "rows": len(X)})


def codes_of(column: Any) -> Any:
    """A column as scikit-learn wants it: numbers as they are, categories as codes, gaps as NaN."""
    if column.dtype == "category":
        codes = column.cat.codes.astype(np.float64)
        return codes.where(codes >= 0)
    return column.astype(np.float64)


def measurement(calls: Calls, args: argparse.Namespace, facts: dict[str, Any]) -> dict[str, Any]:
    """The least CPU time of each, taken in turns after one call that warms up."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for turn in range(args.repeats):
        for name, call in calls.items():
            start = time.process_time()
            call()
            taken[name].append(time.process_time() - start)
        if turn >= 2 and sum(map(sum, taken.values())) > MOST_SECONDS:
            break
    best = {name: min(times) for name, times in taken.items()}
    ratio = best["sklearn"] / best["hornbeam"]
    return facts | {
        "peer": "hornbeam",
        "best": best["hornbeam"],
        "peer_best": best["sklearn"],
        "ratio": ratio,
        "runs": len(taken["hornbeam"]),
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, help="folder of ARFF and CSV files, with tables.json")


def main(argv: list[str] | None = None) -> int:
    return command(
        run, __doc__, argv, add_data_options, add_options, rows=200, cols=10, dtype="float64", repeats=60
    )


if __name__ == "__main__":
    raise SystemExit(main())
