"""Files: models and trees saved as `*.tree.json` and read back, exactly and without running anything.

Names are imported when first used: reading the tree of a file needs nothing of what learns.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam.files.loading import load, load_tree
    from hornbeam.files.saving import save

_HOMES = {"load": "loading", "load_tree": "loading", "save": "saving"}

__all__ = ["load", "load_tree", "save"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hornbeam.files' has no attribute {name!r}")
    return getattr(import_module(f"hornbeam.files.{_HOMES[name]}"), name)
