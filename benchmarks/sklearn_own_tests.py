"""scikit-learn's own tests of trees and forests, run on Hornbeam's estimators.

    python -m benchmarks.sklearn_own_tests              all four files, a table, and a line for each failure
    python -m benchmarks.sklearn_own_tests test_export  one file

The installed package's tests are run as they are; nothing is copied. Before they are imported, the names
that they import (`DecisionTreeClassifier`, `RandomForestRegressor`, ...) are replaced by adapters: an adapter
takes scikit-learn's parameters, fits Hornbeam's estimator, and answers with its methods; `tree_` is what
`hb.to_sklearn` makes. A parameter that Hornbeam does not have is refused, never left out.

A test that fails counts as failed, unless its own error holds one of the sentences of `REFUSALS`, by which
Hornbeam or an adapter says what it does not do. Failures that are understood are explained beside their names
(`KNOWN`) and still count; a name there whose tests all pass is reported, too. A test that passes without
asking Hornbeam for anything proves nothing about it and is counted apart. The exit status is 1 if a failure
is not explained, or an explanation explains nothing.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from importlib.util import find_spec
from typing import Any

import pytest
import sklearn.ensemble
import sklearn.tree

import hornbeam as hb

WORDS = {"squared_error": "variance", "absolute_error": "absolute", "log_loss": "entropy"}
SPLITS = {"best": "binary"}  # by scikit-learn's `splitter`; others have the same name, or are not known
FILES = {
    "test_tree": "sklearn.tree.tests.test_tree",
    "test_monotonic_tree": "sklearn.tree.tests.test_monotonic_tree",
    "test_export": "sklearn.tree.tests.test_export",
    "test_forest": "sklearn.ensemble.tests.test_forest",
}

# Why a test is not applicable, and the sentence in its error that says so.
REFUSALS: tuple[tuple[str, str], ...] = (
    ("an embedding by random trees", r"RefusalError: RandomTreesEmbedding: Hornbeam has no such transformer"),
    (
        "random splits by the order of y, or of a large sparse matrix",
        r"split=RandomCuts\(\) draws one test .*, which is not possible with (a large|criterion=)",
    ),
    (
        "several targets",
        r"with several targets |is for one target, but|y should be a 1d array, .*: one target is",
    ),
    ("warm start", r"RefusalError: Forest\w+ has no parameter warm_start"),
    ("pruned forests", r"RefusalError: Forest\w+ has no parameter ccp_alpha"),
    (
        "private attributes of scikit-learn's",
        r"'(RandomForest|ExtraTrees)\w+' object has no attribute '_(n_samples|sample_weight)'",
    ),
    (
        "private criteria of scikit-learn's",
        r"criterion=<sklearn\.tree\._criterion\.\w+ object at \w+> is not known",
    ),
    ("more draws than rows by a share", r"max_samples=.* must be None for as many draws as there are rows"),
    ("refused, too, by another sentence", r"monotonic_cst=.* must be a dict from column to \+1, -1"),
    ("refused, too, by another sentence", r"oob_score=True needs rows that a tree did not see"),
    (
        "refused, too, by another sentence",
        r"max_samples=.* says how many rows are drawn, but bootstrap=False",
    ),
    ("refused, too, by another sentence", r"class_weight=.* must be 'balanced' or a list of"),
    ("refused, too, by another sentence", r"sample_weight must hold one number for each row"),
    ("refused, too, by another sentence", r"TypeError: Sparse data was passed for y"),
)

_TIES = "equally good splits: a written rule decides, not the seed"
_GAP = "a gap where growing saw none follows all branches"
_BOUNDS = "leaves are in order, which is what is promised; scikit-learn bounds inner nodes as well"

# Failures that are understood, by file and test. They count as failed.
KNOWN: dict[str, dict[str, str]] = {
    "test_tree": {
        "test_missing_values_best_splitter_missing_both_classes_has_nan": _TIES,
        "test_missing_values_best_splitter_on_equal_nodes_no_missing": _GAP,
        "test_missing_values_random_splitter_on_equal_nodes_no_missing": _GAP,
        "test_random_splitter_missing_values_uses_non_missing_min_max": "a single known value is set against"
        " the gaps: its threshold is infinite",
        "test_error": "X of one row and y of three are refused before y is seen not to be positive",
        "test_almost_constant_feature": "values within 1e-7 of each other are different here",
        "test_big_input": "values beyond single precision are accepted here",
        "test_min_weight_fraction_leaf_on_sparse_input": "a share that is missed by rounding alone is enough",
        "test_huge_allocations": "a limit that no tree reaches is accepted here",
        "test_min_sample_split_1_error": "min_samples_split=1 is accepted here",
        "test_missing_value_errors": "gaps in sparse matrices are accepted here",
    },
    "test_monotonic_tree": {
        "test_1d_tree_nodes_values": _BOUNDS,
        "test_nd_tree_nodes_values": _BOUNDS,
        "test_1d_opposite_monotonicity_cst_data": "a mean of -8.9e-17 where scikit-learn has 0",
        "test_multiclass_raises": "monotone constraints with several classes are accepted here",
    },
    "test_export": {
        "test_export_text": _TIES,
        "test_export_text_feature_class_names_array_support": _TIES,
        "test_precision": _TIES,
    },
    "test_forest": {
        "test_importances": "rows are drawn by their weights: those times 100 draw other rows",
        "test_classifier_error_oob_score_multiclass_multioutput": "such scores are given here",
        "test_forest_multioutput_integral_regression_target": "rows are drawn by other random numbers",
        "test_importances_asymptotic": "columns of truth values are nominal here",
        "test_distribution": "chance: 103 of the 500 trees of this seed have a shape that 83 should have",
        "test_forest_oob_warning": "nothing warns here",
        "test_backend_respected": "threads of the core, not of joblib",
    },
}


class RefusalError(NotImplementedError):
    """What an adapter cannot hand on to Hornbeam."""


def hornbeams(model: Any) -> Any:
    """Hornbeam's estimator with the parameters of an adapter; what it does not have is refused."""
    Results.asked = True
    given, ours = model.get_params(deep=False), model._ours
    split = given.pop("splitter", model._splitter)
    known, usual = ours._get_param_names(), type(model)().get_params(deep=False)
    for name, value in given.items():
        if name not in known and name != "verbose" and value != usual[name]:  # which only prints
            raise RefusalError(f"{ours.__name__} has no parameter {name}={value!r}")
    params = {name: value for name, value in given.items() if name in known}
    word = (
        model.criterion
        if not isinstance(model.criterion, str)
        else WORDS.get(model.criterion, model.criterion)
    )
    return ours(**params | {"criterion": word, "split": SPLITS.get(split, split)})


