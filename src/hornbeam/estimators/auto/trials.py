"""Each configuration tried on the folds: its loss at every size; the choice among them, and its report.

A tree is grown once for each configuration and fold; then all penalties are judged together, as in
cost-complexity pruning, on the same folds for all configurations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import add
from typing import Any

import numpy as np

from hornbeam._base.parameters import Stages
from hornbeam._base.types import Floats
from hornbeam.data.folds import Folds
from hornbeam.data.target import Rows
from hornbeam.estimators.auto.configurations import Configuration
from hornbeam.estimators.auto.probability_losses import LOSSES, Loss, MeanLoss, log_loss_of_folds
from hornbeam.estimators.base import Learner, Progress
from hornbeam.growing.interruption import check_stopped, watched
from hornbeam.pruning.cost_complexity import mean_alphas
from hornbeam.pruning.held_out_losses import held_out_loss
from hornbeam.pruning.nested_subtrees import CHARGE, choose_step, price, strengths
from hornbeam.tree.sizes import plain_leaves, reading_sizes_at
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import amount

MOST_PENALTIES = 200
# What a second leaf must be worth, in standard errors: those of squared errors are large, few rows decide.
CHARGES = {"squared error": 0.25}
# What the path of subtrees weighs against leaves. Two leaves of one label make no fewer errors than their
# parent, but better probabilities: where these count, the path keeps them.
PATH_RISKS = {
    "mixed": "impurity",
    "error": "error",
    "log-loss": "impurity",
    "auc": "impurity",
    "squared error": "error",
}
AIMS = {  # what decides, for people
    "mixed": "errors and Brier score alike",
    "error": "errors",
    "log-loss": "log loss",
    "auc": "AUC",
    "squared error": "squared errors",
}
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
    loss : of the held-out rows, at each of them, by what the trees aim at
    plain : their errors or squared errors, which are what people are told
    leaves, sizes : number of leaves and reading size of the trees, by penalty, on average
    fold_trees : one for each fold
    aim : what `loss` is
    """

    configuration: Configuration
    alpha: Floats
    loss: Loss
    plain: Loss
    leaves: Floats
    sizes: Floats
    fold_trees: Sequence[FoldTree]
    aim: str

    @property
    def best(self) -> int:
        """The penalty of the least loss."""
        return choose_step(self.plain_leaves, self.loss.mean, rule="min")

    @property
    def plain_leaves(self) -> Floats:
        """The leaves of plain trees that take as much reading."""
        return plain_leaves(self.sizes)

    @property
    def charge(self) -> float:
        """What a second leaf must be worth, in standard errors."""
        return CHARGES.get(self.aim, CHARGE)

    def step(self, rule: str) -> int:
        """The penalty that a rule chooses, as in `choose_step`."""
        if not self.configuration.path:
            return self.best
        return choose_step(self.plain_leaves, self.loss.mean, self.loss.error, rule, self.charge)


def try_configuration(
    configuration: Configuration,
    model: Learner,
    rows: Rows,
    deals: Sequence[Folds],
    progress: Progress | None,
    aim: str = "error",
) -> Trial:
    """Grow a configuration without each fold, and judge it on the rows held out; rows may be dealt twice."""
    trees: list[FoldTree] = []
    watcher = watched(progress)
    stages = Stages(watcher, sum(deal.n_folds for deal in deals))
    for sample, held in chain.from_iterable(deal.parts(*rows) for deal in deals):
        if trees and watcher is not None and not watcher.has_stopped:
            watcher(0.0)  # Ctrl-C may have come after the last growth
        if trees:
            check_stopped(watcher, trees[0].tree)
        tree = model.learn_tree(sample.table, sample.target, stages.next())[0]
        critical = strengths(tree, PATH_RISKS[aim]) if configuration.path else np.full(len(tree), np.inf)
        trees.append(FoldTree(tree, critical, held))
    alpha = mean_alphas(_penalties(trees)) if configuration.path else np.zeros(1)
    plain: Loss = reduce(add, (held_out_loss(each.tree, each.critical, alpha, *each.held) for each in trees))
    folds_and_rows = [(each.tree, each.critical, each.held) for each in trees]
    loss = LOSSES[aim](folds_and_rows, alpha) if aim in LOSSES else plain
    leaves = np.mean([each.n_leaves(alpha) for each in trees], axis=0)
    sizes = np.mean([reading_sizes_at(each.tree, each.critical, alpha) for each in trees], axis=0)
    times = len(deals) ** 0.5  # rows held out twice are no more rows
    loss, plain = MeanLoss(loss.mean, loss.error * times), MeanLoss(plain.mean, plain.error * times)
    return Trial(configuration, alpha, loss, plain, leaves, sizes, trees, aim)


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
    leaves = np.array([trial.plain_leaves[step] for trial, step in zip(trials, steps, strict=True)])
    loss = np.array([trial.loss.mean[step] for trial, step in zip(trials, steps, strict=True)])
    cost = price(leaves, loss, float(least.loss.error[least.best]), least.charge) if thrifty else loss
    equal = cost <= cost.min() + _TIE * max(float(trial.loss.mean.max()) for trial in trials)
    return int(np.argmin(np.where(equal, leaves if thrifty else 0.0, np.inf)))


