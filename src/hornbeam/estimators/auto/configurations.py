"""The configurations among which an automatic tree chooses: one table for classes, one for numbers.

A configuration is the parameters of an ordinary estimator and the kind of table they suit. Which one wins is
decided by held-out rows, never here; where there are too few rows, the first of the table is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam._base.parameters import did_you_mean
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.growing.leaves import Linear, Polynomial
from hornbeam.growing.leaves.design import MOST_CUTS
from hornbeam.growing.leaves.fit_equations import MOST_VARIABLES
from hornbeam.growing.selections.gain_selections import PriceAware
from hornbeam.growing.splits import Oblique
from hornbeam.growing.splits.oblique import MOST_TERMS
from hornbeam.pruning.model_error import ModelError

SLOW_CELLS = 300_000  # rows times terms up to which sums of columns are searched
SLOW_LINES = 5 * 10**10  # rows times variables cubed up to which every node gets an equation of all variables
SLOW_SHORT_LINES = 10**9  # the same with variables squared, for equations of a few of them


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
        wide = [_is_wide(column) for column in table.columns]
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
    def has_short_lines(self) -> bool:
        """The same for equations of a few of these variables."""
        return self.has_lines and self.n_rows * self.n_variables**2 <= SLOW_SHORT_LINES

    @property
    def has_curves(self) -> bool:
        """Whether equations of all variables and the squares of numbers take bearable time."""
        return self.n_numeric > 0 and self.with_squares.has_quick_lines

    @property
    def has_short_curves(self) -> bool:
        """The same for equations of a few of them."""
        return self.n_numeric > 0 and self.with_squares.has_short_lines

    @property
    def with_squares(self) -> TableShape:
        """The same shape where each number enters equations twice."""
        return replace(self, n_variables=self.n_variables + self.n_numeric)

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
    on_request : whether it is tried only if it is asked for, since people cannot read its sums at sight, or
        its branches for single rows and its parts of rows, or since others do better
    shrinks : whether leaves may be smaller where rows are few
    discounts : whether columns of many values count less
    """

    name: str
    words: str
    make: Callable[[], Mapping[str, Any]]
    suits: Callable[[TableShape], bool] = lambda _: True
    path: bool = True
    on_request: bool = False
    shrinks: bool = False
    discounts: bool = False

    def for_table(self, columns: Sequence[Column], n_rows: int) -> Configuration:
        """The same for a table.

        Leaves that shrink need fewer rows in a table of fewer than 400, in proportion, but five. Where
        columns of many values count less, the gain of a test on k values is divided by the root of k - 1: of
        many ways to part values the best one gains something by chance.
        """
        changed: dict[str, Any] = {}
        if self.shrinks:
            least = self.make()["min_samples_leaf"]
            changed["min_samples_leaf"] = min(least, max(least * n_rows // 400, 5))
        if self.discounts:
            wide = [column for column in columns if _is_wide(column)]
            prices = {column.name: float(len(column.categories) - 2) for column in wide}
            changed["selection"] = PriceAware(prices, "nunez", w=0.5, default=0.0)
        return replace(self, make=lambda: {**self.make(), **changed}) if changed else self


def named_configurations(consider: Any, configurations: Sequence[Configuration]) -> list[Configuration]:
    """The configurations that `consider` names, in their own order; all of them for None."""
    if consider is None:
        return list(configurations)
    known = [configuration.name for configuration in configurations]
    names = [consider] if isinstance(consider, str) else list(consider)
    if not names:
        raise ValueError(f"consider=() leaves nothing to choose from: name some of {', '.join(known)}")
    for name in names:
        if name not in known:
            allowed = ", ".join(map(repr, known))
            raise ValueError(
                f"consider names {name!r}, which is not known{did_you_mean(name, known)}: use {allowed}"
            )
    return [configuration for configuration in configurations if configuration.name in names]


def _is_wide(column: Column) -> bool:
    return column.kind == "nominal" and len(column.categories) > 2


def _has_gaps(array: Any) -> bool:
    values = np.asarray(array)
    return bool((np.isnan(values) if values.dtype.kind == "f" else values < 0).any())


SHORT, LONG = 4, 8  # terms that equations have at most: as many as a person can use, and as can still be read


def _rounded_lines(grown_on: str, max_terms: int) -> Mapping[str, Any]:
    leaf = Linear(drop="weka", nominal="synthetic", grown_on=grown_on, max_terms=max_terms, rounded=True)
    return {"criterion": "sd", "leaf": leaf, "min_samples_leaf": 5 * max_terms}


def _rounded_curves() -> Mapping[str, Any]:
    leaf = Polynomial(
        ridge=1e-6, drop="quinlan", nominal="synthetic", grown_on="residuals", max_terms=8, rounded=True
    )
    return {"criterion": "sd", "leaf": leaf, "min_samples_leaf": 50}


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


_TWO_ROWS: Mapping[str, Any] = {"min_samples_leaf": 2}  # what a single row says is no finding
_C45: Mapping[str, Any] = {"criterion": "gain-ratio", "selection": "average-gain"}

CLASSES: Sequence[Configuration] = (
    Configuration("entropy", "information gain, two branches", lambda: {**_TWO_ROWS, "criterion": "entropy"}),
    Configuration(
        "oblique",
        "information gain, sums of up to three columns",
        lambda: {**_TWO_ROWS, "criterion": "entropy", "split": Oblique(max_columns=3, indicators=True)},
        lambda shape: shape.n_terms > 1 and shape.n_cells <= SLOW_CELLS and not shape.ordered,
        on_request=True,
    ),
    Configuration("gini", "Gini index, two branches", lambda: {**_TWO_ROWS, "criterion": "gini"}),
    Configuration(
        "few-values",
        "Gini index, less for columns of many values",
        lambda: {**_TWO_ROWS, "criterion": "gini"},
        lambda shape: shape.n_wide > 0,
        discounts=True,
    ),
    Configuration("c45", "C4.5's gain ratio, two branches", lambda: {**_C45, **_TWO_ROWS}, on_request=True),
    Configuration(
        "c45-multiway",
        "C4.5's gain ratio, a branch for each value, gaps in fractions",
        lambda: {**_C45, "split": "multiway", "missing": "fractional"},
        lambda shape: (shape.n_wide > 0 or shape.gaps) and not shape.ordered,
        on_request=True,
    ),
)

NUMBERS: Sequence[Configuration] = (
    Configuration(
        "short-lines",
        "lines of at most four terms",
        lambda: _rounded_lines("target", SHORT),
        lambda s: s.has_short_lines,
        shrinks=True,
    ),
    Configuration(
        "short-residuals",
        "lines of at most four terms, grown on the errors of one line for all rows",
        lambda: _rounded_lines("residuals", SHORT),
        lambda s: s.has_short_lines and not s.ordered,
        shrinks=True,
    ),
    Configuration(
        "long-lines",
        "lines of at most eight terms",
        lambda: _rounded_lines("target", LONG),
        lambda s: s.has_short_lines,
        shrinks=True,
    ),
    Configuration(
        "long-residuals",
        "lines of at most eight terms, grown on the errors of one line for all rows",
        lambda: _rounded_lines("residuals", LONG),
        lambda s: s.has_short_lines and not s.ordered,
        shrinks=True,
    ),
    Configuration(
        "short-curves",
        "parabolas of at most eight terms, grown on the errors of one parabola for all rows",
        _rounded_curves,
        lambda s: s.has_short_curves and not s.ordered,
        on_request=True,
    ),
    Configuration("means", "means in the leaves", lambda: {"criterion": "variance", "min_samples_leaf": 5}),
    *(
        Configuration(name, words, make, suits, path=False, on_request=True)
        for name, words, make, suits in (
            (
                "lines",
                "smoothed lines",
                lambda: _linear(5, "target"),
                lambda s: s.has_quick_lines,
            ),
            (
                "residuals",
                "smoothed lines, grown on the errors of one line for all rows",
                lambda: _linear(10, "residuals"),
                lambda s: s.has_quick_lines and not s.ordered,
            ),
            (
                "smoother",
                "lines smoothed more, grown on the errors of one line for all rows",
                lambda: _linear(10, "residuals", smoothing=60.0),
                lambda s: s.has_quick_lines and not s.ordered,
            ),
            (
                "unsmoothed",
                "lines, not smoothed, grown on the errors of one line for all rows",
                lambda: _linear(10, "residuals", smoothing=0.0),
                lambda s: s.has_quick_lines and not s.ordered,
            ),
            ("m5", "M5's lines of the columns tested", _m5, lambda s: s.has_lines),
            (
                "curves",
                "smoothed parabolas in leaves of 50 rows or more, grown on the errors of one for all rows",
                lambda: _curved(50, None),
                lambda s: s.has_curves and not s.ordered,
            ),
            (
                "curves-20",
                "smoothed parabolas with terms dropped, 20 rows a leaf, grown on one's errors on all rows",
                lambda: _curved(20, "akaike"),
                lambda s: s.has_curves and not s.ordered,
            ),
        )
    ),
)
