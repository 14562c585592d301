"""Hornbeam: exact, fast and readable decision trees for any table."""

from importlib.metadata import version

from hornbeam import boolean, datasets, demonstrations, measures
from hornbeam.adopting import from_sklearn
from hornbeam.candidates import candidates
from hornbeam.consistency import consistent
from hornbeam.estimators import TreeClassifier, TreeRegressor
from hornbeam.exporting import export
from hornbeam.files import load, save
from hornbeam.growing import GrowthInterrupted
from hornbeam.reading import boxes, dnf, explain, key, probabilities, rules, ruleset, show, surrogates
from hornbeam.recipes import builddt, buildtree, chaid, ctree, dt, id3, recipe
from hornbeam.reproducing import reproduce
from hornbeam.significance import chaid_merge, chaid_multiplier, chi_square, permutation_test
from hornbeam.smallest import (
    SearchTooLargeError,
    count_smallest_trees,
    smallest_size,
    smallest_tree,
    smallest_trees,
)
from hornbeam.tree import Tree

__version__ = version("hornbeam")

__all__ = [
    "GrowthInterrupted",
    "SearchTooLargeError",
    "Tree",
    "TreeClassifier",
    "TreeRegressor",
    "__version__",
    "boolean",
    "boxes",
    "builddt",
    "buildtree",
    "candidates",
    "chaid",
    "chaid_merge",
    "chaid_multiplier",
    "chi_square",
    "consistent",
    "count_smallest_trees",
    "ctree",
    "datasets",
    "demonstrations",
    "dnf",
    "dt",
    "explain",
    "export",
    "from_sklearn",
    "id3",
    "key",
    "load",
    "measures",
    "permutation_test",
    "probabilities",
    "recipe",
    "reproduce",
    "rules",
    "ruleset",
    "save",
    "show",
    "smallest_size",
    "smallest_tree",
    "smallest_trees",
    "surrogates",
]
