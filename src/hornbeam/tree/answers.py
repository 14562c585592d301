"""What each node of a Tree answers (class shares, label, mean, quantiles, density), and impurity decreases.

One idea: a node is its Stats (`hornbeam.tree.node_stats`), so everything here is arithmetic on the rows of
one array, as the tree's AnswerRule says. A node without any weight (a branch no training row took) answers as
its nearest ancestor that has some.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import Floats, Ints, Longs, Task
from hornbeam.tree.answer_rule import (
    PLAIN,
    AnswerRule,
    answer_rule_of,
    answering_nodes,
    cheapest_class,
    choose_class,
    smooth_answers,
)
from hornbeam.tree.arrays import LEAF, node_weights
from hornbeam.tree.density_boxes import volumes
from hornbeam.tree.node_stats import merge_stats, moderate, row_sums, row_sums_with_rest, squares_between

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree


def answers(tree: Tree) -> Floats:
    """Class shares (n_nodes x classes), means, or densities."""
    rule = answer_rule_of(tree.meta)
    if tree.task.is_classes:
        shares = class_shares(rule, tree.stats, tree.parent)
        uncounted = np.flatnonzero(~shares.any(axis=1))
        shares[uncounted, tree.label[uncounted]] = 1.0
        return shares
    if tree.task.is_real and rule.level is not None:
        return quantiles_at(tree, [rule.level])[:, 0]
    if tree.task.is_real:
        return smooth_answers(rule.smoothing, rule.amount, tree.stats[:, 1:2], tree.weight, tree.parent)[:, 0]
    return densities(tree, tree.weight)


def class_shares(rule: AnswerRule, stats: Floats, parent: Ints) -> Floats:
    """The probability of each class at each node; all zero if not even the root has rows."""
    counted = rule.counted(stats)
    return smooth_answers(rule.smoothing, rule.amount, _shares(counted), counted.sum(axis=1), parent)


def labels(rule: AnswerRule, stats: Floats, parent: Ints) -> Ints:
    """The class each node answers, ties to the first; a node without weight takes its ancestor's.

    With costs the class of least expected cost by the node's probabilities, smoothed or not; otherwise the
    heaviest or the median class of its rows.
    """
    if rule.costs is None:
        rule = replace(rule, smoothing="none")
    return choose_class(rule, class_shares(rule, stats, parent))


def spreads(tree: Tree) -> Floats:
    """The standard deviation of the target in each node of a regression tree (0 where there is no row)."""
    return _deviation(tree.stats)


def densities(tree: Tree, weight: Floats) -> Floats:
    """The density in each node if the nodes had these weights: the share of the weight over the volume."""
    share = weight / max(float(weight[0]), np.finfo(float).tiny)
    with np.errstate(divide="ignore", invalid="ignore"):
        density: Floats = np.where(share > 0, share / volumes(tree), 0.0)
    return np.minimum(density, np.finfo(float).max)


def majority(stats: Floats, parent: Ints) -> Ints:
    """The heaviest class of each node, ties to the first; a node without weight takes its ancestor's."""
    return labels(PLAIN, stats, parent)


# --- impurities: Stats -> a number per node, for trees made or changed without the core ---------------------


def _shares(stats: Floats) -> Floats:
    total, rest = row_sums_with_rest(stats)
    whole = np.where(total > 0, total, 1.0)[..., None]
    shares: Floats = stats / whole
    if rest.any():  # weights: what rounding left of their sum is a share of an ulp or two
        shares -= shares * (rest[..., None] / whole)
    return shares


def _gini(stats: Floats) -> Floats:
    return np.where(row_sums(stats) > 0, 1.0 - row_sums(_shares(stats) ** 2), 0.0)


def _entropy(stats: Floats) -> Floats:
    p = _shares(stats)
    return np.maximum(-row_sums(p * np.log2(np.where(p > 0, p, 1.0))), 0.0)


def _error(stats: Floats) -> Floats:
    return np.where(stats.any(axis=-1), 1.0 - _shares(stats).max(axis=-1), 0.0)


def _root(stats: Floats) -> Floats:
    p = _shares(stats)
    return 0.5 * row_sums(np.sqrt(p * (1.0 - p)))


def _variance(stats: Floats) -> Floats:
    with np.errstate(over="ignore"):
        variance: Floats = stats[..., 2] / np.where(stats[..., 0] > 0, stats[..., 0], 1.0)
    return np.minimum(variance, np.finfo(np.float64).max)


def _deviation(stats: Floats) -> Floats:
    return np.sqrt(_variance(stats))


def _poisson(stats: Floats) -> Floats:
    """Half the mean Poisson deviance, from the mean and the sum of w y ln y."""
    if stats.shape[-1] < 4:
        return _variance(stats)
    weight, mean = np.where(stats[..., 0] > 0, stats[..., 0], 1.0), stats[..., 1]
    deviance: Floats = stats[..., 3] / weight - mean * np.log(np.where(mean > 0, mean, 1.0))
    return np.where(_variance(stats) > 0, np.maximum(deviance, 0.0), 0.0)


