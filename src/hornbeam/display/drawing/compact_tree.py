"""Trees for papers and slides: an exact width, no text below a size, and no room left blank.

One idea: every end of the tree has a row of its own (or a column, where there are few), and a test stands in
the middle of its branches. The rows of other subtrees never come near, so nothing can overlap, the ends may
be as long as the page is wide, and whatever room is left goes between levels and rows.
"""

from __future__ import annotations

from hornbeam.display.drawing import node_words
from hornbeam.display.drawing.canvas import Canvas
from hornbeam.display.drawing.compact_page import PIXELS, POINT, CompactPage, PageStyle, end_lines
from hornbeam.display.drawing.drawing_context import DrawingContext
from hornbeam.display.drawing.text_width import shortened, text_width
from hornbeam.display.drawing.tree_picture import ShownNodes, shown_nodes

# In sizes of the text.
_ROW = 1.8  # of one end
_TEST = 2.9  # the two lines of a test
_BETWEEN = 1.6  # levels
_NARROWEST = 5.0  # a level, and a column of ends
_STRIP = 2.6


def draw_compact(
    context: DrawingContext,
    *,
    page: PageStyle,
    width: float,
    height: float | None,
    max_nodes: int | None,
    orientation: str | None,
    title: str | None,
) -> Canvas:
    """Return the drawing of a tree, exactly so many inches wide, and at least as high as is asked for."""
    text = page.points * POINT
    wide = width * PIXELS
    most = max_nodes
    while True:
        shown = shown_nodes(context.tree, most)
        rows = RowTree(context, shown, text, wide, title)
        fits_down = orientation != "right" and shown.n_ends * _widest_end(context, shown, text) <= wide
        if fits_down or (orientation != "down" and rows.fits()) or len(shown.nodes) == 1:
            break
        most = max(1, 2 * len(shown.nodes) // 3)
    if orientation == "down" or (orientation is None and fits_down):
        return ColumnTree(context, shown, text, wide, title).draw(height)
    return rows.draw(height)


class RowTree(CompactPage):
    """A tree from left to right, with a row for each end."""

    def draw(self, height: float | None) -> Canvas:
        """Return the drawing with a row for each end."""
        text, shown = self.text, self.shown
        room = 0.0 if height is None else (height * PIXELS - self.head) / shown.n_ends
        pitch = max(_ROW * text, room)
        place = [self.head + y for y in self.places(pitch)]
        widths, spare = self._widths()
        between = _BETWEEN * text + max(spare, 0.0)
        starts = [sum(widths[:level]) + level * between for level in range(len(widths))]
        canvas = self.new_canvas(self.head + shown.n_ends * pitch)
        for box, below in enumerate(shown.children):
            if not below:
                continue
            level = self.depth[box]
            x = starts[level] + widths[level] + 0.35 * text
            bend = starts[level + 1] - 0.45 * text
            ends = [place[child] for child in below]
            canvas.path(
                [("M", x, place[box]), ("L", bend - 0.35 * text, place[box])], stroke="muted", width=0.8
            )
            for y in ends:
                shape = [("M", bend - 0.35 * text, place[box]), ("L", bend - 0.35 * text, y), ("L", bend, y)]
                canvas.path(shape, stroke="muted", width=0.8)
        for box, node in enumerate(shown.nodes):
            level, branch = self.depth[box], self.branch(box)
            part = Canvas(widths[level], 2 * text)
            if shown.children[box]:
                self._test_right(
                    part, node, shortened(branch, widths[level] + between - text, text), widths[level]
                )
            else:
                self._end_right(part, node, branch, self.wide - starts[level])
            canvas.place(part, starts[level], place[box], node_words.sentence(self.tree, node))
        return canvas

    def fits(self) -> bool:
        """Whether a row for each end fits: names in two lines, none shortened to less than a few letters."""
        return self._widths()[1] >= 0

    def _widths(self) -> tuple[list[float], float]:
        """How wide the tests of each level may be, and how much room is left between two levels."""
        shown, text = self.shown, self.text
        levels = max(self.depth) + 1
        one, two, ends = [0.0] * levels, [0.0] * levels, [0.0] * levels
        for box, node in enumerate(shown.nodes):
            level = self.depth[box]
            if shown.children[box]:
                branch = text_width(self.branch(box), text) - text  # it may stand out that far
                one[level] = max(one[level], text_width(self.name(node), text, bold=True), branch)
                two[level] = max(two[level], _width_of(broken_name(self.name(node), text), text))
            else:
                answer, facts = end_lines(self.context, shown, node)
                length = text_width(self.branch(box) + facts, text) + text_width(answer, text, bold=True)
                ends[level] = max(ends[level], length + (_STRIP + 2.2) * text)
        least = [min(width, _NARROWEST * text) for width in two]
        for low, high in ((two, one), (least, two)):
            share = min(1.0, *(self._share(low, high, ends, level) for level in range(levels)))
            if share >= 0:
                break
        share = max(share, 0.0)
        widths = [a + share * (b - a) for a, b in zip(low, high, strict=True)]
        spare = [
            (self.wide - ends[level] - sum(widths[:level])) / level - _BETWEEN * text
            for level in range(1, levels)
            if ends[level]
        ]
        return widths, min(spare, default=0.0)

    def _share(self, low: list[float], high: list[float], ends: list[float], level: int) -> float:
        """How far levels may grow from their least to their full widths so that the ends of one fit."""
        if not level or not ends[level]:
            return 1.0
        room = self.wide - ends[level] - level * _BETWEEN * self.text - sum(low[:level])
        growth = sum(high[:level]) - sum(low[:level])
        return room / growth if growth > 0 else (1.0 if room >= 0 else -1.0)

    def _test_right(self, part: Canvas, node: int, branch: str, width: float) -> None:
        text = self.text
        name = self.name(node)
        fits = text_width(name, text, bold=True) <= width
        names = (
            [name] if fits else [shortened(line, width, text, bold=True) for line in broken_name(name, text)]
        )
        lines = len(names) + bool(branch)
        y = 0.35 * text - (lines - 1) * 0.6 * text
        if branch:
            part.text(0, y, branch, size=text, fill="muted")
            y += 1.2 * text
        for line in names:
            part.text(0, y, line, size=text, bold=True)
            y += 1.15 * text

    def _end_right(self, part: Canvas, node: int, branch: str, room: float) -> None:
        text = self.text
        answer, facts = end_lines(self.context, self.shown, node)
        x = 0.0
        if branch:
            words = shortened(branch, room * 0.4, text)
            part.text(0, 0.35 * text, words, size=text, fill="muted")
            x = text_width(words, text) + 0.6 * text
        after = text_width(facts, text) + 0.6 * text + (_STRIP + 0.6) * text
        words = shortened(answer, max(room - x - after, 3 * text), text, bold=True)
        x = max(x, 0.0)
        part.text(x, 0.35 * text, words, size=text, bold=True)
        part.text(room - (_STRIP + 0.6) * text, 0.35 * text, facts, size=text, fill="muted", anchor="end")
        self.draw_strip(part, node, room - _STRIP * text, -0.35 * text, _STRIP * text)


class ColumnTree(CompactPage):
    """A tree downwards, with a column for each end."""

    def draw(self, height: float | None) -> Canvas:
        """Return the drawing with a column for each end."""
        text, shown = self.text, self.shown
        pitch = self.wide / shown.n_ends
        place = self.places(pitch)
        levels = max(self.depth) + 1
        step = (_TEST + 2.2) * text
        tall = self.head + (levels - 1) * step + 3.4 * text
        if height is not None and levels > 1 and height * PIXELS > tall:
            step += (height * PIXELS - tall) / (levels - 1)
            tall = height * PIXELS
        top = [self.head + level * step for level in self.depth]
        canvas = self.new_canvas(tall)
        for box, below in enumerate(shown.children):
            for child in below:
                middle = top[box] + _TEST * text + 0.15 * text
                shape = [("M", place[box], top[box] + _TEST * text - 0.35 * text), ("L", place[box], middle)]
                shape += [("L", place[child], middle), ("L", place[child], top[child] - 0.1 * text)]
                canvas.path(shape, stroke="muted", width=0.8)
        for box, below in enumerate(shown.children):
            for child in below:
                words = node_words.branch_words(self.tree, shown.nodes[box], shown.nodes[child])
                room = (pitch if not shown.children[child] else 1.6 * pitch) - 0.6 * text
                words = shortened(words, room, text)
                length = text_width(words, text) + 0.4 * text
                y = (top[box] + _TEST * text + 0.15 * text + top[child]) / 2
                canvas.rect(place[child] - length / 2, y - 0.65 * text, length, 1.3 * text, fill="page")
                canvas.text(place[child], y + 0.35 * text, words, size=text, anchor="middle")
        for box, node in enumerate(shown.nodes):
            part = Canvas(pitch, 3 * text)
            if shown.children[box]:
                self._test_down(part, node, self._room_of(box, pitch))
            else:
                self._end_down(part, node, pitch - 0.6 * text)
            canvas.place(part, place[box], top[box], node_words.sentence(self.tree, node))
        return canvas

    def _room_of(self, box: int, pitch: float) -> float:
        """How wide the test of a box may be: its subtree has that many columns for itself."""
        ends, waiting = 0, [box]
        while waiting:
            below = self.shown.children[waiting.pop()]
            ends += not below
            waiting.extend(below)
        return ends * pitch - 0.6 * self.text

    def _test_down(self, part: Canvas, node: int, room: float) -> None:
        text = self.text
        name = shortened(self.name(node), room, text, bold=True)
        part.text(0, text, name, size=text, anchor="middle", bold=True)
        part.text(0, 2.2 * text, self._facts_within(node, room), size=text, fill="muted", anchor="middle")

    def _facts_within(self, node: int, room: float) -> str:
        """The score and the number of rows, or as much of it as fits: a score cut in its middle says nothing.

        The rows go first, as those of the branches add up to them.
        """
        score, rows = node_words.score(self.tree, node), node_words.rows_at(self.tree, node)
        both = " · ".join(filter(None, [score, rows]))
        fitting = (one for one in (both, score, rows) if one and text_width(one, self.text) <= room)
        return next(fitting, "") or shortened(rows, room, self.text)

    def _end_down(self, part: Canvas, node: int, room: float) -> None:
        text = self.text
        answer, facts = end_lines(self.context, self.shown, node)
        part.text(0, text, shortened(answer, room, text, bold=True), size=text, anchor="middle", bold=True)
        part.text(0, 2.2 * text, shortened(facts, room, text), size=text, fill="muted", anchor="middle")
        self.draw_strip(part, node, -room / 2, 2.6 * text, room)


def _widest_end(context: DrawingContext, shown: ShownNodes, text: float) -> float:
    """How wide a column has to be so that nothing about its end is shortened."""
    longest = _NARROWEST * text
    for box, node in enumerate(shown.nodes):
        if not shown.children[box]:
            lines = end_lines(context, shown, node)
            longest = max(longest, *(text_width(line, text, bold=k == 0) for k, line in enumerate(lines)))
        for child in shown.children[box]:
            words = node_words.branch_words(context.tree, node, shown.nodes[child])
            longest = max(longest, text_width(words, text))
    return longest + 0.8 * text


def broken_name(name: str, text: float) -> tuple[str, ...]:
    """A name in two lines of about the same width, if it has a place to be broken.

    >>> broken_name("mean concave points", 10)
    ('mean concave', 'points')
    """
    places = [k + 1 for k, letter in enumerate(name[:-1]) if letter in " _/-."]
    if not places:
        return (name,)
    pairs = [(name[:k].rstrip(), name[k:].lstrip()) for k in places]
    return min(pairs, key=lambda pair: _width_of(pair, text))


def _width_of(lines: tuple[str, ...], text: float) -> float:
    return max(text_width(line, text, bold=True) for line in lines)
