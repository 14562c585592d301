"""A tree on axes of matplotlib, under scikit-learn's name for it."""

from __future__ import annotations

from typing import Any

from hornbeam.display.drawing.checks import check_one_of
from hornbeam.display.drawing.mpl import draw_on, own_axes
from hornbeam.display.drawing.picture import draw


def plot_tree(
    model: Any,
    ax: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    counts: Any = None,
    kind: str = "tree",
    orientation: str | None = None,
    theme: str = "light",
    max_cards: int | None = 60,
    node_ids: bool = True,
    width: float | None = None,
    title: str | None = None,
) -> list[Any]:
    """Draw a tree on axes of matplotlib; texts and lines grow and shrink with the axes.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one
    ax : matplotlib Axes or None
        None: new ones, as large as the picture.
    X, y, sample_weight, counts, kind, orientation, max_cards, node_ids, width, title
        As `hb.draw` has them.
    theme : {"light", "dark"}

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
    picture = draw(
        model,
        X,
        y,
        sample_weight=sample_weight,
        counts=counts,
        kind=kind,
        orientation=orientation,
        theme=theme,
        max_cards=max_cards,
        node_ids=node_ids,
        width=width,
        title=title,
    )
    return draw_on(picture.surface, own_axes(ax, picture.width / 96, picture.height / 96), theme)
