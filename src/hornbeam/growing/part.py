"""Parts: small objects that fill the slots of an estimator, each with its own few numbers.

One idea: a slot holds a name or a part. The name stands for the part with its defaults, looked up in the
slot's literal table; nothing else in the library asks which choice it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar, TypeVar

from sklearn.base import BaseEstimator

from hornbeam._base.parameters import did_you_mean

P = TypeVar("P", bound="Part")


class Part(BaseEstimator):
    """Base class of all parts: scikit-learn's cloning, printing and nested parameters work on it.

    Examples
    --------
    >>> from hornbeam.parts import AllPaths
    >>> AllPaths(vote="leaf")
    AllPaths(vote='leaf')
    """

    name: ClassVar[str] = ""
    about: ClassVar[str] = ""

    def check(self) -> None:
        """Raise a ValueError if one of the part's own numbers is not allowed."""


def check_level(name: str, value: Any) -> None:
    """Raise unless a value is a share above 0 and below 1.

    >>> check_level("q", 1)
    Traceback (most recent call last):
    ...
    ValueError: q=1 must be a number above 0 and below 1, such as 0.9
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ValueError(f"{name}={value!r} must be a number above 0 and below 1, such as 0.9")


def resolve(slot: str, value: Any, table: Mapping[str, type[P]], base: type[P]) -> P:
    """The part a slot's value stands for.

    >>> from hornbeam.growing.missing import MISSING
    >>> from hornbeam.parts import MissingRule
    >>> resolve("missing", "learn", MISSING, MissingRule)
    Learn()
    """
    if isinstance(value, base) and type(value) is not base:
        value.check()
        return value
    if isinstance(value, str) and value in table:
        return table[value]()
    if isinstance(value, type) and issubclass(value, base):
        raise TypeError(f"{slot}={value.__name__} is a class: put an object in, {slot}={value.__name__}()")
    names = ", ".join(repr(name) for name in table)
    hint = did_you_mean(value, table)
    kind = ValueError if isinstance(value, str) else TypeError
    raise kind(f"{slot}={value!r} is not known{hint}: use one of {names}, or a part of hornbeam.parts")