def fit(self: Any, X: Any, y: Any, sample_weight: Any = None, **_: Any) -> Any:
    """Fit Hornbeam's estimator and keep what `hb.to_sklearn` makes of it."""
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


def adapt(theirs: type[Any], ours: type[Any], splitter: str = "best") -> type[Any]:
    """A subclass of scikit-learn's class, so that its tests know it, whose work Hornbeam does.

    `splitter` is what classes without this parameter have.
    """
    names = [name for name in ("predict", "predict_proba", "predict_log_proba") if hasattr(ours, name)]
    methods = {
        "fit": fit,
        "_ours": ours,
        "_splitter": splitter,
        **{name: handed_on(theirs, name) for name in names},
    }
    methods["__sklearn_is_fitted__"] = lambda self: hasattr(self, "tree_") or hasattr(self, "estimators_")
    if hasattr(ours, "cost_complexity_pruning_path"):
        methods["cost_complexity_pruning_path"] = pruning_path
    adapter = type(theirs.__name__, (theirs,), {"__module__": __name__, **methods})
    globals()[theirs.__name__] = adapter  # so that they are pickled by name
    return adapter


def absent(theirs: type[Any]) -> type[Any]:
    """An estimator that Hornbeam does not have."""

    def refuse(self: Any, *_: Any, **__: Any) -> Any:
        raise RefusalError(f"{type(self).__name__}: Hornbeam has no such transformer")

    return type(theirs.__name__, (theirs,), {"fit": refuse})


