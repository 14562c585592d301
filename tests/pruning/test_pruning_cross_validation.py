"""Cross-validation of paths against growing, pruning and predicting by hand; folds, counts, interruptions."""

import copy
import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from tests.support.mixed_tables import random_columns

import hornbeam as hb
from hornbeam import _core
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.parts import AllPaths, Constant, CostComplexity
from hornbeam.pruning import held_out_losses
from hornbeam.pruning.cost_complexity import mean_alphas
from hornbeam.pruning.held_out_losses import held_out_loss
from hornbeam.pruning.nested_subtrees import prune_at, strengths


def losses(model, X, y, row_costs=None):
    """What each row loses by the model's predictions, costs and priors counted."""
    said = model.predict(X)
    if isinstance(model, hb.TreeRegressor):
        return (np.asarray(y) - said) ** 2
    if row_costs is not None:
        place = {label: k for k, label in enumerate(model.classes_)}
        return np.array([row_costs[i, place[label]] for i, label in enumerate(said)])
    classes = list(model.tree_.classes)
    answers = model.tree_.meta.get("answers", {})
    costs = np.array(answers.get("costs", 1 - np.eye(len(classes))))
    factors = np.array(answers.get("factors", np.ones(len(classes))))
    true, given = [classes.index(c) for c in y], [classes.index(c) for c in said]
    return costs[true, given] * factors[true]


def by_hand(model, X, y, fold, alpha, weight, row_costs=None):
    """Mean loss and standard error at each penalty, by fitting, pruning and predicting again and again."""
    each = np.zeros((len(alpha), len(y)))
    for k in np.unique(fold):
        train, held = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        extra = {} if row_costs is None else {"row_costs": row_costs[train]}
        full = clone(model).fit(X.iloc[train], y[train], weight[train], **extra)
        for step, a in enumerate(mean_alphas(alpha)):
            small = copy.copy(full)
            small.tree_ = prune_at(full.tree_, min(a, 1e300))
            own = None if row_costs is None else row_costs[held]
            each[step, held] = losses(small, X.iloc[held], y[held], own)
    mean = each @ weight / weight.sum()
    square = each**2 @ weight / weight.sum()
    return mean, np.sqrt((square - mean**2) / (weight > 0).sum())


def drawn(seed, n=120):
    rng = np.random.default_rng(seed)
    X = random_columns(rng, n, gaps=0.2)
    score = X.iloc[:, 0].fillna(0).rank().to_numpy() / n + rng.normal(size=n) / 3
    return X, score, rng


WAYS = {
    "plain": {},
    "multiway": {"split": "multiway"},
    "own branch for gaps": {"missing": "branch"},
    "all paths": {"missing": "all-paths"},
    "all paths, a vote a leaf": {"missing": AllPaths(vote="leaf")},
    "fractional": {"missing": "fractional", "split": "multiway"},
    "fractional with costs": {"missing": "fractional", "costs": [[0, 1, 3], [2, 0, 1], [9, 1, 0]]},
    "costs": {"costs": [[0, 1, 5], [2, 0, 1], [7, 1, 0]]},
    "priors": {"priors": "equal"},
    "smoothed": {"leaf": Constant(smoothing="laplace")},
    "surrogates": {"missing": "surrogates"},
}


@pytest.mark.parametrize("way", WAYS)
def test_errors_of_all_steps_are_those_of_growing_and_pruning_by_hand(way):
    X, score, rng = drawn(1)
    y = np.digitize(score, [0.3, 0.8])
    weight = rng.integers(0, 4, len(y)) / 2
    fold = rng.integers(0, 4, len(y))
    model = hb.TreeClassifier(min_samples_leaf=2, **WAYS[way])
    path = hb.pruning_path(model.fit(X, y, weight), X, y, weight, cv=fold)
    assert len(path) > 3
    mean, error = by_hand(model, X, y, fold, path.alpha, weight)
    assert path.cv == pytest.approx(mean, rel=1e-9)
    assert path.cv_error == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize("missing", ["learn", "all-paths", "fractional"])
