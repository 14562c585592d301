"""What only lectures and their exercises need: functions that show one step of an algorithm, recipes of the
lectures, smallest consistent trees, truth tables, formulas, theory, and the numbers that lectures print.

>>> import hornbeam as hb
>>> hb.teaching.measures.entropy([9, 5])
0.9402859586706311

The worked tables are in `hornbeam.datasets`.
"""

from hornbeam._base.lazy_names import import_when_used

# Where each name lives; it is imported when it is first used. The types are in `__init__.pyi`.
_HOMES = {
    "SearchTooLargeError": "teaching.smallest",
    "builddt": "estimators.recipes",
    "buildtree": "estimators.recipes",
    "chaid_merge": "_base.significance",
    "chaid_multiplier": "_base.significance",
    "chi_square": "_base.significance",
    "choose_step": "pruning.nested_subtrees",
    "combine": "estimators.forest",
    "consistent": "evaluation.consistency",
    "count_consistent_trees": "teaching.smallest",
    "count_prunings": "estimators.prune",
    "count_smallest_trees": "teaching.smallest",
    "dt": "estimators.recipes",
    "learning_curves": "estimators.pruning_path",
    "permutation_test": "teaching.permutation_test",
    "plot_bound": "teaching.lecture_pictures",
    "plot_measures": "teaching.lecture_pictures",
    "plot_trees": "teaching.lecture_pictures",
    "probabilities": "reading.node_details",
    "prune_at": "pruning.nested_subtrees",
    "pruning_record": "estimators.prune",
    "reproduce": "teaching.reproduce",
    "simplify": "estimators.prune",
    "smallest_prunings": "estimators.prune",
    "smallest_size": "teaching.smallest",
    "smallest_tree": "teaching.smallest",
    "smallest_trees": "teaching.smallest",
    "strengths": "pruning.nested_subtrees",
    "surrogates": "reading.node_details",
    "train_validation_test": "data.train_validation_test",
    "walk": "teaching.pseudocode",
}

# Names that are modules.
_MODULES = {
    "boolean": "teaching.boolean",
    "demonstrations": "teaching.demonstrations",
    "measures": "teaching.measures",
    "theory": "teaching.theory",
}

__all__ = [*_HOMES, *_MODULES]
__getattr__ = import_when_used(__name__, _HOMES, _MODULES)
