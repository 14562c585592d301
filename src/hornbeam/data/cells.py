"""Reading one column of whatever library it comes from into one of three shapes.

    cells           what they hold
    numpy array     numbers: signed, unsigned or floating
    Arrow array     everything else: text, booleans, decimals, times, dictionaries, whole numbers with gaps
    CodedCells      codes into a domain somebody declared (pandas categories, Enum of polars); codes of text

One idea: Arrow infers, checks and encodes a column of Python objects in compiled code, so no loop here runs
over rows. pyarrow is imported when the first such column appears: tables of numbers never need it.
"""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam.data.columns import is_missing, plain, refuse_mixed_zones, too_large, unusable

AnyArray = NDArray[Any]


@dataclass(slots=True)
class CodedCells:
    """Codes into a domain that somebody declared, or of text as it appeared; -1 is missing."""

    codes: NDArray[np.int32]
    domain: tuple[Any, ...]
    ordered: bool = False
    declared: bool = True

    def __len__(self) -> int:
        return len(self.codes)

    def to_arrow(self) -> Any:
        """The same as a dictionary of Arrow."""
        import pyarrow as pa

        return pa.DictionaryArray.from_arrays(
            pa.array(self.codes, mask=self.codes < 0), pa.array(self.domain)
        )


FEWEST_OBJECTS = 64  # fewer are read by Arrow at once

Cells = Any  # numpy array of numbers | pyarrow Array or ChunkedArray | CodedCells


def read_cells(values: Any, name: str) -> Cells:
    """The cells of one column given as a numpy array, a list, or a column of a data frame library.

    >>> read_cells([1.5, None], "age").type
    DataType(double)
    """
    if isinstance(values, np.ndarray):
        return _from_numpy(values, name)
    if is_arrow(values):
        return _from_arrow(values, name)
    if is_pandas_series(values):
        return from_pandas(values, name)
    declared = _declared(values)
    if declared is not None:
        return declared
    import narwhals as nw  # here: reading a saved tree does not wait for it

    native = nw.to_native(values, pass_through=True)
    if native is not values:
        return read_cells(native, name)
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype) or str(dtype).startswith(("Sparse", "interval")):
        return _from_numpy(np.asarray(values), name)
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        if series.dtype == nw.Object:
            return _from_objects(series.to_list(), name)
        if isinstance(series.dtype, nw.Enum):
            return _from_enum(series.to_arrow(), series.dtype.categories)
        array = series.to_arrow()
        if isinstance(series.dtype, nw.Categorical) and series.implementation.is_polars():
            # Its categories stand in the order of their appearance: they are not declared.
            array = type(array).from_arrays(array.indices.cast("uint32"), array.dictionary)
        return _from_arrow(array, name)
    if hasattr(values, "__array__"):
        return _from_numpy(np.asarray(values), name)
    return _from_objects(list(values), name)


def family_of(cells: Cells) -> str:
    """What the cells are: number, bool, text, a time, declared, dictionary or nothing.

    A time is one of datetime64, timedelta64, time64.

    >>> family_of(read_cells(["a", None], "letter"))
    'text'
    """
    if isinstance(cells, np.ndarray):
        return "number"
    if isinstance(cells, CodedCells):
        return "declared" if cells.declared else "text"
    return arrow_family(cells.type)


def is_declared(cells: Cells) -> bool:
    """Whether the cells come with a domain that somebody declared, in an order of their choice.

    >>> is_declared(read_cells(["b", "a"], "letter"))
    False
    """
    if isinstance(cells, CodedCells):
        return cells.declared
    return family_of(cells) == "dictionary" and has_declared_order(cells.type)


def has_declared_order(dictionary_type: Any) -> bool:
    """Whether an Arrow dictionary lists its values in a declared order, not as they happened to appear.

    Encoders (Arrow's `dictionary_encode` and its readers, the Categorical of polars) list values in the order
    of their appearance and count with 32 bits. CodedCells domains (categories of pandas, enums of DuckDB,
    factors of R, what `read_table` finds declared) come with other indices, so the order of rows never
    decides.

    >>> import pyarrow as pa
    >>> has_declared_order(pa.array(["b", "a"]).dictionary_encode().type)
    False
    >>> has_declared_order(pa.dictionary(pa.int8(), pa.string()))
    True
    """
    return bool(dictionary_type.ordered) or dictionary_type.index_type.bit_width != 32


