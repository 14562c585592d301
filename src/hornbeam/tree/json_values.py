"""Lists and numbers of a JSON document checked and made arrays; fields of results made fit for JSON.

One idea: the first value that does not fit is named by its place, such as `nodes.column[3]`, with what is
allowed there. A list of numbers is checked by the set of its types, one that the core has read by its type
and its limits; only in one that does not fit are the items looked at one by one.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import AnyArray

_TYPES: Mapping[str, tuple[type, ...]] = {
    "an object": (dict,),
    "an array": (list,),
    "a string": (str,),
    "an integer": (int,),
    "a number": (int, float),
    "a boolean": (bool,),
}
_INFINITIES = ("inf", "-inf")
_LONGEST_QUOTE = 60
_BLOCK = 1 << 16  # bytes that are written at a time, and numbers that become text at a time


def place_of(place: str, name: str) -> str:
    """The place of an entry of the object at `place`; "" is the whole document."""
    return f"{place}.{name}" if place else name


def unfit(place: str, value: Any, allowed: str) -> ValueError:
    """The error about a value at a place, where something else is allowed."""
    quote = repr(value)
    quote = quote if len(quote) <= _LONGEST_QUOTE else f"{quote[:_LONGEST_QUOTE]}..."
    return ValueError(f"{place or 'the document'} is {quote}, but must be {allowed}")


def check_type(value: Any, place: str, *allowed: str) -> Any:
    """The value, refused if it has another type than those allowed; true and false are no numbers.

    >>> check_type("2", "center", "a number")
    Traceback (most recent call last):
        ...
    ValueError: center is '2', but must be a number
    """
    if not any(type(value) in _TYPES[name] for name in allowed):
        raise unfit(place, value, " or ".join(allowed))
    return value


def check_choice(value: Any, place: str, choices: Sequence[str]) -> Any:
    """The value, refused if it is not one of some words."""
    if not isinstance(value, str) or value not in choices:
        raise unfit(place, value, f"one of {', '.join(map(repr, choices))}")
    return value


def check_entries(value: Any, place: str, required: Collection[str], optional: Collection[str] = ()) -> None:
    """Refuse what is no object with these entries, or has others."""
    check_type(value, place, "an object")
    where = place or "the document"
    for name in required:
        if name not in value:
            raise ValueError(f"{where} has no {name!r}")
    for name in value:
        if name not in required and name not in optional:
            raise ValueError(
                f"{where} has an entry {name[:_LONGEST_QUOTE]!r}, which the format does not know"
            )


def check_number(value: Any, place: str, dtype: type[np.generic] = np.float64) -> Any:
    """The value, refused if it is no number of `dtype`; a double may be null (NaN), "inf" or "-inf"."""
    if issubclass(dtype, np.floating):
        if type(value) not in (int, float, type(None)) and not (type(value) is str and value in _INFINITIES):
            raise unfit(place, value, "a number or None, 'inf', '-inf'")
        if type(value) is int and abs(value) > sys.float_info.max:
            raise unfit(place, value, "a number within the range of a double")
        return value
    check_type(value, place, "an integer")
    limits = np.iinfo(np.dtype(dtype))
    if not limits.min <= value <= limits.max:
        raise unfit(place, value, f"at least {limits.min}" if value < 0 else f"at most {limits.max}")
    return value


Reader = Callable[[Any, str], Any]  # from a value and its place to what the value stands for


def of_type(*allowed: str) -> Reader:
    """Reads values of some types as they are."""
    return lambda value, place: check_type(value, place, *allowed)


def one_of(choices: Sequence[str]) -> Reader:
    """Reads one of some words."""
    return lambda value, place: check_choice(value, place, choices)


def list_of(item: Reader) -> Reader:
    """Reads an array of values that `item` reads."""

    def read(values: Any, place: str) -> list[Any]:
        check_type(values, place, "an array")
        return [item(value, f"{place}[{k}]") for k, value in enumerate(values)]

    return read


def record_of(required: Mapping[str, Reader], optional: Mapping[str, Reader] | None = None) -> Reader:
    """Reads an object with these entries.

    >>> record_of({"x": of_type("a number")})({"x": "2"}, "point")
    Traceback (most recent call last):
        ...
    ValueError: point.x is '2', but must be a number
    """
    known = {**required, **(optional or {})}

    def read(value: Any, place: str) -> dict[str, Any]:
        check_entries(value, place, required, known)
        return {name: item(value[name], f"{place}.{name}") for name, item in known.items() if name in value}

    return read


@dataclass(frozen=True, eq=False, slots=True)
class JsonArray:
    """An array in a JSON text, as the core read it: whole numbers (int64), numbers, codes of words (int8)."""

    values: AnyArray
    text: memoryview

    def numbers(self, dtype: type[np.generic], dimensions: int) -> AnyArray | None:
        """The numbers as `dtype`; None if some item is none, or if there are more or fewer dimensions."""
        values = self.values
        if values.dtype == np.int8 or values.ndim != dimensions:
            return None
        if not issubclass(dtype, np.floating):
            limits = np.iinfo(np.dtype(dtype))
            if values.dtype != np.int64 or values.min() < limits.min or values.max() > limits.max:
                return None
        return values.astype(dtype, copy=False)

    def items(self) -> list[Any]:
        """The items one by one, to name the one that does not fit."""
        items: list[Any] = json.loads(bytes(self.text))
        return items


def list_to_array(values: Any, place: str, dtype: type[np.generic]) -> AnyArray:
    """A list of numbers as an array of `dtype`.

    >>> list_to_array([1, None, "inf"], "threshold", np.float64)
    array([ 1., nan, inf])
    >>> list_to_array([1, 2.5], "column", np.int32)
    Traceback (most recent call last):
        ...
    ValueError: column[1] is 2.5, but must be an integer
    """
    if isinstance(values, JsonArray):
        numbers = values.numbers(dtype, 1)
        if numbers is not None:
            return numbers
        values = values.items()
    check_type(values, place, "an array")
    types = set(map(type, values))
    try:
        if issubclass(dtype, np.floating):
            fits = types <= {int, float, type(None)}
        else:
            limits = np.iinfo(np.dtype(dtype))
            fits = types == {int} and limits.min <= min(values) and max(values) <= limits.max
        if fits:
            return np.array(values, dtype=dtype)
    except OverflowError:
        pass  # a number beyond a double, which is named below
    for k, item in enumerate(values):
        check_number(item, f"{place}[{k}]", dtype)
    return np.array(values, dtype=dtype)


def lists_to_array(values: Any, place: str, dtype: type[np.generic]) -> AnyArray:
    """A list of equally long lists of numbers as an array of two dimensions."""
    if isinstance(values, JsonArray):
        numbers = values.numbers(dtype, 2)
        if numbers is not None:
            return numbers
        values = values.items()
    check_type(values, place, "an array")
    for k, row in enumerate(values):
        if type(row) is not list or len(row) != len(values[0]):
            check_type(row, f"{place}[{k}]", "an array")
            raise ValueError(f"{place}[{k}] has {len(row)} numbers, but {place}[0] has {len(values[0])}")
    try:
        flat = list_to_array(list(chain.from_iterable(values)), place, dtype)
    except ValueError:
        for k, row in enumerate(values):
            list_to_array(row, f"{place}[{k}]", dtype)
        raise
    return flat.reshape(len(values), len(values[0]) if values else 0)


def words_to_codes(values: Any, place: str, words: Sequence[str], dtype: type[np.generic]) -> AnyArray:
    """A list of words as their positions among `words`, which are those the core knows if it read them."""
    if isinstance(values, JsonArray):
        if values.values.dtype == np.int8:
            return values.values.astype(dtype, copy=False)
        values = values.items()
    check_type(values, place, "an array")
    code_of = {word: code for code, word in enumerate(words)}
    try:
        return np.array([code_of[word] for word in values], dtype=dtype)
    except (KeyError, TypeError):
        for k, word in enumerate(values):
            check_choice(word, f"{place}[{k}]", words)
        raise


def json_value(value: Any) -> Any:
    """A result as JSON knows it: records are objects, NaN and infinities null, what has no word is text.

    >>> json_value({"a": np.array([1.0, np.nan]), "b": (2, None)})
    {'a': [1.0, None], 'b': [2, None]}
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if is_dataclass(value):
        return json_fields(value, (field.name for field in fields(value)))
    if isinstance(value, Mapping):
        return {name: json_value(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


def json_fields(record: object, names: Iterable[str]) -> dict[str, Any]:
    """Some attributes of a record as JSON knows them."""
    return {name: json_value(getattr(record, name)) for name in names}


def json_lines(value: Any, levels: int, *, ascii_only: bool = False) -> Iterator[bytes]:
    """JSON with a line for each entry of the outermost dicts, so that people can read the file, too.

    Each of a list of trees has a line of its own. The text comes in blocks, which together are the whole; an
    array may be a list or one of numpy, in which NaN is null and infinities are strings.

    >>> print(b"".join(json_lines({"a": {"b": np.array([1, 2])}}, 1)).decode())
    {
     "a": {"b": [1, 2]}
    }
    """
    held: list[bytes] = []
    size = 0
    for piece in _lines(value, levels, partial(json.dumps, ensure_ascii=ascii_only, allow_nan=False), 1):
        held.append(piece)
        size += len(piece)
        if size >= _BLOCK:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


def _lines(value: Any, levels: int, write: Callable[[Any], str], indent: int) -> Iterator[bytes]:
    margin, end = b" " * indent, b"\n" + b" " * (indent - 1)
    if levels and isinstance(value, list) and value and isinstance(value[0], dict) and "nodes" in value[0]:
        for k, item in enumerate(value):
            yield (b",\n" if k else b"[\n") + margin
            yield from _on_one_line(item, write)
        yield end + b"]"
    elif levels == 0 or not isinstance(value, dict) or not value:
        yield from _on_one_line(value, write)
    else:
        for k, (name, item) in enumerate(value.items()):
            yield (b",\n" if k else b"{\n") + margin + f"{write(name)}: ".encode()
            yield from _lines(item, levels - 1, write, indent + 1)
        yield end + b"}"


def _on_one_line(value: Any, write: Callable[[Any], str]) -> Iterator[bytes]:
    if isinstance(value, np.ndarray):
        yield from _array_text(value)
    elif not _has_arrays(value):
        yield write(value).encode()
    else:
        for k, (name, item) in enumerate(value.items()):
            yield (b", " if k else b"{") + f"{write(name)}: ".encode()
            yield from _on_one_line(item, write)
        yield b"}"


def _has_arrays(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_arrays, value.values()))
    return isinstance(value, np.ndarray)


def _array_text(array: AnyArray) -> Iterator[bytes]:
    """An array of numbers, or of words (bytes) of plain letters."""
    yield b"["
    for start in range(0, len(array), _BLOCK):
        part = np.ascontiguousarray(array[start : start + _BLOCK])
        if start:
            yield b", "
        if part.dtype.kind == "S":
            yield b'"' + b'", "'.join(part.tolist()) + b'"'
        else:
            yield _core.numbers_text(part)
    yield b"]"
