"""A part of the rows: arrays in one file, mapped into memory, with what is remembered about them.

    columns | target, weights, counts | codes | node of each row

Columns and target never change once they are written, and have checksums. The last two are a cache that the
core fills and checks: whatever is lost or damaged there is made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.atomic import scratch_file, scratch_memory
from hornbeam._base.types import AnyArray

ALIGN = 64
TARGET = ("codes", "values", "weights", "counts")  # in this order in the file


@dataclass(frozen=True)
class RowPart:
    """The rows of one file of a cache."""

    path: str
    n_rows: int
    dtypes: tuple[str, ...]  # of the columns
    target_dtypes: Mapping[str, str]  # of those arrays of TARGET that there are
    checksums: tuple[int, ...] = field(default=(), repr=False)

    @classmethod
    def write(cls, path: str, columns: Sequence[AnyArray], target: Mapping[str, AnyArray | None]) -> RowPart:
        """Write arrays to a new file."""
        known = {name: array for name in TARGET if (array := target.get(name)) is not None}
        part = cls(
            path,
            len(columns[0]) if columns else len(next(iter(known.values()))),
            tuple(array.dtype.str for array in columns),
            {name: array.dtype.str for name, array in known.items()},
        )
        with scratch_file(path) as file:
            for array in (*columns, *known.values()):
                file.write(np.ascontiguousarray(array).data.cast("B"))
                file.write(bytes(-array.nbytes % ALIGN))
            for size in part._cache_sizes:  # written, not left out: a full disk must fail here
                _write_zeros(file, size + -size % ALIGN)
        return part

    @property
    def _cache_sizes(self) -> tuple[int, int]:
        return _core.cache_bytes(len(self.dtypes), self.n_rows)

    @cached_property
    def _arrays(self) -> list[AnyArray]:
        """All arrays, views of the file."""
        shapes = [(np.dtype(kind), self.n_rows) for kind in (*self.dtypes, *self.target_dtypes.values())]
        shapes += [(np.dtype(np.uint8), size) for size in self._cache_sizes]
        memory = scratch_memory(self.path)
        arrays, at = [], 0
        for kind, size in shapes:
            arrays.append(np.frombuffer(memory, kind, size, at))
            at += kind.itemsize * size + -kind.itemsize * size % ALIGN
        return arrays

    @property
    def columns(self) -> list[AnyArray]:
        """The columns."""
        return self._arrays[: len(self.dtypes)]

    @property
    def target(self) -> dict[str, AnyArray]:
        """The arrays of the target, by name."""
        return dict(zip(self.target_dtypes, self._arrays[len(self.dtypes) : -2], strict=True))

    def core_rows(self, kinds: Iterable[tuple[int, int, int]], n_classes: int) -> tuple[Any, int, Any]:
        """Columns, number of rows and target as the core reads them."""
        views = [(array, *kind) for array, kind in zip(self.columns, kinds, strict=True)]
        return views, self.n_rows, {"n_classes": n_classes, **dict.fromkeys(TARGET), **self.target}

    def sealed(self, kinds: Sequence[tuple[int, int, int]], n_classes: int) -> RowPart:
        """The part with the checksums of its columns and its target, which are complete now."""
        return replace(self, checksums=tuple(_core.checksums(*self.core_rows(kinds, n_classes)).tolist()))

    def answer(self, message: bytes, kinds: Any, n_classes: int, plan: Mapping[str, Any]) -> bytes:
        """What the rows say to a message of the core."""
        sums = np.array(self.checksums, dtype=np.uint64)
        rows = self.core_rows(kinds, n_classes)
        try:
            return _core.answer(message, *rows, dict(plan), sums, *self._arrays[-2:])
        except BufferError as changed:
            what = "the target" if changed.args[0] < 0 else f"column number {changed.args[0]}"
            raise OSError(
                f"{what} in {self.path} changed while the tree grew: the disk is damaged or another program"
                " writes there; fit again, with another folder as cache="
            ) from None

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def _write_zeros(file: Any, n: int) -> None:
    block = bytes(1 << 20)
    for at in range(0, n, len(block)):
        file.write(block[: min(len(block), n - at)])
