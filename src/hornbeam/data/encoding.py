"""Cells of one column -> the array a tree works on: numbers as floats, categories as int32 codes.

One idea: what a column *is* (number, text, time, ...) and what it is *used as* (numeric, ordinal, nominal)
are two things. `learn_column` decides the use and writes it into a Column; `match_column` takes new cells and
brings them to the use an earlier Column wrote down, comparing categories by value and times as instants.

Whatever the target holds, text, whole numbers, truth values or declared categories, becomes codes in class
order with the classes beside them, or plain float64.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam.data.cells import (
    Cells,
    CodedCells,
    arrow_family,
    codes_of_text,
    family_of,
    is_declared,
    to_arrow,
)
from hornbeam.data.columns import UNSEEN, Column, infinite_sentence, plain, unusable
from hornbeam.data.date_text import dates_of_text
from hornbeam.data.floats import (
    TIMES,
    ceiling_floats,
    column_range,
    first_infinite,
    in_microseconds,
    match_ticks,
    to_floats,
)
from hornbeam.data.formatting import parse_display

Floats = NDArray[np.floating[Any]]
Codes = NDArray[np.int32]
Encoded = Floats | Codes
LARGEST = 1e150  # sums of squares of larger numbers overflow


# Learning ---------------------------------------------------------------------------------------------------


def learn_column(cells: Cells, name: str) -> tuple[Column, Encoded]:
    """The Column and the encoded array of cells whose own type decides the kind.

    >>> from hornbeam.data.cells import read_cells
    >>> column, codes = learn_column(read_cells(["b", "a", None], "letter"), "letter")
    >>> column.categories, codes
    (('a', 'b'), array([ 1,  0, -1], dtype=int32))
    """
    kind = _kind_of(cells)
    return _learn_numeric(cells, name) if kind == "numeric" else _learn_categories(cells, name, kind)


def learn_nominal(cells: Cells, name: str) -> tuple[Column, Encoded]:
    """The same for a column the user calls categorical.

    >>> learn_nominal(np.array([30, 10, 30]), "code")[0].categories
    (10, 30)
    """
    return _learn_categories(cells, name, "nominal")


def without_declaration(cells: Cells) -> Cells:
    """Categories of numbers as those numbers; other cells as they are."""
    if isinstance(cells, CodedCells) and all(_is_exact_number(value) for value in cells.domain):
        return np.array([*cells.domain, math.nan], dtype=np.float64)[cells.codes]
    if family_of(cells) == "dictionary" and arrow_family(cells.type.value_type) == "number":
        return cells.cast(cells.type.value_type)
    return cells


def _kind_of(cells: Cells) -> str:
    family = family_of(cells)
    if family == "number" or family in TIMES:
        return "numeric"
    return "ordinal" if is_ordered(cells) else "nominal"


def _learn_numeric(cells: Cells, name: str) -> tuple[Column, Floats]:
    values, display = to_floats(cells, name)
    span = column_range(values)
    if span.is_infinite:
        raise ValueError(infinite_sentence(name, int(np.flatnonzero(np.isinf(values))[0])))
    return Column(name, "numeric", (), display, *span), values


def _learn_categories(cells: Cells, name: str, kind: str) -> tuple[Column, Codes]:
    codes, values = distinct(cells, name)
    if is_declared(cells):
        domain = tuple(dict.fromkeys(values))
        domain = domain if None not in domain else tuple(value for value in domain if value is not None)
    elif family_of(cells) == "text":  # encoded just now: sorted, and none without cells
        domain = values
    else:
        domain = sorted_domain(_used(codes, values) if family_of(cells) == "dictionary" else values, name)
    if domain != values:
        codes = recode(codes, values, {value: code for code, value in enumerate(domain)})
    has_missing = cells.has_gaps if isinstance(cells, CodedCells) else None
    if has_missing is None:
        has_missing = len(codes) > 0 and int(np.minimum.reduce(codes)) < 0
    return Column(name, kind, domain, has_missing=has_missing), codes


def _used(codes: Codes, values: Sequence[Any]) -> list[Any]:
    """The values that some cell has, none of them missing."""
    used = np.bincount(codes[codes >= 0], minlength=len(values)) > 0
    return [v for v, is_used in zip(values, used, strict=True) if is_used and v is not None]


def sorted_domain(values: Sequence[Any], name: str) -> tuple[Any, ...]:
    """Distinct values in order: numbers by size, text by code point.

    >>> sorted_domain(["b", "B", None, "a"], "letter")
    ('B', 'a', 'b')
    """
    present = {value for value in values if value is not None}
    try:
        return tuple(sorted(present))
    except TypeError:
        raise unusable(name, {type(value) for value in present}) from None


# Matching ---------------------------------------------------------------------------------------------------


def match_column(cells: Cells, column: Column) -> Encoded:
    """New cells in the codes or numbers of a column that was learned before.

    >>> match_column(np.array([2.0, 7.0]), Column("code", "nominal", (1, 2)))
    array([ 1, -2], dtype=int32)
    """
    return _match_numeric(cells, column) if column.kind == "numeric" else _match_categories(cells, column)


def _match_numeric(cells: Cells, column: Column) -> Floats:
    if isinstance(cells, np.ndarray) and column.is_number:
        return _finite_floats(cells, column)
    cells = without_declaration(cells)
    family, shown = family_of(cells), parse_display(column.display)
    fitting = (shown.family,) if shown.is_time else ("number", "bool")
    if shown.family == "datetime64" and family in ("text", "dictionary"):
        cells = cells if (dates := dates_of_text(cells, column.name)) is None else dates
        family = family_of(cells)
    if family not in fitting:
        if _all_missing(cells):
            return np.full(len(cells), np.nan)
        raise _mismatch(column, "times" if shown.is_time else "numbers", cells)
    return match_ticks(cells, column) if shown.is_time else _finite_floats(cells, column)


def _finite_floats(cells: Cells, column: Column) -> Floats:
    values, _ = to_floats(cells, column.name, ceiling_floats)
    infinite = first_infinite(values.reshape(-1, 1))
    if infinite:
        raise ValueError(infinite_sentence(column.name, infinite[0]))
    return values


def _match_categories(cells: Cells, column: Column) -> Codes:
    codes, values = distinct(cells, column.name)
    matched = recode(codes, values, column.code_of)
    if (codes >= 0).any() and not (matched >= 0).any():
        here, learned = map(_sorts, (values, column.categories))
        if learned and not here & learned:  # not one value could ever be found: a slip, not news
            raise _mismatch(column, f"categories such as {column.categories[0]!r}", cells)
    return matched


def _sorts(values: Sequence[Any]) -> set[str]:
    """What kinds of value are there; numbers and booleans compare with each other, so they are one."""
    return {"number" if isinstance(value, (int, float)) else type(value).__name__ for value in values}


def _mismatch(column: Column, learned: str, cells: Cells) -> TypeError:
    words = {"number": "numbers", "bool": "booleans", "declared": "categories", "dictionary": "categories"}
    family = family_of(cells)
    return TypeError(
        f"column {column.name!r} was learned from {learned}, but X holds {words.get(family, family)} there;"
        " convert it to the type it had in training, for example with astype or pandas.to_datetime"
    )


def _all_missing(cells: Cells) -> bool:
    if isinstance(cells, CodedCells):
        return not (cells.codes >= 0).any()
    if isinstance(cells, np.ndarray):
        return cells.dtype.kind == "f" and math.isnan(column_range(cells).high)
    return bool(cells.null_count == len(cells))


# Both -------------------------------------------------------------------------------------------------------


def distinct(cells: Cells, name: str) -> tuple[Codes, tuple[Any, ...]]:
    """Every cell as a position among some values; -1 or a value of None is missing."""
    if isinstance(cells, CodedCells):
        return cells.codes, cells.domain
    import pyarrow as pa

    array = to_arrow(cells) if isinstance(cells, np.ndarray) else cells
    if arrow_family(array.type) == "text":
        return codes_of_text(array)
    if pa.types.is_null(array.type):
        return np.full(len(array), -1, dtype=np.int32), ()
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks()
    indices = array.indices if array.indices.type == pa.int32() else array.indices.cast(pa.int32())
    codes = (indices.fill_null(-1) if indices.null_count else indices).to_numpy()
    values = array.dictionary
    family = family_of(values)
    if family == "text":
        return codes, tuple(values.to_pylist())
    if family in TIMES:
        values = in_microseconds(values, name)
    return codes, tuple(map(plain, values.to_pylist()))


def recode(codes: Codes, values: Sequence[Any], code_of: dict[Any, int]) -> Codes:
    """Positions in `values` as codes of another domain; what it does not know becomes UNSEEN."""
    lost = [-1 if value is None or value != value else UNSEEN for value in values]
    table = np.array([*map(code_of.get, values, lost), -1], dtype=np.int32)
    return table[codes]  # code -1 finds the last entry


def _is_exact_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and float(value) == value


# The target ---------------------------------------------------------------------------------------------


def encode_classes(cells: Cells) -> tuple[Codes, tuple[Any, ...], NDArray[Any]]:
    """Class codes in class order, the classes in that order, and sorted as an array."""
    family = family_of(cells)
    if family.endswith("64"):
        raise ValueError(
            "Unknown label type: y holds dates or times, which are no classes; convert it to text or numbers"
        )
    if family == "number":
        values, is_whole = _numbers(cells)
        return _whole_classes(values) if is_whole else _continuous(values)
    codes, values_ = distinct(cells, "y")
    observed = _used(codes, values_)
    classes = tuple(dict.fromkeys(observed)) if is_declared(cells) else sorted_domain(observed, "y")
    codes = recode(codes, values_, {label: code for code, label in enumerate(classes)})
    _refuse_gaps(codes < 0)
    labels = np.empty(len(classes), dtype=object)
    labels[:] = sorted_domain(observed, "y")
    return codes, classes, _narrow(labels)


def _numbers(cells: Cells) -> tuple[NDArray[Any], bool]:
    """The numbers without gaps, and whether all are whole."""
    if not isinstance(cells, np.ndarray):
        _refuse_gaps(np.asarray(cells.is_null()))
        cells = np.asarray(cells) if "int" in str(cells.type) else to_floats(cells, "y")[0]
    if cells.dtype.kind != "f":
        return cells, True
    _refuse_unbounded(cells)
    return cells, bool((cells == np.floor(cells)).all())


def _whole_classes(values: NDArray[Any]) -> tuple[Codes, tuple[Any, ...], NDArray[Any]]:
    """Classes that are whole numbers: a table over their range where that is short, sorting otherwise."""
    low, high = int(values.min()), int(values.max())
    if high - low > max(1 << 16, 4 * len(values)) or max(-low, high) >= 2**53:
        labels, codes = np.unique(values, return_inverse=True)
        return codes.reshape(-1).astype(np.int32), tuple(labels.tolist()), labels
    offsets = values.astype(np.int64) - low
    present = np.bincount(offsets) > 0
    code_of = (np.cumsum(present) - 1).astype(np.int32)
    labels = (np.flatnonzero(present) + low).astype(values.dtype)
    return code_of[offsets], tuple(labels.tolist()), labels


def _continuous(values: NDArray[Any]) -> tuple[Codes, tuple[Any, ...], NDArray[Any]]:
    """Raise scikit-learn's error for a target that is a number with a fraction."""
    from sklearn.utils.multiclass import check_classification_targets

    check_classification_targets(values)
    raise ValueError("Unknown label type: continuous; use TreeRegressor for a target of numbers")