def is_arrow(values: Any) -> bool:
    """Whether this is an Arrow array; asking does not import pyarrow."""
    pa = sys.modules.get("pyarrow")
    return pa is not None and isinstance(values, (pa.Array, pa.ChunkedArray))


def is_pandas_series(values: Any) -> bool:
    """Whether this is a column of pandas; asking does not import pandas."""
    pd = sys.modules.get("pandas")
    return pd is not None and isinstance(values, pd.Series)


def to_arrow(numbers_: AnyArray) -> Any:
    """The same numbers as an Arrow array, nan as null."""
    import pyarrow as pa

    return pa.array(numbers_, from_pandas=True)


def from_pandas(values: Any, name: str) -> Cells:
    """A column of pandas, or the array that it holds."""
    if isinstance(values.dtype, np.dtype):
        return _from_numpy(np.asarray(values), name)
    array = getattr(values, "array", values)
    declared = _declared(array)
    if declared is not None:
        return declared
    if str(values.dtype).startswith(("Sparse", "interval")):
        return _from_numpy(np.asarray(values), name)
    import pyarrow as pa

    knows_arrow = hasattr(array, "__arrow_array__")
    return _from_arrow(pa.array(array if knows_arrow else values, from_pandas=True), name)


def _declared(values: Any) -> CodedCells | None:
    """The codes and domain of a pandas categorical (or one of its look-alikes)."""
    dtype: Any = getattr(values, "dtype", None)
    categories = getattr(dtype, "categories", None)
    if categories is None or not hasattr(dtype, "ordered"):
        return None
    codes = getattr(values, "codes", None)
    if codes is None:
        codes = getattr(getattr(values, "cat", None), "codes", None)
    if codes is None:
        return None
    return CodedCells(np.asarray(codes, dtype=np.int32), _domain(categories), bool(dtype.ordered))


def _domain(categories: Any) -> tuple[Any, ...]:
    """The categories of pandas as plain values."""
    array: Any = getattr(categories, "array", None)
    is_text = hasattr(array, "__arrow_array__") and str(categories.dtype) in ("str", "string")
    values = array.__arrow_array__().to_pylist() if is_text else categories.tolist()
    return tuple(values if set(map(type, values)) == {str} else map(plain, values))


def _from_enum(array: Any, categories: Iterable[str]) -> CodedCells:
    """The Enum of polars, which Arrow sees as a dictionary and not always as an ordered one."""
    import pyarrow as pa

    domain = tuple(categories)
    code_of = {category: code for code, category in enumerate(domain)}
    table = np.array([*(code_of[value] for value in array.dictionary.to_pylist()), -1], dtype=np.int32)
    codes = array.indices.cast(pa.int32()).fill_null(-1).to_numpy()
    return CodedCells(table[codes], domain, ordered=True)


def _from_numpy(array: AnyArray, name: str) -> Cells:
    if array.ndim != 1:
        raise ValueError(f"column {name!r} has {array.ndim} dimensions, but a column has one; split it up")
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} holds complex numbers")
    if isinstance(array, np.ma.MaskedArray) or array.dtype.kind == "b":
        return _from_arrow(to_arrow(array), name)
    if array.dtype.kind in "fiu":
        return array
    if array.dtype.kind in "mM":
        return _from_arrow(to_arrow(_in_arrow_unit(array, name)), name)
    if array.dtype.kind == "V":
        raise TypeError(f"column {name!r} holds records; pass every field as a column of its own")
    return _from_objects(array.astype(object) if array.dtype.kind == "T" else array, name)


def _in_arrow_unit(times: AnyArray, name: str) -> AnyArray:
    """Dates and spans in a unit Arrow knows: seconds, or finer as they are."""
    unit, count = np.datetime_data(times.dtype)
    if unit in ("s", "ms", "us", "ns") and count == 1 and times.dtype.isnative:
        return times
    calendar = times.dtype.kind == "m" and unit in "YM"
    if calendar or unit in ("ps", "fs", "as", "generic"):
        raise TypeError(
            f"column {name!r} holds {times.dtype}, which has no fixed length in microseconds;"
            " convert it with astype to days, seconds or nanoseconds"
        )
    return times.astype(f"{times.dtype.kind}8[{unit if unit in ('ms', 'us', 'ns') else 's'}]")


