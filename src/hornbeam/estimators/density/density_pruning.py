"""How a density tree is pruned: at a price of a leaf that is given, or that cross-validation finds.

One idea: a part gets the tree, its path and a function that grows the same tree on other repetitions of the
rows, and returns the smaller tree with the path it came from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.data.table import Table
from hornbeam.estimators.density.density_folds import folds_of
from hornbeam.estimators.density.density_path import Links, PruningPath, summed_up
from hornbeam.estimators.density.row_weights import Mass
from hornbeam.growing.part import Part
from hornbeam.tree import apply
from hornbeam.tree.density_boxes import log_densities
from hornbeam.tree.tree import Tree

Grow = Callable[[Mass], Tree]

RULES = ("best", "1-se")


class DensityPruner(Part):
    """Base class of the parts for `TreeDensity(pruning=...)`."""

    def n_growths(self, mass: Mass) -> int:
        """How many trees it grows for rows of this mass."""
        del mass
        return 0

    def prune(self, tree: Tree, table: Table, mass: Mass, grow: Grow, seed: int) -> tuple[Tree, PruningPath]:
        """The smaller tree, and the path it was taken from; here the tree as it is."""
        del table, mass, grow, seed
        return tree, Links(tree).path()


class CostComplexity(DensityPruner):
    """The smallest subtree for which R + alpha |leaves| is least.

    Parameters
    ----------
    alpha : float
        The price of a leaf, in the unit of the loss: one over a volume. 0 only takes back cuts that changed
        no density.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from hornbeam.estimators.density import CostComplexity
    >>> X = [[1.0], [2.0], [2.5], [3.0], [9.0]]
    >>> model = hb.TreeDensity(pruning=CostComplexity(alpha=0.02), support=[(0, 10)]).fit(X)
    >>> model.tree_.text()
    'x0[<=2.75: x0[<=1.5: 0.1333(n=1) | >1.5: 0.3200(n=2)] | >2.75: 0.0552(n=2)]'
    >>> model.path_.alpha.round(4)
    array([0.    , 0.0002, 0.0053, 0.0238, 0.053 ])
    """

    name: ClassVar[str] = "cost-complexity"
    about: ClassVar[str] = "the subtree best at a given price of a leaf"

    def __init__(self, alpha: float = 0.0) -> None:
        self.alpha = alpha

    def check(self) -> None:
        """Raise unless alpha is a price."""
        alpha: Any = self.alpha
        if isinstance(alpha, bool) or not isinstance(alpha, Real) or not float(alpha) >= 0:
            raise ValueError(f"alpha={alpha!r} must be a number, 0 or more: what each leaf costs")

    def prune(self, tree: Tree, table: Table, mass: Mass, grow: Grow, seed: int) -> tuple[Tree, PruningPath]:
        """Collapse what is not worth its leaves."""
        del table, mass, grow, seed
        links = Links(tree)
        path = links.path()
        chosen = int(np.searchsorted(path.alpha, float(self.alpha), side="right")) - 1
        return links.collapsed(links.prices()[chosen]), replace(path, chosen=chosen)


class CrossValidated(DensityPruner):
    """The subtree whose price of a leaf predicts held-out rows best.

    The rows are dealt to `cv` parts. For each part a tree is grown on the others, in the same box, and the
    rows of the part are scored by its subtrees. Every leaf holds a training row, so no row of the box has
    density 0 and no score is infinite.

    Parameters
    ----------
    cv : int
        The number of parts; of fewer rows each is a part of its own (leave one out).
    rule : {"best", "1-se"}
        Take the subtree of the best score, or the smallest one within a standard error of it.
    score : {"log-likelihood", "squared-error"}
        What a held-out row x says for the density f: log f(x), or 2 f(x) minus the integral of f squared,
        which is least squares (Ram & Gray).

    Examples
    --------
    >>> import hornbeam as hb, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(500, 1))
    >>> full = hb.TreeDensity(min_samples_leaf=10).fit(X)
    >>> pruned = hb.TreeDensity(pruning="cross-validated", min_samples_leaf=10, random_state=0).fit(X)
    >>> full.tree_.n_leaves, pruned.tree_.n_leaves
    (37, 7)
    """

    name: ClassVar[str] = "cross-validated"
    about: ClassVar[str] = "the price of a leaf that predicts held-out rows best"

    def __init__(self, cv: int = 10, rule: str = "best", score: str = "log-likelihood") -> None:
        self.cv = cv
        self.rule = rule
        self.score = score

    def check(self) -> None:
        """Raise unless every number is allowed."""
        cv: Any = self.cv
        if isinstance(cv, bool) or not isinstance(cv, Integral) or cv < 2:
            raise ValueError(f"cv={cv!r} must be a whole number of at least 2: the parts of the rows")
        for name, value, allowed in (("rule", self.rule, RULES), ("score", self.score, tuple(SCORES))):
            if value not in allowed:
                raise ValueError(f"{name}={value!r} must be one of {', '.join(map(repr, allowed))}")

    def n_growths(self, mass: Mass) -> int:
        """One for each part."""
        return min(int(self.cv), mass.n_counted)

    def prune(self, tree: Tree, table: Table, mass: Mass, grow: Grow, seed: int) -> tuple[Tree, PruningPath]:
        """Grow a tree without each part of the rows, score the part, choose the price."""
        links = Links(tree)
        if len(tree) == 1:  # nothing to choose from
            return tree, links.path()
        prices = links.prices()
        between = np.append(np.sqrt(prices[:-1]) * np.sqrt(prices[1:]), np.inf)
        total, first, second = 0.0, np.zeros(len(prices)), np.zeros(len(prices))
        copies = np.ones(mass.n_rows, dtype=np.int64) if mass.counts is None else mass.counts
        for held in folds_of(table, mass, int(self.cv), seed):
            other = grow(mass.repeated(copies - held))
            share, one, two = _scored(other, table, mass.repeated(held), between, SCORES[self.score])
            total, first, second = total + share, first + one, second + two
        score = first / total
        spread = np.maximum(second / total - score**2, 0.0)
        error = np.sqrt(spread / mass.n_counted)
        chosen = _chosen(score, error, self.rule)
        path = replace(links.path(), score=score, error=error, chosen=chosen)
        return links.collapsed(prices[chosen]), path


Score = Callable[[Tree], tuple[Floats, Floats]]


def _log_likelihood(tree: Tree) -> tuple[Floats, Floats]:
    return log_densities(tree), np.zeros(len(tree))


def _squared_error(tree: Tree) -> tuple[Floats, Floats]:
    with np.errstate(over="ignore"):
        density = np.minimum(np.exp(log_densities(tree)), 1e140)
    return 2 * density, density * tree.weight / tree.weight[0]


# What a row in each node scores, and what each leaf takes off the score of every row.
SCORES: Mapping[str, Score] = {"log-likelihood": _log_likelihood, "squared-error": _squared_error}


def _scored(
    tree: Tree, table: Table, held: Mass, prices: Floats, score: Score
) -> tuple[float, Floats, Floats]:
    """The weight of the held-out rows, their summed score in the subtree of each price, and its square."""
    rows = np.flatnonzero(held.live)
    leaf = apply.leaves(tree, table)[rows].astype(np.int64)
    weight = summed_up(tree, held.take(rows).sums(leaf, len(tree)))
    each, toll = score(tree)
    links = Links(tree)
    off = links.at(prices, toll)
    one, two, total = links.at(prices, weight * each), links.at(prices, weight * each**2), float(weight[0])
    return total, one - total * off, two - 2 * off * one + total * off**2


def _chosen(score: Floats, error: Floats, rule: str) -> int:
    """The place of the subtree taken; of equal ones the smallest."""
    best = int(np.flatnonzero(score >= score.max() - 1e-12 * max(1.0, abs(float(score.max()))))[-1])
    if rule == "best":
        return best
    least = score[best] - (error[best] if math.isfinite(error[best]) else 0.0)
    return int(np.flatnonzero(score >= least)[-1])


# The choices of the slot `pruning`.
PRUNING: Mapping[str, type[DensityPruner]] = {
    "cross-validated": CrossValidated,
    "cost-complexity": CostComplexity,
}
