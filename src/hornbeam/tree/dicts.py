"""A Tree as a plain dict that JSON can hold, and back, without losing a bit.

One idea: numbers are written as numbers, and the few values JSON has no word for get one: a NaN in an array
is null, infinities are "inf" and "-inf", and a label that is no string, number, truth value or null is
wrapped with its type. Python's JSON writes a double with as many digits as bring it back exactly.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._base.types import AnyArray
from hornbeam.data.columns import KINDS as COLUMN_KINDS
from hornbeam.data.columns import Column
from hornbeam.tree.arrays import KINDS, NODE_ARRAYS, POLICY, POOLS, TASKS
from hornbeam.tree.expressions.functions import refuse_functions
from hornbeam.tree.json_values import (
    check_choice,
    check_entries,
    check_number,
    check_type,
    list_to_array,
    lists_to_array,
    place_of,
    unfit,
    words_to_codes,
)

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree

FORMAT = "hornbeam-tree"
VERSION = 1

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
    refuse_functions(tree.expressions)
    arrays = tree.arrays()
    nodes = {name: array_to_list(arrays[name]) for name in NODE_ARRAYS}
    nodes["kind"] = [KINDS[k] for k in nodes["kind"]]
    pools = {
        pool.name: {name: array_to_list(arrays[name]) for name in (pool.offset, *pool.arrays)}
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
        "center": value_to_plain(tree.center),
        "policy": dict(tree.policy),
        "meta": value_to_plain(dict(tree.meta)),
        "expressions": {str(node): text for node, text in tree.expressions.items()},
    }


def from_dict(data: Mapping[str, Any]) -> dict[str, Any]:
    """The constructor's arguments from a dict made by `to_dict`; every value's type is checked on the way."""
    if data.get("format") != FORMAT:
        raise ValueError(f"this is not a tree: 'format' is {data.get('format')!r}, not {FORMAT!r}")
    if type(data.get("version")) is not int or data["version"] != VERSION:
        raise ValueError(
            f"this tree has version {data.get('version')!r}, and this release reads version {VERSION}:"
            " read it with the release of Hornbeam that wrote it"
        )
    check_entries(data, "", ("format", "version", *_ATTRIBUTES, *_ARRAYS))
    return entries_from_dict(data, "")


def entries_from_dict(data: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Those of the constructor's arguments that `data` has; `place` is where it stands in a document."""
    arguments = {
        name: read(data[name], place_of(place, name)) for name, read in _ATTRIBUTES.items() if name in data
    }
    for name, read_arrays in _ARRAYS.items():
        if name in data:
            arguments |= read_arrays(data[name], place_of(place, name))
    return arguments


def _read_task(plain: Any, place: str) -> Any:
    check_choice(plain, place, TASKS)
    return plain


def _read_classes(plain: Any, place: str) -> tuple[Any, ...] | None:
    if plain is None:
        return None
    check_type(plain, place, "an array")
    for k, label in enumerate(plain):
        _check_label(label, f"{place}[{k}]")
        if isinstance(label, dict):
            check_entries(label, f"{place}[{k}]", ("type", "value"))
    return tuple(plain_to_value(label) for label in plain)


def _check_label(value: Any, place: str) -> None:
    check_type(value, place, "a string", "a number", "a boolean", "an object")
    if isinstance(value, str):
        _check_unicode(value, place)


def _check_unicode(text: str, place: str) -> None:
    if not text.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError(f"{place} is the text {text!r}, which is not Unicode (lone surrogates)")


def _read_columns(plain: Any, place: str) -> Any:
    check_type(plain, place, "an array")
    return tuple(_column(column, f"{place}[{k}]") for k, column in enumerate(plain))


def _column(plain: Any, place: str) -> Column:
    check_entries(plain, place, _COLUMN_ENTRIES)
    for name in ("name", "display"):
        check_type(plain[name], f"{place}.{name}", "a string")
    _check_unicode(plain["name"], f"{place}.name")
    check_choice(plain["kind"], f"{place}.kind", COLUMN_KINDS)
    check_type(plain["has_missing"], f"{place}.has_missing", "a boolean")
    for name in ("low", "high"):
        check_number(plain[name], f"{place}.{name}")
    check_type(plain["categories"], f"{place}.categories", "an array")
    for k, category in enumerate(plain["categories"]):
        _check_category(category, f"{place}.categories[{k}]")
    return Column.from_dict(plain)


def _check_category(value: Any, place: str) -> None:
    _check_label(value, place)
    if isinstance(value, dict):
        check_entries(value, place, (), (*_MOMENTS, "zone"))
        if not any(name in value for name in _MOMENTS):
            raise unfit(place, value, f"an object with one of {', '.join(map(repr, _MOMENTS))}")
        for name, item in value.items():
            check_type(item, f"{place}.{name}", "an integer" if name == "timedelta" else "a string")


def _read_center(plain: Any, place: str) -> Any:
    check_type(plain, place, "a number")
    return plain


def _read_policy(plain: Any, place: str) -> Any:
    check_entries(plain, place, POLICY)
    for rule, choices in POLICY.items():
        check_choice(plain[rule], f"{place}.{rule}", choices)
    return plain


def _read_meta(plain: Any, place: str) -> Any:
    check_type(plain, place, "an object")
    return plain_to_value(plain)


def _read_expressions(plain: Any, place: str) -> Any:
    check_type(plain, place, "an object")
    for node, text in plain.items():
        if not re.fullmatch("[0-9]{1,9}", node):
            raise ValueError(f"{place} has an entry {node[:60]!r}, which is not the number of a node")
        check_type(text, f"{place}.{node}", "a string")
    return {int(node): text for node, text in plain.items()}


def _read_nodes(plain: Any, place: str) -> dict[str, AnyArray]:
    check_entries(plain, place, NODE_ARRAYS)
    arrays = {}
    for name, array in NODE_ARRAYS.items():
        if name == "kind":
            arrays[name] = words_to_codes(plain[name], f"{place}.{name}", KINDS, array.dtype)
        else:
            read = list_to_array if array.width == 1 else lists_to_array
            arrays[name] = read(plain[name], f"{place}.{name}", array.dtype)
    return arrays


def _read_pools(plain: Any, place: str) -> dict[str, AnyArray]:
    check_entries(plain, place, (), [pool.name for pool in POOLS])
    arrays = {}
    for pool in POOLS:
        if pool.name in plain:
            dtypes: dict[str, type[np.generic]] = {pool.offset: np.int64, **pool.arrays}
            values, inside = plain[pool.name], f"{place}.{pool.name}"
            check_entries(values, inside, dtypes)
            for name, dtype in dtypes.items():
                arrays[name] = list_to_array(values[name], f"{inside}.{name}", dtype)
    return arrays


_COLUMN_ENTRIES = ("name", "kind", "categories", "display", "low", "high", "has_missing")
_MOMENTS = ("datetime", "date", "time", "timedelta", "float")  # values that JSON has no word for
_ATTRIBUTES: Mapping[str, Callable[[Any, str], Any]] = {
    "task": _read_task,
    "classes": _read_classes,
    "columns": _read_columns,
    "center": _read_center,
    "policy": _read_policy,
    "meta": _read_meta,
    "expressions": _read_expressions,
}
_ARRAYS: Mapping[str, Callable[[Any, str], dict[str, AnyArray]]] = {
    "nodes": _read_nodes,
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
