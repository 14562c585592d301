"""SlotEstimator: what every estimator with slots shares, one tree or many.

Parameters are checked by name before anything is learned, a nested parameter needs a part in its slot, and
the facts that scikit-learn reads from an estimator are set in one place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self, cast

import numpy as np
from sklearn.base import BaseEstimator

from hornbeam._base.parameters import unknown_name
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.table import Table
from hornbeam.growing.criteria import CRITERIA
from hornbeam.growing.leaves import LEAVES
from hornbeam.growing.missing import MISSING
from hornbeam.growing.part import Part
from hornbeam.growing.selections import SELECTIONS
from hornbeam.growing.splits import SPLITTING
from hornbeam.pruning import PRUNING

SLOTS: Mapping[str, Mapping[str, type[Part]]] = {
    "criterion": CRITERIA,
    "selection": SELECTIONS,
    "split": SPLITTING,
    "missing": MISSING,
    "leaf": LEAVES,
    "pruning": PRUNING,
}


class SlotEstimator(BaseEstimator):
    """The base class of all estimators."""

    def __new__(cls, *args: Any, **params: Any) -> Self:  # noqa: ARG004 (__init__ takes what is known)
        """Refuse a parameter the class does not have with a sentence, before Python does it with less."""
        fault = unknown_name(cls, params)
        if fault:
            raise TypeError(fault)
        return cast(Self, super().__new__(cls))

    def _keep_parameters(self, values: Mapping[str, Any]) -> None:
        """Set the attribute of each parameter; `values` are the local variables of `__init__`."""
        for name in self._get_param_names():
            setattr(self, name, values[name])

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a nested one, such as `missing__vote`, needs a part in its slot."""
        fault = unknown_name(type(self), (name.partition("__")[0] for name in params))
        if fault:
            raise ValueError(fault)
        for name in params:
            slot, _, inner = name.partition("__")
            held = params.get(slot, getattr(self, slot))
            if inner and not hasattr(held, "set_params"):
                raise ValueError(_no_part(name, held))
        super().set_params(**params)
        return self

    def keep_names(self, X: Any, table: Table) -> None:
        """Keep what scikit-learn wants to know of the training table."""
        self.n_features_in_ = len(table.columns)
        self.__dict__.pop("feature_names_in_", None)
        if has_names(X):
            self.feature_names_in_ = np.array([column.name for column in table.columns], dtype=object)

    def __sklearn_tags__(self) -> Any:
        """What the estimator takes: missing values and categories, no sparse tables."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = False
        return tags


class LogProbabilities:
    """A classifier's logarithms, from its probabilities."""

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of the probability of each class."""
        shares: Floats = cast(Any, self).predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(shares)


class ClassLabels(LogProbabilities):
    """The labels of a classifier: sorted for scikit-learn, in class order for the trees."""

    classes_: AnyArray
    _labels: AnyArray
    _sorted: Longs | None

    def set_labels(self, labels: AnyArray, classes: Sequence[Any]) -> None:
        """Keep the sorted labels, and how they and the classes of the tree find each other."""
        place_of = {label: place for place, label in enumerate(labels.tolist())}
        if labels.ndim != 1 or len(place_of) != len(classes) or set(place_of) != set(classes):
            raise ValueError(f"the labels {labels.tolist()} are not the classes {list(classes)} of the tree")
        place = np.array([place_of[label] for label in classes], dtype=np.int64)
        self.classes_ = labels
        self._labels = labels.take(place)  # in class order, as the tree counts them
        self._sorted = None if (np.diff(place) > 0).all() else place.argsort()


def refuse_no_rows(n_rows: int, n_columns: int) -> None:
    """Raise, in scikit-learn's words, if there is no row to predict."""
    if n_rows == 0:
        shape = (0, n_columns)
        raise ValueError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")


def has_names(X: Any) -> bool:
    """Whether X names its columns by text, as scikit-learn's `feature_names_in_` wants it."""
    if isinstance(X, np.ndarray):
        return False
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], Mapping):
        X = X[0]
    names = (
        X.keys() if isinstance(X, Mapping) else X.column_names if hasattr(type(X), "column_names") else None
    )
    if not isinstance(X, Mapping) and not isinstance(names, list):  # an Arrow table has a list of names
        names = getattr(X, "columns", None)
    return names is not None and all(isinstance(name, str) for name in names)


def _no_part(name: str, held: Any) -> str:
    """The sentence for a nested parameter whose slot holds no part."""
    slot, _, inner = name.partition("__")
    if slot not in SLOTS:
        return f"{name} sets {inner!r} of {slot!r}, which is a plain parameter: set {slot!r} itself"
    part = SLOTS[slot].get(held) if isinstance(held, str) else None
    example = f", {slot}={part.__name__}()" if part else ""
    return (
        f"{name} sets {inner!r} of the part in the slot {slot!r}, but the slot holds {held!r}:"
        f" put the part in first{example}"
    )
