"""shap_values: exact Shapley values of any tree or forest, with the definition in its docstring.

One idea: rows come in blocks, every tree adds to the same array, and the mean over the trees is the forest's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.data.frames import import_pandas
from hornbeam.reading.shap.interactions import add_interactions, with_main_effects
from hornbeam.reading.shap.tree_values import (
    Background,
    PlainTree,
    add_values,
    base_of,
    games_of,
    is_plain,
)
from hornbeam.tree import routing
from hornbeam.tree.hooks import inner_model, tree_of
from hornbeam.tree.tree import Tree

_BLOCK = 2_000_000  # nodes times rows that are held at once
_PLAIN_BLOCK = 50 * _BLOCK  # those that the core takes at once, between which Ctrl-C is heard


@dataclass(frozen=True, eq=False)
class Shap:
    """Shapley values of some rows.

    Attributes
    ----------
    values : array (rows, columns, classes), or (rows, columns) for a regression
        How much each column adds to the answer.
    base : array (classes,), or a number for a regression
        What is answered when nothing is known of a row.
    columns : tuple of str
    classes : tuple or None
        The labels in the order of the last axis; None for a regression.
    interactions : array (rows, columns, columns, classes), or without classes; None unless asked for
        What two columns add together, half on either side of the diagonal; a row of it adds up to the value
        of its column.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tree = hb.Tree.from_nested({"column": "x", "<=": 1, "yes": {"value": 2.0, "n": 3},
    ...                             "no": {"value": 6.0, "n": 1}})
    >>> shap = hb.shap_values(tree, {"x": [0, 5]})
    >>> shap
    <Shap: 2 rows, 1 columns>
    >>> float(shap.base), shap.values.tolist()
    (3.0, [[-1.0], [3.0]])
    """

    values: Floats
    base: Any
    columns: tuple[str, ...]
    classes: tuple[Any, ...] | None = None
    interactions: Floats | None = None

    def __repr__(self) -> str:
        classes = "" if self.classes is None else f", {len(self.classes)} classes"
        return f"<Shap: {len(self.values)} rows, {len(self.columns)} columns{classes}>"

    def __len__(self) -> int:
        return len(self.values)

    def answers(self) -> Floats:
        """`base` plus the values of all columns: what `predict_proba` or `predict` answers."""
        answers: Floats = self.base + self.values.sum(axis=1)
        return answers

    def importance(self) -> dict[str, float]:
        """The mean size of each column's values over the rows (and classes), largest first."""
        size = np.abs(self.values).mean(axis=tuple(k for k in range(self.values.ndim) if k != 1))
        order = np.argsort(-size, kind="stable").tolist()
        return {self.columns[k]: float(size[k]) for k in order}

    def to_frame(self) -> Any:
        """A pandas data frame with a column for each column; with classes, a row for each row and class."""
        pd = import_pandas("use .values and .columns")
        if self.classes is None:
            return pd.DataFrame(self.values, columns=list(self.columns))
        index = pd.MultiIndex.from_product([range(len(self)), self.classes], names=["row", "class"])
        flat = np.moveaxis(self.values, 1, 2).reshape(len(index), len(self.columns))
        return pd.DataFrame(flat, index=index, columns=list(self.columns))


