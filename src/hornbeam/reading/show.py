"""Show: the tree as indented text, one line per node.

One idea: a line is the branch that leads here, what the node asks or answers, and what the training rows
say::

    Outlook?  gain 0.2467  64 % Yes  n=14 (5:9)
    ├── = Overcast  → Yes  100 %  n=4 (0:4)
"""

from __future__ import annotations

import sys
from typing import Any

from hornbeam.reading.bars import WIDTH
from hornbeam.reading.line_width import NARROWEST, narrowed
from hornbeam.reading.lines import Line, lines
from hornbeam.reading.terminal_colours import coloured
from hornbeam.tree.branch_words import CHARSETS, signs_of

COLOURS = ("never", "always", "auto")
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
) -> str:
    """The tree of a model as indented text.

    Thresholds are printed with the fewest digits that separate the same training values. A sign after a
    branch marks where missing values go. Tests chosen by hand (`hornbeam.edit`), locks and notes are named.

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

    def found(bars: Any, counts: str) -> list[Line]:
        said = {"charset": charset, "max_depth": max_depth, "bars": bars, "counts": counts, "X": X}
        return lines(model, node=node, node_ids=node_ids, **said)

    if width is None:
        listed = found(bars, counts)
    else:
        size = WIDTH if bars is True else bars or 0
        said = "wrong" if counts == "auto" and size else counts
        listed = narrowed(lambda n: found(n or False, said), size, width, signs_of(charset).dots)
    if color == "always" or (color == "auto" and sys.stdout.isatty()):
        return "\n".join(map(coloured, listed))
    return "\n".join(line.text for line in listed)


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
