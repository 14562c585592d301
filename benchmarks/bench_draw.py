"""Drawing a whole tree of some hundred nodes, beside scikit-learn's plot_tree.

The one idea: the same number of nodes on the same table, each drawn to what a reader sees: SVG text here, a
rendered figure there; the folded picture that `hb.draw` gives by default and the icicle stand beside it.

    python -m benchmarks.bench_draw --leaves 203
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
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
    table,
    times_text,
)

AIM = 10.0  # times faster than scikit-learn


def calls_of(leaves: int, rows: int) -> dict[str, Callable[[], Any]]:
    """What is timed, by name."""
    import hornbeam as hb

    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 6))
    y = (X[:, 0] + rng.normal(size=rows) > 0).astype(int)
    model = hb.TreeClassifier(max_leaf_nodes=leaves).fit(X, y)
    calls: dict[str, Callable[[], Any]] = {
        "hornbeam": lambda: hb.draw(model, max_cards=None).svg,
        "hornbeam, with rows": lambda: hb.draw(model, X, y, max_cards=None).svg,
        "hornbeam, folded to 60": lambda: hb.draw(model, X, y).svg,
        "hornbeam, icicle": lambda: hb.draw(model, kind="icicle").svg,
    }
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from sklearn.tree import DecisionTreeClassifier, plot_tree
    except ImportError:
        return calls
    fitted = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)

    def drawn(draw: Callable[[Any], Any]) -> None:
        figure = Figure(figsize=(20, 10))
        canvas = FigureCanvasAgg(figure)
        draw(figure.subplots())
        canvas.draw()

    calls["hornbeam, matplotlib"] = lambda: drawn(lambda ax: hb.plot_tree(model, ax, max_cards=None))
    calls["sklearn"] = lambda: drawn(lambda ax: plot_tree(fitted, ax=ax, filled=True))
    return calls


def run(args: argparse.Namespace) -> Result:
    nodes = 2 * args.leaves - 1
    note(f"draw: {nodes} nodes")
    calls = calls_of(args.leaves, args.rows)
    calls["hornbeam"]()  # what is imported at the first call is no part of drawing
    skipped: list[dict[str, str]] = []
    times, _ = alternate(
        calls,
        dict.fromkeys(calls, args.repeats),
        lambda name, error: skipped.append({"peer": name, "reason": str(error), "setting": f"{nodes} nodes"}),
    )
    own = min(times["hornbeam"])
    lines = [
        {
            "setting": f"{nodes} nodes",
            "peer": name,
            "seconds": taken,
            "best": min(taken),
            "ratio": min(taken) / own,
        }
        for name, taken in times.items()
    ]
    rows = [[line["peer"], line["best"] * 1e3, times_text(line["ratio"])] for line in lines]
    ratio = next((line["ratio"] for line in lines if line["peer"] == "sklearn"), None)
    short = [] if ratio is None or ratio >= AIM else [f"{ratio:.1f}x scikit-learn, aim {AIM:.0f}x"]
    return {
        "benchmark": "draw",
        "title": f"Drawing a tree of {nodes} nodes",
        "notes": [f"Milliseconds for one picture, {args.repeats} alternating repetitions."],
        "measurements": lines,
        "skipped": skipped,
        "tables": [table("", ["picture", "minimum ms", "time / Hornbeam's"], rows)],
        "ahead": [f"sklearn by {1 / ratio:.2f}x" for _ in [0] if ratio is not None and ratio < 1],
        "short": short,
    }


def main(argv: list[str] | None = None) -> int:
    parser = parser_of("bench_draw", __doc__)
    parser.add_argument("--leaves", type=int, default=203)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--cache", help="not used: the data are drawn")
    add_run_options(parser, repeats=3)
    args = parser.parse_args(argv)
    prepare(args)
    return finish(run(args), args)


if __name__ == "__main__":
    raise SystemExit(main())