def _narrow(labels: NDArray[Any]) -> NDArray[Any]:
    """Labels of one plain type as an array of that type; text stays objects."""
    types = {type(label) for label in labels}
    return np.array(labels.tolist()) if types <= {bool} or types <= {int, float} else labels


def is_ordered(cells: Cells) -> bool:
    """Whether the cells declare that their values have an order."""
    if isinstance(cells, CodedCells):
        return cells.ordered
    return family_of(cells) == "dictionary" and bool(cells.type.ordered)


# Numbers --------------------------------------------------------------------------------------------------


def encode_reals(cells: Cells, most: float = LARGEST) -> NDArray[np.float64]:
    """The numbers of a regression; gaps, infinities and numbers beyond `most` are refused."""
    family = family_of(cells)
    if family not in ("number", "bool"):
        holds = {"declared": "categories", "dictionary": "categories", "nothing": "no values"}.get(
            family, family
        )
        raise ValueError(
            f"y holds {holds}, but a regression needs numbers; convert it, or use TreeClassifier for classes"
        )
    values = np.asarray(to_floats(cells, "y", lambda whole, _: whole.astype(np.float64))[0], dtype=np.float64)
    _refuse_unbounded(values)
    largest = float(values[np.argmax(np.abs(values))])
    if abs(largest) > most:
        raise ValueError(
            f"y reaches {largest:g}, whose square is beyond float64: divide y so that it stays within"
            f" {most:g}"
        )
    return values


def _refuse_unbounded(values: NDArray[Any]) -> None:
    span = column_range(values)
    if span.has_missing:
        _refuse_gaps(np.isnan(values))
    if span.is_infinite:
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise ValueError(
            f"Input y contains infinity or a value too large for float64 (row {row}); drop the row or clip y"
        )


def _refuse_gaps(missing: NDArray[np.bool_]) -> None:
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(
            f"Input y contains NaN: the target of row {row} is missing; drop the rows without one"
        )
