"""Values with gaps: what the parts of an expression are, and how they are compared and joined.

One idea: a value is an array and a mask of what is missing; `and` and `or` are those of three-valued logic,
so that a gap matters only where it decides.
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

COMPARISONS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_EQUALITY: tuple[type[ast.cmpop], ...] = (ast.Eq, ast.NotEq)
# The comparison of the sides in the other order, where it is not the same.
MIRROR: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}


@dataclass(frozen=True)
class Value:
    """What a part of an expression is: "number", "truth", "text" (a constant) or "category" (codes)."""

    kind: str
    data: Any
    missing: Bools
    column: Column | None = None


def column_value(column: Column, array: AnyArray) -> Value:
    """The numbers or codes of a column."""
    if column.kind == "numeric":
        data = array.astype(np.float64, copy=False)
        return Value("number", data, np.isnan(data))
    return Value("category", array, array < 0, column)


def as_number(text: str, value: Value) -> Value:
    """The value, if it is a number, or a truth value as 1 or 0; `text` is that of the expression, for the
    sentence.
    """
    if value.kind == "truth":
        return Value("number", np.asarray(value.data, dtype=np.float64), value.missing)
    if value.kind != "number":
        what = f"column {value.column.name!r}" if value.column else f"{value.data!r}"
        raise ValueError(f"expression {text!r} calculates with {what}, which is not a number")
    return value


def as_truth(text: str, value: Value) -> Value:
    """The value as a truth value, if it is one or a column of truth values."""
    if value.kind == "truth":
        return value
    if value.kind == "text" and isinstance(value.data, bool):
        return Value("truth", np.bool_(value.data), value.missing)
    if value.column is not None and set(value.column.categories) <= {False, True}:
        yes = [code for code, v in enumerate(value.column.categories) if v]
        return Value("truth", np.isin(value.data, yes), value.missing)
    raise ValueError(f"expression {text!r} must be true or false: compare, as in 'width > 2'")


def all_of(values: Sequence[Value]) -> Value:
    """`and` of three-valued truths: false if one is false, true if all are true, else missing."""
    true = np.logical_and.reduce([v.data & ~v.missing for v in values])
    false = np.logical_or.reduce([~v.data & ~v.missing for v in values])
    return Value("truth", true, ~true & ~false)


def any_of(values: Sequence[Value]) -> Value:
    """`or` of three-valued truths: true if one is true, false if all are false, else missing."""
    true = np.logical_or.reduce([v.data & ~v.missing for v in values])
    false = np.logical_and.reduce([~v.data & ~v.missing for v in values])
    return Value("truth", true, ~true & ~false)


def compared(text: str, a: Value, op: ast.cmpop, b: Value) -> Value:
    """One comparison: numbers, a category with a constant, or two categories."""
    swapped = a.column is None and b.column is not None and b.kind == "category"
    compare = COMPARISONS[MIRROR.get(type(op), type(op)) if swapped else type(op)]
    if swapped:
        a, b = b, a
    if a.kind == "number" and b.kind == "number":
        return Value("truth", compare(a.data, b.data), a.missing | b.missing)
    if a.column is None:
        raise ValueError(f"expression {text!r} compares values of different kinds")
    if not isinstance(op, _EQUALITY) and a.column.kind != "ordinal":
        raise ValueError(
            f"expression {text!r} orders the values of {a.column.name!r}, which is nominal:"
            " use == or != or in"
        )
    if b.column is not None:
        return _two_categories(text, a, op, b)
    if np.ndim(b.data):
        raise ValueError(f"expression {text!r} compares the categories of {a.column.name!r} with numbers")
    code = _code(text, a.column, b.data)
    return Value("truth", compare(a.data, code) & ~a.missing, a.missing)


def _code(text: str, column: Column, value: Any) -> int:
    if value in column.code_of:
        return column.code_of[value]
    shown = ", ".join(repr(c) for c in column.categories[:20])
    raise ValueError(
        f"expression {text!r} compares {column.name!r} with {value!r}, but its values are {shown}"
    )


def _two_categories(text: str, a: Value, op: ast.cmpop, b: Value) -> Value:
    assert a.column is not None
    assert b.column is not None
    if not isinstance(op, _EQUALITY):
        raise ValueError(f"expression {text!r} orders two columns of categories: use == or !=")
    into = np.array([a.column.code_of.get(value, -2) for value in b.column.categories] + [-1])
    equal = a.data == into[b.data]
    missing = a.missing | b.missing
    return Value("truth", (equal if isinstance(op, ast.Eq) else ~equal) & ~missing, missing)
