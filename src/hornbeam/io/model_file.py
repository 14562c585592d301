"""A fitted estimator as plain values beside its tree, and back.

One idea: everything a prediction needs is in the tree. The estimator adds its class, its parameters, the
labels in their own type, and whether the training table had names; a density also its path and the kind of
table it draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hornbeam._base.parameters import check_n_jobs
from hornbeam.estimators.base import TreeModel
from hornbeam.estimators.density import TreeDensity
from hornbeam.estimators.density.density_pruning import DensityPath
from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.io.plain_values import array_to_plain, parameter_to_plain, plain_to_array, plain_to_parameter
from hornbeam.tree.dicts import array_to_list
from hornbeam.tree.json_values import check_choice, check_entries, check_number, check_type, list_to_array
from hornbeam.tree.tree import Tree

# What a density draws its rows as: hornbeam.estimators.density.sampling's words, and the libraries of frames.
CONTAINERS = ("array", "columns", "records", "pandas", "polars", "pyarrow")
LATER = ("exclude", "parse_dates")  # parameters that 0.1.0 did not know: written only if they are set
PATH = ("alpha", "leaves", "loss", "score", "error")
ESTIMATORS: Mapping[str, type[TreeModel]] = {
    estimator.__name__: estimator for estimator in (TreeClassifier, TreeRegressor, TreeDensity)
}


def estimator_to_plain(model: Any, known: Mapping[str, type[Any]]) -> dict[str, Any]:
    """The class of a fitted estimator, its parameters, its labels, and whether its columns had names."""
    name = type(model).__name__
    if known.get(name) is not type(model):
        raise ValueError(
            f"a {name} is nothing a file can hold; an estimator of Hornbeam or a Tree is: save its tree, as"
            " hb.save(model.tree_, path)"
        )
    given = model.get_params(deep=False)
    plain = {
        "class": name,
        "parameters": {
            key: parameter_to_plain(key, value)
            for key, value in given.items()
            if key not in LATER or value is not None
        },
        "has_names": hasattr(model, "feature_names_in_"),
    }
    if hasattr(model, "classes_"):
        plain["labels"] = array_to_plain(model.classes_)
    return plain


def plain_to_estimator(plain: Any, known: Mapping[str, type[Any]], task: str) -> Any:
    """The estimator with its parameters, not fitted yet; `task` is that of the tree or trees beside it."""
    required, optional = ("class", "parameters", "has_names"), ("labels", "judged", "container", "path")
    check_entries(plain, "estimator", required, optional)
    for entry, allowed in zip(required, ("a string", "an object", "a boolean"), strict=True):
        check_type(plain[entry], f"estimator.{entry}", allowed)
    name = plain["class"]
    if name not in known:
        raise ValueError(f"an estimator is called {name!r}: known ones are {', '.join(sorted(known))}")
    wanted = known[name].task
    if wanted != task:
        raise ValueError(f"a {name} needs a tree with task={wanted!r}, but it has task={task!r}")
    return known[name](**{key: plain_to_parameter(v) for key, v in plain["parameters"].items()})


def plain_to_labels(model: Any, plain: Mapping[str, Any], classes: Sequence[Any]) -> None:
    """Give a classifier its labels."""
    if "labels" not in plain:
        raise ValueError(f"a {type(model).__name__} needs its labels")
    model.set_labels(plain_to_array(plain["labels"], "estimator.labels"), classes)


def model_to_plain(model: TreeModel) -> dict[str, Any]:
    """What a file holds of a fitted estimator besides its tree."""
    plain = estimator_to_plain(model, ESTIMATORS)
    if isinstance(model, TreeDensity):
        plain["container"] = model._container if model._container in CONTAINERS else "pyarrow"
        path = model.path_
        if path is not None:
            arrays = {name: getattr(path, name) for name in PATH}
            lists = {name: array_to_list(a) for name, a in arrays.items() if a is not None}
            plain["path"] = lists | {"chosen": int(path.chosen)}
    return plain


def plain_to_model(plain: Mapping[str, Any], tree: Tree) -> TreeModel:
    """The fitted estimator of a tree."""
    model: TreeModel = plain_to_estimator(plain, ESTIMATORS, tree.task)
    check_n_jobs(model.n_jobs)
    model.tree_ = tree
    model.n_features_in_ = len(tree.columns)
    if plain["has_names"]:
        model.feature_names_in_ = np.array([column.name for column in tree.columns], dtype=object)
    if isinstance(model, TreeClassifier):
        plain_to_labels(model, plain, tree.classes or ())
    if isinstance(model, TreeDensity):
        _check_box(tree)
        model._container = plain.get("container", "array")
        check_choice(model._container, "estimator.container", CONTAINERS)
        model.path_ = _path(plain["path"]) if "path" in plain else None
    else:
        model.pruning_ = None  # what was decided about nodes that are gone is not kept
    return model


def _check_box(tree: Tree) -> None:
    """A TreeDensity knows the box of its root on every column, in order."""
    n = len(tree.columns)
    if tree.box_offset[1] != n or tree.box_column[:n].tolist() != list(range(n)):
        raise ValueError("the root of a TreeDensity needs a box with every column, in order")


def _path(plain: Any) -> DensityPath:
    check_entries(plain, "estimator.path", (*PATH[:3], "chosen"), PATH[3:])
    check_number(plain["chosen"], "estimator.path.chosen", np.int64)
    arrays = {
        name: list_to_array(
            plain[name], f"estimator.path.{name}", np.int64 if name == "leaves" else np.float64
        )
        for name in PATH
        if name in plain
    }
    n = len(arrays["alpha"])
    if any(len(array) != n for array in arrays.values()) or not 0 <= plain["chosen"] < n:
        raise ValueError("estimator.path needs lists of one length, and a chosen place among them")
    return DensityPath(**arrays, chosen=plain["chosen"])
