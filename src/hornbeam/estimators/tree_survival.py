"""TreeSurvival: trees of survival times, some of which are censored.

A survival tree is a tree of rates (`hornbeam.data.rates`) whose nodes keep survival curves as well
(`hornbeam.tree.survival_curves`); what it answers about a row is a risk, or the curve of its leaf.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

import numpy as np

from hornbeam._base.survival_statistics import concordance
from hornbeam._base.types import Floats, Longs, Task
from hornbeam.data.survival import names_of, part_outcome, survival_of, survival_target
from hornbeam.data.weights_and_costs import sample_weights
from hornbeam.estimators.base import Progress
from hornbeam.estimators.tree_estimators import SlotTree
from hornbeam.estimators.tree_rows import in_pieces
from hornbeam.growing.leaves import LEAVES, LeafModel
from hornbeam.growing.part import resolve
from hornbeam.tree import apply
from hornbeam.tree.answer_rule import AnswerRule
from hornbeam.tree.survival_curves import curve_of, curves_at


@dataclass(eq=False, repr=False)
class TreeSurvival(SlotTree):
    """A survival tree: which rows have the event early, and which late or never.

    Parameters
    ----------
    criterion : "log-rank", "exponential", or a part of `hornbeam.parts`
        How splits are judged: by the log-rank statistic of the branches, as in scikit-survival, or by the
        deviance of exponential survival times, as in rpart (`method="exp"`). The former is exact at every
        threshold; the latter is a function of sums, so it goes with every choice for missing values and with
        monotonic constraints.
    leaf : "curves", or a part of `hornbeam.parts`
        Leaves keep survival curves, and a risk relative to all rows; `Curves(m=...)` says how far risks are
        drawn towards 1.
    pruning : None, "cost-complexity", or a part of `hornbeam.parts`
        The risk that is weighed against leaves is half the deviance of exponential survival times, whatever
        the criterion (LeBlanc & Crowley 1992).
    min_samples_split, min_samples_leaf : int or float
        As for `TreeClassifier`; 6 and 3 unless given.
    monotonic_cst : dict, list or None
        `{column: +1}`: the risk never falls when the column rises; -1: never rises. With "exponential" and
        `leaf=Curves(m=0)` only.
    The other parameters
        As for `TreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        Its answers are risks; `hornbeam.tree.survival_curves.curve_of(tree_, node)` is the curve of a node.
    event_times_ : the times at which training rows had events, ascending
    pruning_ : Pruned or None
    n_features_in_, feature_names_in_, feature_importances_

    Examples
    --------
    >>> X = {"age": [40, 45, 50, 70, 75, 80], "years": [9, 8, 9, 2, 3, 4], "died": [0, 1, 0, 1, 1, 1]}
    >>> model = TreeSurvival(min_samples_leaf=2, max_depth=1).fit(X, y=("years", "died"))
    >>> model.predict({"age": [42, 77]}).round(2)  # events relative to all rows
    array([0.52, 1.86])
    >>> model.predict_survival_function({"age": [42, 77]}, times=[3, 8]).round(4)
    array([[1.    , 0.6667],
           [0.3333, 0.    ]])
    """

    task = Task.SURVIVAL

    criterion: Any = "log-rank"
    leaf: Any = "curves"
    _: KW_ONLY
    min_samples_split: float = 6
    min_samples_leaf: float = 3

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        counts: Any = None,
        progress: Progress | None = None,
    ) -> TreeSurvival:
        """Learn a tree.

        Parameters
        ----------
        X : a pandas, polars or pyarrow table, a numpy array, a dict of columns or a list of dicts
        y : for each row how long it was observed, and whether it had the event then: a structured array with
            a number and a boolean (as scikit-survival's), an array or table of two columns (time, event), a
            tuple of two columns, or the names of two columns of X, such as `("time", "event")`. An event is 1
            or True; 0 or False is a row whose observation ended without one.
        sample_weight : weight of each row; with criterion="exponential" only
        counts, progress : as for `TreeClassifier.fit`
        """
        names = names_of(y)
        if names is not None:
            X, y = part_outcome(X, names)
        self._fit(X, partial(survival_target, y, sample_weight, counts), progress)
        return self

    def answer_rule(self, target: Any) -> AnswerRule:
        """How nodes answer: with risks, as the leaf model says."""
        leaf = resolve("leaf", self.leaf, LEAVES, LeafModel)
        if Task.SURVIVAL not in leaf.tasks:
            raise ValueError(f"leaf={leaf!r} keeps no survival curves: use leaf='curves'")
        return super().answer_rule(target)

    @in_pieces
    def predict(self, X: Any) -> Floats:
        """The risk of each row: the events of its leaf, relative to what all rows expect in that time."""
        leaves, columns = self._leaves(X)
        return apply.row_values(self.tree_, leaves, columns, self.n_jobs)

    @property
    def event_times_(self) -> Floats:
        """The times at which training rows had events, ascending."""
        if "tree_" not in self.__dict__:
            raise AttributeError("this TreeSurvival has no tree_ yet: call fit first")
        return curve_of(self.tree_, 0).time

    def predict_survival_function(self, X: Any, times: Any = None) -> Floats:
        """The share of rows like these that lives beyond each time: Kaplan-Meier's curve of their leaves.

        Parameters
        ----------
        X : rows
        times : sequence of float or None
            None: `event_times_`.

        Returns
        -------
        array of shape (rows, times)
        """
        return self._curves(X, times, of="survival")

    def predict_cumulative_hazard_function(self, X: Any, times: Any = None) -> Floats:
        """The events expected of each row up to each time: Nelson-Aalen's curve of their leaves.

        The parameters are those of `predict_survival_function`.
        """
        return self._curves(X, times, of="hazard")

    def _curves(self, X: Any, times: Any, *, of: str) -> Floats:
        leaves, columns = self._leaves(X)
        at = self.event_times_ if times is None else np.asarray(times, dtype=np.float64)
        if at.ndim != 1 or np.isnan(at).any():
            raise ValueError(f"times={times!r} must be a list of numbers, in any order")
        row, leaf, weight = self._entries(leaves, columns)
        used, place = np.unique(leaf, return_inverse=True)
        curves = curves_at(self.tree_, used.tolist(), at, of=of)
        if columns is None:
            return curves[place]
        total = np.zeros((len(leaves), len(at)))
        np.add.at(total, row, weight[:, None] * curves[place])
        return total

    def _entries(self, leaves: Any, columns: Any) -> tuple[Longs, Longs, Floats]:
        """(row, leaf, weight): a row that follows several paths has an entry for each leaf."""
        if columns is None:
            return np.arange(len(leaves)), leaves.astype(np.int64), np.ones(len(leaves))
        routing = apply.complete_routing(self.tree_, leaves, columns)
        return routing.rows, routing.leaf.astype(np.int64), routing.weight

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Harrell's c: how often, of two rows, the one that had the event earlier has the higher risk.

        One half is what chance does, 1 is perfect. nan if no two rows can be compared.
        """
        names = names_of(y)
        if names is not None:
            X, y = part_outcome(X, names)
        time, event = survival_of(y)
        risk = self.predict(X)
        weight = None if sample_weight is None else sample_weights(sample_weight, len(time))
        return concordance(time, event, risk, weight)
