"""Row draws: what a forest has to know of every row to draw some, and far rows with those that were drawn.

Rows are drawn by what they hold. Every part says the keys of its rows, in a message of their own; the program
that grows the forest draws as it would in memory, and tells every part how often each of its rows was drawn.
So tree i of the forest is, bit for bit, that of the same rows in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam import _core
from hornbeam._base.types import Floats, Longs
from hornbeam.data.target import Target
from hornbeam.engines.far_rows import FarRows, Kind, bytes_of_memory
from hornbeam.engines.row_part import AnyPart
from hornbeam.growing.plan import Plan

ROW_BYTES = 64  # that drawing takes for each row, at most: keys, their order, counts, classes and weights


@dataclass(frozen=True)
class RowFacts:
    """What drawing needs to know of all rows.

    Attributes
    ----------
    keys : a number for each row that says what it holds
    target : the classes and the weights of the rows
    sizes : the number of rows of each part, by its number
    """

    keys: NDArray[np.uint64]
    target: Target
    sizes: dict[int, int]

    def of_parts(self, counts: Longs) -> dict[int, Longs]:
        """How often the rows of each part were drawn, in as few bytes as it takes."""
        small = counts.astype(np.min_scalar_type(int(counts.max())))
        bounds = np.cumsum(list(self.sizes.values()))[:-1]
        return dict(zip(self.sizes, np.split(small, bounds), strict=True))


def facts_of_part(part: AnyPart, asked: tuple[tuple[Kind, ...], int]) -> bytes:
    """The facts of the rows of one part; `join_facts` combines."""
    arrays = [_core.row_keys(*part.core_rows(*asked), 1)]
    arrays += [part.target[name] for name in ("codes", "weights", "counts") if name in part.target]
    head = np.array([part.number, part.n_rows], dtype=np.int64)
    return b"".join([head.tobytes(), *(array.tobytes() for array in arrays)])


def join_facts(answers: list[bytes]) -> bytes:
    """Facts of several parts, one behind the other."""
    return b"".join(answers)


def gather_facts(rows: FarRows, plan: Plan) -> RowFacts:
    """The facts of all rows, in the order of their parts."""
    _refuse_little_memory(rows)
    target, kinds = rows.target, {"keys": "<u8"}
    if target.task.is_classes:
        kinds["codes"] = "<i4"
    kinds |= {name: rows.target_dtypes[name] for name in ("weights", "counts") if name in rows.target_dtypes}
    asked = tuple(view[1:] for view in rows.views(plan)), len(target.classes)
    content = rows.parts.map_reduce(facts_of_part, asked, join_facts)
    of_part: dict[int, tuple[int, list[Any]]] = {}
    at = 0
    while at < len(content):
        number, n_rows = np.frombuffer(content, np.int64, 2, at).tolist()
        at += 16
        arrays = []
        for kind in map(np.dtype, kinds.values()):
            arrays.append(np.frombuffer(content, kind, n_rows, at))
            at += kind.itemsize * n_rows
        of_part[number] = n_rows, arrays
    order = sorted(of_part)
    joined = [np.concatenate(each) for each in zip(*(of_part[number][1] for number in order), strict=True)]
    known: dict[str, Any] = dict(zip(kinds, joined, strict=True))
    keys = known.pop("keys")
    if not target.task.is_classes:
        known["values"] = np.broadcast_to(0.0, len(keys))  # only their number matters here
    whole = Target(target.task, classes=target.classes, **known)
    return RowFacts(keys, whole, {number: of_part[number][0] for number in order})


def _refuse_little_memory(rows: FarRows) -> None:
    needed = ROW_BYTES * rows.n_rows
    if needed > bytes_of_memory(rows.options.memory):
        raise ValueError(
            f"memory={rows.options.memory!r} is too little to draw from {rows.n_rows:,} rows, of which a"
            f" forest keeps up to {ROW_BYTES} bytes each: give memory='{-(-needed // 10**6)}MB', or a forest"
            " of bootstrap=False without class_weight"
        )


def drawn_rows(rows: FarRows, facts: RowFacts, counts: Longs, factors: Floats | None) -> FarRows:
    """The rows as often as they were drawn, weighed by the factors of their classes, if there are any."""
    parts = rows.parts.drawn(facts.of_parts(counts))
    dtypes = {name: kind for name, kind in rows.target_dtypes.items() if name not in ("weights", "counts")}
    target = replace(
        rows.target,
        n_taking_part=int(counts.sum()),
        counts=np.ones(1, dtype=np.int64),  # that there are some is all that matters
        weights=None,
        class_weights=None,
        totals=None,
        factors=None,
    )
    dtypes["counts"] = "<i8"
    if factors is not None and facts.target.codes is not None:
        parts = parts.reweigh(factors)
        target = replace(target, n_taking_part=int(counts[factors[facts.target.codes] > 0].sum()))
        dtypes = {"codes": "<i4", "weights": "<f8", "counts": "<i8"}
        target = replace(target, weights=np.ones(1), class_weights=factors)
    return rows.changed(target, parts, dtypes)


def shared_rows(rows: FarRows) -> FarRows:
    """The same rows for several trees, of which none changes what the others see."""
    return rows.changed(rows.target, rows.parts.drawn(None), rows.target_dtypes)
