"""Make a fitted tree smaller: prune it after the fit, merge leaves that answer the same, or find its smallest
prunings.

`prune` and `simplify` return the same kind of object as they are given: a Tree for a Tree, a fitted model for
a fitted model. The object they are given does not change.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, TypeVar, cast

from hornbeam._base.parameters import check_choice
from hornbeam.data.column_choice import without_excluded
from hornbeam.data.survival import survival_target, two_columns
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target
from hornbeam.estimators.auto.base import ordinary_estimator
from hornbeam.estimators.base import TreeModel
from hornbeam.growing.part import resolve
from hornbeam.pruning import PRUNING, Pruner
from hornbeam.pruning.base import refuse_unordered_pruning
from hornbeam.pruning.error_based import simplify_tree
from hornbeam.pruning.record import Pruned, with_pruned_tree
from hornbeam.pruning.smallest_by_errors import MAX_COST, SmallestPrunings, find_smallest_prunings
from hornbeam.tree.hooks import inner_model, tree_of
from hornbeam.tree.tree import Tree

M = TypeVar("M", bound=Tree | TreeModel)

SAME = ("label", "distribution")
_ROWS = ("X", "y", "sample_weight", "counts", "row_costs", "exposure")  # what `rows_of` takes


def prune(
    model: M,
    method: Any,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    counts: Any = None,
    *,
    row_costs: Any = None,
    exposure: Any = None,
    training: Any = None,
) -> M:
    """Prune a fitted model or a Tree; what is given stays as it is.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one
    method : a name such as "reduced-error", or a part of `hornbeam.parts`
    X, y : table and outcomes, for the methods that use rows. The method says which rows: "reduced-error", for
        example, takes a pruning sample, rows that the tree was not grown on.
    sample_weight, counts : weight and number of repetitions of each row
    row_costs : what answering each class costs for each row, for a tree that was grown with such costs
    exposure : over how much y was counted in each row, as in `fit`: y / exposure is judged, weighing exposure
    training : (X, y), (X, y, sample_weight), (X, y, sample_weight, counts), or a dict
        The rows the tree was grown on, for a method that needs them beside a pruning sample. A dict has them
        by name: `dict(X=X, y=y, row_costs=costs)`, `dict(X=X, y=y, exposure=years)`.

    Returns
    -------
    A fitted model whose `tree_` is the pruned tree and whose `pruning_` is the record of all decisions, or a
    Tree if a Tree was given (`pruning_record` gives its record).

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> model = hb.id3().fit(tennis.X, tennis.y)
    >>> small = hb.prune(model, hb.parts.Penalised(strength=3.0))
    >>> model.tree_.n_leaves, small.tree_.n_leaves
    (5, 1)
    """
    model = ordinary_estimator(model)
    record = pruning_record(
        model, method, X, y, sample_weight, counts, row_costs=row_costs, exposure=exposure, training=training
    )
    return _pruned_like(model, record)


def pruning_record(
    model: Tree | TreeModel,
    method: Any,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    counts: Any = None,
    *,
    row_costs: Any = None,
    exposure: Any = None,
    training: Any = None,
) -> Pruned:
    """What `prune` would do, with every decision and its numbers; the parameters are those of `prune`.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> print(pruning_record(hb.id3().fit(tennis.X, tennis.y), hb.parts.Penalised(strength=3.0)))
    penalised: 3 nodes examined, 1 pruned; 5 leaves before, 1 after
    strength: 3
    cost: 9.12459
    penalised cost: 12.1246
    node  test             action  as a tree  as a leaf
       2  Wind = Strong    keep            6    6.36506
       3  Humidity = High  keep            6    6.36506
       0  Outlook          leaf           15    12.1246
    """
    model = ordinary_estimator(model)
    tree, pruner = tree_of(model, several=True), resolve("method", method, PRUNING, Pruner)
    refuse_unordered_pruning(pruner, getattr(model, "monotonic_cst", None))
    pruner.check_task(tree.task)
    pruner.check_outputs(several=bool(tree.outputs))
    rows = _sample_rows(model, tree, pruner, (X, y, sample_weight, counts, row_costs, exposure))
    if training is None:
        return pruner.prune(tree, *rows) if rows else pruner.prune(tree)
    if rows is None:
        raise ValueError(f"training is given beside a pruning sample: give {pruner!r} X and y, too")
    fill = model.fit_equations if isinstance(model, TreeModel) else None
    grown = other_rows(model, tree, "training", training, "the rows the tree was grown on")
    return pruner.prune_between(tree, grown, rows, fill)


def simplify(model: M, *, same: str = "label") -> M:
    """Merge sibling leaves that answer the same, from the bottom up, until every test leads to two answers.

    What the model predicts for a row without gaps stays the same; the tree says it with fewer tests.

    Parameters
    ----------
    model : estimator, Tree, or the path of a saved one
    same : {"label", "distribution"}
        What leaves of classes must share to be merged: the class they answer, or all probabilities. Numbers
        and densities are compared as such.

    Returns
    -------
    The same kind of thing as given; a model's `pruning_` is the record.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tree = hb.Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 3, "b": 1}},
    ...                             "no": {"counts": {"a": 4, "b": 2}}})
    >>> simplify(tree).text()
    'a(7:3)'
    >>> simplify(tree, same="distribution").text()
    'x[<=1.5: a(3:1) | >1.5: a(4:2)]'
    """
    model = ordinary_estimator(model)
    check_choice("same", same, SAME)
    return _pruned_like(model, simplify_tree(tree_of(model), same))


def _pruned_like(model: M, record: Pruned) -> M:
    """The pruned tree as the same kind of thing as `model`."""
    return cast(M, with_pruned_tree(None if isinstance(model, Tree) else model, record))


def _sample_rows(model: Any, tree: Tree, pruner: Pruner, sample: tuple[Any, ...]) -> Rows | None:
    """The rows given to `prune`, None if the method can do without and none are given."""
    if sample[0] is None and sample[1] is None:
        if pruner.uses_rows:
            raise ValueError(
                f"{pruner!r} prunes by rows that the tree was not grown on: give them as X and y"
            )
        return None
    require_both(*sample[:2])
    return rows_of(model, tree, *sample)


def require_both(X: Any, y: Any) -> None:
    """Raise if only one of X and y is None."""
    for name, value in (("X", X), ("y", y)):
        if value is None:
            raise ValueError(f"X and y belong together, but {name} is None: give both, or neither")


def rows_of(
    model: Any,
    tree: Tree,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    counts: Any = None,
    row_costs: Any = None,
    exposure: Any = None,
) -> Rows:
    """Rows as the tree reads them, with their outcomes; a classifier's class weights count."""
    if tree.task.is_survival:
        X, y = two_columns(X, y)
    X = without_excluded(X, getattr(model, "exclude", None), len(tree.columns))
    table = Table.match(X, tree.columns, type(model).__name__)
    name = type(model).__name__
    if tree.task.is_survival:
        if row_costs is not None or exposure is not None:
            raise ValueError("row_costs and exposure are not for survival times: leave them out")
        return Rows(table, survival_target(y, sample_weight, counts, n_rows=table.n_rows))
    if not tree.task.is_classes:
        if row_costs is not None:
            raise ValueError("row_costs are costs of answering classes: a tree of numbers takes none")
        real = Target.real_of(
            y, sample_weight, counts, exposure=exposure, n_rows=table.n_rows, estimator=name
        )
        return Rows(table, real)
    if exposure is not None:
        raise ValueError("exposure is for events that were counted: a tree of classes takes none")
    class_weight = getattr(model, "class_weight", None)
    if isinstance(class_weight, Mapping):  # y may lack some of the classes
        class_weight = dict.fromkeys(tree.classes or (), 1.0) | dict(class_weight)
    target = Target.classes_of(
        y, sample_weight, counts, class_weight, row_costs=row_costs, n_rows=table.n_rows, estimator=name
    )
    return Rows(table, target)


