"""A drawing as SVG text.

One idea: every colour is a class whose rule names a custom property and, before it, the plain value, so that
a browser follows the reader's light or dark setting and every other program still shows the right colours.
Whatever came from the data is escaped at the only two places where text is written.
"""

from __future__ import annotations

from html import escape

from hornbeam.display.drawing.canvas import Command, Group, Ink, Path, Rect, Shape, Surface, Text
from hornbeam.display.drawing.palette import DARK, LIGHT, THEME_COLOURS
from hornbeam.display.drawing.text_width import one_line

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


def svg_text(surface: Surface, theme: str = "auto") -> str:
    """Return the drawing as one self-contained SVG document.

    >>> surface = Surface(20, 10, "a <title>")
    >>> surface.text(1, 8, "x < 3 & y", size=9)
    >>> print(svg_text(surface, "light").split("</style>")[1])
    <text x="1" y="8" class="t90 f-ink">x &lt; 3 &amp; y</text>
    </svg>
    <BLANKLINE>
    """
    writer = _Writer()
    writer.items(surface.root.items)
    width, height = _number(surface.width), _number(surface.height)
    title = escape(one_line(surface.root.title), quote=True)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="hb hb-{theme}" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" role="img" aria-label="{title}">\n'
        f"<title>{title}</title>\n<desc>{escape(one_line(surface.description))}</desc>\n"
    )
    style = f"<style>{writer.style(theme)}</style>"
    return f"{head}{style}" + "\n".join(writer.lines) + "\n</svg>\n"


class _Writer:
    """Lines of SVG, and which rules of style they use."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.fills: dict[str, None] = {}
        self.strokes: dict[str, None] = {}
        self.fonts: dict[tuple[float, bool], None] = {}

    def items(self, items: list[Shape]) -> None:
        for shape in items:
            if isinstance(shape, Group):
                self.lines.append("<g>" + (f"<title>{_escaped(shape.title)}</title>" if shape.title else ""))
                self.items(shape.items)
                self.lines.append("</g>")
            elif isinstance(shape, Rect):
                self._rect(shape)
            elif isinstance(shape, Path):
                self.lines.append(f'<path d="{_commands(shape.commands)}"{self._ink(shape.ink)}/>')
            else:
                self._text(shape)

    def _rect(self, r: Rect) -> None:
        x, y, width, height = map(_number, (r.x, r.y, r.width, r.height))
        radius = f' rx="{_number(r.radius)}"' if r.radius else ""
        self.lines.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}"{radius}{self._ink(r.ink)}/>'
        )

    def _text(self, t: Text) -> None:
        self.fonts[(t.size, t.bold)] = None
        self.fills[t.fill] = None
        anchor = "" if t.anchor == "start" else f' text-anchor="{t.anchor}"'
        names = f"{_font_class(t.size, t.bold)} f-{_slug(t.fill)}"
        where = f'x="{_number(t.x)}" y="{_number(t.y)}"'
        self.lines.append(f'<text {where}{anchor} class="{names}">{_escaped(t.text)}</text>')

    def _ink(self, ink: Ink) -> str:
        names = []
        if ink.fill is not None:
            self.fills[ink.fill] = None
            names.append(f"f-{_slug(ink.fill)}")
        if ink.stroke is not None:
            self.strokes[ink.stroke] = None
            names.append(f"s-{_slug(ink.stroke)}")
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
        """The rules for what was used: variables of the theme, one rule for each colour and font."""
        used = [name for name in LIGHT if name in self.fills or name in self.strokes]
        scope = f".hb-{theme}"
        plain = THEME_COLOURS.get(theme, LIGHT)
        rules = [f"{scope}{{{_variables(used, plain)}}}"]
        if theme == "auto":
            rules.append(f"@media(prefers-color-scheme:dark){{{scope}{{{_variables(used, DARK)}}}}}")
            rules.append(f"@media print{{{scope}{{{_variables(used, LIGHT)}}}}}")
        rules.append(f".hb text{{font-family:{FONT};white-space:pre}}")
        for size, bold in sorted(self.fonts):
            weight = ";font-weight:600" if bold else ""
            rules.append(f".hb .{_font_class(size, bold)}{{font-size:{_number(size)}px{weight}}}")
        for letter, kind, names in (("f", "fill", self.fills), ("s", "stroke", self.strokes)):
            for name in sorted(names):
                slug = _slug(name)
                rules.append(f"{scope} .{letter}-{slug}{{{kind}:{plain[name]};{kind}:var(--hb-{slug})}}")
        return "".join(rules)


def _variables(names: list[str], colours: object) -> str:
    assert hasattr(colours, "__getitem__")
    return ";".join(f"--hb-{_slug(name)}:{colours[name]}" for name in names)


def _font_class(size: float, bold: bool) -> str:  # noqa: FBT001 (a fact, not a switch)
    return f"t{size * 10:.0f}{'b' * bold}"


def _slug(name: str) -> str:
    return name.replace(" ", "-")


def _escaped(text: str) -> str:
    return escape(one_line(text), quote=False)


def _commands(commands: object) -> str:
    assert isinstance(commands, (list, tuple))
    return "".join(_command(command) for command in commands)


def _command(command: Command) -> str:
    return command[0] + " ".join(map(_number, command[1:]))


def _number(value: float) -> str:
    """At most two decimals, without zeros at the end."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
