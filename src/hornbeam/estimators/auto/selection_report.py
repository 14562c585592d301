"""The report of an automatic choice: every configuration with its losses, and what was chosen in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hornbeam.estimators.auto.configurations import Configuration
from hornbeam.estimators.auto.trials import Trial
from hornbeam.pruning.nested_subtrees import HALVING
from hornbeam.tree.words import amount

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
            took = f"took {words[self.chosen]}: from fewer than 30 rows nothing is found by holding some out"
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
