"""What compact pictures of trees share: the size of a page, title and legend, places, strips of classes.

One idea: all lengths are in the size of the text, so a slide is the picture of a paper with larger letters.
Words say everything that colour says, and colours also differ in lightness, so nothing is lost in grey.
"""

from __future__ import annotations

from dataclasses import dataclass

from hornbeam.display.drawing import node_words
from hornbeam.display.drawing.canvas import Canvas
from hornbeam.display.drawing.drawing_context import DrawingContext, headline
from hornbeam.display.drawing.node_box import mean_and_spread
from hornbeam.display.drawing.palette import stacked
from hornbeam.display.drawing.text_width import shortened, text_width
from hornbeam.display.drawing.tree_picture import ShownNodes
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.scores import digits

PIXELS = 96.0  # an inch
POINT = PIXELS / 72


@dataclass(frozen=True)
class PageStyle:
    """The width of a picture in inches, and the size of its smallest text in points."""

    inches: float
    points: float


PAGES = {"paper": PageStyle(6.5, 7.0), "slide": PageStyle(12.0, 14.0)}


class CompactPage:
    """One drawing: where its ends and tests stand, and what is written there."""

    def __init__(
        self, context: DrawingContext, shown: ShownNodes, text: float, wide: float, title: str | None
    ) -> None:
        self.context, self.shown, self.text, self.wide = context, shown, text, wide
        self.tree = context.tree
        self.depth = depths(shown)
        self.parents = {child: box for box, below in enumerate(shown.children) for child in below}
        self.title = title
        self.legend = self._legend_lines()
        self.head = (1.7 * text if title else 0.0) + 1.5 * text * len(self.legend) + 0.3 * text

    def _legend_lines(self) -> list[list[tuple[str, str]]]:
        """The colours of the classes, in as many lines as they need; of numbers what their signs mean."""
        if self.tree.task.has_spread and not self.tree.uncounted:
            low, high = map(digits, self._ends_of_answers())
            return [[("real", f"mean ± standard deviation; bars of the mean from {low} to {high}")]]
        entries = [(colour, words) for colour, words, _ in self.context.legend()]
        lines: list[list[tuple[str, str]]] = [[]] if entries else []
        at = 0.0
        for colour, words in entries:
            length = text_width(words, self.text) + 2.4 * self.text
            if at + length > self.wide and lines[-1]:
                lines.append([])
                at = 0.0
            lines[-1].append((colour, words))
            at += length
        return lines

    def places(self, pitch: float) -> list[float]:
        """Where each box stands across the levels: ends one after the other, tests amid their branches."""
        place = [0.0] * len(self.shown.nodes)
        ends = 0
        for box, below in enumerate(self.shown.children):
            if not below:
                place[box] = (ends + 0.5) * pitch
                ends += 1
        for box in range(len(place) - 1, -1, -1):
            below = self.shown.children[box]
            if below:
                place[box] = (place[below[0]] + place[below[-1]]) / 2
        return place

    def name(self, node: int) -> str:
        """What a test asks for, with its number if wanted."""
        return node_words.tested(self.tree, node)[1] + (f" #{node}" if self.context.node_ids else "")

    def new_canvas(self, high: float) -> Canvas:
        """Return the page so high, with title and legend."""
        facts = headline(self.tree, self.title, len(self.shown.nodes))
        canvas = Canvas(self.wide, high, facts, "A decision tree; each row is a leaf.")
        canvas.rect(0, 0, self.wide, high, fill="page")
        y = 0.0
        if self.title:
            words = shortened(self.title, self.wide, 1.15 * self.text, bold=True)
            canvas.text(0, 1.15 * self.text, words, size=1.15 * self.text, bold=True)
            y += 1.7 * self.text
        for line in self.legend:
            x = 0.0
            for colour, words in line:
                side = 0.85 * self.text
                canvas.rect(
                    x, y + 0.2 * self.text, side, side, fill=colour, stroke="outline", stroke_width=0.6
                )
                canvas.text(x + 1.25 * self.text, y + self.text, words, size=self.text)
                x += text_width(words, self.text) + 2.4 * self.text
            y += 1.5 * self.text
        return canvas

    def branch(self, box: int) -> str:
        """What leads to a box."""
        parent = self.parents.get(box)
        if parent is None:
            return ""
        return node_words.branch_words(self.tree, self.shown.nodes[parent], self.shown.nodes[box])

    def draw_strip(self, part: Canvas, node: int, x: float, y: float, width: float) -> None:
        """The classes at a node as a bar; of a number its place between the least and the largest answer."""
        tall = 0.7 * self.text
        tree = self.tree
        if tree.uncounted:
            return
        if tree.classes is None:
            low, high = self._ends_of_answers()
            share = 0.5 if high == low else (float(self.context.answers[node]) - low) / (high - low)
            part.rect(x, y, width * share, tall, fill="real")
            part.rect(x, y, width, tall, stroke="outline", stroke_width=0.5)
            return
        counts = tree.stats[node].tolist()
        total = sum(counts)
        if total > 0:
            left = x
            for colour, amount in stacked(counts, self.context.colours):
                part.rect(left, y, width * amount / total, tall, fill=colour)
                left += width * amount / total
            part.rect(x, y, width, tall, stroke="outline", stroke_width=0.5)

    def _ends_of_answers(self) -> tuple[float, float]:
        leaves = self.context.answers[self.tree.kind == LEAF]
        return min(0.0, float(leaves.min())), float(leaves.max())


def depths(shown: ShownNodes) -> list[int]:
    """Return the level of each box."""
    depth = [0] * len(shown.nodes)
    for box, below in enumerate(shown.children):
        for child in below:
            depth[child] = depth[box] + 1
    return depth


def end_lines(context: DrawingContext, shown: ShownNodes, node: int) -> tuple[str, str]:
    """What stands at an end: the answer; its share and rows, or what is folded there."""
    tree = context.tree
    words, share = mean_and_spread(context, node)
    facts = [share, node_words.rows_at(tree, node), "folded" if node in shown.folded else ""]
    facts.append(f"#{node}" if context.node_ids else "")
    return words, " · ".join(filter(None, facts))