def test_errors_of_a_regression_are_those_by_hand(missing):
    X, score, rng = drawn(2)
    weight, fold = rng.integers(0, 4, len(score)) / 2, rng.integers(0, 3, len(score))
    model = hb.TreeRegressor(min_samples_leaf=3, missing=missing, leaf=Constant("shrinkage", strength=2))
    path = hb.pruning_path(model.fit(X, score, weight), X, score, weight, cv=fold)
    mean, error = by_hand(model, X, score, fold, path.alpha, weight)
    assert path.cv == pytest.approx(mean, rel=1e-9)
    assert path.cv_error == pytest.approx(error, rel=1e-8)


def test_costs_of_rows_are_those_by_hand():
    X, score, rng = drawn(3)
    y = np.digitize(score, [0.5])
    costs = rng.integers(0, 5, (len(y), 2)).astype(float)
    costs[np.arange(len(y)), y] = 0
    fold = rng.integers(0, 3, len(y))
    model = hb.TreeClassifier(min_samples_leaf=2).fit(X, y, row_costs=costs)
    path = hb.pruning_path(model, X, y, cv=fold, row_costs=costs)
    used = costs.any(axis=1)
    mean, _ = by_hand(model, X, y, fold, path.alpha, used.astype(float), costs)
    assert path.cv == pytest.approx(mean, rel=1e-9)
    with pytest.raises(ValueError, match="row_costs"):
        hb.pruning_path(model, validation=(X, y))


@pytest.mark.parametrize("missing", ["learn", "all-paths"])
def test_rows_climb_alike_in_the_core_and_one_step_after_the_other(missing, monkeypatch):
    X, score, rng = drawn(7, 150)
    weight = rng.integers(0, 3, len(score)).astype(float)
    for model, y in (
        (hb.TreeClassifier(missing=missing), score > 0.5),
        (hb.TreeRegressor(missing=missing), score),
    ):
        path = hb.pruning_path(model.fit(X[:90], y[:90]))
        rows = (
            Table.match(X[90:], path.tree.columns),
            (
                Target.classes_of(y[90:], weight[90:])
                if y.dtype == bool
                else Target.real_of(y[90:], weight[90:])
            ),
        )
        core = held_out_loss(path.tree, path.strength, path.alpha, *rows)
        monkeypatch.setattr(
            held_out_losses, "_reach_one_leaf", lambda leaves: np.zeros(len(leaves), dtype=bool)
        )
        slow = held_out_loss(path.tree, path.strength, path.alpha, *rows)
        monkeypatch.undo()
        assert core.mean == pytest.approx(slow.mean, rel=1e-12)
        assert core.error == pytest.approx(slow.error, rel=1e-9)


def test_validation_and_test_rows_are_judged_as_predictions_are():
    X, score, rng = drawn(4, 200)
    y = np.where(score > 0.5, "yes", "no")
    model = hb.TreeClassifier(missing="all-paths").fit(X[:120], y[:120])
    held = (X[120:], y[120:], rng.integers(1, 3, 80))
    path = hb.pruning_path(model, validation=held[:2], test=held)
    for step in range(len(path)):
        wrong = path.choose(leaves=int(path.leaves[step])).predict(held[0]) != held[1]
        assert path.validation[step] == pytest.approx(wrong.mean())
        assert path.test[step] == pytest.approx(np.average(wrong, weights=held[2]))
    assert path.choose("min").tree_.n_leaves == path.leaves[path.step("min")]
    assert path.choose("1-se").tree_.n_leaves <= path.choose("min").tree_.n_leaves


def test_a_class_the_tree_does_not_know_is_always_wrong():
    model = hb.TreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    path = hb.pruning_path(model, validation=([[1.0], [2.0], [3.0]], ["a", "b", "new"]))
    assert path.validation == pytest.approx([1 / 3, 2 / 3])
    with pytest.raises(ValueError, match="y has no class that the tree knows; its classes are 'a', 'b'"):
        hb.pruning_path(model, validation=([[1.0], [2.0]], [0, 1]))
    dear = hb.TreeClassifier(costs={"a": {"b": 3}}).fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(
        ValueError, match="y has the class 'new', about which the costs of the tree say nothing"
    ):
        hb.pruning_path(dear, validation=([[1.0], [2.0]], ["a", "new"]))


