"""What each node would cost as a leaf, on the rows it was grown on.

Every pruning that trusts the training rows compares nodes by one additive number: a sum over rows that is not
divided by their number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from hornbeam._base.types import TIE, Floats, Task
from hornbeam.tree import answers, equations
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.node_stats import row_sums
from hornbeam.tree.outputs import is_mixed
from hornbeam.tree.tree import Tree


def node_risks(tree: Tree, kind: str = "error") -> Floats:
    """What each node costs as a leaf on its own training rows, summed over their weights.

    Parameters
    ----------
    tree : Tree
    kind : {"error", "loss", "impurity", "squared", "log-likelihood"}
        "error": the weight of the rows answered wrongly, or what they cost by the tree's cost matrix, its
        costs of rows, its priors; of a real target the squared error; of a density -w^2 / (N V).
        "loss": the same, but that by which a tree of rates, medians or quantiles was grown: half the Poisson
        deviance, absolute distances, pinball losses.
        "impurity": weight times impurity, as growing judged it. "squared": the squared error of a real
        target; of classes the sum over rows and classes of (1 if it is the row's class - its share)^2.
        "log-likelihood": - sum ln p(outcome), for classes and densities; of a real target the squared error,
        which is the Gaussian one up to constants.

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "a", "equals": "u", "yes": {"label": "p", "counts": [2, 1]},
    ...                          "no": {"label": "q", "counts": [1, 3]}}, classes=["p", "q"])
    >>> node_risks(tree).tolist()
    [3.0, 1.0, 1.0]
    >>> node_risks(tree, "log-likelihood").round(6).tolist()
    [4.780357, 1.909543, 2.249341]
    """
    if tree.outputs and kind != "impurity":
        return _mean_risks(tree, kind)
    kinds = _RISKS[tree.task]
    if kind not in kinds:
        raise ValueError(f"kind={kind!r} must be one of {', '.join(map(repr, kinds))}")
    return kinds[kind](tree)


def _mean_risks(tree: Tree, kind: str) -> Floats:
    """The mean over several targets; of classes beside numbers each relative to its risk at the root."""
    risks = [node_risks(tree.output(k), kind) for k in range(len(tree.outputs))]
    if is_mixed(tree.outputs):
        risks = [own * (tree.weight[0] / own[0]) if own[0] > 0 else np.zeros(len(own)) for own in risks]
    return np.asarray(np.mean(risks, axis=0))


def path_risks(tree: Tree, risk: str) -> Floats:
    """What cost-complexity weighs against leaves: "error", which is the loss of a tree, or "impurity"."""
    return node_risks(tree, "loss" if risk == "error" else risk)


def tells_rates(tree: Tree) -> bool:
    """Whether a tree answers with rates, whose distance from an outcome is the Poisson deviance."""
    if tree.task.is_survival:
        return True
    return tree.task.is_real and tree.meta.get("criterion") == "poisson" and not tree.has_models


def answered_level(tree: Tree) -> float | None:
    """The quantile that the nodes of a median or quantile tree answer; None of other trees.

    >>> import hornbeam as hb
    >>> answered_level(hb.TreeRegressor("absolute").fit([[1], [2]], [3, 4]).tree_)
    0.5
    """
    if not tree.task.is_real or tree.has_models:
        return None
    level = answer_rule_of(tree.meta).level
    return None if level is None else float(level)


def pinball_loss(y: Floats, answer: Floats, level: float, scale: float = 1.0) -> Floats:
    """Level times what an outcome lies above the answer, or 1 - level times what it lies below, scaled.

    >>> pinball_loss(np.array([3.0, 0.0]), np.array([1.0, 1.0]), 0.75)
    array([1.5 , 0.25])
    """
    above = y - answer
    losses: Floats = scale * np.where(above > 0, level * above, (level - 1) * above)
    return losses


def distance_of(tree: Tree) -> Callable[[Floats, Floats], Floats] | None:
    """How far outcomes are from answers, by the loss that the tree was grown by; None: squared distances."""
    if tells_rates(tree):
        return half_deviance
    level = answered_level(tree)
    if level is None:
        return None
    scale = 2.0 if tree.meta.get("criterion") == "absolute" else 1.0  # distances, where medians are answered
    return partial(pinball_loss, level=level, scale=scale)


def half_deviance(y: Floats, rate: Floats) -> Floats:
    """Half the Poisson deviance of each outcome, y ln(y / rate) - y + rate; where y is 0, the rate.

    >>> half_deviance(np.array([0.0, 2.0, 3.0]), np.array([0.5, 2.0, 1.0])).round(6)
    array([0.5     , 0.      , 1.295837])
    """
    rate = np.maximum(rate, np.finfo(np.float64).tiny)
    deviance: Floats = rate - y
    some = y > 0
    deviance[some] += y[some] * np.log(y[some] / rate[some])
    return np.maximum(deviance, 0.0)


def row_deviance(exposure: Floats, rate: Floats, scale: float = 1.0) -> Floats:
    """Half the deviance of rows with an event or, where their exposure is negative, without one; scaled.

    >>> row_deviance(np.array([2.0, -2.0]), np.array([0.5, 0.5])).round(6)
    array([0., 1.])
    """
    expected = np.abs(exposure) * np.maximum(rate, np.finfo(np.float64).tiny)
    deviance: Floats = np.where(exposure > 0, expected - 1.0 - np.log(expected), expected)
    return scale * np.maximum(deviance, 0.0)


def node_masses(tree: Tree) -> Floats:
    """What `node_risks(tree, "error")` is divided by to give an error rate: the weight as answers see it."""
    if not tree.task.is_classes:
        return tree.weight
    masses: Floats = answer_rule_of(tree.meta).counted(tree.stats).sum(axis=1)
    return masses


def rows_per_weight(tree: Tree) -> Floats:
    """By what the weight of each node is multiplied to be a number of rows (weights are no repetitions).

    Where rows with gaps stand in several branches by parts, parts of rows are counted, on the scale of the
    root.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"counts": {"a": 3}},
    ...                          "no": {"counts": {"b": 4}}})
    >>> rows_per_weight(tree).tolist()
    [1.0, 1.0, 1.0]
    """
    n_rows = tree.n_rows.astype(np.float64)
    if tree.policy["missing"] == "fractional":
        return np.full(len(tree), n_rows[0] / tree.weight[0])
    return np.divide(n_rows, tree.weight, out=np.zeros(len(tree)), where=tree.weight > 0)


def _class_error(tree: Tree) -> Floats:
    nodes, rule = np.arange(len(tree)), answer_rule_of(tree.meta)
    errors: Floats
    if len(tree.cost_value):  # costs of each row, summed over the rows of a node
        errors = tree.cost_value.reshape(len(tree), -1)[nodes, tree.label]
    elif rule.costs is not None:
        errors = (rule.counted(tree.stats) * rule.costs.T[tree.label]).sum(axis=1)
    else:
        others = rule.counted(tree.stats).copy()
        others[nodes, tree.label] = 0.0
        errors = others.sum(axis=1)
    return errors


def _class_squares(tree: Tree) -> Floats:
    counted, shares = answer_rule_of(tree.meta).counted(tree.stats), tree.answers()
    total = counted.sum(axis=1)
    squares: Floats = total * (1.0 + (shares**2).sum(axis=1)) - 2.0 * (counted * shares).sum(axis=1)
    return np.maximum(squares, 0.0)


def _class_likelihood(tree: Tree) -> Floats:
    counted, shares = answer_rule_of(tree.meta).counted(tree.stats), tree.answers()
    with np.errstate(divide="ignore"):
        logs = np.log(shares)
    log_loss: Floats = -np.where(counted > 0, counted * np.where(counted > 0, logs, 0.0), 0.0).sum(axis=1)
    return np.maximum(log_loss, 0.0)


def _impurity(tree: Tree) -> Floats:
    """Weight times impurity, from the Stats of the finished tree: growing measures on a coarser grid."""
    if tree.outputs:
        return tree.weight * tree.impurity  # the mean of those of the targets
    judged = answer_rule_of(tree.meta).judged(tree.stats) if tree.task.is_classes else tree.stats
    weight: Floats = row_sums(judged) if tree.task.is_classes else tree.weight
    criterion = tree.meta.get("criterion")
    known = criterion in answers._IMPURITIES[tree.task]
    return weight * (answers.impurities(judged, tree.task, criterion) if known else tree.impurity)


def _squares(tree: Tree) -> Floats:
    """Sum of (y - answer)^2: the spread around the mean, and the mean's distance from a smoothed answer.

    A node that answers with a model has that model's squared residuals.
    """
    weight = tree.weight
    away = tree.answers() - tree.stats[:, 1]
    away = np.where(np.abs(away) > TIE * np.abs(tree.answers()), away, 0.0)
    own: Floats = tree.stats[:, 2] + weight * away**2
    residual = equations.squares(tree)  # mean squares of the equations, where nodes have them
    return np.where(np.isnan(residual), own, weight * residual)


def _real_loss(tree: Tree) -> Floats:
    """The squared error; of medians and quantiles the loss around them; of rates the deviance.

    That is the deviance around the mean, and that of the mean from the answer.
    """
    if answered_level(tree) is not None:
        own: Floats = tree.weight * np.where(tree.weight > 0, np.maximum(tree.impurity, 0.0), 0.0)
        return own
    if not tells_rates(tree):
        return _squares(tree)
    weight = tree.weight
    mean = tree.stats[:, 1]
    away = np.where(
        np.abs(mean - tree.answers()) > TIE * np.abs(mean), half_deviance(mean, tree.answers()), 0
    )
    loss: Floats = weight * (np.maximum(tree.impurity, 0.0) + away)
    return loss


def _density_error(tree: Tree) -> Floats:
    """-w^2 / (N V), whose N-th part is the risk of Ram & Gray (2011)."""
    risk: Floats = -tree.weight * tree.answers()
    return risk


def _density_likelihood(tree: Tree) -> Floats:
    with np.errstate(divide="ignore"):
        logs = np.log(tree.answers())
    return np.where(tree.weight > 0, -tree.weight * np.where(tree.weight > 0, logs, 0.0), 0.0)


_RISKS: Mapping[str, Mapping[str, Callable[[Tree], Floats]]] = {
    Task.CLASSES: {
        "error": _class_error,
        "loss": _class_error,
        "impurity": _impurity,
        "squared": _class_squares,
        "log-likelihood": _class_likelihood,
    },
    Task.REAL: {
        "error": _squares,
        "loss": _real_loss,
        "impurity": _impurity,
        "squared": _squares,
        "log-likelihood": _squares,
    },
    Task.SURVIVAL: {"error": _real_loss, "loss": _real_loss, "impurity": _impurity},
    Task.DENSITY: {
        "error": _density_error,
        "loss": _density_error,
        "impurity": _density_error,
        "log-likelihood": _density_likelihood,
    },
}
