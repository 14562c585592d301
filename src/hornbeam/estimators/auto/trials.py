"""Trials: each configuration grown without each fold, the loss of held-out rows at every size; the report.

A tree is grown once for each configuration and fold; then all penalties are judged together, as in
cost-complexity pruning, on the same folds for all configurations. Smoothing changes no test and no label, so
the trees grown for cross-validation are scored again to choose it; nothing is regrown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.data.folds import folds_of
from hornbeam.data.target import Rows
from hornbeam.estimators.auto.configurations import Configuration
from hornbeam.estimators.base import Learner, Progress
from hornbeam.growing.interruption import check_stopped, watched
from hornbeam.growing.leaves import Constant
from hornbeam.pruning.cost_complexity import mean_alphas
from hornbeam.pruning.held_out_losses import HeldOutLoss, held_out_loss
from hornbeam.pruning.nested_subtrees import HALVING, choose_step, path_of, price
from hornbeam.tree import apply, routing
from hornbeam.tree.answer_rule import answer_rule_of, with_answer_rule
from hornbeam.tree.refit import known_codes
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import amount

MOST_PENALTIES = 200
_TIE = 1e-9  # of the largest loss: what is closer is equal


@dataclass(frozen=True, eq=False)
class FoldTree:
    """A tree grown without a fold, its critical alphas, and the rows of that fold."""

    tree: Tree
    critical: Floats
    held: Rows

    def at(self, alpha: float) -> Tree:
        """The tree pruned at a penalty."""
        return self.tree.collapse(self.critical <= alpha)

    def n_leaves(self, alpha: Floats) -> Floats:
        """How many leaves the tree has at each penalty."""
        is_test = self.tree.first_child >= 0
        order = np.argsort(self.critical[is_test], kind="stable")
        critical, more = self.critical[is_test][order], self.tree.n_children[is_test][order] - 1
        above = np.concatenate([np.cumsum(more[::-1])[::-1], [0]])
        leaves: Floats = 1.0 + above[np.searchsorted(critical, alpha, side="right")]
        return leaves


@dataclass(frozen=True, eq=False)
class Trial:
    """The result of one configuration.

    Attributes
    ----------
    configuration : Configuration
    alpha : the penalties tried, ascending; a single 0 where the configuration prunes by itself
    loss : of the held-out rows, at each of them
    leaves : of the trees, by penalty, on average
    fold_trees : one for each fold
    """

    configuration: Configuration
    alpha: Floats
    loss: HeldOutLoss
    leaves: Floats
    fold_trees: Sequence[FoldTree]

    @property
    def best(self) -> int:
        """The penalty of the least loss."""
        return choose_step(self.leaves, self.loss.mean, rule="min")

    def step(self, rule: str) -> int:
        """The penalty that a rule chooses, as in `choose_step`."""
        if not self.configuration.path:
            return self.best
        return choose_step(self.leaves, self.loss.mean, self.loss.error, rule)


def try_configuration(
    configuration: Configuration,
    model: Learner,
    rows: Rows,
    folds: Any,
    seed: int,
    progress: Progress | None,
) -> Trial:
    """Grow a configuration without each fold, and judge it on the rows held out."""
    trees: list[FoldTree] = []
    watcher = watched(progress)
    for sample, held in folds_of(*rows, folds, seed).parts(*rows):
        if trees:
            check_stopped(watcher, trees[0].tree)
        tree = model.learn_tree(sample.table, sample.target, watcher)[0]
        critical = path_of(tree, "error").strength if configuration.path else np.full(len(tree), np.inf)
        trees.append(FoldTree(tree, critical, held))
    alpha = mean_alphas(_penalties(trees)) if configuration.path else np.zeros(1)
    loss = reduce(add, (held_out_loss(each.tree, each.critical, alpha, *each.held) for each in trees))
    leaves = np.mean([each.n_leaves(alpha) for each in trees], axis=0)
    return Trial(configuration, alpha, loss, leaves, trees)


def _penalties(trees: Sequence[FoldTree]) -> Floats:
    """Every penalty at which a tree of some fold changes; of very many, some spread evenly among them."""
    every = np.unique(np.concatenate([[0.0], *(t.critical[np.isfinite(t.critical)] for t in trees)]))
    if len(every) <= MOST_PENALTIES:
        return every
    return every[np.unique(np.linspace(0, len(every) - 1, MOST_PENALTIES).round().astype(np.int64))]


def best_trial(trials: Sequence[Trial], rule: str, *, thrifty: bool) -> int:
    """Which trial wins: the one of the least loss, where a tree half as large may lose somewhat more.

    How much more is what the thrifty rule says; unless `thrifty`, trials are compared by their losses alone,
    at their best sizes. Of equal ones the smallest tree wins, then the first trial.
    """
    least = min(trials, key=lambda trial: float(trial.loss.mean[trial.best]))
    steps = [trial.step(rule) if thrifty else trial.best for trial in trials]
    leaves = np.array([trial.leaves[step] for trial, step in zip(trials, steps, strict=True)])
    loss = np.array([trial.loss.mean[step] for trial, step in zip(trials, steps, strict=True)])
    cost = price(leaves, loss, float(least.loss.error[least.best])) if thrifty else loss
    equal = cost <= cost.min() + _TIE * max(float(trial.loss.mean.max()) for trial in trials)
    return int(np.argmin(np.where(equal, leaves if thrifty else 0.0, np.inf)))


LEAST = 1e-6  # a class whose share is smaller costs -log(LEAST)
SMOOTHINGS: Sequence[Constant] = (
    Constant("shrinkage", strength=1.0),
    Constant("shrinkage", strength=4.0),
    Constant("shrinkage", strength=16.0),
    Constant("laplace"),
    Constant("m-estimate", m=2.0),
    Constant("m-estimate", m=10.0),
)


def best_smoothing(fold_trees: Sequence[FoldTree], alpha: float) -> tuple[Constant, float]:
    """Return the smoothing with the lowest held-out log loss (the first of equals), and that loss."""
    pruned = [(each.at(alpha), each.held) for each in fold_trees]
    losses = [_log_loss(pruned, leaf) for leaf in SMOOTHINGS]
    best = int(np.argmin(losses))
    return SMOOTHINGS[best], losses[best]


def _log_loss(pruned: Sequence[tuple[Tree, Rows]], leaf: Constant) -> float:
    total = weight = 0.0
    for tree, (table, target) in pruned:
        rule = replace(answer_rule_of(tree.meta), **leaf.answer_choices(target))
        smoothed = tree.replace(meta=with_answer_rule(tree.meta, rule))
        leaves = apply.leaves(smoothed, table)
        reached = apply.complete_routing(smoothed, leaves, table.arrays if leaves.min() < 0 else None)
        shares = routing.probabilities(smoothed, reached)
        code, weights = known_codes(tree, target), target.row_weight
        p_true: Floats = np.where(code < 0, 0.0, shares[np.arange(len(code)), code])
        total += float(np.sort(weights * -np.log(np.maximum(p_true, LEAST))).sum())
        weight += float(np.sort(weights).sum())
    return total / weight


HOW = {
    "thrifty": " with thrifty pruning",
    "1-se": " with 1-SE pruning",
    "min": " pruned to the least error",
    None: "",
}


@dataclass(frozen=True)
class SelectionReport:
    """How an automatic tree was chosen.

    `str()` is for people, `to_dicts()` the lines as plain values.

    Attributes
    ----------
    offers : a dict for each configuration tried: name, words; loss, its standard error and leaves at the best
        size; what the rule chooses: taken_loss, taken_leaves
    chosen : the name of the configuration taken
    rule : how the size was chosen, None where the configuration prunes by itself
    loss, error, leaves : of the size taken, on rows held out; None if there were too few rows
    folds, fits : how many
    measure : what `loss` is: "error" or "squared error"
    smoothing : how class shares are smoothed, None for numbers
    log_loss : of the tree chosen with this smoothing on rows held out, None for numbers
    excluded : the columns that were left out because they only name rows
    """

    offers: tuple[dict[str, Any], ...]
    chosen: str
    rule: str | None
    loss: float | None
    error: float | None
    leaves: float | None
    folds: int
    fits: int
    measure: str
    smoothing: str | None = None
    log_loss: float | None = None
    excluded: tuple[str, ...] = ()

    def to_dicts(self) -> list[dict[str, Any]]:
        """The configurations tried, as plain dicts."""
        return [dict(line) for line in self.offers]

    def __str__(self) -> str:
        words = {line["name"]: line["words"] for line in self.offers}
        if self.loss is None or self.error is None:
            took = f"took {words[self.chosen]} untried: others are tried from 30 rows on, given the time"
            return "\n".join([took, *self._excluded_lines()])
        how = HOW[self.rule]
        lines = [f"chose {words[self.chosen]}{how}: {self._score_text(self.loss, self.error)}"]
        others = sorted(
            (line for line in self.offers if line["name"] != self.chosen), key=lambda o: o["taken_loss"]
        )
        against = "; ".join(
            f"{self._score_text(o['taken_loss'], o['error'])} for {o['words']}" for o in others
        )
        if against:
            lines[0] += f", against {against}"
        if against and self.measure == "error":
            own = amount(self.leaves or 0)
            sizes = "; ".join(f"{amount(o['taken_leaves'])} for {o['words']}" for o in others)
            lines.append(f"half the leaves is worth {HALVING} standard errors: {own} leaves, against {sizes}")
        if self.smoothing is not None:
            lines.append(
                f"class shares are smoothed by {self.smoothing}: log loss {amount(self.log_loss or 0)}"
            )
        lines.append(f"by rows held out in {self.folds} folds, {self.fits} fits in all")
        return "\n".join([*lines, *self._excluded_lines()])

    def _excluded_lines(self) -> list[str]:
        names = ", ".join(map(repr, self.excluded))
        return [f"left out, since they only name rows: {names}"] if names else []

    def _score_text(self, loss: float, error: float) -> str:
        if self.measure == "error":
            return f"{1 - loss:.3f} ± {error:.3f}"
        root = loss**0.5
        return f"{amount(root)} ± {amount(error / (2 * root) if root else 0.0)}"


def trial_line(trial: Trial, rule: str) -> dict[str, Any]:
    """A configuration's line."""
    best, taken = trial.best, trial.step(rule)
    return {
        "name": trial.configuration.name,
        "words": trial.configuration.words,
        "loss": float(trial.loss.mean[best]),
        "error": float(trial.loss.error[best]),
        "leaves": float(trial.leaves[best]),
        "taken_loss": float(trial.loss.mean[taken]),
        "taken_leaves": float(trial.leaves[taken]),
    }


def report_selection(
    trials: Sequence[Trial],
    won: int,
    step: int,
    rule: str,
    measure: str,
    fits: int,
    smoothing: tuple[str, float] | None,
) -> SelectionReport:
    """Make the report of a choice among trials."""
    trial = trials[won]
    return SelectionReport(
        offers=tuple(trial_line(each, rule) for each in trials),
        chosen=trial.configuration.name,
        rule=rule if trial.configuration.path else None,
        loss=float(trial.loss.mean[step]),
        error=float(trial.loss.error[step]),
        leaves=float(trial.leaves[step]),
        folds=len(trial.fold_trees),
        fits=fits,
        measure=measure,
        smoothing=None if smoothing is None else smoothing[0],
        log_loss=None if smoothing is None else smoothing[1],
    )


def untried_report(configuration: Configuration, measure: str) -> SelectionReport:
    """Make the report where there were too few rows to hold any out."""
    line: dict[str, Any] = {"name": configuration.name, "words": configuration.words}
    line |= dict.fromkeys(("loss", "error", "leaves", "taken_loss", "taken_leaves"))
    return SelectionReport((line,), configuration.name, None, None, None, None, 0, 1, measure)