def test_what_rows_lose_takes_one_pass_over_them():
    rng = np.random.default_rng(0)
    n = 4000
    X, y = rng.normal(size=(n, 3)), rng.integers(0, 2, n)
    tree = hb.TreeClassifier().fit(X, y).tree_
    strength = strengths(tree)
    alpha = np.unique(np.append(strength[strength > 0], 0.0))
    until = np.searchsorted(alpha, np.where(np.isnan(strength), -1, strength)).astype(np.int32)
    leaf = hb.TreeClassifier().fit(X, y).apply(X)
    given = {"leaf": leaf, "weight": np.ones(n)}
    loss = {"label": tree.label, "n_classes": 2, "code": y.astype(np.int32), "cost": (1 - np.eye(2)).ravel()}
    _, _, steps = _core.held_out(tree.first_child, tree.n_children, until, len(alpha), given, loss)
    assert n <= steps <= n * (tree.depth + 1)


def test_counts_are_repetitions_in_cross_validation_too():
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 4, (60, 3)), rng.integers(0, 2, 60)
    counts = rng.integers(0, 4, 60)
    once = hb.pruning_path(hb.TreeClassifier().fit(X, y, counts=counts), X, y, counts=counts, cv=4)
    rows = np.repeat(np.arange(60), counts)
    often = hb.pruning_path(hb.TreeClassifier().fit(X[rows], y[rows]), X[rows], y[rows], cv=4)
    for name, values in once.curves().items():
        assert values.tolist() == often.curves()[name].tolist(), name


def test_the_order_of_the_rows_changes_nothing():
    X, y = load_diabetes(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    weight = np.random.default_rng(1).random(len(y))
    one = hb.pruning_path(hb.TreeRegressor(min_samples_leaf=9).fit(X, y, weight), X, y, weight, cv=3)
    X, y, weight = X[order], y[order], weight[order]
    two = hb.pruning_path(hb.TreeRegressor(min_samples_leaf=9).fit(X, y, weight), X, y, weight, cv=3)
    for name, values in one.curves().items():
        assert values.tolist() == two.curves()[name].tolist(), name


# ---- the part --------------------------------------------------------------------------------------------


def test_the_slot_finds_what_the_path_of_the_model_finds():
    X, y = load_iris(return_X_y=True)
    path = hb.pruning_path(hb.TreeClassifier().fit(X, y), X, y, cv=10)
    for rule in ("1-se", "min"):
        model = hb.TreeClassifier(pruning=CostComplexity(rule=rule)).fit(X, y)
        assert model.tree_ == path.choose(rule).tree_
        assert model.pruning_.facts["path"].cv.tolist() == path.cv.tolist()
    other = hb.TreeClassifier(pruning=CostComplexity(cv=4, random_state=3)).fit(X, y)
    assert len(other.pruning_.facts["path"]) == len(path)


def test_few_rows_are_dealt_to_fewer_folds_unless_told_otherwise():
    X, y = [[1], [2], [3], [4], [5]], list("aabbb")
    assert hb.TreeClassifier(pruning="cost-complexity").fit(X, y).pruning_.facts["path"].cv is not None
    assert hb.TreeClassifier(pruning="cost-complexity").fit([[1]], ["a"]).tree_.n_leaves == 1
    with pytest.raises(ValueError, match="cv=9 must be a number of folds from 2 to the number of rows, 5"):
        hb.TreeClassifier(pruning=CostComplexity(cv=9)).fit(X, y)


def test_rows_given_to_prune_choose_the_step():
    X, score, _ = drawn(6, 200)
    y = (score > 0.5).astype(int)
    model = hb.TreeClassifier().fit(X[:120], y[:120])
    path = hb.pruning_path(model, validation=(X[120:], y[120:]))
    for rule in ("min", "1-se", "thrifty"):
        small = hb.prune(model, CostComplexity(rule=rule), X[120:], y[120:])
        assert small.tree_ == path.choose(rule).tree_


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (CostComplexity(alpha=-1), "alpha=-1 must be a number of at least 0"),
        (CostComplexity(alpha=0.1, cv=5), "both decide the penalty: give one of them"),
        (CostComplexity(risk="gini"), "risk='gini' must be one of 'error', 'impurity'"),
        (CostComplexity(rule="2-se"), "rule='2-se' must be one of '1-se', 'min'"),
        (CostComplexity(random_state=-3), "random_state=-3 must be"),
    ],
)
def test_a_part_with_a_wrong_number_is_refused(part, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        hb.TreeClassifier(pruning=part).fit(X, y)


def test_prune_needs_a_penalty_or_rows():
    X, y = load_iris(return_X_y=True)
    model = hb.TreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="alpha=None finds the penalty by rows that did not grow the tree"):
        hb.prune(model, "cost-complexity")
    with pytest.raises(ValueError, match="cv=5 grows trees anew"):
        hb.prune(model, CostComplexity(cv=5), X, y)


