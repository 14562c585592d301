"""The critical alpha of every test of a tree: the penalty per leaf at which the test collapses.

The subtrees that are best at some penalty are nested, so one number for each test describes all of them: at
the penalty `alpha` exactly the tests with a larger critical alpha are still there. Results and the public
function call this number `strength`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.parameters import check_choice, check_least
from hornbeam._base.types import Floats
from hornbeam.pruning.base import need_counts
from hornbeam.pruning.levels import leaf_counts
from hornbeam.pruning.risks import path_risks
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.tree import Tree

RISKS = ("error", "impurity")


def strengths(tree: Tree, risk: str = "error") -> Floats:
    """The critical alpha of each test: the least penalty per leaf at which it is no test any more.

    With R(T) the risk of a tree, per row, and leaves(T) its leaves, R(T) + alpha leaves(T) is least for a
    pruning that loses more tests the larger alpha is. A test goes when its branch is a weakest link,
    g(t) = (R(t) - R(T_t)) / (leaves(T_t) - 1), or when a test above it goes.

    Parameters
    ----------
    tree : Tree
    risk : {"error", "impurity"}
        "error": the share of rows answered wrongly, or their mean cost by the tree's costs and priors; the
        mean squared error of a regression, half the mean deviance of a Poisson tree. "impurity": the mean
        impurity, scikit-learn's measure.

    Returns
    -------
    array
        One number for each node, nan for leaves. A test that lowers no risk has 0.

    Examples
    --------
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> tree = hb.teaching.builddt().fit(robots.X, robots.y).tree_
    >>> tree.text()
    'body[circle: smile[no: enemy(0:1) | yes: ally(2:0)] | square: enemy(0:3) | triangle: ally(2:0)]'
    >>> strengths(tree)
    array([0.1875, 0.125 ,    nan,    nan,    nan,    nan])
    """
    return find_weakest_links(tree, risk)[0]


def find_weakest_links(tree: Tree, risk: str = "error") -> tuple[Floats, int]:
    """Find the critical alphas; also return how many nodes and links were looked at."""
    check_choice("risk", risk, RISKS)
    need_counts(tree)
    critical, steps = _core.weakest_links(
        tree.first_child, tree.n_children, np.ascontiguousarray(path_risks(tree, risk)), leaf_counts(tree)
    )
    return critical / total_weight(tree, risk), steps


def total_weight(tree: Tree, risk: str) -> float:
    """What the risks of a tree are divided by: the weight of its rows, as the risk counts them."""
    if tree.task != "classes":
        return float(tree.weight[0])
    rule = answer_rule_of(tree.meta)
    weigh = rule.judged if risk == "impurity" else rule.counted
    return float(weigh(tree.stats[:1]).sum())


def prune_at(tree: Tree, alpha: Any, risk: str = "error") -> Tree:
    """Return the smallest of the subtrees that are best at the penalty `alpha` for each leaf.

    Examples
    --------
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> tree = hb.teaching.builddt().fit(robots.X, robots.y).tree_
    >>> prune_at(tree, 0.13).text()
    'body[circle: ally(2:1) | square: enemy(0:3) | triangle: ally(2:0)]'
    >>> prune_at(tree, 0.2).text()
    'ally(4:4)'
    """
    check_least("alpha", alpha, 0, "the penalty for each leaf")
    return tree.collapse(strengths(tree, risk) <= alpha)
