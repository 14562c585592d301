"""Equations in the nodes of a regression tree: as plain dicts, as arrays, and what they answer.

One idea: an equation is a sum of terms, each a coefficient times a power of one numeric column, or times
"the value is one of these" of a nominal one, kept between two bounds::

    y = intercept + sum of coefficient * (x - center) ** power       x missing: the term is `gap`
    y = min(max(y, low), high)

As a plain dict, which is what exporters read and a tree written by hand gives (all but the intercept and the
terms may be left out)::

    {"intercept": 8.0, "low": 10.0, "high": 14.0, "error": 0.0, "size": 2,
     "terms": [{"column": "x", "coefficient": 2.0, "power": 1, "center": 0.0, "gap": 4.0},
               {"column": "city", "values": ["Brno", "Cheb"], "coefficient": -1.5, "gap": -0.5}]}

`error` is the mean squared residual of the training rows before bounds and smoothing, `size` the number of
parameters it took.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.columns import Column
from hornbeam.tree.arrays import POOLS, new_pools, owners, pool_arrays
from hornbeam.tree.shape import remember

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree

_MODEL_KEYS = {"intercept", "terms", "low", "high", "error", "size"}
_DEFAULTS = {"intercept": math.nan, "low": -math.inf, "high": math.inf, "error": math.nan}
_TERM_KEYS = {"column", "coefficient", "power", "center", "gap", "values"}


class Models(Mapping[int, dict[str, Any]]):
    """The equations of a tree by node, read from its arrays."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def __len__(self) -> int:
        return int(self._tree.model_offset[-1])

    def __iter__(self) -> Iterator[int]:
        return iter(owners(self._tree.model_offset).tolist())

    def __repr__(self) -> str:
        return repr(dict(self))

    def __getitem__(self, node: int) -> dict[str, Any]:
        tree = self._tree
        if not 0 <= node < len(tree) or tree.model_offset[node] == tree.model_offset[node + 1]:
            raise KeyError(node)
        m = int(tree.model_offset[node])
        return {
            "intercept": float(tree.model_intercept[m]),
            "terms": [_term(tree, t) for t in range(int(tree.term_offset[m]), int(tree.term_offset[m + 1]))],
            "low": float(tree.model_low[m]),
            "high": float(tree.model_high[m]),
            "error": float(tree.model_error[m]),
            "size": int(tree.model_size[m]),
        }


def _term(tree: Tree, t: int) -> dict[str, Any]:
    column = tree.columns[int(tree.term_column[t])]
    term: dict[str, Any] = {"column": column.name, "coefficient": float(tree.term_coefficient[t])}
    if tree.term_power[t]:
        term |= {"power": int(tree.term_power[t]), "center": float(tree.term_center[t])}
    else:
        codes = tree.member_code[int(tree.member_offset[t]) : int(tree.member_offset[t + 1])]
        term["values"] = [column.categories[code] for code in codes.tolist()]
    return term | {"gap": float(tree.term_gap[t])}


# --- from plain dicts to arrays -----------------------------------------------------------------------------


def pools_of(
    models: Mapping[int, Mapping[str, Any]], columns: Sequence[Column], n: int
) -> dict[str, AnyArray | None]:
    """The arrays of equations given as plain dicts; None for those without entries.

    >>> pools = pools_of({0: {"intercept": 1.0, "terms": {"x": 2.0}}}, [Column("x", "numeric")], 1)
    >>> pools["term_coefficient"]
    array([2.])
    """
    place = {column.name: number for number, column in enumerate(columns)}
    pools = new_pools(n)
    for node, model in sorted(models.items()):
        if not 0 <= node < n:
            raise ValueError(f"leaf_models names node {node!r}, but nodes are 0 to {n - 1}")
        _refuse_unknown(model, _MODEL_KEYS, f"the model of node {node}")
        terms = [_term_entry(term, node, place, columns) for term in _listed(model.get("terms", ()))]
        numbers = [float(model.get(name, default)) for name, default in _DEFAULTS.items()]
        pools["model"][node].append((*numbers, int(model.get("size", 1 + len(terms))), terms))
    names = [name for p in POOLS if p.name in ("model", "term", "member") for name in (p.offset, *p.arrays)]
    return dict.fromkeys(names) | pool_arrays(pools)


def _listed(terms: Any) -> list[Mapping[str, Any]]:
    if isinstance(terms, Mapping):
        return [{"column": column, "coefficient": value} for column, value in terms.items()]
    return list(terms)


