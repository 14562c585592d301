"""Selections: how the winning split is picked. One file per choice, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.growing.selections.average_gain import AverageGain
from hornbeam.growing.selections.base import Selection
from hornbeam.growing.selections.best import Best
from hornbeam.growing.selections.chi_square_selection import ChiSquare
from hornbeam.growing.selections.conditional import Conditional
from hornbeam.growing.selections.price_aware import PriceAware

SELECTIONS: Mapping[str, type[Selection]] = {
    part.name: part for part in (Best, AverageGain, PriceAware, ChiSquare, Conditional)
}

__all__ = ["SELECTIONS", "AverageGain", "Best", "ChiSquare", "Conditional", "PriceAware", "Selection"]
