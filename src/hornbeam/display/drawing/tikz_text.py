"""A drawing as TikZ, for LaTeX documents: the document's own fonts, and lengths as on the screen.

One idea: a pixel is three quarters of a point; y grows downwards by the unit vector, so all coordinates are
those of the drawing. Whatever came from the data is escaped where text is written. The document needs `tikz`.
"""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.display.drawing.canvas import Canvas, Ink, Path, Rect, Text
from hornbeam.display.drawing.palette import THEME_COLOURS
from hornbeam.display.drawing.text_width import one_line

_ANCHORS = {"start": "base west", "middle": "base", "end": "base east"}
_POINTS = 0.75  # of a pixel
# Characters that LaTeX reads as commands, and signs that its usual fonts lack.
_WRITTEN = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "∈": r"$\in$",
    "∉": r"$\notin$",
    "∅": r"$\emptyset$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "−": r"$-$",
    "→": r"$\to$",
    "Σ": r"$\Sigma$",
    "∿": r"$\sim$",
    "≡": r"$\equiv$",
    "◧": r"$\diamond$",
    "…": r"\ldots{}",
    "²": r"$^2$",
    "µ": r"$\mu$",
    "°": r"$^\circ$",
    "–": "--",
    "—": "---",
    "✎": "",
}


def tikz_text(canvas: Canvas, theme: str = "light") -> str:
    r"""Return the drawing as one `tikzpicture`.

    >>> canvas = Canvas(20, 10, "a title")
    >>> canvas.text(1, 8, "x ≤ 3 & y", size=10)
    >>> print(tikz_text(canvas).splitlines()[-2])
    \node[anchor=base west, text=hb-ink] at (1,8) {\fontsize{7.5}{9}\selectfont x $\leq$ 3 \& y};
    """
    colours = THEME_COLOURS[theme]
    shapes = list(canvas.shapes())
    used = sorted({name for shape in shapes for name in _colours_of(shape) if name is not None})
    lines = [f"% {one_line(canvas.root.title)}; needs \\usepackage{{tikz}}"]
    lines += [rf"\definecolor{{{_named(name)}}}{{HTML}}{{{colours[name][1:].upper()}}}" for name in used]
    options = f"x={_POINTS}bp, y=-{_POINTS}bp, inner sep=0pt, outer sep=0pt, line join=round"
    lines.append(rf"\begin{{tikzpicture}}[{options}]")
    lines.append(rf"\useasboundingbox (0,0) rectangle ({_number(canvas.width)},{_number(canvas.height)});")
    lines += [_text(shape) if isinstance(shape, Text) else _outline(shape) for shape in shapes]
    return "\n".join([*lines, r"\end{tikzpicture}", ""])


def _colours_of(shape: Rect | Path | Text) -> tuple[str | None, ...]:
    return (shape.fill,) if isinstance(shape, Text) else (shape.ink.fill, shape.ink.stroke)


def _named(colour: str) -> str:
    return f"hb-{colour.replace(' ', '-')}"


def _text(text: Text) -> str:
    size = text.size * _POINTS
    font = rf"\fontsize{{{_number(size)}}}{{{_number(1.2 * size)}}}\selectfont" + r"\bfseries" * text.bold
    where = f"({_number(text.x)},{_number(text.y)})"
    options = f"anchor={_ANCHORS[text.anchor]}, text={_named(text.fill)}"
    return rf"\node[{options}] at {where} {{{font} {escaped(text.text)}}};"


def _outline(shape: Rect | Path) -> str:
    options = _options(shape.ink)
    if isinstance(shape, Rect):
        if shape.radius:
            options += f", rounded corners={_number(shape.radius * _POINTS)}bp"
        corners = (shape.x, shape.y, shape.x + shape.width, shape.y + shape.height)
        x1, y1, x2, y2 = map(_number, corners)
        return rf"\path[{options}] ({x1},{y1}) rectangle ({x2},{y2});"
    pieces = []
    for command in shape.commands:
        points = [f"({_number(x)},{_number(y)})" for x, y in zip(command[1::2], command[2::2], strict=True)]
        if command[0] == "M":
            pieces.append(points[0])
        elif command[0] == "L":
            pieces.append(f"-- {points[0]}")
        elif command[0] == "C":
            pieces.append(f".. controls {points[0]} and {points[1]} .. {points[2]}")
        else:
            pieces.append("-- cycle")
    return rf"\path[{options}] {' '.join(pieces)};"


def _options(ink: Ink) -> str:
    options = []
    if ink.fill is not None:
        options.append(f"fill={_named(ink.fill)}")
    if ink.stroke is not None:
        options.append(f"draw={_named(ink.stroke)}, line width={_number(ink.width * _POINTS)}bp")
    if ink.dash:
        on, off = (_number(part * _POINTS) for part in ink.dash)
        options.append(f"dash pattern=on {on}bp off {off}bp")
    if ink.is_round:
        options.append("line cap=round")
    if ink.opacity < 1:
        options.append(f"opacity={_number(ink.opacity)}")
    return ", ".join(options)


def escaped(text: str) -> str:
    r"""Return text as LaTeX shows it.

    >>> escaped("50 % of {a_b}")
    '50 \\% of \\{a\\_b\\}'
    """
    written: Mapping[str, str] = _WRITTEN
    return "".join(written.get(letter, letter) for letter in one_line(text)).replace("$$", "")


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