ADAPTERS: dict[Any, dict[str, type[Any]]] = {
    sklearn.tree: {
        "DecisionTreeClassifier": adapt(sklearn.tree.DecisionTreeClassifier, hb.TreeClassifier),
        "DecisionTreeRegressor": adapt(sklearn.tree.DecisionTreeRegressor, hb.TreeRegressor),
        "ExtraTreeClassifier": adapt(sklearn.tree.ExtraTreeClassifier, hb.TreeClassifier),
        "ExtraTreeRegressor": adapt(sklearn.tree.ExtraTreeRegressor, hb.TreeRegressor),
    },
    sklearn.ensemble: {
        "RandomForestClassifier": adapt(sklearn.ensemble.RandomForestClassifier, hb.ForestClassifier),
        "RandomForestRegressor": adapt(sklearn.ensemble.RandomForestRegressor, hb.ForestRegressor),
        "ExtraTreesClassifier": adapt(sklearn.ensemble.ExtraTreesClassifier, hb.ForestClassifier, "random"),
        "ExtraTreesRegressor": adapt(sklearn.ensemble.ExtraTreesRegressor, hb.ForestRegressor, "random"),
        "RandomTreesEmbedding": absent(sklearn.ensemble.RandomTreesEmbedding),
    },
}


class Results:
    """What pytest says of each test."""

    asked = False  # whether the test that runs has asked Hornbeam for anything

    def __init__(self) -> None:
        self.passed: list[str] = []
        self.idle: list[str] = []  # passed without Hornbeam
        self.skipped: list[str] = []
        self.errors: dict[str, str] = {}

    def pytest_runtest_setup(self) -> None:
        """Forget what the test before has asked."""
        Results.asked = False

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep the outcome of one test, of a failure the message that says why."""
        name = report.nodeid.rpartition("::")[2] if "[" not in report.nodeid else _with_variant(report.nodeid)
        if report.skipped:
            self.skipped.append(name)
        elif report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.errors[name] = str(report.longrepr if crash is None else crash.message)
        elif report.when == "call":
            (self.passed if Results.asked else self.idle).append(name)

    def names(self) -> set[str]:
        """The tests without their variants."""
        return {name.partition("[")[0] for name in (*self.passed, *self.idle, *self.errors)}


def _with_variant(nodeid: str) -> str:
    """The name of a test with its variant, which may hold colons itself."""
    head, bracket, variant = nodeid.partition("[")
    return head.rpartition("::")[2] + bracket + variant


def refusal(error: str) -> str | None:
    """Why a test is not applicable, by its error; None if it has failed."""
    return next((why for why, sentence in REFUSALS if re.search(sentence, error)), None)


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


def report(name: str, results: Results) -> tuple[list[str], bool]:
    """The lines about one file, and whether there is anything that nobody has explained."""
    why = {test: refusal(error) for test, error in results.errors.items()}
    counts = Counter(text for text in why.values() if text)
    known = KNOWN[name]
    failed = {test: known.get(test.partition("[")[0]) for test, text in why.items() if text is None}
    failing = {test.partition("[")[0] for test in failed}
    stale = sorted((known.keys() & results.names()) - failing)
    n_new = sum(text is None for text in failed.values())
    lines = [
        f"{name}: {len(results.passed)} passed, {counts.total()} not applicable, {len(failed)} failed"
        f" ({n_new} of them not explained), {len(results.idle)} passed without Hornbeam,"
        f" {len(results.skipped)} skipped by themselves"
    ]
    lines += [f"    {count:4d}  not applicable: {text}" for text, count in counts.most_common()]
    for test, text in failed.items():
        error = results.errors[test].split("\n")[0][:120]
        lines.append(f"    failed {test}: {f'NOT EXPLAINED, {error}' if text is None else text}")
    lines += [f"    PASSES, but is listed as a known failure: {test}" for test in stale]
    return lines, bool(n_new or stale)


def main() -> int:
    """Run the files that are named, all by default, and print what passed and why the others did not."""
    reports = [report(name, run(FILES[name])) for name in sys.argv[1:] or FILES]
    print("\n".join(line for lines, _ in reports for line in lines))
    return int(any(is_new for _, is_new in reports))


if __name__ == "__main__":
    raise SystemExit(main())
