"""Splitting: which kind of test a column gets. One file per choice, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.growing.splits.base import Splitting
from hornbeam.growing.splits.binary import Binary
from hornbeam.growing.splits.column_sets import ColumnSets
from hornbeam.growing.splits.multiway import Multiway
from hornbeam.growing.splits.oblique import Oblique
from hornbeam.growing.splits.one_vs_rest import OneVsRest
from hornbeam.growing.splits.per_column import PerColumn
from hornbeam.growing.splits.predicates import Predicates
from hornbeam.growing.splits.yes_no import YesNo

SPLITTING: Mapping[str, type[Splitting]] = {
    part.name: part for part in (Binary, Multiway, OneVsRest, YesNo, Oblique, ColumnSets)
}

__all__ = [
    "SPLITTING",
    "Binary",
    "ColumnSets",
    "Multiway",
    "Oblique",
    "OneVsRest",
    "PerColumn",
    "Predicates",
    "Splitting",
    "YesNo",
]
