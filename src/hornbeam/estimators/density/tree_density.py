"""TreeDensity: the estimator of density trees.

A density is learned as any tree, only without a target; it answers how much of the training weight lies where
a row lies, per unit of volume.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted

from hornbeam._base.parameters import Stages, check_n_jobs, is_whole, seed_of
from hornbeam._base.types import Floats, Task
from hornbeam.data.column_choice import without_excluded
from hornbeam.data.table import Table
from hornbeam.data.target import Target, counted_rows
from hornbeam.estimators.base import Progress, TreeModel
from hornbeam.estimators.density import drawn_rows
from hornbeam.estimators.density.density_pruning import PRUNING, DensityPath, DensityPruner
from hornbeam.estimators.density.grow_density import (
    DensityPlan,
    grow_density,
    inside,
    refuse_missing,
    root_box,
    rows_without_outcome,
)
from hornbeam.estimators.tree_rows import refuse_no_rows
from hornbeam.growing.interruption import GrowthStopped, TimeLimit, Watcher, check_stopped, watched
from hornbeam.growing.part import resolve
from hornbeam.growing.plan import limits_of
from hornbeam.tree import apply
from hornbeam.tree.density_boxes import log_densities
from hornbeam.tree.tree import Tree


@dataclass(eq=False, repr=False)
class TreeDensity(DensityMixin, TreeModel):
    """A density tree: the training rows as boxes of even density (Ram & Gray 2011).

    A node t with share w of the weight and a box of volume V has the loss R(t) = -w² / V. The cut chosen is
    the one that lowers the loss most; a leaf's density is w / V, so the density integrates to 1. Volume is
    length on numeric columns, and the number of values left on nominal and ordinal ones (over which it sums).

    Parameters
    ----------
    pruning : None, "cross-validated", "cost-complexity", or a part of `hornbeam.parts`
        How the tree is pruned after growing. Unpruned with the other defaults every row gets a leaf of its
        own, which no new row believes: prune, or set `min_samples_leaf`.
    support : dict, list or None
        Where the density may be positive: `{column: (low, high)}`, or a pair (or None) for each column.
        Columns it does not name have the range of the training rows that count. Nominal and ordinal columns
        have their categories.
    max_depth : int or None
        A node of this depth is a leaf.
    max_leaf_nodes : int or None
        Grow best first, up to this many leaves.
    min_samples_split : int or float
        A node of fewer rows is a leaf; a float is a share of the rows.
    min_samples_leaf : int or float
        Both sides of a cut hold at least this many rows.
    min_gain : float or None
        A cut must lower the loss by more than this; None allows cuts that lower nothing, 0.0 forbids them.
    categorical_features : "from_dtype", or the nominal columns: names, positions, a mask
    exclude : None, or the columns to leave out: names, positions, a mask
    parse_dates : None, "auto", or columns of text to read as dates, as for `TreeClassifier`
    n_jobs : int or None
        Threads; None is all cores. The tree is the same for any number.
    random_state : int, Generator, RandomState or None
        Deals the rows of `pruning="cross-validated"`; None deals otherwise at each fit.
    time_limit : float or None
        Seconds after which growth is stopped, as for `TreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        Its stats are weights, its answers densities, its gains decreases of the loss.
    path_ : DensityPath or None
        The subtrees pruning chose from, if there is pruning.
    partial_ : bool
        Whether growth or pruning was stopped before it was finished.
    n_features_in_, feature_names_in_, feature_importances_

    Notes
    -----
    Missing values are refused. A column with one value, and no support, is a point: it leaves the volume as
    it is, and rows with another value have density 0, as all rows outside the support. A cut that would leave
    a box without length is no candidate. `hornbeam.estimators.density.cuts` lists every cut of a table with
    its score.

    Examples
    --------
    >>> X = {"x": [1.0, 2.0, 2.5, 3.0, 9.0]}
    >>> model = TreeDensity(max_depth=1, support={"x": (0, 10)}).fit(X)
    >>> model.tree_.text()
    'x[<=2.75: 0.2182(n=3) | >2.75: 0.0552(n=2)]'
    >>> model.score_samples({"x": [2.0, 5.0, 11.0]}).round(4)
    array([-1.5224, -2.8973,    -inf])
    """

    task = Task.DENSITY

    pruning: Any = None
    _: KW_ONLY
    support: Any = None
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_gain: float | None = None

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        counts: Any = None,
        progress: Progress | None = None,
    ) -> TreeDensity:
        """Learn a density tree.

        Parameters
        ----------
        X : a pandas, polars or pyarrow table, a numpy array, a dict of columns or a list of dicts
        y : ignored; it is there for scikit-learn's pipelines and searches
        sample_weight : weight of each row: scales its share, never its number
        counts : repetitions of each row: a row with count w is w rows
        progress : called now and then with the share of the work that is done, last with 1.0; return True to
            stop, as for `TreeClassifier.fit`
        """
        del y
        limit, stopped = TimeLimit(self.time_limit, progress), None
        table = self.learn_table(X)
        refuse_missing(table)
        target = rows_without_outcome(table.n_rows, sample_weight, counts)
        pruner = None
        if self.pruning is not None:
            pruner = resolve("pruning", self.pruning, PRUNING, DensityPruner)
        check_n_jobs(self.n_jobs)
        low, high = root_box(table, target.row_weight > 0, self.support)
        plan = DensityPlan(table, low, high, self.n_jobs, limits_of(self, counted_rows(target)))
        watcher = watched(limit.progress)
        stages = Stages(watcher, 1 if pruner is None else 1 + pruner.n_growths(target))
        path = None
        try:
            tree = grow_density(plan, target, stages.next())
            if pruner is not None:
                tree, path = self._prune(pruner, tree, plan, target, (stages, watcher))
        except GrowthStopped as error:
            stopped = error
        self.__dict__.pop("tree_", None)  # it comes last: interrupted here, the estimator is not fitted
        self.path_ = path
        self.keep_names(X, table)
        self._container = drawn_rows.container_of(X)
        if stopped is None:
            self.tree_ = tree
        else:
            self.keep_partial(stopped)
        limit.end_fit(stopped)
        return self

    def _prune(
        self,
        pruner: DensityPruner,
        tree: Tree,
        plan: DensityPlan,
        target: Target,
        asked: tuple[Stages, Watcher | None],
    ) -> tuple[Tree, DensityPath]:
        stages, watcher = asked

        def regrow(other: Target) -> Tree:  # limits that are shares are shares of the rows it is grown on
            check_stopped(watcher, tree)
            return grow_density(
                replace(plan, limits=limits_of(self, counted_rows(other))), other, stages.next()
            )

        try:
            return pruner.prune(tree, plan.table, target, regrow, seed_of(self.random_state))
        except GrowthStopped as stopped:
            sentence = (
                f"pruning was interrupted; the exception's `tree` is the unpruned tree of {len(tree)} nodes"
            )
            raise type(stopped)(sentence, tree) from None

    def score_samples(self, X: Any) -> Floats:
        """The natural logarithm of the density at each row; -inf outside the support."""
        check_is_fitted(self, "tree_")
        tree = self.tree_
        X = without_excluded(X, self.exclude, len(tree.columns))
        table = Table.match(X, tree.columns, type(self).__name__)
        refuse_no_rows(table.n_rows, len(table.columns))
        refuse_missing(table)
        leaves = None if table.dense is None else apply.dense_leaves(tree, table.dense, self.n_jobs)
        if leaves is None:
            leaves = apply.leaves(tree, table, self.n_jobs)
        within = inside(table, tree.box_low[: len(tree.columns)], tree.box_high[: len(tree.columns)])
        return np.where(within, log_densities(tree).take(leaves), -np.inf)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The log-likelihood of the rows: the sum of `score_samples`, each row times its weight.

        >>> model = TreeDensity(max_leaf_nodes=1).fit([[0.0], [4.0]])
        >>> round(model.score([[1.0], [2.0]]), 6)  # 2 log(1/4)
        -2.772589
        """
        del y
        log_density = self.score_samples(X)
        weights = rows_without_outcome(len(log_density), sample_weight).row_weight
        counted = weights > 0
        return float((log_density[counted] * weights[counted]).sum())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Draw rows from the density, in the kind of table `fit` was given.

        Parameters
        ----------
        n_samples : int
            How many.
        random_state : int, Generator, RandomState or None

        Examples
        --------
        >>> model = TreeDensity(max_depth=1).fit({"x": [0.0, 1.0, 9.0], "colour": ["red", "red", "blue"]})
        >>> drawn = model.sample(3, random_state=0)
        >>> sorted(drawn), len(drawn["x"])
        (['colour', 'x'], 3)
        """
        check_is_fitted(self, "tree_")
        if not is_whole(n_samples) or n_samples < 1:
            raise ValueError(f"n_samples={n_samples!r} must be a whole number of at least 1")
        rng = np.random.default_rng(seed_of(random_state))
        return drawn_rows.as_table(
            self.tree_, drawn_rows.draw(self.tree_, int(n_samples), rng), self._container
        )

    def __sklearn_tags__(self) -> Any:
        """Missing values are refused."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags
