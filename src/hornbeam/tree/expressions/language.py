"""The small closed language of expressions that test several columns, and predicates written in Python.

The language: `width * height > 2 and not (colour == 'red')`. Columns by name (in backticks if the name is no
word: `` `petal width` > 1``), numbers, strings, True and False; `+ - * / **`, comparisons (`a < b <= c`, `in
(v, w)`), `and or not`. Text is parsed by Python's own parser, then taken apart by
`hornbeam.tree.expressions.formulas`, which knows these constructs and refuses all others: nothing is ever
executed. Arithmetic and comparisons with a missing operand are missing; `False and missing` is False and
`True or missing` is True.

A predicate written in Python is a Function: to whoever prints a tree it is text, its name; to whoever sends
rows through it, it answers the same questions as an Expression. It cannot be written down, so saving or
exporting such a tree is refused.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    shorten,
)

if TYPE_CHECKING:
    from hornbeam.tree.shape import TreeShape

# A quote that is not closed reaches to the end of its line: so no text is gone through again for each quote.
_QUOTED = re.compile(r"""'(?:[^'\\\n]|\\.)*+'?|"(?:[^"\\\n]|\\.)*+"?|`([^`]*)`""")
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
            shown = shorten(text) if isinstance(text, str) else repr(text)
            raise ValueError(f"expression={shown} must be a text such as 'width > 2 and length > 1'")
        return _parse(text)

    def columns_in(self, columns: Sequence[Column]) -> tuple[int, ...]:
        """The numbers of the columns it names, each once, in order of appearance."""
        return tuple(find_column(self.text, name, columns) for name in self.column_names)

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns, each once, in order of appearance."""
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
        if not self.column_names:
            raise ValueError(
                f"expression {shorten(self.text)} names no column, so it is the same for every row"
            )
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
        raise ValueError(f"expression {shorten(text)} cannot be read: {error}") from None
    _check_parts(text, body)
    return Expression(text, body, names)


def _check_parts(text: str, body: ast.expr) -> None:
    """Refuse what is not in the language, parts nested too deeply, and numbers beyond a double."""
    level: list[ast.AST] = [body]
    depth = 0
    while level:
        depth += 1
        if depth > _DEEPEST:
            raise ValueError(f"expression {text[:60]!r}... has parts nested more than {_DEEPEST} deep")
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    for node in ast.walk(body):
        if not isinstance(node, _PARTS):
            raise foreign_part(text, node)
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and abs(node.value) > _LARGEST:
            raise ValueError(f"expression {text[:60]!r}... holds a number too large to calculate with")


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


# Predicates written in Python -----------------------------------------------------------------------------


class Function(str):
    """The name of a function from a table to a truth value for each row, with the function.

    The table is a mapping from column names to arrays: numbers as doubles, nan where missing; categories as
    objects, None where missing. The function gives True or False for each row; None or nan says that it
    cannot tell.

    Examples
    --------
    >>> same = Function.of(lambda t: t["head"] == t["body"], "same shape")
    >>> columns = [Column("head", "nominal", ("circle", "square")), Column("body", "nominal", ("circle",))]
    >>> truth, missing = same.evaluate(columns, [np.array([0, 1, -1]), np.array([0, 0, 0])])
    >>> truth.tolist(), missing.tolist()
    ([True, False, False], [False, False, False])
    """

    function: Callable[[Mapping[str, AnyArray]], Any]
    names: tuple[str, ...]  # the columns it looked at, () before it is called

    @staticmethod
    def of(function: Callable[[Mapping[str, AnyArray]], Any], name: str) -> Function:
        """A function under a name."""
        made = Function(name)
        made.function, made.names = function, ()
        return made

    @property
    def text(self) -> Function:
        """What a Tree keeps."""
        return self

    def formula(self, columns: Sequence[Column]) -> Any:
        """Refused: a Python function has no expression to be written in another language."""
        del columns
        raise ValueError(unwritable(self))

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns it looked at when it was last called."""
        return self.names

    def columns_in(self, columns: Sequence[Column]) -> tuple[int, ...]:
        """The numbers of those columns; all, as long as it was not called."""
        return tuple(k for k, column in enumerate(columns) if not self.names or column.name in self.names)

    def check(self, columns: Sequence[Column]) -> None:
        """Raise unless the columns it looked at are there."""
        known = [column.name for column in columns]
        absent = [name for name in self.names if name not in known]
        if absent:
            raise ValueError(
                f"predicate {self.name!r} looks at column {absent[0]!r}, but the columns are"
                f" {', '.join(known)}"
            )

    @property
    def name(self) -> str:
        """The name, as plain text."""
        return str.__str__(self)

    def evaluate(self, columns: Sequence[Column], arrays: Sequence[AnyArray]) -> tuple[Bools, Bools]:
        """(true, missing) for each row of the arrays."""
        n_rows = max((len(arrays[k]) for k in self.columns_in(columns)), default=0)
        table = _Columns(columns, arrays)
        try:
            answer = self.function(table)
        except KeyError as error:
            if error.args and error.args[0] in table:
                raise
            known = ", ".join(table)
            raise ValueError(
                f"predicate {self.name!r} asks for the column {error.args[0]!r}, but the columns are {known}"
            ) from None
        self.names = tuple(dict.fromkeys((*self.names, *table.names_read)))
        return _truths(self.name, answer, n_rows)


def unwritable(function: Function) -> str:
    """The sentence for a tree that cannot be saved or exported."""
    return (
        f"the tree tests the Python function {function.name!r}, which cannot be saved or exported: give the"
        " predicate as text, such as 'head == body', or pickle the model"
    )


def refuse_functions(expressions: Mapping[int, str]) -> None:
    """Raise if one of a tree's expressions is a Python function, which cannot be written down."""
    for text in expressions.values():
        if isinstance(text, Function):
            raise ValueError(unwritable(text))


class _Columns(Mapping[str, AnyArray]):
    """The columns by name, decoded when asked for; remembers which were."""

    def __init__(self, columns: Sequence[Column], arrays: Sequence[AnyArray]) -> None:
        self._place = {column.name: k for k, column in enumerate(columns)}
        self._columns, self._arrays = columns, arrays
        self.names_read: list[str] = []

    def __getitem__(self, name: str) -> AnyArray:
        column, array = self._columns[self._place[name]], self._arrays[self._place[name]]
        self.names_read.append(name)
        if column.kind == "numeric":
            return array.astype(np.float64)
        values = np.empty(len(column.categories) + 1, dtype=object)  # the last, None, is for code -1
        values[:-1] = column.categories
        return values[np.maximum(array, -1)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self._place)


def _truths(name: str, answer: Any, n_rows: int) -> tuple[Bools, Bools]:
    """What a function answered, as truth values and gaps."""
    values = np.asarray(answer)
    if values.shape != (n_rows,):
        several = f"{len(values)} values" if values.ndim == 1 else f"an array of shape {values.shape}"
        what = several if values.ndim else "one value"
        raise ValueError(
            f"predicate {name!r} gave {what} for {n_rows} rows: it must give one truth value for each"
        )
    if values.dtype.kind == "b":
        return values, np.zeros(n_rows, dtype=np.bool_)
    missing = np.array([v is None or v != v for v in values.tolist()], dtype=np.bool_)
    known = values[~missing].tolist()
    if any(v not in (0, 1) for v in known):
        odd = next(v for v in known if v not in (0, 1))
        raise ValueError(
            f"predicate {name!r} gave {odd!r}: it must give True or False, or None where it cannot tell"
        )
    true = np.zeros(n_rows, dtype=np.bool_)
    true[~missing] = [bool(v) for v in known]
    return true, missing
