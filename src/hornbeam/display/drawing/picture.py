"""A finished picture, and the function that makes one of a model.

One idea: a picture is SVG text that shows itself in a notebook; PNG and PDF come from the same drawing
through matplotlib, if it is there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hornbeam._base.atomic import write_atomically
from hornbeam.display.drawing.canvas import Surface
from hornbeam.display.drawing.card_tree import card_tree
from hornbeam.display.drawing.checks import check_cards, check_one_of, check_width
from hornbeam.display.drawing.drawing_context import Sheet
from hornbeam.display.drawing.icicle import icicle
from hornbeam.display.drawing.layout import ORIENTATIONS
from hornbeam.display.drawing.palette import THEMES
from hornbeam.display.drawing.rows_at_nodes import Seen
from hornbeam.display.drawing.svg_text import svg_text
from hornbeam.tree.hooks import tree_of

KINDS = ("tree", "icicle")
SUFFIXES = (".svg", ".png", ".pdf")


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

    def __init__(self, surface: Surface, theme: str = "auto") -> None:
        self.surface, self.theme = surface, theme

    @property
    def width(self) -> float:
        """How wide the picture is in pixels."""
        return self.surface.width

    @property
    def height(self) -> float:
        """How high the picture is in pixels."""
        return self.surface.height

    @property
    def svg(self) -> str:
        """The picture as SVG text."""
        return svg_text(self.surface, self.theme)

    def __repr__(self) -> str:
        return f"<Picture {self.width:.0f} x {self.height:.0f}: {self.surface.root.title}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.svg}</div>'

    def save(self, path: str | Path) -> Path:
        """Write the picture to a file; its suffix says how: .svg, .png or .pdf.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Path
            The file.
        """
        path = Path(path)
        kind = path.suffix.lower()
        if kind not in SUFFIXES:
            raise ValueError(
                f"path={str(path)!r} must end with one of {', '.join(SUFFIXES)}: the suffix says what is"
                " written"
            )
        if kind == ".svg":
            return write_atomically(path, self.svg)
        from hornbeam.display.drawing.mpl import save_figure

        save_figure(self.surface, path, "dark" if self.theme == "dark" else "light")
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
    theme: str = "auto",
    max_cards: int | None = 60,
    node_ids: bool = True,
    width: float | None = None,
    title: str | None = None,
) -> Picture:
    """Draw a tree: SVG text without any other program.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one
    X : table or None
        Rows to show on the cards: histograms and scatters of the column tested. Usually the training rows;
        the counts and answers are always those the tree has from its training.
    y : outcomes of X or None
        With it histograms are stacked by class.
    sample_weight, counts : weight and number of repetitions of each row of X
    kind : {"tree", "icicle"}
        Cards with edges; or bars, which show hundreds of nodes in a small picture.
    orientation : {"down", "right"} or None
        Where the children of a node are; None: down for up to 8 leaves, right for more.
    theme : {"auto", "light", "dark"}
        "auto" follows the reader's setting where the picture is shown.
    max_cards : int or None
        The most nodes drawn; the rest is folded into cards that say what they hold. Nodes with many records
        are shown first; the branches of the root always are. None: everything.
    node_ids : bool
        Whether cards name their node's number.
    width : float or None
        The most pixels across; more is folded until it fits, nothing is made smaller. An icicle is exactly so
        wide, 1140 if None.
    title : str or None
        Words for the first line.

    Returns
    -------
    Picture
        `.svg` is the text, `.save("tree.svg")` writes it (.png and .pdf with matplotlib), notebooks show it.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = hb.TreeClassifier(max_depth=3).fit(X, y)
    >>> picture = hb.draw(model, X, y, title="Iris")
    >>> picture
    <Picture 886 x 681: Iris — 150 rows · 5 leaves, depth 3>
    """
    tree = tree_of(model)
    check_one_of("kind", kind, KINDS)
    check_one_of("theme", theme, THEMES)
    check_cards(max_cards)
    check_width(width)
    if orientation is not None:
        check_one_of("orientation", orientation, ORIENTATIONS)
    if X is None:
        for name, value in (("y", y), ("sample_weight", sample_weight), ("counts", counts)):
            if value is not None:
                raise ValueError(f"{name} was given without X: give the rows as X, too, or neither")
    seen = None if X is None else Seen(tree, X, y, sample_weight, counts)
    sheet = Sheet(tree, seen, node_ids=node_ids)
    if kind == "icicle":
        return Picture(icicle(sheet, width=width, title=title), theme)
    surface = card_tree(sheet, max_cards=max_cards, orientation=orientation, width=width, title=title)
    return Picture(surface, theme)
