"""The configurations that an automatic tree chooses among: one table for classes, one for numbers.

A configuration is the parameters of an ordinary estimator and the kind of table they suit. Which one wins is
decided by held-out rows, never here; where there are too few rows, the first of the table is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam.data.table import Table
from hornbeam.growing.leaves import Linear, Polynomial
from hornbeam.growing.leaves.design import MOST_CUTS
from hornbeam.growing.leaves.fit_equations import MOST_VARIABLES
from hornbeam.growing.splits import Oblique
from hornbeam.growing.splits.oblique import MOST_TERMS
from hornbeam.pruning.model_error import ModelError

SLOW_CELLS = 300_000  # rows times terms up to which sums of columns are searched
SLOW_LINES = 5 * 10**10  # rows times variables cubed up to which every node gets an equation of all variables


@dataclass(frozen=True)
class TableShape:
    """What of a table decides which configurations suit it."""

    n_rows: int
    n_numeric: int
    n_terms: int
    n_variables: int
    n_nominal: int
    n_wide: int
    gaps: bool
    ordered: bool

    @classmethod
    def of(cls, table: Table, *, ordered: bool, n_rows: int | None = None) -> TableShape:
        """The shape of a table; `ordered` if monotonic constraints are to be kept.

        `n_rows` is the number of rows where some are repeated.
        """
        numeric = [column.is_number for column in table.columns]
        wide = [column.kind == "nominal" and len(column.categories) > 2 for column in table.columns]
        gaps = any(_has_gaps(array) for array in table.arrays)
        nominal = sum(column.kind == "nominal" for column in table.columns)
        values = [len(column.categories) for column in table.columns if column.kind == "nominal"]
        terms = sum(numeric) + sum(n if n > 2 else 1 for n in values)
        variables = sum(numeric) + sum(min(max(n - 1, 0), MOST_CUTS) for n in values)
        many = table.n_rows if n_rows is None else n_rows
        return cls(many, sum(numeric), terms, variables, nominal, sum(wide), gaps, ordered)

    @property
    def has_lines(self) -> bool:
        """Whether equations have something to be made of, and not too much: numbers, or sets of values."""
        return 0 < self.n_variables <= MOST_VARIABLES

    @property
    def has_quick_lines(self) -> bool:
        """Whether equations of all these variables in every node take bearable time."""
        return self.has_lines and self.n_rows * self.n_variables**3 <= SLOW_LINES

    @property
    def has_curves(self) -> bool:
        """The same with the squares of numbers."""
        n = self.n_variables + self.n_numeric
        return self.n_numeric > 0 and n <= MOST_VARIABLES and self.n_rows * n**3 <= SLOW_LINES

    @property
    def n_cells(self) -> int:
        """Rows times the terms of sums that are searched at a node: numbers, values of nominal columns."""
        return self.n_rows * (min(self.n_terms, MOST_TERMS) if self.n_nominal else self.n_terms)

    @property
    def small(self) -> TableShape:
        """The same shape with so few rows that nothing is too slow, for what the user names."""
        return replace(self, n_rows=1)


@dataclass(frozen=True)
class Configuration:
    """One way of growing.

    Attributes
    ----------
    name : what `consider` calls it
    words : what it is, for people
    make : the estimator's parameters, parts made anew
    suits : whether a table is worth a try
    path : whether cross-validation finds how far it is pruned; else its own parameters say so
    """

    name: str
    words: str
    make: Callable[[], Mapping[str, Any]]
    suits: Callable[[TableShape], bool] = lambda _: True
    path: bool = True


def _has_gaps(array: Any) -> bool:
    values = np.asarray(array)
    return bool((np.isnan(values) if values.dtype.kind == "f" else values < 0).any())


def _linear(least: int, grown_on: str, smoothing: float = 15.0) -> Mapping[str, Any]:
    leaf = Linear(drop="akaike", nominal="synthetic", smoothing=smoothing, grown_on=grown_on)
    return {"criterion": "sd", "leaf": leaf, "pruning": ModelError(), "min_samples_leaf": least}


def _m5() -> Mapping[str, Any]:
    leaf = Linear("tested-below", drop="akaike", nominal="synthetic", smoothing=15.0)
    limits = {"min_samples_split": 4, "min_samples_leaf": 2, "min_sd_share": 0.05}
    return {"criterion": "sd", "leaf": leaf, "pruning": ModelError(), **limits}


def _curved(least: int, drop: str | None) -> Mapping[str, Any]:
    leaf = Polynomial(2, ridge=1e-6, grown_on="residuals", drop=drop, nominal="synthetic", smoothing=15.0)
    return {"criterion": "sd", "leaf": leaf, "pruning": ModelError(), "min_samples_leaf": least}


_C45: Mapping[str, Any] = {"criterion": "gain-ratio", "selection": "average-gain"}

CLASSES: Sequence[Configuration] = (
    Configuration("entropy", "information gain, two branches", lambda: {"criterion": "entropy"}),
    Configuration(
        "oblique",
        "information gain, sums of columns",
        lambda: {"criterion": "entropy", "split": Oblique(indicators=True), "min_samples_leaf": 2},
        lambda shape: shape.n_terms > 1 and shape.n_cells <= SLOW_CELLS and not shape.ordered,
    ),
    Configuration("c45", "C4.5's gain ratio, two branches", lambda: {**_C45, "min_samples_leaf": 2}),
    Configuration(
        "c45-multiway",
        "C4.5's gain ratio, a branch for each value, gaps in fractions",
        lambda: {**_C45, "split": "multiway", "missing": "fractional"},
        lambda shape: (shape.n_wide > 0 or shape.gaps) and not shape.ordered,
    ),
    Configuration("gini", "Gini index, two branches", lambda: {"criterion": "gini"}),
)

NUMBERS: Sequence[Configuration] = (
    Configuration(
        "lines", "lines in the leaves", lambda: _linear(5, "target"), lambda s: s.has_quick_lines, path=False
    ),
    Configuration(
        "residuals",
        "lines in the leaves, grown on what one line leaves",
        lambda: _linear(10, "residuals"),
        lambda s: s.has_quick_lines and not s.ordered,
        path=False,
    ),
    Configuration(
        "smoother",
        "lines in the leaves, smoothed more, grown on what one line leaves",
        lambda: _linear(10, "residuals", smoothing=60.0),
        lambda s: s.has_quick_lines and not s.ordered,
        path=False,
    ),
    Configuration(
        "unsmoothed",
        "lines in the leaves, not smoothed, grown on what one line leaves",
        lambda: _linear(10, "residuals", smoothing=0.0),
        lambda s: s.has_quick_lines and not s.ordered,
        path=False,
    ),
    Configuration("m5", "M5's lines of the columns tested", _m5, lambda s: s.has_lines, path=False),
    Configuration(
        "curves",
        "parabolas in leaves of 50 rows or more, grown on what one of them leaves",
        lambda: _curved(50, None),
        lambda s: s.has_curves and not s.ordered,
        path=False,
    ),
    Configuration(
        "curves-20",
        "parabolas with terms dropped in leaves of 20 rows or more, grown on what one of them leaves",
        lambda: _curved(20, "akaike"),
        lambda s: s.has_curves and not s.ordered,
        path=False,
    ),
    Configuration("means", "means in the leaves", lambda: {"criterion": "variance", "min_samples_leaf": 5}),
)
