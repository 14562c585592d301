"""Leaf models: what a leaf answers with. One file per choice, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.growing.leaves.base import LeafModel
from hornbeam.growing.leaves.constant import Constant
from hornbeam.growing.leaves.linear import Linear
from hornbeam.growing.leaves.polynomial import Polynomial
from hornbeam.growing.leaves.quantiles import Quantiles

LEAVES: Mapping[str, type[LeafModel]] = {
    part.name: part for part in (Constant, Quantiles, Linear, Polynomial)
}

__all__ = ["LEAVES", "Constant", "LeafModel", "Linear", "Polynomial", "Quantiles"]
