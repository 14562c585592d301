"""from_sklearn: turn a tree of scikit-learn into a Tree, to be read, exported and saved like any other.

One idea: scikit-learn rounds a value to single precision before it compares it. The largest double that still
rounds to the threshold or below is a threshold that decides the same for every double.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Longs, Task
from hornbeam.data.columns import Column
from hornbeam.tree.arrays import LEAF, THRESHOLD
from hornbeam.tree.tree import Tree

_MEAN_CRITERIA = ("squared_error", "friedman_mse")


def from_sklearn(model: Any) -> Tree:
    """A fitted tree of scikit-learn as a Tree that predicts the same.

    Predictions agree on every row of doubles, also right beside a threshold, and where values are missing. A
    tree of numbers keeps the standard deviation of its nodes if it was grown by squared error.

    Parameters
    ----------
    model : DecisionTreeClassifier, DecisionTreeRegressor, or an extra tree, fitted on one target
        A tree of a forest is one, too: `[hb.from_sklearn(tree) for tree in forest.estimators_]`. What such a
        tree calls its classes are their positions in `forest.classes_`.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> theirs = DecisionTreeClassifier(max_depth=1).fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
    >>> print(hb.show(hb.from_sklearn(theirs), charset="ascii"))
    x0?  67 % a  n=3 (2:1)
    |-- <= 3.0000001192092896 ?  -> a  100 %  n=2 (2:0)
    `-- > 3.0000001192092896  -> b  100 %  n=1 (0:1)
    counts are a:b
    ? missing values go here
    """
    inner = _inner(model)
    order = _breadth_first(inner.children_left, inner.children_right)
    left = inner.children_left[order]
    leaf = left < 0
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    to_left = np.asarray(inner.missing_go_to_left)[order]
    weight = inner.weighted_n_node_samples[order]
    arrays: dict[str, Any] = {
        "kind": np.where(leaf, LEAF, THRESHOLD).astype(np.int8),
        "first_child": np.where(leaf, -1, place[np.maximum(left, 0)]).astype(np.int32),
        "n_children": np.where(leaf, 0, 2).astype(np.int32),
        "column": np.where(leaf, -1, inner.feature[order]).astype(np.int32),
        "threshold": np.where(leaf, np.nan, doubles_below(inner.threshold[order])),
        "missing": np.where(leaf, -1, np.where(to_left != 0, 0, 1)).astype(np.int32),
        "n_rows": inner.n_node_samples[order].astype(np.int64),
        "impurity": np.maximum(inner.impurity[order], 0.0),
    }
    names = getattr(model, "feature_names_in_", [f"x{k}" for k in range(inner.n_features)])
    columns = [Column(str(name), "numeric") for name in names]
    criterion = str(model.criterion)
    value = inner.value[order, 0, :]
    if hasattr(model, "classes_"):
        stats = _whole(value * weight[:, None])
        arrays |= {"stats": stats, "label": value.argmax(axis=1).astype(np.int32)}
        return Tree(columns=columns, classes=model.classes_.tolist(), meta={"criterion": criterion}, **arrays)
    variance = arrays["impurity"] if criterion in _MEAN_CRITERIA else np.zeros(len(weight))
    arrays["stats"] = np.stack([weight, value[:, 0], weight * variance], axis=1)
    return Tree(columns=columns, task=Task.REAL, meta={"criterion": criterion}, **arrays)


def _inner(model: Any) -> Any:
    """The arrays of a fitted tree of scikit-learn."""
    name = type(model).__name__
    if isinstance(getattr(model, "tree_", None), Tree):
        raise TypeError(f"this {name} is a model of Hornbeam already: its tree is model.tree_")
    if hasattr(model, "estimators_"):
        raise TypeError(_many(name, model.estimators_))
    if hasattr(model, "steps"):
        raise TypeError(f"this {name} has steps: take the tree in it, such as hb.from_sklearn(model[-1])")
    if hasattr(model, "criterion") and hasattr(model, "fit") and not hasattr(model, "tree_"):
        raise ValueError(f"this {name} has no tree yet: call fit first")
    inner: Any = getattr(model, "tree_", None)
    if not hasattr(inner, "children_left"):
        raise TypeError(f"model must be a fitted tree of scikit-learn, not a {name}")
    if inner.n_outputs != 1:
        raise ValueError(f"this {name} has {inner.n_outputs} targets: fit a tree for each")
    return inner


def _many(name: str, trees: Any) -> str:
    """The sentence for a model of many trees, of which boosting has a table."""
    first = "[0, 0]" if getattr(trees, "ndim", 1) == 2 else "[0]"
    return f"{name} has many trees: take one, such as hb.from_sklearn(model.estimators_{first})"


def _breadth_first(left: Longs, right: Longs) -> Longs:
    """Nodes in an order that puts the two children of a test side by side and after it."""
    order = [0]
    for node in order:  # the list grows while it is read
        if left[node] >= 0:
            order += [int(left[node]), int(right[node])]
    return np.array(order, dtype=np.int64)


def doubles_below(threshold: Floats) -> Floats:
    """For each threshold the largest double that, rounded to single precision, is not above it.

    >>> doubles_below(np.array([0.5, np.inf]))
    array([0.50000003,        inf])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        single = threshold.astype(np.float32)
        single = np.where(single > threshold, np.nextafter(single, np.float32(-np.inf)), single)
        above = np.nextafter(single, np.float32(np.inf)).astype(np.float64)
        above = np.where(np.isinf(above), 2.0**128, above)  # what a double must be below to stay finite
        middle = (single.astype(np.float64) + above) / 2.0
        fits = middle.astype(np.float32) <= threshold  # a tie goes to the even of the two
        largest: Floats = np.where(fits, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isinf(threshold), threshold, largest)


def _whole(weights: Floats) -> Floats:
    """Class weights; those that only rounding keeps from being whole numbers are made whole."""
    near = np.rint(weights)
    rounded: Floats = np.where(np.abs(weights - near) <= 1e-9 * np.maximum(near, 1.0), near, weights)
    return rounded