def test_an_interrupted_fold_gives_the_whole_tree():
    X, y = load_iris(return_X_y=True)
    model = hb.TreeClassifier().fit(X, y)
    heard = []

    def stop(share):
        heard.append(share)
        return share > 0.45

    with pytest.raises(hb.GrowthInterrupted) as stopped:
        hb.pruning_path(model, X, y, cv=4, progress=stop)
    assert stopped.value.tree == model.tree_
    assert heard == sorted(heard)
    assert heard[-1] <= 0.5


def test_progress_is_that_of_all_folds():
    X, y = load_iris(return_X_y=True)
    heard = []
    hb.pruning_path(hb.TreeClassifier().fit(X, y), X, y, cv=4, progress=heard.append)
    assert heard[-1] == 1.0
    assert {0.25, 0.5, 0.75} <= set(heard)


def test_standard_errors_do_not_shrink_with_larger_weights():
    X, y = load_iris(return_X_y=True)
    one = hb.pruning_path(hb.TreeClassifier().fit(X, y), validation=(X, y))
    ten = hb.pruning_path(hb.TreeClassifier().fit(X, y), validation=(X, y, np.full(150, 10.0)))
    often = hb.pruning_path(hb.TreeClassifier().fit(X, y), validation=(X, y, None, np.full(150, 10)))
    assert ten.validation_error == pytest.approx(one.validation_error)
    assert often.validation_error == pytest.approx(one.validation_error / math.sqrt(10))


def test_rows_and_tree_of_different_kinds_are_refused():
    tree = hb.TreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0]).tree_
    table = Table.match([[1.0]], tree.columns)
    with pytest.raises(ValueError, match="the target is of kind 'classes', but the tree has task='real'"):
        held_out_loss(tree, strengths(tree), np.array([0.0]), table, Target.classes_of(["a"]))


# ---- learning curves -------------------------------------------------------------------------------------


def test_learning_curves_are_those_of_the_parts():
    X, y = load_iris(return_X_y=True)
    found = hb.teaching.learning_curves(hb.TreeClassifier(), X, y, (0.5, 0.3, 0.2), random_state=4)
    parts = hb.teaching.train_validation_test(X, y, (0.5, 0.3, 0.2), stratify=y, random_state=4)
    model = hb.TreeClassifier().fit(parts.train.X, parts.train.y)
    assert model.tree_ == found.tree
    for step in range(len(found)):
        small = found.choose(leaves=int(found.leaves[step]))
        for name in ("validation", "test"):
            part = getattr(parts, name)
            assert getattr(found, name)[step] == pytest.approx(1 - small.score(part.X, part.y))
        assert found.training[step] == pytest.approx(1 - small.score(parts.train.X, parts.train.y))
    assert (np.diff(found.training) >= 0).all()


def test_learning_curves_take_weights_and_need_validation_rows():
    X, y = load_diabetes(return_X_y=True)
    counts = np.arange(len(y)) % 3
    found = hb.teaching.learning_curves(
        hb.TreeRegressor(min_samples_leaf=10), X, y, (0.6, 0.4, 0), counts=counts
    )
    assert found.test is None
    assert found.validation.min() < found.validation[-1]
    with pytest.raises(TypeError, match=r"model must be an estimator, .* not a Tree"):
        hb.teaching.learning_curves(found.tree, X, y)
    with pytest.raises(ValueError, match="leave no training or no validation rows"):
        hb.teaching.learning_curves(hb.TreeRegressor(), X, y, (1, 0, 0))
