"""How a density tree is pruned: by a price for each leaf, which is given or found by cross-validation.

The pruning path is the nested subtrees that are best at some price alpha of a leaf, by

    R(T) + alpha |leaves|,   R(T) = -sum (w / W)^2 / V over the leaves

Every test has a critical alpha, at which it collapses. A subtree is the tests whose critical alpha is larger
than alpha, so whatever adds up over leaves is known for all subtrees at once.

A pruner gets the tree and a function that grows the same tree on other repetitions of the rows, and returns
the smaller tree with the path it came from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hornbeam import _core
from hornbeam._base.parameters import check_choice, is_number, is_whole
from hornbeam._base.types import AnyArray, Floats, Longs, sums_by_place
from hornbeam.data.folds import folds_of
from hornbeam.data.table import Table
from hornbeam.data.target import Target, counted_rows
from hornbeam.growing.part import Part
from hornbeam.pruning.cost_complexity import mean_alphas
from hornbeam.pruning.levels import sum_by_step, sums_up
from hornbeam.pruning.nested_subtrees import choose_step
from hornbeam.tree import apply
from hornbeam.tree.density_boxes import log_densities, log_volumes
from hornbeam.tree.sizes import leaf_counts
from hornbeam.tree.tree import Tree

_LARGEST = 1e290  # a loss beyond counts as this


@dataclass(frozen=True)
class DensityPath:
    """The subtrees of a density tree, from the whole tree to its root alone.

    Attributes
    ----------
    alpha : the prices from which on each subtree is the best: subtree k is, from alpha[k] up to alpha[k + 1]
    leaves : how many leaves it has
    loss : R of the subtree: minus the integral of the squared density
    score, error : cross-validated score of each subtree for a row, and its standard error; None without
    chosen : the place of the subtree taken
    """

    alpha: Floats
    leaves: Longs
    loss: Floats
    score: Floats | None = None
    error: Floats | None = None
    chosen: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The same as plain lists."""
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in self.__dict__.items()
        }


class DensitySubtrees:
    """The subtrees of a density tree that are best at some price, in units of the loss of its root."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        log_volume = log_volumes(tree)
        share = tree.weight / tree.weight[0]
        self.log_root = float(log_volume[0])
        with np.errstate(over="ignore"):
            loss = np.exp(2 * np.log(share) - log_volume + log_volume[0])
        self.risk: Floats = -np.minimum(loss, _LARGEST)
        links = _core.weakest_links(tree.first_child, tree.n_children, self.risk, leaf_counts(tree))[0]
        self.critical: Floats = np.where(tree.first_child >= 0, links, -np.inf)
        # Where the subtree changes, ascending, the first is 0.
        self.prices: Floats = np.unique(np.append(self.critical[tree.first_child >= 0], 0.0))

    def sums(self, prices: Floats, values: AnyArray) -> Floats:
        """The sum of `values` over the leaves of the subtree best at each price."""
        return sum_by_step(self.tree, np.searchsorted(prices, self.critical), values, len(prices))

    def path(self) -> DensityPath:
        """The path, in the units of the table."""
        unit = math.exp(min(-self.log_root, 700.0))  # one over the volume of the root's box
        leaves = self.sums(self.prices, leaf_counts(self.tree)).astype(np.int64)
        return DensityPath(self.prices * unit, leaves, self.sums(self.prices, self.risk) * unit)

    def collapsed(self, step: int) -> Tree:
        """The subtree of one step of the path."""
        return self.tree.collapse((self.tree.first_child >= 0) & (self.critical <= self.prices[step]))


Grow = Callable[[Target], Tree]

RULES = {"best": "min", "1-se": "1-se"}  # what `choose_step` calls them


class DensityPruner(Part):
    """Base class of the parts for `TreeDensity(pruning=...)`."""

    def n_growths(self, target: Target) -> int:
        """How many trees it grows for these rows."""
        del target
        return 0

    def prune(
        self, tree: Tree, table: Table, target: Target, grow: Grow, seed: int
    ) -> tuple[Tree, DensityPath]:
        """The smaller tree, and the path it was taken from; here the tree as it is."""
        del table, target, grow, seed
        return tree, DensitySubtrees(tree).path()


class DensityCostComplexity(DensityPruner):
    """The smallest subtree for which R + alpha |leaves| is least.

    Parameters
    ----------
    alpha : float
        The price of a leaf, in the unit of the loss: one over a volume. 0 only takes back cuts that changed
        no density.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from hornbeam.parts import DensityCostComplexity
    >>> X = [[1.0], [2.0], [2.5], [3.0], [9.0]]
    >>> model = hb.TreeDensity(pruning=DensityCostComplexity(alpha=0.02), support=[(0, 10)]).fit(X)
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
        if not is_number(self.alpha) or self.alpha < 0:
            raise ValueError(f"alpha={self.alpha!r} must be a number, 0 or more: what each leaf costs")

    def prune(
        self, tree: Tree, table: Table, target: Target, grow: Grow, seed: int
    ) -> tuple[Tree, DensityPath]:
        """Collapse what is not worth its leaves."""
        del table, target, grow, seed
        subtrees = DensitySubtrees(tree)
        path = subtrees.path()
        chosen = int(np.searchsorted(path.alpha, float(self.alpha), side="right")) - 1
        return subtrees.collapsed(chosen), replace(path, chosen=chosen)


