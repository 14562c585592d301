"""Equations for all nodes of a regression tree, from their training rows; M5's two formulas (Quinlan 1992).

The design (which columns, which powers) is one list of variables for the whole tree, so that the sums a node
needs are those of its children added up. The core does that and solves every node; here the result is
smoothed along the paths, bounded and put into the tree's arrays. M5's formulas::

    factor     (n + v) / (n - v)               n training rows, v parameters; Weka has (n + 2 v) / (n - v)
    smoothed   (n p + k q) / (n + k)           p from a node of n rows below, q by the node's own model
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from hornbeam import _core
from hornbeam._base.parameters import check_choice, n_threads
from hornbeam._base.types import AnyArray, Floats, Longs, Task
from hornbeam.data.measure_checks import as_floats, as_given
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.tree import answers, apply
from hornbeam.tree.answer_rule import answering_nodes
from hornbeam.tree.arrays import INTERVALS, THRESHOLD
from hornbeam.tree.tree import Tree

MOST_VARIABLES = 1000  # a node needs their number squared
DROPPING = {None: 0, "quinlan": 1, "weka": 1, "akaike": 2}
ROUNDING = 0.05  # by what share of the residuals' deviation rounding may change a term
FACTORS = {"quinlan": 1.0, "weka": 2.0}  # m of (n + m v) / (n - v)


_CAUTION = 10.0  # Weka's factor where there are no more rows than parameters


@dataclass(frozen=True, eq=False)
class Variable:
    """One column of a design: a power of a numeric column, or whether a nominal one is in a set (power 0)."""

    column: int
    values: AnyArray
    power: int = 1
    center: float = 0.0
    codes: tuple[int, ...] = ()


@dataclass(frozen=True)
class EquationOptions:
    """What is asked of the equations."""

    ridge: float = 0.0
    clip: bool = True
    drop: str | None = None
    smoothing: float = 0.0
    only_tested: bool = False
    max_terms: int | None = None
    rounded: bool = False


def modelled(
    tree: Tree,
    table: Table,
    target: Target,
    design: Sequence[Variable],
    options: EquationOptions,
    signs: Mapping[int, int],
    n_jobs: int | None = None,
) -> Tree:
    """The tree with an equation in every node that has rows enough for one.

    `signs` are the monotonic constraints by column: equations obey them, and so do their bounds.
    """
    if not design:
        return tree
    if len(design) > MOST_VARIABLES:
        raise ValueError(
            f"equations of {len(design):,} variables take too much memory: name at most {MOST_VARIABLES:,}"
            " with columns=[...], or lower the degree"
        )
    fitted = _core.fit_models(
        _shape(tree),
        [variable.values for variable in design],
        _goal(tree, table, target, design, n_jobs),
        _core_options(design, options, signs),
        n_threads(n_jobs),
    )
    # A branch that no training row took answers as the node above it.
    answering = answering_nodes(tree.parent, tree.weight)
    low, high = _bounds(tree, fitted, answering, signs, options)
    if options.smoothing > 0:
        pools = _smoothed(tree, fitted, len(design), options.smoothing)
    else:
        pools = _plain(tree, fitted, answering)
    node, own = pools.pop("node"), fitted["node"]
    error, size = answers.impurities(tree.stats, Task.REAL, "variance"), np.ones(len(tree), dtype=np.int32)
    error[own] = fitted["squares"] / tree.weight[own]
    size[own] = 1 + np.diff(fitted["offset"])
    held = np.zeros(len(tree) + 1, dtype=np.int64)
    held[node + 1] = 1
    models = {
        "model_offset": np.cumsum(held),
        "model_low": low[node],
        "model_high": high[node],
        "model_error": error[answering][node],
        "model_size": size[answering][node],
    }
    return tree.replace(**_variables(pools.pop("variable"), design), **pools, **models)


# --- what the core gets ----------------------------------------------------------------------------------


def _shape(tree: Tree) -> dict[str, Any]:
    if (tree.column < 0)[tree.first_child >= 0].any():  # a test of several columns
        tested = [tree.tested_columns(node) for node in range(len(tree))]
        offset = np.concatenate(([0], np.cumsum([len(columns) for columns in tested])))
        column = np.array([c for columns in tested for c in columns], dtype=np.int32)
    else:
        offset = np.concatenate(([0], np.cumsum(tree.column >= 0)))
        column = tree.column[tree.column >= 0]
    return {
        "first_child": tree.first_child,
        "n_children": tree.n_children,
        "n_rows": tree.n_rows,
        "tested_offset": offset.astype(np.int64),
        "tested": np.ascontiguousarray(column, dtype=np.int32),
        "n_columns": len(tree.columns),
    }


def _goal(
    tree: Tree, table: Table, target: Target, design: Sequence[Variable], n_jobs: int | None
) -> dict[str, Any]:
    assert target.values is not None
    row, leaf, weight = apply.training_entries(tree, table, target, n_jobs)
    taken = weight > 0
    if not taken.all():
        row, leaf, weight = row[taken], leaf[taken], weight[taken]
    gaps = [np.isnan(variable.values).any() for variable in design]
    medians = [float(np.nanmedian(v.values)) if gap else 0.0 for v, gap in zip(design, gaps, strict=True)]
    return {
        "values": np.ascontiguousarray(target.values),
        "row": np.ascontiguousarray(row),
        "leaf": np.ascontiguousarray(leaf, dtype=np.int32),
        "weight": None if (weight == 1).all() else np.ascontiguousarray(weight),
        "fallback": np.array(medians),
    }


def _core_options(
    design: Sequence[Variable], options: EquationOptions, signs: Mapping[int, int]
) -> dict[str, Any]:
    degree = np.array([max(variable.power, 1) for variable in design], dtype=np.int32)
    free = (
        options.ridge > 0 or options.drop is not None or options.only_tested or options.max_terms is not None
    )
    return {
        "column": np.array([variable.column for variable in design], dtype=np.int32),
        "degree": degree,
        "sign": np.array([signs.get(variable.column, 0) for variable in design], dtype=np.int32),
        "only_tested": options.only_tested,
        "least_rows": 2.0 if free else 1.0 + np.count_nonzero(degree == 1),
        "ridge": options.ridge,
        "dropping": DROPPING[options.drop],
        "multiplier": FACTORS.get(options.drop or "", 1.0),
        "max_terms": min(options.max_terms or 0, 2**31 - 1),
        "rounding": ROUNDING if options.rounded else 0.0,
    }


# --- bounds -------------------------------------------------------------------------------------------------


def _bounds(
    tree: Tree,
    fitted: Mapping[str, AnyArray],
    answering: Longs,
    signs: Mapping[int, int],
    options: EquationOptions,
) -> tuple[Floats, Floats]:
    """Between what each node's answer is kept: its rows' own range, and what constraints leave of it.

    Where equations are smoothed, so are the ranges: an equation that leans on those above it may say what
    they may say. At a constrained test the answers below it meet in the middle of the two branches' means, as
    in growing.
    """
    shape = len(tree)
    low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
    if options.clip:
        low, high = fitted["low"][answering], fitted["high"][answering]
        if options.smoothing > 0:
            low, high = _mixed(tree, np.stack([low, high], axis=1), options.smoothing).T.copy()
    if not signs:
        return low, high
    floor, ceiling = np.full(shape, -np.inf), np.full(shape, np.inf)
    means = tree.answers()
    sign = np.array([signs.get(c, 0) for c in range(len(tree.columns))] + [0])[tree.column]
    sign[(tree.kind != THRESHOLD) & (tree.kind != INTERVALS)] = 0
    for level in tree.levels()[1:]:
        above = tree.parent[level]
        floor[level], ceiling[level] = floor[above], ceiling[above]
        parents = np.unique(above)
        first = tree.first_child[parents[sign[parents] != 0]]
        rising = sign[tree.parent[first]] > 0
        lower, upper = np.where(rising, first, first + 1), np.where(rising, first + 1, first)
        middle = (means[first] + means[first + 1]) / 2
        ceiling[lower] = np.minimum(ceiling[lower], middle)
        floor[upper] = np.maximum(floor[upper], middle)
    low, high = np.maximum(low, floor), np.minimum(high, ceiling)
    crossed = low > high  # by rounding only: the mean lies between floor and ceiling
    return np.where(crossed, high, low), high


# --- equations as arrays ------------------------------------------------------------------------------------


def _plain(tree: Tree, fitted: Mapping[str, AnyArray], answering: Longs) -> dict[str, AnyArray]:
    """Each node's own equation, or that of the node that answers for it."""
    of_node = np.full(len(tree), -1, dtype=np.int64)
    of_node[fitted["node"]] = np.arange(len(fitted["node"]))
    of_node = of_node[answering]
    node = np.flatnonzero(of_node >= 0)
    model = of_node[node]
    offset, place = fitted["offset"], cast("Any", slice(None))
    if len(model) != len(fitted["node"]):  # a branch without rows repeats the equation above it
        start, count = offset[model], np.diff(offset)[model]
        offset = np.concatenate(([0], np.cumsum(count)))
        place = np.arange(offset[-1]) + np.repeat(start - offset[:-1], count)
    return {
        "node": node,
        "model_intercept": fitted["intercept"][model],
        "term_offset": offset,
        "term_coefficient": fitted["slope"][place],
        "term_gap": fitted["gap"][place],
        "variable": fitted["term"][place],
    }


