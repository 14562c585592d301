"""Decision regions and regression surfaces on axes of matplotlib.

One idea: a tree's regions have straight borders, so they are drawn as the polygons they are, not as a mesh of
guesses: sharp at any size, small in a file, and true.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats
from hornbeam.data.table import Table
from hornbeam.display.drawing.mpl import need_matplotlib, own_axes
from hornbeam.display.drawing.palette import LIGHT, class_colours
from hornbeam.display.drawing.region_polygons import Region
from hornbeam.display.drawing.rows_at_nodes import numbers_of, outcome_of
from hornbeam.display.drawing.slices import Slice, slice_of
from hornbeam.display.drawing.time_ticks import time_ticks
from hornbeam.tree.equations import evaluate
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.routing import arrays_for
from hornbeam.tree.tree import Tree

_MOST_POINTS = 2000
_STEPS = 48
_MANY = 200  # nodes
_BORDER = "#59626f"


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
    tree = tree_of(model)
    if tree.task == "density":
        raise ValueError(
            "plot_regions draws trees of classes or numbers, and this is a density tree: use hb.draw"
        )
    n_rows, arrays = arrays_for(tree, X)
    table = Table(tree.columns, n_rows, arrays)
    outcome = None if y is None else outcome_of(tree, y, n_rows)
    part = slice_of(tree, table, columns, at)
    ax = own_axes(ax)
    values = [numbers_of(arrays[c]) for c in part.columns]
    spans = [part.span(k, values[k]) for k in range(len(values))]
    found = part.regions(spans)
    (_plane if len(values) == 2 else _line)(part, found, values, outcome, ax)
    for name, k in (("x", 0), ("y", 1))[: len(values)]:
        _axis(ax, name, tree, part.columns[k], spans[k])
    if part.words:
        ax.set_title(f"at {part.words}", fontsize="small", wrap=True)
    return ax


def _axis(ax: Any, name: str, tree: Tree, number: int, span: tuple[float, float]) -> None:
    column = tree.columns[number]
    getattr(ax, f"set_{name}lim")(*span)
    getattr(ax, f"set_{name}label")(column.label, parse_math=False)
    if column.kind != "numeric":
        places = range(len(column.categories))
        labels = [column.word(code) for code in places]
        getattr(ax, f"set_{name}ticks")(list(places), labels, parse_math=False)
    elif column.is_time:
        ticks = time_ticks(column, *span)
        labels = [column.text(tick).removesuffix("T00:00:00") for tick in ticks]
        turned = {"rotation": 20, "ha": "right"} if name == "x" else {}
        getattr(ax, f"set_{name}ticks")(ticks, labels, parse_math=False, **turned)


# --- two columns --------------------------------------------------------------------------------------------


def _plane(
    part: Slice,
    found: list[Region],
    values: list[Floats],
    outcome: Any,
    ax: Any,
) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Polygon as Patch

    tree, answers, models = part.tree, part.tree.answers(), part.tree.leaf_models
    points = _points(part, values)
    if tree.classes is not None:
        colours = [LIGHT[name] for name in class_colours(tree)]
        chance = 1 / max(len(tree.classes), 2)
        faces = []
        for leaf, _ in found:
            label = int(tree.label[leaf])
            sure = (float(answers[leaf, label]) - chance) / (1 - chance)
            faces.append(to_rgba(colours[label], 0.15 + 0.4 * max(sure, 0.0)))
        _polygons(found, faces, ax)
        _class_points(tree, colours, points, values, outcome, ax)
        return
    shades, scale = _shades(part, found, outcome)
    _polygons(found, [shades(scale(float(answers[leaf]))) for leaf, _ in found], ax)
    for leaf, polygon in found:
        if leaf in models:
            patch = Patch(polygon, fill=False, linewidth=0)
            ax.add_patch(patch)
            _sloped(part, leaf, polygon, patch, shades, scale, ax)
    if outcome is not None:
        shown = points[2]
        ax.scatter(
            points[0],
            points[1],
            c=outcome[shown],
            cmap=shades,
            norm=scale,
            s=16,
            edgecolors="#1b1f27",
            linewidths=0.6,
            zorder=3,
        )
    from matplotlib.cm import ScalarMappable

    ax.figure.colorbar(ScalarMappable(scale, shades), ax=ax, label="prediction")


def _polygons(found: list[Region], faces: list[Any], ax: Any) -> None:
    """All regions at once, each with its colour and a thin border; thousands are drawn as one thing."""
    from matplotlib.collections import PolyCollection

    polygons = [polygon for _, polygon in found]
    ax.add_collection(PolyCollection(polygons, facecolors=faces, linewidths=0, zorder=1), autolim=False)
    borders = PolyCollection(polygons, facecolors="none", edgecolors=_BORDER, linewidths=0.6, zorder=1.7)
    ax.add_collection(borders, autolim=False)


def _shades(part: Slice, found: list[Region], outcome: Any) -> tuple[Any, Any]:
    """The colours of numbers, light to dark blue, and which number has which."""
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    said = part.tree.answers()[[leaf for leaf, _ in found]]
    known = said if outcome is None else np.concatenate([said, np.quantile(outcome, [0.02, 0.98])])
    shades = LinearSegmentedColormap.from_list("hornbeam", ["#eaf2fa", "#7db3dd", LIGHT["real"], "#06335c"])
    return shades, Normalize(float(known.min()), float(known.max()))


def _sloped(part: Slice, leaf: int, polygon: Any, patch: Any, shades: Any, scale: Any, ax: Any) -> None:
    """An equation's slope inside its polygon, in small steps cut off at the polygon's border."""
    corners = np.array(polygon)
    low, high = corners.min(axis=0), corners.max(axis=0)
    edges = [np.linspace(low[k], high[k], _STEPS + 1) for k in (0, 1)]
    middle = [(one[1:] + one[:-1]) / 2 for one in edges]
    across, up = np.meshgrid(*middle)
    columns = [np.broadcast_to(value, across.size) for value in part.fixed]
    for k, place in enumerate((across, up)):
        if part.tree.columns[part.columns[k]].kind == "numeric":
            columns[part.columns[k]] = place.ravel()
        else:
            columns[part.columns[k]] = np.rint(place.ravel()).astype(np.int32)
    said = evaluate(part.tree, columns, np.full(across.size, leaf, dtype=np.int32))
    mesh = ax.pcolormesh(
        *edges, said.reshape(across.shape), cmap=shades, norm=scale, zorder=1.5, rasterized=True
    )
    mesh.set_clip_path(patch)


def _points(part: Slice, values: list[Floats]) -> tuple[Floats, Floats, AnyArray]:
    """At most 2000 rows that have both values, words spread over their band; and which rows they are."""
    rows = np.flatnonzero(~np.isnan(values[0]) & ~np.isnan(values[1]))
    rows = rows[np.lexsort((values[1][rows], values[0][rows]))]  # the same picture for any order of the rows
    draw = np.random.default_rng(0)
    if len(rows) > _MOST_POINTS:
        rows = np.sort(draw.choice(rows, _MOST_POINTS, replace=False))
    places = []
    for k, column in enumerate(part.columns):
        at = values[k][rows]
        words = part.tree.columns[column].kind != "numeric"
        places.append(at + draw.uniform(-0.3, 0.3, len(at)) if words else at)
    return places[0], places[1], rows


def _class_points(
    tree: Tree,
    colours: list[str],
    points: tuple[Floats, Floats, AnyArray],
    values: list[Floats],
    outcome: Any,
    ax: Any,
) -> None:
    from matplotlib.patches import Patch

    handles = []
    for code, label in enumerate(tree.classes or ()):
        handles.append(Patch(facecolor=colours[code], edgecolor="#1b1f27", linewidth=0.7, label=str(label)))
        if outcome is not None and len(values) == 2:
            here = outcome[points[2]] == code
            ax.scatter(
                points[0][here],
                points[1][here],
                s=16,
                color=colours[code],
                edgecolors="#1b1f27",
                linewidths=0.6,
                zorder=3,
            )
    if len(handles) <= 12:
        place = "best" if len(tree) <= _MANY else "upper right"  # the best place takes long to find
        legend = ax.legend(handles=handles, fontsize="small", framealpha=0.9, loc=place)
        for text in legend.get_texts():
            text.set_parse_math(False)


# --- one column ---------------------------------------------------------------------------------------------


def _line(
    part: Slice,
    found: list[Region],
    values: list[Floats],
    outcome: Any,
    ax: Any,
) -> None:
    tree, answers, models = part.tree, part.tree.answers(), part.tree.leaf_models
    pieces = sorted((min(x for x, _ in polygon), max(x for x, _ in polygon), leaf) for leaf, polygon in found)
    if tree.classes is not None:
        colours = [LIGHT[name] for name in class_colours(tree)]
        for low, high, leaf in pieces:
            base = 0.0
            for code, share in enumerate(answers[leaf].tolist()):
                ax.fill_between([low, high], base, base + share, color=colours[code], alpha=0.75, linewidth=0)
                base += share
        ax.set_ylim(0, 1)
        ax.set_ylabel("probability")
        _class_points(tree, colours, (values[0], values[0], np.empty(0)), values, None, ax)
        return
    if outcome is not None:
        ax.scatter(values[0], outcome, s=12, color=LIGHT["real"], alpha=0.5, linewidths=0)
    for low, high, leaf in pieces:
        grid = np.linspace(low, high, _STEPS if leaf in models else 2)
        columns = [np.broadcast_to(value, grid.size) for value in part.fixed]
        column = part.columns[0]
        columns[column] = grid if tree.columns[column].kind == "numeric" else np.rint(grid).astype(np.int32)
        said = evaluate(tree, columns, np.full(grid.size, leaf, dtype=np.int32))
        ax.plot(grid, said, color="#1b1f27", linewidth=2)
    ax.set_ylabel("prediction")
