"""Packages whose public names are imported when they are first used.

`hornbeam --version` and the text of a saved tree then do not wait for what learning needs. Such a package has
a table from its names to the modules that define them; its types are in an `__init__.pyi`, or imported where
only type checkers look.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


class LazyPackage(ModuleType):
    """A package in which a public function wins over the module of the same name.

    Importing `hornbeam.teaching.permutation_test` would otherwise leave that module under the name of the
    function.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *self.__all__})

    def __reduce__(self) -> tuple[Any, ...]:
        # A function of a notebook that says `hb.show` is sent to other processes together with `hb`.
        return import_module, (self.__name__,)


def import_when_used(
    package: str, homes: Mapping[str, str], modules: Mapping[str, str] | None = None
) -> Callable[[str], Any]:
    """Make a package lazy; return its `__getattr__`.

    Parameters
    ----------
    package : the full name of the package, which has an `__all__`
    homes : the module inside `hornbeam` that defines each name
    modules : for names that are modules, the module inside `hornbeam`

    Examples
    --------
    >>> import hornbeam
    >>> hornbeam.show.__module__
    'hornbeam.reading.show'
    """
    loaded = sys.modules[package]
    loaded.__class__ = LazyPackage

    def load(name: str) -> Any:
        if name in homes:
            value = getattr(import_module(f"hornbeam.{homes[name]}"), name)
        elif modules and name in modules:
            value = import_module(f"hornbeam.{modules[name]}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        vars(loaded)[name] = value  # found without this function from now on
        return value

    return load


class ModuleAtFirstUse(ModuleType):
    """Stands for a module until one of its names is asked for."""

    def __getattr__(self, name: str) -> Any:
        # Tracebacks and the like ask every module for names such as __file__: no reason to load it.
        if name.startswith("__") and name != "__path__":
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def import_at_first_use(module: str) -> None:
    """Let other packages' `import module` wait until they use it, unless it is imported already.

    >>> import_at_first_use("colorsys")
    >>> import colorsys
    >>> colorsys.rgb_to_hsv(0.0, 0.0, 1.0)[2]
    1.0
    """
    sys.modules.setdefault(module, ModuleAtFirstUse(module))
