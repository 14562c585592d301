"""Density trees: how likely a row is, from boxes in which the training rows lie evenly (R69).

`TreeDensity` is the estimator; `CrossValidated` and `CostComplexity` fill its slot `pruning`. `cuts` lists
every cut of a table with its arithmetic.
"""

from hornbeam.estimators.density.cuts import Cut, cuts
from hornbeam.estimators.density.density_path import PruningPath
from hornbeam.estimators.density.density_pruning import PRUNING, CostComplexity, CrossValidated
from hornbeam.estimators.density.tree_density import TreeDensity

__all__ = ["PRUNING", "CostComplexity", "CrossValidated", "Cut", "PruningPath", "TreeDensity", "cuts"]
