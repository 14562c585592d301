"""A Tree, its labels and facts as a plain dict that JSON can hold, and back, without losing a bit.

One idea: numbers are written as numbers, and the few values JSON has no word for get one: a NaN in an array
is null, infinities are "inf" and "-inf", and a label that is no string, number, truth value or null is
wrapped with its type. Python's JSON writes a double with as many digits as bring it back exactly.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._base.types import AnyArray
from hornbeam.data.columns import KINDS as COLUMN_KINDS
from hornbeam.data.columns import Column
from hornbeam.tree.arrays import KINDS, NODE_ARRAYS, POLICY, POOLS, TASKS, Pool
from hornbeam.tree.expressions.language import refuse_functions
from hornbeam.tree.json_values import (
    Reader,
    check_entries,
    check_number,
    check_type,
    list_of,
    list_to_array,
    lists_to_array,
    of_type,
    one_of,
    place_of,
    record_of,
    unfit,
    words_to_codes,
)
from hornbeam.tree.node_stats import without_center
from hornbeam.tree.outputs import outputs_to_plain, plain_to_output

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree

FORMAT = "hornbeam-tree"
VERSION = 2
VERSIONS = (1, VERSION)  # those that are read; in the first, Stats of numbers are sums around a center

_WORDS = np.array(KINDS, dtype=np.bytes_)
_WRITE: dict[type, Any] = {
    dt.datetime: dt.datetime.isoformat,
    dt.date: dt.date.isoformat,
    dt.time: dt.time.isoformat,
    Decimal: str,
    bytes: bytes.hex,
}
_READ: dict[str, Any] = {
    "datetime": dt.datetime.fromisoformat,
    "date": dt.date.fromisoformat,
    "time": dt.time.fromisoformat,
    "Decimal": Decimal,
    "bytes": bytes.fromhex,
    "float": float,
}


def to_dict(tree: Tree) -> dict[str, Any]:
    """The dict of `tree`; its keys are in reading order."""
    plain = to_document(tree)
    nodes = {name: array_to_list(array) for name, array in plain["nodes"].items()}
    nodes["kind"] = [KINDS[k] for k in tree.kind.tolist()]
    pools = {
        pool: {name: array_to_list(array) for name, array in arrays.items()}
        for pool, arrays in plain["pools"].items()
    }
    return plain | {"nodes": nodes, "pools": pools}


def to_document(tree: Tree) -> dict[str, Any]:
    """The same with arrays instead of lists, as `json_lines` writes them."""
    refuse_functions(tree.expressions)
    arrays = tree.arrays()
    nodes = {name: arrays[name] for name in NODE_ARRAYS} | {"kind": _WORDS[arrays["kind"]]}
    pools = {
        pool.name: {name: arrays[name] for name in (pool.offset, *pool.arrays)}
        for pool in POOLS
        if pool.offset in arrays
    }
    return {"format": FORMAT, "version": VERSION, **attributes_to_dict(tree), "nodes": nodes, "pools": pools}


def attributes_to_dict(tree: Tree) -> dict[str, Any]:
    """Everything but the arrays."""
    return {
        "task": tree.task,
        "classes": None if tree.classes is None else [value_to_plain(c) for c in tree.classes],
        "columns": [column.to_dict() for column in tree.columns],
        "policy": dict(tree.policy),
        "meta": value_to_plain(dict(tree.meta)),
        "expressions": {str(node): text for node, text in tree.expressions.items()},
        **({"outputs": outputs_to_plain(tree.outputs, value_to_plain)} if tree.outputs else {}),
    }


def from_dict(data: Mapping[str, Any]) -> dict[str, Any]:
    """The constructor's arguments from a dict made by `to_dict`; every value's type is checked on the way."""
    if data.get("format") != FORMAT:
        raise ValueError(f"this is not a tree: 'format' is {data.get('format')!r}, not {FORMAT!r}")
    if type(data.get("version")) is not int or data["version"] not in VERSIONS:
        raise ValueError(
            f"this tree has version {data.get('version')!r}, and this release reads versions 1 to {VERSION}:"
            " read it with the release of Hornbeam that wrote it"
        )
    names = [name for name in _ATTRIBUTES if name != "center" or data["version"] == 1]
    check_entries(data, "", ("format", "version", *names, *_ARRAYS), ("outputs",))
    return without_center(entries_from_dict(data, ""))


def entries_from_dict(data: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Those of the constructor's arguments that `data` has; `place` is where it stands in a document."""
    arguments = {
        name: read(data[name], place_of(place, name))
        for name, read in {**_ATTRIBUTES, **_LATER}.items()
        if name in data
    }
    for name, read_arrays in _ARRAYS.items():
        if name in data:
            arguments |= read_arrays(data[name], place_of(place, name))
    return arguments


def _read_label(value: Any, place: str) -> Any:
    check_type(value, place, "a string", "a number", "a boolean", "an object")
    return _read_text(value, place) if isinstance(value, str) else value


def _read_text(text: Any, place: str) -> Any:
    check_type(text, place, "a string")
    if not text.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError(f"{place} is the text {text!r}, which is not Unicode (lone surrogates)")
    return text


def _read_class(label: Any, place: str) -> Any:
    if isinstance(label, dict):
        check_entries(label, place, ("type", "value"))
    return plain_to_value(_read_label(label, place))


