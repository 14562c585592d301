"""Sheet: a table that was read, with what was found out about it.

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
from hornbeam.data.files.column_summary import describe, text_of
from hornbeam.data.files.column_types import kind_of
from hornbeam.data.files.table_error import TableError


class Parts(NamedTuple):
    """What `fit` takes."""

    X: Any
    y: Any
    sample_weight: NDArray[np.float64] | None
    counts: NDArray[np.int64] | None


class Sheet:
    r"""A table that was read.

    Attributes
    ----------
    data : pyarrow.Table
        Numbers, booleans, timestamps, and dictionaries of text (ordered for ordinal columns).
    found : dict
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
    def found(self) -> dict[str, Any]:
        """What was found out; plain values only, as json can write them."""
        columns = {
            name: describe(self.data.column(name), self._whys.get(name, ""))
            for name in self.data.column_names
        }
        for name, pattern in self._formats.items():
            columns[name]["format"] = pattern  # of dates, to read more of them
        return self._about | {"rows": self.data.num_rows, "target": self.target_hint, "columns": columns}

    def __str__(self) -> str:
        return text_of(self.found)

    def __repr__(self) -> str:
        return f"Sheet({self.data.num_rows} rows: {', '.join(map(self._word, self.data.column_names))})"

    def _word(self, name: str) -> str:
        return f"{name} {kind_of(self.data.schema.field(name).type)}"

    def split(
        self,
        target: str | None = None,
        *,
        drop: Iterable[str] = (),
        weight: str | None = None,
        counts: str | None = None,
    ) -> Parts:
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
        for role, name in (
            ("target", target),
            ("weight", weight),
            ("counts", counts),
            *(("drop", n) for n in drop),
        ):
            if name is not None:
                self._require(role, name)
        taken = [name for name in (target, weight, counts) if name is not None]
        for k, name in enumerate(taken):
            if name in taken[:k] or name in drop:
                raise TableError(
                    f"column {name!r} is asked for twice", "give each of its uses its own column"
                )
        left = [name for name in self.data.column_names if name not in {*taken, *drop}]
        return Parts(
            self.data.select(left),
            None if target is None else _array(self.data.column(target)),
            None if weight is None else self._weights(weight),
            None if counts is None else self._counts(counts),
        )

    def _require(self, role: str, name: str) -> None:
        names = self.data.column_names
        if name not in names:
            some = ", ".join(map(repr, names[:20])) + (", …" if len(names) > 20 else "")
            raise TableError(
                f"{role}={name!r} is no column{did_you_mean(name, names)}", f"the columns are {some}"
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


def _array(column: Any) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
