"""Parts: small objects that fill the slots of an estimator, each with its own few numbers.

One idea: a slot holds a name or a part. The name stands for the part with its defaults, looked up in the
slot's literal table; nothing else in the library asks which choice it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from hornbeam._base.parameters import did_you_mean, is_number, is_whole
from hornbeam.data.columns import Column

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
    if not is_number(value) or not 0 < value < 1:
        raise ValueError(f"{name}={value!r} must be a number above 0 and below 1, such as 0.9")


def check_flag(name: str, value: Any, instead: str = "") -> None:
    """Raise unless `value` is True or False; `instead` says what else is possible."""
    if not isinstance(value, (bool, np.bool_)):
        allowed = f"True, False or {instead}" if instead else "True or False"
        raise ValueError(f"{name}={value!r} must be {allowed}")


def check_whole(name: str, value: Any, least: int) -> None:
    """Raise unless `value` is a whole number of at least `least`."""
    if not is_whole(value) or value < least:
        raise ValueError(f"{name}={value!r} must be a whole number of at least {least}")


def column_place(who: str, given: Any, columns: Sequence[Column]) -> int:
    """The position of a column that is given by its name or position; `who` begins the error's sentence.

    >>> column_place("sets[0] names the column", "b", [Column("a", "numeric"), Column("b", "numeric")])
    1
    """
    names = [column.name for column in columns]
    if is_whole(given) and 0 <= given < len(names):
        return int(given)
    if given not in names:
        raise no_such_column(who, given, names)
    return names.index(given)


def no_such_column(who: str, given: Any, names: Iterable[str]) -> ValueError:
    """The error for a column that the table does not have."""
    known = list(names)
    shown = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
    return ValueError(
        f"{who} {given!r}, which X does not have{did_you_mean(given, known)}: its columns are {shown}"
    )


def resolve(slot: str, value: Any, table: Mapping[str, type[P]], base: type[P]) -> P:
    """The part a slot's value stands for.

    >>> from hornbeam.growing.missing import MISSING
    >>> from hornbeam.parts import MissingPolicy
    >>> resolve("missing", "learn", MISSING, MissingPolicy)
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
