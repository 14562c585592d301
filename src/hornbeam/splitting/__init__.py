"""Splitting: which kind of test a column gets. One file per choice, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.splitting._base import Splitting
from hornbeam.splitting.binary import Binary
from hornbeam.splitting.multiway import Multiway
from hornbeam.splitting.one_vs_rest import OneVsRest
from hornbeam.splitting.per_column import PerColumn

SPLITTING: Mapping[str, type[Splitting]] = {part.name: part for part in (Binary, Multiway, OneVsRest)}

__all__ = ["SPLITTING", "Binary", "Multiway", "OneVsRest", "PerColumn", "Splitting"]
