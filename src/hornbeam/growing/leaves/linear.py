"""Leaves that answer with an equation: a line or a polynomial of the numeric columns, by least squares.

The sums that least squares needs add up, so the equations of all nodes, leaves or not, come from one pass
over the rows; a pruner finds a model in every node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hornbeam._base.parameters import is_whole
from hornbeam._base.types import Task
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.leaves.constant import LeafModel
from hornbeam.growing.leaves.design import chosen_columns, number_of, powers, synthetic
from hornbeam.growing.leaves.fit_equations import DROPPING, EquationOptions, Variable, modelled
from hornbeam.growing.part import check_flag
from hornbeam.tree.equations import evaluate
from hornbeam.tree.tree import Tree

NOMINAL = ("none", "synthetic")
GROWN_ON = ("target", "residuals")
TESTED = "tested-below"


class Equations(LeafModel, ABC):
    """What leaves with equations share."""

    tasks: ClassVar[tuple[Task, ...]] = (Task.REAL,)

    columns: Any
    ridge: float
    clip: bool
    drop: str | None
    nominal: str
    smoothing: float
    grown_on: str
    max_terms: int | None
    rounded: bool

    def check(self) -> None:
        """Raise if a number is out of its range or of the wrong kind, or a name is not known."""
        number_of("ridge", self.ridge)
        number_of("smoothing", self.smoothing)
        check_flag("clip", self.clip)
        check_flag("rounded", self.rounded)
        if self.max_terms is not None and (not is_whole(self.max_terms) or self.max_terms < 1):
            raise ValueError(
                f"max_terms={self.max_terms!r} must be None for any number of terms, or a whole number of at"
                " least 1"
            )
        if self.smoothing > 0 and (self.rounded or self.max_terms is not None):
            short = "rounded=True" if self.rounded else f"max_terms={self.max_terms!r}"
            raise ValueError(
                f"smoothing={self.smoothing!r} mixes the terms of all equations along a path, so they would"
                f" be neither short nor round: leave smoothing=0, or leave out {short}"
            )
        choices = (("drop", tuple(DROPPING)), ("nominal", NOMINAL), ("grown_on", GROWN_ON))
        for name, allowed in choices:
            if getattr(self, name) not in allowed:
                names = ", ".join(map(repr, allowed))
                raise ValueError(f"{name}={getattr(self, name)!r} must be one of {names}")
        if isinstance(self.columns, str) and self.columns != TESTED:
            raise ValueError(
                f"columns={self.columns!r} must be None for all numeric columns, a list of names, or"
                f" {TESTED!r}"
            )
        if self.columns is not None and not isinstance(self.columns, (str, Sequence)):
            raise TypeError(f"columns={self.columns!r} must be None, a list of names, or {TESTED!r}")

    def answer_choices(self, target: Target) -> dict[str, Any]:
        """Nothing differs; classes are refused."""
        if not target.task.is_real:
            raise ValueError(
                f"leaf={type(self).__name__}() answers with numbers: use it in a TreeRegressor, or"
                " leaf='constant' for classes"
            )
        return {}

    def check_columns(self, columns: Sequence[Column]) -> None:
        """Raise if a column named is not there or not numeric."""
        chosen_columns(self.columns, columns)

    def growth_target(
        self, root: Callable[[], Tree], table: Table, target: Target, n_jobs: int | None
    ) -> Target:
        """The target, or what one equation for all rows leaves of it."""
        if self.grown_on == "target":
            return target
        design, ridge = self.design(table, target, {}), float(self.ridge)
        tree = modelled(root(), table, target, design, EquationOptions(ridge, clip=False), {}, n_jobs)
        if not tree.has_models:
            return target
        assert target.values is not None
        fitted = evaluate(tree, table.arrays, np.zeros(table.n_rows, dtype=np.int32))
        return replace(target, values=target.values - fitted)

    def modelled(
        self, tree: Tree, table: Table, target: Target, signs: Mapping[int, int], n_jobs: int | None
    ) -> Tree:
        """The tree with an equation in every node that has rows enough."""
        wanted = EquationOptions(
            float(self.ridge),
            self.clip,
            self.drop,
            float(self.smoothing),
            self.columns == TESTED,
            self.max_terms,
            self.rounded,
        )
        return modelled(tree, table, target, self.design(table, target, signs), wanted, signs, n_jobs)

    def design(self, table: Table, target: Target, signs: Mapping[int, int]) -> list[Variable]:
        """Each numeric column with its powers, and those made of nominal ones if they are wanted."""
        places = chosen_columns(self.columns, table.columns)
        variables: list[Variable] = powers(table, places, self.highest_power, signs)
        variables += synthetic(table, target) if self.nominal == "synthetic" else []
        if self.rounded or self.max_terms is not None:  # short equations are read in the order of the columns
            variables.sort(key=lambda variable: variable.column)
        return variables

    @property
    @abstractmethod
    def highest_power(self) -> int:
        """Up to which power a numeric column enters."""


@dataclass(eq=False, repr=False)
class Linear(Equations):
    """A linear equation in each leaf, fitted by least squares.

    In every node y = a + b1 x1 + b2 x2 + ... over the chosen numeric columns, with the a and b that minimise
    the sum over the node's rows of weight (y - prediction)^2, plus `ridge` times the sum of the squared
    slopes. Of columns that depend on each other the later ones are left out. A node of fewer rows than
    coefficients answers with its mean, unless there is a ridge. A missing value counts as the mean of the
    leaf's known values.

    The tree is grown as for constant leaves. Slopes obey `monotonic_cst`: a column whose slope would have
    the wrong sign is left out of that node's equation, and equations on the two sides of a test of a
    constrained column are kept apart at the middle of the two sides' means.

    Parameters
    ----------
    columns : None, list of names (or positions), or "tested-below"
        The columns to use: all numeric ones (dates excepted), those named, or in each node those that are
        tested below it (M5; a leaf that was never split answers with its mean).
    ridge : float
        The penalty on squared slopes, in the units of the columns, as scikit-learn's Ridge(alpha) has it.
    clip : bool
        Whether predictions are kept within the range of y in the leaf's training rows; where equations are
        smoothed, within that range smoothed in the same way, which lies within the range of all rows.
    drop : None, "quinlan", "weka" or "akaike"
        How terms are dropped. "quinlan": the term that adds least to the root mean squared error goes, as
        long as error (n + v) / (n - v) does not rise, with n rows and v coefficients; "weka": the same with
        (n + 2 v) / (n - v); "akaike": as Weka's LinearRegression does it, by Akaike's criterion.
    nominal : "none" or "synthetic"
        Whether a nominal column of k values enters as k - 1 variables of 0 and 1, one for each cut of its
        values in order of their mean y (M5'); of more than 65 values, as 64 whose cuts part the rows evenly.
    smoothing : float
        k of M5's smoothing: on the way up from the leaf the prediction p becomes (n p + k q) / (n + k), with
        n the rows of the node below and q what the node above would say. M5 has 15; 0 is none.
    grown_on : "target" or "residuals"
        What the tests part: the target, as in M5; or what one equation for all rows leaves of it, so that no
        test is spent on what a line says anyway. Needs the criterion "variance" or "sd", without monotonic
        constraints. Counts, means and gains of the nodes are those of the target in both cases.
    max_terms : int or None
        The most terms of an equation. Of more than four times as many variables those come into question
        that explain most, one added to the others at a time. After terms were dropped as `drop` says, the one
        without which the squared error rises least goes, until no more are left. Not with `smoothing`.
    rounded : bool
        Whether all numbers of an equation are rounded, as far as a person can see no difference: each slope
        to the fewest digits with which its term changes by at most 5 % of the standard deviation of the
        residuals; then intercept, bounds and what gaps add, likewise. A term that would become 0 goes. The
        rounded numbers are those of the model. Not with `smoothing`.

    References
    ----------
    Quinlan, J. R. (1992). Learning with continuous classes. AI '92.
    Wang, Y. & Witten, I. H. (1997). Induction of model trees for predicting continuous classes. ECML.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from hornbeam.parts import Linear
    >>> X, y = {"x": [1, 2, 3, 4, 5, 6]}, [10, 12, 14, 30, 32, 35]
    >>> model = hb.TreeRegressor("sd", leaf=Linear(), max_depth=1).fit(X, y)
    >>> print(hb.show(model, charset="ascii"))
    x?  SDR 8.49  22.17 +- 10.33  n=6
    |-- <= 3.5  -> 8 + 2*x  within 10 to 14  n=3
    `-- > 3.5  -> 19.83 + 2.5*x  within 30 to 35  n=3
    within: never below or above
    >>> model.predict({"x": [2.5, 100.0]})
    array([13., 35.])
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> short = Linear(drop="akaike", max_terms=4, rounded=True)
    >>> print(hb.show(hb.TreeRegressor(leaf=short, max_depth=0).fit(X, y), charset="ascii"))
    -> -340 + 7*bmi + 0.9*bp - 0.3*s1 + 60*s5  within 25 to 346  n=442
    within: never below or above
    """

    name, about = "linear", "a line by least squares"

    columns: Any = None
    ridge: float = 0.0
    clip: bool = True
    drop: str | None = None
    nominal: str = "none"
    smoothing: float = 0.0
    grown_on: str = "target"
    max_terms: int | None = None
    rounded: bool = False

    @property
    def highest_power(self) -> int:
        """Lines have none but the first."""
        return 1


@dataclass(eq=False, repr=False)
class Polynomial(Equations):
    """A polynomial in each leaf: the sum of one polynomial for each column, without products of columns.

    In every node y = a + sum over the chosen columns and p = 1 ... degree of b (x - c)^p, by least squares. A
    node of fewer rows than coefficients does with the next lower degree, at last with its mean. The center
    c is 0 unless the column's values lie far from it (years, say): then a round number near their middle, so
    that the powers stay apart. Columns of `monotonic_cst` enter linearly.

    Parameters
    ----------
    degree : int
        The highest power, 1 to 9.
    columns, ridge, clip, grown_on, drop, nominal, smoothing, max_terms, rounded
        As for `Linear`. With a ridge, or where terms are dropped, the degree is not lowered below 1.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from hornbeam.parts import Polynomial
    >>> X, y = {"x": [0, 1, 2, 3]}, [1, 3, 7, 13]
    >>> model = hb.TreeRegressor(leaf=Polynomial(degree=2), max_depth=0).fit(X, y)
    >>> print(hb.show(model, charset="ascii"))
    -> 1 + x + x^2  within 1 to 13  n=4
    within: never below or above
    >>> model = hb.TreeRegressor(leaf=Polynomial(degree=1), max_depth=0).fit(X, y)
    >>> [round(t["coefficient"], 6) for t in model.tree_.leaf_models[0]["terms"]]
    [4.0]
    """

    name, about = "polynomial", "a polynomial by least squares"

    degree: int = 2
    columns: Any = None
    ridge: float = 0.0
    clip: bool = True
    grown_on: str = "target"
    drop: str | None = None
    nominal: str = "none"
    smoothing: float = 0.0
    max_terms: int | None = None
    rounded: bool = False

    def check(self) -> None:
        """Raise if a number is out of its range."""
        super().check()
        if isinstance(self.degree, bool) or not isinstance(self.degree, int) or not 1 <= self.degree <= 9:
            raise ValueError(f"degree={self.degree!r} must be a whole number from 1 to 9")

    @property
    def highest_power(self) -> int:
        """The degree."""
        return self.degree
