"""A small closed language for tests no column states alone: `width * height > 2 and not (colour == 'red')`.

Columns by name (in backticks if the name is no word: `` `petal width` > 1``), numbers, strings, True and
False; `+ - * / **`, comparisons (`a < b <= c`, `in (v, w)`), `and or not`. Text is parsed by Python's own
parser, then walked by the functions below, which know these constructs and refuse all others: nothing is ever
executed.

One idea: a value is an array and a mask of what is missing. Arithmetic and comparisons with a missing operand
are missing; `False and missing` is False and `True or missing` is True, so a gap matters only where it
decides.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, cast

import numpy as np

from hornbeam._base.types import AnyArray, Bools
from hornbeam.data.columns import Column
from hornbeam.tree.expressions.functions import Function
from hornbeam.tree.expressions.logic import (
    COMPARISONS,
    Value,
    all_of,
    any_of,
    as_number,
    as_truth,
    column_value,
    compared,
)

_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`([^`]+)`""")
ARITHMETIC: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_MEMBER: tuple[type[ast.cmpop], ...] = (ast.In, ast.NotIn)
_PARTS = (
    *(ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.UAdd),
    *(ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow),
    *(ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn),
    *(ast.Name, ast.Load, ast.Constant, ast.Tuple, ast.List, ast.Set),
)
_LARGEST = 10**300
_LONGEST = 200_000
_DEEPEST = 200


@dataclass(frozen=True)
class Expression:
    """A parsed expression.

    Examples
    --------
    >>> columns = [Column("x1", "numeric"), Column("x2", "numeric")]
    >>> arrays = [np.array([0.0, 1.0]), np.array([0.0, np.nan])]
    >>> truth, missing = Expression.parse("x1 + x2 > 0.5").evaluate(columns, arrays)
    >>> truth.tolist(), missing.tolist()
    ([False, False], [False, True])
    """

    text: str
    body: ast.expr
    names: Mapping[str, str]

    @staticmethod
    def parse(text: str) -> Expression:
        """The expression of a text; a sentence says what is not part of the language.

        A Function, which answers the same questions, is given back as it is.
        """
        if isinstance(text, Function):
            return cast(Expression, text)
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"expression={text!r} must be a text such as 'width > 2 and length > 1'")
        return _parse(text)

    def columns_in(self, columns: Sequence[Column]) -> tuple[int, ...]:
        """The numbers of the columns it names, each once, in order of appearance."""
        return tuple(dict.fromkeys(self._find(name, columns) for name in self.column_names()))

    def column_names(self) -> list[str]:
        """The names of the columns, each once, in order of appearance."""
        return list(self._names_used)

    @cached_property
    def _names_used(self) -> tuple[str, ...]:
        named = (part.id for part in _ordered(self.body) if isinstance(part, ast.Name))
        return tuple(dict.fromkeys(self.names.get(name, name) for name in named))

    def constants_of(self, name: str) -> set[Any]:
        """The texts and truth values a column is compared with: what its domain must hold."""
        texts: set[Any] = set()
        for node in ast.walk(self.body):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                if any(isinstance(s, ast.Name) and self.names.get(s.id, s.id) == name for s in sides):
                    constants = (c for s in sides for c in ast.walk(s) if isinstance(c, ast.Constant))
                    texts |= {c.value for c in constants if isinstance(c.value, str | bool)}
        return texts

    def check(self, columns: Sequence[Column]) -> None:
        """Raise a sentence unless it names columns, which exist and are used as their kinds allow."""
        if not self.column_names():
            raise ValueError(f"expression {self.text!r} names no column, so it is the same for every row")
        self.evaluate(
            columns, [np.empty(0) if c.kind == "numeric" else np.empty(0, np.int32) for c in columns]
        )

    def evaluate(self, columns: Sequence[Column], arrays: Sequence[AnyArray]) -> tuple[Bools, Bools]:
        """(true, missing) for each row of the arrays: numbers, or codes with -1 for missing."""
        n_rows = max((len(arrays[c]) for c in self.columns_in(columns)), default=0)
        with np.errstate(all="ignore"):
            result = as_truth(self.text, self._visit(self.body, columns, arrays, n_rows))
        shape = (n_rows,)
        missing = np.broadcast_to(result.missing, shape)
        return np.broadcast_to(result.data, shape) & ~missing, missing

    def _find(self, name: str, columns: Sequence[Column]) -> int:
        for number, column in enumerate(columns):
            if column.name == name:
                return number
        known = ", ".join(repr(c.name) for c in columns[:20])
        raise ValueError(f"expression {self.text!r} names the column {name!r}, but the columns are {known}")

    def _visit(self, node: ast.expr, columns: Sequence[Column], arrays: Sequence[AnyArray], n: int) -> Value:
        """The value of one part, from the values of its parts."""
        present = np.zeros(n, dtype=np.bool_)

        def visit(part: ast.expr) -> Value:
            return self._visit(part, columns, arrays, n)

        match node:
            case ast.Constant(value=bool() | str() as value):
                return Value("text", value, present)
            case ast.Constant(value=int() | float() as value):
                return Value("number", np.float64(value), present)
            case ast.Name(id=name):
                number = self._find(self.names.get(name, name), columns)
                return column_value(columns[number], arrays[number])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                truth = as_truth(self.text, visit(operand))
                return Value("truth", ~truth.data & ~truth.missing, truth.missing)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=operand):
                number_value = as_number(self.text, visit(operand))
                data = -number_value.data if isinstance(op, ast.USub) else number_value.data
                return Value("number", data, number_value.missing)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
                a, b = as_number(self.text, visit(left)), as_number(self.text, visit(right))
                data = ARITHMETIC[type(op)](a.data, b.data)
                return Value("number", data, a.missing | b.missing | np.isnan(data))
            case ast.BoolOp(op=op, values=values):
                truths = [as_truth(self.text, visit(v)) for v in values]
                return all_of(truths) if isinstance(op, ast.And) else any_of(truths)
            case ast.Compare(left=left, ops=ops, comparators=rights):
                return self._compare([left, *rights], ops, visit)
        raise _foreign(self.text, node)

    def _compare(
        self, sides: list[ast.expr], ops: list[ast.cmpop], visit: Callable[[ast.expr], Value]
    ) -> Value:
        """A chain `a < b <= c` is `a < b and b <= c`."""
        links = []
        for left, op, right in zip(sides, ops, sides[1:], strict=False):
            if isinstance(op, _MEMBER):
                if not isinstance(right, ast.Tuple | ast.List | ast.Set) or not right.elts:
                    raise ValueError(
                        f"expression {self.text!r}: after 'in' write the values in brackets, as in ('a', 'b')"
                    )
                equal = [compared(self.text, visit(left), ast.Eq(), visit(e)) for e in right.elts]
                member = any_of(equal)
                links.append(Value("truth", member.data ^ isinstance(op, ast.NotIn), member.missing))
            elif type(op) in COMPARISONS:
                links.append(compared(self.text, visit(left), op, visit(right)))
            else:
                raise ValueError(
                    f"expression {self.text!r} compares with an operator that is not part of the language"
                )
        return all_of(links)