def _mixed(tree: Tree, own: Floats, k: float) -> Floats:
    """What nodes say, mixed with what those above them say; a row of `own` for each node.

    What node c passes on to the node u above is p' = (n_c p + k q) / (n_c + k), p from below and q of u
    itself (Quinlan 1992). So what comes of a path is a weighted sum: u has the weight k / (n_c + k) A(u),
    the leaf A(leaf), with A the product of n / (n + k) from a node up to below the root.
    """
    n = tree.n_rows.astype(np.float64)
    share, mixed = np.ones(len(tree)), np.zeros_like(own)
    for level in tree.levels()[1:]:
        above = tree.parent[level]
        share[level] = share[above] * n[level] / (n[level] + k)
        mixed[level] = mixed[above] + (k / (n[level] + k) * share[above])[:, None] * own[above]
    mixed += share[:, None] * own
    return mixed


def _smoothed(tree: Tree, fitted: Mapping[str, AnyArray], width: int, k: float) -> dict[str, AnyArray]:
    """Every node's equation mixed with those above it."""
    # one row per node: slopes, what gaps add, and the intercept
    own = np.zeros((len(tree), 2 * width + 1))
    own[:, -1] = tree.answers()
    of_node = fitted["node"]
    terms = np.repeat(of_node, np.diff(fitted["offset"]))
    own[terms, fitted["term"]] = fitted["slope"]
    own[terms, width + fitted["term"]] = fitted["gap"]
    own[of_node, -1] = fitted["intercept"]
    mixed = _mixed(tree, own, k)
    has_term = (mixed[:, :width] != 0) | (mixed[:, width:-1] != 0)
    node, variable = np.nonzero(has_term)
    return {
        "node": np.arange(len(tree)),
        "model_intercept": mixed[:, -1],
        "term_offset": np.concatenate(([0], np.cumsum(has_term.sum(axis=1)))),
        "term_coefficient": mixed[node, variable],
        "term_gap": mixed[node, width + variable],
        "variable": variable.astype(np.int32),
    }