def _refuse_unknown(entries: Any, known: set[str], what: str) -> None:
    if not isinstance(entries, Mapping):
        raise TypeError(f"{what} is {entries!r}, but must be a dict of {', '.join(sorted(known))}")
    unknown = sorted(set(entries) - known)
    if unknown:
        raise ValueError(f"{what} has an entry {unknown[0]!r}: its entries are {', '.join(sorted(known))}")


def _term_entry(
    term: Mapping[str, Any], node: int, place: Mapping[str, int], columns: Sequence[Column]
) -> tuple[Any, ...]:
    """Column, power, center, coefficient and gap of a term, and the codes of its values."""
    _refuse_unknown(term, _TERM_KEYS, f"a term of the model of node {node}")
    name = str(term.get("column"))
    if name not in place:
        raise ValueError(
            f"the model of node {node} names the column {name!r}, but the columns are {', '.join(place)}"
        )
    number = place[name]
    coefficient, gap = float(term.get("coefficient", math.nan)), float(term.get("gap", 0.0))
    if "values" not in term:
        return (number, int(term.get("power", 1)), float(term.get("center", 0.0)), coefficient, gap, [])
    unknown = [value for value in term["values"] if value not in columns[number].code_of]
    if unknown:
        raise ValueError(
            f"the model of node {node} names the value {unknown[0]!r}, which column {name!r} does not have"
        )
    codes = sorted(columns[number].code_of[value] for value in term["values"])
    return (number, 0, 0.0, coefficient, gap, codes)


# --- answering ----------------------------------------------------------------------------------------------


_POOLS = (
    "model_offset", "model_intercept", "model_low", "model_high", "term_offset", "term_column", "term_power",
    "term_center", "term_coefficient", "term_gap", "member_offset", "member_code",
)  # fmt: skip


def evaluate(
    tree: Tree, columns: Sequence[AnyArray], nodes: AnyArray, rows: Longs | None = None, n_threads: int = 1
) -> Floats:
    """What nodes, leaves or not, answer by their equations or means: entry i is row `rows[i]` at `nodes[i]`.

    Without `rows` entry i is row i. `columns` has one array for each column of the tree.
    """
    pools = remember(
        tree, "_model_pools", lambda: {k: np.ascontiguousarray(getattr(tree, k)) for k in _POOLS}
    )
    own, node = np.ascontiguousarray(tree.answers()), np.ascontiguousarray(nodes, dtype=np.int32)
    return _core.evaluate(pools, list(columns), rows, node, own, n_threads)


def term_values(tree: Tree, t: int, values: AnyArray) -> Floats:
    """What one term adds, for values or codes of its column."""
    if tree.term_power[t]:
        added = (
            tree.term_coefficient[t] * (values.astype(np.float64) - tree.term_center[t]) ** tree.term_power[t]
        )
        powers: Floats = np.where(np.isnan(values), tree.term_gap[t], added)
        return powers
    codes = tree.member_code[int(tree.member_offset[t]) : int(tree.member_offset[t + 1])]
    inside = np.where(np.isin(values, codes), tree.term_coefficient[t], 0.0)
    marks: Floats = np.where(values < 0, tree.term_gap[t], inside)
    return marks


def terms_of(tree: Tree, node: int) -> range:
    """The terms of a node's equation; none if it has no equation."""
    first, last = tree.model_offset[node], tree.model_offset[node + 1]
    return range(int(tree.term_offset[first]), int(tree.term_offset[last])) if last > first else range(0)


def used_columns(tree: Tree, node: int) -> list[int]:
    """The columns the equation of a node reads."""
    terms = terms_of(tree, node)
    return sorted(set(tree.term_column[terms.start : terms.stop].tolist()))


def column_terms(tree: Tree, node: int, column: int, values: AnyArray) -> Floats:
    """What the terms of one column add to a node's equation, for values or codes of the column."""
    total = np.zeros(len(values))
    for t in terms_of(tree, node):
        if tree.term_column[t] == column:
            total += term_values(tree, t, values)
    return total


def column_gap(tree: Tree, node: int, column: int) -> float:
    """What the terms of a column add to a node's equation where it is missing: their mean in the node."""
    return float(sum(tree.term_gap[t] for t in terms_of(tree, node) if tree.term_column[t] == column))


def squares(tree: Tree) -> Floats:
    """The mean squared residual of each node's own equation on its training rows; NaN where it has none."""
    error = np.full(len(tree), np.nan)
    error[owners(tree.model_offset)] = tree.model_error
    return error


def sizes(tree: Tree) -> Longs:
    """The number of parameters of each node's answer: 1 for a mean."""
    size = np.ones(len(tree), dtype=np.int64)
    size[owners(tree.model_offset)] = tree.model_size
    return size
