"""What is proven about a tree: no tree of its kind is better than a bound; kept in the Tree's `meta`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KEY = "certificate"  # where a Tree's meta keeps it


@dataclass(frozen=True)
class Certificate:
    """What an optimal search has proven.

    Attributes
    ----------
    status : "optimal", "gap" (as near the best as was asked for) or "time" (stopped before)
    objective : what the tree costs on the training rows: errors, or their cost, plus the price of its leaves
    bound : what no tree of this depth is below
    greedy : what greedy growth of the same limits costs
    max_depth, n_rows : the depth that was searched, and the training rows
    max_leaves : how many leaves were allowed; None: as many as the depth allows
    price : of each leaf
    weighted : whether rows weigh or mistakes cost different amounts
    squares : whether the objective is the sum of squared errors of numbers
    all_sets : whether every set of values of every nominal column was tried; otherwise, above the last level,
        columns of more than eight values tried one value against the rest, and cuts in the order of the
        classes' shares
    """

    status: str
    objective: float
    bound: float
    greedy: float
    max_depth: int
    n_rows: int
    price: float = 0.0
    weighted: bool = False
    all_sets: bool = True
    max_leaves: int | None = None
    squares: bool = False

    @property
    def gap(self) -> float:
        """How far the tree may be from the best, as a share of its objective."""
        return (self.objective - self.bound) / self.objective if self.objective > 0 else 0.0

    def to_meta(self) -> dict[str, Any]:
        """As a Tree's meta keeps it."""
        return {KEY: dict(vars(self))}

    @classmethod
    def of(cls, meta: Mapping[str, Any]) -> Certificate | None:
        """The certificate of a Tree's meta; None if there is none."""
        return cls(**meta[KEY]) if KEY in meta else None

    def __str__(self) -> str:
        """In words."""
        fewer = "costs less" if self._costs else "makes fewer"
        makes = "costs" if self._costs else "makes"
        trees = f"tree of depth {self.max_depth}"
        if self.max_leaves is not None:
            trees += " and one leaf" if self.max_leaves == 1 else f" and at most {self.max_leaves} leaves"
        if not self.all_sets:
            trees += " (with the sets of values that were tried)"
        rows = f"on these {self.n_rows:,} rows"
        if self.squares and not self.price:
            return self._of_squares(trees, rows)
        greedy = f"greedy growth {makes} {_number(self.greedy)}"
        if self.status == "optimal" and self.bound == 0:
            return f"This tree makes no error {rows}; {greedy}."
        if self.status == "optimal":
            return f"No {trees} {fewer} than {self._amount(self.bound)} {rows}; {greedy}."
        return (
            f"This tree {makes} {self._amount(self.objective)} {rows}; no {trees} {fewer} than"
            f" {_number(self.bound)} (a gap of {self.gap:.1%}); {greedy}."
        )

    def _of_squares(self, trees: str, rows: str) -> str:
        greedy = f"greedy growth has {_number(self.greedy)}"
        if self.status == "optimal" and self.bound == 0:
            return f"This tree has no squared error {rows}; {greedy}."
        if self.status == "optimal":
            return f"No {trees} has a squared error below {_number(self.bound)} {rows}; {greedy}."
        return (
            f"This tree has a squared error of {_number(self.objective)} {rows}; no {trees} has one below"
            f" {_number(self.bound)} (a gap of {self.gap:.1%}); {greedy}."
        )

    @property
    def _costs(self) -> bool:
        return self.weighted or self.price > 0

    def _amount(self, value: float) -> str:
        return _number(value) + ("" if self._costs else " error" if value == 1 else " errors")


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) or value >= 1e5 else f"{value:,.6g}"
