"""Remarks: what is odd about a row: missing values, values never seen, numbers outside the training range.

One idea: each oddity says whether it mattered. A gap no test asked for changed nothing; a number far
outside what training saw is answered like the outermost one.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from hornbeam._base.types import AnyArray
from hornbeam.data.columns import UNSEEN
from hornbeam.reading.explanation.steps import gap_text, is_gap
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class Remark:
    """One oddity of a row.

    Attributes
    ----------
    column : str
    kind : "missing", "unseen" or "outside"
        No value, a category training never saw, or a number outside the range of the training values.
    needed : bool
        Whether a test on the way, or an equation, asked for the column.
    text : str
    """

    column: str
    kind: str
    needed: bool
    text: str

    def __str__(self) -> str:
        return self.text


def remarks_of(
    tree: Tree, arrays: tuple[AnyArray, ...], row: Any, asked: Collection[int]
) -> tuple[Remark, ...]:
    """The oddities of a row in column order; `asked` are the columns that were needed."""
    found = []
    for place, column in enumerate(tree.columns):
        value, needed = arrays[place][0], place in asked
        unneeded = "" if needed else " but was not needed"
        if is_gap(value):
            unseen = column.kind != "numeric" and int(value) == UNSEEN
            kind = "unseen" if unseen else "missing"
            found.append(Remark(column.name, kind, needed, f"{gap_text(row, place, column)}{unneeded}"))
        elif column.kind == "numeric" and (value < column.low or value > column.high):
            span = f"{column.text(column.low)} to {column.text(column.high)}"
            text = f"{column.label} is {column.text(float(value))}, outside the training range {span}"
            found.append(Remark(column.name, "outside", needed, text + unneeded.replace(" but", ", but")))
    return tuple(found)
