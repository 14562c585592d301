"""Formulas over truth values: `X2 and X5`, `(A or B) and not C`, `X1 != X2`, `A + B + C >= 2`.

They are written in the closed expression language of `hornbeam.tree.expressions.language`; every name is a
variable that is true or false, and counts as 1 or 0 where it is calculated with. AND, OR and NOT may be
written large, so that a normal form can be read back.

One idea: a formula is evaluated once, on the columns of its whole truth table.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Bools
from hornbeam.tree.expressions.formulas import ARITHMETIC, COMPARISONS
from hornbeam.tree.expressions.language import Expression

_LARGE = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|\b(AND|OR|NOT|TRUE|FALSE)\b")
_SMALL = {"AND": "and", "OR": "or", "NOT": "not", "TRUE": "True", "FALSE": "False"}


class BooleanFormula:
    """A formula that has been read.

    Examples
    --------
    >>> formula = BooleanFormula("A AND NOT B")
    >>> formula.variables
    ['A', 'B']
    >>> formula.evaluate({"A": np.array([True, True]), "B": np.array([True, False])})
    array([False,  True])
    """

    def __init__(self, text: str) -> None:
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"formula={text!r} must be a text such as 'A and (B or not C)'")
        self.text = text
        self._expression = Expression.parse(_LARGE.sub(_lower, text))

    @property
    def variables(self) -> list[str]:
        """The names in it, each once, in order of appearance."""
        return list(self._expression.column_names)

    def evaluate(self, columns: Mapping[str, Bools], n_rows: int | None = None) -> Bools:
        """Its truth on each row of the variables' columns."""
        length = n_rows if n_rows is not None else len(next(iter(columns.values())))
        with np.errstate(all="ignore"):
            truth = self._truth(self._expression.body, columns)
        return np.array(np.broadcast_to(truth, (length,)))

    def _visit(self, node: ast.expr, columns: Mapping[str, Bools]) -> AnyArray:
        """Truth values as booleans, anything calculated as numbers."""
        match node:
            case ast.Constant(value=bool() | int() | float() as value):
                return np.asarray(value)
            case ast.Name(id=name):
                return columns[self._expression.names.get(name, name)]
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ~self._truth(operand, columns)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=operand):
                number = self._visit(operand, columns).astype(np.float64)
                return -number if isinstance(op, ast.USub) else number
            case ast.BoolOp(op=op, values=values):
                truths = [self._truth(value, columns) for value in values]
                return _combine(np.logical_and if isinstance(op, ast.And) else np.logical_or, truths)
            case ast.BinOp(left=left, op=op, right=right):
                a, b = (self._visit(side, columns).astype(np.float64) for side in (left, right))
                return np.asarray(ARITHMETIC[type(op)](a, b))
            case ast.Compare(left=left, ops=ops, comparators=rights):
                return self._compare([left, *rights], ops, columns)
        raise ValueError(
            f"formula {self.text!r} contains {ast.unparse(node)!r}, but its variables are true or false: use"
            " and, or, not, == and != between truth values, numbers, + - * / ** and comparisons"
        )

    def _compare(self, sides: list[ast.expr], ops: list[ast.cmpop], columns: Mapping[str, Bools]) -> Bools:
        if len(ops) > 1 and any(isinstance(op, ast.NotEq) for op in ops):
            raise ValueError(
                f"formula {self.text!r} chains !=, which means 'each differs from the next' and not exclusive"
                " or: write (A != B) != C"
            )
        links = []
        for left, op, right in zip(sides, ops, sides[1:], strict=False):
            a = self._visit(left, columns)
            if isinstance(op, ast.In | ast.NotIn):
                if not isinstance(right, ast.Tuple | ast.List | ast.Set) or not right.elts:
                    raise ValueError(
                        f"formula {self.text!r}: after 'in' write the values in brackets, as in (0, 2)"
                    )
                member = _combine(
                    np.logical_or, [np.asarray(a == self._visit(e, columns)) for e in right.elts]
                )
                links.append(member ^ isinstance(op, ast.NotIn))
            else:
                links.append(np.asarray(COMPARISONS[type(op)](a, self._visit(right, columns))))
        return _combine(np.logical_and, links)

    def _truth(self, node: ast.expr, columns: Mapping[str, Bools]) -> Bools:
        value = self._visit(node, columns)
        if value.dtype.kind != "b":
            raise ValueError(
                f"formula {self.text!r} uses {ast.unparse(node)!r} as a truth value, but it is a number:"
                f" compare it, as in '{ast.unparse(node)} > 0'"
            )
        return value


def _lower(match: re.Match[str]) -> str:
    return _SMALL[match.group(1)] if match.group(1) else match.group(0)


def _combine(connective: Callable[[Any, Any], Any], truths: Sequence[AnyArray]) -> Bools:
    return np.asarray(reduce(connective, truths))
