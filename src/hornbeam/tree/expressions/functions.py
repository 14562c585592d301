"""Functions: predicates written in Python, where a Tree has the text of an expression.

One idea: to whoever prints a tree a Function is text, its name; to whoever sends rows through it, it answers
the same questions as an Expression. It cannot be written down, so saving or exporting such a tree is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Bools
from hornbeam.data.columns import Column


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

    def column_names(self) -> list[str]:
        """The names of the columns it looked at when it was last called."""
        return list(self.names)

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
