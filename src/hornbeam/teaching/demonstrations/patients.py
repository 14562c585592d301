"""Overfitting: a full tree and a single leaf on columns that have nothing to do with the class.

One idea: what a tree learns from such columns is by heart, so on new rows it errs as often as two patients
drawn at random differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

from hornbeam._base.types import AnyArray, Floats
from hornbeam.data.measure_checks import number
from hornbeam.estimators.tree_estimators import TreeClassifier
from hornbeam.teaching import measures
from hornbeam.teaching.demonstrations.checks import lines, whole
from hornbeam.tree.words import amount


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
        return lines(title, {name: amount(value) for name, value in facts.items()})


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
    >>> found = overfitting(200, 5, n_test=1000, repetitions=2)
    >>> found.full_training, found.leaf_training, found.leaf_test, found.is_overfitted
    (0.0, 0.25, 0.25, True)
    >>> found.memorising
    0.375
    """
    n_rows, n_columns = whole(n_rows, "n_rows", 1), whole(n_columns, "n_columns", 1)
    n_test, repetitions = whole(n_test, "n_test", 1), whole(repetitions, "repetitions", 1)
    rate = number(share, "share", 0.0, 1.0)
    if kind not in ("continuous", "binary"):
        raise ValueError(f"kind={kind!r} must be 'continuous' or 'binary'")
    generator = np.random.default_rng(whole(random_state, "random_state", 0))
    runs = [list(_one_run(generator, n_rows, n_columns, n_test, rate, kind)) for _ in range(repetitions)]
    full_training, full_test, leaf_training, leaf_test, leaves = np.mean(runs, axis=0).tolist()
    return Overfitting(
        kind,
        n_rows,
        n_columns,
        rate,
        n_test,
        repetitions,
        full_training,
        full_test,
        leaf_training,
        leaf_test,
        leaves,
        0.0 if kind == "continuous" else expected_training_error(n_rows, n_columns, rate),
        measures.memorising_error(rate),
    )


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
    n_rows, n_columns = whole(n_rows, "n_rows", 1), whole(n_columns, "n_columns", 0, 1000)
    rate, one_cell = number(share, "share", 0.0, 1.0), 2.0**-n_columns
    center, spread = n_rows * one_cell, math.sqrt(n_rows * one_cell)
    low, high = max(int(center - 12 * spread - 40), 0), min(int(center + 12 * spread + 40), n_rows)
    n = np.arange(max(low, 1), high + 1)  # cells of other sizes are too rare to matter
    half = n // 2
    wrong = n * (rate * binom.cdf(half - 1, n - 1, rate) + (1 - rate) * binom.sf(half, n - 1, rate))
    total = float(binom.pmf(n, n_rows, one_cell) @ wrong)
    return total / (n_rows * one_cell)
