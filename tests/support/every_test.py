"""Every test that a table allows at its root, by `hb.candidates`."""

from __future__ import annotations

from typing import Any

import hornbeam as hb
from hornbeam.growing.criteria import ALIASES, CRITERIA


def every_test(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    criterion: Any = "entropy",
    split: Any = "binary",
    missing: Any = "branch",
    categorical_features: Any = "from_dtype",
    **options: Any,
) -> Any:
    """All candidates of a table, before anything is grown."""
    name = getattr(criterion, "name", ALIASES.get(criterion, criterion))
    is_real = name in CRITERIA and CRITERIA[name].task == "real"
    model = (hb.TreeRegressor if is_real else hb.TreeClassifier)(
        criterion, split=split, missing=missing, categorical_features=categorical_features
    )
    return hb.candidates(model, X, y, tests="all", sample_weight=sample_weight, **options)
