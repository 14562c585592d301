"""A fitted estimator as plain values beside its tree, and back.

One idea: everything a prediction needs is in the tree. The estimator adds its class, its parameters, the
labels in their own type, and whether the training table had names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam.estimators import TreeClassifier, TreeRegressor
from hornbeam.files.plain import array_to_plain, parameter_to_plain, plain_to_array, plain_to_parameter
from hornbeam.limits import check_n_jobs
from hornbeam.model import TreeModel
from hornbeam.tree import Tree

ESTIMATORS: Mapping[str, type[TreeModel]] = {
    estimator.__name__: estimator for estimator in (TreeClassifier, TreeRegressor)
}


def model_to_plain(model: TreeModel) -> dict[str, Any]:
    """What a file holds of a fitted estimator besides its tree."""
    name = type(model).__name__
    if ESTIMATORS.get(name) is not type(model):
        raise ValueError(
            f"a {name} is nothing a file can hold; a TreeClassifier, a TreeRegressor or a Tree is: save its"
            " tree, as hb.save(model.tree_, path)"
        )
    given = model.get_params(deep=False)
    found = {
        "class": name,
        "parameters": {key: parameter_to_plain(key, value) for key, value in given.items()},
        "has_names": hasattr(model, "feature_names_in_"),
    }
    if hasattr(model, "classes_"):
        found["labels"] = array_to_plain(model.classes_)
    return found


def plain_to_model(plain: Mapping[str, Any], tree: Tree) -> TreeModel:
    """The fitted estimator of a tree."""
    name = plain["class"]
    if name not in ESTIMATORS:
        raise ValueError(f"an estimator is called {name!r}: known ones are {', '.join(sorted(ESTIMATORS))}")
    wanted = ESTIMATORS[name]._task
    if wanted != tree.task:
        raise ValueError(f"a {name} needs a tree with task={wanted!r}, but it has task={tree.task!r}")
    model = ESTIMATORS[name](**{key: plain_to_parameter(v) for key, v in plain["parameters"].items()})
    check_n_jobs(model.n_jobs)
    model.tree_ = tree
    model.n_features_in_ = len(tree.columns)
    if plain["has_names"]:
        model.feature_names_in_ = np.array([column.name for column in tree.columns], dtype=object)
    if isinstance(model, TreeClassifier):
        if "labels" not in plain:
            raise ValueError("a TreeClassifier needs its labels")
        model._label(plain_to_array(plain["labels"]), tree.classes or ())
    return model
