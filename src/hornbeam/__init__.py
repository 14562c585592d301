"""Hornbeam: exact, fast and readable decision trees for any table."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from hornbeam._base.lazy_names import import_when_used
from hornbeam.data import READERS
from hornbeam.tree.hooks import HOOKS

# Where each public name lives; it is imported when it is first used. The types are in `__init__.pyi`; a test
# holds the two together. What only lectures need has its names in `hornbeam.teaching`.
_HOMES = {
    "AutoTreeClassifier": "estimators.auto",
    "AutoTreeRegressor": "estimators.auto",
    "ForestClassifier": "estimators.forest",
    "ForestRegressor": "estimators.forest",
    "GrowthInterrupted": "growing.interruption",
    "PartialFitWarning": "growing.interruption",
    "Tree": "tree.tree",
    "TreeClassifier": "estimators.tree_estimators",
    "TreeDensity": "estimators.density",
    "TreeRegressor": "estimators.tree_estimators",
    "TreeOutputs": "estimators.tree_outputs",
    "TreeSurvival": "estimators.tree_survival",
    "auto": "estimators.auto",
    "boxes": "reading.boxes",
    "c45": "estimators.recipes",
    "candidates": "editing.candidates",
    "cart": "estimators.recipes",
    "chaid": "estimators.recipes",
    "compare": "evaluation",
    "counterfactuals": "reading.counterfactuals.nearest_rows",
    "ctree": "estimators.recipes",
    "dnf": "reading.class_dnf",
    "draw": "display.drawing",
    "drift": "evaluation.drift",
    "edit": "editing",
    "evaluate": "evaluation",
    "explain": "reading.explain",
    "export": "io.export",
    "from_sklearn": "io.from_sklearn",
    "id3": "estimators.recipes",
    "imitate": "evaluation.imitate",
    "importance": "evaluation.column_importance",
    "j48": "estimators.recipes",
    "key": "reading.key",
    "load": "io.load",
    "lookahead": "estimators.recipes",
    "m5": "estimators.recipes",
    "optimal": "estimators.recipes",
    "optimal_path": "estimators.optimal_path",
    "plot_path": "display.drawing",
    "plot_regions": "display.drawing",
    "plot_tree": "display.drawing",
    "prune": "estimators.prune",
    "pruning_path": "estimators.pruning_path",
    "read_table": "data.files",
    "recipe": "estimators.recipes",
    "replay": "editing",
    "report": "display.report",
    "rpart": "estimators.recipes",
    "rules": "reading.rules",
    "ruleset": "reading.ruleset",
    "save": "io.save",
    "scorecard": "reading.scorecard",
    "shap_values": "reading.shap.exact_values",
    "show": "reading.show",
    "stability": "evaluation.stability",
    "studio": "studio",
    "to_shap": "reading.shap.shap_package",
    "to_sklearn": "io.to_sklearn",
    "write_table": "data.files",
}

# Names that are modules.
_MODULES = {
    "datasets": "teaching.datasets",
    "parts": "parts",
    "teaching": "teaching",
}

__all__ = [*_HOMES, *_MODULES, "__version__"]
_import_name = import_when_used(__name__, _HOMES, _MODULES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("hornbeam")
    return _import_name(name)


def _later(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is imported when it is called."""

    def call(*args: Any, **options: Any) -> Any:
        return getattr(import_module(f"hornbeam.{module}"), name)(*args, **options)

    return call


# What a Tree calls in rooms above its own.
HOOKS.show = _later("reading.show", "show")
HOOKS.notebook = _later("display.report.page", "mimebundle")
HOOKS.load = _later("io.load", "load")

# Tables that files are not needed for.
READERS["demo"] = _later("teaching.datasets.dataset", "read_demo")
