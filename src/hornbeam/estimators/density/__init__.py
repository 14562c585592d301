"""Density trees: how likely a row is, from boxes in which the training rows lie evenly.

`TreeDensity` is the estimator; `CrossValidated` and `DensityCostComplexity` of `hornbeam.parts` fill its slot
`pruning`. `cuts` lists every cut of a table with its arithmetic.
"""

from hornbeam.estimators.density.cuts import DensityCut, cuts
from hornbeam.estimators.density.tree_density import TreeDensity

__all__ = ["DensityCut", "TreeDensity", "cuts"]
