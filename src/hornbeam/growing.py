"""Growing: a Plan and the data -> a Tree.

One idea: everything an estimator means is resolved into one record of plain numbers before the core sees it; the core
knows no names but the criterion's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hornbeam import _core
from hornbeam.applying import n_threads
from hornbeam.columns import Column
from hornbeam.criteria import Criterion
from hornbeam.encoding import infinite_sentence
from hornbeam.missing import MissingRule
from hornbeam.splitting import Splitting
from hornbeam.table import Table
from hornbeam.target import Target
from hornbeam.tree import KINDS, Tree

COLUMN_KINDS = ("numeric", "ordinal", "nominal")

# Where one way of working gives way to another; they change the speed, never the tree.
TUNING: dict[str, int] = {
    "block_rows": 4096,  # a node of at most this many rows is sorted once and grown to the end by one thread
    "shared_rows": 65536,  # above this many rows all threads work on a node together
    "serial_cells": 100_000,  # a table of fewer cells is grown by one thread
}


class GrowthInterrupted(KeyboardInterrupt):
    """Growing was stopped, by Ctrl-C or by the progress callback; `tree` is the tree so far.

    Nodes that were still open are leaves of it, so it can be shown and used.

    Examples
    --------
    >>> import hornbeam as hb, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300_000, 5))
    >>> try:
    ...     model = hb.TreeRegressor().fit(X, X[:, 0], progress=lambda share: True)
    ... except hb.GrowthInterrupted as stopped:
    ...     found = stopped.tree
    """

    def __init__(self, message: str, tree: Tree) -> None:
        super().__init__(message)
        self.tree = tree


@dataclass(frozen=True)
class Constraints:
    """Monotonic constraints, resolved.

    functionals : (kind, index): 0 P(class >= index), 1 P(class = index), 2 the mean
    terms : (column, functional, sign)
    """

    functionals: tuple[tuple[int, int], ...] = ()
    terms: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True)
class Plan:
    """Everything growth needs, resolved: criterion, splits, missing values, limits, seed."""

    criterion: Criterion
    split: Splitting
    missing: MissingRule
    limits: Mapping[str, float] = field(default_factory=dict)
    max_features: int = 0
    constraints: Constraints = field(default_factory=Constraints)
    seed: int = 0
    n_jobs: int | None = None


def grow(plan: Plan, table: Table, target: Target, progress: Callable[[float], object] | None = None) -> Tree:
    """Grow a tree: tally, choose, route until nothing is left to split.

    Raises
    ------
    GrowthInterrupted
        If Ctrl-C was pressed or `progress(share of the rows settled)` returned something true.
    """
    weights = target.weights
    if weights is not None and target.counts is not None:
        weights = weights * target.counts
    goal = {
        "n_classes": len(target.classes) if target.kind == "classes" else 0,
        "codes": target.codes,
        "values": target.values,
        "weights": weights,
        "counts": target.counts,
    }
    try:
        arrays, center, interrupted = _core.grow(
            _core_columns(plan, table), table.n_rows, goal, _core_plan(plan), progress
        )
    except OverflowError as error:
        raise ValueError(_infinite(table, int(error.args[0]))) from None
    tree = Tree(
        columns=table.columns,
        classes=target.classes if target.kind == "classes" else None,
        task=target.kind,
        center=center,
        policy=plan.missing.policy() | ({"weights": "branch"} if plan.constraints.functionals else {}),
        meta={"criterion": plan.criterion.name},
        **arrays,
    )
    if interrupted:
        raise GrowthInterrupted(
            f"growing was interrupted at {len(tree)} nodes; the exception's `tree` holds the tree so far", tree
        )
    return tree


def _core_columns(plan: Plan, table: Table) -> list[tuple[Any, int, int, int]]:
    return [
        (array, COLUMN_KINDS.index(column.kind), KINDS.index(plan.split.kind(column)), len(column.categories))
        for column, array in zip(table.columns, table.arrays, strict=True)
    ]


def _core_plan(plan: Plan) -> dict[str, Any]:
    return {
        "criterion": plan.criterion.name,
        "missing": plan.missing.core_rule,
        "limits": dict(plan.limits),
        "max_features": plan.max_features,
        "seed": plan.seed,
        "n_threads": n_threads(plan.n_jobs),
        "functionals": list(plan.constraints.functionals),
        "monotone": list(plan.constraints.terms),
        **TUNING,
    }


def _infinite(table: Table, column: int) -> str:
    values = table.arrays[column]
    row = next(i for i in range(table.n_rows) if math.isinf(values[i]))
    return infinite_sentence(table.columns[column].name, row)


def monotone_constraints(given: Any, columns: Sequence[Column], classes: Sequence[Any] | None) -> Constraints:
    """Resolve `monotonic_cst`: a dict from column (name or position) to +1, -1, 0 or a dict {class: sign}, or a list of signs.

    >>> monotone_constraints({"age": -1}, [Column("age", "numeric")], None)
    Constraints(functionals=((2, 0),), terms=((0, 0, -1),))
    """
    if given is None:
        return Constraints()
    functionals: list[tuple[int, int]] = []
    terms: list[tuple[int, int, int]] = []
    for place, wish in _wishes(given, columns):
        column = columns[place]
        if column.kind == "nominal":
            raise ValueError(
                f"monotonic_cst constrains the nominal column {column.name!r}, whose values have no order:"
                " constrain numeric or ordinal columns only"
            )
        for functional, sign in _functionals(wish, column.name, classes):
            if functional not in functionals:
                functionals.append(functional)
            terms.append((place, functionals.index(functional), sign))
    return Constraints(tuple(functionals), tuple(terms))


def _wishes(given: Any, columns: Sequence[Column]) -> list[tuple[int, Any]]:
    names = [column.name for column in columns]
    if isinstance(given, Mapping):
        places = []
        for key, wish in given.items():
            if key in names:
                places.append((names.index(key), wish))
            elif isinstance(key, int) and 0 <= key < len(columns):
                places.append((key, wish))
            else:
                raise ValueError(f"monotonic_cst names the column {key!r}, which X does not have: its columns are {', '.join(names)}")
        return places
    wishes = list(given) if hasattr(given, "__iter__") and not isinstance(given, str) else None
    if wishes is None or len(wishes) != len(columns):
        raise ValueError(
            f"monotonic_cst={given!r} must be a dict from column to +1, -1 or {{class: sign}},"
            f" or a list of {len(columns)} signs, one for each column"
        )
    return [(place, int(wish)) for place, wish in enumerate(wishes) if wish != 0]


def _functionals(wish: Any, name: str, classes: Sequence[Any] | None) -> list[tuple[tuple[int, int], int]]:
    def sign_of(sign: Any) -> int:
        if sign not in (-1, 0, 1) or isinstance(sign, bool):
            raise ValueError(f"monotonic_cst[{name!r}]={sign!r} must be +1 (rising), -1 (falling) or 0 (free)")
        return int(sign)

    if isinstance(wish, Mapping):
        if classes is None:
            raise ValueError(f"monotonic_cst[{name!r}]={wish!r} names classes, but the target is a number: use +1 or -1")
        unknown = [label for label in wish if label not in classes]
        if unknown:
            raise ValueError(f"monotonic_cst[{name!r}] names the class {unknown[0]!r}: the classes are {list(classes)}")
        return [((1, list(classes).index(label)), s) for label, sign in wish.items() if (s := sign_of(sign))]
    sign = sign_of(wish)
    if sign == 0:
        return []
    if classes is None:
        return [((2, 0), sign)]
    return [((0, k), sign) for k in range(1, len(classes))]
