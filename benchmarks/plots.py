"""Pictures of the benchmarks: seconds against rows, and ratios of all growing sections.

The one idea: Hornbeam's own surface and colours, so the pictures follow the reader's light or dark setting.
No colour stands alone: every curve ends at its name and every peer has a mark of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.common import SETTINGS, Result
from benchmarks.stored import ratios
from hornbeam.display.drawing.canvas import Canvas, Command
from hornbeam.display.drawing.svg_text import svg_text
from hornbeam.display.drawing.text_width import text_width

LOOKS: dict[str, tuple[str, str, str]] = {  # peer -> (name, colour, mark)
    "hornbeam": ("Hornbeam", "class 1", "disc"),
    "sklearn": ("scikit-learn", "class 0", "square"),
    "snapml-exact": ("SnapML exact", "class 5", "ring"),
    "ydf": ("YDF", "class 4", "up"),
    "orange": ("Orange", "other", "square"),
    "lightgbm": ("LightGBM", "class 2", "down"),
    "xgboost": ("XGBoost", "class 3", "diamond"),
    "snapml": ("SnapML", "class 5", "disc"),
    "catboost": ("CatBoost", "ink", "up"),
    "catboost-symmetric": ("CatBoost symmetric", "ink", "ring"),
}
SHAPES: dict[str, Sequence[tuple[float, float]]] = {
    "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "diamond": ((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
    "up": ((0, -1.3), (1.25, 0.95), (-1.25, 0.95)),
    "down": ((0, 1.3), (1.25, -0.95), (-1.25, -0.95)),
}
SECTIONS = {
    "grow": "2 classes",
    "grow-portable": "2 classes, portable code",
    "grow-five-classes": "5 classes",
    "grow-26-classes": "26 classes, 100,000 rows",
    "grow-regression": "regression",
    "grow-float64": "2 classes, float64",
    "grow-100000": "2 classes, 100,000 rows",
    "grow-100-columns": "100 columns, 100,000 rows",
    "grow-weak": "a weak signal",
    "grow-noise": "labels of pure noise",
    "grow-noise-regression": "regression on noise, 300,000",
    "grow-integer": "whole numbers",
    "grow-heavy": "heavy tails",
    "grow-nominal": "nominal columns, gaps",
}


@dataclass(frozen=True)
class Axis:
    """A logarithmic scale from values to places."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def decades(self) -> list[float]:
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        return [10.0**k for k in range(first, last + 1)]


def mark(surface: Canvas, x: float, y: float, peer: str, size: float = 4.0) -> None:
    """The mark of a peer, with an edge in the colour of the page so that marks stay apart."""
    _, colour, shape = LOOKS[peer]
    if shape in SHAPES:
        corners = [(x + size * a, y + size * b) for a, b in SHAPES[shape]]
        outline: list[Command] = [("M", *corners[0]), *(("L", *corner) for corner in corners[1:]), ("Z",)]
        surface.path(outline, fill=colour, stroke="page", width=1.2)
        return
    surface.dots([(x, y)], fill="page", width=2 * size + 2.4, opacity=1)
    surface.dots([(x, y)], fill=colour, width=2 * size, opacity=1)
    if shape == "ring":
        surface.dots([(x, y)], fill="page", width=size, opacity=1)


def spread(places: Mapping[str, float], least: float) -> dict[str, float]:
    """The places moved apart so that neighbours are `least` apart, with as little moving as it takes."""
    order = sorted(places, key=lambda name: places[name])
    blocks: list[tuple[list[str], float]] = []  # names, and the middle of their block
    for name in order:
        blocks.append(([name], places[name]))
        while len(blocks) > 1:
            (above, a), (below, b) = blocks[-2:]
            if b - a >= least * (len(above) + len(below)) / 2:
                break
            both = above + below
            blocks[-2:] = [(both, sum(places[n] for n in both) / len(both))]
    return {
        name: middle + least * (k - (len(names) - 1) / 2)
        for names, middle in blocks
        for k, name in enumerate(names)
    }


def scaling_plots(section: str, part: Result) -> dict[str, tuple[str, str]]:
    """Seconds against size in the setting with most peers: file name -> (what it shows, SVG)."""
    settings = [row[0] for row in part["tables"][0]["rows"]]
    label = max(settings, key=settings.count, default="")
    curves = {peer: curve for peer, curve in curves_of(part, label).items() if len(curve) > 1}
    if len(curves) < 2:
        return {}
    axis = part.get("axis", "rows of 20 columns")
    title = f"Seconds for one fit against {axis.split()[0]}, {label}"
    return {f"{section}.svg": (title, scaling_plot(title, axis, curves))}


def curves_of(part: Result, setting: str) -> dict[str, list[tuple[int, float]]]:
    """peer -> (size, seconds) out of the first table, whose heads are numbers where there are seconds."""
    table = part["tables"][0]
    sizes = {k: int(size.replace(",", "")) for k, size in enumerate(table["head"]) if size[0].isdigit()}
    return {
        row[1]: [(size, float(row[k].replace(",", ""))) for k, size in sizes.items() if row[k] != "-"]
        for row in table["rows"]
        if row[0] == setting
    }


