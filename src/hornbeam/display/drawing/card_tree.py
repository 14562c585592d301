"""The tree of cards: sizes, places, edges, cards, and a line on top that says what the colours mean.

One idea: everything is measured before anything is drawn; the layout alone decides where things go.
"""

from __future__ import annotations

from hornbeam.display.drawing import card_words
from hornbeam.display.drawing.canvas import Surface
from hornbeam.display.drawing.card_pieces import TITLE, WIDTH, Card
from hornbeam.display.drawing.cards import card
from hornbeam.display.drawing.drawing_context import Sheet
from hornbeam.display.drawing.edges import Edge, draw_curve, draw_pill, edge
from hornbeam.display.drawing.folded_nodes import Shown, shown
from hornbeam.display.drawing.layout import layout, orientation_for
from hornbeam.display.drawing.picture_title import draw_legend, headline, legend
from hornbeam.display.drawing.text_width import one_line, shortened, text_width
from hornbeam.tree import words as tree_words

MARGIN = 16.0
_GAP = {"down": 18.0, "right": 12.0}
_LEVEL_GAP = {"down": 62.0, "right": 44.0}
_PILL_ABOVE = 15.0


def card_tree(
    sheet: Sheet, *, max_cards: int | None, orientation: str | None, width: float | None, title: str | None
) -> Surface:
    """Return the drawing of a tree as cards; with a width, more is folded until it fits."""
    cards = max_cards
    while True:
        chosen = shown(sheet.tree, cards)
        drawn = _drawn(sheet, chosen, orientation or orientation_for(chosen.n_ends), title)
        if width is None or drawn.width <= width or len(chosen.nodes) == 1:
            return drawn
        cards = max(1, 2 * min(len(chosen.nodes), cards or len(chosen.nodes)) // 3)


def _drawn(sheet: Sheet, chosen: Shown, orientation: str, title: str | None) -> Surface:
    down = orientation == "down"
    made = [card(sheet, node, is_folded=node in chosen.folded) for node in chosen.nodes]
    above = {child: k for k, below in enumerate(chosen.children) for child in below}
    most = WIDTH + _GAP["down"] - 6 if down else 190.0
    edges = {k: edge(sheet, chosen.nodes[parent], chosen.nodes[k], most) for k, parent in above.items()}
    room = _room_for_labels(chosen, edges) if not down else [0.0] * len(made)
    boxes = [
        (one.width + before, one.height, below)
        for one, before, below in zip(made, room, chosen.children, strict=True)
    ]
    placed = layout(boxes, _GAP[orientation], _LEVEL_GAP[orientation], orientation)
    words = headline(sheet.tree, title, chosen)
    classes = legend(sheet)
    head = 26.0 if down or classes or title else 22.0
    needed = MARGIN * 2 + max(text_width(words, TITLE, bold=True), sum(width for _, _, width in classes))
    top = MARGIN + head + (20.0 if classes else 0.0)
    width = max(placed.width + 2 * MARGIN, min(needed, placed.width + 400))
    surface = Surface(width, top + placed.height + MARGIN, one_line(words), _description(sheet, chosen))
    surface.rect(0, 0, surface.width, surface.height, fill="page")
    surface.text(
        MARGIN, MARGIN + 12, shortened(words, width - 2 * MARGIN, TITLE, bold=True), size=TITLE, bold=True
    )
    draw_legend(surface, classes, MARGIN + 20, MARGIN)
    left = (width - placed.width) / 2 if down else MARGIN
    corners = [(left + x + before, top + y) for x, y, before in zip(placed.x, placed.y, room, strict=True)]
    _draw_edges(surface, chosen, made, edges, corners, down=down)
    for node, one, (x, y) in zip(chosen.nodes, made, corners, strict=True):
        with surface.group(card_words.sentence(sheet.tree, node)):
            one.paint(surface, x, y)
    return surface


def _room_for_labels(chosen: Shown, edges: dict[int, Edge]) -> list[float]:
    """Return how far from the start of its level each card stands, so that all labels of the level fit."""
    level = [0] * len(chosen.nodes)
    for card_number, below in enumerate(chosen.children):
        for child in below:
            level[child] = level[card_number] + 1
    longest = [0.0] * (max(level) + 1)
    for child, one in edges.items():
        longest[level[child]] = max(longest[level[child]], one.length + 8)
    return [longest[depth] for depth in level]


def _draw_edges(
    surface: Surface,
    chosen: Shown,
    made: list[Card],
    edges: dict[int, Edge],
    corners: list[tuple[float, float]],
    *,
    down: bool,
) -> None:
    """Draw all curves, then all labels, so that no curve runs over a label."""
    pills = []
    for parent, below in enumerate(chosen.children):
        x, y = corners[parent]
        total = sum(edges[child].width for child in below)
        along = -total / 2
        for child in below:
            one, (cx, cy) = edges[child], corners[child]
            side = along + one.width / 2
            along += one.width
            if down:
                start = (x + WIDTH / 2 + side, y + made[parent].height)
                end = (cx + WIDTH / 2, cy)
                pills.append((cx + WIDTH / 2, cy - _PILL_ABOVE, one))
            else:
                start = (x + made[parent].width, y + made[parent].height / 2 + side)
                end = (cx, cy + made[child].height / 2)
                pills.append((cx - 8 - one.length / 2, end[1], one))
            draw_curve(surface, start, end, one, down=down)
    for x, y, one in pills:
        draw_pill(surface, x, y, one)


def _description(sheet: Sheet, chosen: Shown) -> str:
    tree = sheet.tree
    said = [card_words.sentence(tree, node) for node in chosen.nodes[:3]]
    more = f" and {len(chosen.nodes) - 3} more nodes" if len(chosen.nodes) > 3 else ""
    share = ""
    if tree.classes is not None and not tree.uncounted:
        leaves = tree.leaves().tolist()
        wrong = sum(card_words.wrong_at(tree, leaf) for leaf in leaves)
        part = tree_words.percent(wrong / float(tree.weight[0]))
        share = f" {part} of the training records are answered wrongly."
    return f"A decision tree. {'. '.join(said)}{more}.{share}"
