"""A drawing as artists of matplotlib, for axes, PNG and PDF; and the error where matplotlib is not installed.

One idea: one pixel of the drawing is one unit of the axes, and texts and lines are as large as that unit is
on the page at the moment they are drawn, so a picture keeps its proportions in axes of any size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from hornbeam._base.atomic import atomic_file
from hornbeam.display.drawing.canvas import Canvas, Rect, Text, rect_commands
from hornbeam.display.drawing.canvas import Path as DrawnPath
from hornbeam.display.drawing.palette import THEME_COLOURS
from hornbeam.display.drawing.text_width import one_line

_ALIGNMENT = {"start": "left", "middle": "center", "end": "right"}
_DPI = 192


def need_matplotlib() -> Any:
    """Return matplotlib, or say how to get it."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise ImportError(
            'matplotlib is needed for this picture, but is not installed: pip install "hornbeam[plot]",'
            " or save the tree as .svg, which needs nothing"
        ) from None
    return mpl


def own_axes(ax: Any, width: float = 6.4, height: float = 4.8) -> Any:
    """Return the axes given, or new ones of that size in inches."""
    need_matplotlib()
    if ax is not None:
        if not hasattr(ax, "get_position") or not hasattr(ax, "add_artist"):
            raise TypeError(
                f"ax={ax!r} must be axes of matplotlib, as plt.subplots() makes them, or None for new ones"
            )
        return ax
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def shape_of(ax: Any) -> float:
    """Return the width of axes over their height on the page."""
    need_matplotlib()
    place = ax.get_position(original=True)
    wide, high = ax.figure.get_size_inches()
    return float(place.width * wide) / float(place.height * high)


def points_per_unit(artist: Any) -> float:
    """Return how many points one unit of an artist's axes is just now."""
    (_, bottom), (_, top) = artist.axes.transData.transform([(0, 1), (0, 0)])
    return abs(float(top - bottom)) * 72 / float(artist.figure.dpi)


@lru_cache(maxsize=1)
def _artist_classes() -> tuple[type[Any], type[Any]]:
    """The two kinds of artists whose sizes are units of their axes."""
    need_matplotlib()
    from matplotlib.collections import PathCollection
    from matplotlib.text import Text as MplText

    class Words(MplText):
        """Text whose size is given in units of the axes."""

        units = 10.0

        def _fit(self) -> None:
            size = max(self.units * points_per_unit(self), 0.1)
            if abs(size - float(self.get_fontsize())) > 1e-6:  # measuring again costs more than drawing
                self.set_fontsize(size)

        def draw(self, renderer: Any) -> None:
            self._fit()
            super().draw(renderer)

        def get_window_extent(self, *args: Any, **kwargs: Any) -> Any:
            self._fit()
            return super().get_window_extent(*args, **kwargs)

    class Outlines(PathCollection):
        """Paths in drawing order, whose lines are as wide as so many units of the axes."""

        units: Sequence[float] = ()

        def draw(self, renderer: Any) -> None:
            scale = points_per_unit(self)
            self.set_linewidth([width * scale for width in self.units])
            super().draw(renderer)

    return Words, Outlines


def draw_on(canvas: Canvas, ax: Any, theme: str = "light") -> list[Any]:
    """Clear the axes and draw on them; return the artists: all shapes as one, then each text."""
    colours = THEME_COLOURS[theme]
    words_artist, outlines_artist = _artist_classes()
    ax.set_xlim(0, canvas.width)
    ax.set_ylim(canvas.height, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    shapes = [shape for shape in canvas.shapes() if not isinstance(shape, Text)]
    inks = [shape.ink for shape in shapes]
    drawn = outlines_artist(
        [_path(shape) for shape in shapes],
        facecolors=[_colour(colours, i.stroke if i.is_round else i.fill, i.opacity) for i in inks],
        edgecolors=[_colour(colours, None if i.is_round else i.stroke, i.opacity) for i in inks],
        linewidths=[ink.width for ink in inks],
        linestyles=[(0, [part / i.width for part in i.dash]) if i.dash else "solid" for i in inks],
        transform=ax.transData,
        zorder=2,
    )
    drawn.units = [ink.width for ink in inks]
    ax.add_collection(drawn, autolim=False)
    texts = [_text_artist(words_artist, text, colours) for text in canvas.shapes() if isinstance(text, Text)]
    for text in texts:
        ax.add_artist(text)
    return [drawn, *texts]


def _text_artist(words_artist: type[Any], text: Text, colours: Mapping[str, str]) -> Any:
    artist = words_artist(
        text.x,
        text.y,
        one_line(text.text),
        color=colours[text.fill],
        ha=_ALIGNMENT[text.anchor],
        va="baseline",
        weight="bold" if text.bold else "normal",
        parse_math=False,
        clip_on=False,
        zorder=3,
    )
    artist.units = text.size
    return artist


def _colour(colours: Mapping[str, str], name: str | None, opacity: float) -> tuple[float, ...]:
    """Red, green, blue and opacity between 0 and 1; nothing at all for no colour."""
    if name is None:
        return (0.0, 0.0, 0.0, 0.0)
    text = colours[name]
    return (*(int(text[k : k + 2], 16) / 255 for k in (1, 3, 5)), opacity)


def _path(shape: Rect | DrawnPath) -> Any:
    from matplotlib.patches import BoxStyle
    from matplotlib.path import Path as MplPath

    if isinstance(shape, Rect):
        x, y, width, height = shape.x, shape.y, shape.width, shape.height
        if shape.radius:
            radius = min(shape.radius, width / 2, height / 2)
            return BoxStyle.Round(pad=0, rounding_size=radius)(x, y, width, height, 1)
        commands: Any = rect_commands(x, y, width, height)
    elif shape.ink.is_round and shape.commands:  # dots: lines this short are left out when they are drawn
        centres = [command[1:] for command in shape.commands if command[0] == "M"]
        return MplPath.make_compound_path(*(MplPath.circle(at, shape.ink.width / 2) for at in centres))
    else:
        commands = shape.commands
    vertices: list[tuple[float, float]] = []
    codes: list[int] = []
    for command in commands:
        if command[0] == "Z":
            vertices.append(vertices[-1])
            codes.append(int(MplPath.CLOSEPOLY))
        elif command[0] == "C":
            _, a, b, c, d, x, y = command
            vertices += [(a, b), (c, d), (x, y)]
            codes += [int(MplPath.CURVE4)] * 3
        else:
            vertices.append((command[1], command[2]))
            codes.append(int(MplPath.MOVETO if command[0] == "M" else MplPath.LINETO))
    return MplPath(vertices, codes)


def save_figure(canvas: Canvas, path: Path, theme: str) -> None:
    """Write a drawing as PNG or PDF; no window and no figure stays behind."""
    need_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(canvas.width / 96, canvas.height / 96), dpi=96)
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    draw_on(canvas, ax, theme)
    dpi = min(_DPI, 30_000 / max(canvas.width, canvas.height) * 96)  # larger images are refused
    kind = path.suffix.lower().removeprefix(".")
    metadata = {"CreationDate": None} if kind == "pdf" else {"Software": None}  # the same bytes every day
    with atomic_file(path) as file:
        page = THEME_COLOURS[theme]["page"]
        figure.savefig(file, format=kind, dpi=dpi, facecolor=page, metadata=metadata)
