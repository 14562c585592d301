"""The pruning path: the nested subtrees of one tree, with the risk of each, and how one of them is chosen.

The subtrees that are best at some penalty for each leaf are nested, so one number for each test describes all
of them: its critical alpha, the penalty at which it collapses (results call it `strength`). A path is a few
arrays by step, and the subtree of a step is one comparison away.

A risk measured on other rows is uncertain; of the trees that may well be as good as the best, the smallest is
taken (Breiman, Friedman, Olshen & Stone 1984, section 3.4.3), or the one with the best price for its size.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.parameters import check_choice, check_least, is_whole
from hornbeam._base.types import TIE, Floats, Longs
from hornbeam.data.formatting import aligned
from hornbeam.data.shown_result import TabularResult
from hornbeam.pruning.base import need_counts
from hornbeam.pruning.cp_table import CpTable
from hornbeam.pruning.held_out_losses import HeldOutLoss
from hornbeam.pruning.levels import sum_by_step
from hornbeam.pruning.record import Decisions, Pruned, with_pruned_tree
from hornbeam.pruning.risks import path_risks
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.sizes import leaf_counts, plain_leaves, reading_sizes_at
from hornbeam.tree.tree import Tree

RISKS = ("error", "impurity")
RULES = ("1-se", "min", "thrifty")
CHARGE = 0.5  # of the thrifty rule: so many standard errors times the root of the leaves but one
_SHOWN = 40  # lines of a printed path


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
    check_choice("risk", risk, RISKS)
    need_counts(tree)
    risks = np.ascontiguousarray(path_risks(tree, risk))
    critical = _core.weakest_links(tree.first_child, tree.n_children, risks, leaf_counts(tree))[0]
    return critical / total_weight(tree, risk)


def total_weight(tree: Tree, risk: str) -> float:
    """What the risks of a tree are divided by: the weight of its rows, as the risk counts them."""
    if not tree.task.is_classes:
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
    weak = strengths(tree, risk) <= alpha
    return tree.collapse(weak)


@dataclass(frozen=True, eq=False)
class PruningPath(TabularResult):
    """The subtrees that are best at some penalty for each leaf, from the largest to the root.

    `str()` is a table for people, `as_dicts()` and `curves()` are the numbers, `choose()` makes a fitted
    model of one step without growing anything.

    Attributes
    ----------
    tree : the tree the path starts from
    strength : the critical alpha of each of its nodes: the penalty at which a test goes; nan for leaves
    alpha : by step, the least penalty at which the subtree is the best; 0 first
    leaves, nodes : the sizes of the subtrees
    risk : R(T), what the path weighs against leaves
    training : the error on the training rows: share of rows answered wrongly, mean cost, mean squared error,
        or half the mean deviance of a Poisson tree; the same as `risk` unless that is impurity
    cv, cv_error : cross-validated error and its standard error, None without cross-validation
    validation, validation_error, test, test_error : the same on other rows, None where none were given
    kind : "error" or "impurity", what `risk` is

    Examples
    --------
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> print(hb.pruning_path(hb.teaching.builddt().fit(robots.X, robots.y)))
    step   alpha  leaves   risk
       0       0       4      0
       1   0.125       3  0.125
       2  0.1875       1    0.5
    """

    tree: Tree
    strength: Floats
    alpha: Floats
    leaves: Longs
    nodes: Longs
    risk: Floats
    training: Floats
    cv: Floats | None = None
    cv_error: Floats | None = None
    validation: Floats | None = None
    validation_error: Floats | None = None
    test: Floats | None = None
    test_error: Floats | None = None
    kind: str = "error"
    model: Any = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.alpha)

    def curves(self) -> dict[str, Any]:
        """The columns of the path by name, those there are; any table library takes it."""
        names = ["alpha", "leaves", "nodes", "risk", "training", "cv", "cv_error"]
        names += ["validation", "validation_error", "test", "test_error"]
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def columns(self) -> dict[str, list[Any]]:
        """The same as plain lists, with the number of each step."""
        return {"step": list(range(len(self)))} | {name: v.tolist() for name, v in self.curves().items()}

    def cp_table(self) -> CpTable:
        """The path as rpart's `printcp` shows it: relative to the root, the smallest tree first."""
        return CpTable.of(self)

    def as_dicts(self) -> list[dict[str, Any]]:
        """The steps as plain dicts."""
        curves = self.curves()
        steps = zip(*(values.tolist() for values in curves.values()), strict=True)
        return [dict(zip(curves, numbers, strict=True)) for numbers in steps]

    def __str__(self) -> str:
        curves = self.curves()
        names = [n for n in curves if n != "nodes" and (n != "training" or self.kind == "impurity")]
        heads = ["step", *(name.replace("_error", " +-") for name in names)]
        rows = [heads]
        rows += [[str(k), *(f"{curves[name][k]:.6g}" for name in names)] for k in range(len(self))]
        if len(rows) > _SHOWN + 1:
            rows = [*rows[: _SHOWN // 2 + 1], ["..."] * len(heads), *rows[-(_SHOWN // 2) :]]
        return "\n".join(aligned(rows, right=range(len(heads))))

    def step(self, rule: str | None = None, *, leaves: int | None = None, alpha: float | None = None) -> int:
        """The step that a rule, a number of leaves or a penalty chooses; the parameters are `choose`'s."""
        if sum(choice is not None for choice in (rule, leaves, alpha)) > 1:
            raise ValueError("rule, leaves and alpha each choose a subtree: give one of them")
        if leaves is not None:
            if not is_whole(leaves) or leaves < 1:
                raise ValueError(f"leaves={leaves!r} must be a whole number of at least 1")
            return int(np.flatnonzero(self.leaves <= leaves)[0])
        if alpha is not None:
            check_least("alpha", alpha, 0, "the penalty for each leaf")
            return int(np.searchsorted(self.alpha, alpha, side="right")) - 1
        rule = rule or "1-se"
        check_choice("rule", rule, RULES)
        kind = "cv" if self.cv is not None else "validation"
        mean, error = getattr(self, kind), getattr(self, f"{kind}_error")
        if mean is None:
            raise ValueError(
                f"rule={rule!r} needs errors on rows that did not grow the tree: make the path with"
                " cv=10, or with validation=(X, y); or choose with leaves=, or alpha="
            )
        return choose_step(plain_leaves(self.reading_sizes), mean, error, rule)

    @property
    def reading_sizes(self) -> Floats:
        """The reading size of the subtree of each step."""
        return reading_sizes_at(self.tree, self.strength, self.alpha)

    def choose(
        self, rule: str | None = None, *, leaves: int | None = None, alpha: float | None = None
    ) -> Any:
        """Return the fitted model of one step; a Tree if the path was made from a Tree. Nothing is regrown.

        Parameters
        ----------
        rule : {"1-se", "min", "thrifty"} or None
            As in `choose_step`, by cross-validated error if there is one, else by that on the validation
            rows; "1-se" is the default.
        leaves : int or None
            The largest subtree of the path with at most so many leaves.
        alpha : float or None
            The best subtree at this penalty for each leaf.

        Examples
        --------
        >>> import hornbeam as hb
        >>> robots = hb.datasets.load("robots")
        >>> path = hb.pruning_path(hb.teaching.builddt().fit(robots.X, robots.y))
        >>> path.choose(leaves=3).tree_.text()
        'body[circle: ally(2:1) | square: enemy(0:3) | triangle: ally(2:0)]'
        """
        return with_pruned_tree(self.model, self.pruned(self.step(rule, leaves=leaves, alpha=alpha)))

    def subtree(self, step: int) -> Tree:
        """The tree of one step."""
        return self.tree.collapse(self.strength <= self.alpha[range(len(self))[step]])

    def pruned(self, step: int) -> Pruned:
        """The tree of one step with the record of what became of each test."""
        tests = np.flatnonzero(self.tree.first_child >= 0)[::-1]
        goes = self.strength[tests] <= self.alpha[step]
        decisions = Decisions(tests, goes.astype(np.int8), {"strength": self.strength[tests]})
        # The record becomes a part of the model, so the path in it must not hold that model.
        path = self if self.model is None else replace(self, model=None)
        facts = {"alpha": float(self.alpha[step]), "risk": float(self.risk[step]), "step": step, "path": path}
        return Pruned(self.subtree(step), decisions, "cost-complexity", facts, self.tree)


def path_of(tree: Tree, risk: str = "error", model: Any = None) -> PruningPath:
    """Make the path of a tree, without any other rows.

    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> path = path_of(hb.id3().fit(tennis.X, tennis.y).tree_)
    >>> path.alpha.round(6), path.leaves
    (array([0.      , 0.089286]), array([5, 1]))
    """
    critical = strengths(tree, risk)
    own = np.where(np.isnan(critical), -np.inf, critical)
    alpha = np.unique(np.concatenate(([0.0], own[own > 0])))
    alpha = alpha[np.isfinite(alpha)]
    until = np.searchsorted(alpha, own)
    leaves = sum_by_step(tree, until, leaf_counts(tree), len(alpha)).astype(np.int64)
    tests = np.cumsum(np.bincount(until[tree.first_child >= 0], minlength=len(alpha) + 1)[:0:-1])[::-1]
    risks, errors = (
        sum_by_step(tree, until, path_risks(tree, kind), len(alpha)) / total_weight(tree, kind)
        for kind in (risk, "error")
    )
    return PruningPath(tree, critical, alpha, leaves, leaves + tests, risks, errors, kind=risk, model=model)


def with_losses(path: PruningPath, **losses: HeldOutLoss | None) -> PruningPath:
    """Return the path with errors on other rows, by name: cv, validation, test."""
    changes: dict[str, Any] = {}
    for name, loss in losses.items():
        if loss is not None:
            changes |= {name: loss.mean, f"{name}_error": loss.error}
    return replace(path, **changes)


def price(leaves: Any, risk: Any, error: float, charge: float = CHARGE) -> Floats:
    """What trees cost by the thrifty rule, given their sizes, their risks and one standard error."""
    size = np.asarray(leaves, dtype=np.float64)
    cost: Floats = np.asarray(risk) + charge * error * np.sqrt(size - 1)
    return cost


def choose_step(leaves: Any, risk: Any, error: Any = None, rule: str = "1-se", charge: float = CHARGE) -> int:
    """Choose one of several trees, given their sizes, risks and standard errors.

    Parameters
    ----------
    leaves : the size of each tree
    risk : its cross-validated risk, or that on other rows
    error : the standard error of each risk; needed for "1-se" and "thrifty"
    rule : {"1-se", "min", "thrifty"}
        "min": least risk, of equal ones the smaller tree. "1-se": the smallest tree whose risk is at most the
        least risk plus its standard error. "thrifty": the least of risk + charge error sqrt(leaves - 1),
        where error is that of the least risk: two leaves must be worth half a standard error, five a whole
        one.
    charge : how many standard errors a second leaf must be worth, for "thrifty"

    Returns
    -------
    int
        The position of the chosen tree.

    Examples
    --------
    >>> leaves, risk = [1, 2, 3, 5, 8], [0.50, 0.36, 0.31, 0.30, 0.33]
    >>> error = [0.05, 0.048, 0.046, 0.046, 0.047]
    >>> leaves[choose_step(leaves, risk, error, "min")], leaves[choose_step(leaves, risk, error)]
    (5, 3)
    >>> leaves[choose_step(leaves, risk, error, "thrifty")]
    3
    """
    check_choice("rule", rule, RULES)
    size, mean = np.asarray(leaves, dtype=np.float64), np.asarray(risk, dtype=np.float64)
    if size.ndim != 1 or size.shape != mean.shape or not len(size):
        raise ValueError(
            "leaves and risk must be columns of one length, a number for each tree, but their shapes are"
            f" {size.shape} and {mean.shape}"
        )
    unknown = np.flatnonzero(~np.isfinite(mean))
    if len(unknown):
        raise ValueError(f"risk[{unknown[0]}]={mean[unknown[0]]} must be a finite number")

    def smallest(score: Floats, limit: float) -> int:
        within = np.flatnonzero(score <= limit + TIE * abs(limit))
        return int(within[np.argmin(size[within])])

    best = smallest(mean, mean.min())
    if rule == "min":
        return best
    spread = np.full(mean.shape, np.nan) if error is None else np.asarray(error, dtype=np.float64)
    if spread.shape != mean.shape or not spread[best] >= 0:
        raise ValueError(
            f"error must hold the standard error of each risk for rule={rule!r}; or use rule='min'"
        )
    if rule == "thrifty":
        if not (size >= 1).all():
            raise ValueError(
                f"leaves holds {size[~(size >= 1)][0]:g}: a tree has a leaf at least, and rule='thrifty'"
                " weighs their number"
            )
        cost = price(size, mean, spread[best], charge)
        return smallest(cost, cost.min())
    return smallest(mean, mean[best] + spread[best])
