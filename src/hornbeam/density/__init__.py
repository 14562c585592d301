"""Density trees: how likely a row is, from boxes in which the training rows lie evenly (R69).

`TreeDensity` is the estimator; `CrossValidated` and `CostComplexity` fill its slot `pruning`. `cuts` lists
every cut of a table with its arithmetic.
"""

from hornbeam.density.cuts import Cut, cuts
from hornbeam.density.estimator import TreeDensity
from hornbeam.density.path import PruningPath
from hornbeam.density.pruning import PRUNING, CostComplexity, CrossValidated

__all__ = ["PRUNING", "CostComplexity", "CrossValidated", "Cut", "PruningPath", "TreeDensity", "cuts"]
