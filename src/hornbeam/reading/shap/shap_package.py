"""to_shap: a model as the package `shap` reads it, for its plots and explainers.

shap knows binary tests of numbers, `x <= t` to the left, and a default child for gaps: the tree is written so
by `tree/binary_form.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam.reading.shap.exact_values import trees_of
from hornbeam.tree.binary_form import binary_form
from hornbeam.tree.hooks import inner_model
from hornbeam.tree.tree import Tree


def to_shap(model: Any) -> dict[str, Any]:
    """A model in the format that `shap.TreeExplainer` takes: a dict of trees as arrays.

    Its values are probabilities, one output per class, or numbers. `shap.TreeExplainer(hb.to_shap(model))`
    gives the values of `hb.shap_values(model, X)`. A column of a row that is missing goes to the branch
    learned for gaps; where none was learned, shap takes the heavier child, while Hornbeam follows all
    paths: there only `hb.shap_values` agrees with `predict`.

    Parameters
    ----------
    model : a fitted tree or forest, a Tree, or the path of a saved one
        Its tests must be cuts of numeric columns, its leaves constants.

    Examples
    --------
    >>> import hornbeam as hb
    >>> model = hb.TreeRegressor().fit([[1.0], [2.0]], [5.0, 7.0])
    >>> handed = hb.to_shap(model)
    >>> handed["trees"][0]["thresholds"], handed["trees"][0]["values"].ravel()
    (array([ 1.5, -1. , -1. ]), array([6., 5., 7.]))
    """
    model = inner_model(model, for_rows=True)
    trees = trees_of(model)
    if getattr(model, "combine", "mean") == "vote":
        raise ValueError(
            "this forest counts votes (combine='vote'), while shap adds up what leaves say: use"
            " combine='mean', or hb.shap_values(model, X)"
        )
    if any(tree.columns != trees[0].columns for tree in trees):
        raise ValueError(
            "the trees of this forest have different columns, while shap knows one table of them"
        )
    types = {"input_dtype": np.float64, "internal_dtype": np.float64}
    return {"trees": [_shap_tree(tree, len(trees)) for tree in trees], **types, "tree_output": "raw_value"}


def _shap_tree(tree: Tree, n_trees: int) -> dict[str, Any]:
    form = binary_form(tree, "shap's format", "use hb.shap_values(model, X), which knows every test")
    if (tree.weight <= 0).any():
        raise ValueError(
            f"node {int(np.argmin(tree.weight))} has no training rows, which shap does not take: use"
            " hb.shap_values(model, X), or refit the tree on rows that reach every node"
        )
    answers = tree.answers() if tree.classes is not None else tree.answers()[:, None]
    links = {
        "children_left": form.left,
        "children_right": form.right,
        "children_default": form.default,
        "features": form.column,
    }
    return {
        **{name: np.array(values, dtype=np.int32) for name, values in links.items()},
        "thresholds": np.array(form.threshold, dtype=np.float64),
        "values": answers[form.source] / n_trees,
        "node_sample_weight": np.array(form.weight),
    }
