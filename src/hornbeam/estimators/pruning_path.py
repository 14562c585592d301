"""Pruning paths of fitted models: all sizes of a tree with their errors, from which one is chosen.

A path is made from the critical alphas of a tree that is already grown; other rows are judged by all of its
subtrees at once, and only cross-validation grows anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sklearn.base import clone

from hornbeam._base.parameters import Stages, seed_of
from hornbeam.data.folds import folds_of
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target, counted_rows
from hornbeam.data.train_validation_test import take_rows, train_validation_test
from hornbeam.estimators.auto.base import AutoTree, ordinary_estimator
from hornbeam.estimators.base import TreeModel
from hornbeam.estimators.prune import other_rows, require_both, rows_of
from hornbeam.growing.interruption import GrowthStopped
from hornbeam.pruning.cost_complexity import USUAL_FOLDS, cross_validate_path
from hornbeam.pruning.held_out_losses import HeldOutLoss, held_out_loss
from hornbeam.pruning.nested_subtrees import PruningPath, path_of, with_losses
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.tree import Tree


def pruning_path(
    model: Tree | TreeModel,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    counts: Any = None,
    *,
    cv: Any = None,
    validation: Any = None,
    test: Any = None,
    risk: str = "error",
    row_costs: Any = None,
    exposure: Any = None,
    random_state: Any = 0,
    progress: Callable[[float], object] | None = None,
) -> PruningPath:
    """All subtrees of a model that cost-complexity pruning can give, with their sizes and errors.

    Parameters
    ----------
    model : fitted estimator, Tree, or the path of a saved one
    X, y, sample_weight, counts, row_costs, exposure : the rows the model was fitted on, for cross-validation
        Without them nothing is cross-validated.
    cv : int, array or None
        The number of folds, or the fold of each row; None: 10, fewer if there are fewer rows. For each fold a
        tree is grown as the model was, without its rows. Folds have their share of every class and do not
        depend on the order of the rows.
    validation, test : (X, y), (X, y, sample_weight), (X, y, sample_weight, counts), or a dict
        Rows the model was not fitted on, whose errors are wanted for every size of the tree. A dict has them
        by name: `dict(X=X, y=y, row_costs=costs)`, `dict(X=X, y=y, exposure=years)`.
    risk : {"error", "impurity"}
        What is weighed against leaves: errors, costs or squared errors, as in the CART book; or impurity, as
        in scikit-learn. Other rows are judged by their errors either way.
    random_state : int, Generator, RandomState or None
        The seed of the folds.
    progress : called with the share of the folds' growing that is done; return True to stop

    Returns
    -------
    PruningPath
        `alpha`, `leaves`, `risk`, `cv`, `cv_error`, `validation`, ... by step; `choose("1-se")`,
        `choose("min")`, `choose(leaves=5)` and `choose(alpha=0.01)` give a fitted model.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hornbeam import TreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> path = pruning_path(TreeClassifier().fit(X, y), X, y, cv=10)
    >>> print(path)
    step       alpha  leaves        risk         cv      cv +-
       0           0       9           0  0.0533333  0.0183465
       1  0.00333333       7  0.00666667  0.0533333  0.0183465
       2  0.00666667       4   0.0266667       0.08   0.022151
       3   0.0133333       3        0.04       0.08   0.022151
       4    0.293333       2    0.333333   0.333333    0.03849
       5    0.333333       1    0.666667   0.666667    0.03849
    >>> path.choose("1-se").tree_.n_leaves, path.choose(leaves=5).tree_.n_leaves
    (7, 4)
    """
    model = ordinary_estimator(model)
    several = X is None and validation is None and test is None  # rows are judged by one target
    tree = tree_of(model, several=several)
    path = path_of(tree, risk, None if isinstance(model, Tree) else model)
    rows = _training(model, tree, (X, y, sample_weight, counts, row_costs, exposure), cv)
    losses: dict[str, HeldOutLoss | None] = {
        name: _path_loss(path, other_rows(model, tree, name, sample, "rows the model was not fitted on"))
        for name, sample in (("validation", validation), ("test", test))
        if sample is not None
    }
    if rows is not None:
        assert isinstance(model, TreeModel)
        folds = min(USUAL_FOLDS, counted_rows(rows.target)) if cv is None else cv
        seed = seed_of(random_state)
        stages = Stages(progress, 1 if progress is None else folds_of(*rows, folds, seed).n_folds)

        def grow(table: Table, target: Target) -> Tree:
            return model.learn_tree(table, target, stages.next())[0]

        try:
            losses["cv"] = cross_validate_path(grow, *rows, path.alpha, folds, seed, risk, model.n_jobs)
        except GrowthStopped as stopped:
            stopped.tree = tree
            raise
    return with_losses(path, **losses)


def _training(model: Any, tree: Tree, sample: tuple[Any, ...], cv: Any) -> Rows | None:
    """The rows to cross-validate on, None if there are none."""
    X, y = sample[:2]
    if X is None and y is None:
        if cv is not None:
            raise ValueError(f"cv={cv!r} needs the rows the model was fitted on: give X and y, too")
        return None
    require_both(X, y)
    if not isinstance(model, TreeModel):
        raise ValueError(
            "cross-validation grows trees, which a Tree cannot say how to: give the fitted estimator, or give"
            " other rows as validation=(X, y)"
        )
    rows = rows_of(model, tree, *sample)
    n_rows = counted_rows(rows.target)
    if n_rows != tree.n_rows[0]:
        raise ValueError(
            f"X has {n_rows} rows that count, but the model was fitted on {tree.n_rows[0]}: cross-validation"
            " needs the rows it was fitted on; give others as validation=(X, y)"
        )
    return rows


def _path_loss(path: PruningPath, rows: Rows) -> HeldOutLoss:
    """The loss of other rows at every step of the path."""
    return held_out_loss(path.tree, path.strength, path.alpha, rows.table, rows.target)


def learning_curves(
    model: TreeModel,
    X: Any,
    y: Any,
    shares: Sequence[float] = (0.5, 0.25, 0.25),
    *,
    sample_weight: Any = None,
    counts: Any = None,
    row_costs: Any = None,
    exposure: Any = None,
    risk: str = "error",
    random_state: Any = 0,
) -> PruningPath:
    """Training, validation and test error over the size of a tree, for any table.

    The rows are parted by `train_validation_test`, classes evenly; a copy of the model is fitted on the
    training rows, and all subtrees of its pruning path are judged on all three parts.

    Parameters
    ----------
    model : estimator, fitted or not
    X, y : any table with its outcomes
    shares : of training, validation and test rows; that of the test rows may be 0
    sample_weight, counts : weight and number of repetitions of each row
    row_costs, exposure : as in `fit`
    risk : {"error", "impurity"}
        What orders the subtrees.
    random_state : int, Generator, RandomState or None
        The seed.

    Returns
    -------
    PruningPath
        `leaves`, `training`, `validation`, `test` are the curves (`curves()` gives them as columns);
        `choose("min")` is the model of the least validation error.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from hornbeam import TreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> print(learning_curves(TreeClassifier(), X, y))
    step       alpha  leaves       risk  validation  validation +-       test    test +-
       0           0      18          0   0.0774648      0.0224336  0.0704225  0.0214711
       1  0.00175439      10  0.0140351    0.056338      0.0193493  0.0633803  0.0204463
       2  0.00350877       8  0.0210526   0.0633803      0.0204463  0.0492958   0.018167
       3  0.00526316       6  0.0315789   0.0774648      0.0224336  0.0492958   0.018167
       4  0.00701754       5  0.0385965   0.0704225      0.0214711  0.0492958   0.018167
       5   0.0105263       4  0.0491228   0.0774648      0.0224336  0.0633803  0.0204463
       6   0.0140351       2   0.077193    0.112676      0.0265346  0.0704225  0.0214711
       7    0.294737       1    0.37193    0.373239      0.0405883   0.373239  0.0405883
    """
    if not isinstance(model, (TreeModel, AutoTree)):
        raise TypeError(
            f"model must be an estimator, which is fitted on the training rows, not a {type(model).__name__};"
            " for a Tree use pruning_path(tree, validation=(X, y))"
        )
    by = y if model.task.is_classes else None
    parts = train_validation_test(X, y, shares, stratify=by, random_state=random_state)
    if not len(parts.train.rows) or not len(parts.validation.rows):
        raise ValueError(f"shares={shares!r} leave no training or no validation rows: give both a share")

    extras = {"sample_weight": sample_weight, "counts": counts, "row_costs": row_costs, "exposure": exposure}

    n_rows = sum(len(part.rows) for part in parts)
    for name, values in extras.items():
        if values is None or isinstance(values, Mapping):
            continue
        given = len(values) if hasattr(values, "__len__") else 1
        if given != n_rows:
            raise ValueError(f"X has {n_rows} rows and {name} has {given}: give one for each row")

    def extras_of(part: Any) -> dict[str, Any]:
        return {name: take_rows(values, part.rows) for name, values in extras.items() if values is not None}

    fitted = ordinary_estimator(clone(model).fit(parts.train.X, parts.train.y, **extras_of(parts.train)))
    path = pruning_path(fitted, risk=risk)
    held = {"validation": parts.validation} | ({"test": parts.test} if len(parts.test.rows) else {})
    losses = {
        name: _path_loss(path, rows_of(fitted, path.tree, part.X, part.y, **extras_of(part)))
        for name, part in held.items()
    }
    return with_losses(path, **losses)
