"""Union: what the pieces of a table say of its columns and its target, put together.

A piece is encoded by itself, as if it were the table. Values of categories get numbers in the order in which
they turn up; when the last piece has been seen, the order of all of them is known, and every number becomes
the code that the whole table would have given it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Ints
from hornbeam.data.cells import has_declared_order, read_cells
from hornbeam.data.columns import Column
from hornbeam.data.encoding import encode_classes, encode_reals, is_ordered, sorted_domain


class Numbering:
    """Values numbered in the order in which they turn up."""

    def __init__(self) -> None:
        self.number: dict[Any, int] = {}

    def of(self, codes: AnyArray, values: Sequence[Any]) -> Ints:
        """Positions among some values as numbers of all values."""
        known = self.number
        table = np.array([*(known.setdefault(value, len(known)) for value in values), -1], dtype=np.int32)
        return table[codes]  # -1 finds the last entry

    def codes_in(self, domain: Sequence[Any]) -> Ints:
        """The code of each number in a domain that has all values."""
        place = {value: code for code, value in enumerate(domain)}
        return np.array([*map(place.__getitem__, self.number), -1], dtype=np.int32)


class ColumnUnion:
    """One column of all pieces."""

    def __init__(self, first: Column, array: AnyArray, *, declared: bool) -> None:
        self.column, self.dtype, self.declared = first, array.dtype, declared
        self.numbering = Numbering()

    def add(self, column: Column, array: AnyArray) -> AnyArray:
        """Take a piece of the column; return what is stored of it."""
        known = self.column
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
            return self.numbering.of(array, column.categories)
        return array.astype(self.dtype, copy=False) if self.dtype == np.float64 else self._narrow(array)

    def _narrow(self, array: AnyArray) -> AnyArray:
        if array.dtype != self.dtype:
            raise TypeError(
                f"column {self.column.name!r} is {self.dtype} in some files and {array.dtype} in others: give"
                " it one type in all files"
            )
        return array

    def finished(self) -> tuple[Column, Ints | None]:
        """The column of the whole table, and the code of each number that was stored; None for numbers."""
        if self.column.kind == "numeric":
            return self.column, None
        values = list(self.numbering.number)
        domain = tuple(values) if self.declared else sorted_domain(values, self.column.name)
        return replace(self.column, categories=domain), self.numbering.codes_in(domain)


class ClassUnion:
    """The classes of all pieces."""

    def __init__(self) -> None:
        self.numbering = Numbering()
        self.labels_type: Any = None
        self.declared: dict[Any, None] | None = None
        self.ordered = False
        self.sizes: Floats = np.zeros(0)  # repetitions of each class, by number

    def add(self, cells: Any, counts: AnyArray | None) -> dict[str, AnyArray]:
        """Take a piece of the target; return what is stored of it."""
        codes, classes, labels = encode_classes(cells)
        kind = getattr(cells, "type", None)
        if kind is not None and hasattr(kind, "index_type") and has_declared_order(kind):
            self.declared = (self.declared or {}) | dict.fromkeys(_dictionary_values(cells))
            self.ordered = is_ordered(cells)
        self.labels_type = (
            labels.dtype if self.labels_type is None else np.result_type(self.labels_type, labels.dtype)
        )
        numbers = self.numbering.of(codes, classes)
        sizes = np.bincount(numbers, counts, len(self.numbering.number)).astype(np.float64)
        sizes[: len(self.sizes)] += self.sizes
        self.sizes = sizes
        return {"codes": numbers}

    def finished(self) -> tuple[tuple[Any, ...], AnyArray, Ints, Floats]:
        """The classes in class order, sorted as labels, the code of each number stored, and their sizes."""
        values = list(self.numbering.number)
        classes = sorted_domain(values, "y")
        labels = np.empty(len(classes), dtype=self.labels_type)
        labels[:] = classes
        if self.declared is not None:
            classes = tuple(value for value in self.declared if value in self.numbering.number)
        elif labels.dtype.kind != "O":
            classes = tuple(labels.tolist())
        codes = self.numbering.codes_in(classes)
        sizes = np.zeros(len(classes))
        sizes[codes[:-1]] = self.sizes
        return classes, labels, codes, sizes


class NumberUnion:
    """The numbers of a target of all pieces."""

    def __init__(self, most: float) -> None:
        self.most, self.low, self.high = most, math.inf, -math.inf

    def add(self, cells: Any, counts: AnyArray | None) -> dict[str, AnyArray]:  # noqa: ARG002 (as classes)
        """Take a piece of the target; return what is stored of it."""
        values = encode_reals(cells, self.most)
        self.low, self.high = min(self.low, float(values.min())), max(self.high, float(values.max()))
        return {"values": values}


def cells_of(table: Any, name: str) -> Any:
    """The cells of a column of an Arrow table."""
    return read_cells(table.column(name), name)


def _dictionary_values(cells: Any) -> Iterable[Any]:
    chunks = getattr(cells, "chunks", [cells])
    return [value for chunk in chunks for value in chunk.dictionary.to_pylist()]


def _nan_min(a: float, b: float) -> float:
    return b if math.isnan(a) else a if math.isnan(b) else min(a, b)


def _words(column: Column) -> str:
    return f"{column.kind} ({column.display})" if column.display else column.kind
