"""A finished picture, and the functions that make one of a model: `draw` and `plot_tree`.

One idea: a picture is SVG text that shows itself in a notebook; PNG, PDF and artists on axes come from the
same drawing through matplotlib, if it is there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hornbeam._base.atomic import write_atomically
from hornbeam._base.parameters import as_path, did_you_mean, is_number, is_whole
from hornbeam.display.drawing.canvas import Canvas
from hornbeam.display.drawing.compact_page import PAGES, PIXELS
from hornbeam.display.drawing.compact_tree import draw_compact
from hornbeam.display.drawing.drawing_context import DrawingContext
from hornbeam.display.drawing.icicle import draw_icicle
from hornbeam.display.drawing.layout import ORIENTATIONS
from hornbeam.display.drawing.mpl import draw_on, own_axes, save_figure, shape_of
from hornbeam.display.drawing.palette import THEMES
from hornbeam.display.drawing.svg_text import svg_text
from hornbeam.display.drawing.tikz_text import tikz_text
from hornbeam.display.drawing.tree_picture import draw_tree
from hornbeam.display.rows_at_nodes import rows_of_drawing
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.tree import Tree

KINDS = ("tree", "icicle")
STYLES = ("screen", *PAGES)
SUFFIXES = (".svg", ".png", ".pdf", ".tex")


class Picture:
    """A drawing that can be shown and saved.

    Attributes
    ----------
    width, height : float
        The size in pixels.
    theme : {"auto", "light", "dark"}

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> picture = hb.draw(hb.id3().fit(tennis.X, tennis.y))
    >>> picture.svg.startswith("<svg ")
    True
    """

    def __init__(
        self, canvas: Canvas, theme: str = "auto", arrange: Callable[[float], Canvas] | None = None
    ) -> None:
        self.canvas, self.theme, self._arrange = canvas, theme, arrange

    def arranged(self, shape: float) -> Canvas:
        """Return the same drawing for a page of a width over its height, as far as it can be arranged so."""
        return self.canvas if self._arrange is None else self._arrange(shape)

    @property
    def width(self) -> float:
        """How wide the picture is in pixels."""
        return self.canvas.width

    @property
    def height(self) -> float:
        """How high the picture is in pixels."""
        return self.canvas.height

    @property
    def svg(self) -> str:
        """The picture as SVG text."""
        return svg_text(self.canvas, self.theme)

    @property
    def tikz(self) -> str:
        """The picture as a `tikzpicture` for LaTeX documents that use the package tikz."""
        return tikz_text(self.canvas, "light" if self.theme == "auto" else self.theme)

    def __repr__(self) -> str:
        return f"<Picture {self.width:.0f} x {self.height:.0f}: {self.canvas.root.title}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.svg}</div>'

    def save(self, path: str | Path) -> Path:
        """Write the picture to a file; its suffix says how: .svg, .tex, .png or .pdf.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Path
            The file.
        """
        path = as_path(path)
        kind = path.suffix.lower()
        if kind not in SUFFIXES:
            allowed = ", ".join(SUFFIXES)
            raise ValueError(
                f"path={str(path)!r} must end with one of {allowed}: the suffix says what is written"
            )
        if kind in (".svg", ".tex"):
            return write_atomically(path, self.svg if kind == ".svg" else self.tikz)
        save_figure(self.canvas, path, "light" if self.theme == "auto" else self.theme)
        return path


def draw(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    counts: Any = None,
    kind: str = "tree",
    orientation: str | None = None,
    style: str = "screen",
    theme: str = "auto",
    max_nodes: int | None = 60,
    node_ids: bool | None = None,
    width: float | None = None,
    title: str | None = None,
) -> Picture:
    """Draw a tree: SVG text without any other program.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one
    X : table or None
        Rows to show in the boxes of the nodes: histograms and scatters of the column tested. Usually the
        training rows; the counts and answers are always those the tree has from its training.
    y : outcomes of X or None
        With it histograms are stacked by class.
    sample_weight, counts : weight and number of repetitions of each row of X
    kind : {"tree", "icicle"}
        Boxes with edges; or bars, which show hundreds of nodes in a small picture.
    orientation : {"down", "right"} or None
        Where the children of a node are; None: down for up to 8 leaves, right for more.
    style : {"screen", "paper", "slide"}
        "screen" has boxes with the rows in them. "paper" and "slide" are compact: exactly `width` inches
        wide, with a row or a column for each leaf, no text below 7 or 14 points, and colours that differ
        in grey, too; they show no rows of X.
    theme : {"auto", "light", "dark"}
        "auto" follows the reader's setting where the picture is shown; on paper and slides it is light.
    max_nodes : int or None
        The most nodes drawn; the rest is folded into boxes that say what they hold. Nodes with many records
        are shown first; the branches of the root always are. None: everything.
    node_ids : bool or None
        Whether boxes name their node's number; None: on the screen only.
    width : float or None
        On the screen the most pixels across; more is folded until it fits, nothing is made smaller. An icicle
        is exactly so wide, 1140 if None. For "paper" and "slide" inches: exactly so wide, 6.5 and 12 if None.
    title : str or None
        Words for the first line.

    Returns
    -------
    Picture
        `.svg` is the text, `.save("tree.svg")` writes it (.tex for LaTeX; .png and .pdf with matplotlib),
        notebooks show it.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = hb.TreeClassifier(max_depth=3).fit(X, y)
    >>> picture = hb.draw(model, X, y, title="Iris")
    >>> picture
    <Picture 886 x 681: Iris — 150 rows · 5 leaves, depth 3>
    >>> hb.draw(model, style="paper", width=3.25).width / 96
    3.25
    """
    tree = tree_of(model, for_rows=X is not None)
    check_one_of("kind", kind, KINDS)
    check_one_of("theme", theme, THEMES)
    check_one_of("style", style, STYLES)
    _check_size(max_nodes, width, style)
    if orientation is not None:
        check_one_of("orientation", orientation, ORIENTATIONS)
    if X is None:
        for name, value in (("y", y), ("sample_weight", sample_weight), ("counts", counts)):
            if value is not None:
                raise ValueError(f"{name} was given without X: give the rows as X, too, or neither")
    if style != "screen":
        return _page_picture(
            tree, X, kind, orientation, style, theme, max_nodes, bool(node_ids), width, title
        )
    rows = None if X is None else rows_of_drawing(tree, X, y, sample_weight, counts)
    context = DrawingContext(tree, rows, node_ids=node_ids is None or bool(node_ids))
    if kind == "icicle":
        return Picture(draw_icicle(context, width=width, title=title), theme)
    options: dict[str, Any] = {"max_nodes": max_nodes, "width": width, "title": title}

    def arrange(shape: float) -> Canvas:
        ways = [orientation] if orientation is not None else ORIENTATIONS
        drawn = [draw_tree(context, orientation=way, shape=shape, **options) for way in ways]
        return min(
            drawn, key=lambda one: one.width * one.height
        )  # the larger the drawing, the smaller its text

    return Picture(draw_tree(context, orientation=orientation, **options), theme, arrange)


def _page_picture(
    tree: Tree,
    X: Any,
    kind: str,
    orientation: str | None,
    style: str,
    theme: str,
    max_nodes: int | None,
    node_ids: bool,  # noqa: FBT001 (a fact, not a switch)
    width: float | None,
    title: str | None,
) -> Picture:
    """A picture for a paper or a slide."""
    if X is not None:
        raise ValueError(f"style={style!r} has no room for rows: leave X and y out, or use style='screen'")
    theme = "print" if theme != "dark" else theme
    context, page = DrawingContext(tree, None, node_ids=node_ids), PAGES[style]
    if kind == "icicle":
        if style == "slide":
            raise ValueError("style='slide' has no icicles: use style='paper' or 'screen' for kind='icicle'")
        return Picture(draw_icicle(context, width=(width or page.inches) * PIXELS, title=title), theme)
    options: dict[str, Any] = {
        "page": page,
        "max_nodes": max_nodes,
        "orientation": orientation,
        "title": title,
    }
    inches = width or page.inches
    canvas = draw_compact(context, width=inches, height=None, **options)

    def arrange(shape: float) -> Canvas:
        return draw_compact(context, width=inches, height=inches / shape, **options)

    return Picture(canvas, theme, arrange)


def check_one_of(name: str, value: Any, allowed: Sequence[str]) -> None:
    """Raise unless a value is one of some words.

    >>> check_one_of("kind", "icycle", ("tree", "icicle"))
    Traceback (most recent call last):
    ValueError: kind='icycle' is not known (did you mean 'icicle'?): use one of 'tree', 'icicle'
    """
    if value not in allowed:
        hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
        raise ValueError(f"{name}={value!r} is not known{hint}: use one of {', '.join(map(repr, allowed))}")


def _check_size(max_nodes: Any, width: Any, style: str) -> None:
    """Raise unless the most nodes and the width of a picture are numbers that make sense, or None."""
    if max_nodes is not None and (not is_whole(max_nodes) or max_nodes < 1):
        raise ValueError(
            f"max_nodes={max_nodes!r} must be a whole number of at least 1, or None for all nodes"
        )
    if style != "screen":
        if width is not None and (not is_number(width) or not 2 <= width <= 100):
            raise ValueError(f"width={width!r} must be a number of inches from 2 to 100 for style={style!r}")
        return
    if width is not None and (not is_number(width) or not 200 <= width < math.inf):
        raise ValueError(
            f"width={width!r} must be a number of pixels of at least 200, or None for as wide as needed"
        )


def plot_tree(
    model: Any, ax: Any = None, X: Any = None, y: Any = None, *, theme: str = "light", **options: Any
) -> list[Any]:
    """Draw a tree on axes of matplotlib, which it fills; texts and lines grow and shrink with the axes.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one
    ax : matplotlib Axes or None
        None: new ones, as large as the picture.
    X, y : rows to show in the boxes of the nodes, or None
    theme : {"light", "dark"}
    **options
        As `hb.draw` has them: sample_weight, counts, kind, orientation, style, max_nodes, node_ids, width,
        title.

    Returns
    -------
    list
        The artists in drawing order.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from matplotlib.figure import Figure
    >>> tennis = hb.datasets.load("tennis")
    >>> artists = hb.plot_tree(hb.id3().fit(tennis.X, tennis.y), ax=Figure().subplots())
    >>> len(artists) > 40
    True
    """
    check_one_of("theme", theme, ("light", "dark"))
    picture = draw(model, X, y, theme=theme, **options)
    canvas = picture.canvas if ax is None else picture.arranged(shape_of(own_axes(ax)))
    return draw_on(canvas, own_axes(ax, canvas.width / 96, canvas.height / 96), theme)
