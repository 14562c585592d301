"""What an automatic tree learns from and chooses among: how many observations equal rows are, and the
configurations: one table for classes, one for numbers.

A row of whole weight w, a row with count w and w equal rows must give the same tree, so all three are brought
into one form first. Which form is right depends on the table. Where the columns tell rows apart, equal rows
are copies of one observation: in different folds they would let a tree be judged on rows it has seen. They
are joined into one row of their joint weight. Where rows are combinations of few values, equal rows come
about by chance: each is an observation of its own, and so is each unit of a whole weight.

A configuration is the parameters of an ordinary estimator and the kind of table they suit. Which one wins is
decided by held-out rows, never here; where there are too few rows, the first of the table is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs, Task
from hornbeam.data.folds import row_numbers
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.data.weights_and_costs import row_counts, sample_weights
from hornbeam.growing.leaves import Linear, Polynomial
from hornbeam.growing.leaves.design import MOST_CUTS
from hornbeam.growing.leaves.fit_equations import MOST_VARIABLES
from hornbeam.growing.splits import Oblique
from hornbeam.growing.splits.oblique import MOST_TERMS
from hornbeam.pruning.model_error import ModelError
from hornbeam.tree.refit import refit
from hornbeam.tree.tree import Tree

COINCIDENCES = 0.25  # equals that a distinct row meets by chance, from which on equal rows are no copies
CONFLICTS = 0.05  # of the distinct rows of X have several classes: then equal rows are no copies, either
MOST = 2.0**53  # up to here whole numbers are exact


def observed(table: Table, target: Target, sample_weight: Any, counts: Any) -> tuple[Any, Any]:
    """The weights and counts to learn with in place of those given; the given ones if nothing changes.

    >>> table, target = Table.learn({"x": [0.1, 0.2, 0.2]}), Target.real_of([1.5, 3.5, 3.5])
    >>> observed(table, target, None, None)
    (array([1., 2., 0.]), None)
    >>> observed(table, target, [1, 1, 1], [4, 1, 0])
    (array([4., 1., 0.]), None)
    """
    weights, copies = sample_weights(sample_weight, table.n_rows), row_counts(counts, table.n_rows)
    total = (1.0 if weights is None else weights) * (np.ones(table.n_rows) if copies is None else copies)
    live = np.flatnonzero(total > 0)
    keys = row_numbers(table, target, 0)[live]
    order = live[np.lexsort((total[live], keys))]  # sorted, so that sums do not depend on the order of rows
    first = np.unique(np.sort(keys), return_index=True)[1]
    joined = len(first) < len(live) or (copies is not None and bool((copies[live] > 1).any()))
    whole = weights is not None and bool((total == np.rint(total)).all()) and float(total.sum()) < MOST
    if not (joined or whole):
        return sample_weight, counts
    if _repeat_by_chance(table, target, order[first]):
        return (None, total.astype(np.int64)) if whole else (sample_weight, counts)
    if not joined:
        return sample_weight, counts
    together: Floats = np.zeros(table.n_rows)
    together[order[first]] = np.add.reduceat(total[order], first)
    return together, None


def with_row_numbers(tree: Tree, table: Table, target: Target) -> Tree:
    """The tree with the number of rows of positive weight at each node, as they were given."""
    return tree.replace(n_rows=refit(tree, table, target).n_rows)


def _repeat_by_chance(table: Table, target: Target, rows: Longs) -> bool:
    """Whether equal rows come about by chance, judged by the distinct rows alone.

    If the columns were independent, a row would meet (D - 1) times the product of the columns' own shares of
    equal pairs. A real target counts as a column. Rows of X with several classes are no copies either.
    """
    some, goal = table.take(rows), target.take(rows)
    columns = [(column.kind, array) for column, array in zip(table.columns, some.arrays, strict=True)]
    if goal.values is not None:
        return _coincidences([*columns, ("numeric", goal.values)]) >= COINCIDENCES
    keys = row_numbers(some, Target(Task.REAL, values=np.zeros(len(rows))), 0)
    _, first, size = np.unique(keys, return_index=True, return_counts=True)
    if np.mean(size > 1) >= CONFLICTS:
        return True
    return _coincidences([(kind, array[first]) for kind, array in columns]) >= COINCIDENCES


def _coincidences(columns: list[tuple[str, AnyArray]]) -> float:
    """How many equals a row would have by chance among these distinct ones."""
    n = len(columns[0][1])
    if n < 2:
        return 0.0
    equals = float(n - 1)
    for kind, array in columns:
        size = np.unique(array, return_counts=True)[1].astype(np.float64)
        if kind == "numeric":  # of a number that is there once another row may never have the same
            equals *= float((size * (size - 1)).sum()) / (n * (n - 1))
        else:
            equals *= float((size**2).sum()) / n**2
    return equals


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
        its branches for single rows and its parts of rows
    shrinks : whether leaves may be smaller where rows are few
    """

    name: str
    words: str
    make: Callable[[], Mapping[str, Any]]
    suits: Callable[[TableShape], bool] = lambda _: True
    path: bool = True
    on_request: bool = False
    shrinks: bool = False

    def for_rows(self, n_rows: int) -> Configuration:
        """The same for so many rows: its leaves need no more than a twentieth of them, or five."""
        params = dict(self.make())
        if not self.shrinks or params["min_samples_leaf"] <= max(n_rows // 20, 5):
            return self
        return replace(self, make=lambda: {**self.make(), "min_samples_leaf": max(n_rows // 20, 5)})


def _has_gaps(array: Any) -> bool:
    values = np.asarray(array)
    return bool((np.isnan(values) if values.dtype.kind == "f" else values < 0).any())


def _rounded_lines(grown_on: str, max_terms: int | None) -> Mapping[str, Any]:
    leaf = Linear(drop="quinlan", nominal="synthetic", grown_on=grown_on, max_terms=max_terms, rounded=True)
    return {"criterion": "sd", "leaf": leaf, "min_samples_leaf": 20}


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
    Configuration("c45", "C4.5's gain ratio, two branches", lambda: {**_C45, **_TWO_ROWS}),
    Configuration(
        "c45-multiway",
        "C4.5's gain ratio, a branch for each value, gaps in fractions",
        lambda: {**_C45, "split": "multiway", "missing": "fractional"},
        lambda shape: (shape.n_wide > 0 or shape.gaps) and not shape.ordered,
        on_request=True,
    ),
    Configuration("gini", "Gini index, two branches", lambda: {**_TWO_ROWS, "criterion": "gini"}),
)

NUMBERS: Sequence[Configuration] = (
    Configuration(
        "short-lines",
        "lines of at most four terms",
        lambda: _rounded_lines("target", 4),
        lambda s: s.has_short_lines,
        shrinks=True,
    ),
    Configuration(
        "short-residuals",
        "lines of at most four terms, grown on what one line leaves",
        lambda: _rounded_lines("residuals", 4),
        lambda s: s.has_short_lines and not s.ordered,
        shrinks=True,
    ),
    Configuration(
        "long-lines",
        "lines of any number of terms",
        lambda: _rounded_lines("target", None),
        lambda s: s.has_quick_lines,
        shrinks=True,
    ),
    Configuration(
        "long-residuals",
        "lines of any number of terms, grown on what one line leaves",
        lambda: _rounded_lines("residuals", None),
        lambda s: s.has_quick_lines and not s.ordered,
        shrinks=True,
    ),
    Configuration(
        "short-curves",
        "parabolas of at most eight terms, grown on what one parabola leaves",
        _rounded_curves,
        lambda s: s.has_short_curves and not s.ordered,
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
                "smoothed lines, grown on what one line leaves",
                lambda: _linear(10, "residuals"),
                lambda s: s.has_quick_lines and not s.ordered,
            ),
            (
                "smoother",
                "lines smoothed more, grown on what one line leaves",
                lambda: _linear(10, "residuals", smoothing=60.0),
                lambda s: s.has_quick_lines and not s.ordered,
            ),
            (
                "unsmoothed",
                "lines, not smoothed, grown on what one line leaves",
                lambda: _linear(10, "residuals", smoothing=0.0),
                lambda s: s.has_quick_lines and not s.ordered,
            ),
            ("m5", "M5's lines of the columns tested", _m5, lambda s: s.has_lines),
            (
                "curves",
                "smoothed parabolas in leaves of 50 rows or more, grown on what one of them leaves",
                lambda: _curved(50, None),
                lambda s: s.has_curves and not s.ordered,
            ),
            (
                "curves-20",
                "smoothed parabolas with terms dropped in leaves of 20 rows, grown on what one leaves",
                lambda: _curved(20, "akaike"),
                lambda s: s.has_curves and not s.ordered,
            ),
        )
    ),
)
