"""The examples in the docstrings run and print what they say; every public name has one."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import hornbeam

MODULES = ["hornbeam", *(info.name for info in pkgutil.walk_packages(hornbeam.__path__, prefix="hornbeam."))]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("._core")])
def test_the_examples_of_a_module_hold(name):
    module = importlib.import_module(name)
    outcome = doctest.testmod(module, optionflags=FLAGS)
    assert outcome.failed == 0


@pytest.mark.parametrize("name", [name for name in hornbeam.__all__ if not name.startswith("__")])
def test_a_public_name_is_documented_with_an_example(name):
    thing = getattr(hornbeam, name)
    if inspect.ismodule(thing) or (inspect.isclass(thing) and issubclass(thing, BaseException)):
        assert thing.__doc__
        return
    assert ">>>" in (inspect.getdoc(thing) or ""), f"hornbeam.{name} has no example in its docstring"
