"""Parts: everything that fills a slot of an estimator, in one table of contents.

Each slot takes a part by its short name, such as ``leaf="linear"``, or as an object with numbers of its own:

>>> from hornbeam.parts import CostComplexity, Linear
>>> Linear(columns=["age"])
Linear(columns=['age'])

The slots are `criterion`, `selection`, `split`, `missing`, `leaf`, `pruning` and `search`. A part of your own
derives from the base class of its slot: `Criterion`, `Selection`, `Splitting`, `MissingPolicy`, `LeafModel`,
`Pruner` or `TreeSearch`. `CrossValidated` and `DensityCostComplexity` fill the slot `pruning` of a
`TreeDensity`.
"""

# ruff: noqa: F403
from __future__ import annotations

# Each of these modules lists its parts in `__all__`, so that a new part is listed once.
from hornbeam.estimators.density.density_pruning import *
from hornbeam.growing.criteria import *
from hornbeam.growing.leaves import *
from hornbeam.growing.missing import *
from hornbeam.growing.searches import *
from hornbeam.growing.selections import *
from hornbeam.growing.splits import *
from hornbeam.pruning import *
