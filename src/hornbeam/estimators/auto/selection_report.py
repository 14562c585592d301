"""The account of a choice: every offer with its losses, and what was chosen in words.

One idea: facts first; the sentence is made of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hornbeam.estimators.auto.trials import Trial
from hornbeam.pruning.size_choice import HALVING
from hornbeam.tree.words import amount

HOW = {
    "thrifty": " with thrifty pruning",
    "1-se": " with 1-SE pruning",
    "min": " pruned to the least error",
    None: "",
}


@dataclass(frozen=True)
class Account:
    """How an automatic tree was chosen.

    `str()` is for people, `to_dicts()` the lines as plain values.

    Attributes
    ----------
    offers : a dict for each offer tried: name, words; loss, its standard error and leaves at the best size;
        what the rule chooses: taken_loss, taken_leaves
    chosen : the name of the offer taken
    rule : how the size was chosen, None where the offer prunes by itself
    loss, error, leaves : of the size taken, on rows held out; None if there were too few rows
    folds, fits : how many
    measure : what `loss` is: "error" or "squared error"
    smoothing : how class shares are smoothed, None for numbers
    log_loss : of the tree chosen with this smoothing on rows held out, None for numbers
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

    def to_dicts(self) -> list[dict[str, Any]]:
        """The offers tried, as plain dicts."""
        return [dict(line) for line in self.offers]

    def __str__(self) -> str:
        words = {line["name"]: line["words"] for line in self.offers}
        if self.loss is None or self.error is None:
            return f"took {words[self.chosen]}: from fewer than 30 rows nothing is found by holding some out"
        how = HOW[self.rule]
        lines = [f"chose {words[self.chosen]}{how}: {self._said(self.loss, self.error)}"]
        others = sorted(
            (line for line in self.offers if line["name"] != self.chosen), key=lambda o: o["taken_loss"]
        )
        against = "; ".join(f"{self._said(o['taken_loss'], o['error'])} for {o['words']}" for o in others)
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
        return "\n".join(lines)

    def _said(self, loss: float, error: float) -> str:
        if self.measure == "error":
            return f"{1 - loss:.3f} ± {error:.3f}"
        root = loss**0.5
        return f"{amount(root)} ± {amount(error / (2 * root) if root else 0.0)}"


def line_of(trial: Trial, rule: str) -> dict[str, Any]:
    """An offer's line."""
    best, taken = trial.best, trial.step(rule)
    return {
        "name": trial.offer.name,
        "words": trial.offer.words,
        "loss": float(trial.lost.mean[best]),
        "error": float(trial.lost.error[best]),
        "leaves": float(trial.leaves[best]),
        "taken_loss": float(trial.lost.mean[taken]),
        "taken_leaves": float(trial.leaves[taken]),
    }


def account_of(
    trials: Sequence[Trial],
    won: int,
    step: int,
    rule: str,
    measure: str,
    fits: int,
    soft: tuple[str, float] | None,
) -> Account:
    """The account of a choice."""
    trial = trials[won]
    return Account(
        offers=tuple(line_of(each, rule) for each in trials),
        chosen=trial.offer.name,
        rule=rule if trial.offer.path else None,
        loss=float(trial.lost.mean[step]),
        error=float(trial.lost.error[step]),
        leaves=float(trial.leaves[step]),
        folds=len(trial.grown),
        fits=fits,
        measure=measure,
        smoothing=None if soft is None else soft[0],
        log_loss=None if soft is None else soft[1],
    )
