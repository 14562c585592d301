"""scikit-learn's own tests of trees and forests, run on Hornbeam's estimators.

    python -m benchmarks.sklearn_own_tests              all four files, a table, and a line for each failure
    python -m benchmarks.sklearn_own_tests test_export  one file

The installed package's tests are run as they are; nothing is copied. Before they are imported, the names
that they import (`DecisionTreeClassifier`, `RandomForestRegressor`, ...) are replaced by adapters: an adapter
takes scikit-learn's parameters, fits Hornbeam's estimator, and answers with its methods; `tree_` is what
`hb.to_sklearn` makes. What an adapter cannot say it refuses, and that refusal is the reason in the report.

A failing test counts as not applicable if its name or its error matches a reason of `REASONS`; every other
one is listed as failed.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree

import hornbeam as hb

WORDS = {"squared_error": "variance", "absolute_error": "absolute", "log_loss": "entropy"}
FILES = {
    "test_tree": "sklearn.tree.tests.test_tree",
    "test_monotonic_tree": "sklearn.tree.tests.test_monotonic_tree",
    "test_export": "sklearn.tree.tests.test_export",
    "test_forest": "sklearn.ensemble.tests.test_forest",
}

# What a failure is not applicable for: a pattern of the test's name, one of its error, and the reason.
REASONS: tuple[tuple[str, str, str], ...] = (
    ("", "sparse", "sparse input of a kind that is refused"),
    ("", "several targets|y should be a 1d array", "several targets"),
    ("", "random splits", "random splits"),
    ("", "warm_start=True", "warm start: a forest of more trees begins with the same trees"),
    ("", "friedman_mse", "criterion='friedman_mse', which is variance in all but boosting"),
    ("", "oob_score=.* must be True or False", "out-of-bag scores of one's own"),
    ("", "DID NOT RAISE|DID NOT WARN|Regex pattern did not match", "no error here, or another wording"),
    ("sample_weight_invalid|max_samples_geq_one", "", "no error here, or another wording"),
    ("nodes_values", "", "monotone constraints: leaves are in order; scikit-learn bounds every node"),
    ("test_importances", "< 0.01", "rows are drawn by their weights: those times 100 draw other rows"),
    ("1d_opposite", "", "monotone constraints: a mean of -8.9e-17 where scikit-learn has 0"),
    ("export_text|test_precision|both_classes_has_nan", "", "equally good splits: a written rule decides"),
    ("almost_constant_feature", "", "values within 1e-7 of each other are different here"),
    ("on_equal_nodes_no_missing", "", "a gap where growing saw none follows both branches"),
    (
        "backend_respected|estimators_samples|class_weights_forest|segfault_smoke",
        "",
        "internals of scikit-learn",
    ),
)


def hornbeams(model: Any) -> Any:
    """Hornbeam's estimator with the parameters of an adapter; what it does not have is refused."""
    if getattr(model, "splitter", "best") != "best":
        raise NotImplementedError(f"splitter={model.splitter!r}: random splits")
    if getattr(model, "warm_start", False):
        raise NotImplementedError("warm_start=True")
    if model.criterion == "friedman_mse":
        raise NotImplementedError("criterion='friedman_mse'")
    known = model._ours._get_param_names()
    params = {name: value for name, value in model.get_params().items() if name in known}
    return model._ours(**params | {"criterion": WORDS.get(model.criterion, model.criterion)})


def fit(self: Any, X: Any, y: Any, sample_weight: Any = None, **_: Any) -> Any:
    """Fit Hornbeam's estimator and keep what `hb.to_sklearn` makes of it."""
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        raise NotImplementedError("several targets")
    self._model = hornbeams(self).fit(X, y, sample_weight)
    kept = {name: value for name, value in vars(hb.to_sklearn(self._model)).items() if name.endswith("_")}
    judged = ("oob_score_", "oob_decision_function_", "oob_prediction_")
    kept |= {name: getattr(self._model, name) for name in judged if hasattr(self._model, name)}
    self.__dict__.update(kept)
    return self


