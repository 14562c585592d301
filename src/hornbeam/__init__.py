"""Hornbeam: exact, fast and readable decision trees for any table."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from hornbeam.data.named_tables import READERS
from hornbeam.tree.hooks import HOOKS

# Where each public name lives. A name is imported when it is first used, so that `hornbeam --version` and
# reading a saved tree do not wait for what learning needs. The types are in `__init__.pyi`; a test holds the
# two together.
_HOMES = {
    "AutoTreeClassifier": "estimators.auto",
    "AutoTreeRegressor": "estimators.auto",
    "BoundaryDisplay": "display.sklearn_displays",
    "Draft": "editing",
    "ForestClassifier": "estimators.forest",
    "ForestRegressor": "estimators.forest",
    "GrowthInterrupted": "growing.grower",
    "PruningPathDisplay": "display.sklearn_displays",
    "SearchTooLargeError": "teaching.smallest",
    "Tree": "tree.tree",
    "TreeClassifier": "estimators.tree_estimators",
    "TreeDensity": "estimators.density",
    "TreeDisplay": "display.sklearn_displays",
    "TreeRegressor": "estimators.tree_estimators",
    "auto": "estimators.auto",
    "boxes": "reading",
    "builddt": "estimators.recipes",
    "buildtree": "estimators.recipes",
    "c45": "estimators.recipes",
    "candidates": "editing.candidates",
    "cart": "estimators.recipes",
    "chaid": "estimators.recipes",
    "chaid_merge": "_base.significance",
    "chaid_multiplier": "_base.significance",
    "chi_square": "_base.significance",
    "combine": "estimators.forest",
    "compare": "evaluation",
    "consistent": "evaluation.consistency",
    "count_prunings": "estimators.smallest_prunings",
    "count_smallest_trees": "teaching.smallest",
    "counterfactuals": "reading",
    "ctree": "estimators.recipes",
    "dnf": "reading",
    "draw": "display.drawing",
    "dt": "estimators.recipes",
    "edit": "editing",
    "evaluate": "evaluation",
    "explain": "reading",
    "export": "io.export",
    "from_sklearn": "io.from_sklearn",
    "id3": "estimators.recipes",
    "importance": "evaluation.column_importance",
    "j48": "estimators.recipes",
    "key": "reading",
    "learning_curves": "estimators.pruning_path",
    "load": "io.load",
    "m5": "estimators.recipes",
    "permutation_test": "teaching.permutation_test",
    "plot_path": "display.drawing",
    "plot_regions": "display.drawing",
    "plot_tree": "display.drawing",
    "probabilities": "reading",
    "prune": "estimators.prune",
    "pruning_path": "estimators.pruning_path",
    "pruning_record": "estimators.prune",
    "read_table": "data.files",
    "recipe": "estimators.recipes",
    "replay": "editing",
    "report": "display.report",
    "reproduce": "teaching.reproduce",
    "rpart": "estimators.recipes",
    "rules": "reading",
    "ruleset": "reading",
    "save": "io.save",
    "shap_values": "reading",
    "show": "reading",
    "simplify": "estimators.prune",
    "smallest_prunings": "estimators.smallest_prunings",
    "smallest_size": "teaching.smallest",
    "smallest_tree": "teaching.smallest",
    "smallest_trees": "teaching.smallest",
    "splits": "editing.arithmetic",
    "surrogates": "reading",
    "to_shap": "reading",
    "train_validation_test": "data.train_validation_test",
    "write_table": "data.files",
}

# Names that are modules.
_MODULES = {
    "boolean": "teaching.boolean",
    "datasets": "teaching.datasets",
    "demonstrations": "teaching.demonstrations",
    "measures": "teaching.measures",
    "parts": "parts",
    "pruning": "pruning",
    "tabular": "data.files",
    "theory": "teaching.theory",
}

__all__ = [*_HOMES, *_MODULES, "__version__"]


def _later(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is imported when it is called."""

    def call(*args: Any, **options: Any) -> Any:
        return getattr(import_module(f"hornbeam.{module}"), name)(*args, **options)

    return call


# What a Tree calls in rooms above its own.
HOOKS.show = _later("reading", "show")
HOOKS.notebook = _later("display.report.page", "mimebundle")
HOOKS.load = _later("io.load", "load")

# Tables that files are not needed for.
READERS["demo"] = _later("teaching.datasets.dataset", "read_demo")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("hornbeam")
    elif name in _HOMES:
        value = getattr(import_module(f"hornbeam.{_HOMES[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"hornbeam.{_MODULES[name]}")
    else:
        raise AttributeError(f"module 'hornbeam' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
