"""Leaf models: what a leaf answers with. One file per choice, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.leaves._base import LeafModel
from hornbeam.leaves.constant import Constant
from hornbeam.leaves.linear import Linear
from hornbeam.leaves.polynomial import Polynomial
from hornbeam.leaves.quantiles import Quantiles

LEAVES: Mapping[str, type[LeafModel]] = {
    part.name: part for part in (Constant, Quantiles, Linear, Polynomial)
}

__all__ = ["LEAVES", "Constant", "LeafModel", "Linear", "Polynomial", "Quantiles"]