def shap_values(model: Any, X: Any, *, background: Any = None, interactions: bool = False) -> Shap:
    """How much each column adds to what a model answers, as exact Shapley values.

    The value of a column is its mean contribution over all orders in which the columns of a row may become
    known. What a tree answers when only the columns S are known:

    - a test whose columns are all in S is followed as the row does: to one child, or, where a missing or
      unseen value takes it to all of them, to each with its weight in the row's answer. Where a surrogate
      stands in for a missing column, its column is among the test's columns;
    - every other test sends the row to all children, with their shares of the training weight;
    - a leaf with an equation puts in the means of its terms for columns not in S; its bounds hold for the
      row's own value, once all columns of the equation are in S.

    So `base` plus all values of a row is its `predict_proba` or `predict`. On binary trees of thresholds
    these are the values of `shap.TreeExplainer(..., feature_perturbation="tree_path_dependent")`. With
    `background`, columns not in S have the values of background rows instead, and the values are the mean
    over these rows ("interventional").

    Parameters
    ----------
    model : a fitted tree or forest, a Tree, or the path of a saved one
        Of a forest the mean of its trees.
    X : a table as `predict` takes it
    background : a table, optional
        Rows to be compared with. Tests of several columns, equations in leaves, and rows that follow all
        paths are refused then.
    interactions : bool
        Also how much each two columns add together beyond what they add alone (Shapley interaction values,
        as `shap.TreeExplainer(...).shap_interaction_values` gives them), by trees of every kind; not with
        `background`. Takes the square of the columns in memory.

    Returns
    -------
    Shap
        `values`, `base`, `columns`, `classes`; `to_frame()`, `importance()`.

    References
    ----------
    Lundberg, S. et al. (2020). From local explanations to global understanding with explainable AI for trees.
    Nature Machine Intelligence 2, 56-67.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X, y = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, [0.0, 0.0, 0.0, 1.0]  # y = a and b
    >>> shap = hb.shap_values(hb.TreeRegressor().fit(X, y), X)
    >>> shap.base, shap.values[3]
    (0.25, array([0.375, 0.375]))
    >>> shap.answers()
    array([0., 0., 0., 1.])
    """
    if interactions and background is not None:
        raise ValueError("interactions are those of a tree by itself: leave background out, or interactions")
    model = inner_model(model, for_rows=True)
    trees = trees_of(model)
    names = tuple(dict.fromkeys(column.name for tree in trees for column in tree.columns))
    place = {name: k for k, name in enumerate(names)}
    classes = trees[0].classes
    width = 1 if classes is None else len(classes)
    total: Floats | None = None
    pairs: Floats | None = None
    base = np.zeros(width)
    for tree in trees:
        n_rows, arrays = routing.arrays_for(tree, X)
        total = np.zeros((n_rows, len(names), width)) if total is None else total
        answers = _node_answers(model, tree, X)
        places = np.array([place[column.name] for column in tree.columns], dtype=np.int64)
        others = (
            None if background is None else Background(tree, *routing.arrays_for(tree, background), answers)
        )
        if interactions:
            shape = (n_rows, len(names), len(names), width)
            pairs = np.zeros(shape) if pairs is None else pairs
            for rows in _blocks(tree, n_rows, _BLOCK):
                games = games_of(tree, arrays, rows, answers)
                add_interactions(games, places, pairs[rows[0] : rows[-1] + 1])
        tree_base = base_of(tree, answers) if others is None else others.base
        base += tree_base
        if others is None and is_plain(tree):
            plain = PlainTree(tree, answers, tree_base, places)
            for rows in _blocks(tree, n_rows, _PLAIN_BLOCK):
                plain.add(arrays, rows, getattr(model, "n_jobs", None), total)
            continue
        for rows in _blocks(tree, n_rows, _BLOCK):
            out = total[rows[0] : rows[-1] + 1]
            if others is None:
                add_values(tree, arrays, rows, answers, places, out)
            else:
                others.add(arrays, rows, places, out)
    assert total is not None
    total, base = total / len(trees), base / len(trees)
    if pairs is not None:
        pairs = with_main_effects(pairs / len(trees), total)
    if classes is None:
        return Shap(total[:, :, 0], float(base[0]), names, None, None if pairs is None else pairs[..., 0])
    return Shap(total, base, names, classes, pairs)


def trees_of(model: Any) -> Sequence[Tree]:
    """The trees of a model: of a forest all, else its one; density trees are refused."""
    trees: Sequence[Tree] = model.trees_ if hasattr(model, "trees_") else [tree_of(model)]
    if trees[0].task.is_density:
        raise ValueError(
            "model is a density tree, which answers how likely a row is, not what its columns lead to: give a"
            " model of classes or of numbers"
        )
    return trees


def _node_answers(model: Any, tree: Tree, X: Any) -> Floats:
    """What each node answers, a row each: its shares, its vote in a forest that counts votes, or its mean."""
    if tree.classes is None:
        return tree.answers()[:, None]
    if getattr(model, "combine", "mean") != "vote":
        return tree.answers()
    if not tree.route(X).single:
        raise ValueError(
            "this forest counts votes (combine='vote'), and a row with a missing or unseen value follows all"
            " paths, of which a tree makes one vote: use combine='mean', or rows without gaps"
        )
    votes: Floats = np.eye(len(tree.classes))[tree.label]
    return votes


def _blocks(tree: Tree, n_rows: int, most: int) -> list[Longs]:
    size = max(1, most // len(tree))
    return [np.arange(first, min(first + size, n_rows)) for first in range(0, n_rows, size)]
