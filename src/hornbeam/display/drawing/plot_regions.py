"""Decision regions and regression surfaces on axes of matplotlib.

One idea: a tree's regions have straight borders, so they are drawn as the polygons they are, not as a mesh of
guesses: sharp at any size, small in a file, and true.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats
from hornbeam.data.columns import Column
from hornbeam.data.formatting import parse_display, visible
from hornbeam.data.table import Table
from hornbeam.display.drawing.mpl import need_matplotlib, own_axes
from hornbeam.display.drawing.palette import LIGHT, class_colours
from hornbeam.display.drawing.region_polygons import Region, Slice, slice_of
from hornbeam.display.rows_at_nodes import outcome_of
from hornbeam.tree.branches import to_numbers
from hornbeam.tree.equations import evaluate
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.routing import arrays_for
from hornbeam.tree.tree import Tree

_MOST_POINTS = 2000
_POINTS = {"s": 16, "edgecolors": LIGHT["ink"], "linewidths": 0.6, "zorder": 3}
_STEPS = 48
_MANY = 200  # nodes
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_TIME_STEPS = (  # in seconds
    *(1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 5, 15, 30),
    *(minutes * _MINUTE for minutes in (1, 5, 15, 30)),
    *(hours * _HOUR for hours in (1, 3, 6, 12)),
    *(days * _DAY for days in (1, 2, 7, 14, 30, 90, 180, 365)),
)
_MOST_TICKS = 6
_EPOCH = dt.datetime(1970, 1, 1)


def plot_regions(
    model: Any,
    X: Any,
    y: Any = None,
    columns: Any = None,
    at: Mapping[str, Any] | None = None,
    ax: Any = None,
) -> Any:
    """Draw where a tree answers what, as exact polygons.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one
    X : table
        Rows, which say how far the axes reach and at which values other columns are fixed.
    y : outcomes of X or None
        With them the rows are drawn, too.
    columns : two columns, one column, or None
        By name or number; None: the two most important. One column of a regression gives the step function,
        of a classification the probabilities. Words are bands.
    at : dict or None
        The values of other columns, by name; those not given stand at their median or most frequent value,
        and the title says so.
    ax : matplotlib Axes or None
        None: new ones.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import hornbeam as hb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = hb.TreeClassifier(max_depth=2).fit(X, y)
    >>> ax = hb.plot_regions(model, X, y, columns=["petal length (cm)", "petal width (cm)"])
    >>> ax.get_xlabel()
    'petal length (cm)'
    """
    need_matplotlib()
    tree = tree_of(model, for_rows=True)
    if tree.task.is_density:
        raise ValueError(
            "plot_regions draws trees of classes or numbers, and this is a density tree: use hb.draw"
        )
    n_rows, arrays = arrays_for(tree, X)
    table = Table(tree.columns, n_rows, arrays)
    outcome = None if y is None else outcome_of(tree, y, n_rows)
    part = slice_of(tree, table, columns, at)
    ax = own_axes(ax)
    values = [to_numbers(arrays[c]) for c in part.columns]
    spans = [part.span(k, each) for k, each in enumerate(values)]
    (_plot_plane if len(values) == 2 else _plot_line)(part, part.regions(spans), values, outcome, ax)
    for name, number, span in zip("xy", part.columns, spans, strict=False):
        _label_axis(ax, name, tree.columns[number], span)
    if part.words:
        ax.set_title(f"at {part.words}", fontsize="small", wrap=True)
    return ax


def _label_axis(ax: Any, name: str, column: Column, span: tuple[float, float]) -> None:
    getattr(ax, f"set_{name}lim")(*span)
    getattr(ax, f"set_{name}label")(visible(column.name), parse_math=False)
    set_ticks = getattr(ax, f"set_{name}ticks")
    if column.kind != "numeric":
        codes = list(range(len(column.categories)))
        set_ticks(codes, [column.word(code) for code in codes], parse_math=False)
    elif column.is_time:
        ticks = time_ticks(column, *span)
        labels = [column.text(tick).removesuffix("T00:00:00") for tick in ticks]
        turned = {"rotation": 20, "ha": "right"} if name == "x" else {}
        set_ticks(ticks, labels, parse_math=False, **turned)


def _answers(part: Slice, leaf: int, places: Sequence[Floats]) -> Floats:
    """What a leaf answers at places given by the columns shown, the other columns fixed."""
    size = places[0].size
    columns = [np.broadcast_to(value, size) for value in part.fixed]
    for number, values in zip(part.columns, places, strict=True):
        is_numeric = part.tree.columns[number].kind == "numeric"
        columns[number] = values if is_numeric else np.rint(values).astype(np.int32)
    return evaluate(part.tree, columns, np.full(size, leaf, dtype=np.int32))


def _colour_values(tree: Tree) -> list[str]:
    return [LIGHT[name] for name in class_colours(tree)]


# --- two columns --------------------------------------------------------------------------------------------


def _plot_plane(part: Slice, regions: list[Region], values: list[Floats], outcome: Any, ax: Any) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Polygon as Patch

    tree, answers, models = part.tree, part.tree.answers(), part.tree.leaf_models
    x, y, rows = _points(part, values)
    if tree.classes is not None:
        colours = _colour_values(tree)
        chance = 1 / max(len(tree.classes), 2)
        faces = []
        for leaf, _ in regions:
            label = int(tree.label[leaf])
            certainty = (float(answers[leaf, label]) - chance) / (1 - chance)
            faces.append(to_rgba(colours[label], 0.15 + 0.4 * max(certainty, 0.0)))
        _add_polygons(regions, faces, ax)
        for code, colour in enumerate(colours if outcome is not None else ()):
            here = outcome[rows] == code
            ax.scatter(x[here], y[here], color=colour, **_POINTS)
        _add_legend(tree, ax)
        return
    shades, scale = _shades(part, regions, outcome)
    _add_polygons(regions, [shades(scale(float(answers[leaf]))) for leaf, _ in regions], ax)
    for leaf, polygon in regions:
        if leaf in models:
            patch = Patch(polygon, fill=False, linewidth=0)
            ax.add_patch(patch)
            _add_slope(part, leaf, polygon, ax, cmap=shades, norm=scale).set_clip_path(patch)
    if outcome is not None:
        ax.scatter(x, y, c=outcome[rows], cmap=shades, norm=scale, **_POINTS)
    ax.figure.colorbar(ScalarMappable(scale, shades), ax=ax, label="prediction")


def _add_polygons(regions: list[Region], faces: list[Any], ax: Any) -> None:
    """All regions at once, each with its colour and a thin border; thousands are drawn as one thing."""
    from matplotlib.collections import PolyCollection

    polygons = [polygon for _, polygon in regions]
    ax.add_collection(PolyCollection(polygons, facecolors=faces, linewidths=0, zorder=1), autolim=False)
    borders = PolyCollection(
        polygons, facecolors="none", edgecolors=LIGHT["muted"], linewidths=0.6, zorder=1.7
    )
    ax.add_collection(borders, autolim=False)


def _shades(part: Slice, regions: list[Region], outcome: Any) -> tuple[Any, Any]:
    """The colours of numbers, light to dark blue, and which number has which."""
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    numbers = part.tree.answers()[[leaf for leaf, _ in regions]]
    if outcome is not None:
        numbers = np.concatenate([numbers, np.quantile(outcome, [0.02, 0.98])])
    shades = LinearSegmentedColormap.from_list("hornbeam", ["#eaf2fa", "#7db3dd", LIGHT["real"], "#06335c"])
    return shades, Normalize(float(numbers.min()), float(numbers.max()))


def _add_slope(part: Slice, leaf: int, polygon: Any, ax: Any, **colours: Any) -> Any:
    """An equation's slope over the box around its polygon, in small steps."""
    corners = np.array(polygon)
    low, high = corners.min(axis=0), corners.max(axis=0)
    edges = [np.linspace(low[k], high[k], _STEPS + 1) for k in (0, 1)]
    across, up = np.meshgrid(*((one[1:] + one[:-1]) / 2 for one in edges))
    answers = _answers(part, leaf, [across.ravel(), up.ravel()]).reshape(across.shape)
    return ax.pcolormesh(*edges, answers, zorder=1.5, rasterized=True, **colours)