@lru_cache(maxsize=1024)
def _parse(text: str) -> Expression:
    if len(text) > _LONGEST:
        raise ValueError(f"expression of {len(text)} characters is too long: at most {_LONGEST} are read")
    names: dict[str, str] = {}

    def placeholder(match: re.Match[str]) -> str:
        if match.group(1) is None:
            return match.group(0)
        word = f"_column_{len(names)}"
        names[word] = match.group(1)
        return word

    try:
        body = ast.parse(_QUOTED.sub(placeholder, text).strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"expression {text!r} cannot be read: {error}") from None
    _check_parts(text, body)
    return Expression(text, body, names)


def _check_parts(text: str, body: ast.expr) -> None:
    """Refuse what is not in the language, parts nested too deeply, and numbers beyond a double."""
    todo: list[tuple[ast.AST, int]] = [(body, 1)]
    while todo:
        node, depth = todo.pop()
        if depth > _DEEPEST:
            raise ValueError(f"expression {text[:60]!r}... has parts nested more than {_DEEPEST} deep")
        if not isinstance(node, _PARTS):
            raise _foreign(text, node)
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and abs(node.value) > _LARGEST:
            raise ValueError(f"expression {text[:60]!r}... holds a number too large to calculate with")
        todo.extend((child, depth + 1) for child in ast.iter_child_nodes(node))


def _foreign(text: str, node: ast.AST) -> ValueError:
    return ValueError(
        f"expression {text!r} contains {ast.unparse(node)!r}, which is not part of the language: use"
        " columns, numbers, strings, + - * / **, comparisons, and, or, not"
    )


def _ordered(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression in the order they are written."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _ordered(child)
