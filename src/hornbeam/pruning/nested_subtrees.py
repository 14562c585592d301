"""The path: the nested subtrees of one tree, from all of it to its root, with what each risks.

One idea: the strengths of the tests say everything about all subtrees at once, so a path is a few arrays by
step, and the subtree of a step is one comparison away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hornbeam._base.checks import check_choice, check_least, is_whole
from hornbeam._base.text import aligned
from hornbeam._base.types import Floats, Longs
from hornbeam.pruning.critical_alphas import strengths, total_weight
from hornbeam.pruning.held_out_losses import Lost
from hornbeam.pruning.levels import leaf_counts
from hornbeam.pruning.pruned_copy import dressed
from hornbeam.pruning.record import Decisions, Pruned
from hornbeam.pruning.risks import path_risks
from hornbeam.pruning.size_choice import RULES, choose_step
from hornbeam.tree.tree import Tree

_SHOWN = 40  # lines of a printed path


@dataclass(frozen=True, eq=False)
class PruningPath:
    """The subtrees that are best at some penalty for each leaf, from the largest to the root.

    `str()` is a table for people, `as_dicts()` and `curves()` are the numbers, `choose()` makes a fitted
    model of one step without growing anything.

    Attributes
    ----------
    tree : the tree the path starts from
    strength : of each of its nodes: the penalty at which a test goes; nan for leaves
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
    >>> print(hb.pruning_path(hb.builddt().fit(robots.X, robots.y)))
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

    # ---- the numbers ---------------------------------------------------------------------------------------

    def curves(self) -> dict[str, Any]:
        """The columns of the path by name, those there are; any table library takes it."""
        names = ["alpha", "leaves", "nodes", "risk", "training", "cv", "cv_error"]
        names += ["validation", "validation_error", "test", "test_error"]
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def as_dicts(self) -> list[dict[str, Any]]:
        """The steps as plain dicts."""
        columns = {name: values.tolist() for name, values in self.curves().items()}
        return [{name: values[k] for name, values in columns.items()} for k in range(len(self))]

    def __str__(self) -> str:
        shown: Mapping[str, Any] = self.curves()
        names = [n for n in shown if n != "nodes" and (n != "training" or self.kind == "impurity")]
        heads = ["step", *(name.replace("_error", " +-") for name in names)]
        rows = [heads]
        for k in range(len(self)):
            rows.append([str(k), *(f"{shown[name][k]:.6g}" for name in names)])
        if len(rows) > _SHOWN + 1:
            rows = [*rows[: _SHOWN // 2 + 1], ["..."] * len(heads), *rows[-(_SHOWN // 2) :]]
        return "\n".join(aligned(rows, right=range(len(heads))))

    # ---- choosing ------------------------------------------------------------------------------------------

    def step(self, rule: str | None = None, *, leaves: int | None = None, alpha: float | None = None) -> int:
        """The step that a rule, a number of leaves or a penalty chooses; the parameters are `choose`'s."""
        given = [name for name, value in (("leaves", leaves), ("alpha", alpha)) if value is not None]
        if len(given) + (rule is not None) > 1:
            raise ValueError("rule, leaves and alpha each choose a subtree: give one of them")
        if leaves is not None:
            if not is_whole(leaves) or leaves < 1:
                raise ValueError(f"leaves={leaves!r} must be a whole number of at least 1")
            return int(np.flatnonzero(self.leaves <= leaves)[0])
        if alpha is not None:
            check_least("alpha", alpha, 0, "the penalty for each leaf")
            return int(np.searchsorted(self.alpha, alpha, side="right")) - 1
        check_choice("rule", rule or "1-se", RULES)
        mean, error = (
            (self.cv, self.cv_error) if self.cv is not None else (self.validation, self.validation_error)
        )
        if mean is None:
            raise ValueError(
                f"rule={rule or '1-se'!r} needs errors on rows that did not grow the tree: make the path with"
                " cv=10, or with validation=(X, y); or choose with leaves=, or alpha="
            )
        return choose_step(self.leaves, mean, error, rule or "1-se")

    def choose(
        self, rule: str | None = None, *, leaves: int | None = None, alpha: float | None = None
    ) -> Any:
        """The fitted model of one step; a Tree if the path was made from a Tree. Nothing is grown again.

        Parameters
        ----------
        rule : {"1-se", "min", "thrifty"} or None
            By cross-validated error if there is one, else by that on the validation rows. "min": the least
            error, of equal ones the smaller tree; "1-se" (the default): the smallest tree whose error is at
            most the least one plus its standard error; "thrifty": the least of error + 3/4 s log2(leaves),
            where s is that standard error.
        leaves : int or None
            The largest subtree of the path with at most so many leaves.
        alpha : float or None
            The best subtree at this penalty for each leaf.

        Examples
        --------
        >>> import hornbeam as hb
        >>> robots = hb.datasets.load("robots")
        >>> path = hb.pruning_path(hb.builddt().fit(robots.X, robots.y))
        >>> path.choose(leaves=3).tree_.text()
        'body[circle: ally(2:1) | square: enemy(0:3) | triangle: ally(2:0)]'
        """
        return dressed(self.model, self.pruned(self.step(rule, leaves=leaves, alpha=alpha)))

    def subtree(self, step: int) -> Tree:
        """The tree of one step."""
        return self.tree.collapse(self.strength <= self.alpha[range(len(self))[step]])

    def pruned(self, step: int) -> Pruned:
        """The tree of one step with the record of what became of each test."""
        tests = np.flatnonzero(self.tree.first_child >= 0)[::-1]
        goes = self.strength[tests] <= self.alpha[step]
        decisions = Decisions(tests, goes.astype(np.int8), {"strength": self.strength[tests]})
        path = self if self.model is None else replace(self, model=None)  # the model need not know itself
        facts = {"alpha": float(self.alpha[step]), "risk": float(self.risk[step]), "step": step, "path": path}
        return Pruned(self.subtree(step), decisions, "cost-complexity", facts, self.tree)


def path_of(tree: Tree, risk: str = "error", model: Any = None) -> PruningPath:
    """The path of a tree, without any other rows.

    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> path = path_of(hb.id3().fit(tennis.X, tennis.y).tree_)
    >>> path.alpha.round(6), path.leaves
    (array([0.      , 0.089286]), array([5, 1]))
    """
    strength = strengths(tree, risk)
    own = np.where(np.isnan(strength), -np.inf, strength)
    alpha = np.unique(np.concatenate(([0.0], own[own > 0])))
    alpha = alpha[np.isfinite(alpha)]
    until = np.searchsorted(alpha, own)
    sizes = leaf_counts(tree)
    leaves = _by_step(tree, until, sizes.astype(np.float64), len(alpha))
    tests = np.cumsum(np.bincount(until[tree.first_child >= 0], minlength=len(alpha) + 1)[:0:-1])[::-1]
    return PruningPath(
        tree,
        strength,
        alpha,
        leaves.astype(np.int64),
        leaves.astype(np.int64) + tests,
        _by_step(tree, until, path_risks(tree, risk), len(alpha)) / total_weight(tree, risk),
        _by_step(tree, until, path_risks(tree, "error"), len(alpha)) / total_weight(tree, "error"),
        kind=risk,
        model=model,
    )


def _by_step(tree: Tree, until: Longs, values: Floats, n_steps: int) -> Floats:
    """What the leaves of each subtree add up to: a node is one from its own step to that of its parent."""
    end = np.where(tree.parent >= 0, until[np.maximum(tree.parent, 0)], n_steps)
    here = until < end
    change = np.bincount(until[here], weights=values[here], minlength=n_steps + 1)
    change -= np.bincount(end[here], weights=values[here], minlength=n_steps + 1)
    found: Floats = np.cumsum(change)[:n_steps].astype(np.float64, copy=False)
    return found


def with_losses(path: PruningPath, **found: Lost | None) -> PruningPath:
    """The path with errors on other rows, by name: cv, validation, test."""
    changed: dict[str, Any] = {}
    for name, losses in found.items():
        if losses is not None:
            changed |= {name: losses.mean, f"{name}_error": losses.error}
    return replace(path, **changed)
