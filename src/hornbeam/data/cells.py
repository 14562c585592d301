"""Reading one column of whatever library it comes from into one of three shapes.

    cells           what they hold
    numpy array     numbers: signed, unsigned or floating
    Arrow array     everything else: text, booleans, decimals, times, dictionaries, whole numbers with gaps
    CodedCells      codes into a domain somebody declared (pandas categories, Enum of polars); codes of text

One idea: text is encoded by the core, and Arrow infers and checks whatever else a column of Python objects
holds, so no loop here runs over rows. pyarrow is imported when the first such column appears: tables of
numbers and of objects that are text never need it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam import _core
from hornbeam.data.columns import plain, refuse_mixed_zones
from hornbeam.data.rare_cells import in_arrow_unit, plain_objects

AnyArray = NDArray[Any]


@dataclass(slots=True)
class CodedCells:
    """Codes into a domain that somebody declared, or of text as it appeared; -1 is missing."""

    codes: NDArray[np.int32]
    domain: tuple[Any, ...]
    ordered: bool = False
    declared: bool = True
    has_gaps: bool | None = None  # None: the codes tell

    def __len__(self) -> int:
        return len(self.codes)

    def to_arrow(self) -> Any:
        """The same as a dictionary of Arrow."""
        import pyarrow as pa

        return pa.DictionaryArray.from_arrays(
            pa.array(self.codes, mask=self.codes < 0), pa.array(self.domain)
        )


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
    if type(array) is np.ndarray and array.dtype.char == "O":
        return _from_objects(array, name)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} holds complex numbers")
    if isinstance(array, np.ma.MaskedArray) or array.dtype.kind == "b":
        return _from_arrow(to_arrow(array), name)
    if array.dtype.kind in "fiu":
        return array
    if array.dtype.kind in "mM":
        return _from_arrow(to_arrow(in_arrow_unit(array, name)), name)
    if array.dtype.kind == "V":
        raise TypeError(f"column {name!r} holds records; pass every field as a column of its own")
    return _from_objects(array.astype(object) if array.dtype.kind == "T" else array, name)


def _from_objects(values: Any, name: str) -> Cells:
    """Cells of Python objects: Arrow finds their common type, or the fault is named."""
    cells = _from_one(values[0]) if len(values) == 1 else coded_text(values)
    if cells is not None:
        return cells
    import pyarrow as pa

    if len(values) == 1 and values[0] is None:
        return pa.nulls(1)
    try:
        array = pa.array(values, from_pandas=True)
    except (ValueError, TypeError, OverflowError, NotImplementedError):
        rare = plain_objects(list(values), name)
        return _from_numpy(rare, name) if isinstance(rare, np.ndarray) else _from_objects(rare, name)
    if pa.types.is_timestamp(array.type):
        refuse_mixed_zones(values, name)
    return _from_arrow(array, name)


def _from_one(value: Any) -> Cells | None:
    """One plain value, as in a row that is explained: Arrow would import pandas to read a list of it."""
    if type(value) is str and value.isprintable():  # lone surrogates are not
        return CodedCells(np.zeros(1, dtype=np.int32), (value,), declared=False, has_gaps=False)
    return np.array([value]) if type(value) is float else None


def coded_text(values: Any) -> CodedCells | None:
    """Objects of an array that are all text, or gaps; None for others.

    >>> coded_text(np.array(["b", None, "a"], dtype=object))
    CodedCells(codes=array([ 1, -1,  0], dtype=int32), domain=('a', 'b'), ordered=False, declared=False, \
has_gaps=True)
    """
    if not isinstance(values, np.ndarray) or values.dtype.char != "O":
        return None
    pd = sys.modules.get("pandas")
    gaps = () if pd is None else (pd.NA, pd.NaT)
    codes = np.empty(len(values), dtype=np.int32)
    coded = _core.codes_of_objects(values, gaps, codes)
    if coded is None:
        return None
    domain, has_gaps = coded
    try:
        "".join(domain).encode()
    except UnicodeEncodeError:
        return None
    return CodedCells(codes, tuple(domain), declared=False, has_gaps=has_gaps)


def codes_of_text(array: Any) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Text of Arrow as codes of its distinct values in order; -1 is missing.

    >>> import pyarrow as pa
    >>> codes_of_text(pa.array(["b", None, "a"]))
    (array([ 1, -1,  0], dtype=int32), ('a', 'b'))
    """
    import pyarrow as pa

    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    exported = [chunk.__arrow_c_array__()[1] for chunk in chunks]
    codes = np.empty(len(array), dtype=np.int32)
    return codes, tuple(_core.codes_of_arrow(exported, array.type == pa.large_string(), codes))


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
