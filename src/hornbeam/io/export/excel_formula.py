"""Excel: a tree as one formula of nested IF, for Excel, LibreOffice and whatever else computes sheets.

One idea: a test is a list of conditions, asked in order, and a branch for what fits none. A gap is a cell
that holds no number, or nothing; where it would follow several branches the formula says #N/A, "not
available", rather than something else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from hornbeam.io.export.literals import is_odd, plain_value
from hornbeam.io.export.tree_program import Program, program_of
from hornbeam.tree.branches import branches_of_codes, codes_by_branch
from hornbeam.tree.tree import Tree

_MOST_CHARACTERS, _DEEPEST, _LONGEST_TEXT = 8192, 60, 255  # what Excel takes in a formula
_KINDS = ("threshold", "intervals", "hyperplane", "subset", "multiway", "equals")
_UNKNOWN = "NA()"

Cases = tuple[list[tuple[str, int | None]], int | None]  # conditions with branches; the branch of the others


def excel(
    tree: Tree, *, cells: Mapping[str, str] | None = None, row: int = 2, probability: Any = None
) -> str:
    """A formula of nested IF that answers one row of a sheet.

    An empty cell is a gap, as is text where the tree tests a number. Where a gap follows several branches or
    a surrogate, or a value was never seen, the answer is #N/A.

    Parameters
    ----------
    cells : dict or None
        The cell of each column that the tree tests: `{"age": "B2"}`. None: columns stand in the order of the
        training table, from A on.
    row : int
        The row of those cells; copied down, the formula answers the rows below.
    probability : object
        Not the answer, but the probability of this class.

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "width", "<=": 0.8, "yes": "a", "no": "b"})
    >>> excel(tree)
    '=IF(NOT(ISNUMBER(A2)),NA(),IF(A2<=0.8,"a","b"))'
    """
    program = program_of(tree)
    _refuse(program)
    if not isinstance(row, int) or row < 1:
        raise ValueError(f"row={row!r} must be a whole number of at least 1")
    named = {column.name: f"{_letters(k)}{row}" for k, column in enumerate(tree.columns)} | dict(cells or {})
    classes = list(program.classes)
    if probability is not None and probability not in classes:
        raise ValueError(
            f"probability={probability!r} is none of the classes {', '.join(map(repr, classes))}"
        )
    share = None if probability is None else classes.index(probability)
    text = "=" + _node(program, 0, named, share)
    if len(text) > _MOST_CHARACTERS or tree.depth > _DEEPEST:
        raise ValueError(
            f"the formula has {len(text):,} characters and {tree.depth} levels, but Excel takes"
            f" {_MOST_CHARACTERS:,} and {_DEEPEST}: prune the tree, or export it to another format"
        )
    return text


def _refuse(program: Program) -> None:
    """Raise for what a formula cannot say."""
    tree = program.tree
    for node in program.tests:
        if tree.kind_of(node) not in _KINDS:
            raise ValueError(
                f"node {node} tests an {tree.kind_of(node)}, which a formula of Excel cannot say"
            )
    for column in program.columns:
        if column.is_time or is_odd(column.categories):
            raise ValueError(
                f"column {column.name!r} holds times, which Excel counts in its own way: use a column of"
                " numbers, or another format"
            )
    if tree.has_models or program.box:
        raise ValueError("a formula of Excel has no equations in leaves and no densities: use another format")


def _letters(place: int) -> str:
    """The letters of a column of a sheet, from 0.

    >>> _letters(0), _letters(25), _letters(26)
    ('A', 'Z', 'AA')
    """
    text = ""
    while place >= 0:
        text, place = chr(ord("A") + place % 26) + text, place // 26 - 1
    return text


def _node(program: Program, node: int, cells: Mapping[str, str], share: int | None) -> str:
    """The formula of a subtree."""
    tree = program.tree
    if node in program.leaves:
        if share is not None or not program.classes:
            return _number(float(program.alone[node][share or 0]))
        return _literal(program.classes[int(tree.label[node])])
    tests_number = tree.column[node] < 0 or tree.columns[int(tree.column[node])].kind == "numeric"
    cases, rest = (_number_cases if tests_number else _value_cases)(program, node, cells)
    first = int(tree.first_child[node])

    def below(branch: int | None) -> str:
        return _UNKNOWN if branch is None else _node(program, first + branch, cells, share)

    text = below(rest)
    for condition, branch in reversed(cases):
        text = f"IF({condition},{below(branch)},{text})"
    return text


def _gap_branch(tree: Tree, node: int) -> int | None:
    """Where a gap goes; None where it follows several branches or a surrogate."""
    if tree.policy["missing"] == "all-paths" or tree.surrogate_offset[node] < tree.surrogate_offset[node + 1]:
        return None
    return int(tree.missing[node]) if tree.missing[node] >= 0 else None


def _number_cases(program: Program, node: int, cells: Mapping[str, str]) -> Cases:
    """Cuts of a number, or of a weighted sum."""
    tree = program.tree
    if tree.kind_of(node) == "hyperplane":
        terms = [(cells[tree.columns[c].name], weight) for c, weight in tree.plane(node)]
        known = f"AND({','.join(f'ISNUMBER({cell})' for cell, _ in terms)})"
        x, cuts = (
            "+".join(f"{_number(weight)}*{cell}" for cell, weight in terms),
            [_number(tree.threshold[node])],
        )
    else:
        x = cells[tree.columns[int(tree.column[node])].name]
        known, cuts = f"ISNUMBER({x})", [_cut(tree, node, cut) for cut in tree.cuts(node).tolist()]
    gap = _gap_branch(tree, node)
    cases: list[tuple[str, int | None]] = []
    if gap is None or gap > len(cuts):
        cases.append((f"NOT({known})", gap))
    for branch, cut in enumerate(cuts):
        test = f"{x}<={cut}"
        if gap is not None and branch < gap <= len(cuts):
            test = f"AND({known},{test})"
        elif branch == gap:
            test = f"OR(NOT({known}),{test})"
        cases.append((test, branch))
    return cases, len(cuts)


def _value_cases(program: Program, node: int, cells: Mapping[str, str]) -> Cases:
    """Sets of values."""
    tree = program.tree
    column = tree.columns[int(tree.column[node])]
    cell, gap = cells[column.name], _gap_branch(tree, node)
    cases: list[tuple[str, int | None]] = []
    for branch, codes in codes_by_branch(branches_of_codes(tree, node)).items():
        tests = [_equal(cell, column.categories[code]) for code in codes]
        tests += [f'{cell}=""'] if branch == gap else []
        cases.append((tests[0] if len(tests) == 1 else f"OR({','.join(tests)})", branch))
    if gap is None or all(branch != gap for _, branch in cases):
        cases.insert(0, (f'{cell}=""', gap))
    if tree.kind_of(node) == "equals" and tree.policy["unseen"] == "other":
        return cases, 1
    return cases, None if tree.policy["missing"] in ("learn", "all-paths") else gap


def _equal(cell: str, value: Any) -> str:
    """Whether a cell holds a value; the sign = would not tell a from A."""
    value = plain_value(value)
    return f"EXACT({cell},{_literal(value)})" if isinstance(value, str) else f"{cell}={_literal(value)}"


def _literal(value: Any) -> str:
    """A text between quotes, a number, TRUE or FALSE."""
    value = plain_value(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if not isinstance(value, str):
        return _number(float(value))
    if len(value) > _LONGEST_TEXT:
        raise ValueError(f"the text {value[:40]!r}... is longer than the {_LONGEST_TEXT} letters Excel takes")
    return '"' + value.replace('"', '""') + '"'


def _number(value: float) -> str:
    """A number as Excel writes it, with the 15 digits that it keeps."""
    text = f"{float(value):.15g}"
    return text.replace("e", "E")


def _cut(tree: Tree, node: int, cut: float) -> str:
    """A threshold in 15 digits that still parts the training values beside it."""
    if math.isinf(cut):
        return "9.99E+307"
    text = _number(cut)
    low, high = tree.gap[node]
    if float(text) != cut and low < high and not low <= float(text) < high:
        name = tree.columns[int(tree.column[node])].name
        raise ValueError(
            f"node {node} cuts {name!r} at {cut!r}, between values that differ after the 15 digits Excel"
            " keeps: scale the column, or use another format"
        )
    return text
