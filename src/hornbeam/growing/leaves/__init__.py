"""Leaf models: what a leaf answers with, and the table of them."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.growing.leaves.constant import Constant, Curves, LeafModel, Quantiles
from hornbeam.growing.leaves.linear import Linear, Polynomial

LEAVES: Mapping[str, type[LeafModel]] = {
    part.name: part for part in (Constant, Quantiles, Curves, Linear, Polynomial)
}

__all__ = ["Constant", "Curves", "LeafModel", "Linear", "Polynomial", "Quantiles"]