def _read_classes(plain: Any, place: str) -> tuple[Any, ...] | None:
    return None if plain is None else tuple(list_of(_read_class)(plain, place))


def _read_category(value: Any, place: str) -> Any:
    _read_label(value, place)
    if isinstance(value, dict):
        check_entries(value, place, (), (*_MOMENTS, "zone"))
        if not any(name in value for name in _MOMENTS):
            raise unfit(place, value, f"an object with one of {', '.join(map(repr, _MOMENTS))}")
        for name, item in value.items():
            check_type(item, f"{place}.{name}", "an integer" if name == "timedelta" else "a string")
    return value


def _read_expressions(plain: Any, place: str) -> Any:
    check_type(plain, place, "an object")
    for node, text in plain.items():
        if not re.fullmatch("[0-9]{1,9}", node):
            raise ValueError(f"{place} has an entry {node[:60]!r}, which is not the number of a node")
        check_type(text, f"{place}.{node}", "a string")
    return {int(node): text for node, text in plain.items()}


def _read_pools(plain: Any, place: str) -> dict[str, AnyArray]:
    pools = _POOLS(plain, place)
    return {name: array for arrays in pools.values() for name, array in arrays.items()}


def _array_reader(name: str) -> Reader:
    """What reads the array of one value, or row of values, per node."""
    array = NODE_ARRAYS[name]
    if name == "kind":
        return lambda plain, place: words_to_codes(plain, place, KINDS, array.dtype)
    read = list_to_array if array.width == 1 else lists_to_array
    return lambda plain, place: read(plain, place, array.dtype)


def _pool_reader(pool: Pool) -> Reader:
    dtypes: dict[str, type[np.generic]] = {pool.offset: np.int64, **pool.arrays}
    return record_of({name: partial(list_to_array, dtype=dtype) for name, dtype in dtypes.items()})


_MOMENTS = ("datetime", "date", "time", "timedelta", "float")  # values that JSON has no word for
_COLUMN = record_of(
    {
        "name": _read_text,
        "kind": one_of(COLUMN_KINDS),
        "categories": list_of(_read_category),
        "display": of_type("a string"),
        "low": check_number,
        "high": check_number,
        "has_missing": of_type("a boolean"),
    }
)
_POOLS = record_of({}, optional={pool.name: _pool_reader(pool) for pool in POOLS})
_ATTRIBUTES: Mapping[str, Reader] = {
    "task": one_of(TASKS),
    "classes": _read_classes,
    "columns": list_of(lambda plain, place: Column.from_dict(_COLUMN(plain, place))),
    "center": of_type("a number"),  # of version 1
    "policy": record_of({rule: one_of(choices) for rule, choices in POLICY.items()}),
    "meta": lambda plain, place: plain_to_value(of_type("an object")(plain, place)),
    "expressions": _read_expressions,
}
_OUTPUT = record_of({"name": _read_text, "task": one_of(TASKS), "classes": _read_classes})
_LATER: Mapping[str, Reader] = {  # what only some trees have
    "outputs": list_of(lambda plain, place: plain_to_output(_OUTPUT(plain, place))),
}
_ARRAYS: Mapping[str, Reader] = {
    "nodes": record_of({name: _array_reader(name) for name in NODE_ARRAYS}),
    "pools": _read_pools,
}


def array_to_list(array: AnyArray) -> list[Any]:
    """An array as (nested) lists; NaN is None, infinities are strings."""
    if array.dtype.kind != "f" or np.isfinite(array).all():
        values: list[Any] = array.tolist()
        return values
    if array.ndim > 1:
        return [array_to_list(row) for row in array]
    return [v if math.isfinite(v) else None if math.isnan(v) else str(v) for v in array.tolist()]


def value_to_plain(value: Any) -> Any:
    """A label or a fact as something JSON can hold."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"type": "float", "value": str(value)}
    if isinstance(value, Mapping):
        if not all(isinstance(k, str) for k in value) or set(value) == {"type", "value"}:
            return {
                "type": "dict",
                "value": [[value_to_plain(k), value_to_plain(v)] for k, v in value.items()],
            }
        return {k: value_to_plain(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return {"type": "tuple", "value": [value_to_plain(v) for v in value]}
    if isinstance(value, list):
        return [value_to_plain(v) for v in value]
    if type(value) in _WRITE:
        return {"type": type(value).__name__, "value": _WRITE[type(value)](value)}
    raise TypeError(
        f"{value!r} of type {type(value).__name__} cannot be saved: use strings, numbers, dates, or lists and"
        " dicts of them"
    )


def plain_to_value(plain: Any) -> Any:
    """The inverse of `value_to_plain`."""
    if isinstance(plain, list):
        return [plain_to_value(v) for v in plain]
    if not isinstance(plain, dict):
        return plain
    if set(plain) != {"type", "value"}:
        return {k: plain_to_value(v) for k, v in plain.items()}
    name, value = plain["type"], plain["value"]
    if name == "tuple":
        return tuple(plain_to_value(v) for v in value)
    if name == "dict":
        return {plain_to_value(k): plain_to_value(v) for k, v in value}
    if name not in _READ:
        raise ValueError(
            f"a value of type {name!r} cannot be read: types are {', '.join(_READ)}, tuple and dict"
        )
    return _READ[name](value)
