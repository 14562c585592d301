"""TableFile: a table that was read, with what was found out about it.

One idea: the data is an Arrow table any function of this package takes; the findings are a plain dict, worked
out when first asked for, so reading a large file costs no more than reading it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hornbeam._base.parameters import did_you_mean
from hornbeam.data.files.column_types import kind_of, one_array
from hornbeam.data.files.table_error import TableError, list_names
from hornbeam.data.formatting import aligned


class FitArguments(NamedTuple):
    """What `fit` takes."""

    X: Any
    y: Any
    sample_weight: NDArray[np.float64] | None
    counts: NDArray[np.int64] | None


class TableFile:
    r"""A table that was read.

    Attributes
    ----------
    data : pyarrow.Table
        Numbers, booleans, timestamps, and dictionaries of text (ordered for ordinal columns).
    facts : dict
        Format, how the file is written, rows, and for each column its kind, gaps, values and a remark.
    target_hint : str or None
        The class the file itself declares.

    Examples
    --------
    >>> import io
    >>> import hornbeam as hb
    >>> sheet = hb.read_table(io.BytesIO(b"age,grade\n30,low\n?,high\n"), columns="grade=ordinal(low<high)")
    >>> print(sheet)
    the file: csv, 2 rows, 2 columns
    encoding utf-8; delimiter comma; header yes; decimal point; quote double; missing: ?
    <BLANKLINE>
    column  kind     missing  distinct  values      remark
    age     numeric        1         1  30 to 30    always the same
    grade   ordinal        -         2  low < high  declared
    >>> X, y, sample_weight, counts = sheet.split("grade")
    >>> X.column_names, y.to_pylist()
    (['age'], ['low', 'high'])
    """

    def __init__(
        self,
        data: Any,
        about: Mapping[str, Any],
        whys: Mapping[str, str] | None = None,
        target_hint: str | None = None,
        formats: Mapping[str, str] | None = None,
    ) -> None:
        self.data = data
        self.target_hint = target_hint
        self._about = dict(about)
        self._whys = dict(whys or {})
        self._formats = dict(formats or {})

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What reading the file told; plain values only, as json can write them."""
        columns = {
            name: describe(self.data.column(name), self._whys.get(name, ""))
            for name in self.data.column_names
        }
        for name, pattern in self._formats.items():
            columns[name]["format"] = pattern  # of dates, to read more of them
        return self._about | {"rows": self.data.num_rows, "target": self.target_hint, "columns": columns}

    @property
    def formats(self) -> dict[str, str]:
        """The formats of dates that are not ISO, by column."""
        return dict(self._formats)

    @property
    def notes(self) -> list[str]:
        """A sentence for each column whose cells or name were changed in reading."""
        changed = ("read as", "another column")
        whys = {name: self._whys.get(name, "") for name in self.data.column_names}
        return [f"column {name!r}: {why}" for name, why in whys.items() if why.startswith(changed)]

    def __str__(self) -> str:
        return text_of(self.facts)

    def __repr__(self) -> str:
        return f"TableFile({self.data.num_rows} rows: {', '.join(map(self._word, self.data.column_names))})"

    def _word(self, name: str) -> str:
        return f"{name} {kind_of(self.data.schema.field(name).type)}"

    def split(
        self,
        target: str | None = None,
        *,
        drop: Iterable[str] = (),
        weight: str | None = None,
        counts: str | None = None,
    ) -> FitArguments:
        """Inputs, outcome, weights and repetitions, as `fit` takes them.

        Parameters
        ----------
        target : the column to predict; None for the one the file declares, and no y if it declares none
        drop : columns to leave out
        weight : the column that holds a weight for each row
        counts : the column that says how often each row stands for itself, in whole numbers

        Returns
        -------
        X, y, sample_weight, counts
            A pyarrow table, a pyarrow array or None, and numpy arrays or None.
        """
        target = self.target_hint if target is None else target
        drop = [drop] if isinstance(drop, str) else list(drop)
        roles = {"target": target, "weight": weight, "counts": counts}
        for role, name in [*roles.items(), *(("drop", name) for name in drop)]:
            if name is not None:
                self._require(role, name)
        taken = [name for name in roles.values() if name is not None]
        for k, name in enumerate(taken):
            if name in taken[:k] or name in drop:
                raise TableError(
                    f"column {name!r} is asked for twice", "give each of its uses its own column"
                )
        left = [name for name in self.data.column_names if name not in {*taken, *drop}]
        return FitArguments(
            self.data.select(left),
            None if target is None else one_array(self.data.column(target)),
            None if weight is None else self._weights(weight),
            None if counts is None else self._counts(counts),
        )

    def _require(self, role: str, name: str) -> None:
        names = self.data.column_names
        if name not in names:
            raise TableError(
                f"{role}={name!r} is no column{did_you_mean(name, names)}",
                f"the columns are {list_names(names)}",
            )

    def _numbers(self, role: str, name: str) -> Any:
        column = self.data.column(name)
        if kind_of(column.type) not in ("numeric", "boolean"):
            raise TableError(
                f"{role}={name!r} holds no numbers", f"choose another, or declare {name}=numeric"
            )
        if column.null_count:
            raise TableError(f"{role}={name!r} has {column.null_count} gaps", "fill them, or choose another")
        return column

    def _weights(self, name: str) -> NDArray[np.float64]:
        values: NDArray[np.float64] = np.asarray(self._numbers("weight", name).cast(pa.float64()))
        if not np.isfinite(values).all() or (values < 0).any():
            raise TableError(
                f"weight={name!r} holds negative or infinite numbers", "weights are zero or more"
            )
        return values

    def _counts(self, name: str) -> NDArray[np.int64]:
        column = self._numbers("counts", name)
        try:
            whole = column.cast(pa.int64())
        except pa.ArrowInvalid:
            raise TableError(
                f"counts={name!r} holds numbers that are not whole", "use it as weight="
            ) from None
        if len(whole) and pc.min(whole).as_py() < 0:
            raise TableError(
                f"counts={name!r} holds negative numbers", "a row stands for itself zero times or more"
            )
        values: NDArray[np.int64] = np.asarray(whole)
        return values


