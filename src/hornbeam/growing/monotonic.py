"""Monotonic constraints: `monotonic_cst` resolved into what the core orders.

One idea: a constraint says that one number a node answers with (a *functional*: the mean, the share of a
class, or the share of all classes from one on) never falls, or never rises, when a column does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.parameters import did_you_mean
from hornbeam.data.columns import Column

AT_LEAST_CLASS, ONE_CLASS, MEAN = range(3)

Functional = tuple[int, int]  # one of the three, and the class


@dataclass(frozen=True)
class Constraints:
    """Monotonic constraints, resolved.

    functionals : (kind, class): P(class >= k), P(class = k), or the mean
    terms : (column, functional, sign)
    """

    functionals: tuple[Functional, ...] = ()
    terms: tuple[tuple[int, int, int], ...] = ()


def monotone_constraints(given: Any, columns: Sequence[Column], classes: Sequence[Any] | None) -> Constraints:
    """Resolve `monotonic_cst`.

    It is a dict from column (name or position) to +1, -1, 0 or {class: sign}, or a list of them, one for each
    column. `classes` are None for a real target.

    >>> monotone_constraints({"age": -1}, [Column("age", "numeric")], None)
    Constraints(functionals=((2, 0),), terms=((0, 0, -1),))
    """
    functionals: list[Functional] = []
    terms: dict[tuple[int, int], int] = {}
    for place, wish in _wishes(given, columns) if given is not None else ():
        column = columns[place]
        for functional, sign in _functionals(wish, column, classes):
            if functional not in functionals:
                functionals.append(functional)
            term = place, functionals.index(functional)
            if terms.setdefault(term, sign) != sign:
                raise ValueError(
                    f"monotonic_cst constrains the column {column.name!r} twice, with both signs: keep one"
                )
    return Constraints(tuple(functionals), tuple((*term, sign) for term, sign in terms.items()))


def refuse_votes(constraints: Constraints, policy: Mapping[str, str]) -> None:
    """Raise if leaves vote: one leaf answers with shares, several with votes, which are not comparable."""
    if constraints.functionals and policy["vote"] == "leaf":
        raise ValueError(
            "monotonic_cst orders the shares of classes, an order that votes of leaves do not keep:"
            " use vote='distribution' in the slot `missing`"
        )


def _wishes(given: Any, columns: Sequence[Column]) -> Iterator[tuple[int, Any]]:
    """Positions of columns, and what is wished for them."""
    names = [column.name for column in columns]
    if isinstance(given, Mapping):
        for key, wish in given.items():
            yield _place(key, names), wish
        return
    wishes = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else None
    if wishes is None or len(wishes) != len(columns):
        raise ValueError(
            f"monotonic_cst={given!r} must be a dict from column to +1, -1 or {{class: sign}},"
            f" or a list of {len(columns)}, one for each column"
        )
    yield from enumerate(wishes)


def _place(key: Any, names: Sequence[str]) -> int:
    if isinstance(key, str) and key in names:
        return names.index(key)
    if not isinstance(key, bool) and isinstance(key, (int, np.integer)) and 0 <= key < len(names):
        return int(key)
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    raise ValueError(
        f"monotonic_cst names the column {key!r}, which X does not have{did_you_mean(key, names)}:"
        f" its columns are {shown}"
    )


def _functionals(
    wish: Any, column: Column, classes: Sequence[Any] | None
) -> Iterator[tuple[Functional, int]]:
    """What one column orders, and in which direction."""
    named = wish if isinstance(wish, Mapping) else {None: wish}
    signs = {label: _sign(sign, column.name) for label, sign in named.items()}
    if not any(signs.values()):
        return
    if column.kind == "nominal":
        raise ValueError(
            f"monotonic_cst constrains the nominal column {column.name!r}, whose values have no order:"
            " constrain numeric or ordinal columns only"
        )
    if named is wish:
        yield from _of_classes(signs, column, classes)
    elif classes is None:
        yield (MEAN, 0), signs[None]
    else:
        yield from (((AT_LEAST_CLASS, k), signs[None]) for k in range(1, len(classes)))


def _of_classes(
    signs: Mapping[Any, int], column: Column, classes: Sequence[Any] | None
) -> Iterator[tuple[Functional, int]]:
    if classes is None:
        raise ValueError(
            f"monotonic_cst[{column.name!r}]={dict(signs)!r} names classes, but the target is a number:"
            " use +1 or -1"
        )
    for label, sign in signs.items():
        if label not in classes:
            shown = ", ".join(map(repr, classes[:8])) + (", ..." if len(classes) > 8 else "")
            raise ValueError(
                f"monotonic_cst[{column.name!r}] names {label!r}, which is no class of y:"
                f" the classes are {shown}"
            )
        if sign:
            yield (ONE_CLASS, list(classes).index(label)), sign


def _sign(sign: Any, name: str) -> int:
    is_number = isinstance(sign, (int, float, np.number)) and not isinstance(sign, bool)
    if not is_number or sign not in (-1, 0, 1):
        raise ValueError(f"monotonic_cst[{name!r}]={sign!r} must be +1 (rising), -1 (falling) or 0 (free)")
    return int(sign)