def held_out_log_loss(trial: Trial, step: int) -> float:
    """The log loss of the rows held out by the trees of one penalty."""
    folds = [(each.tree, each.critical, each.held) for each in trial.fold_trees]
    return float(log_loss_of_folds(folds, trial.alpha[step : step + 1]).mean[0])


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
    offers : a dict for each configuration tried: name, words; loss, its standard error, leaves and reading
        size at the best size; what the rule chooses: taken_loss, taken_leaves, taken_size, and taken_aim, the
        loss by the aim
    chosen : the name of the configuration taken
    rule : how the size was chosen, None where the configuration prunes by itself
    loss, error, leaves, size : of the size taken, on rows held out; None if there were too few rows. `size`
        is the reading size
    folds, deals, fits : how many; with two deals every row is held out twice
    measure : what `loss` is: "error" or "squared error"
    aim : what decided between sizes and configurations
    log_loss : on rows held out, with class shares as m-estimates (m = 1); None for numbers
    excluded : the columns that were left out because they only name rows
    untried : in words, the ways of growing that were not tried, or not to the end, since `fit` was stopped
    beyond_budget, too_slow : those that were not tried since the budget was too small, or the table too large
    """

    offers: tuple[dict[str, Any], ...]
    chosen: str
    rule: str | None
    loss: float | None
    error: float | None
    leaves: float | None
    size: float | None
    folds: int
    deals: int
    fits: int
    measure: str
    aim: str
    log_loss: float | None = None
    excluded: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()
    beyond_budget: tuple[str, ...] = ()
    too_slow: tuple[str, ...] = ()

    def to_dicts(self) -> list[dict[str, Any]]:
        """The configurations tried, as plain dicts."""
        return [dict(line) for line in self.offers]

    def headline(self) -> str:
        """What was taken, and how well it did on rows held out, or why nobody knows."""
        taken = next(line["words"] for line in self.offers if line["name"] == self.chosen)
        if self.loss is not None and self.error is not None:
            measure = "accuracy" if self.measure == "error" else "typical error (RMSE)"
            score = self._score_text(self.loss, self.error)
            return f"{taken}: {measure} {score} (standard error) on rows held out"
        if self.untried:
            return f"{taken}, as far as it had come"
        return f"{taken}; fewer than 30 rows are too few to compare it with others"

    def __str__(self) -> str:
        if self.loss is None or self.error is None:
            return "\n".join([f"took {self.headline()}", *self.left_out_lines()])
        taken = next(line["words"] for line in self.offers if line["name"] == self.chosen)
        lines = [f"chose {taken}{HOW[self.rule]}: {self._score_text(self.loss, self.error)}{self.against()}"]
        others = self._others()
        sizes = "; ".join(f"{amount(o['taken_size'])} for {o['words']}" for o in others)
        beside = f", against {sizes}" if sizes else ""
        lines.append(f"decided by {AIMS[self.aim]}; reading size {amount(self.size or 0)}{beside}")
        if self.log_loss is not None:
            lines[-1] += f"; log loss {amount(self.log_loss)}"
        twice = ", dealt twice" if self.deals == 2 else ""
        lines.append(
            f"by rows held out in {self.folds} folds{twice}; {self.fits} fits in all; ±: standard error"
        )
        return "\n".join([*lines, *self.left_out_lines()])

    def against(self) -> str:
        """How well the other ways did: `, against 0.95 ± 0.02 for ...`; nothing if there were none."""
        scores = [f"{self._score_text(o['taken_loss'], o['error'])} for {o['words']}" for o in self._others()]
        return f", against {'; '.join(scores)}" if scores else ""

    def _others(self) -> list[dict[str, Any]]:
        if self.loss is None:
            return []
        return sorted((o for o in self.offers if o["name"] != self.chosen), key=lambda o: o["taken_loss"])

    def left_out_lines(self) -> list[str]:
        """The columns that were left out, and the ways of growing that were not tried, with the reason."""
        told = (
            ("left out, since what they tell is chance: ", ", ", tuple(map(repr, self.excluded))),
            ("stopped before these were tried: ", "; ", self.untried),
            ("not tried, since the budget is too small: ", "; ", self.beyond_budget),
            ("not tried, since the table is too large, unless `consider` names it: ", "; ", self.too_slow),
        )
        return [reason + between.join(names) for reason, between, names in told if names]

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
        "loss": float(trial.plain.mean[best]),
        "error": float(trial.plain.error[best]),
        "leaves": float(trial.leaves[best]),
        "size": float(trial.sizes[best]),
        "taken_loss": float(trial.plain.mean[taken]),
        "taken_leaves": float(trial.leaves[taken]),
        "taken_size": float(trial.sizes[taken]),
        "taken_aim": float(trial.loss.mean[taken]),
    }


def report_selection(
    trials: Sequence[Trial], won: int, rule: str, measure: str, deals: int, fits: int
) -> SelectionReport:
    """Make the report of a choice among trials."""
    trial = trials[won]
    step = trial.step(rule)
    return SelectionReport(
        offers=tuple(trial_line(each, rule) for each in trials),
        chosen=trial.configuration.name,
        rule=rule if trial.configuration.path else None,
        loss=float(trial.plain.mean[step]),
        error=float(trial.plain.error[step]),
        leaves=float(trial.leaves[step]),
        size=float(trial.sizes[step]),
        folds=len(trial.fold_trees) // deals,
        deals=deals,
        fits=fits,
        measure=measure,
        aim=trial.aim,
        log_loss=held_out_log_loss(trial, step) if measure == "error" else None,
    )


def untried_report(configuration: Configuration, measure: str, aim: str) -> SelectionReport:
    """Make the report where there were too few rows to hold any out."""
    line: dict[str, Any] = {"name": configuration.name, "words": configuration.words}
    numbers = ("loss", "error", "leaves", "size", "taken_loss", "taken_leaves", "taken_size", "taken_aim")
    line |= dict.fromkeys(numbers)
    return SelectionReport((line,), configuration.name, None, None, None, None, None, 0, 1, 1, measure, aim)