def _points(part: Slice, values: list[Floats]) -> tuple[Floats, Floats, AnyArray]:
    """At most 2000 rows that have both values, words spread over their band; and which rows they are."""
    rows = np.flatnonzero(~np.isnan(values[0]) & ~np.isnan(values[1]))
    rows = rows[np.lexsort((values[1][rows], values[0][rows]))]  # the same picture for any order of the rows
    random = np.random.default_rng(0)
    if len(rows) > _MOST_POINTS:
        rows = np.sort(random.choice(rows, _MOST_POINTS, replace=False))
    x, y = (
        at[rows]
        if part.tree.columns[k].kind == "numeric"
        else at[rows] + random.uniform(-0.3, 0.3, len(rows))
        for k, at in zip(part.columns, values, strict=True)
    )
    return x, y, rows


def _add_legend(tree: Tree, ax: Any) -> None:
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor=colour, edgecolor=LIGHT["ink"], linewidth=0.7, label=str(label))
        for label, colour in zip(tree.classes or (), _colour_values(tree), strict=True)
    ]
    if len(handles) <= 12:
        place = "best" if len(tree) <= _MANY else "upper right"  # the best place takes long to find
        legend = ax.legend(handles=handles, fontsize="small", framealpha=0.9, loc=place)
        for text in legend.get_texts():
            text.set_parse_math(False)


