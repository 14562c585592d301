"""What the Tree needs from rooms above it: its text, what a notebook shows, and models read from files.

The tree room imports nothing above itself, so it cannot import these functions. `hornbeam/__init__` fills the
hooks when the package is imported; the rooms behind them are imported when a hook is first called.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree


class Hooks:
    """Functions of rooms above; all of them are filled by `hornbeam/__init__`.

    Attributes
    ----------
    show : the text of a Tree
    notebook : what a notebook shows for a Tree, by media type
    load : the model that a file holds
    """

    show: Callable[[Any], str]
    notebook: Callable[[Any], dict[str, str]]
    load: Callable[[Any], Any]


HOOKS = Hooks()


def open_model(model: Any, name: str = "model", others: str = "") -> Any:
    """The model itself, or that of a saved file if a path is given.

    Whatever reads, judges, prunes or draws a model calls this first, so that a model, a Tree and the path of
    a file that `hb.save` wrote are treated alike everywhere. `name` is what the parameter is called, `others`
    what else it may be, for the sentence if there is no such file.

    >>> open_model(3)
    3
    """
    if not isinstance(model, (str, os.PathLike)):
        return model
    from pathlib import Path  # here, since importing the package imports this module

    if not Path(model).is_file():
        raise ValueError(
            f"{name}={os.fspath(model)!r} is no file{others}: give a fitted model, a Tree, or the path of a"
            " saved one"
        )
    return HOOKS.load(model)


def inner_model(model: Any, *, for_rows: bool) -> Any:
    """The model that holds the tree: itself, or what a search or a Pipeline of scikit-learn ends with.

    A Pipeline whose earlier steps change the columns is refused if rows are to go through the tree, or if the
    tree is to go somewhere else: without those steps it would answer other rows.

    >>> inner_model(3, for_rows=True)
    3
    """
    model = open_model(model)
    place = "model"
    while True:
        if hasattr(model, "best_estimator_"):
            model, place = model.best_estimator_, f"{place}.best_estimator_"
            continue
        steps = getattr(model, "steps", None) if hasattr(model, "named_steps") else None
        if not steps or not hasattr(steps[-1][1], "fit"):
            return model
        if for_rows and any(step not in (None, "passthrough") for _, step in steps[:-1]):
            raise ValueError(
                f"this {type(model).__name__} changes the columns before its tree sees them: give its last"
                f" step, {place}[-1], and rows as that sees them, {place}[:-1].transform(X)"
            )
        model, place = steps[-1][1], f"{place}[-1]"


def tree_of(model: Any, *, for_rows: bool = False, several: bool = False) -> Tree:
    """The Tree of a model: itself, the `tree_` of a fitted estimator, or that of a saved file by its path.

    Of a search it is that of the best estimator, of a Pipeline that of the last step, unless the steps before
    it change the columns and the tree is wanted `for_rows`. A tree of several targets is refused unless who
    asks can read `several`: its arrays are those of the first.

    >>> from hornbeam.tree.tree import Tree
    >>> tree = Tree.from_nested("yes")
    >>> tree_of(tree) is tree
    True
    """
    from hornbeam.tree.tree import Tree

    model = inner_model(model, for_rows=for_rows)
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if isinstance(tree, Tree):
        if tree.outputs and not several:
            raise ValueError(several_targets_sentence(tree, of_model=tree is not model))
        return tree
    if hasattr(model, "trees_"):
        raise ValueError(
            f"this {type(model).__name__} has {len(model.trees_)} trees: read one of them, such as"
            " model.trees_[0]"
        )
    transforms = hasattr(model, "transform") and not hasattr(model, "predict")  # and never has a tree
    if hasattr(model, "fit") and tree is None and not transforms and not _is_fitted(model):
        raise ValueError(f"this {type(model).__name__} has no tree yet: call fit first")
    if hasattr(model, "cv_results_"):
        raise ValueError(
            f"this {type(model).__name__} was fitted with refit=False and keeps no model: set refit=True"
        )
    hint = ": make a Tree of it with hb.from_sklearn(model)" if hasattr(tree, "children_left") else ""
    raise TypeError(
        f"a model is a Tree or a fitted estimator of Hornbeam, not a {type(model).__name__}{hint}"
    )


def several_targets_sentence(tree: Tree, *, of_model: bool) -> str:
    """What to do where a tree of one target is needed."""
    names = ", ".join(repr(output.name) for output in tree.outputs[:8])
    one = f"{'model.tree_' if of_model else 'tree'}.output({tree.outputs[0].name!r})"
    return f"this tree answers {len(tree.outputs)} targets ({names}): give the tree of one of them, {one}"


def _is_fitted(model: Any) -> bool:
    """Whether an estimator has learned something: scikit-learn lets the names of that end in _."""
    return any(name.endswith("_") and not name.startswith("_") for name in getattr(model, "__dict__", ()))
