"""The canvas pictures are drawn on: a few drawing methods, which a back end turns into SVG or artists.

One idea: a drawing is a list of shapes with colours by name. Whatever can show a rectangle, a line, a path
and a text can show every picture; nothing else of a drawing depends on where it ends up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Command = tuple[Any, ...]  # ("M", x, y), ("L", x, y), ("C", x1, y1, x2, y2, x, y) or ("Z",)


@dataclass(frozen=True, slots=True)
class Ink:
    """How a shape is filled and outlined: colours by name, None for none."""

    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0
    opacity: float = 1.0
    dash: tuple[float, float] | None = None
    is_round: bool = False


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle, its corners rounded by `radius`."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    ink: Ink

    def moved(self, x: float, y: float) -> Rect:
        """Return the rectangle so far to the right and down."""
        return replace(self, x=self.x + x, y=self.y + y)


@dataclass(frozen=True, slots=True)
class Path:
    """Straight and curved lines."""

    commands: Sequence[Command]
    ink: Ink

    def moved(self, x: float, y: float) -> Path:
        """Return the lines so far to the right and down."""
        by = (x, y) * 3
        commands = [(c[0], *(a + b for a, b in zip(c[1:], by, strict=False))) for c in self.commands]
        return replace(self, commands=commands)


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text on a baseline; `anchor` is "start", "middle" or "end"."""

    x: float
    y: float
    text: str
    size: float
    fill: str = "ink"
    anchor: str = "start"
    bold: bool = False

    def moved(self, x: float, y: float) -> Text:
        """Return the text so far to the right and down."""
        return replace(self, x=self.x + x, y=self.y + y)


Shape = Rect | Path | Text


@dataclass(slots=True)
class Group:
    """Shapes that belong together, with words for those who cannot see them."""

    title: str
    items: list[Shape | Group] = field(default_factory=list)

    def shapes(self) -> Iterator[Shape]:
        """Yield all shapes in drawing order, also those of groups inside."""
        for item in self.items:
            if isinstance(item, Group):
                yield from item.shapes()
            else:
                yield item


class Canvas:
    """A drawing of some size under construction.

    Examples
    --------
    >>> canvas = Canvas(100, 50)
    >>> canvas.rect(0, 0, 100, 50, fill="card")
    >>> word = Canvas(40, 20)
    >>> word.text(0, 10, "hello", size=12)
    >>> canvas.place(word, 10, 10, "a word")
    >>> [type(item).__name__ for item in canvas.root.items]
    ['Rect', 'Group']
    """

    def __init__(self, width: float, height: float, title: str = "", description: str = "") -> None:
        self.width, self.height = width, height
        self.description = description
        self.root = Group(title)
        self.shapes = self.root.shapes

    def rect(
        self, x: float, y: float, width: float, height: float, *, radius: float = 0.0, **ink: Any
    ) -> None:
        """Draw a rectangle; `ink` is what `Ink` takes, the width of its outline is `stroke_width`."""
        outline = ink.pop("stroke_width", 1.0)
        self.root.items.append(Rect(x, y, width, height, radius, Ink(**ink, width=outline)))

    def line(self, x1: float, y1: float, x2: float, y2: float, *, stroke: str = "ink", **ink: Any) -> None:
        """Draw a straight line."""
        self.path((("M", x1, y1), ("L", x2, y2)), stroke=stroke, **ink)

    def path(self, commands: Sequence[Command], **ink: Any) -> None:
        """Draw lines and curves; `ink` is what `Ink` takes."""
        self.root.items.append(Path(commands, Ink(**ink)))

    def dots(self, points: Sequence[tuple[float, float]], *, fill: str, width: float, opacity: float) -> None:
        """Draw many round dots of one size as one path."""
        # A line of no length has no ends to be round, so every dot is a very short line.
        ends: list[Command] = [end for x, y in points for end in (("M", x, y), ("L", x + 0.01, y))]
        self.path(ends, stroke=fill, width=width, opacity=opacity, is_round=True)

    def text(self, x: float, y: float, text: str, *, size: float, **style: Any) -> None:
        """Write one line of text; `style` is what `Text` takes: fill, anchor, bold."""
        if text:
            self.root.items.append(Text(x, y, text, size, **style))

    def place(self, part: Canvas, x: float, y: float, title: str) -> None:
        """Draw another drawing with its corner at (x, y), as one group."""
        self.root.items.append(Group(title, [shape.moved(x, y) for shape in part.shapes()]))


def rect_commands(x: float, y: float, width: float, height: float) -> list[Command]:
    """Return the outline of a rectangle; many in one path are smaller than as many shapes.

    >>> rect_commands(0, 0, 2, 1)
    [('M', 0, 0), ('L', 2, 0), ('L', 2, 1), ('L', 0, 1), ('Z',)]
    """
    right, below = x + width, y + height
    return [("M", x, y), ("L", right, y), ("L", right, below), ("L", x, below), ("Z",)]
