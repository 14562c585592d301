"""Selections: how the winning split is picked. One file per choice, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.selections._base import Selection
from hornbeam.selections.average_gain import AverageGain
from hornbeam.selections.best import Best
from hornbeam.selections.chi_square import ChiSquare
from hornbeam.selections.conditional import Conditional
from hornbeam.selections.price_aware import PriceAware

SELECTIONS: Mapping[str, type[Selection]] = {
    part.name: part for part in (Best, AverageGain, PriceAware, ChiSquare, Conditional)
}

__all__ = ["SELECTIONS", "AverageGain", "Best", "ChiSquare", "Conditional", "PriceAware", "Selection"]
