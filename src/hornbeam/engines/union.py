"""Union: the columns and the target of a whole table, put together from those of its pieces.

A piece is encoded by itself, as if it were the table; what it says of itself are its facts, which are small.
Values of categories get numbers in the order in which they turn up; when the facts of the last piece are
known, so is the order of all values, and every number or code becomes the code that the whole table would
have given it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Ints, Longs
from hornbeam.data.cells import CodedCells, has_declared_order
from hornbeam.data.columns import Column
from hornbeam.data.encoding import encode_classes, encode_reals, is_ordered, sorted_domain

# Facts ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PieceColumn:
    """What a piece says of one of its columns."""

    column: Column
    dtype: np.dtype[Any]
    declared: bool  # whether somebody has listed the categories in an order of their choice


@dataclass(frozen=True)
class PieceClasses:
    """What a piece says of its classes."""

    classes: tuple[Any, ...]
    sizes: Floats  # repetitions of each
    counted: Floats  # the same without rows of no weight
    labels_type: np.dtype[Any]
    declared: tuple[Any, ...] | None
    ordered: bool


@dataclass(frozen=True)
class PieceNumbers:
    """What a piece says of its outcomes that are numbers."""

    low: float
    high: float
    counted: int  # rows of positive weight, as often as they are repeated


def class_facts(
    cells: Any, taking_part: Longs, counts: Longs | None
) -> tuple[dict[str, AnyArray], PieceClasses]:
    """The classes of a piece encoded, and what it says of them."""
    codes, classes, labels = encode_classes(cells)
    sizes, counted = (np.bincount(codes, of, len(classes)).astype(float) for of in (counts, taking_part))
    declared = None
    kind = getattr(cells, "type", None)
    if isinstance(cells, CodedCells):
        declared = cells.domain if cells.declared else None
    elif kind is not None and hasattr(kind, "index_type") and has_declared_order(kind):
        declared = tuple(_dictionary_values(cells))
    ordered = declared is not None and is_ordered(cells)
    return {"codes": codes}, PieceClasses(tuple(classes), sizes, counted, labels.dtype, declared, ordered)


def number_facts(cells: Any, taking_part: Longs, most: float) -> tuple[dict[str, AnyArray], PieceNumbers]:
    """The outcomes of a piece as numbers, and what it says of them."""
    values = encode_reals(cells, most)
    return {"values": values}, PieceNumbers(float(values.min()), float(values.max()), int(taking_part.sum()))


def _dictionary_values(cells: Any) -> Iterable[Any]:
    chunks = getattr(cells, "chunks", [cells])
    return [value for chunk in chunks for value in chunk.dictionary.to_pylist()]


# Unions -----------------------------------------------------------------------------------------------------


class Numbering:
    """Values numbered in the order in which they turn up."""

    def __init__(self) -> None:
        self.number: dict[Any, int] = {}

    def of(self, values: Sequence[Any]) -> Ints:
        """The number of each of some values, then -1, where the code of a gap finds it."""
        known = self.number
        return np.array([*(known.setdefault(value, len(known)) for value in values), -1], dtype=np.int32)


def codes_in(values: Iterable[Any], domain: Sequence[Any]) -> Ints:
    """The code of each value in a domain that has all of them, then -1 for gaps.

    >>> codes_in(["b", "a"], ("a", "b"))
    array([ 1,  0, -1], dtype=int32)
    """
    place = {value: code for code, value in enumerate(domain)}
    return np.array([*map(place.__getitem__, values), -1], dtype=np.int32)


class ColumnUnion:
    """One column of all pieces."""

    def __init__(self, first: PieceColumn) -> None:
        self.column, self.dtype, self.declared = first.column, first.dtype, first.declared
        self.numbering = Numbering()

    def add(self, facts: PieceColumn) -> Ints | None:
        """Take what a piece says; return the number of each of its categories, None for numbers."""
        known, column = self.column, facts.column
        display = known.display
        if {display, column.display} == {"", "int"}:  # a text file, whose first numbers were whole
            display = ""
        elif display != column.display or known.kind != column.kind:
            raise TypeError(
                f"column {known.name!r} is {_words(known)} in some files and {_words(column)} in others:"
                " give it one type in all files"
            )
        self.column = replace(
            known,
            display=display,
            low=_nan_min(known.low, column.low),
            high=-_nan_min(-known.high, -column.high),
            has_missing=known.has_missing or column.has_missing,
        )
        if column.kind != "numeric":
            return self.numbering.of(column.categories)
        if facts.dtype != self.dtype and self.dtype != np.float64:
            raise TypeError(
                f"column {column.name!r} is {self.dtype} in some files and {facts.dtype} in others: give it"
                " one type in all files"
            )
        return None

    def finished(self) -> Column:
        """The column of the whole table."""
        if self.column.kind == "numeric":
            return self.column
        values = list(self.numbering.number)
        domain = tuple(values) if self.declared else sorted_domain(values, self.column.name)
        return replace(self.column, categories=domain)


class ClassUnion:
    """The classes of all pieces."""

    def __init__(self) -> None:
        self.numbering = Numbering()
        self.labels_type: Any = None
        self.declared: dict[Any, None] | None = None
        self.ordered = False
        self.sizes: Floats = np.zeros((2, 0))  # of each class by number: repetitions, and those that count

    def add(self, facts: PieceClasses) -> Ints:
        """Take what a piece says; return the number of each of its classes."""
        if facts.declared is not None:
            self.declared = (self.declared or {}) | dict.fromkeys(facts.declared)
            self.ordered = facts.ordered
        kinds = [kind for kind in (self.labels_type, facts.labels_type) if kind is not None]
        self.labels_type = np.result_type(*kinds)
        numbers = self.numbering.of(facts.classes)
        sizes = np.zeros((2, len(self.numbering.number)))
        sizes[:, : self.sizes.shape[1]] = self.sizes
        sizes[:, numbers[:-1]] += facts.sizes, facts.counted
        self.sizes = sizes
        return numbers

    def finished(self) -> tuple[tuple[Any, ...], AnyArray, Floats, Floats]:
        """The classes in class order, sorted as labels, their repetitions, and those that count."""
        values = list(self.numbering.number)
        classes = sorted_domain(values, "y")
        labels = np.empty(len(classes), dtype=self.labels_type)
        labels[:] = classes
        if self.declared is not None:
            classes = tuple(value for value in self.declared if value in self.numbering.number)
        elif labels.dtype.kind != "O":
            classes = tuple(labels.tolist())
        sizes = np.zeros((2, len(classes)))
        sizes[:, codes_in(values, classes)[:-1]] = self.sizes
        return classes, labels, sizes[0], sizes[1]


class NumberUnion:
    """The numbers of a target of all pieces."""

    def __init__(self) -> None:
        self.low, self.high, self.counted = math.inf, -math.inf, 0

    def add(self, facts: PieceNumbers) -> None:
        """Take what a piece says."""
        self.low, self.high = min(self.low, facts.low), max(self.high, facts.high)
        self.counted += facts.counted


def _nan_min(a: float, b: float) -> float:
    return b if math.isnan(a) else a if math.isnan(b) else min(a, b)


def _words(column: Column) -> str:
    return f"{column.kind} ({column.display})" if column.display else column.kind
