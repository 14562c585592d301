"""Leaf models: what a leaf answers with. One file per choice, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.leaves._base import LeafModel
from hornbeam.leaves.constant import Constant
from hornbeam.leaves.quantiles import Quantiles

LEAVES: Mapping[str, type[LeafModel]] = {Constant.name: Constant, Quantiles.name: Quantiles}

__all__ = ["LEAVES", "Constant", "LeafModel", "Quantiles"]
