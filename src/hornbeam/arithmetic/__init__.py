"""The arithmetic of a split: what every column could do at a node, and the calculation term by term."""

from hornbeam.arithmetic.contender import Contender, Cuts
from hornbeam.arithmetic.splits import Splits, splits
from hornbeam.arithmetic.work import Work

__all__ = ["Contender", "Cuts", "Splits", "Work", "splits"]
