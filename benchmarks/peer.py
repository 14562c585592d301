"""What a learner that is compared has to offer.

The one idea: a `Job` says what tree is wanted (depth, rows a leaf, threads) and a `Peer` is that job in a
learner's own terms. Whatever a learner needs before it can start (another form of the table) is prepared
before the clock starts. A peer that is missing or cannot do a job says why.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

LARGE = 200_000
"""Rows above which a boosting library is not asked for a full tree: it takes gigabytes or tens of seconds."""


@dataclass(frozen=True)
class Job:
    """One tree to grow, in terms that every peer can be set to."""

    task: str  # "classes" or "regression"
    classes: int
    rows: int
    max_depth: int | None
    min_leaf: int
    threads: int
    nominal: tuple[int, ...] = ()
    cols: int = 20

    @property
    def multiclass(self) -> bool:
        return self.task == "classes" and self.classes > 2

    @property
    def too_large_for_boosting(self) -> bool:  # a full tree for regression has a leaf for every row
        return self.max_depth is None and (self.rows > LARGE or self.task == "regression")

    @property
    def too_wide_for_boosting(self) -> bool:
        """Whether the histograms of a full tree's nodes, one for each column and class, fill the memory."""
        return self.max_depth is None and self.rows * self.cols * max(self.classes - 1, 1) > 20 * LARGE


class Peer(ABC):
    """A learner set up for one job; the defaults suit a scikit-learn estimator."""

    name: ClassVar[str]
    package: ClassVar[str]
    exact: ClassVar[bool] = True  # searches all thresholds, not those between at most 256 bins
    alike: ClassVar[bool] = True  # grows a tree in which each node has a test of its own
    slow: ClassVar[bool] = False  # one repetition has to do on large data
    one_thread: ClassVar[bool] = False
    grows: ClassVar[str] = ""  # what is peculiar about its trees
    way: ClassVar[str] = ""  # what it does with nominal columns and gaps

    def __init__(self, job: Job) -> None:
        self.job = job
        self.module = self.load()

    @classmethod
    def load(cls) -> Any:
        return importlib.import_module(cls.package)

    @classmethod
    def missing(cls) -> str | None:
        """Why the peer cannot be used at all, or None."""
        try:
            cls.load()
        except (ImportError, OSError) as error:
            return f"not available: {error}"
        return None

    def refuses(self) -> str | None:
        """Why the peer cannot do its job, or None."""
        return None

    def prepare(self, X: Array) -> Any:
        """The table as the peer wants it: not timed."""
        return X

    @abstractmethod
    def fit(self, X: Any, y: Array) -> Any:
        """Grow the tree: this call is what is timed."""

    def predict(self, model: Any, X: Any) -> Array:
        """Class numbers or real values."""
        return np.asarray(model.predict(X))

    @abstractmethod
    def leaves(self, model: Any) -> int | None:
        """How many leaves the tree has, None where that cannot be known."""
