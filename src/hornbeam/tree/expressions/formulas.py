"""Formulas: expressions of the closed language, taken apart for other languages.

One idea: other languages know numbers and three-valued truths, not categories. What an expression says of
categories becomes "the code is among these", worked out here; the rest keeps its shape.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam.data.columns import Column
from hornbeam.tree.expressions.language import ARITHMETIC, Expression
from hornbeam.tree.expressions.logic import COMPARISONS, MIRROR
from hornbeam.tree.tree import Tree


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


def formula_of(tree: Tree, node: int) -> FormulaPart:
    """The formula a node tests.

    >>> tree = Tree.from_nested({"expression": "x + 1 > z", "yes": "a", "no": "b"})
    >>> formula_of(tree, 0).kind, [part.kind for part in formula_of(tree, 0).parts]
    ('Gt', ['Add', 'column'])
    """
    expression = Expression.parse(tree.expressions[node])
    reader = _FormulaReader(expression, tree.columns)
    return reader.truth(expression.body)


class _FormulaReader:
    """Takes one expression apart, whose kinds have been checked when the tree was made."""

    def __init__(self, expression: Expression, columns: Sequence[Column]) -> None:
        self.names, self.columns = expression.names, columns
        self.place = {column.name: number for number, column in enumerate(columns)}

    def truth(self, node: ast.expr) -> FormulaPart:
        """A part that is true, false or unknown."""
        match node:
            case ast.Constant(value=bool() as value):
                return FormulaPart("truth", value=value)
            case ast.Name():
                number, column = self.column(node)
                codes = frozenset(code for code, v in enumerate(column.categories) if v)
                return FormulaPart("among", value=(number, codes))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return FormulaPart("not", (self.truth(operand),))
            case ast.BoolOp(op=op, values=values):
                word = "and" if isinstance(op, ast.And) else "or"
                return FormulaPart(word, tuple(self.truth(value) for value in values))
            case ast.Compare(left=left, ops=ops, comparators=rights):
                sides = [left, *rights]
                links = [self.link(a, op, b) for a, op, b in zip(sides, ops, rights, strict=False)]
                return links[0] if len(links) == 1 else FormulaPart("and", tuple(links))
        raise AssertionError(f"a part that is no truth: {ast.dump(node)}")

    def link(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> FormulaPart:
        """One comparison."""
        if isinstance(op, ast.In | ast.NotIn):
            assert isinstance(right, ast.Tuple | ast.List | ast.Set)
            each = tuple(self.link(left, ast.Eq(), one) for one in right.elts)
            member = _together(each) or FormulaPart("or", each)
            return FormulaPart("not", (member,)) if isinstance(op, ast.NotIn) else member
        if self.is_category(left) or self.is_category(right):
            return self.category(left, type(op), right)
        return FormulaPart(type(op).__name__, (self.number(left), self.number(right)))

    def category(self, left: ast.expr, op: type[ast.cmpop], right: ast.expr) -> FormulaPart:
        """A comparison of a category with a constant, or of two categories."""
        if not self.is_category(left):
            left, right, op = right, left, MIRROR.get(op, op)
        number, column = self.column(left)
        if self.is_category(right):
            other, second = self.column(right)
            table = [column.code_of.get(value, -3) for value in second.categories]
            alike = FormulaPart("alike", value=(number, other, table))
            return FormulaPart("not", (alike,)) if op is ast.NotEq else alike
        code = column.code_of[_constant(right)]
        compare: Callable[[Any, Any], Any] = COMPARISONS[op]
        codes = frozenset(c for c in range(len(column.categories)) if compare(c, code))
        return FormulaPart("among", value=(number, codes))

    def number(self, node: ast.expr) -> FormulaPart:
        """A part that is a number or unknown."""
        match node:
            case ast.Constant(value=value):
                return FormulaPart("number", value=float(value))  # type: ignore[arg-type]
            case ast.Name():
                return FormulaPart("column", value=self.column(node)[0])
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return FormulaPart("negative", (self.number(operand),))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.number(operand)
            case ast.BinOp(left=left, op=op, right=right):
                assert type(op) in ARITHMETIC
                return FormulaPart(type(op).__name__, (self.number(left), self.number(right)))
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return FormulaPart("counted", (self.truth(node),))
        raise AssertionError(f"a part that is no number: {ast.dump(node)}")

    def column(self, node: ast.expr) -> tuple[int, Column]:
        """The column a name stands for."""
        assert isinstance(node, ast.Name)
        number = self.place[self.names.get(node.id, node.id)]
        return number, self.columns[number]

    def is_category(self, node: ast.expr) -> bool:
        """Whether a part is a column of categories."""
        return isinstance(node, ast.Name) and self.column(node)[1].kind != "numeric"


def _together(links: Sequence[FormulaPart]) -> FormulaPart | None:
    """One set of categories in place of several, if they are all of one column."""
    if any(link.kind != "among" for link in links) or len({link.value[0] for link in links}) != 1:
        return None
    return FormulaPart(
        "among", value=(links[0].value[0], frozenset().union(*(link.value[1] for link in links)))
    )


def _constant(node: ast.expr) -> Any:
    """The value of a constant, or of numbers calculated with."""
    match node:
        case ast.UnaryOp(op=op, operand=operand):
            value = _constant(operand)
            return -value if isinstance(op, ast.USub) else value
        case ast.BinOp(left=left, op=op, right=right):
            return ARITHMETIC[type(op)](_constant(left), _constant(right))
        case ast.Constant(value=bool() | str() as value):
            return value
        case ast.Constant(value=value):
            return np.float64(value)  # type: ignore[arg-type]
    raise AssertionError(f"a part that is no constant: {ast.dump(node)}")
