"""A split of one column at several cuts: the branch of a value is the number of cuts below it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from hornbeam._base.significance.binning import Cut, bins
from hornbeam._base.types import Longs
from hornbeam.growing.candidates.node_splits import Split, ThresholdSplit
from hornbeam.tree.arrays import INTERVALS, Pools

if TYPE_CHECKING:
    from hornbeam.growing.stepwise_growth import Growth


@dataclass(frozen=True)
class IntervalsSplit(Split):
    """Two or more cuts of a numeric or ordinal column, ascending."""

    column: int
    cuts: tuple[Cut, ...]
    kind: ClassVar[int] = INTERVALS

    @property
    def columns(self) -> tuple[int, ...]:
        """The column."""
        return (self.column,)

    @property
    def n_branches(self) -> int:
        """One more than cuts."""
        return len(self.cuts) + 1

    def branches(self, growth: Growth, rows: Longs) -> Longs:
        """The number of cuts below each value."""
        return bins(growth.numbers(self.column, rows), self.cuts)

    def write(self, record: dict[str, Any], pools: Pools) -> None:
        """Column and cuts."""
        record["column"] = self.column
        pools["cut"][-1] += [(cut.threshold, cut.low, cut.high) for cut in self.cuts]


def cut_split(column: int, cuts: tuple[Cut, ...]) -> Split:
    """The split of a column at some cuts; without any, known values against missing ones."""
    if len(cuts) > 1:
        return IntervalsSplit(column, cuts)
    cut = cuts[0] if cuts else Cut(math.inf)
    return ThresholdSplit(column, cut.threshold, cut.low, cut.high)
