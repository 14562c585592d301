"""What the runtimes of Python, JavaScript and C look up: children, weights, shares and answers of nodes.

One idea: the same few tables by node in every language, left empty where a tree has no use for one.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hornbeam.io.export.program import Program

_WIDTH = 110
# Words of C and JavaScript that are no keywords of Python.
_RESERVED = frozenset(
    re.findall(
        r"\w+",
        """auto case catch char const debugger default delete do double enum export extern false float
        function goto inline instanceof int let long main math module new null register restrict short
        signed sizeof static struct super switch this throw true typedef typeof undefined union unsigned
        var void volatile""",
    )
)


def facts(program: Program) -> dict[str, Mapping[int, Any]]:
    """Tables by title: node -> a number, or a list of numbers.

    children : first child and number of children of each test
    weight : of each leaf, empty where branches share a row instead
    share : of each child among its siblings; all 1 where leaves are weighted
    label : the class of each leaf
    alone, together : what each leaf answers alone, and contributes to several
    each : the cost of each class at each leaf, for trees grown with costs of rows
    models : intercept, bounds and terms of each leaf that answers with an equation
    """
    tree, leaves = program.tree, program.leaves
    every = range(1, len(tree))
    shares = {n: 1.0 if program.by_leaf else float(program.share[n]) for n in every}
    tables: dict[str, Mapping[int, Any]] = {
        "children": {n: [int(tree.first_child[n]), int(tree.n_children[n])] for n in program.tests},
        "weight": {n: float(program.weight[n]) for n in leaves} if program.by_leaf else {},
        "share": shares,
        "label": {n: int(tree.label[n]) for n in leaves} if program.classes else {},
        "alone": {n: program.alone[n].tolist() for n in leaves},
        "together": {n: program.together[n].tolist() for n in leaves},
        "each": {},
        "models": {n: _equation(program, n) for n in program.equations},
    }
    if program.leaf_costs is not None:
        tables["each"] = {n: program.leaf_costs[n].tolist() for n in leaves}
    return tables


def _equation(program: Program, leaf: int) -> list[Any]:
    """[intercept, low, high, terms]; a term is [place, power, center, coefficient, gap, codes]."""
    equation = program.equations[leaf]
    terms = [
        [program.place[t.column], t.power, t.center, t.coefficient, t.gap, list(t.codes)]
        for t in equation.terms
    ]
    return [equation.intercept, equation.low, equation.high, terms]


def box(program: Program) -> list[Any]:
    """The sides of a density's box: [place, low, high]; low and high are None for a column of categories."""
    return [[program.place[side.column], side.low, side.high] for side in program.box]


def wrapped(head: str, pieces: Sequence[str], tail: str) -> list[str]:
    """Pieces between a head and a tail, on one line or on several of bearable length."""
    one = f"{head}{' '.join(pieces)}{tail}"
    if len(one) <= _WIDTH:
        return [one]
    lines: list[str] = []
    line = "   "
    for piece in pieces:
        if len(line) + len(piece) >= _WIDTH and line.strip():
            lines.append(line)
            line = "   "
        line += f" {piece}"
    return [head, *lines, line, tail]


def identifier(name: str) -> None:
    """Raise unless a name can be that of a function in every language.

    >>> identifier("predict_churn")
    """
    word = isinstance(name, str) and name.isidentifier() and name.isascii() and not name.startswith("hb_")
    if not word or keyword.iskeyword(name) or name in _RESERVED:
        raise ValueError(
            f"name={name!r} must be a word of ASCII letters, digits and _ that is no keyword and does not"
            " begin with 'hb_', such as 'predict'"
        )