def _nothing(stats: Floats) -> Floats:
    return np.zeros(stats.shape[:-1])


_IMPURITIES: Mapping[str, Mapping[str, Callable[[Floats], Floats]]] = {
    Task.CLASSES: {
        "gini": _gini,
        "entropy": _entropy,
        "log_loss": _entropy,
        "gain-ratio": _entropy,
        "root": _root,
        "error": _error,
    },
    Task.REAL: {"variance": _variance, "squared_error": _variance, "sd": _deviation, "poisson": _poisson},
    Task.DENSITY: {"density": _nothing},
    Task.SURVIVAL: dict.fromkeys(("log-rank", "exponential"), _poisson),
}


def _impurity_of(task: str, criterion: str | None) -> Callable[[Floats], Floats]:
    """A criterion that is no function of one group (a test statistic, say) is the first of its task."""
    return _IMPURITIES[task].get(criterion or "", next(iter(_IMPURITIES[task].values())))


def impurities(stats: Floats, task: str, criterion: str | None) -> Floats:
    """Impurity of each row of `stats`."""
    return _impurity_of(task, criterion)(stats)


def decrease_of_groups(parts: Floats, task: str, criterion: str | None) -> Floats:
    """How much parting rows into groups lowers weight x impurity: [..., groups, width] becomes [...].

    A variance falls by how far the means lie apart, which is no difference of large numbers.
    """
    impurity = _impurity_of(task, criterion)
    if impurity is _variance:
        return squares_between(parts)
    whole = merge_stats(parts, task)
    if whole.ndim > 1 and len(whole) and (whole == whole[0]).all():
        whole = whole[:1]  # all tests of a column part the same rows
    before = node_weights(whole, task) * impurity(whole)
    lowered: Floats = before - np.einsum("...i,...i->...", node_weights(parts, task), impurity(parts))
    return lowered


def decreases(first_child: Ints, weight: Floats, impurity: Floats) -> Floats:
    """How much each test lowers the impurity: weight x impurity of the node minus that of its children.

    Nodes 1, 2, ... fall into runs of siblings, so one segmented sum adds up the children of every test.
    """
    mass = weight * impurity
    tests = np.flatnonzero(first_child >= 0)
    decrease = np.zeros(len(mass))
    if len(tests):
        order = tests[np.argsort(first_child[tests], kind="stable")]
        decrease[order] = mass[order] - np.add.reduceat(mass, first_child[order])
    return decrease


def gains(
    first_child: Ints, n_children: Ints, weight: Floats, impurity: Floats, criterion: str | None
) -> Floats:
    """The score of each test: its decrease per unit of weight, over the split information for gain-ratio."""
    gain = decreases(first_child, weight := moderate(weight, impurity), impurity)
    gain = np.divide(gain, weight, out=np.zeros_like(gain), where=weight > 0)
    if criterion != "gain-ratio":
        return gain
    for node in np.flatnonzero(first_child >= 0).tolist():
        child = weight[first_child[node] : first_child[node] + n_children[node]]
        information = float(_entropy(child[None, :])[0])
        gain[node] = gain[node] / information if information > 1e-9 else 0.0
    return gain


def summary(tree: Tree, stats: Floats, rule: AnswerRule, costs: Floats | None = None) -> dict[str, Any]:
    """The arrays that follow from other Stats; `costs` of every answer are sums over each node's rows."""
    if tree.task.is_density:
        return _density_summary(tree, stats)
    criterion = tree.meta.get("criterion")
    judged = rule.judged(stats) if tree.task.is_classes else stats
    impurity = impurities(judged, tree.task, criterion)
    weight = node_weights(judged, tree.task)
    arrays: dict[str, Any] = {
        "stats": stats,
        "impurity": impurity,
        "gain": gains(tree.first_child, tree.n_children, weight, impurity, criterion),
        "fraction": None,
    }
    if tree.task.is_classes and costs is None:
        arrays["label"] = labels(rule, stats, tree.parent)
    if costs is not None:
        width = costs.shape[1]
        arrays["label"] = cheapest_class(costs)[answering_nodes(tree.parent, weight)]
        arrays["cost_offset"] = np.arange(0, costs.size + 1, width)
        arrays["cost_value"] = costs.ravel()
    return arrays


def _density_summary(tree: Tree, stats: Floats) -> dict[str, Any]:
    """The impurity of a density tree is minus the density, so that its mean over the rows is the loss R."""
    impurity = -densities(tree, stats[:, 0])
    lowered = decreases(tree.first_child, stats[:, 0], impurity) / max(float(stats[0, 0]), 1e-300)
    return {"stats": stats, "impurity": impurity, "gain": lowered, "fraction": None}


