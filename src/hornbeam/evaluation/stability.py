"""`hb.stability`: how sure a tree is, by growing it again on bootstrap samples of its rows.

The model's own learner (its parameters) learns a tree of as many rows as there are, drawn with replacement,
and again, n times. Rows are drawn as for a forest: by what they hold, a weight being how likely a row is
drawn, so that neither their order nor the number of threads changes anything. Each tree is compared with the
model's from the root down (`same_place`), answers all rows, and is forgotten.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from hornbeam._base.parameters import Progress, Stages, seed_of, warn_user, whole
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.column_choice import without_excluded
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target, counted_rows
from hornbeam.data.weights_and_costs import class_factors, multiply_weights
from hornbeam.estimators.auto.base import ordinary_estimator
from hornbeam.estimators.base import TreeModel
from hornbeam.estimators.forest.base import ForestModel
from hornbeam.estimators.forest.grow_forest import Draws, draw_weights, tree_seed
from hornbeam.evaluation.predictions import refuse_survival
from hornbeam.evaluation.same_place import Met, Places, columns_of, is_same_throughout
from hornbeam.evaluation.stability_result import OFTEN, Stability, all_tests, columns_tested
from hornbeam.growing.interruption import (
    GrowthInterrupted,
    GrowthStopped,
    PartialFitWarning,
    TimeLimit,
    check_stopped,
    watched,
)
from hornbeam.tree.tree import Tree


def stability(
    model: Any,
    X: Any,
    y: Any,
    *,
    n: int = 100,
    sample_weight: Any = None,
    counts: Any = None,
    random_state: Any = 0,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Stability:
    """How sure the tests and the answers of a tree are, by growing it again on bootstrap samples.

    Parameters
    ----------
    model : a fitted tree (TreeClassifier, TreeRegressor, what a recipe returns), or the path of a saved one
        Of an automatic tree it is the estimator it chose, `model_`, that is grown again, with its penalty;
        the choice itself is not repeated.
    X, y : the rows it was fitted on
    n : int
        How many samples are drawn, and trees grown.
    sample_weight, counts : weight and number of repetitions of each row, as in `fit`
        A weight is how likely a row is drawn.
    random_state : int, Generator, RandomState or None
        The seed. The result depends neither on the order of the rows nor on the number of threads.
    time_limit : float or None
        Seconds after which no further tree is grown, after the first; a warning says how many there are.
    progress : callable or None
        Told now and then the share of the growing that is done; if it returns True, growing is stopped.

    Returns
    -------
    Stability
        Of the trees grown so far if it was stopped, by time, `progress` or Ctrl-C; `n` and `asked` say so.

    Notes
    -----
    The roots of two trees are at the same place. Below, two nodes are at the same place if their parents are,
    test the same column, and the branches to them agree: both "at most" or both "more", wherever the cuts
    lie; branches of other tests are paired by the rows they take. So a count such as "61 of 98" is
    about the 98 trees that test the same columns all the way from the root to this node: 61 of them test the
    same column here, too. Where the trees differ above, nothing is said below.

    The counts say how much the tree depends on which rows happened to be there, not whether its answers are
    right: `hornbeam.evaluate` does that.

    References
    ----------
    Philipp, M., Zeileis, A., Strobl, C. (2016). A toolkit for stability assessment of tree-based learners.
    Proceedings of COMPSTAT 2016, 315-325.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> model = hb.TreeClassifier(max_depth=2).fit(iris.data, iris.target)
    >>> sure = hb.stability(model, iris.data, iris.target)
    >>> print(sure)
    100 trees grown again, each on 150 rows drawn with replacement
    48 of 100 test the same columns at all places
    columns tested anywhere: petal length (cm) 100, petal width (cm) 57, sepal length (cm) 1
    97 % of all their answers are those of the tree
    for 7 % of the rows a quarter of the trees or more answer otherwise
    91 of 100  petal length (cm) <= 2.45 at the root; else petal width (cm) 9; cut between 2.35 and 2.6
     48 of 91    petal width (cm) <= 1.75; else petal length (cm) 42 or no test 1; cut between 1.65 and 1.75
    >>> sure[2].share_text, sure[2].low, sure[2].high, float(sure.changes.max())
    ('48 of 91', 1.65, 1.75, 0.56)
    """
    learner = _learner(model)
    tree: Tree = learner.tree_
    n = whole(n, "n", 1)
    limit = TimeLimit(time_limit, progress)
    table, target = _rows(learner, X, y, sample_weight, counts)
    draws, weights = Draws.of(learner.make_plan(table, target), table, target, None), draw_weights(target)
    places = Places(tree, table, weights)
    changes: _ClassChanges | _NumberChanges
    changes = (_NumberChanges if tree.task.is_real else _ClassChanges).none(learner.predict(table))
    notes: list[list[Met]] = []
    used: list[frozenset[int]] = []
    same = 0

    def ask(share: float) -> bool:
        asked = limit.progress if notes else progress  # the first tree is grown whatever the time
        return asked is not None and bool(asked(share))

    seed, watcher = seed_of(random_state), watched(None if limit.progress is None else ask)
    stages = Stages(watcher, n)
    try:
        for i in range(n):
            if i:
                check_stopped(watcher, tree)
            grown = _grow_again(learner, table, target, draws, tree_seed(seed, i), stages.next())
            met, changed = places.compare(grown.tree_), changes.plus(grown.predict(table))
            is_same = is_same_throughout(places, grown.tree_, met)
            columns = columns_of(grown.tree_)
            notes, changes, same = [*notes, met], changed, same + is_same  # all of them, or none
            used.append(columns)
    except (GrowthStopped, KeyboardInterrupt) as stopped:
        if not notes:
            raise
        by = "time_limit was over" if limit.is_over else "growing was stopped"
        by = by if isinstance(stopped, GrowthInterrupted) else "Ctrl-C was pressed"
        trees = f"{len(notes)} of {n} trees"
        warn_user(f"{by} after {trees}: the stability is that of these", PartialFitWarning)
    by_row, is_real = changes.by_row(), tree.task.is_real
    mean = _mean(by_row**2 if is_real else by_row, weights)
    return Stability(
        tree=tree,
        n=len(notes),
        asked=n,
        n_rows=counted_rows(target),
        tests=all_tests(places, notes),
        same_columns=same,
        tested=columns_tested(tree, used[: len(notes)]),
        agreement=None if is_real else 1 - mean,
        unsure=None if is_real else _mean((by_row >= OFTEN).astype(np.float64), weights),
        spread=math.sqrt(mean) if is_real else None,
        changes=by_row,
    )


# ---- the trees grown again ---------------------------------------------------------------------------------


def _learner(model: Any) -> Any:
    """The fitted estimator whose tree is judged; a sentence for what cannot be grown again."""
    learner = ordinary_estimator(model)
    if isinstance(learner, Tree):
        raise ValueError(
            "model is a Tree, which does not say how it was learned: give the estimator that learned it"
        )
    if isinstance(learner, ForestModel):
        raise ValueError(
            f"model is a {type(learner).__name__}, whose trees are grown on bootstrap samples already: give a"
            " single tree, such as model.estimators_[0]"
        )
    refuse_survival(learner, "stability")
    if isinstance(learner, TreeModel) and learner.task.is_density:
        raise ValueError("model is a density tree, which answers no y: give a classifier or a regressor")
    if not isinstance(learner, TreeModel):
        raise TypeError(
            f"model is a {type(learner).__name__}: give a fitted tree of Hornbeam, such as"
            " hb.auto().fit(X, y)"
        )
    if not hasattr(learner, "tree_"):
        raise ValueError(f"this {type(learner).__name__} is not fitted: fit it first")
    return learner


def _rows(learner: Any, X: Any, y: Any, sample_weight: Any, counts: Any) -> Rows:
    """The rows as the tree reads them; classes are numbered as in the tree, and not weighed yet."""
    tree, name = learner.tree_, type(learner).__name__
    table = Table.match(without_excluded(X, learner.exclude, len(tree.columns)), tree.columns, name)
    if tree.task.is_real:
        return Rows(table, Target.real_of(y, sample_weight, counts, n_rows=table.n_rows, estimator=name))
    target = Target.classes_of(y, sample_weight, counts, n_rows=table.n_rows, estimator=name)
    unknown = [label for label in target.classes if label not in tree.classes]
    if unknown:
        raise ValueError(
            f"y has the class {unknown[0]!r}, which the model does not know: give the rows it was fitted on,"
            f" whose classes are {', '.join(map(repr, tree.classes))}"
        )
    place = np.array([tree.classes.index(label) for label in target.classes], dtype=np.int32)
    return Rows(table, replace(target, codes=place[target.codes], classes=tree.classes))


def _grow_again(
    learner: Any, table: Table, target: Target, draws: Draws, seed: int, progress: Progress | None
) -> Any:
    """The learner fitted to the rows drawn by a seed."""
    counts = draws.counts(seed)
    sample = replace(target, weights=None, counts=counts)
    if target.codes is not None:
        factors = class_factors(learner.class_weight, target.codes, target.classes, counts)
        weights = multiply_weights(None, factors, target.codes)
        sample = replace(sample, weights=weights, class_weights=factors)
    again = clone(learner)
    inner = [
        name
        for name, value in again.get_params().items()
        if name.endswith("__random_state") and value is None
    ]
    again.set_params(random_state=seed, **dict.fromkeys(inner, seed))
    again.tree_, again.pruning_ = again.learn_tree(table, sample, progress)
    if target.codes is not None:
        again.set_labels(learner.classes_, target.classes)
    return again


# ---- what they say -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ClassChanges:
    """How many of some trees answer each row otherwise than the model."""

    own: AnyArray
    n: int
    otherwise: Longs

    @classmethod
    def none(cls, own: AnyArray) -> _ClassChanges:
        """Before the first tree."""
        return cls(own, 0, np.zeros(len(own), dtype=np.int64))

    def plus(self, answers: AnyArray) -> _ClassChanges:
        """With one more tree."""
        return _ClassChanges(self.own, self.n + 1, self.otherwise + (answers != self.own))

    def by_row(self) -> Floats:
        """The share of the trees that answer otherwise."""
        return self.otherwise / max(self.n, 1)


@dataclass(frozen=True)
class _NumberChanges:
    """How far the answers of some trees for each row spread (Welford 1962)."""

    n: int
    mean: Floats
    squares: Floats

    @classmethod
    def none(cls, own: AnyArray) -> _NumberChanges:
        """Before the first tree."""
        return cls(0, np.zeros(len(own)), np.zeros(len(own)))

    def plus(self, answers: AnyArray) -> _NumberChanges:
        """With one more tree."""
        away = answers - self.mean
        mean = self.mean + away / (self.n + 1)
        return _NumberChanges(self.n + 1, mean, self.squares + away * (answers - mean))

    def by_row(self) -> Floats:
        """The standard deviation."""
        return np.sqrt(self.squares / max(self.n, 1))


def _mean(values: Floats, weights: Longs | None) -> float:
    """The mean over the rows, the same for any order of them."""
    if weights is None:
        return math.fsum(values.tolist()) / len(values)
    share = weights.astype(np.float64)
    return math.fsum((values * share).tolist()) / math.fsum(share.tolist())