def other_rows(model: Any, tree: Tree, name: str, rows: Any, which: str) -> Rows:
    """Rows given as a tuple, or as a dict by the names that `prune` has for them."""
    if isinstance(rows, Mapping) and ("X" in rows or "y" in rows):
        unknown = [key for key in rows if key not in _ROWS]
        lacking = [key for key in _ROWS[:2] if rows.get(key) is None]
        if unknown or lacking:
            what = f"an entry {unknown[0]!r}" if unknown else f"no {lacking[0]}"
            raise ValueError(f"{name} has {what}: its entries are X and y, and may be {', '.join(_ROWS[2:])}")
        return rows_of(model, tree, **rows)
    if not isinstance(rows, (tuple, list)) or not 2 <= len(rows) <= 4:
        raise ValueError(
            f"{name} must be a tuple (X, y), (X, y, sample_weight) or (X, y, sample_weight, counts) of"
            f" {which}, or a dict with these and others by name"
        )
    return rows_of(model, tree, *rows)


def smallest_prunings(
    model: Tree | TreeModel, *, max_nodes: int | None = None, max_cost: float = MAX_COST
) -> SmallestPrunings:
    """For every number of errors k the smallest pruning with at most k errors.

    A dynamic programme over the sizes of branches, from the leaves up: at most one step for every pair of
    nodes, whatever the number of branches. Errors are those on the training rows: weights of rows answered
    wrongly, or their costs by the tree's costs and priors; squared errors of a regression.

    Parameters
    ----------
    model : fitted estimator, Tree, or the path of a saved one
    max_nodes : int or None
        Look at prunings of at most so many nodes; makes the programme cheaper for a large tree.
    max_cost : float
        The most additions it may take, and a tenth as many bytes of memory; beyond, the error says what it
        would cost.

    Returns
    -------
    SmallestPrunings
        `size(k)`, `pruning(k)`; `select(X, y)` by a second sample, `select_srm()` by structural risk.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hornbeam import TreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> smallest = smallest_prunings(TreeClassifier().fit(X, y))
    >>> smallest.errors, smallest.nodes
    (array([  0.,   1.,   2.,   3.,   4.,   6.,  50., 100.]), array([17, 13, 11,  9,  7,  5,  3,  1]))
    >>> smallest.pruning(6).tree_.n_leaves
    3
    """
    model = inner_model(model, for_rows=True)
    tree = tree_of(model)
    fitted = None if isinstance(model, Tree) else model
    return find_smallest_prunings(tree, max_nodes, max_cost, fitted, partial(rows_of, model, tree))


def count_prunings(model: Tree | TreeModel) -> int:
    """How many trees pruning can make of a tree by turning tests into leaves, itself and its root included.

    A leaf has one pruning; a test has one as a leaf, and one for every way to prune its branches.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> count_prunings(hb.id3().fit(tennis.X, tennis.y))
    5
    """
    tree = tree_of(model)
    counts = [1] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        children = tree.children(node)
        if children:
            counts[node] = 1 + math.prod(counts[child] for child in children)
            for child in children:
                counts[child] = 0  # numbers of a large tree are long
    return counts[0]