def scaling_plot(title: str, axis: str, curves: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    last = {name: curve[-1] for name, curve in curves.items()}
    rows, times = ([point[k] for curve in curves.values() for point in curve] for k in (0, 1))
    surface = Canvas(760, 440, title, described(curves))
    surface.rect(0, 0, 760, 440, fill="page")
    surface.text(16, 26, title, size=15, bold=True)
    across = Axis(min(rows), max(rows), 66, 610)
    up = Axis(10 ** math.floor(math.log10(min(times))), max(times) * 1.6, 392, 46)
    for value in up.decades():
        y = up.place(value)
        surface.line(66, y, 610, y, stroke="axis")
        surface.text(58, y + 4, spelled(value, "s"), size=12, fill="muted", anchor="end")
    for value in across.decades():
        x = across.place(value)
        surface.line(x, 46, x, 392, stroke="axis")
        surface.text(x, 411, spelled(value, ""), size=12, fill="muted", anchor="middle")
    surface.text(338, 431, axis, size=12, fill="muted", anchor="middle")
    for name in sorted(curves, key=lambda name: name == "hornbeam"):  # Hornbeam on top
        points = [(across.place(a), up.place(b)) for a, b in curves[name]]
        label, colour, _ = LOOKS[name]
        curve = Canvas(surface.width, surface.height)
        path: list[Command] = [("M", *points[0]), *(("L", *point) for point in points[1:])]
        curve.path(path, stroke=colour, width=3.2 if name == "hornbeam" else 1.8)
        for x, y in points:
            mark(curve, x, y, name)
        surface.place(curve, 0, 0, f"{label}: {last[name][1]:.3g} seconds at {last[name][0]:,}")
    whole = {name: up.place(b) for name, (a, b) in last.items() if a == max(rows)}
    for name, y in spread(whole, 17).items():
        surface.line(617, whole[name], 626, y, stroke="edge")
        mark(surface, 634, y, name)
        surface.text(643, y + 4.5, LOOKS[name][0], size=13, bold=name == "hornbeam")
    for name in sorted(set(curves) - set(whole)):  # a curve that ends early has its name over its end
        x, y = across.place(last[name][0]), up.place(last[name][1])
        surface.text(x - 4, y - 9, LOOKS[name][0], size=13, anchor="end", bold=name == "hornbeam")
    return svg_text(surface)


def ratio_plot(results: Mapping[str, Result]) -> str:
    """Times of the peers over Hornbeam's in every growing section, at depth 10, on a logarithmic scale."""
    label = SETTINGS["d10"].label
    rows = {}
    for name, words in SECTIONS.items():
        found = ratios(results.get(name, {})).get(label, {})
        rows[words] = {peer: ratio for peer, ratio in found.items() if peer in LOOKS and peer != "hornbeam"}
    rows = {words: found for words, found in rows.items() if found}
    every = [ratio for found in rows.values() for ratio in found.values()] or [1.0, 10.0]
    peers = [peer for peer in LOOKS if any(peer in found for found in rows.values())]
    title = "Times of peers over Hornbeam's, at depth 10 (right of 1: Hornbeam is faster)"
    surface = Canvas(760, 0, title, described_ratios(rows))
    surface.rect(0, 0, 760, 172 + 26 * len(rows), fill="page")
    surface.text(16, 26, title, size=15, bold=True)
    top = legend(surface, peers, 16, 52) + 22
    bottom = top + 6 + 26 * len(rows)
    surface.height = bottom + 34
    across = Axis(min(0.5, *every) / 1.1, max(20.0, *every) * 1.15, 200, 740)
    for value in [v for d in (0.1, 1.0, 10.0, 100.0, 1000.0) for v in (d, 2 * d, 5 * d)]:
        if across.low < value < across.high:
            x = across.place(value)
            strong = value == 1
            surface.line(x, top, x, bottom, stroke="ink" if strong else "axis", width=1.4 if strong else 1.0)
            surface.text(x, bottom + 18, f"{value:g}x", size=12, fill="muted", anchor="middle")
    for k, (words, found) in enumerate(rows.items()):
        y = top + 16 + 26 * k
        surface.text(190, y + 4.5, words, size=12.5, anchor="end")
        surface.line(200, y, 740, y, stroke="axis")
        for peer, ratio in found.items():
            point = Canvas(surface.width, surface.height)
            mark(point, across.place(ratio), y, peer, 4.6)
            surface.place(point, 0, 0, f"{LOOKS[peer][0]}, {words}: {ratio:.3g}x")
    return svg_text(surface)


def legend(surface: Canvas, peers: Sequence[str], left: float, y: float) -> float:
    """The marks and their names in as many lines as it takes; where the last line is."""
    x = left
    for peer in peers:
        width = 34 + text_width(LOOKS[peer][0], 12)
        if x + width > surface.width:
            x, y = left, y + 20
        mark(surface, x + 5, y - 4, peer, 4.6)
        surface.text(x + 14, y, LOOKS[peer][0], size=12)
        x += width
    return y


def spelled(value: float, unit: str) -> str:
    """A power of ten in few letters: 10 ms, 1 s, 1 million."""
    if unit:
        return f"{value * 1e3:g} ms" if value < 1 else f"{value:g} s"
    return f"{value / 1e6:g} million" if value >= 1e6 else f"{value:,.0f}"


def described(curves: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    last = "; ".join(f"{LOOKS[name][0]} {curve[-1][1]:.3g} s" for name, curve in curves.items())
    return f"At the largest size each one was given: {last}."


def described_ratios(rows: Mapping[str, Mapping[str, float]]) -> str:
    parts = []
    for words, found in rows.items():
        ratios = ", ".join(f"{LOOKS[peer][0]} {ratio:.3g}" for peer, ratio in found.items())
        parts.append(f"{words}: {ratios}")
    return "; ".join(parts) + "."
