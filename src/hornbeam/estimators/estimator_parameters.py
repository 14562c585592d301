"""The parameters of estimators, in the groups that several of them have in common.

scikit-learn reads parameters off `__init__`, which a dataclass writes from its fields; so a group is a
dataclass with nothing but fields, and an estimator lists those of its own::

    TableParameters    which columns there are, threads, seed, time: every estimator
    GrowthParameters   limits of growing and constraints: trees and forests

Where a class gives a field another default, the field keeps its place among the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
from sklearn.base import BaseEstimator

from hornbeam._base.parameters import unknown_name
from hornbeam.data.streams import is_elsewhere
from hornbeam.data.table import Table
from hornbeam.growing.criteria import CRITERIA
from hornbeam.growing.leaves import LEAVES
from hornbeam.growing.missing import MISSING
from hornbeam.growing.part import Part
from hornbeam.growing.searches import SEARCH
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
    "search": SEARCH,
}


@dataclass(eq=False, repr=False, kw_only=True)
class TableParameters:
    """How the columns of a table are told apart; threads, seed and time of a fit."""

    categorical_features: Any = "from_dtype"
    exclude: Any = None
    parse_dates: Any = None
    n_jobs: int | None = None
    random_state: Any = None
    time_limit: float | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class GrowthParameters:
    """What limits the growth of a tree."""

    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_impurity_decrease: float = 0.0
    min_gain: float | None = None
    max_nodes: int | None = None
    max_features: Any = None
    min_weight_fraction_leaf: float = 0.0
    monotonic_cst: Any = None


class SlotEstimator(TableParameters, BaseEstimator):
    """The base class of all estimators."""

    def __new__(cls, *args: Any, **params: Any) -> Self:  # noqa: ARG004 (__init__ takes what is known)
        """Refuse a parameter the class does not have with a sentence, before Python does it with less."""
        fault = unknown_name(cls, params)
        if fault:
            raise TypeError(fault)
        return cast(Self, super().__new__(cls))

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

    def shown_result(self) -> Any:
        """What a notebook shows below the parameters of a fitted model: its tree; None if there is none."""
        return getattr(self, "tree_", None)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """What notebooks show: scikit-learn's box of parameters, and what was learned."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        learned = self.shown_result()
        if learned is None:
            return bundle
        shown = learned._repr_mimebundle_()
        return {kind: f"{text}\n{shown[kind]}" for kind, text in bundle.items() if kind in shown}

    def learn_table(self, X: Any) -> Table:
        """The training table, as the parameters that tell its columns apart say."""
        try:
            return Table.learn(X, self.categorical_features, self.exclude, self.parse_dates)
        except TypeError:
            if not is_elsewhere(X):
                raise
        raise TypeError(
            f"this fit of {type(self).__name__} needs all rows in memory, but those of X are elsewhere: fit a"
            " TreeClassifier or TreeRegressor with the name of a column as y, or a table that fits in memory"
        )

    def keep_names(self, X: Any, table: Table) -> None:
        """Keep what scikit-learn wants to know of the training table."""
        self.n_features_in_ = len(table.columns)
        self.__dict__.pop("feature_names_in_", None)
        if has_names(X):
            self.feature_names_in_ = np.array([column.name for column in table.columns], dtype=object)

    def __sklearn_tags__(self) -> Any:
        """What the estimator takes: missing values, categories, sparse matrices."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags


def has_names(X: Any) -> bool:
    """Whether X names its columns by text, as scikit-learn's `feature_names_in_` wants it."""
    if isinstance(X, np.ndarray):
        return False
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], Mapping):
        X = X[0]
    names: Any = (
        X.keys() if isinstance(X, Mapping) else X.column_names if hasattr(type(X), "column_names") else None
    )
    if not isinstance(X, Mapping) and not isinstance(names, list):  # an Arrow table has a list of names
        names = getattr(X, "columns", None)
        names = names.tolist() if hasattr(names, "tolist") else names
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