def _from_objects(values: Any, name: str) -> Cells:
    """Cells of Python objects: Arrow finds their common type, or the fault is named."""
    import pyarrow as pa

    if len(values) == 1 and values[0] is None:
        return pa.nulls(1)
    cells = _from_one(values[0]) if len(values) == 1 else _from_text(values)
    if cells is not None:
        return cells
    try:
        array = pa.array(values, from_pandas=True)
    except (ValueError, TypeError, OverflowError, NotImplementedError):
        return _rare_objects(list(values), name)
    if pa.types.is_timestamp(array.type):
        refuse_mixed_zones(values, name)
    return _from_arrow(array, name)


def _from_one(value: Any) -> Cells | None:
    """One plain value, as in a row that is explained: Arrow would import pandas to read a list of it."""
    if type(value) is str and value.isprintable():  # lone surrogates are not
        return CodedCells(np.zeros(1, dtype=np.int32), (value,), declared=False)
    return np.array([value]) if type(value) is float else None


def _from_text(values: Any) -> CodedCells | None:
    """Objects that are all text, encoded by pandas where it is at hand; None for others, and for few."""
    pd = sys.modules.get("pandas") if isinstance(values, np.ndarray) else None
    if pd is None or len(values) < FEWEST_OBJECTS or str not in map(type, values[:FEWEST_OBJECTS]):
        return None
    try:
        codes, distinct = pd.factorize(values)
        domain = tuple(distinct.tolist())
        "".join(domain).encode()
    except (TypeError, UnicodeEncodeError):  # other objects, or text that is not Unicode
        return None
    is_text = set(map(type, domain)) == {str}
    return CodedCells(codes.astype(np.int32), domain, declared=False) if is_text else None


def _rare_objects(values: list[Any], name: str) -> Cells:
    """What Arrow does not take but is clear: numbers of several types, numpy's own times, intervals."""
    present = [value for value in values if not is_missing(value)]
    types = {type(value) for value in present}
    if types and all(issubclass(t, (numbers.Real, Decimal)) and not issubclass(t, bool) for t in types):
        lost = [v for v in present if isinstance(v, int) and int(float(v)) != v]
        if lost:
            raise ValueError(too_large(name, lost[0]))
        return np.array([math.nan if is_missing(value) else float(value) for value in values])
    if types in ({np.datetime64}, {np.timedelta64}):
        missing = types.pop()("NaT")
        return _from_numpy(np.array([missing if is_missing(value) else value for value in values]), name)
    if {t.__name__ for t in types} == {"Interval"}:  # the bins of pandas.cut, known by their text
        return _from_objects([None if is_missing(value) else str(value) for value in values], name)
    if types == {str}:
        raise ValueError(f"column {name!r} holds text that is not Unicode (lone surrogates); decode it again")
    raise unusable(name, types)


def _from_arrow(array: Any, name: str) -> Cells:
    """An Arrow array of a type that can be used, in its plain form."""
    import pyarrow as pa

    try:
        array = decode_arrow(array)
    except pa.ArrowInvalid:
        raise TypeError(f"column {name!r} holds bytes that are not UTF-8 text; decode it first") from None
    if not arrow_family(array.type):
        raise TypeError(
            f"column {name!r} has the type {array.type}, but a cell argument must be a string or a number"
            " (or a boolean, category, date or time); convert or drop it"
        )
    if isinstance(array, pa.ChunkedArray) and array.num_chunks == 1:
        return array.chunk(0)
    return array


def decode_arrow(array: Any) -> Any:
    """An Arrow array without run-end encoding, with bytes and views as text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)
    bytes_or_views = ("binary", "large_binary", "binary_view", "string_view")
    return array.cast(pa.large_string()) if str(array.type) in bytes_or_views else array


_FAMILIES: dict[int, str] = {}  # by the number of the type, as far as they were asked for


def arrow_family(arrow_type: Any) -> str:
    """The family of an Arrow type, "" for one that cannot be used."""
    family = _FAMILIES.get(arrow_type.id)
    if family is not None:
        return family
    from pyarrow import types

    if types.is_dictionary(arrow_type):
        return "dictionary" if arrow_family(arrow_type.value_type) else ""
    families = {
        "number": (types.is_integer, types.is_floating, types.is_decimal),
        "bool": (types.is_boolean,),
        "text": (types.is_string, types.is_large_string),
        "datetime64": (types.is_date, types.is_timestamp),
        "timedelta64": (types.is_duration,),
        "time64": (types.is_time,),
        "nothing": (types.is_null,),
    }
    family = next((name for name, tests in families.items() if any(t(arrow_type) for t in tests)), "")
    _FAMILIES[arrow_type.id] = family
    return family
