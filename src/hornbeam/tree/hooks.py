"""Opening: what is given as a model may be the path of a saved one.

One idea: whatever reads, judges, prunes or draws a model asks here first, so that a model, a Tree and the
path of a file that `hb.save` wrote (`*.tree.json`) do alike everywhere.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def opened(model: Any, name: str = "model", others: str = "") -> Any:
    """The model itself, or that of a saved file if a path is given.

    `name` is what the parameter is called, `others` what else it may be, for the sentence if there is no such
    file.

    >>> opened(3)
    3
    """
    if not isinstance(model, (str, os.PathLike)):
        return model
    if not Path(model).is_file():
        raise ValueError(
            f"{name}={os.fspath(model)!r} is no file{others}: give a fitted model, a Tree, or the path of a"
            " saved one"
        )
    import hornbeam  # files stand far above: they are found by the package's own names

    return hornbeam.load(model)
