"""Hornbeam: exact, fast and readable decision trees for any table."""

from importlib import import_module
from typing import Any

# Where each public name lives. A name is imported when it is first used, so that `hornbeam --version` and
# reading a saved tree do not wait for what learning needs. The types are in `__init__.pyi`; a test holds the
# two together.
_HOMES = {
    "AutoTreeClassifier": "automatic",
    "AutoTreeRegressor": "automatic",
    "BoundaryDisplay": "displays",
    "Draft": "editing",
    "ForestClassifier": "forests",
    "ForestRegressor": "forests",
    "GrowthInterrupted": "growing",
    "PruningPathDisplay": "displays",
    "SearchTooLargeError": "smallest",
    "Tree": "tree",
    "TreeClassifier": "estimators",
    "TreeDensity": "density",
    "TreeDisplay": "displays",
    "TreeRegressor": "estimators",
    "auto": "automatic",
    "boolean": "boolean",
    "boxes": "reading",
    "builddt": "recipes",
    "buildtree": "recipes",
    "c45": "recipes",
    "candidates": "candidacy",
    "cart": "recipes",
    "chaid": "recipes",
    "chaid_merge": "significance",
    "chaid_multiplier": "significance",
    "chi_square": "significance",
    "combine": "forests",
    "compare": "evaluating",
    "consistent": "consistency",
    "count_prunings": "prunings",
    "count_smallest_trees": "smallest",
    "counterfactuals": "reading",
    "ctree": "recipes",
    "datasets": "datasets",
    "demonstrations": "demonstrations",
    "dnf": "reading",
    "draw": "drawing",
    "dt": "recipes",
    "edit": "editing",
    "evaluate": "evaluating",
    "explain": "reading",
    "export": "exporting",
    "from_sklearn": "adopting",
    "id3": "recipes",
    "importance": "importances",
    "j48": "recipes",
    "key": "reading",
    "learning_curves": "paths",
    "load": "files",
    "m5": "recipes",
    "measures": "measures",
    "permutation_test": "significance",
    "plot_path": "drawing",
    "plot_regions": "drawing",
    "plot_tree": "drawing",
    "probabilities": "reading",
    "prune": "smaller",
    "pruning": "pruning",
    "pruning_path": "paths",
    "pruning_record": "smaller",
    "read_table": "tabular",
    "recipe": "recipes",
    "replay": "editing",
    "report": "reporting",
    "reproduce": "reproducing",
    "rpart": "recipes",
    "rules": "reading",
    "ruleset": "reading",
    "save": "files",
    "shap_values": "reading",
    "show": "reading",
    "simplify": "smaller",
    "smallest_prunings": "prunings",
    "smallest_size": "smallest",
    "smallest_tree": "smallest",
    "smallest_trees": "smallest",
    "splits": "arithmetic",
    "surrogates": "reading",
    "tabular": "tabular",
    "theory": "theory",
    "to_shap": "reading",
    "train_validation_test": "parting",
    "write_table": "tabular",
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("hornbeam")
    elif name in _HOMES:
        home = import_module(f"hornbeam.{_HOMES[name]}")
        value = home if _HOMES[name] == name else getattr(home, name)
    else:
        raise AttributeError(f"module 'hornbeam' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
