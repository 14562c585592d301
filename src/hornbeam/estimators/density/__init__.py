"""Density trees: how likely a row is, from boxes in which the training rows lie evenly.

`TreeDensity` is the estimator; `CrossValidated` and `CostComplexity` fill its slot `pruning`. `cuts` lists
every cut of a table with its arithmetic.
"""

from hornbeam.estimators.density.cuts import DensityCut, cuts
from hornbeam.estimators.density.density_pruning import PRUNING, CostComplexity, CrossValidated, DensityPath
from hornbeam.estimators.density.tree_density import TreeDensity

__all__ = ["PRUNING", "CostComplexity", "CrossValidated", "DensityCut", "DensityPath", "TreeDensity", "cuts"]
