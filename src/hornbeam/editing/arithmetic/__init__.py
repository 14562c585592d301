"""The arithmetic of a split: what every column could do at a node, and the calculation term by term."""

from hornbeam.editing.arithmetic.candidate import ColumnCandidate, Cuts
from hornbeam.editing.arithmetic.splits import Splits, splits
from hornbeam.editing.arithmetic.work import WorkedSplit

__all__ = ["ColumnCandidate", "Cuts", "Splits", "WorkedSplit", "splits"]
