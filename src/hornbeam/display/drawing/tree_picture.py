"""A tree as boxes and edges, with lines on top that say how large it is and what the colours mean.

One idea: everything is measured before anything is drawn; the layout alone decides where things go. Which box
a node gets depends on what it tests or how it answers: a new kind is one function and one line in a table.
Edges are as wide as the records that pass, side by side where they leave a box and never thinner than can be
seen; grey, because colour is for classes. What missing values do is written on the edge they take.

Opening a node shows all its children, so the nodes of a large tree are opened by their records, heaviest
first, until the next one would bring more boxes than wanted; the rest is folded and counted.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from hornbeam._base.types import Task
from hornbeam.display.drawing import leaf_boxes, node_words, split_boxes
from hornbeam.display.drawing.canvas import Canvas, Command
from hornbeam.display.drawing.drawing_context import DrawingContext, draw_legend, headline
from hornbeam.display.drawing.layout import layout, orientation_for, spread
from hornbeam.display.drawing.node_box import WIDTH
from hornbeam.display.drawing.text_width import SMALL, TITLE, one_line, shortened, text_width
from hornbeam.tree import words as tree_words
from hornbeam.tree.arrays import HYPERPLANE, INTERVALS, LEAF, THRESHOLD
from hornbeam.tree.scores import digits
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import is_for_missing

MARGIN = 16.0
THINNEST, WIDEST = 1.4, 18.0  # edges
_BOX_GAP = {"down": 18.0, "right": 12.0}
_LEVEL_GAP = {"down": 62.0, "right": 44.0}
_LABEL_ABOVE, _LABEL_HEIGHT, _LABEL_MOST = 15.0, 17.0, 190.0

SIZE_TESTS = (THRESHOLD, INTERVALS, HYPERPLANE)
LEAF_BOXES: Mapping[str, Callable[[DrawingContext, int], Canvas]] = {
    Task.CLASSES: leaf_boxes.class_leaf,
    Task.REAL: leaf_boxes.number_leaf,
    Task.DENSITY: leaf_boxes.density_leaf,
    Task.SURVIVAL: leaf_boxes.survival_leaf,
}


# --- which nodes get a box ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShownNodes:
    """The boxes of a drawing in reading order, parents before children.

    Attributes
    ----------
    nodes : the tree's node of each box
    children : the boxes below each box
    folded : nodes that have more below them than is shown
    """

    nodes: list[int]
    children: list[list[int]]
    folded: frozenset[int]

    @property
    def n_ends(self) -> int:
        """How many boxes have none below them."""
        return sum(not below for below in self.children)


def shown_nodes(tree: Tree, max_nodes: int | None) -> ShownNodes:
    """Return the boxes of a drawing of at most so many.

    >>> from sklearn.datasets import load_iris
    >>> import hornbeam as hb
    >>> tree = hb.TreeClassifier().fit(*load_iris(return_X_y=True)).tree_
    >>> few = shown_nodes(tree, 5)
    >>> few.nodes, sorted(few.folded)
    ([0, 1, 2, 3, 4], [3, 4])
    """
    opened = _opened_nodes(tree, max_nodes)
    nodes: list[int] = []
    children: list[list[int]] = []
    waiting = [(0, -1)]
    while waiting:
        node, parent = waiting.pop()
        box = len(nodes)
        if parent >= 0:
            children[parent].append(box)
        nodes.append(node)
        children.append([])
        if node in opened:
            waiting.extend((child, box) for child in reversed(tree.children(node)))
    folded = {node for node in nodes if tree.kind[node] != LEAF and node not in opened}
    return ShownNodes(nodes, children, frozenset(folded))


def _opened_nodes(tree: Tree, max_nodes: int | None) -> set[int]:
    tests = np.flatnonzero(tree.kind != LEAF).tolist()
    if max_nodes is None or len(tree) <= max_nodes:
        return set(tests)
    weight = tree.weight.tolist()
    opened: set[int] = set()
    n_boxes = 1
    waiting = [(-weight[0], 0)] if tests else []
    while waiting:
        _, node = heapq.heappop(waiting)
        below = tree.children(node)
        if n_boxes + len(below) > max_nodes and (node > 0 or max_nodes == 1):
            continue  # a root with more branches than that is opened all the same
        n_boxes += len(below)
        opened.add(node)
        for child in below:
            if tree.kind[child] != LEAF:
                heapq.heappush(waiting, (-weight[child], child))
    return opened


# --- boxes --------------------------------------------------------------------------------------------------


def node_box(context: DrawingContext, node: int, *, is_folded: bool) -> Canvas:
    """Return the box of a node."""
    tree = context.tree
    if is_folded:
        return leaf_boxes.folded_node(context, node)
    if tree.kind[node] != LEAF:
        is_by_size = tree.kind[node] in SIZE_TESTS
        return (split_boxes.size_split if is_by_size else split_boxes.value_split)(context, node)
    if tree.has_models and tree.model_offset[node] < tree.model_offset[node + 1]:
        return leaf_boxes.equation_leaf(context, node)
    return LEAF_BOXES[tree.task](context, node)


def draw_tree(
    context: DrawingContext,
    *,
    max_nodes: int | None,
    orientation: str | None,
    width: float | None,
    title: str | None,
    shape: float | None = None,
) -> Canvas:
    """Return the drawing of a tree as boxes; with a width, more is folded until it fits.

    With a shape, the width of a page over its height, boxes stand further apart until the page is filled.
    """
    most = max_nodes
    while True:
        shown = shown_nodes(context.tree, most)
        canvas = _draw_shown(context, shown, orientation or orientation_for(shown.n_ends), title, shape)
        if width is None or canvas.width <= width or len(shown.nodes) == 1:
            return canvas
        most = max(1, 2 * min(len(shown.nodes), most or len(shown.nodes)) // 3)


def _draw_shown(
    context: DrawingContext, shown: ShownNodes, orientation: str, title: str | None, shape: float | None
) -> Canvas:
    down = orientation == "down"
    boxes = [node_box(context, node, is_folded=node in shown.folded) for node in shown.nodes]
    above = {child: k for k, below in enumerate(shown.children) for child in below}
    most = WIDTH + _BOX_GAP["down"] - 6 if down else _LABEL_MOST
    edges = {k: edge_to(context, shown.nodes[parent], shown.nodes[k], most) for k, parent in above.items()}
    room = [0.0] * len(boxes) if down else _room_for_labels(context.tree.depths[shown.nodes].tolist(), edges)
    sizes = [
        (box.width + before, box.height, below)
        for box, before, below in zip(boxes, room, shown.children, strict=True)
    ]
    placed = layout(sizes, _BOX_GAP[orientation], _LEVEL_GAP[orientation], orientation)
    words, classes = headline(context.tree, title, len(shown.nodes)), context.legend()
    head = 26.0 if down or classes or title else 22.0
    needed = MARGIN * 2 + max(text_width(words, TITLE, bold=True), sum(width for _, _, width in classes))
    top = MARGIN + head + (20.0 if classes else 0.0)
    if shape is not None:
        placed = spread(placed, [size[:2] for size in sizes], shape, 2 * MARGIN, top + MARGIN)
    width = max(placed.width + 2 * MARGIN, min(needed, placed.width + 400))
    canvas = Canvas(width, top + placed.height + MARGIN, one_line(words), _description(context, shown))
    canvas.rect(0, 0, canvas.width, canvas.height, fill="page")
    words = shortened(words, width - 2 * MARGIN, TITLE, bold=True)
    canvas.text(MARGIN, MARGIN + 12, words, size=TITLE, bold=True)
    draw_legend(canvas, classes, MARGIN + 20, MARGIN)
    left = (width - placed.width) / 2 if down else MARGIN
    corners = [(left + x + before, top + y) for x, y, before in zip(placed.x, placed.y, room, strict=True)]
    _draw_edges(canvas, shown, boxes, edges, corners, down=down)
    for node, box, (x, y) in zip(shown.nodes, boxes, corners, strict=True):
        canvas.place(box, x, y, node_words.sentence(context.tree, node))
    return canvas


def _room_for_labels(level: list[int], edges: Mapping[int, Edge]) -> list[float]:
    """How far from the start of its level each box stands, so that all labels of the level fit."""
    longest = [0.0] * (max(level) + 1)
    for child, edge in edges.items():
        longest[level[child]] = max(longest[level[child]], edge.length + 8)
    return [longest[depth] for depth in level]


def _description(context: DrawingContext, shown: ShownNodes) -> str:
    tree = context.tree
    sentences = ". ".join(node_words.sentence(tree, node) for node in shown.nodes[:3])
    more = f" and {len(shown.nodes) - 3} more nodes" if len(shown.nodes) > 3 else ""
    errors = ""
    if tree.classes is not None and not tree.uncounted:
        wrong = sum(node_words.wrong_at(tree, leaf) for leaf in tree.leaves().tolist())
        part = tree_words.percent(wrong / float(tree.weight[0]))
        errors = f" {part} of the training records are answered wrongly."
    return f"A decision tree. {sentences}{more}.{errors}"


# --- edges --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Edge:
    """An edge to a child: its words, what missing values do, its width, and whether only they take it."""

    words: str
    missing: str
    width: float
    dashed: bool

    @property
    def length(self) -> float:
        """How wide its label is."""
        inner = text_width(self.words, SMALL, bold=self.dashed)
        return inner + (text_width(self.missing, SMALL, bold=True) + 5 if self.missing else 0) + 14


def edge_to(context: DrawingContext, parent: int, child: int, most: float = _LABEL_MOST) -> Edge:
    """Return the edge from a node to its child, with a label of at most so many pixels."""
    tree = context.tree
    share = float(tree.weight[child] / tree.weight[0]) if tree.weight[0] > 0 else 0.0
    dashed = is_for_missing(tree, parent, child - int(tree.first_child[parent]))
    words = node_words.branch_words(tree, parent, child)
    missing = _missing_words(context, parent, child)
    if dashed:
        words, missing = f"missing{f' · {missing[2:]}' if missing.startswith('∅ ') else ''}", ""
    room = most - 14 - (text_width(missing, SMALL, bold=True) + 5 if missing else 0)
    return Edge(shortened(words, room, SMALL), missing, max(THINNEST, WIDEST * share), dashed)


def _missing_words(context: DrawingContext, parent: int, child: int) -> str:
    """`∅ 90` where 90 rows without a value went, `∅ ×0.93` where a part of each did, or nothing."""
    tree = context.tree
    divided = f"∅ ×{digits(float(context.shares[child]), 2)}"
    if context.rows is not None:
        n_rows, part = context.rows.rows_without_answer(parent, child)
        if n_rows == 0:
            return ""
        return f"∅ {n_rows:,}" if part > 1 - 1e-9 else divided
    if not any(tree.columns[column].has_missing for column in tree.tested_columns(parent)):
        return ""
    if tree.policy["missing"] == "fractional":
        return divided
    branch = child - int(tree.first_child[parent])
    return "∅" if tree.missing[parent] == branch and tree.policy["missing"] != "all-paths" else ""


def _draw_edges(
    canvas: Canvas,
    shown: ShownNodes,
    boxes: list[Canvas],
    edges: Mapping[int, Edge],
    corners: list[tuple[float, float]],
    *,
    down: bool,
) -> None:
    """Draw all curves, then all labels, so that no curve runs over a label."""
    labels = []
    for parent, below in enumerate(shown.children):
        x, y = corners[parent]
        along = -sum(edges[child].width for child in below) / 2
        for child in below:
            edge, (cx, cy) = edges[child], corners[child]
            side = along + edge.width / 2
            along += edge.width
            if down:
                x1, y1, x2, y2 = x + WIDTH / 2 + side, y + boxes[parent].height, cx + WIDTH / 2, cy
                middle = (y1 + y2) / 2
                bend: Command = ("C", x1, middle, x2, middle, x2, y2)
                labels.append((x2, cy - _LABEL_ABOVE, edge))
            else:
                x1, y1 = x + boxes[parent].width, y + boxes[parent].height / 2 + side
                x2, y2 = cx, cy + boxes[child].height / 2
                middle = (x1 + x2) / 2
                bend = ("C", middle, y1, middle, y2, x2, y2)
                labels.append((cx - 8 - edge.length / 2, y2, edge))
            dash = (5.0, 4.0) if edge.dashed else None
            canvas.path([("M", x1, y1), bend], stroke="edge", width=edge.width, dash=dash)
    for x, y, edge in labels:
        _draw_label(canvas, x, y, edge)


def _draw_label(canvas: Canvas, x: float, y: float, edge: Edge) -> None:
    """Draw the label of an edge around the point (x, y)."""
    length, height = edge.length, _LABEL_HEIGHT
    left = x - length / 2
    canvas.rect(left, y - height / 2, length, height, fill="pill", stroke="axis", radius=height / 2)
    fill = "accent" if edge.dashed else "ink"
    canvas.text(left + 7, y + 3.6, edge.words, size=SMALL, fill=fill, bold=edge.dashed)
    canvas.text(left + length - 7, y + 3.6, edge.missing, size=SMALL, fill="accent", anchor="end", bold=True)