# --- one column ---------------------------------------------------------------------------------------------


def _plot_line(part: Slice, regions: list[Region], values: list[Floats], outcome: Any, ax: Any) -> None:
    tree, answers, models = part.tree, part.tree.answers(), part.tree.leaf_models
    pieces = sorted(
        (min(x for x, _ in polygon), max(x for x, _ in polygon), leaf) for leaf, polygon in regions
    )
    if tree.classes is not None:
        colours = _colour_values(tree)
        for low, high, leaf in pieces:
            base = 0.0
            for colour, share in zip(colours, answers[leaf].tolist(), strict=True):
                ax.fill_between([low, high], base, base + share, color=colour, alpha=0.75, linewidth=0)
                base += share
        ax.set_ylim(0, 1)
        ax.set_ylabel("probability")
        _add_legend(tree, ax)
        return
    if outcome is not None:
        ax.scatter(values[0], outcome, s=12, color=LIGHT["real"], alpha=0.5, linewidths=0)
    for low, high, leaf in pieces:
        grid = np.linspace(low, high, _STEPS if leaf in models else 2)
        ax.plot(grid, _answers(part, leaf, [grid]), color=LIGHT["ink"], linewidth=2)
    ax.set_ylabel("prediction")


# --- axes of time -------------------------------------------------------------------------------------------


def time_ticks(column: Column, low: float, high: float) -> list[float]:
    """Return where to write values of a column of times between two of its numbers.

    The numbers count microseconds or nanoseconds; ticks stand at whole days, hours or minutes of them, dates
    at whole months and years.

    >>> span = Column("wait", "numeric", display="timedelta64[us]")
    >>> [span.text(tick) for tick in time_ticks(span, 0.0, 4e9)]
    ['00:00:00', '00:15:00', '00:30:00', '00:45:00', '01:00:00']
    """
    how = parse_display(column.display)
    second = 1e9 if how.unit == "ns" else 1e6
    dates = _round_dates(low / second, high / second) if how.family == "datetime64" else []
    if dates:
        return [tick * second for tick in dates]
    length = high / second - low / second
    years = 365 * _DAY * math.ceil(length / _MOST_TICKS / 365 / _DAY)
    step = next((step for step in _TIME_STEPS if length / step <= _MOST_TICKS), years)
    first, last = math.ceil(low / second / step), math.floor(high / second / step)
    return [k * step * second for k in range(first, last + 1)]


def _round_dates(low: float, high: float) -> list[float]:
    """Seconds since 1970 of round dates; none if matplotlib knows no dates so far away."""
    from matplotlib import dates

    calendar: Any = dates
    try:
        ends = [_EPOCH + dt.timedelta(seconds=end) for end in (low, high)]
    except OverflowError:
        return []
    ticks = calendar.AutoDateLocator(minticks=3, maxticks=_MOST_TICKS).tick_values(*ends)
    seconds = [(calendar.num2date(tick).replace(tzinfo=None) - _EPOCH).total_seconds() for tick in ticks]
    return [tick for tick in seconds if low <= tick <= high]
