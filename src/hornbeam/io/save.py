"""Save: write a model or a tree to a file that holds all of it and runs no code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hornbeam._base.atomic import atomic_file
from hornbeam.estimators.auto.base import AutoTree
from hornbeam.estimators.base import TreeModel
from hornbeam.estimators.forest.base import ForestModel
from hornbeam.io.forest_file import forest_to_plain
from hornbeam.io.load import with_checksum
from hornbeam.io.model_file import model_to_plain
from hornbeam.tree.dicts import to_document
from hornbeam.tree.hooks import inner_model, tree_of
from hornbeam.tree.json_values import json_lines


def save(model: Any, path: Any) -> Path:
    """Write a fitted model, or a Tree, to a file.

    The file is JSON, described by the JSON Schemas `tree.schema.json` and `forest.schema.json` in the
    package: every double comes back exactly, nothing is pickled, and `load` runs no code. It has a checksum
    of its content, by which `load` notices what changed since. The customary endings are `.tree.json` and
    `.forest.json`. A tree that tests a Python function cannot be written and is
    refused. Of a forest the trees are kept, not the rows each has drawn; of an automatic tree the estimator
    it chose, `model_`; of a search of scikit-learn its best estimator.

    Parameters
    ----------
    model : TreeClassifier, TreeRegressor, TreeDensity, automatic tree or forest, fitted; or a Tree
    path : str or path
        Where to write; a file that is there is replaced atomically: it stays whole until the new one is.

    Returns
    -------
    Path
        Where it was written.

    Examples
    --------
    >>> import hornbeam as hb, tempfile, pathlib
    >>> model = hb.TreeClassifier().fit({"width": [1, 2, 3]}, ["a", "a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = hb.save(model, pathlib.Path(folder) / "model.tree.json")
    ...     again = hb.load(path)
    >>> again.predict({"width": [1.5, 9]})
    array(['a', 'b'], dtype='<U1')
    """
    if isinstance(model, (str, os.PathLike)):
        raise TypeError("model must be a fitted model or a Tree, not a str or path: the file comes second")
    model = inner_model(model, for_rows=True)
    if isinstance(model, AutoTree):
        model = model._fitted()
    plain = forest_to_plain(model) if isinstance(model, ForestModel) else tree_to_plain(model)
    try:
        blocks = with_checksum([*json_lines(plain, 2), b"\n"])
    except UnicodeEncodeError:
        raise ValueError(
            "a name or value in the tree is text that is not Unicode (lone surrogates): rename it"
        ) from None
    with atomic_file(path) as file:
        file.writelines(blocks)
    return Path(path)


def tree_to_plain(model: Any) -> dict[str, Any]:
    """What a file holds of a Tree, or of a fitted estimator of one."""
    plain = to_document(tree_of(model, several=True))
    if isinstance(model, TreeModel):
        head = {name: plain.pop(name) for name in ("format", "version")}
        plain = head | {"estimator": model_to_plain(model)} | plain
    return plain