def _variables(variable: AnyArray, design: Sequence[Variable]) -> dict[str, AnyArray]:
    """The columns, powers, centers and codes of terms."""
    arrays: dict[str, AnyArray] = {
        "term_column": np.array([one.column for one in design], dtype=np.int32).take(variable),
        "term_power": np.array([one.power for one in design], dtype=np.int32).take(variable),
        "term_center": np.array([one.center for one in design]).take(variable),
    }
    codes = np.array([code for one in design for code in one.codes], dtype=np.int32)
    each = np.array([len(one.codes) for one in design], dtype=np.int64)
    count = each[variable]
    offset = np.concatenate(([0], np.cumsum(count)))
    start = (np.cumsum(each) - each)[variable]
    arrays["member_offset"] = offset
    arrays["member_code"] = codes[np.arange(offset[-1]) + np.repeat(start - offset[:-1], count)]
    return arrays


def m5_factor(n: Any, v: Any, factor: str = "quinlan") -> Any:
    """By what M5 multiplies the error that a model of v parameters makes on its n training rows.

    (n + v) / (n - v) by Quinlan, (n + 2 v) / (n - v) by Weka. With no more rows than parameters it is
    infinite; Weka's is 10 there. `n` and `v` are numbers or arrays.

    >>> round(m5_factor(20, 2), 6), m5_factor(6, 3), m5_factor(2, 2), m5_factor(21, 3, "weka")
    (1.222222, 3.0, inf, 1.5)
    """
    check_factor(factor)
    rows, size = as_floats(n, "n", "numbers of rows"), as_floats(v, "v", "numbers of parameters")
    if not ((rows >= 0).all() and (size >= 0).all()):
        raise ValueError(f"n={n!r} and v={v!r} must be numbers of at least 0: rows, and parameters")
    many = rows > size
    factors = (rows + FACTORS[factor] * size) / np.where(many, rows - size, 1.0)
    return as_given(np.where(many, factors, _CAUTION if factor == "weka" else np.inf))


def m5_smooth(p: Any, q: Any, n: Any, k: float = 15.0) -> Any:
    """The prediction M5 passes up from a node: (n p + k q) / (n + k).

    p comes from the node below, which has n training rows; q is what the node's own model says.

    >>> m5_smooth(10, 16, n=5)
    14.5
    """
    rows = as_floats(n, "n", "numbers of rows")
    if not (rows >= 0).all() or not k >= 0 or not (rows + k > 0).all():
        raise ValueError(f"n={n!r} and k={k!r} must be numbers of at least 0, not both 0")
    below, own = as_floats(p, "p", "predictions"), as_floats(q, "q", "predictions")
    return as_given((rows * below + k * own) / (rows + k))


def check_factor(factor: Any) -> None:
    """Raise unless the factor has one of the two names."""
    check_choice("factor", factor, tuple(FACTORS))
