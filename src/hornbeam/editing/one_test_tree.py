"""Sprouting: a test a person asks for, as a tree of that one test.

One idea: the test is written as trees are written by hand (`hornbeam.tree.nested`), so it is read by the same
rules and refused by the same sentences; only what depends on the rows (neighbouring values, values that are
not there) is added here.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.columns import Column
from hornbeam.data.formatting import MISSING_TEXT
from hornbeam.data.table import Table
from hornbeam.editing.edit_context import EditContext
from hornbeam.editing.fill_nodes import Rows
from hornbeam.tree.arrays import NODE_ARRAYS, POOLS
from hornbeam.tree.routing import branches
from hornbeam.tree.tree import Tree


def sprout(context: EditContext, column: int, rows: Rows, at: Any = None, groups: Any = None) -> Tree:
    """A tree of one test: a cut, several cuts, one value (`at`), sets of values (`groups`), or "multiway"."""
    about = context.table.columns[column]
    if groups is not None:
        return _of_groups(context, about, groups, context.arrays[column][rows[0]])
    if isinstance(at, (list, tuple, np.ndarray)):
        return _of_cuts(context, about, list(at), _numbers(context.arrays[column][rows[0]]))
    if about.kind == "nominal":
        _value(about, at, "at")
        return _written(
            context, {"column": about.name, "equals": at, "yes": _leaf(context), "no": _leaf(context)}
        )
    return _of_cuts(context, about, [at], _numbers(context.arrays[column][rows[0]]))


def parted(tree: Tree, context: EditContext, rows: Longs) -> Longs:
    """The branch of each row by the test at the root, -1 for a gap."""
    plain = {"policy": {**tree.policy, "missing": "all-paths"}}  # which asks the test alone
    return branches(Tree(**(tree.attributes() | tree.arrays() | plain)), 0, context.arrays, rows)


def without_own(tree: Tree) -> Tree:
    """The test without a branch of its own for gaps."""
    if not tree.own_missing[0]:
        return tree
    parts = {name: array[:-1] if _by_node(name) else array for name, array in tree.arrays().items()}
    parts["n_children"] = np.concatenate([parts["n_children"][:1] - 1, parts["n_children"][1:]])
    return Tree(**(tree.attributes() | parts | {"missing": np.full(len(tree) - 1, -1)}))


def with_missing(tree: Tree, missing: int) -> Tree:
    """The test with a branch for gaps: one of its own if it is the next after the last."""
    arrays = tree.attributes() | tree.arrays()
    to = np.full(len(tree), -1, dtype=np.int32)
    to[0] = missing
    n = int(tree.n_children[0])
    if missing < n or tree.own_missing[0]:
        return Tree(**(arrays | {"missing": to}))
    parts = {name: _longer(array) if _by_node(name) else array for name, array in tree.arrays().items()}
    parts["n_children"] = parts["n_children"].copy()
    parts["n_children"][0] = n + 1
    return Tree(**(arrays | parts | {"missing": np.append(to, -1)}))


def _by_node(name: str) -> bool:
    """Whether an array has a value for each node."""
    return name in NODE_ARRAYS or name in {pool.offset for pool in POOLS if pool.owner == "node"}


def _longer(array: AnyArray) -> AnyArray:
    """One more leaf at the end: what the last one has."""
    return np.concatenate([array, array[-1:]])


def _written(context: EditContext, spec: dict[str, Any]) -> Tree:
    target = context.target
    classes = target.classes if target.task.is_classes else None
    return Tree.from_nested(spec, context.table.columns, classes, task=target.task)


def _leaf(context: EditContext) -> Any:
    return {"value": 0.0} if context.target.task.is_real else {"label": context.target.classes[0]}


# ---- cuts --------------------------------------------------------------------------------------------------


def _of_cuts(context: EditContext, column: Column, cuts: list[Any], x: Floats) -> Tree:
    if column.kind == "nominal":
        raise ValueError(
            f"at={cuts!r} cuts the column {column.name!r}, whose values have no order: give groups=[[...],"
            " [...]], multiway=True, or one value as at="
        )
    if not cuts:
        raise ValueError("at=[] has no cut: give a value, or several")
    given = [_threshold(column, cut) for cut in cuts]
    if any(b <= a for a, b in pairwise(given)):
        raise ValueError(f"at={cuts!r} must be ascending, each cut once")
    known = x[~np.isnan(x)]
    gaps = [_around(known, cut) for cut in given]
    _refuse_empty_cuts(column, cuts, given, known)
    spec = {"column": column.name, "<=": 0.0, "yes": _leaf(context), "no": _leaf(context)}
    if len(given) == 1:
        if column.kind == "ordinal":
            spec["<="] = column.categories[0]
        written = _written(context, spec)
        changed: dict[str, Any] = {
            "threshold": np.array([given[0], np.nan, np.nan]),
            "gap": np.array([gaps[0], [np.nan] * 2, [np.nan] * 2]),
        }
    else:
        marks = list(range(len(given))) if column.kind == "numeric" else list(column.categories[: len(given)])
        many = {"column": column.name, "cuts": marks, "branches": [_leaf(context)] * (len(given) + 1)}
        written = _written(context, many)
        low, high = np.array(gaps).T
        changed = {"cut_threshold": np.array(given), "cut_low": low, "cut_high": high}
    return Tree(**(written.attributes() | written.arrays() | changed))


def _threshold(column: Column, cut: Any) -> float:
    """What values are compared with: a number, or half a step above an ordinal value's code."""
    if column.kind == "ordinal":
        return _value(column, cut, "at") + 0.5
    if column.is_time and not isinstance(cut, (int, float, np.number)):
        try:
            moment = dt.datetime.fromisoformat(cut) if isinstance(cut, str) else cut
            return float(Table.match({column.name: [moment]}, (column,)).arrays[0][0])
        except (TypeError, ValueError):
            raise ValueError(
                f"at={cut!r} is no value of the column {column.name!r}, which holds {column.display}: give a"
                " date, a time, or text such as '2020-01-31'"
            ) from None
    if isinstance(cut, bool) or not isinstance(cut, (int, float, np.number)) or not np.isfinite(cut):
        raise ValueError(f"at={cut!r} must be a number, since the column {column.name!r} is numeric")
    return float(cut)


