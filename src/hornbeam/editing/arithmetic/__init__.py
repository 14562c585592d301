"""The arithmetic of a split: what every column could do at a node, and the calculation term by term."""

from hornbeam.editing.arithmetic.candidate import Contender, Cuts
from hornbeam.editing.arithmetic.splits import Splits, splits
from hornbeam.editing.arithmetic.work import Work

__all__ = ["Contender", "Cuts", "Splits", "Work", "splits"]
