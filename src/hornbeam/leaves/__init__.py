"""Leaf models: what a leaf answers with. One file per choice, one line in the table."""

from __future__ import annotations

from collections.abc import Mapping

from hornbeam.leaves._base import LeafModel
from hornbeam.leaves.constant import Constant

LEAVES: Mapping[str, type[LeafModel]] = {Constant.name: Constant}

__all__ = ["LEAVES", "Constant", "LeafModel"]
