"""Splits: which kind of test a column gets, and the table of them."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.growing.splits.column_splits import (
    Binary,
    Multiway,
    OneVsRest,
    PerColumn,
    RandomCuts,
    Splitting,
    YesNo,
)
from hornbeam.growing.splits.extra_tests import ColumnSets, Predicates
from hornbeam.growing.splits.oblique import Oblique

SPLITTING: Mapping[str, type[Splitting]] = {
    part.name: part for part in (Binary, Multiway, OneVsRest, YesNo, RandomCuts, Oblique, ColumnSets)
}

__all__ = [
    "Binary",
    "ColumnSets",
    "Multiway",
    "Oblique",
    "OneVsRest",
    "PerColumn",
    "Predicates",
    "RandomCuts",
    "Splitting",
    "YesNo",
]