@dataclass(eq=False, repr=False)
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

    cv: int = 10
    rule: str = "best"
    score: str = "log-likelihood"

    def check(self) -> None:
        """Raise unless every number is allowed."""
        if not is_whole(self.cv) or self.cv < 2:
            raise ValueError(f"cv={self.cv!r} must be a whole number of at least 2: the parts of the rows")
        check_choice("rule", self.rule, tuple(RULES))
        check_choice("score", self.score, tuple(SCORES))

    def n_growths(self, target: Target) -> int:
        """One for each part."""
        return min(int(self.cv), counted_rows(target))

    def prune(
        self, tree: Tree, table: Table, target: Target, grow: Grow, seed: int
    ) -> tuple[Tree, DensityPath]:
        """Grow a tree without each part of the rows, score the part, choose the price."""
        subtrees = DensitySubtrees(tree)
        path, n_folds = subtrees.path(), self.n_growths(target)
        if len(tree) == 1:  # nothing to choose from
            return tree, path
        total, first, second = 0.0, np.zeros(len(path.alpha)), np.zeros(len(path.alpha))
        folds = folds_of(table, target, n_folds, seed)
        copies = target.copies
        for k in range(n_folds):
            here, held = folds.fold == k, np.zeros_like(copies)
            held[folds.row[here]] = folds.held[here]
            other, part = grow(replace(target, counts=copies - held)), replace(target, counts=held)
            prices = mean_alphas(subtrees.prices)
            weight, one, two = _score_held_out(other, table, part, prices, SCORES[self.score])
            total, first, second = total + weight, first + one, second + two
        score = first / total
        spread = np.maximum(second / total - score**2, 0.0)
        error = np.nan_to_num(np.sqrt(spread / counted_rows(target)), posinf=0.0)
        chosen = choose_step(path.leaves, -score, error, RULES[self.rule])
        return subtrees.collapsed(chosen), replace(path, score=score, error=error, chosen=chosen)


Score = Callable[[Tree], tuple[Floats, Floats]]


def _log_likelihood(tree: Tree) -> tuple[Floats, Floats]:
    return log_densities(tree), np.zeros(len(tree))


def _squared_error(tree: Tree) -> tuple[Floats, Floats]:
    with np.errstate(over="ignore"):
        density = np.minimum(np.exp(log_densities(tree)), 1e140)
    return 2 * density, density * tree.weight / tree.weight[0]


# What a row in each node scores, and what each leaf takes off the score of every row.
SCORES: Mapping[str, Score] = {"log-likelihood": _log_likelihood, "squared-error": _squared_error}


def _score_held_out(
    tree: Tree, table: Table, held: Target, prices: Floats, score: Score
) -> tuple[float, Floats, Floats]:
    """The weight of the held-out rows, their summed score in the subtree of each price, and its square."""
    weights = held.row_weight
    rows = np.flatnonzero(weights > 0)
    leaf = apply.leaves(tree, table)[rows].astype(np.int64)
    weight = sums_up(tree, sums_by_place(leaf, weights[rows], len(tree)))
    each, deduction = score(tree)
    subtrees = DensitySubtrees(tree)
    off, one, two = (subtrees.sums(prices, v) for v in (deduction, weight * each, weight * each**2))
    total = float(weight[0])
    return total, one - total * off, two - 2 * off * one + total * off**2


# The choices of the slot `pruning`.
PRUNING: Mapping[str, type[DensityPruner]] = {
    "cross-validated": CrossValidated,
    "cost-complexity": DensityCostComplexity,
}

__all__ = ["CrossValidated", "DensityCostComplexity"]