def _around(known: Floats, cut: float) -> tuple[float, float]:
    """The neighbouring values of a cut."""
    below, above = known[known <= cut], known[known > cut]
    return (float(below.max()) if len(below) else np.nan, float(above.min()) if len(above) else np.nan)


def _refuse_empty_cuts(column: Column, cuts: list[Any], given: list[float], known: Floats) -> None:
    filled = np.bincount(np.searchsorted(given, known), minlength=len(given) + 1)
    if len(known) and filled.all():
        return
    shown = cuts[0] if len(cuts) == 1 else cuts
    if not len(known):
        raise ValueError(f"the column {column.name!r} has no value at this node: split on another column")
    low, high = column.text(float(known.min())), column.text(float(known.max()))
    if low == high:
        raise ValueError(f"the column {column.name!r} is always {low} at this node: split on another column")
    raise ValueError(
        f"at={shown!r} leaves a branch empty: at this node {column.name!r} lies between {low} and {high}, so"
        f" a cut is at least {low} and below {high}"
    )


def _numbers(x: AnyArray) -> Floats:
    return x.astype(np.float64) if x.dtype.kind == "f" else np.where(x < 0, np.nan, x.astype(np.float64))


# ---- values ------------------------------------------------------------------------------------------------


def _of_groups(context: EditContext, column: Column, groups: Any, codes: AnyArray) -> Tree:
    if column.kind == "numeric":
        raise ValueError(
            f"groups divide values, but the column {column.name!r} is numeric: give a cut as at="
        )
    present = np.unique(codes[codes >= 0]).tolist()
    if isinstance(groups, str) and groups == "multiway":
        listed: list[Any] = [[column.categories[code]] for code in present]
        if len(listed) < 2:
            raise ValueError(
                f"the column {column.name!r} has {len(listed)} value at this node, so there is nothing to"
                " part: split on another column"
            )
        pairs: list[Any] = [[values[0], _leaf(context)] for values in listed]
    else:
        listed = _covering(column, _listed(groups), present)
        pairs = [[tuple(values), _leaf(context)] for values in listed]
        filled = [any(column.code_of[v] in present for v in values) for values in listed]
        if not all(filled):
            empty = listed[filled.index(False)]
            raise ValueError(
                f"groups leave a branch empty: none of {empty!r} occurs at this node, whose values of"
                f" {column.name!r} are {', '.join(repr(column.categories[c]) for c in present)}"
            )
    return _written(context, {"column": column.name, "branches": pairs})


def _listed(groups: Any) -> list[list[Any]]:
    usable = isinstance(groups, Sequence) and not isinstance(groups, str)
    if not usable or not all(isinstance(g, (list, tuple, set, frozenset)) and len(g) for g in groups):
        raise ValueError(
            f"groups={groups!r} must be a list of lists of values, such as [['a', 'b'], ['c']]; one list"
            " alone stands against all other values"
        )
    return [list(group) for group in groups]


def _covering(column: Column, groups: list[list[Any]], present: list[int]) -> list[list[Any]]:
    """The groups, each value once; one group alone stands against all others."""
    codes = [[_value(column, value, "groups") for value in group] for group in groups]
    flat = [code for group in codes for code in group]
    if len(set(flat)) < len(flat):
        twice = next(code for code in flat if flat.count(code) > 1)
        raise ValueError(
            f"groups name the value {column.categories[twice]!r} twice: each leads to one branch"
        )
    if len(codes) == 1:
        codes.append([code for code in range(len(column.categories)) if code not in flat])
        flat += codes[1]
    left = [column.categories[code] for code in present if code not in flat]
    if left:
        raise ValueError(
            f"groups leave out {', '.join(map(repr, left))}, which occurs at this node: put every value of"
            f" {column.name!r} into a group"
        )
    if any(not group for group in codes):
        raise ValueError(f"groups must have two groups at least: all values of {column.name!r} are in one")
    return [[column.categories[code] for code in group] for group in codes]


def _value(column: Column, value: Any, name: str) -> int:
    """The code of a value."""
    try:
        return column.code_of[value]
    except (KeyError, TypeError):
        known = [str(v) for v in column.categories]
        shown = ", ".join(map(repr, column.categories[:8])) + (", ..." if len(known) > 8 else "")
        word = "a missing value" if value is None or value == MISSING_TEXT else repr(value)
        raise ValueError(
            f"{name} names {word}, which the column {column.name!r} does not have"
            f"{did_you_mean(value, known)}: its values are {shown}"
        ) from None
