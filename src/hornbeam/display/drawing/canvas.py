"""The canvas pictures are drawn on: a few drawing methods, which a back end turns into SVG or artists.

One idea: a drawing is a list of shapes with colours by name. Whatever can show a rectangle, a line, a path
and a text can show every picture; nothing else of a drawing depends on where it ends up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

# ("M", x, y), ("L", x, y), ("C", x1, y1, x2, y2, x, y) or ("Z",)
Command = tuple[str] | tuple[str, float, float] | tuple[str, float, float, float, float, float, float]


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


@dataclass(frozen=True, slots=True)
class Path:
    """Straight and curved lines."""

    commands: Sequence[Command]
    ink: Ink


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


@dataclass(slots=True)
class Group:
    """Shapes that belong together, with words for those who cannot see them."""

    title: str
    items: list[Shape] = field(default_factory=list)


Shape = Rect | Path | Text | Group


class Canvas:
    """A drawing of some size under construction.

    Examples
    --------
    >>> canvas = Canvas(100, 50)
    >>> canvas.rect(0, 0, 100, 50, fill="card")
    >>> with canvas.group("a word"):
    ...     canvas.text(10, 20, "hello", size=12)
    >>> [type(shape).__name__ for shape in canvas.root.items]
    ['Rect', 'Group']
    """

    def __init__(self, width: float, height: float, title: str = "", description: str = "") -> None:
        self.width, self.height = width, height
        self.description = description
        self.root = Group(title)
        self._open = [self.root]

    def _add(self, shape: Shape) -> None:
        self._open[-1].items.append(shape)

    def rect(
        self, x: float, y: float, width: float, height: float, *, radius: float = 0.0, **ink: Any
    ) -> None:
        """Draw a rectangle; `ink` is what `Ink` takes, the width of its outline is `stroke_width`."""
        outline = ink.pop("stroke_width", 1.0)
        self._add(Rect(x, y, width, height, radius, Ink(**ink, width=outline)))

    def line(self, x1: float, y1: float, x2: float, y2: float, *, stroke: str = "ink", **ink: Any) -> None:
        """Draw a straight line."""
        self.path((("M", x1, y1), ("L", x2, y2)), stroke=stroke, **ink)

    def path(self, commands: Sequence[Command], **ink: Any) -> None:
        """Draw lines and curves; `ink` is what `Ink` takes."""
        self._add(Path(commands, Ink(**ink)))

    def dots(self, points: Sequence[tuple[float, float]], *, fill: str, width: float, opacity: float) -> None:
        """Draw many round dots of one size as one path."""
        # A line of no length has no ends to be round, so every dot is a very short line.
        ends: list[Command] = [end for x, y in points for end in (("M", x, y), ("L", x + 0.01, y))]
        self.path(ends, stroke=fill, width=width, opacity=opacity, is_round=True)

    def text(self, x: float, y: float, text: str, *, size: float, **style: Any) -> None:
        """Write one line of text; `style` is what `Text` takes: fill, anchor, bold."""
        if text:
            self._add(Text(x, y, text, size, **style))

    @contextmanager
    def group(self, title: str = "") -> Iterator[None]:
        """Collect what is drawn inside the `with` block under one title."""
        group = Group(title)
        self._add(group)
        self._open.append(group)
        try:
            yield
        finally:
            self._open.pop()

    def shapes(self) -> Iterator[Rect | Path | Text]:
        """Yield all shapes in drawing order, without their groups."""
        waiting: list[Shape] = list(reversed(self.root.items))
        while waiting:
            shape = waiting.pop()
            if isinstance(shape, Group):
                waiting.extend(reversed(shape.items))
            else:
                yield shape


def rect_commands(x: float, y: float, width: float, height: float) -> list[Command]:
    """Return the outline of a rectangle; many in one path are smaller than as many shapes.

    >>> rect_commands(0, 0, 2, 1)
    [('M', 0, 0), ('L', 2, 0), ('L', 2, 1), ('L', 0, 1), ('Z',)]
    """
    right, below = x + width, y + height
    return [("M", x, y), ("L", right, y), ("L", right, below), ("L", x, below), ("Z",)]
