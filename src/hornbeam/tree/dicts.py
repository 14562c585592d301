"""A Tree as a plain dict that JSON can hold, and back, without losing a bit.

One idea: numbers are written as numbers, and the few values JSON has no word for get one: a NaN in an array
is null, infinities are "inf" and "-inf", and a label that is no string, number, truth value or null is
wrapped with its type. Python's JSON writes a double with as many digits as bring it back exactly.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._base.types import AnyArray
from hornbeam.data.columns import Column
from hornbeam.tree.arrays import KINDS, NODE_ARRAYS, POOLS
from hornbeam.tree.expressions.functions import refuse_functions

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
    """The constructor's arguments from a dict made by `to_dict`."""
    if data.get("format") != FORMAT:
        raise ValueError(f"this is not a tree: 'format' is {data.get('format')!r}, not {FORMAT!r}")
    if data.get("version") != VERSION:
        raise ValueError(
            f"this tree has version {data.get('version')!r}, and this release reads version {VERSION}:"
            " read it with the release of Hornbeam that wrote it"
        )
    nodes = data["nodes"] | {"kind": [KINDS.index(kind) for kind in data["nodes"]["kind"]]}
    arrays = {name: list_to_array(values) for name, values in nodes.items()}
    for pool in data["pools"].values():
        arrays |= {name: list_to_array(values) for name, values in pool.items()}
    classes = data["classes"]
    return {
        "task": data["task"],
        "classes": None if classes is None else tuple(plain_to_value(c) for c in classes),
        "columns": tuple(Column.from_dict(c) for c in data["columns"]),
        "center": plain_to_value(data["center"]),
        "policy": data["policy"],
        "meta": plain_to_value(data["meta"]),
        "expressions": {int(node): text for node, text in data["expressions"].items()},
        **arrays,
    }


def array_to_list(array: AnyArray) -> list[Any]:
    """An array as (nested) lists; NaN is None, infinities are strings."""
    if array.dtype.kind != "f" or np.isfinite(array).all():
        values: list[Any] = array.tolist()
        return values
    if array.ndim > 1:
        return [array_to_list(row) for row in array]
    return [v if math.isfinite(v) else None if math.isnan(v) else str(v) for v in array.tolist()]


def list_to_array(values: list[Any]) -> AnyArray:
    """The array `array_to_list` was given, as the widest type of its kind."""
    array = np.array(values)
    return array if array.dtype.kind in "if" else np.array(values, dtype=object).astype(np.float64)


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
