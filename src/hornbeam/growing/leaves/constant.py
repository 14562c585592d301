"""Leaves that answer with class shares or a mean, smoothed or not; leaves that keep quantiles or curves, too.

A leaf of few rows knows little. Smoothing draws its answer towards what is known without it, the more the
fewer its rows; the tests and the Stats stay as they are. No training row stays in a tree, so quantiles that
are asked for later must be named before growing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

from hornbeam._base.parameters import check_choice, is_number
from hornbeam._base.types import Task
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.part import Part, check_level
from hornbeam.tree.answer_rule import LABELS, SMOOTHING
from hornbeam.tree.tree import Tree


class LeafModel(Part):
    """What a leaf answers with."""

    tasks: ClassVar[tuple[Task, ...]] = (Task.CLASSES, Task.REAL)

    def answer_choices(self, target: Target) -> dict[str, Any]:  # noqa: ARG002 (the same for all targets)
        """What differs from shares and means, by the names of `hornbeam.tree.answer_rule.AnswerRule`."""
        return {}

    def check_columns(self, columns: Sequence[Column]) -> None:
        """Raise a ValueError if the model cannot be made of these columns."""

    def growth_target(
        self,
        root: Callable[[], Tree],  # noqa: ARG002 (what follows from no equation)
        table: Table,  # noqa: ARG002
        target: Target,
        n_jobs: int | None,  # noqa: ARG002
    ) -> Target:
        """What growing looks at; `root` makes the tree of one node."""
        return target

    def modelled(
        self,
        tree: Tree,
        table: Table,  # noqa: ARG002 (constants need no rows)
        target: Target,  # noqa: ARG002
        signs: Mapping[int, int],  # noqa: ARG002
        n_jobs: int | None,  # noqa: ARG002
    ) -> Tree:
        """The tree with what its leaves answer; `signs` are monotonic constraints by column."""
        return tree


# The number each smoothing takes, with its default.
_AMOUNTS: Mapping[str, tuple[str, float]] = {"m-estimate": ("m", 2.0), "shrinkage": ("strength", 1.0)}


@dataclass(eq=False, repr=False)
class Constant(LeafModel):
    """The class shares and one class, or the mean.

    With n the weight of a node's rows (a row weighs 1 unless weighted), n_k that of class k among K classes,
    and f the node's own shares n_k / n or mean, every node answers with

    ================  ===========================================================================
    smoothing         probability of class k, or the mean of a regression
    ================  ===========================================================================
    ``"none"``        f
    ``"laplace"``     (n_k + 1) / (n + K); classes only
    ``"m-estimate"``  (n f + m f_root) / (n + m), f_root being the shares, or mean, of all rows
    ``"shrinkage"``   p = (n f + s p_above) / (n + s), s the strength, from the root (p = f) down
    ================  ===========================================================================

    A branch no training row took answers as the node above it. Smoothing changes probabilities and means,
    never the class answered, unless costs are given: then the class of least expected cost by these
    probabilities.

    Parameters
    ----------
    smoothing : "none", "laplace", "m-estimate" or "shrinkage"
    m : float or None
        How many rows the shares of the root are worth in an m-estimate; None is 2.
    strength : float or None
        How many rows the answer of the node above is worth in shrinkage; None is 1.
    label : "majority" or "median"
        The class answered: the heaviest, of equally heavy ones the first in class order; or, for classes that
        have an order (an ordered categorical, or numbers), the weighted median, the first class with at least
        half of the weight at or below it.

    References
    ----------
    Cestnik, B. (1990). Estimating probabilities: a crucial task in machine learning. ECAI.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from hornbeam.parts import Constant
    >>> X, y = {"x": [1, 2, 3, 4]}, ["a", "a", "a", "b"]
    >>> model = hb.TreeClassifier(leaf=Constant(smoothing="laplace")).fit(X, y)
    >>> model.predict_proba({"x": [1, 4]})  # (3 + 1) / (3 + 2) and (0 + 1) / (1 + 2)
    array([[0.8       , 0.2       ],
           [0.33333333, 0.66666667]])
    >>> model.set_params(leaf=Constant("m-estimate", m=1)).fit(X, y).predict_proba({"x": [1, 4]})
    array([[0.9375, 0.0625],
           [0.375 , 0.625 ]])
    """

    name, about = "constant", "majority class and shares, or mean"

    smoothing: str = "none"
    m: float | None = None
    strength: float | None = None
    label: str = "majority"

    def check(self) -> None:
        """Raise if a name is not known, or a number is out of its range or has no use."""
        check_choice("smoothing", self.smoothing, tuple(SMOOTHING))
        check_choice("label", self.label, LABELS)
        for smoothing, (name, _) in _AMOUNTS.items():
            value = getattr(self, name)
            if value is None:
                continue
            if not is_number(value) or not 0 <= value < math.inf:
                raise ValueError(f"{name}={value!r} must be a finite number of at least 0")
            if smoothing != self.smoothing:
                raise ValueError(
                    f"{name}={value!r} belongs to smoothing={smoothing!r}, but smoothing is"
                    f" {self.smoothing!r}: use Constant(smoothing={smoothing!r}, {name}={value!r}), or leave"
                    f" {name} out"
                )

    def answer_choices(self, target: Target) -> dict[str, Any]:
        """What differs from shares and means, by the names of `hornbeam.tree.answer_rule.AnswerRule`."""
        if not target.task.is_classes:
            self._refuse_for_numbers()
        elif self.label == "median" and not _has_order(target):
            raise ValueError(
                "label='median' needs classes that have an order: give y as an ordered categorical, or as"
                " numbers; or use label='majority'"
            )
        return {"smoothing": self.smoothing, "amount": self._amount(), "label": self.label}

    def _amount(self) -> float:
        if self.smoothing not in _AMOUNTS:
            return 0.0
        name, default = _AMOUNTS[self.smoothing]
        given = getattr(self, name)
        return default if given is None else float(given)

    def _refuse_for_numbers(self) -> None:
        if self.smoothing == "laplace":
            raise ValueError(
                "smoothing='laplace' is for classes: for a target of numbers use 'm-estimate' or 'shrinkage'"
            )
        if self.label != "majority":
            raise ValueError(
                f"label={self.label!r} is for classes: a target of numbers is answered by its mean"
            )


def _has_order(target: Target) -> bool:
    return target.ordered or all(isinstance(label, Real) for label in target.classes)


class Quantiles(LeafModel):
    """The mean (or what the criterion makes nodes answer), and quantiles of the rows of every node.

    `predict` answers as with `leaf="constant"`; `predict_quantiles` and `predict_interval` answer with the
    quantiles. The q-quantile is the smallest y with at least the share q of the node's weight at or below it;
    if that share is exactly q, the middle between this y and the next.

    Parameters
    ----------
    levels : sequence of float
        The quantiles kept, each above 0 and below 1. An interval that covers the share c needs the levels
        (1 - c) / 2 and (1 + c) / 2.

    References
    ----------
    Meinshausen, N. (2006). Quantile regression forests. JMLR 7, 983-999.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from hornbeam.parts import Quantiles
    >>> X, y = {"x": [1, 1, 1, 1, 2, 2, 2, 2]}, [1, 2, 3, 4, 10, 20, 30, 40]
    >>> model = hb.TreeRegressor(leaf=Quantiles(levels=(0.25, 0.5, 0.75))).fit(X, y)
    >>> model.predict({"x": [1]}), model.predict_quantiles({"x": [1, 2]})
    (array([2.5]), array([[ 1.5,  2.5,  3.5],
           [15. , 25. , 35. ]]))
    >>> model.predict_interval({"x": [2]}, coverage=0.5)
    array([[15., 35.]])
    """

    name, about = "quantiles", "quantiles of the rows beside the mean"
    tasks = (Task.REAL,)

    def __init__(self, levels: Any = (0.05, 0.5, 0.95)) -> None:
        self.levels = levels

    def check(self) -> None:
        """Raise if the levels are no shares."""
        if isinstance(self.levels, str) or not isinstance(self.levels, Iterable) or not list(self.levels):
            raise ValueError(
                f"levels={self.levels!r} must be a list of numbers above 0 and below 1, such as (0.05, 0.95)"
            )
        for level in self.levels:
            check_level("levels", level)

    def answer_choices(self, target: Target) -> dict[str, Any]:
        """What differs from shares and means, by the names of `hornbeam.tree.answer_rule.AnswerRule`."""
        if not target.task.is_real:
            raise ValueError(
                f"leaf={self!r} is for a target of numbers, but the target has classes: use leaf='constant'"
            )
        return {"levels": tuple(sorted({float(level) for level in self.levels}))}


class Curves(LeafModel):
    """Survival curves of the rows of every node, and its risk: events over those that all rows expect.

    A risk of 2 means twice as many events as rows like all others would have had in the same time. Leaves
    without events have a risk, too, since each is taken together with `m` expected events at the risk of all
    rows: (events + m) / (expected events + m). That is rpart's shrinking, where `m` is 1 / shrink^2.

    Parameters
    ----------
    m : float
        How many expected events the risk of all rows is worth; 0 leaves the node's own risk.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from hornbeam.parts import Curves
    >>> X, y = {"age": [40, 45, 50, 70, 75, 80]}, [[9, 0], [8, 1], [9, 0], [2, 1], [3, 1], [4, 1]]
    >>> model = hb.TreeSurvival("exponential", leaf=Curves(m=0), max_depth=1, min_samples_leaf=2).fit(X, y)
    >>> model.tree_.text()
    'age[<=60: 0.3509(n=3) | >60: 2.6087(n=3)]'
    """

    name, about = "curves", "survival curves, and the risk relative to all rows"
    tasks = (Task.SURVIVAL,)

    def __init__(self, m: float = 1.0) -> None:
        self.m = m

    def check(self) -> None:
        """Raise if m is no amount."""
        if not is_number(self.m) or not 0 <= self.m < math.inf:
            raise ValueError(f"m={self.m!r} must be a finite number of at least 0")

    def answer_choices(self, target: Target) -> dict[str, Any]:
        """What differs from shares and means, by the names of `hornbeam.tree.answer_rule.AnswerRule`."""
        if not target.task.is_survival:
            raise ValueError(
                f"leaf={self!r} is for survival: use it in a TreeSurvival, or use leaf='constant'"
            )
        return {"smoothing": "m-estimate", "amount": float(self.m)} if self.m else {}

    def modelled(
        self,
        tree: Tree,
        table: Table,
        target: Target,
        signs: Mapping[int, int],  # noqa: ARG002
        n_jobs: int | None,
    ) -> Tree:
        """The tree with the curves of its nodes."""
        from hornbeam.tree.survival_curves import learn_curves  # here: other trees do without

        return learn_curves(tree, table, target, n_jobs)
