"""Hornbeam: exact, fast and readable decision trees for any table."""

from importlib.metadata import version

from hornbeam import boolean, datasets, demonstrations, measures, pruning, theory
from hornbeam.adopting import from_sklearn
from hornbeam.candidates import candidates
from hornbeam.consistency import consistent
from hornbeam.density import TreeDensity
from hornbeam.estimators import TreeClassifier, TreeRegressor
from hornbeam.exporting import export
from hornbeam.files import load, save
from hornbeam.forests import ForestClassifier, ForestRegressor, combine
from hornbeam.growing import GrowthInterrupted
from hornbeam.parting import train_validation_test
from hornbeam.paths import learning_curves, pruning_path
from hornbeam.prunings import count_prunings, smallest_prunings
from hornbeam.reading import boxes, dnf, explain, key, probabilities, rules, ruleset, show, surrogates
from hornbeam.recipes import builddt, buildtree, c45, cart, chaid, ctree, dt, id3, j48, m5, recipe, rpart
from hornbeam.reproducing import reproduce
from hornbeam.significance import chaid_merge, chaid_multiplier, chi_square, permutation_test
from hornbeam.smaller import prune, pruning_record, simplify
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
    "ForestClassifier",
    "ForestRegressor",
    "GrowthInterrupted",
    "SearchTooLargeError",
    "Tree",
    "TreeClassifier",
    "TreeDensity",
    "TreeRegressor",
    "__version__",
    "boolean",
    "boxes",
    "builddt",
    "buildtree",
    "c45",
    "candidates",
    "cart",
    "chaid",
    "chaid_merge",
    "chaid_multiplier",
    "chi_square",
    "combine",
    "consistent",
    "count_prunings",
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
    "j48",
    "key",
    "learning_curves",
    "load",
    "m5",
    "measures",
    "permutation_test",
    "probabilities",
    "prune",
    "pruning",
    "pruning_path",
    "pruning_record",
    "recipe",
    "reproduce",
    "rpart",
    "rules",
    "ruleset",
    "save",
    "show",
    "simplify",
    "smallest_prunings",
    "smallest_size",
    "smallest_tree",
    "smallest_trees",
    "surrogates",
    "theory",
    "train_validation_test",
]