def pruning_path(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """The pruning path of Hornbeam's estimator."""
    return hornbeams(self).cost_complexity_pruning_path(X, y, sample_weight)


def handed_on(theirs: type[Any], name: str) -> Any:
    """A method that Hornbeam's estimator answers; without a fit scikit-learn's own complains."""

    def call(self: Any, X: Any, *args: Any, **options: Any) -> Any:
        if not hasattr(self, "_model"):
            return getattr(theirs, name)(self, X, *args, **options)
        return getattr(self._model, name)(X)

    return call


def adapt(theirs: type[Any], ours: type[Any]) -> type[Any]:
    """A subclass of scikit-learn's class, so that its tests know it, whose work Hornbeam does."""
    names = [name for name in ("predict", "predict_proba", "predict_log_proba") if hasattr(ours, name)]
    methods = {"fit": fit, "_ours": ours, **{name: handed_on(theirs, name) for name in names}}
    methods["__sklearn_is_fitted__"] = lambda self: hasattr(self, "tree_") or hasattr(self, "estimators_")
    if hasattr(ours, "cost_complexity_pruning_path"):
        methods["cost_complexity_pruning_path"] = pruning_path
    adapter = type(theirs.__name__, (theirs,), {"__module__": __name__, **methods})
    globals()[theirs.__name__] = adapter  # so that they are pickled by name
    return adapter


def absent(theirs: type[Any]) -> type[Any]:
    """An estimator that Hornbeam does not have."""

    def refuse(self: Any, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}: random splits")

    return type(theirs.__name__, (theirs,), {"fit": refuse})


ADAPTERS: dict[Any, dict[str, type[Any]]] = {
    sklearn.tree: {
        "DecisionTreeClassifier": adapt(sklearn.tree.DecisionTreeClassifier, hb.TreeClassifier),
        "DecisionTreeRegressor": adapt(sklearn.tree.DecisionTreeRegressor, hb.TreeRegressor),
        "ExtraTreeClassifier": absent(sklearn.tree.ExtraTreeClassifier),
        "ExtraTreeRegressor": absent(sklearn.tree.ExtraTreeRegressor),
    },
    sklearn.ensemble: {
        "RandomForestClassifier": adapt(sklearn.ensemble.RandomForestClassifier, hb.ForestClassifier),
        "RandomForestRegressor": adapt(sklearn.ensemble.RandomForestRegressor, hb.ForestRegressor),
        "ExtraTreesClassifier": absent(sklearn.ensemble.ExtraTreesClassifier),
        "ExtraTreesRegressor": absent(sklearn.ensemble.ExtraTreesRegressor),
        "RandomTreesEmbedding": absent(sklearn.ensemble.RandomTreesEmbedding),
    },
}


class Results:
    """What pytest says of each test."""

    def __init__(self) -> None:
        self.passed: list[str] = []
        self.skipped: list[str] = []
        self.failed: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep the outcome of one test, of a failure the last line that says why."""
        if report.skipped:
            self.skipped.append(report.nodeid)
        elif report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.failed[report.nodeid] = str(report.longrepr if crash is None else crash.message)
        elif report.when == "call":
            self.passed.append(report.nodeid)


def reason(test: str, error: str) -> str | None:
    """Why a test is not applicable, None if it simply fails."""
    name = test.rpartition("::")[2]
    for of_name, of_error, why in REASONS:
        if re.search(of_name, name) and re.search(of_error, error):
            return why
    return None


def run(module: str) -> Results:
    """The outcomes of one file of tests, its estimators replaced."""
    for package, classes in ADAPTERS.items():
        for name, adapter in classes.items():
            setattr(package, name, adapter)
    spec = find_spec(module)
    assert spec is not None
    results = Results()
    options = ["-q", "-p", "no:cacheprovider", "--no-header", "--tb=line", "-rN", "-W", "ignore"]
    pytest.main([str(spec.origin), *options], plugins=[results])
    return results


def main() -> None:
    """Run the files that are named, all by default, and print what passed and why the others did not."""
    wanted = sys.argv[1:] or list(FILES)
    lines = []
    for name in wanted:
        results = run(FILES[name])
        why = {test: reason(test, error) for test, error in results.failed.items()}
        counts = Counter(text for text in why.values() if text)
        n_failed = len(why) - counts.total()
        lines.append(
            f"{name}: {len(results.passed)} passed, {counts.total()} not applicable, {n_failed} failed,"
            f" {len(results.skipped)} skipped by themselves"
        )
        lines += [f"    {count:4d}  {text}" for text, count in counts.most_common()]
        for test, text in why.items():
            if text is None:
                lines.append(
                    f"    failed {test.rpartition('::')[2]}: {results.failed[test].splitlines()[0][:160]}"
                )
    print("\n".join(lines))


if __name__ == "__main__":
    main()
