"""Expressions compiled: column names looked up, operations checked against columns, values computed.

One idea: a formula knows numbers and three-valued truths, not categories. What an expression says of
categories becomes "the code is among these", worked out here once for evaluation and for export to other
languages. A value with gaps is an array and a mask of what is missing; `and` and `or` are those of
three-valued logic, so that a gap matters only where it decides.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Bools
from hornbeam.data.columns import Column

ARITHMETIC: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
COMPARISONS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
# The comparison of the sides in the other order, where it is not the same.
_MIRROR: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}
_OPERATIONS = {kind.__name__: operation for kind, operation in {**ARITHMETIC, **COMPARISONS}.items()}
_SHOWN = 200  # letters of an expression in a sentence
_NUMBERS = {"number", "column", "counted", "negative", *(kind.__name__ for kind in ARITHMETIC)}


@dataclass(frozen=True)
class FormulaPart:
    """One part of an expression.

    Attributes
    ----------
    kind : "number", "column" (its number), "among" (column and codes), "alike" (two columns and, for each
        code of the second, the same value's code in the first), "truth" (a constant), "and", "or", "not",
        "counted" (a truth as the number 1 or 0), "negative", or the name of an operator: "Add", "Lt", ...
    parts : what the operator is applied to
    value : the number, column, codes or truth
    """

    kind: str
    parts: tuple[FormulaPart, ...] = ()
    value: Any = None


class FormulaReader:
    """Takes one expression apart; a sentence says what its columns do not allow."""

    def __init__(self, text: str, names: Mapping[str, str], columns: Sequence[Column]) -> None:
        self.text, self.names, self.columns = text, names, columns
        self.n_sides = 0

    def truth(self, node: ast.expr) -> FormulaPart:
        """A part that is true, false or unknown."""
        match node:
            case ast.Constant(value=bool() as value):
                return FormulaPart("truth", value=value)
            case ast.Name(id=name):
                number = find_column(self.text, self.names.get(name, name), self.columns)
                column = self.columns[number]
                if column.kind != "numeric" and set(column.categories) <= {False, True}:
                    codes = frozenset(code for code, v in enumerate(column.categories) if v)
                    return FormulaPart("among", value=(number, codes))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return FormulaPart("not", (self.truth(operand),))
            case ast.BoolOp(op=op, values=values):
                word = "and" if isinstance(op, ast.And) else "or"
                return FormulaPart(word, tuple(self.truth(value) for value in values))
            case ast.Compare(left=left, ops=ops, comparators=rights):
                sides = zip([left, *rights], ops, rights, strict=False)
                links = tuple(self.link(a, op, b) for a, op, b in sides)
                return links[0] if len(links) == 1 else FormulaPart("and", links)
            case _:
                self.side(node)  # what is wrong inside is said first
        raise ValueError(f"expression {shorten(self.text)} must be true or false: compare, as in 'width > 2'")

    def number(self, node: ast.expr) -> FormulaPart:
        """A part that is a number or unknown."""
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return FormulaPart("negative", (self.number(operand),))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.number(operand)
            case ast.BinOp(left=left, op=op, right=right):
                return FormulaPart(type(op).__name__, (self.number(left), self.number(right)))
        part = self.side(node)
        if part.kind in ("category", "text"):
            is_column = part.kind == "category"
            what = f"column {self.columns[part.value].name!r}" if is_column else repr(part.value)
            raise ValueError(f"expression {shorten(self.text)} calculates with {what}, which is not a number")
        return part if part.kind in _NUMBERS else FormulaPart("counted", (part,))

    def side(self, node: ast.expr) -> FormulaPart:
        """One side of a comparison: a number, a truth, a "category" (its column) or a "text" (a constant)."""
        self._count_side()
        match node:
            case ast.Constant(value=bool() | str() as value):
                return FormulaPart("text", value=value)
            case ast.Constant(value=int() | float() as value):
                return FormulaPart("number", value=float(value))
            case ast.Name(id=name):
                number = find_column(self.text, self.names.get(name, name), self.columns)
                is_number = self.columns[number].kind == "numeric"
                return FormulaPart("column" if is_number else "category", value=number)
            case ast.BoolOp() | ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return self.truth(node)
            case ast.BinOp() | ast.UnaryOp():
                return self.number(node)
        raise foreign_part(self.text, node)

    def _count_side(self) -> None:
        """Refuse an expression that becomes far longer than its text.

        The middle of `a < b < c` and the left side of `in` are taken apart more than once; chains within
        chains would double the work at every level.
        """
        self.n_sides += 1
        if self.n_sides > 10 * len(self.text) + 1000:
            raise ValueError(
                f"expression {shorten(self.text)} holds comparisons within chains of comparisons, which"
                " makes it too long to take apart: write 'a < b and b < c' in place of 'a < b < c'"
            )

    def link(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> FormulaPart:
        """One comparison: of numbers, of a category with a constant, or of two categories."""
        if isinstance(op, ast.In | ast.NotIn):
            if not isinstance(right, ast.Tuple | ast.List | ast.Set) or not right.elts:
                raise ValueError(
                    f"expression {shorten(self.text)}: after 'in' write the values in brackets,"
                    " as in ('a', 'b')"
                )
            each = tuple(self.link(left, ast.Eq(), one) for one in right.elts)
            member = _together(each) or FormulaPart("or", each)
            return FormulaPart("not", (member,)) if isinstance(op, ast.NotIn) else member
        a, b = self.side(left), self.side(right)
        if a.kind == "category":
            return self.category(a.value, type(op), b)
        if b.kind == "category":
            return self.category(b.value, _MIRROR.get(type(op), type(op)), a)
        if a.kind in _NUMBERS and b.kind in _NUMBERS:
            return FormulaPart(type(op).__name__, (a, b))
        raise ValueError(f"expression {shorten(self.text)} compares values of different kinds")

    def category(self, number: int, op: type[ast.cmpop], other: FormulaPart) -> FormulaPart:
        """A comparison of a category with a constant, or of two categories."""
        column = self.columns[number]
        if op not in (ast.Eq, ast.NotEq) and column.kind != "ordinal":
            raise ValueError(
                f"expression {shorten(self.text)} orders the values of {column.name!r}, which is nominal:"
                " use == or != or in"
            )
        if other.kind == "category":
            if op not in (ast.Eq, ast.NotEq):
                raise ValueError(
                    f"expression {shorten(self.text)} orders two columns of categories: use == or !="
                )
            table = [column.code_of.get(value, -3) for value in self.columns[other.value].categories]
            alike = FormulaPart("alike", value=(number, other.value, table))
            return FormulaPart("not", (alike,)) if op is ast.NotEq else alike
        value = _constant(other)
        if value is None:
            raise ValueError(
                f"expression {shorten(self.text)} compares the categories of {column.name!r} with numbers"
            )
        if value not in column.code_of:
            shown = ", ".join(repr(c) for c in column.categories[:20])
            value_text = shorten(value) if isinstance(value, str) else repr(value)
            raise ValueError(
                f"expression {shorten(self.text)} compares {column.name!r} with {value_text}, but its values"
                f" are {shown}"
            )
        compare, code = COMPARISONS[op], column.code_of[value]
        codes = frozenset(c for c in range(len(column.categories)) if compare(c, code))
        return FormulaPart("among", value=(number, codes))


def shorten(text: str) -> str:
    """The text in quotes as a sentence shows it: of a long one only the beginning.

    >>> shorten("x > 1"), len(shorten("x" * 1000))
    ("'x > 1'", 205)
    """
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}..."


def find_column(text: str, name: str, columns: Sequence[Column]) -> int:
    """The number of a column that an expression names."""
    for number, column in enumerate(columns):
        if column.name == name:
            return number
    known = ", ".join(repr(c.name) for c in columns[:20])
    raise ValueError(
        f"expression {shorten(text)} names the column {shorten(name)}, but the columns are {known}"
    )


def foreign_part(text: str, node: ast.AST) -> ValueError:
    """The sentence for a part that is not in the language."""
    part = shorten(ast.unparse(node))
    return ValueError(
        f"expression {shorten(text)} contains {part}, which is not part of the language: use"
        " columns, numbers, strings, + - * / **, comparisons, and, or, not"
    )


def _together(links: Sequence[FormulaPart]) -> FormulaPart | None:
    """One set of categories in place of several, if they are all of one column."""
    if any(link.kind != "among" for link in links) or len({link.value[0] for link in links}) != 1:
        return None
    codes = frozenset().union(*(link.value[1] for link in links))
    return FormulaPart("among", value=(links[0].value[0], codes))


def _constant(part: FormulaPart) -> Any:
    """The value of a constant, or of numbers calculated with; None if there is a column in it."""
    if part.kind == "text":
        return part.value
    if part.kind == "number":
        return np.float64(part.value)
    values = [_constant(each) for each in part.parts]
    if part.kind not in _NUMBERS or part.kind == "counted" or not values or None in values:
        return None
    return -values[0] if part.kind == "negative" else _OPERATIONS[part.kind](*values)


def evaluate_formula(part: FormulaPart, arrays: Sequence[AnyArray], n: int) -> tuple[Any, Bools]:
    """Numbers or truths of `n` rows and what is missing of them, from numbers and codes of the columns."""
    present = np.zeros(n, dtype=np.bool_)
    match part.kind:
        case "number":
            return np.float64(part.value), present
        case "truth":
            return np.bool_(part.value), present
        case "column":
            numbers = arrays[part.value].astype(np.float64, copy=False)
            return numbers, np.isnan(numbers)
        case "among":
            codes = arrays[part.value[0]]
            return np.isin(codes, list(part.value[1])), codes < 0
        case "alike":
            one, other = arrays[part.value[0]], arrays[part.value[1]]
            return one == np.array([*part.value[2], -1])[other], (one < 0) | (other < 0)
    values = [evaluate_formula(each, arrays, n) for each in part.parts]
    data, missing = values[0]
    match part.kind:
        case "not":
            return ~data, missing
        case "negative":
            return -data, missing
        case "counted":
            return np.asarray(data, dtype=np.float64), missing
        case "and" | "or":
            decides = part.kind == "or"  # the truth that one part alone decides by
            decided = np.logical_or.reduce([(d == decides) & ~m for d, m in values])
            undecided = np.logical_or.reduce([m for _, m in values]) & ~decided
            return decided == decides, undecided
    data = _OPERATIONS[part.kind](data, values[1][0])
    missing = missing | values[1][1]
    return data, missing if data.dtype == np.bool_ else missing | np.isnan(data)
