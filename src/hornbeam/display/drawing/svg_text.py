"""A drawing as SVG text.

One idea: every colour is a class whose rule names a custom property and, before it, the plain value, so that
a browser follows the reader's light or dark setting and every other program still shows the right colours.
Whatever came from the data is escaped where text is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from hornbeam.display.drawing.canvas import Canvas, Group, Ink, Path, Rect, Shape, Text
from hornbeam.display.drawing.palette import DARK, LIGHT, THEME_COLOURS
from hornbeam.display.drawing.text_width import one_line

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


def svg_text(canvas: Canvas, theme: str = "auto") -> str:
    """Return the drawing as one self-contained SVG document.

    >>> canvas = Canvas(20, 10, "a <title>")
    >>> canvas.text(1, 8, "x < 3 & y", size=9)
    >>> print(svg_text(canvas, "light").split("</style>")[1])
    <text x="1" y="8" class="t90 f-ink">x &lt; 3 &amp; y</text>
    </svg>
    <BLANKLINE>
    """
    writer = _SvgWriter()
    writer.items(canvas.root.items)
    width, height = _number(canvas.width), _number(canvas.height)
    title = escape(one_line(canvas.root.title), quote=True)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="hb hb-{theme}" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" role="img" aria-label="{title}">\n'
        f"<title>{title}</title>\n<desc>{escape(one_line(canvas.description))}</desc>\n"
    )
    style = f"<style>{writer.style(theme)}</style>"
    return f"{head}{style}" + "\n".join(writer.lines) + "\n</svg>\n"


class _SvgWriter:
    """Lines of SVG, and the colours and fonts they use."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.used: dict[str, set[str]] = {"fill": set(), "stroke": set()}
        self.fonts: set[tuple[float, bool]] = set()

    def items(self, items: list[Shape | Group]) -> None:
        for shape in items:
            if isinstance(shape, Group):
                self.lines.append("<g>" + (f"<title>{_escaped(shape.title)}</title>" if shape.title else ""))
                self.items(shape.items)
                self.lines.append("</g>")
            elif isinstance(shape, Rect):
                x, y, width, height = map(_number, (shape.x, shape.y, shape.width, shape.height))
                radius = f' rx="{_number(shape.radius)}"' if shape.radius else ""
                box = f'x="{x}" y="{y}" width="{width}" height="{height}"{radius}'
                self.lines.append(f"<rect {box}{self._ink(shape.ink)}/>")
            elif isinstance(shape, Path):
                commands = "".join(c[0] + " ".join(map(_number, c[1:])) for c in shape.commands)
                self.lines.append(f'<path d="{commands}"{self._ink(shape.ink)}/>')
            else:
                self._text(shape)

    def _text(self, t: Text) -> None:
        self.fonts.add((t.size, t.bold))
        anchor = "" if t.anchor == "start" else f' text-anchor="{t.anchor}"'
        names = f"{_font_class(t.size, t.bold)} {self._colour_class('fill', t.fill)}"
        where = f'x="{_number(t.x)}" y="{_number(t.y)}"'
        self.lines.append(f'<text {where}{anchor} class="{names}">{_escaped(t.text)}</text>')

    def _colour_class(self, kind: str, name: str) -> str:
        self.used[kind].add(name)
        return f"{kind[0]}-{_slug(name)}"

    def _ink(self, ink: Ink) -> str:
        colours = {"fill": ink.fill, "stroke": ink.stroke}
        names = [self._colour_class(kind, name) for kind, name in colours.items() if name is not None]
        written = f' class="{" ".join(names)}"'
        if ink.fill is None:
            written += ' fill="none"'
        if ink.stroke is not None and ink.width != 1:
            written += f' stroke-width="{_number(ink.width)}"'
        if ink.dash:
            written += f' stroke-dasharray="{_number(ink.dash[0])} {_number(ink.dash[1])}"'
        if ink.is_round:
            written += ' stroke-linecap="round"'
        if ink.opacity < 1:
            written += f' opacity="{_number(ink.opacity)}"'
        return written

    def style(self, theme: str) -> str:
        """Return the rules for what was used: variables of the theme, one rule for each colour and font."""
        used = [name for name in LIGHT if name in self.used["fill"] | self.used["stroke"]]
        scope, plain = f".hb-{theme}", THEME_COLOURS.get(theme, LIGHT)
        rules = [f"{scope}{{{_variables(used, plain)}}}"]
        if theme == "auto":
            rules.append(f"@media(prefers-color-scheme:dark){{{scope}{{{_variables(used, DARK)}}}}}")
            rules.append(f"@media print{{{scope}{{{_variables(used, LIGHT)}}}}}")
        rules.append(f".hb text{{font-family:{FONT};white-space:pre}}")
        for size, bold in sorted(self.fonts):
            weight = ";font-weight:600" if bold else ""
            rules.append(f".hb .{_font_class(size, bold)}{{font-size:{_number(size)}px{weight}}}")
        for kind, names in self.used.items():
            for name in sorted(names):
                slug = _slug(name)
                rules.append(f"{scope} .{kind[0]}-{slug}{{{kind}:{plain[name]};{kind}:var(--hb-{slug})}}")
        return "".join(rules)


def _variables(names: list[str], colours: Mapping[str, str]) -> str:
    return ";".join(f"--hb-{_slug(name)}:{colours[name]}" for name in names)


def _font_class(size: float, bold: bool) -> str:  # noqa: FBT001 (a fact, not a switch)
    return f"t{size * 10:.0f}{'b' * bold}"


def _slug(name: str) -> str:
    return name.replace(" ", "-")


def _escaped(text: str) -> str:
    return escape(one_line(text), quote=False)


def _number(value: Any) -> str:
    """Return a number with at most two decimals, without zeros at the end."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