def judged_weights(tree: Tree) -> Floats:
    """The weight of each node as growing judged it: priors and costs multiply the weights of classes."""
    if not tree.task.is_classes:
        return tree.weight
    return node_weights(answer_rule_of(tree.meta).judged(tree.stats), tree.task)


def importances(tree: Tree, *, normalize: bool) -> Floats:
    """Impurity-based importance of each column, by the weights that growing judged the tests with."""
    total = np.zeros(len(tree.columns))
    weight = moderate(judged_weights(tree), tree.impurity)
    decrease = decreases(tree.first_child, weight, tree.impurity)
    single = tree.column >= 0
    np.add.at(total, tree.column[single], decrease[single])
    for node in np.flatnonzero(~single & (tree.kind != LEAF)).tolist():
        tested = tree.tested_columns(node)
        for column in tested:
            total[column] += decrease[node] / len(tested)
    total /= max(float(weight[0]), np.finfo(float).tiny)
    if normalize and total.sum() > 0:
        total /= total.sum()
    return total


# --- quantiles ----------------------------------------------------------------------------------------------
# Quantiles do not add up, so they are kept for every node, in a pool that stays when a node becomes a leaf.
# The q-quantile of some rows is the smallest y with at least the share q of their weight at or below it; if
# that share is exactly q, the middle between this y and the next, as in the usual median.


_SAME = 1e-9  # levels closer than this are one


def learn_quantiles(
    tree: Tree, leaf: Longs, y: Floats, weight: Floats, levels: Sequence[float]
) -> tuple[dict[str, Any], Floats]:
    """The pool of quantiles of a tree's nodes; and their mean pinball losses, [nodes, levels].

    `leaf`, `y` and `weight` are those of the rows in its leaves; a row may stand in several. A node without
    rows has the quantiles of the nearest node above it that has some.
    """
    here = weight > 0
    leaf, y, weight = leaf[here], y[here], weight[here]
    order = np.lexsort((weight, y))  # equal rows are interchangeable, so sums do not depend on their order
    ascending = np.array(sorted(levels), dtype=np.float64)
    values, losses = _core.node_quantiles(
        tree.first_child,
        tree.n_children,
        np.ascontiguousarray(leaf[order], dtype=np.int32),
        y[order],
        weight[order],
        ascending,
    )
    n, k = len(tree), len(ascending)
    answering = answering_nodes(tree.parent, (~np.isnan(values[::k])).astype(np.float64))
    pool = {
        "quantile_offset": np.arange(0, n * k + 1, k),
        "quantile_level": np.tile(ascending, n),
        "quantile_value": values.reshape(n, k)[answering].ravel(),
    }
    return pool, losses.reshape(n, k)


def quantile_levels(tree: Tree) -> tuple[float, ...]:
    """The levels of the quantiles that a tree's nodes keep, ascending; none, if they keep none.

    >>> import hornbeam as hb
    >>> quantile_levels(hb.TreeRegressor("absolute").fit([[1], [2]], [3, 4]).tree_)
    (0.5,)
    """
    return tuple(tree.quantile_level[: int(tree.quantile_offset[1])].tolist())


def quantiles_at(tree: Tree, levels: Sequence[float]) -> Floats:
    """The quantiles of these levels at every node, [nodes, levels].

    >>> import hornbeam as hb
    >>> quantiles_at(hb.TreeRegressor("absolute").fit([[1], [2]], [3, 4]).tree_, [0.5])
    array([[3.5],
           [3. ],
           [4. ]])
    """
    have = quantile_levels(tree)
    places = []
    for level in levels:
        near = [k for k, one in enumerate(have) if abs(one - level) <= _SAME]
        if not near:
            stored = f"the levels {', '.join(f'{one:g}' for one in have)}" if have else "no quantiles"
            needed = ", ".join(f"{one:g}" for one in sorted({*have, *levels}))
            raise ValueError(
                f"the quantile of level {level:g} is not known: the nodes of this tree keep {stored}; fit"
                f" with leaf=Quantiles(levels=[{needed}]) of hornbeam.parts"
            )
        places.append(near[0])
    table: Floats = tree.quantile_value.reshape(len(tree), len(have))
    return table[:, places]


def weighted_quantiles(y: Floats, weight: Floats, levels: Sequence[float]) -> list[float]:
    """The weighted quantiles of some values: the first with at least that share of the weight at or below it.

    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.ones(3), (0.0, 0.5, 1.0))
    [1.0, 2.0, 3.0]
    """
    if (weight == 1).all():  # counting is much faster than sorting
        places = np.maximum(np.ceil(np.array(levels) * len(y) * (1 - 1e-12)).astype(np.int64) - 1, 0)
        return [float(v) for v in np.partition(y, np.unique(places))[places]]
    order = np.argsort(y, kind="stable")
    below = np.cumsum(weight[order])
    places = np.searchsorted(below, np.array(levels) * below[-1] * (1 - 1e-12))
    return [float(v) for v in y[order][np.minimum(places, len(y) - 1)]]
