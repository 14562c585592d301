"""SVG: a picture of the tree for pages and documents, as `hornbeam.display.drawing` draws it."""

from __future__ import annotations

from hornbeam.display.drawing import draw
from hornbeam.tree.tree import Tree


def svg(
    tree: Tree,
    kind: str = "tree",
    orientation: str | None = None,
    theme: str = "auto",
    max_cards: int | None = 60,
    title: str | None = None,
) -> str:
    """A picture as text; `hb.draw` can show rows on its cards as well.

    >>> tree = Tree.from_nested({"column": "width", "<=": 0.8, "yes": "a", "no": "b"})
    >>> svg(tree).count("<text") > 4
    True
    """
    picture = draw(tree, kind=kind, orientation=orientation, theme=theme, max_cards=max_cards, title=title)
    return picture.svg
