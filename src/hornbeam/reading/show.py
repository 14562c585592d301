"""Show: the tree as indented text, one line per node.

One idea: a line is the branch that leads here, what the node asks or answers, and what the training rows
say::

    Outlook?  gain 0.2467  64 % Yes  n=14 (5:9)
    ├── = Overcast  → Yes  100 %  n=4 (0:4)

An equation that is too long goes on in the next line. Where a line is too wide, what is easiest to do without
goes first: bars, notes, the gain, counts; then names are shortened in the middle, where they differ least;
only then is the end cut off.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hornbeam.reading.bars import WIDTH
from hornbeam.reading.lines import Line, Piece, Span, lines
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import CHARSETS, signs_of

NARROWEST = 20
_INDENT = 6  # of an equation that goes on in the next line
_BELOW = {"├": "│", "└": " ", "─": " ", "`": " ", "-": " "}  # the rails below a line; | stays
_DROPPED = ("mark", "gain", "id", "more")  # in this order
# How short words may become at each step, and what is left out if that is not enough.
_STEPS = (
    ({"question": 12, "label": 12, "majority": 12, "branch": 16, "legend": 12}, "rows"),
    ({"question": 7, "label": 7, "majority": 7, "branch": 12, "legend": 7}, "share"),
    ({"question": 4, "label": 4, "majority": 4, "branch": 8, "legend": 4}, ""),
)


def narrow_lines(lines_with: Callable[[int], list[Line]], bars: int, width: int, dots: str) -> list[Line]:
    """The lines in at most `width` characters; bars get shorter in all lines, or go from all of them.

    `lines_with` gives the lines with bars of so many characters, 0: without.
    """
    for size in [each for each in (bars, 12, 8, 6) if 0 < each <= bars]:
        listed = [part for line in lines_with(size) for part in wrap_line(line, width)]
        if all(len(line.text) <= width for line in listed):
            return listed
    wrapped = [part for line in lines_with(0) for part in wrap_line(line, width)]
    return [fit_line(line, width, dots) for line in wrapped]


def wrap_line(line: Line, width: int) -> list[Line]:
    """The line, on several lines if it is too wide and holds an equation, or a sentence that explains."""
    if len(line.text) > width and [span.role for span in line.spans] == ["legend"]:
        return [Line(line.node, "", ((Span(text, "legend"),),)) for text in textwrap.wrap(line.text, width)]
    if len(line.text) <= width or not any(span.role == "term" for span in line.spans):
        return [line]
    rail = "".join(_BELOW.get(sign, sign) for sign in line.rail) + " " * _INDENT
    lines, spans = [], [span for span in line.spans if span.role != "rail"]
    start, held = line.rail, list[Span]()
    for k, span in enumerate(spans):
        is_gap = span.role == ""  # stays with what follows, which it parts from what stands before
        together = [span, *spans[k + 1 : k + 2]] if is_gap else [span]
        length = len(start) + sum(len(each.text) for each in (*held, *together))
        if held and length > width and (is_gap or span.role == "term"):
            lines.append(Line(line.node, start, (tuple(held),)))
            start, held = rail, []
        text = span.text if held else span.text.lstrip()
        held += [replace(span, text=text)] if text else []
    return [*lines, Line(line.node, start, (tuple(held),))]


def fit_line(line: Line, width: int, dots: str) -> Line:
    """The line in at most `width` characters."""
    for role in _DROPPED:
        if len(line.text) > width:
            line = _without(line, role)
    if len(line.text) > width and line.node >= 0:
        line = replace(line, pieces=tuple(_without_counts(piece) for piece in line.pieces))
    for least, dropped in _STEPS:
        line = _shorter(line, width, least, dots)
        if len(line.text) > width and dropped:
            line = _without(line, dropped)
    return line if len(line.text) <= width else _cut_off(line, width, dots)


def _without(line: Line, role: str) -> Line:
    return replace(line, pieces=tuple(piece for piece in line.pieces if piece[0].role != role))


def shorten_text(text: str, width: int, dots: str) -> str:
    """The text without its middle, if it is too long.

    >>> shorten_text("mean corpuscular volume", 12, "..."), shorten_text("age", 12, "...")
    ('mean ...lume', 'age')
    """
    if len(text) <= width:
        return text
    length = max(width - len(dots), 1)
    front = (length + 1) // 2
    return (
        text[:front] + dots + text[len(text) - (length - front) :] if length > front else text[:front] + dots
    )


def _shorter(line: Line, width: int, least: Mapping[str, int], dots: str) -> Line:
    """The line with its longest words shortened as far as needed, but not below `least` of their role."""
    while len(line.text) > width:
        spans = [
            (len(span.text) - least[span.role], i, j)
            for i, piece in enumerate(line.pieces)
            for j, span in enumerate(piece)
            if span.role in least and len(span.text) > least[span.role]
        ]
        if not spans:
            return line
        spare, i, j = max(spans)
        length = len(line.pieces[i][j].text)
        less = min(spare, len(line.text) - width, max(spare // 2, 1))
        piece = list(line.pieces[i])
        piece[j] = replace(piece[j], text=shorten_text(piece[j].text, length - less, dots))
        line = replace(line, pieces=(*line.pieces[:i], tuple(piece), *line.pieces[i + 1 :]))
    return line


def _without_counts(piece: Piece) -> Piece:
    """n=14 (5:9) without what stands in brackets."""
    if piece[0].role != "rows":
        return piece
    return (replace(piece[0], text=re.sub(r" \(.*\)", "", piece[0].text)),)


def _cut_off(line: Line, width: int, dots: str) -> Line:
    """The line without its end; rails that leave no room are shortened, too."""
    text = line.text[: max(width - len(dots), 0)] + dots
    if len(line.rail) >= width - len(dots):
        return Line(
            line.node, "", ((Span(dots + line.text[len(line.rail) :][: width - len(dots)], "more"),),)
        )
    return Line(line.node, line.rail, ((Span(text[len(line.rail) :], "more"),),))


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


def colour_line(line: Line) -> str:
    r"""The line as text with ANSI codes.

    >>> colour_line(Line(0, "", ((Span("age?", "question"),),)))
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


