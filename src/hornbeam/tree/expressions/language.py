"""A small closed language for tests no column states alone: `width * height > 2 and not (colour == 'red')`.

Columns by name (in backticks if the name is no word: `` `petal width` > 1``), numbers, strings, True and
False; `+ - * / **`, comparisons (`a < b <= c`, `in (v, w)`), `and or not`. Text is parsed by Python's own
parser, then taken apart by `hornbeam.tree.expressions.formulas`, which knows these constructs and refuses all
others: nothing is ever executed. Arithmetic and comparisons with a missing operand are missing; `False and
missing` is False and `True or missing` is True.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hornbeam._base.types import AnyArray, Bools
from hornbeam.data.columns import Column
from hornbeam.tree.expressions.formulas import (
    FormulaPart,
    FormulaReader,
    evaluate_formula,
    find_column,
    foreign_part,
)
from hornbeam.tree.expressions.functions import Function

if TYPE_CHECKING:
    from hornbeam.tree.shape import TreeShape

_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`([^`]*)`""")
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
        return tuple(find_column(self.text, name, columns) for name in self.column_names())

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
        self.formula(columns)

    def formula(self, columns: Sequence[Column]) -> FormulaPart:
        """The expression taken apart, for evaluation and for other languages."""
        with np.errstate(all="ignore"):  # constants are calculated with
            return FormulaReader(self.text, self.names, columns).truth(self.body)

    def evaluate(self, columns: Sequence[Column], arrays: Sequence[AnyArray]) -> tuple[Bools, Bools]:
        """(true, missing) for each row of the arrays: numbers, or codes with -1 for missing."""
        n_rows = max((len(arrays[c]) for c in self.columns_in(columns)), default=0)
        with np.errstate(all="ignore"):
            truth, missing = evaluate_formula(self.formula(columns), arrays, n_rows)
        missing = np.broadcast_to(missing, n_rows)
        return np.broadcast_to(truth, n_rows) & ~missing, missing


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
            raise foreign_part(text, node)
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and abs(node.value) > _LARGEST:
            raise ValueError(f"expression {text[:60]!r}... holds a number too large to calculate with")
        todo.extend((child, depth + 1) for child in ast.iter_child_nodes(node))


def _ordered(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression in the order they are written."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _ordered(child)


def formula_of(tree: TreeShape, node: int) -> FormulaPart:
    """The formula a node tests.

    >>> from hornbeam.tree.tree import Tree
    >>> tree = Tree.from_nested({"expression": "x + 1 > z", "yes": "a", "no": "b"})
    >>> formula_of(tree, 0).kind, [part.kind for part in formula_of(tree, 0).parts]
    ('Gt', ['Add', 'column'])
    """
    return Expression.parse(tree.expressions[node]).formula(tree.columns)
