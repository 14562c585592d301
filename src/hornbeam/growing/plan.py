"""Plan: everything growth needs, resolved.

One idea: an estimator's slots and numbers are turned into this record once; whoever grows a tree, the core or
the stepwise grower, reads nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hornbeam.growing.criteria import Criterion
from hornbeam.growing.leaves import Constant, LeafModel
from hornbeam.growing.missing import MissingRule
from hornbeam.growing.monotonic import Constraints
from hornbeam.growing.selections import Best, Selection
from hornbeam.growing.splits import Splitting


@dataclass(frozen=True)
class Plan:
    """Criterion, splits, missing values, selection, leaves, limits, seed."""

    criterion: Criterion
    split: Splitting
    missing: MissingRule
    limits: Mapping[str, Any] = field(default_factory=dict)
    max_features: int = 0
    constraints: Constraints = field(default_factory=Constraints)
    seed: int = 0
    n_jobs: int | None = None
    selection: Selection = field(default_factory=Best)
    leaf: LeafModel = field(default_factory=Constant)
