"""Splitting: which kind of test a column gets. One file per choice, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.splitting._base import Splitting
from hornbeam.splitting.binary import Binary
from hornbeam.splitting.column_sets import ColumnSets
from hornbeam.splitting.multiway import Multiway
from hornbeam.splitting.oblique import Oblique
from hornbeam.splitting.one_vs_rest import OneVsRest
from hornbeam.splitting.per_column import PerColumn
from hornbeam.splitting.predicates import Predicates
from hornbeam.splitting.yes_no import YesNo

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
