"""The cells of y as class codes or as numbers.

One idea: whatever y holds, text, whole numbers, truth values or declared categories, becomes codes in class
order with the classes beside them, or plain float64; what can be neither is refused with one sentence.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam.data.cells import Cells, DeclaredCells, family_of, is_declared
from hornbeam.data.encoding import distinct, recode, sorted_domain, to_floats
from hornbeam.data.floats import column_range

Codes = NDArray[np.int32]
LARGEST = 1e150  # sums of squares of larger numbers overflow


# Classes --------------------------------------------------------------------------------------------------


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
    used = np.bincount(codes[codes >= 0], minlength=len(values_)) > 0
    observed = [v for v, is_used in zip(values_, used, strict=True) if is_used and v is not None]
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
    if isinstance(cells, DeclaredCells):
        return cells.ordered
    return family_of(cells) == "dictionary" and bool(cells.type.ordered)


# Numbers --------------------------------------------------------------------------------------------------


def encode_reals(cells: Cells) -> NDArray[np.float64]:
    """The numbers of a regression; gaps, infinities and numbers whose squares overflow are refused."""
    family = family_of(cells)
    if family not in ("number", "bool"):
        holds = {"declared": "categories", "dictionary": "categories", "nothing": "no values"}.get(
            family, family
        )
        raise ValueError(
            f"y holds {holds}, but a regression needs numbers; convert it, or use TreeClassifier for classes"
        )
    if isinstance(cells, np.ndarray):
        values = np.asarray(cells, dtype=np.float64)
    else:
        values = np.asarray(to_floats(cells, "y", _nearest)[0], dtype=np.float64)
    _refuse_unbounded(values)
    largest = float(values[np.argmax(np.abs(values))])
    if abs(largest) > LARGEST:
        raise ValueError(
            f"y reaches {largest:g}, whose square is beyond float64: divide y so that it stays within"
            f" {LARGEST:g}"
        )
    return values


def _nearest(whole: NDArray[Any], name: str) -> NDArray[np.float64]:
    del name
    return whole.astype(np.float64)


def _refuse_unbounded(values: NDArray[Any]) -> None:
    span = column_range(values)
    if span.has_missing:
        _refuse_gaps(np.isnan(values))
    if math.isinf(span.low) or math.isinf(span.high):
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
