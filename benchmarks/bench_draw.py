"""Drawing a whole tree of some hundred nodes, beside scikit-learn's plot_tree.

The one idea: the same number of nodes on the same table, each drawn to what a reader sees: SVG text here, a
rendered figure there; the folded picture that `hb.draw` gives by default and the icicle stand beside it.

    python -m benchmarks.bench_draw --leaves 203
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from benchmarks.apart import Apart, Refused, add_turn_options, lines_in_turns, named_in, turns_of
from benchmarks.common import Result, command, note, table, times_text

AIM = 10.0  # times faster than scikit-learn
PICTURES = (
    "hornbeam",
    "hornbeam, with rows",
    "hornbeam, folded to 60",
    "hornbeam, icicle",
    "hornbeam, matplotlib",
    "sklearn",
)


def data_of(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that follow one column and noise."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 6))
    return X, (X[:, 0] + rng.normal(size=rows) > 0).astype(int)


def own_picture(name: str, leaves: int, rows: int) -> Callable[[], Any]:
    """A picture that Hornbeam draws."""
    import hornbeam as hb

    X, y = data_of(rows)
    model = hb.TreeClassifier(max_leaf_nodes=leaves).fit(X, y)
    calls: dict[str, Callable[[], Any]] = {
        "hornbeam": lambda: hb.draw(model, max_nodes=None).svg,
        "hornbeam, with rows": lambda: hb.draw(model, X, y, max_nodes=None).svg,
        "hornbeam, folded to 60": lambda: hb.draw(model, X, y).svg,
        "hornbeam, icicle": lambda: hb.draw(model, kind="icicle").svg,
        "hornbeam, matplotlib": lambda: figure_of(lambda ax: hb.plot_tree(model, ax, max_nodes=None)),
    }
    return calls[name]


def peer_picture(leaves: int, rows: int) -> Callable[[], Any]:
    """The picture that scikit-learn draws."""
    from sklearn.tree import DecisionTreeClassifier, plot_tree

    fitted = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(*data_of(rows))
    return lambda: figure_of(lambda ax: plot_tree(fitted, ax=ax, filled=True))


def figure_of(draw: Callable[[Any], Any]) -> None:
    """A figure of matplotlib, rendered."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(20, 10))
    canvas = FigureCanvasAgg(figure)
    draw(figure.subplots())
    canvas.draw()


class Picture:
    """One picture of a tree that stands."""

    def __init__(self, name: str, leaves: int, rows: int) -> None:
        self.draw = peer_picture(leaves, rows) if name == "sklearn" else own_picture(name, leaves, rows)

    def warm(self) -> None:
        try:
            self.draw()  # what is imported at the first call is no part of drawing
        except ImportError as error:
            raise Refused(f"not available: {error}") from error

    def run(self) -> None:
        self.draw()

    def tell(self, _: Any) -> dict[str, Any]:
        return {}


def run(args: argparse.Namespace) -> Result:
    nodes = 2 * args.leaves - 1
    note(f"draw: {nodes} nodes")
    given = {"leaves": args.leaves, "rows": args.rows}
    tasks = {name: Apart("benchmarks.bench_draw:Picture", given | {"name": name}) for name in PICTURES}
    skipped: list[dict[str, str]] = []
    failed = named_in(skipped, f"{nodes} nodes")
    turns = turns_of(args, args.rows)
    label = f"{nodes} nodes"
    lines = lines_in_turns(tasks, dict.fromkeys(tasks, args.repeats), turns, label, failed)
    rows = [[line["peer"], line["best"] * 1e3, times_text(line["ratio"])] for line in lines]
    ratio = next((line["ratio"] for line in lines if line["peer"] == "sklearn"), None)
    short = [] if ratio is None or ratio >= AIM else [f"{ratio:.1f}x scikit-learn, aim {AIM:.0f}x"]
    return {
        "benchmark": "draw",
        "title": f"Drawing a tree of {nodes} nodes",
        "notes": [f"Milliseconds for one picture, {args.repeats} alternating repetitions."],
        "turns": asdict(turns),
        "measurements": lines,
        "skipped": skipped,
        "tables": [table("", ["picture", "minimum ms", "time / Hornbeam's"], rows)],
        "ahead": [f"sklearn by {1 / ratio:.2f}x" for _ in [0] if ratio is not None and ratio < 1],
        "short": short,
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--leaves", type=int, default=203)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--cache", help="not used: the data are drawn")


def main(argv: list[str] | None = None) -> int:
    return command(run, __doc__, argv, add_options, add_turn_options, repeats=3)


if __name__ == "__main__":
    raise SystemExit(main())
