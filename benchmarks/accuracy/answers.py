"""What a learner gives back, and what most of them need for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd


class Answer(NamedTuple):
    """Labels or numbers for the rows held out, class probabilities in the order of `classes`, leaves.

    `size` is the reading size: what a person reads to apply the tree; None where it is not known.
    """

    said: np.ndarray
    shares: np.ndarray | None
    classes: list[Any] | None
    leaves: int
    size: int | None = None


def fitted(model: Any, X: Any, y: np.ndarray, held: Any, leaves: Callable[[Any], int]) -> Answer:
    model.fit(X, y)
    shares = model.predict_proba(held) if hasattr(model, "predict_proba") else None
    classes = list(model.classes_) if shares is not None else None
    return Answer(np.asarray(model.predict(held)), shares, classes, leaves(model))


def prepared(X: pd.DataFrame, held: pd.DataFrame) -> tuple[Any, Any]:
    """Nominal columns as one column of 0 and 1 for each value, gaps in numbers as the median."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    make = make_column_transformer(
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_exclude="number"),
        ),
        (SimpleImputer(strategy="median"), make_column_selector(dtype_include="number")),
    )
    return make.fit_transform(X), make.transform(held)
