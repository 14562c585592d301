"""The slow twin of saved files: each number is an object, which Python's own library writes and parses."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import numpy as np

from hornbeam._base.json_depth import too_deep
from hornbeam.tree.arrays import KINDS


def plain(value: Any) -> Any:
    """A document without arrays: NaN is None, infinities are strings, words are text."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return _items(value.tolist()) if isinstance(value, np.ndarray) else value


def _items(items: list[Any]) -> list[Any]:
    return [_item(item) for item in items]


def _item(item: Any) -> Any:
    if isinstance(item, list):
        return _items(item)
    if isinstance(item, bytes):
        return item.decode()
    if isinstance(item, float) and not math.isfinite(item):
        return None if math.isnan(item) else str(item)
    return item


def file_of(document: dict[str, Any]) -> bytes:
    """The bytes of the file that holds a document, with its checksum."""
    data = (_lines(plain(document), 2, 1) + "\n").encode()
    lines = data.splitlines(keepends=True)
    checksum = f' "checksum": "sha256:{hashlib.sha256(data).hexdigest()}",\n'.encode()
    return b"".join([*lines[:3], checksum, *lines[3:]])


def _lines(value: Any, levels: int, indent: int) -> str:
    margin, end = " " * indent, "\n" + " " * (indent - 1)
    if levels and isinstance(value, list) and value and isinstance(value[0], dict) and "nodes" in value[0]:
        return "[\n" + ",\n".join(margin + _text(item) for item in value) + f"{end}]"
    if levels == 0 or not isinstance(value, dict) or not value:
        return _text(value)
    entries = (
        f"{margin}{_text(name)}: {_lines(item, levels - 1, indent + 1)}" for name, item in value.items()
    )
    return "{\n" + ",\n".join(entries) + f"{end}}}"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def parsed(data: bytes) -> Any:
    """The document of a file, or a ValueError with the sentence that the file is refused with."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise ValueError(f"it is not UTF-8 text (byte {fault.start})") from None
    if too_deep(data) is not None:
        raise ValueError("its values are nested more than 100 deep")
    hooks = {"parse_float": _double, "parse_int": _whole, "parse_constant": _constant}
    try:
        return json.loads(text, **hooks, object_pairs_hook=_entries)
    except json.JSONDecodeError as fault:
        said = f"{fault.msg} in line {fault.lineno}, column {fault.colno}"
        raise ValueError(f"it is not JSON, or cut short: {said}") from None


def _double(digits: str) -> float:
    if math.isinf(float(digits)):
        raise ValueError(f"the number {digits[:40]} is beyond a double")
    return float(digits)


def _whole(digits: str) -> int:
    if len(digits) > 400:
        raise ValueError(f"a whole number of {len(digits)} digits is too long: at most 400 are read")
    return int(digits)


def _constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON: a missing number is null, infinities are 'inf' and '-inf'")


def _entries(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for k, (name, _) in enumerate(pairs):
        if any(name == other for other, _ in pairs[k + 1 :]):
            raise ValueError(f"the entry {name[:60]!r} is there twice")
    return dict(pairs)


def outcome_of(parse: Any, data: bytes) -> tuple[Any, str]:
    """What some bytes are parsed as, or the sentence by which they are refused."""
    try:
        return parse(data), ""
    except ValueError as fault:
        return None, str(fault)


def same(value: Any, twin: Any) -> bool:
    """Whether a document of the product, in which arrays may be those of the core, is that of the twin."""
    if hasattr(value, "text"):
        return same_items(value.values, twin) and repr(value.items()) == repr(twin)
    if type(value) is not type(twin):
        return False
    if isinstance(value, dict):
        return list(value) == list(twin) and all(same(item, twin[name]) for name, item in value.items())
    if isinstance(value, list):
        return len(value) == len(twin) and all(map(same, value, twin))
    return repr(value) == repr(twin)


def same_items(array: np.ndarray, twin: list[Any]) -> bool:
    """Whether an array of the core holds the items of a list: codes of words, whole numbers or others."""
    if array.ndim == 2:
        return len(array) == len(twin) and all(map(same_items, array, twin))
    if array.dtype == np.int8:
        return [KINDS[code] for code in array.tolist()] == twin
    if array.dtype == np.int64:
        return repr(array.tolist()) == repr(twin)
    return repr(array.tolist()) == repr([math.nan if item is None else float(item) for item in twin])
