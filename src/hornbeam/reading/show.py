"""Show: the tree as indented text, one line per node.

One idea: a line is the branch that leads here, what the node asks or answers, and what the training rows
say::

    Outlook?  gain 0.247 bits  64 % Yes  n=14 (5:9)
    ├── = Overcast  → Yes  100 %  n=4 (0:4)

Lines that are too wide are broken or shortened by `line_widths`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hornbeam.reading.bars import WIDTH
from hornbeam.reading.line_widths import NARROWEST, narrow_lines, wrap_line
from hornbeam.reading.lines import Line, Span, lines
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import CHARSETS, signs_of

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
    "value": "1;36",
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
        No line is longer: equations and sets of values go on in the next line; of what is still too long,
        bars go first, then notes, scores and counts; then names are shortened in the
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
    petal width?  Gini decrease 0.334  35 % virginica  n=150 (50:48:52)
    |-- <= 0.8  -> setosa  100 %  n=50 (50:0:0)
    `-- > 0.8  -> virginica  52 %  n=100 (0:48:52)
    counts are setosa:versicolor:virginica
    >>> print(show(tree, charset="ascii", bars=10, node_ids=True))
    petal width?  Gini decrease 0.334  ###:::====  35 % virginica  n=150  #0
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
        above = [-1, *(line.node for line in listed)]  # a node has its share in its first line
        listed = [
            _with_share(line, shares.get(line.node, "") if line.node != node_above else "", margin)
            for line, node_above in zip(listed, above, strict=False)
        ]
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