COLOURS = ("never", "always", "auto")
_SHARES_MEAN = "22 of 25: of 25 trees grown again that test the same above, 22 test the same column here"
_SAMPLE = "├└│─≤∅→█▒…"


def show(
    model: Any,
    *,
    node: int = 0,
    node_ids: bool = False,
    charset: str = "unicode",
    max_depth: int | None = None,
    bars: Any = False,
    counts: str = "auto",
    width: int | None = None,
    color: str = "never",
    X: Any = None,
    stability: Any = None,
    details: bool = True,
    target: str | None = None,
) -> str:
    """The tree of a model as indented text.

    A test has its score: the gain (the decrease of impurity), the gain ratio, or the p-value where a test of
    significance chose it.
    Thresholds and sets of values are printed in full: what is printed is what decides. A sign after a branch
    marks where missing values go. Tests chosen by hand (`hornbeam.edit`), locks and notes are named.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one
    node : int
        Show this node and what is below it only.
    node_ids : bool
        Whether each line has the number of its node.
    charset : {"unicode", "ascii", "auto"}
        "auto": Unicode if standard output can print it.
    max_depth : int or None
        Nodes deeper below the first are only counted.
    bars : bool or int
        Whether each line has a strip of the class shares, in class order; of a regression, one as long as the
        answer's place between the least and the greatest. A number is the length in characters (16).
    counts : {"auto", "classes", "wrong", "none"}
        What stands after n: the rows of each class, the rows a leaf answers wrongly, or nothing. "auto":
        classes, or with bars what is wrong.
    width : int or None
        No line is longer: bars go first, then notes, gains and counts; then names are shortened in the
        middle.
    color : {"never", "always", "auto"}
        ANSI colours for a terminal; "auto": if standard output is one.
    X : table or None
        The rows the tree was grown on; then the sign for missing values says how many came.
    stability : Stability or None
        What `hornbeam.stability` says of this tree; then "61 of 100" stands before each test: of the trees
        grown again that test the same above, how many test the same column here.
    details : bool
        Whether tests have their score, and what they would answer themselves; without, a line below says
        what the percentages are.
    target : str or None
        The name of what is predicted; it stands before classes that say nothing alone: `survived = 1`.

    Examples
    --------
    >>> from hornbeam.tree.tree import Tree
    >>> tree = Tree.from_nested({"column": "petal width", "<=": 0.8, "yes": {"counts": {"setosa": 50}},
    ...                          "no": {"counts": {"versicolor": 48, "virginica": 52}}})
    >>> print(show(tree, charset="ascii"))
    petal width?  gain 0.3335  35 % virginica  n=150 (50:48:52)
    |-- <= 0.8  -> setosa  100 %  n=50 (50:0:0)
    `-- > 0.8  -> virginica  52 %  n=100 (0:48:52)
    counts are setosa:versicolor:virginica
    >>> print(show(tree, charset="ascii", bars=10, node_ids=True))
    petal width?  gain 0.3335  ###:::====  35 % virginica  n=150  #0
    |-- <= 0.8  -> setosa  ##########  100 %  n=50  #1
    `-- > 0.8  -> virginica  :::::=====  52 %  n=100 (48 wrong)  #2
    # setosa  : versicolor  = virginica
    >>> print(show(tree, charset="ascii", bars=10, width=40))
    petal width?  35 % virginica  n=150
    |-- <= 0.8  -> setosa  100 %  n=50
    `-- > 0.8  -> virginica  52 %  n=100
    """
    charset = _charset(charset)
    if width is not None and (not hasattr(width, "__index__") or width < NARROWEST):
        raise ValueError(
            f"width={width!r} must be a whole number of at least {NARROWEST}, or None for no limit"
        )
    if color not in COLOURS:
        raise ValueError(f"color={color!r} must be one of {', '.join(map(repr, COLOURS))}")

    def lines_with(bars: Any, counts: str) -> list[Line]:
        options = {"charset": charset, "max_depth": max_depth, "bars": bars, "counts": counts, "X": X}
        options |= {"details": details, "target": target}
        return lines(model, node=node, node_ids=node_ids, **options)

    shares: Mapping[int, str] = {}
    if stability is not None:
        check_stability(stability, tree_of(model))
        shares = stability.shares()
    margin = max((len(share) + 2 for share in shares.values()), default=0)
    if width is None:
        listed = lines_with(bars, counts)
    else:
        size = WIDTH if bars is True else bars or 0
        shown = "wrong" if counts == "auto" and size else counts
        room = max(width - margin, NARROWEST)
        listed = narrow_lines(lambda n: lines_with(n or False, shown), size, room, signs_of(charset).dots)
    if margin:
        listed = [_with_share(line, shares.get(line.node, ""), margin) for line in listed]
        legend = Line(-1, "", ((Span(_SHARES_MEAN, "legend"),),))
        listed += [legend] if width is None else wrap_line(legend, width)
    if color == "always" or (color == "auto" and sys.stdout.isatty()):
        return "\n".join(map(colour_line, listed))
    return "\n".join(line.text for line in listed)


def check_stability(stability: Any, tree: Tree) -> None:
    """Raise unless this is what `hornbeam.stability` says of the tree."""
    if not hasattr(stability, "shares") or not hasattr(stability, "tree"):
        raise TypeError(
            f"stability={stability!r} must be what hb.stability(model, X, y) returns, or None for none"
        )
    if stability.tree != tree:
        raise ValueError("stability is that of another tree: make it anew with hb.stability(model, X, y)")


def _with_share(line: Line, share: str, margin: int) -> Line:
    """The line behind a margin, in which there is a share; lines that explain signs have none."""
    return line if line.node < 0 else replace(line, rail=f"{share:>{margin - 2}}  {line.rail}")


def _charset(charset: str) -> str:
    """The charset by name; "auto" asks standard output what it can print."""
    if charset != "auto":
        if charset not in CHARSETS:
            raise ValueError(
                f"charset={charset!r} must be one of {', '.join(map(repr, CHARSETS))}, or 'auto'"
            )
        return charset
    try:
        _SAMPLE.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return "ascii"
    return "unicode"
