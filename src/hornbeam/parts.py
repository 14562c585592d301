"""Parts: everything that fills a slot of an estimator, in one table of contents.

Each slot takes a part by its short name, such as ``leaf="linear"``, or as an object with numbers of its own:

>>> from hornbeam.parts import CostComplexity, Linear
>>> Linear(columns=["age"])
Linear(columns=['age'])

The slots are `criterion`, `selection`, `split`, `missing`, `leaf` and `pruning`. A part of your own derives
from the base class of its slot: `Criterion`, `Selection`, `Splitting`, `MissingPolicy`, `LeafModel` or
`Pruner`. `CrossValidated` and `DensityCostComplexity` fill the slot `pruning` of a `TreeDensity`.
"""

from __future__ import annotations

from hornbeam.estimators.density.density_pruning import CrossValidated, DensityCostComplexity
from hornbeam.growing.criteria import (
    Absolute,
    Criterion,
    Entropy,
    Error,
    GainRatio,
    Gini,
    Poisson,
    Quantile,
    Root,
    StandardDeviation,
    Variance,
)
from hornbeam.growing.leaves import Constant, LeafModel, Linear, Polynomial, Quantiles
from hornbeam.growing.missing import (
    AllPaths,
    Fractional,
    Learn,
    Majority,
    MissingPolicy,
    OwnBranch,
    Surrogates,
)
from hornbeam.growing.selections import AverageGain, Best, Conditional, PriceAware, Selection
from hornbeam.growing.selections import ChiSquare as ChiSquareSelection
from hornbeam.growing.splits import (
    Binary,
    ColumnSets,
    Multiway,
    Oblique,
    OneVsRest,
    PerColumn,
    Predicates,
    Splitting,
    YesNo,
)
from hornbeam.pruning import (
    SRM,
    ChiSquare,
    Collapse,
    CostComplexity,
    ErrorBased,
    HypothesisValidation,
    ModelError,
    Penalised,
    Pruner,
    ReducedError,
    ReplaceByChild,
    SmallestForErrors,
    SRMSelection,
    Validation,
)

__all__ = [
    "SRM",
    "Absolute",
    "AllPaths",
    "AverageGain",
    "Best",
    "Binary",
    "ChiSquare",
    "ChiSquareSelection",
    "Collapse",
    "ColumnSets",
    "Conditional",
    "Constant",
    "CostComplexity",
    "Criterion",
    "CrossValidated",
    "DensityCostComplexity",
    "Entropy",
    "Error",
    "ErrorBased",
    "Fractional",
    "GainRatio",
    "Gini",
    "HypothesisValidation",
    "LeafModel",
    "Learn",
    "Linear",
    "Majority",
    "MissingPolicy",
    "ModelError",
    "Multiway",
    "Oblique",
    "OneVsRest",
    "OwnBranch",
    "Penalised",
    "PerColumn",
    "Poisson",
    "Polynomial",
    "Predicates",
    "PriceAware",
    "Pruner",
    "Quantile",
    "Quantiles",
    "ReducedError",
    "ReplaceByChild",
    "Root",
    "SRMSelection",
    "Selection",
    "SmallestForErrors",
    "Splitting",
    "StandardDeviation",
    "Surrogates",
    "Validation",
    "Variance",
    "YesNo",
]
