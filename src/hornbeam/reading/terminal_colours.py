"""Colours of a terminal: lines with ANSI codes, classes in colours that colour-blind people tell apart.

One idea: a colour never says anything alone: the word or the number stands beside it, in a fixed order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hornbeam.reading.lines import Line, Span

# Vermillion and sky blue for two classes (Okabe and Ito, lightened for dark grounds); then four more.
CLASSES: Sequence[tuple[int, int, int]] = (
    (232, 116, 59),
    (86, 180, 233),
    (60, 199, 154),
    (226, 155, 196),
    (140, 201, 240),
    (240, 184, 74),
)
# The codes of the other roles; what is not listed stays as it is.
ROLES: Mapping[str, str] = {
    "rail": "2",
    "branch": "1;36",
    "question": "1",
    "gain": "2",
    "rows": "2",
    "id": "2",
    "missing": "35",
    "mark": "33",
    "more": "2",
    "legend": "2",
}


def coloured(line: Line) -> str:
    r"""The line as text with ANSI codes.

    >>> coloured(Line(0, "", ((Span("age?", "question"),),)))
    '\x1b[1mage?\x1b[0m'
    """
    return "".join(_span(span) for span in line.spans)


def _span(span: Span) -> str:
    text, code = span.text, ROLES.get(span.role, "")
    if span.role in ("bar", "label") and span.place >= 0:
        red, green, blue = CLASSES[span.place % len(CLASSES)]
        code = f"{'1;' * (span.role == 'label')}38;2;{red};{green};{blue}"
        if span.role == "bar" and not text.isascii():
            text = "█" * len(text)  # colours tell the classes apart
    return f"\x1b[{code}m{text}\x1b[0m" if code and text else text
