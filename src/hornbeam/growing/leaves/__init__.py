"""Leaf models: what a leaf answers with, and the table of them."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.growing.leaves.constant import Constant, LeafModel, Quantiles
from hornbeam.growing.leaves.linear import Linear, Polynomial

LEAVES: Mapping[str, type[LeafModel]] = {
    part.name: part for part in (Constant, Quantiles, Linear, Polynomial)
}

__all__ = ["Constant", "LeafModel", "Linear", "Polynomial", "Quantiles"]
