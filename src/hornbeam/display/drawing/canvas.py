"""The surface pictures are drawn on: five verbs, which a back end turns into SVG or artists.

One idea: a drawing is a list of shapes with colours by name. Whatever can show a rectangle, a line, a path
and a text can show every picture; nothing else of a drawing depends on where it ends up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

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
    fill: str
    anchor: str
    bold: bool


@dataclass(slots=True)
class Group:
    """Shapes that belong together, with words for those who cannot see them."""

    title: str
    items: list[Shape] = field(default_factory=list)


Shape = Rect | Path | Text | Group


class Surface:
    """A drawing of some size under construction.

    Examples
    --------
    >>> surface = Surface(100, 50)
    >>> surface.rect(0, 0, 100, 50, fill="card")
    >>> with surface.group("a word"):
    ...     surface.text(10, 20, "hello", size=12)
    >>> [type(shape).__name__ for shape in surface.root.items]
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
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str | None = None,
        stroke: str | None = None,
        stroke_width: float = 1.0,
        radius: float = 0.0,
        opacity: float = 1.0,
        dash: tuple[float, float] | None = None,
    ) -> None:
        """Draw a rectangle."""
        self._add(Rect(x, y, width, height, radius, Ink(fill, stroke, stroke_width, opacity, dash)))

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        *,
        stroke: str = "ink",
        width: float = 1.0,
        dash: tuple[float, float] | None = None,
        opacity: float = 1.0,
    ) -> None:
        """Draw a straight line."""
        self._add(Path((("M", x1, y1), ("L", x2, y2)), Ink(None, stroke, width, opacity, dash)))

    def path(
        self,
        commands: Sequence[Command],
        *,
        fill: str | None = None,
        stroke: str | None = None,
        width: float = 1.0,
        dash: tuple[float, float] | None = None,
        opacity: float = 1.0,
    ) -> None:
        """Draw lines and curves."""
        self._add(Path(commands, Ink(fill, stroke, width, opacity, dash)))

    def dots(self, points: Sequence[tuple[float, float]], *, fill: str, width: float, opacity: float) -> None:
        """Draw many round dots of one size as one path."""
        self._add(Path(dots_path(points), Ink(None, fill, width, opacity, None, is_round=True)))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float,
        fill: str = "ink",
        anchor: str = "start",
        bold: bool = False,
    ) -> None:
        """Write one line of text."""
        if text:
            self._add(Text(x, y, text, size, fill, anchor, bold))

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


def boxes_path(boxes: Sequence[tuple[float, float, float, float]]) -> list[Command]:
    """Return many rectangles (x, y, width, height) as one path, which is smaller than as many shapes.

    >>> boxes_path([(0, 0, 2, 1)])
    [('M', 0, 0), ('L', 2, 0), ('L', 2, 1), ('L', 0, 1), ('Z',)]
    """
    found: list[Command] = []
    for x, y, width, height in boxes:
        right, below = x + width, y + height
        found += [("M", x, y), ("L", right, y), ("L", right, below), ("L", x, below), ("Z",)]
    return found


def dots_path(points: Sequence[tuple[float, float]]) -> list[Command]:
    """Return points as one path, to be drawn with a round line as wide as the dots.

    >>> dots_path([(1.0, 2.0)])
    [('M', 1.0, 2.0), ('L', 1.01, 2.0)]
    """
    found: list[Command] = []
    for x, y in points:
        found += [("M", x, y), ("L", x + 0.01, y)]  # a line of no length has no ends to be round
    return found