# Findings -------------------------------------------------------------------------------------------------
# A plain dict first, text for people from that dict alone; so the command line, a page and a test see
# the same thing.

_EXAMPLES = 3
_FEW = 10
_ENOUGH = 20  # rows, before a remark is made about distinct values
_LONG = 30  # characters
_SIGNS: Mapping[Any, str] = {
    "\t": "tab",
    " ": "space",
    ",": "comma",
    ";": "semicolon",
    "|": "bar",
    ".": "point",
    '"': "double",
    "'": "single",
    True: "yes",
    False: "no",
}


def describe(column: Any, why: str = "") -> dict[str, Any]:
    """What one column of a TableFile holds.

    >>> describe(pa.chunked_array([pa.array([1, 2, None])]))["n_missing"]
    1
    """
    kind = kind_of(column.type)
    summary: dict[str, Any] = {"kind": kind, "n_missing": column.null_count}
    summary["distinct"] = pc.count_distinct(_decoded_codes(column)).as_py()
    if pa.types.is_dictionary(column.type):
        summary |= _categories(column, kind)
    else:
        bounds = {"min": False, "max": True} if pa.types.is_boolean(column.type) else _bounds(column)
        summary |= {"low": _json(bounds["min"]), "high": _json(bounds["max"])}
    summary["type"] = str(column.type) if not pa.types.is_dictionary(column.type) else "text"
    summary["why"] = why if why and why != "declared" else _remark(column, kind, summary, why)
    return summary


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
    summary: dict[str, Any] = {"examples": examples}
    if kind == "ordinal" or len(values) <= 256:
        summary["values"] = values.to_pylist()
    return summary


def _remark(column: Any, kind: str, summary: Mapping[str, Any], why: str) -> str:
    present = len(column) - summary["n_missing"]
    distinct = summary["distinct"]
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
        if distinct == present == summary["high"] - summary["low"] + 1:
            return "ids: every value differs"
        if distinct <= _FEW and why != "declared":
            return f"whole numbers with {distinct} values: numeric unless declared nominal"
    return why


def _json(value: Any) -> Any:
    """A bound as json can write it."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def text_of(findings: Mapping[str, Any]) -> str:
    """What was found, as aligned text for people."""
    lines = [_headline(findings)]
    how = _how(findings)
    if how:
        lines.append(how)
    rows = [["column", "kind", "missing", "distinct", "values", "remark"]]
    for name, column in findings["columns"].items():
        gaps = f"{column['n_missing']:,}" if column["n_missing"] else "-"
        mark = " (target)" if name == findings.get("target") else ""
        rows.append(
            [name + mark, column["kind"], gaps, f"{column['distinct']:,}", span_text(column), column["why"]]
        )
    cut = [[*(_short(cell, 60) for cell in row[:-1]), row[-1]] for row in rows]
    return "\n".join([*lines, "", *aligned(cut, right={2, 3})])


def _headline(findings: Mapping[str, Any]) -> str:
    rows, columns = findings["rows"], len(findings["columns"])
    return (
        f"{findings['source']}: {findings['format']}, {rows:,} row{'s' * (rows != 1)},"
        f" {columns:,} column{'s' * (columns != 1)}"
    )


def _how(findings: Mapping[str, Any]) -> str:
    words = []
    for key in ("encoding", "delimiter", "header", "decimal", "quote"):
        if key in findings:
            shown = _SIGNS.get(findings[key], findings[key])
            words.append(f"{key} {shown or 'none'}" + " (given)" * (key in findings["given"]))
    if "missing" in findings:
        marks = ", ".join(mark or "empty cells" for mark in findings["missing"]) or "no marks"
        words.append(f"missing: {marks}" + " (given)" * ("missing" in findings["given"]))
    if "left_out" in findings:
        words.append(f"left out, since they are no columns: {list_names(findings['left_out'])}")
    return "; ".join(words)


def span_text(column: Mapping[str, Any]) -> str:
    """The values of a column as far as they are few, or its range."""
    if column["kind"] == "boolean":
        return "False, True"
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
    return f"{value:.6g}" if isinstance(value, float) else str(value).removesuffix("T00:00:00")


def _short(text: str, width: int = 44) -> str:
    text = text.replace("\r", " ").replace("\n", " ").replace("\t", " ")
    return text if len(text) <= width else text[: width - 1] + "…"
