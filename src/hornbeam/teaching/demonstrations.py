"""Demonstrations: what overfitting and early stopping do, on data made for the purpose.

One idea: a demonstration is seeded, returns numbers, and prints as a small table.

>>> from hornbeam.teaching import demonstrations
>>> print(demonstrations.xor())
x1 xor x2 on 4 rows of 2 columns
gain of any single column          0
gain of x1 and x2 together         1
leaves of the full tree            4
leaves with min_gain=1e-09         1
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from numbers import Integral
from typing import Any

import numpy as np
from scipy.stats import binom

from hornbeam._base.parameters import check_choice, whole
from hornbeam._base.types import AnyArray, Floats
from hornbeam.data.measure_checks import number
from hornbeam.estimators.tree_estimators import TreeClassifier
from hornbeam.teaching import measures
from hornbeam.tree.words import amount

# ---- early stopping --------------------------------------------------------------------------------------
#
# No single column tells anything about exclusive or: a rule that demands a gain at every step cannot take the
# first of two steps that gain only together.


__all__ = ["EarlyStopping", "Overfitting", "expected_training_error", "overfitting", "xor"]

_MOST_COLUMNS = 16  # a truth table of more columns is too long to be a demonstration
_MOST_NUMBERS = 10**9  # of one table


@dataclass(frozen=True)
class EarlyStopping:
    """What a minimum gain does to exclusive or.

    Attributes
    ----------
    n_columns, n_rows : int
    min_gain : float
    gains : dict of str to float
        The information gain of every single column: none.
    joint_gain : float
        That of the two columns that matter together: all.
    full_leaves, stopped_leaves : int
        The leaves of the tree grown fully, and of the one that splits only if the gain exceeds `min_gain`.
    full_error, stopped_error : float
        Their training errors.
    relevant : tuple of str
        The two columns that matter.
    """

    n_columns: int
    n_rows: int
    min_gain: float
    gains: dict[str, float]
    joint_gain: float
    full_leaves: int
    stopped_leaves: int
    full_error: float
    stopped_error: float
    relevant: tuple[str, str] = ("x1", "x2")

    def to_dict(self) -> dict[str, Any]:
        """The numbers by name."""
        return asdict(self)

    def __str__(self) -> str:
        first, second = self.relevant
        facts = {
            "gain of any single column": amount(max(self.gains.values())),
            f"gain of {first} and {second} together": amount(self.joint_gain),
            "leaves of the full tree": str(self.full_leaves),
            f"leaves with min_gain={self.min_gain:g}": str(self.stopped_leaves),
        }
        return _fact_lines(f"{first} xor {second} on {self.n_rows} rows of {self.n_columns} columns", facts)


def xor(n_columns: int = 2, min_gain: float = 1e-9, *, relevant: str = "first") -> EarlyStopping:
    """Show that early stopping misses what only two columns together tell: y = x1 xor x2.

    All rows of the truth table of `n_columns` columns are used, so every single column has gain 0. A learner
    that insists on a gain stops at the root; one that grows fully finds the four leaves. Growing fully and
    pruning afterwards can do what early stopping does, not the other way round.

    Parameters
    ----------
    n_columns : int
        From 2 to 16; all but two of them do not matter.
    min_gain : float
        At least 0; a split must gain more.
    relevant : {"first", "last"}
        Which two columns matter. As all gains are 0, a tie decides for the first column: if the last two
        matter, the full tree asks for all others before, and has a leaf for every row.

    Returns
    -------
    EarlyStopping

    Examples
    --------
    >>> stopping = xor(5)
    >>> stopping.gains
    {'x1': 0.0, 'x2': 0.0, 'x3': 0.0, 'x4': 0.0, 'x5': 0.0}
    >>> stopping.joint_gain, stopping.full_leaves, stopping.stopped_leaves
    (1.0, 4, 1)
    >>> [xor(n, relevant="last").full_leaves for n in (4, 6, 8, 10)]
    [16, 64, 256, 1024]
    """
    check_choice("relevant", relevant, ("first", "last"))
    n_columns = _whole_between(n_columns, "n_columns", 2, _MOST_COLUMNS)
    least = number(min_gain, "min_gain", 0.0, math.inf)
    rows = np.array(list(product((0, 1), repeat=n_columns)))
    X = {f"x{j + 1}": rows[:, j] for j in range(n_columns)}
    first, second = ("x1", "x2") if relevant == "first" else (f"x{n_columns - 1}", f"x{n_columns}")
    y = X[first] ^ X[second]
    gains = {name: measures.information_gain(column, y) for name, column in X.items()}
    both = list(zip(X[first].tolist(), X[second].tolist(), strict=True))
    models = [TreeClassifier("entropy", min_gain=gain).fit(X, y) for gain in (None, least)]
    leaves = [model.tree_.n_leaves for model in models]
    errors = [measures.error_rate(y, model.predict(X)) for model in models]
    joint = measures.information_gain(both, y)
    sizes = leaves[0], leaves[1], errors[0], errors[1]
    return EarlyStopping(n_columns, len(y), least, gains, joint, *sizes, relevant=(first, second))


# ---- overfitting -----------------------------------------------------------------------------------------
#
# A full tree learns by heart from columns unrelated to the class, so on new rows it errs as often as two
# patients drawn at random differ.


@dataclass(frozen=True)
class Overfitting:
    """What a full tree and a single leaf make of columns unrelated to the class.

    Attributes
    ----------
    kind : {"continuous", "binary"}
    n_rows, n_columns, n_test, repetitions : int
    share : float
        The share of ill patients.
    full_training, full_test : float
        Error rates of the full tree on its training rows and on new ones, means over the repetitions.
    leaf_training, leaf_test : float
        The same of the tree of one leaf, which is the best there is.
    leaves : float
        The mean number of leaves of the full tree.
    expected_training : float
        The training error of the full tree to be expected: 0 for continuous columns,
        `expected_training_error` for binary ones.
    memorising : float
        2 p (1 - p), the error on new rows of a tree that gives each the label of an unrelated training row.
    """

    kind: str
    n_rows: int
    n_columns: int
    share: float
    n_test: int
    repetitions: int
    full_training: float
    full_test: float
    leaf_training: float
    leaf_test: float
    leaves: float
    expected_training: float
    memorising: float

    @property
    def is_overfitted(self) -> bool:
        """Whether the full tree is overfitted with respect to the single leaf."""
        full, leaf = (self.full_training, self.full_test), (self.leaf_training, self.leaf_test)
        return measures.is_overfitted(full, leaf)

    def to_dict(self) -> dict[str, Any]:
        """The numbers by name."""
        return asdict(self) | {"is_overfitted": self.is_overfitted}

    def __str__(self) -> str:
        facts = {
            "full tree, training error": self.full_training,
            "  to be expected": self.expected_training,
            "full tree, test error": self.full_test,
            "  of a tree that memorised": self.memorising,
            "single leaf, training error": self.leaf_training,
            "single leaf, test error": self.leaf_test,
            "leaves of the full tree": self.leaves,
        }
        title = f"{self.n_rows} rows, {self.n_columns} {self.kind} columns unrelated to the class"
        return _fact_lines(title, {name: amount(value) for name, value in facts.items()})


def overfitting(
    n_rows: int = 1000,
    n_columns: int = 10,
    share: float = 0.25,
    kind: str = "continuous",
    *,
    n_test: int = 10_000,
    repetitions: int = 5,
    random_state: int = 0,
) -> Overfitting:
    """Grow full trees on columns that have nothing to do with the class, and compare them with one leaf.

    The lecture's example: 1000 patients, 250 of them ill, and ten silly features. The standard learner is
    said to have 0 % training error and 37 % on new patients, the best tree 25 % and 25 %. Continuous features
    do that. Ten fair binary ones cannot: a thousand patients share 1024 cells, some of them with others of
    another class, so about 12 % training error remain.

    Parameters
    ----------
    n_rows : int
        Training rows; of these `round(share * n_rows)` are ill, and likewise of the test rows.
    n_columns : int
    share : float
        The share of ill patients.
    kind : {"continuous", "binary"}
        Uniform numbers, or fair coins.
    n_test : int
        Test rows in each repetition.
    repetitions : int
        How often all is done anew; the errors are means.
    random_state : int
        Seed of the first repetition; the next ones follow from it.

    Returns
    -------
    Overfitting

    Examples
    --------
    >>> errors = overfitting(200, 5, n_test=1000, repetitions=2)
    >>> errors.full_training, errors.leaf_training, errors.leaf_test, errors.is_overfitted
    (0.0, 0.25, 0.25, True)
    >>> errors.memorising
    0.375
    """
    n_rows, n_columns = whole(n_rows, "n_rows", 1), _whole_between(n_columns, "n_columns", 1, _MOST_NUMBERS)
    _whole_between(n_rows * n_columns, "n_rows * n_columns", 1, _MOST_NUMBERS)
    n_test, repetitions = whole(n_test, "n_test", 1), whole(repetitions, "repetitions", 1)
    rate = number(share, "share", 0.0, 1.0)
    if kind not in ("continuous", "binary"):
        raise ValueError(f"kind={kind!r} must be 'continuous' or 'binary'")
    generator = np.random.default_rng(whole(random_state, "random_state", 0))
    runs = [list(_one_run(generator, n_rows, n_columns, n_test, rate, kind)) for _ in range(repetitions)]
    expected = 0.0 if kind == "continuous" else expected_training_error(n_rows, n_columns, rate)
    settings: list[Any] = [kind, n_rows, n_columns, rate, n_test, repetitions]
    results = [*np.mean(runs, axis=0).tolist(), expected, measures.memorising_error(rate)]
    return Overfitting(*settings, *results)


def _one_run(
    generator: np.random.Generator, n_rows: int, n_columns: int, n_test: int, share: float, kind: str
) -> Iterator[float]:
    """Training and test error of the full tree, then of one leaf, and the leaves of the full tree."""
    X, y = _patients(generator, n_rows, n_columns, share, kind)
    X_test, y_test = _patients(generator, n_test, n_columns, share, kind)
    full = TreeClassifier("entropy").fit(X, y)
    leaf = TreeClassifier("entropy", max_leaf_nodes=1).fit(X, y)
    for model in (full, leaf):
        yield measures.error_rate(y, model.predict(X))
        yield measures.error_rate(y_test, model.predict(X_test))
    yield float(full.tree_.n_leaves)


def _patients(
    generator: np.random.Generator, n_rows: int, n_columns: int, share: float, kind: str
) -> tuple[Floats, AnyArray]:
    y = np.where(np.arange(n_rows) < round(share * n_rows), "ill", "healthy")
    X = generator.random((n_rows, n_columns))
    return (X if kind == "continuous" else (X < 0.5).astype(np.float64)), y


def expected_training_error(n_rows: int = 1000, n_columns: int = 10, share: float = 0.25) -> float:
    """The training error a full tree is expected to have on fair binary columns unrelated to the class.

    The rows fall into c = 2^n_columns cells, n of them into a given one with the binomial probability
    B(n; n_rows, 1/c), of which k are ill with probability B(k; n, share). A cell answers with its majority::

        E = c / n_rows * sum_n B(n; n_rows, 1/c) sum_k B(k; n, share) min(k, n - k)

    This is for rows that are ill independently of each other.

    Examples
    --------
    >>> round(expected_training_error(1000, 10, 0.25), 6)
    0.119559
    """
    n_rows = _whole_between(n_rows, "n_rows", 1, 10**12)
    n_columns = _whole_between(n_columns, "n_columns", 0, 1000)
    rate, one_cell = number(share, "share", 0.0, 1.0), 2.0**-n_columns
    center, spread = n_rows * one_cell, math.sqrt(n_rows * one_cell)
    low, high = max(int(center - 12 * spread - 40), 0), min(int(center + 12 * spread + 40), n_rows)
    n = np.arange(max(low, 1), high + 1)  # cells of other sizes are too rare to matter
    half = n // 2
    wrong = n * (rate * binom.cdf(half - 1, n - 1, rate) + (1 - rate) * binom.sf(half, n - 1, rate))
    total = float(binom.pmf(n, n_rows, one_cell) @ wrong)
    return total / (n_rows * one_cell)


# ---- shared ----------------------------------------------------------------------------------------------


def _fact_lines(title: str, facts: Mapping[str, str]) -> str:
    """A title, and names and values in two columns."""
    width = max(map(len, facts))
    return "\n".join([title, *(f"{name:<{width}}  {value:>8}" for name, value in facts.items())])


def _whole_between(value: Any, name: str, low: int, high: int) -> int:
    """A whole number within bounds, both included."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not low <= int(value) <= high:
        raise ValueError(f"{name}={value!r} must be a whole number from {low} to {high}")
    return int(value)
