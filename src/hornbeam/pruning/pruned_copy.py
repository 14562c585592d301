"""A pruned tree as the kind of thing it came from: a copy of the fitted model, or the Tree itself."""

from __future__ import annotations

import copy
from typing import Any

from hornbeam.pruning.record import Pruned


def dressed(model: Any, record: Pruned) -> Any:
    """A copy of the model with the pruned tree and its record; the tree if there is no model."""
    if model is None:
        return record.tree
    found = copy.copy(model)
    found.tree_, found.pruning_ = record.tree, record
    return found
