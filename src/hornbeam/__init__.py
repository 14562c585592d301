"""Hornbeam: exact, fast and readable decision trees for any table."""

from importlib.metadata import version

from hornbeam import datasets
from hornbeam.candidates import candidates
from hornbeam.estimators import TreeClassifier, TreeRegressor
from hornbeam.growing import GrowthInterrupted
from hornbeam.reading import explain, rules, show
from hornbeam.tree import Tree

__version__ = version("hornbeam")

__all__ = [
    "GrowthInterrupted",
    "Tree",
    "TreeClassifier",
    "TreeRegressor",
    "__version__",
    "candidates",
    "datasets",
    "explain",
    "rules",
    "show",
]
