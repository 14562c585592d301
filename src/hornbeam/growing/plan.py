"""Plan: everything growth needs, resolved; the limits, which stop growth, and the monotonic constraints.

An estimator's slots and numbers are turned into this record once; whatever method grows a tree
reads nothing else. A number that a user gives is checked once, here, with one sentence that
says what is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np

from hornbeam._base.parameters import is_number, is_whole
from hornbeam._base.types import Floats
from hornbeam.data.columns import Column
from hornbeam.growing.criteria import Criterion
from hornbeam.growing.leaves import Constant, LeafModel
from hornbeam.growing.missing import MissingPolicy
from hornbeam.growing.part import column_place
from hornbeam.growing.searches import Greedy, TreeSearch
from hornbeam.growing.selections import Best, Selection
from hornbeam.growing.splits import Splitting

# A monotonic constraint says that one number a node answers with (a *functional*: the mean, the share of a
# class, or the share of all classes from one on) never falls, or never rises, when a column does.
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


_LARGEST = 2**31 - 1  # what the core counts nodes with


@dataclass(frozen=True)
class Plan:
    """Criterion, splits, missing values, selection, leaves, limits, seed."""

    criterion: Criterion
    split: Splitting
    missing: MissingPolicy
    limits: Mapping[str, Any] = field(default_factory=dict)
    max_features: int = 0
    constraints: Constraints = field(default_factory=Constraints)
    seed: int = 0
    n_jobs: int | None = None
    selection: Selection = field(default_factory=Best)
    threshold_at: str = "round"  # one of `hornbeam.growing.splits.column_splits.PLACES`
    leaf: LeafModel = field(default_factory=Constant)
    search: TreeSearch = field(default_factory=Greedy)
    answer_costs: Floats | None = None  # of each row and answer, for searches of least cost; None: its weight
    method: str | None = (
        None  # how tests are chosen, by its name in `grower.METHODS`; None: as the parts need
    )


# Limits -----------------------------------------------------------------------------------------------------


def limits_of(estimator: Any, n_rows: int) -> dict[str, Any]:
    """The limits of an estimator as the core counts them; those that do not bind are left out.

    `n_rows` is the number of rows a share is a share of.
    """
    out: dict[str, Any] = {}
    for name, core_name, least in (
        ("max_depth", "max_depth", 0),
        ("max_leaf_nodes", "max_leaves", 1),
        ("max_nodes", "max_nodes", 1),
    ):
        value = getattr(estimator, name, None)
        if value is not None:
            out[core_name] = _whole(name, value, least)
    out["min_rows_split"] = _rows(estimator, "min_samples_split", n_rows, least=2)
    out["min_rows_leaf"] = _rows(estimator, "min_samples_leaf", n_rows, least=1)
    if hasattr(estimator, "min_weight_fraction_leaf"):
        out["min_weight_fraction"] = _number(
            estimator, "min_weight_fraction_leaf", lambda x: 0 <= x <= 0.5, "a number from 0 to 0.5"
        )
    if estimator.min_gain is not None:
        out["min_gain"] = _number(estimator, "min_gain", lambda _: True, "a number, or None for no limit")
    for name in ("min_impurity_decrease", "min_variation", "min_sd_share"):
        if hasattr(estimator, name):
            out[name] = _number(estimator, name, _positive, "a number, 0 or more")
    return out


def _is_share(value: Any) -> bool:
    return is_number(value) and not isinstance(value, Integral) and 0 < value <= 1


def _positive(x: float) -> bool:
    return x >= 0


def _whole(name: str, value: Any, least: int) -> int:
    if not is_whole(value) or value < least:
        raise ValueError(f"{name}={value!r} must be a whole number of at least {least}, or None for no limit")
    return min(int(value), _LARGEST)


def _rows(estimator: Any, name: str, n_rows: int, least: int) -> int:
    value = getattr(estimator, name)
    if is_whole(value) and value >= 1:
        return min(max(int(value), least), 2**62)
    if _is_share(value):
        return max(math.ceil(float(value) * n_rows), least)
    raise ValueError(
        f"{name}={value!r} must be a whole number of at least 1, or a share of the rows above 0 and up to 1.0"
    )


def _number(estimator: Any, name: str, allowed: Callable[[float], bool], words: str) -> float:
    value = getattr(estimator, name)
    if not is_number(value) or not allowed(float(value)):
        raise ValueError(f"{name}={value!r} must be {words}")
    return float(value)


def features_wanted(max_features: Any, n_columns: int) -> int:
    """How many columns a node searches; 0 stands for all.

    >>> features_wanted("sqrt", 20)
    4
    """
    if max_features is None:
        return 0
    if isinstance(max_features, str) and max_features in ("sqrt", "log2"):
        root = math.sqrt(n_columns) if max_features == "sqrt" else math.log2(n_columns)
        return max(1, int(root))
    if is_whole(max_features) and max_features >= 1:
        return 0 if max_features >= n_columns else int(max_features)
    if _is_share(max_features):
        return 0 if max_features == 1 else max(1, int(float(max_features) * n_columns))
    raise ValueError(
        f"max_features={max_features!r} must be None, 'sqrt', 'log2', a whole number of at least 1, or a"
        " share of the columns above 0 and up to 1.0"
    )


# Monotonic constraints --------------------------------------------------------------------------------------


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
    if isinstance(given, Mapping):
        for key, wish in given.items():
            yield column_place("monotonic_cst names the column", key, columns), wish
        return
    wishes = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else None
    if wishes is None or len(wishes) != len(columns):
        raise ValueError(
            f"monotonic_cst={given!r} must be a dict from column to +1, -1 or {{class: sign}},"
            f" or a list of {len(columns)}, one for each column"
        )
    yield from enumerate(wishes)


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
