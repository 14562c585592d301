"""What the Tree needs from rooms above it: its text, what a notebook shows, and models read from files.

The tree room imports nothing above itself, so it cannot import these functions. `hornbeam/__init__` fills the
hooks when the package is imported; the rooms behind them are imported when a hook is first called.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any


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


def opened(model: Any, name: str = "model", others: str = "") -> Any:
    """The model itself, or that of a saved file if a path is given.

    Whatever reads, judges, prunes or draws a model asks here first, so that a model, a Tree and the path of a
    file that `hb.save` wrote are treated alike everywhere. `name` is what the parameter is called, `others`
    what else it may be, for the sentence if there is no such file.

    >>> opened(3)
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
