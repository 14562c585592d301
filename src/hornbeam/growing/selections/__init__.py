"""Selections: how the winning split is picked, and the table of them."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.growing.selections.gain_selections import AverageGain, Best, PriceAware, Selection
from hornbeam.growing.selections.significance_selections import ChiSquareSelection, Conditional

SELECTIONS: Mapping[str, type[Selection]] = {
    part.name: part for part in (Best, AverageGain, PriceAware, ChiSquareSelection, Conditional)
}

__all__ = ["AverageGain", "Best", "ChiSquareSelection", "Conditional", "PriceAware", "Selection"]
