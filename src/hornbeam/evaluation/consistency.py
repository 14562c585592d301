"""Does a tree agree with every row of a table, and if not, with which rows does it disagree?

A tree is consistent with a table if it predicts the target of each row; a row with missing values follows the
tree's own rule for them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Bools
from hornbeam.data.cells import read_cells
from hornbeam.data.column_choice import positions_of
from hornbeam.data.encoding import learn_nominal
from hornbeam.data.frames import TableSource, open_table
from hornbeam.data.target import Target
from hornbeam.tree.hooks import open_model
from hornbeam.tree.tree import Tree

_MOST_SHOWN = 10


@dataclass(frozen=True)
class Consistency:
    """Whether a tree agrees with a table; true if it does.

    Attributes
    ----------
    errors : int
        How many rows disagree; a row of count 3 counts three times.
    n_rows : int
        How many rows there are, counted alike.
    rows : tuple of int
        The rows that disagree, from 0.
    predicted, actual : tuple
        What the tree says of these rows, and what the table says.
    """

    errors: int
    n_rows: int
    rows: tuple[int, ...]
    predicted: tuple[Any, ...]
    actual: tuple[Any, ...]

    def __bool__(self) -> bool:
        return self.errors == 0

    def __str__(self) -> str:
        if self:
            return f"consistent with {'the one row' if self.n_rows == 1 else f'all {self.n_rows:,} rows'}"
        shown = [
            f"row {row}: {predicted!r}, not {actual!r}"
            for row, predicted, actual in zip(self.rows, self.predicted, self.actual, strict=True)
        ]
        more = [f"and {len(shown) - _MOST_SHOWN:,} more"] if len(shown) > _MOST_SHOWN else []
        listed = "; ".join(shown[:_MOST_SHOWN] + more)
        verb = "disagrees" if self.errors == 1 else "disagree"
        return f"inconsistent: {self.errors:,} of {self.n_rows:,} rows {verb} ({listed})"


def consistent(model: Any, X: Any, y: Any, *, counts: Any = None, tolerance: float = 1e-9) -> Consistency:
    """Whether a tree or a fitted model predicts the target of every row.

    A tree written by hand without columns knows only the values its tests name. Here the other values of X
    are values like any other, so that a robot with a tie answers `neck=bow` with no.

    Parameters
    ----------
    model : Tree, fitted estimator, or the path of a saved one
        Anything with `predict`.
    X : the rows, as `predict` takes them
        Rows with missing values follow the tree's rule for gaps.
    y : the class, or the value, of each row
        A class the tree does not know disagrees with whatever it predicts.
    counts : number of repetitions of each row
    tolerance : float
        For a real target: a prediction agrees if it differs by no more than this share of the largest |y|.

    Returns
    -------
    Consistency
        True or false, with the number of `errors` and the `rows` that disagree.

    Examples
    --------
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> by_hand = hb.Tree.from_nested({"column": "body", "equals": "square", "yes": "enemy",
    ...     "no": {"column": "neck", "equals": "bow", "yes": "enemy", "no": "ally"}})
    >>> bool(consistent(by_hand, robots.X, robots.y))
    True
    >>> stump = hb.Tree.from_nested({"column": "body", "equals": "square", "yes": "enemy", "no": "ally"})
    >>> check = consistent(stump, robots.X, robots.y)
    >>> check.errors, check.rows
    (1, (7,))
    >>> print(check)
    inconsistent: 1 of 8 rows disagrees (row 7: 'ally', not 'enemy')
    """
    model = open_model(model)
    if not hasattr(model, "predict"):
        raise TypeError(
            f"model must be a Tree or a fitted model, something with predict, not a {type(model).__name__}"
        )
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < math.inf:
        raise ValueError(f"tolerance={tolerance!r} must be a number of at least 0")
    source = open_table(X)
    n_rows = source.n_rows
    if isinstance(model, Tree) and model.uncounted:
        model = _with_values_of(source, model)
    predicted = np.asarray(model.predict(X))
    actual: Any
    if _is_real(model, predicted):
        target = Target.real_of(y, None, counts, n_rows=n_rows, estimator="comparison")
        actual = target.values
        wrong = np.abs(predicted - actual) > tolerance * np.abs(actual).max()
    else:
        target = Target.classes_of(y, None, counts, n_rows=n_rows, estimator="comparison")
        classes = np.empty(len(target.classes), dtype=object)
        classes[:] = target.classes
        actual, wrong = classes[target.codes], _wrong_labels(predicted, target)
    copies = target.copies
    rows = np.flatnonzero(wrong & (copies > 0))
    return Consistency(
        int(copies[rows].sum()),
        int(copies.sum()),
        tuple(rows.tolist()),
        tuple(predicted[rows].tolist()),
        tuple(actual[rows].tolist()),
    )


def _is_real(model: Any, predicted: AnyArray) -> bool:
    """Whether the predictions are numbers to be compared by size."""
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        return predicted.dtype.kind == "f"
    if tree.task.is_density:
        raise ValueError("a density tree predicts no target, so there is nothing to be consistent with")
    return tree.task.is_real


def _wrong_labels(predicted: AnyArray, target: Target) -> Bools:
    """Where the predicted label is not the row's; labels are compared as Python compares them."""
    labels, wrong = predicted.astype(object), np.ones(len(predicted), dtype=np.bool_)
    for code, label in enumerate(target.classes):
        wrong &= (target.codes != code) | (labels != label)
    return wrong


def _with_values_of(source: TableSource, tree: Tree) -> Tree:
    """The same tree, whose nominal columns know the values of a table, too."""
    columns = []
    for column, place in zip(tree.columns, positions_of(source, tree.columns, "Tree"), strict=True):
        if column.kind == "nominal":
            cells = read_cells(source.get(place), column.name)
            new = [v for v in learn_nominal(cells, column.name)[0].categories if v not in column.code_of]
            column = replace(column, categories=(*column.categories, *new))
        columns.append(column)
    return tree.replace(columns=columns)
