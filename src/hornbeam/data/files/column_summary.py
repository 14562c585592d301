"""What was found in a table: for each column its kind, gaps, distinct values, range or examples, a remark.

One idea: a plain dict first, text for people from that dict alone; so the command line, a page and a test see
the same thing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hornbeam._base.text import aligned
from hornbeam.data.files.column_types import kind_of

_EXAMPLES = 3
_FEW = 10
_ENOUGH = 20  # rows, before a remark is made about distinct values
_LONG = 30  # characters
_SIGNS = {
    "\t": "tab",
    " ": "space",
    ",": "comma",
    ";": "semicolon",
    "|": "bar",
    ".": "point",
    '"': "double",
    "'": "single",
}


def describe(column: Any, why: str = "") -> dict[str, Any]:
    """What one column of a Sheet holds.

    >>> describe(pa.chunked_array([pa.array([1, 2, None])]))["n_missing"]
    1
    """
    kind = kind_of(column.type)
    found: dict[str, Any] = {"kind": kind, "n_missing": column.null_count}
    found["distinct"] = pc.count_distinct(_decoded_codes(column)).as_py()
    if pa.types.is_dictionary(column.type):
        found |= _categories(column, kind)
    else:
        bounds = {"min": False, "max": True} if pa.types.is_boolean(column.type) else _bounds(column)
        found |= {"low": _json(bounds["min"]), "high": _json(bounds["max"])}
    found["type"] = str(column.type) if not pa.types.is_dictionary(column.type) else "text"
    found["why"] = why if why and why != "declared" else _remark(column, kind, found, why)
    return found


def _bounds(column: Any) -> dict[str, Any]:
    try:
        return dict(pc.min_max(column).as_py())
    except (OverflowError, ValueError):  # a time of day or a duration that Python has none for
        whole = pa.int64() if column.type.bit_width == 64 else pa.int32()
        return dict(pc.min_max(column.cast(whole)).as_py())


def _decoded_codes(column: Any) -> Any:
    """Codes are counted instead of the text they stand for."""
    if not pa.types.is_dictionary(column.type):
        return column
    return pa.chunked_array([chunk.indices.cast(pa.int64()) for chunk in column.chunks], pa.int64())


def _categories(column: Any, kind: str) -> dict[str, Any]:
    codes = _decoded_codes(column)
    values = column.chunk(0).dictionary if column.num_chunks else pa.array([], pa.string())
    counts = np.bincount(np.asarray(codes.drop_null()), minlength=len(values))
    most = np.lexsort((np.arange(len(counts)), -counts))[:_EXAMPLES]
    examples = [values[k].as_py() for k in most.tolist() if counts[k]]
    found: dict[str, Any] = {"examples": examples}
    if kind == "ordinal" or len(values) <= 256:
        found["values"] = values.to_pylist()
    return found


def _remark(column: Any, kind: str, found: Mapping[str, Any], why: str) -> str:
    present = len(column) - found["n_missing"]
    distinct = found["distinct"]
    if present == 0:
        return "no values"
    if distinct == 1:
        return "always the same"
    enough = present >= _ENOUGH
    if kind == "nominal" and enough and distinct * 2 > present:
        values = column.chunk(0).dictionary
        if pc.mean(pc.utf8_length(values)).as_py() > _LONG:
            return "free text"
        if distinct == present:
            return "ids: every value differs"
    if kind == "numeric" and pa.types.is_integer(column.type) and enough:
        if distinct == present == found["high"] - found["low"] + 1:
            return "ids: every value differs"
        if distinct <= _FEW and why != "declared":
            return f"whole numbers with {distinct} values: numeric unless declared nominal"
    return why


def _json(value: Any) -> Any:
    """A bound as json can write it."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def text_of(found: Mapping[str, Any]) -> str:
    """What was found, as aligned text for people."""
    lines = [_headline(found)]
    how = _how(found)
    if how:
        lines.append(how)
    rows = [["column", "kind", "missing", "distinct", "values", "remark"]]
    for name, column in found["columns"].items():
        gaps = f"{column['n_missing']:,}" if column["n_missing"] else "-"
        mark = " (target)" if name == found.get("target") else ""
        rows.append(
            [name + mark, column["kind"], gaps, f"{column['distinct']:,}", _span(column), column["why"]]
        )
    cut = [[*(_short(cell, 60) for cell in row[:-1]), row[-1]] for row in rows]
    return "\n".join([*lines, "", *aligned(cut, right={2, 3})])


def _headline(found: Mapping[str, Any]) -> str:
    rows, columns = found["rows"], len(found["columns"])
    return (
        f"{found['source']}: {found['format']}, {rows:,} row{'s' * (rows != 1)},"
        f" {columns:,} column{'s' * (columns != 1)}"
    )


def _how(found: Mapping[str, Any]) -> str:
    words = []
    for key in ("encoding", "delimiter", "header", "decimal", "quote"):
        if key in found:
            value = found[key]
            shown = (
                {True: "yes", False: "no"}.get(value) if isinstance(value, bool) else _SIGNS.get(value, value)
            )
            words.append(f"{key} {shown or 'none'}" + " (given)" * (key in found["given"]))
    if "missing" in found:
        marks = ", ".join(mark or "empty cells" for mark in found["missing"]) or "no marks"
        words.append(f"missing: {marks}" + " (given)" * ("missing" in found["given"]))
    return "; ".join(words)


def _span(column: Mapping[str, Any]) -> str:
    if column["kind"] == "boolean":
        return "false, true"
    if "examples" in column:
        listed = column.get("values", ())
        if column["kind"] == "ordinal" and len(listed) <= _FEW:
            return _short(" < ".join(listed))
        shown = ", ".join(_short(value, 20) for value in column["examples"])
        return shown + (", …" if column["distinct"] > len(column["examples"]) else "")
    if column["low"] is None:
        return ""
    return f"{_number(column['low'])} to {_number(column['high'])}"


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _short(text: str, width: int = 44) -> str:
    text = text.replace("\r", " ").replace("\n", " ").replace("\t", " ")
    return text if len(text) <= width else text[: width - 1] + "…"
