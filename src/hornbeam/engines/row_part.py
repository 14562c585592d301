"""A part of the rows: its arrays, and what is remembered about them.

    columns | target, weights, counts | codes | node of each row

Columns and target never change once they are complete. The last two are a cache that the core fills and
checks: whatever is lost or damaged there is made anew. The arrays of a `RowPart` are in memory; those of a
`FilePart` are in one file, mapped into memory, and have checksums.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.atomic import scratch_file, scratch_memory
from hornbeam._base.types import AnyArray, Floats, Longs

ALIGN = 64
MOST_BYTES = 1 << 28  # of codes and nodes that a process remembers
TARGET = ("codes", "values", "weights", "counts")  # in this order in a file
ONE = 1127  # an exact sum of weights is a whole number of 2**-ONE


def with_counts(target: Mapping[str, AnyArray], counts: Longs) -> dict[str, AnyArray]:
    """A target whose rows are repeated so often, in the order of TARGET."""
    rest = {name: array for name, array in target.items() if name not in ("weights", "counts")}
    return rest | {"counts": counts.astype(np.int64, copy=False)}


class AnyPart:
    """What parts share."""

    columns: list[AnyArray]
    target: dict[str, AnyArray]  # those arrays of TARGET that there are
    n_rows: int
    number: int  # no other part of the same rows has it

    def core_rows(self, kinds: Iterable[tuple[int, int, int]], n_classes: int) -> tuple[Any, int, Any]:
        """Columns, number of rows and target as the core reads them."""
        views = [(array, *kind) for array, kind in zip(self.columns, kinds, strict=True)]
        return views, self.n_rows, {"n_classes": n_classes, **dict.fromkeys(TARGET), **self.target}

    def answer(self, message: bytes, kinds: Any, n_classes: int, plan: Mapping[str, Any]) -> bytes:
        """What the rows say to a message of the core."""
        raise NotImplementedError

    def reweighed(self, factors: Floats) -> RowPart:
        """The rows with the weight of each multiplied by that of its class."""
        return RowPart(self.columns, self.target | self.weights_times(factors), self.number)

    def weights_times(self, factors: Floats) -> dict[str, AnyArray]:
        """The weight of each row multiplied by that of its class."""
        each = factors[self.target["codes"]]
        weights = self.target.get("weights")
        return {"weights": each if weights is None else weights * each}

    def drawn(self, counts: Longs | None) -> AnyPart:
        """The rows as often as they were drawn, without weights; None: as they are. This part stays."""
        raise NotImplementedError

    def class_sums(self, n_classes: int) -> list[int]:
        """The weight of each class with repetitions, exactly, as whole numbers of 2**-ONE.

        >>> part = RowPart([], {"codes": np.array([0, 1, 1]), "weights": np.array([0.1, 0.25, 0.5])})
        >>> [n / 2**ONE for n in part.class_sums(2)]
        [0.1, 0.75]
        """
        weights = self.target.get("weights", np.ones(self.n_rows))
        if "counts" in self.target:
            weights = weights * self.target["counts"]
        fraction, exponent = np.frexp(weights)
        digits = (fraction * 2.0**53).astype(np.int64)
        place = self.target["codes"].astype(np.int64) * 4096 + exponent + 1074
        places, which = np.unique(place, return_inverse=True)
        sums = np.zeros((2, len(places)), dtype=np.int64)
        np.add.at(sums[0], which, digits >> 26)
        np.add.at(sums[1], which, digits & ((1 << 26) - 1))
        out = [0] * n_classes
        for at, high, low in zip(places.tolist(), *sums.tolist(), strict=True):
            out[at // 4096] += ((high << 26) + low) << at % 4096
        return out


@dataclass(eq=False)
class RowPart(AnyPart):
    """Rows in memory."""

    columns: list[AnyArray]
    target: dict[str, AnyArray]
    number: int = 0

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        """The number of rows."""
        return len(next(iter(self.target.values())))

    @cached_property
    def cache(self) -> tuple[AnyArray, AnyArray, Any]:
        """Room for codes and nodes, and a lock: a task may run twice at the same time."""
        codes, nodes = _core.cache_bytes(len(self.columns), self.n_rows)
        return np.zeros(codes, dtype=np.uint8), np.zeros(nodes, dtype=np.uint8), threading.Lock()

    def answer(self, message: bytes, kinds: Any, n_classes: int, plan: Mapping[str, Any]) -> bytes:
        """What the rows say to a message of the core."""
        codes, nodes, lock = self.cache
        with lock:
            return _core.answer(message, *self.core_rows(kinds, n_classes), dict(plan), None, codes, nodes)

    def drawn(self, counts: Longs | None) -> RowPart:
        """The rows as often as they were drawn, without weights; None: as they are."""
        return (
            self if counts is None else RowPart(self.columns, with_counts(self.target, counts), self.number)
        )

    def __getstate__(self) -> dict[str, Any]:
        return {"columns": self.columns, "target": self.target, "number": self.number}

    def __sizeof__(self) -> int:
        arrays = sum(array.nbytes for array in (*self.columns, *self.target.values()))
        return arrays + sum(_core.cache_bytes(len(self.columns), self.n_rows))

    def to_bytes(self) -> bytes:
        """The part as bytes that `from_bytes` reads."""
        body: list[Any] = []
        for array in (*self.columns, *self.target.values()):
            body += [np.ascontiguousarray(array).data.cast("B"), bytes(-array.nbytes % ALIGN)]
        digest = hashlib.blake2b(digest_size=16)
        for block in body:
            digest.update(block)
        kinds = [[array.dtype.str for array in of] for of in (self.columns, self.target.values())]
        head = json.dumps(
            [self.n_rows, kinds[0], list(self.target), kinds[1], digest.hexdigest(), self.number]
        ).encode()
        return b"".join([len(head).to_bytes(8, "little"), head, bytes(-(len(head) + 8) % ALIGN), *body])

    @staticmethod
    def head_of(content: bytes) -> bytes:
        """What the bytes of a part say of it; those of other rows say something else."""
        return content[8 : 8 + int.from_bytes(content[:8], "little")]

    @classmethod
    def from_bytes(cls, content: bytes) -> RowPart:
        """A part from its bytes, which its arrays are views of."""
        head = cls.head_of(content)
        n_rows, kinds, names, target_kinds, _, number = json.loads(head)
        arrays, at = [], 8 + len(head) + -(8 + len(head)) % ALIGN
        for kind in map(np.dtype, (*kinds, *target_kinds)):
            arrays.append(np.frombuffer(content, kind, n_rows, at))
            at += kind.itemsize * n_rows + -kind.itemsize * n_rows % ALIGN
        return cls(arrays[: len(kinds)], dict(zip(names, arrays[len(kinds) :], strict=True)), number)


_REMEMBERED: OrderedDict[Any, Any] = OrderedDict()  # codes and nodes of the parts that this process saw last


def remembered(part: RowPart, key: Any) -> RowPart:
    """The part with what this process remembers of it, by a key that other rows never have."""
    cache = _REMEMBERED.pop(key, None)
    if cache is not None:
        part.cache = cache
    _REMEMBERED[key] = part.cache
    while len(_REMEMBERED) > 1 and sum(c.nbytes + n.nbytes for c, n, _ in _REMEMBERED.values()) > MOST_BYTES:
        _REMEMBERED.popitem(last=False)
    return part


@dataclass(frozen=True)
class FilePart(AnyPart):
    """Rows in one file of a cache."""

    path: str
    n_rows: int
    dtypes: tuple[str, ...]  # of the columns
    target_dtypes: Mapping[str, str]
    number: int = 0
    n_classes: int = 0
    checksums: tuple[int, ...] = field(default=(), repr=False)
    own_target: Mapping[str, AnyArray] | None = field(
        default=None, repr=False
    )  # in memory, not that of the file

    @classmethod
    def write(
        cls, path: str, columns: Sequence[AnyArray], target: Mapping[str, AnyArray], number: int
    ) -> FilePart:
        """Write arrays to a new file."""
        known = {name: array for name in TARGET if (array := target.get(name)) is not None}
        part = cls(
            path,
            len(next(iter(known.values()))),
            tuple(array.dtype.str for array in columns),
            {name: array.dtype.str for name, array in known.items()},
            number,
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
    def columns(self) -> list[AnyArray]:  # type: ignore[override]
        """The columns."""
        return self._arrays[: len(self.dtypes)]

    @property
    def target(self) -> dict[str, AnyArray]:  # type: ignore[override]
        """The arrays of the target, by name."""
        if self.own_target is not None:
            return dict(self.own_target)
        return dict(zip(self.target_dtypes, self._arrays[len(self.dtypes) : -2], strict=True))

    def sealed(self, n_classes: int) -> FilePart:
        """The part with the checksums of its columns and its target, which are complete now."""
        kinds = [(0, 0, 0)] * len(self.dtypes)
        sums = tuple(_core.checksums(*self.core_rows(kinds, n_classes)).tolist())
        return replace(self, n_classes=n_classes, checksums=sums)

    def drawn(self, counts: Longs | None) -> FilePart:
        """The rows as often as they were drawn, without weights; None: as they are. This part stays."""
        return self.with_target(self.target if counts is None else with_counts(self.target, counts))

    def with_target(self, target: Mapping[str, AnyArray]) -> FilePart:
        """The part with a target in memory: the file stays, and keeps codes and nodes."""
        goal = {"n_classes": self.n_classes, **dict.fromkeys(TARGET), **target}
        (own,) = _core.checksums([], self.n_rows, goal).tolist()
        return replace(self, own_target=target, checksums=(*self.checksums[:-1], own))

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


def _write_zeros(file: Any, n: int) -> None:
    block = bytes(1 << 20)
    for at in range(0, n, len(block)):
        file.write(block[: min(len(block), n - at)])
