"""A growth that is stopped leaves a fitted estimator that says so; limits of time do it without raising."""

import itertools
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import hornbeam as hb
from hornbeam.growing import interruption
from hornbeam.growing.interruption import GrowthKeyboardInterrupt
from hornbeam.parts import CostComplexity, Oblique

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
Y = (X[:, 0] + RNG.normal(size=300) > 0).astype(int)
STOPPED = "growth was stopped before it was finished"

CLASSES = {
    "core": hb.TreeClassifier(),
    "best first": hb.TreeClassifier(max_leaf_nodes=40),
    "stepwise": hb.TreeClassifier(split=Oblique(restarts=1)),
    "pruned": hb.TreeClassifier(pruning=CostComplexity(cv=5, random_state=0)),
    "validated": hb.TreeClassifier(pruning="reduced-error"),
    "costs": hb.TreeClassifier(costs={0: {1: 3.0}}),
    "recipe": hb.c45(),
    "forest": hb.ForestClassifier(6, random_state=0),
    "slow forest": hb.ForestClassifier(4, split=Oblique(restarts=1), random_state=0),
    "auto": hb.AutoTreeClassifier(consider=["entropy", "gini"], budget=20),
}
NUMBERS = {
    "numbers": hb.TreeRegressor(),
    "lines": hb.TreeRegressor(leaf="linear"),
    "m5": hb.m5(),
    "absolute": hb.TreeRegressor("absolute"),
    "forest of numbers": hb.ForestRegressor(6, oob_score=True, random_state=0),
    "auto of numbers": hb.AutoTreeRegressor(consider=["lines", "means"], budget=20),
}
DENSITIES = {
    "density": hb.TreeDensity(),
    "pruned density": hb.TreeDensity("cross-validated", random_state=0),
}
MODELS = CLASSES | NUMBERS | DENSITIES


def tree_of(model):
    return model.trees_[0] if hasattr(model, "trees_") else model.tree_


def check_answers(model):
    if isinstance(model, hb.TreeDensity):
        assert np.isfinite(model.score_samples(X)).all()
    else:
        assert len(model.predict(X)) == len(X)
    if hasattr(model, "predict_proba"):
        assert model.predict_proba(X).sum(axis=1) == pytest.approx(1)
        assert model.classes_.tolist() == [0, 1]
    assert model.n_features_in_ == 4
    assert tree_of(model).n_leaves >= 1


@pytest.fixture
def ticking(monkeypatch):
    """A clock on which every look takes a second."""
    ticks = itertools.count()
    monkeypatch.setattr(interruption, "clock", lambda: float(next(ticks)))


@pytest.mark.parametrize("seconds", [0.5, 2.5, 7.5])
@pytest.mark.parametrize("name", MODELS)
def test_when_the_time_is_over_fit_warns_and_keeps_what_was_grown(ticking, name, seconds, tmp_path):
    model = clone(MODELS[name]).set_params(time_limit=seconds)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", hb.PartialFitWarning)
        assert model.fit(X, Y) is model
    warned = [one for one in caught if issubclass(one.category, hb.PartialFitWarning)]
    assert model.partial_ is bool(warned)
    assert len(warned) <= 1
    assert all("time_limit was over before growth was finished" in str(one.message) for one in warned)
    assert all(one.filename == __file__ for one in warned)
    if seconds == 0.5:
        assert model.partial_
    check_answers(model)
    again = hb.load(hb.save(model, tmp_path / "m.json"))
    assert again.partial_ is model.partial_
    if not hasattr(model, "trees_"):
        assert (STOPPED in hb.show(model)) == model.partial_


@pytest.mark.parametrize("name", MODELS)
def test_a_callback_that_stops_raises_and_leaves_a_fitted_estimator(name):
    model = clone(MODELS[name])
    with pytest.raises(hb.GrowthInterrupted) as caught:
        model.fit(X, Y, progress=lambda share: True)
    assert isinstance(caught.value, RuntimeError)
    assert not isinstance(caught.value, KeyboardInterrupt)
    assert model.partial_ is True
    if not hasattr(model, "trees_"):
        assert model.tree_ == caught.value.tree
        assert STOPPED in hb.show(model)
    check_answers(model)
    assert pickle.loads(pickle.dumps(model)).partial_ is True
    model.fit(X, Y)
    assert model.partial_ is False
    assert STOPPED not in hb.show(tree_of(model))


@pytest.mark.parametrize("name", MODELS)
def test_a_limit_that_is_not_reached_changes_nothing(name):
    model, other = clone(MODELS[name]).set_params(time_limit=1e6), clone(MODELS[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error", hb.PartialFitWarning)
        model.fit(X, Y)
    assert model.partial_ is False
    assert tree_of(model) == tree_of(other.fit(X, Y))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("name", MODELS)
def test_stopping_later_keeps_more(name, share):
    model = clone(MODELS[name])
    try:
        model.fit(X, Y, progress=lambda done: done > share)
    except hb.GrowthInterrupted:
        assert model.partial_ is True
    else:
        assert model.partial_ is False
    check_answers(model)


@pytest.mark.parametrize("name", ["core", "numbers", "absolute", "costs"])
def test_a_tree_that_is_finished_when_it_is_asked_is_not_partial(name):
    whole = clone(MODELS[name]).fit(X, Y)
    model = clone(MODELS[name]).fit(X, Y, progress=lambda share: share >= 1)
    assert model.partial_ is False
    assert model.tree_ == whole.tree_
    with pytest.raises(hb.GrowthInterrupted):  # it is asked before anything is grown, too
        model.fit(X, Y, progress=lambda share: True)
    assert model.tree_.n_leaves < whole.tree_.n_leaves


def test_ctrl_c_is_a_keyboard_interrupt_that_no_ordinary_handler_swallows(monkeypatch):
    assert not issubclass(GrowthKeyboardInterrupt, Exception)
    assert not issubclass(GrowthKeyboardInterrupt, hb.GrowthInterrupted)
    assert issubclass(hb.GrowthInterrupted, Exception)

    def pressed(self, plan, engine, progress):
        return whole(self, plan, engine, progress)[0], True  # what the core says after Ctrl-C

    from hornbeam.growing.grower import CoreMethod

    whole = CoreMethod.grow
    monkeypatch.setattr(CoreMethod, "grow", pressed)
    for model in (hb.TreeClassifier(), hb.TreeClassifier(time_limit=100), hb.AutoTreeClassifier(budget=9)):
        with pytest.raises(KeyboardInterrupt) as caught:
            model.fit(X, Y, progress=lambda share: False)
        assert type(caught.value) is GrowthKeyboardInterrupt
        assert model.partial_ is True
        assert model.tree_ == caught.value.tree
        twin = pickle.loads(pickle.dumps(caught.value))
        assert twin.tree == caught.value.tree
        assert str(twin) == str(caught.value)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 10**400, "1", True])
@pytest.mark.parametrize("name", ["core", "forest", "auto", "density"])
def test_a_limit_is_a_number_of_seconds(name, seconds):
    with pytest.raises(ValueError, match=r"time_limit=.* must be a number above 0: seconds"):
        clone(MODELS[name]).set_params(time_limit=seconds).fit(X, Y)


def test_a_forest_that_was_stopped_does_not_know_what_its_trees_saw(ticking):
    with pytest.warns(hb.PartialFitWarning):
        model = hb.ForestRegressor(500, oob_score=True, time_limit=0.5, random_state=0).fit(X, Y)
    assert 1 <= len(model.trees_) < 500
    assert not hasattr(model, "oob_score_")
    with pytest.raises(ValueError, match="stopped while it grew"):
        model.bootstrap_counts(0)
    assert len(model.estimators_[0].predict(X)) == len(X)


def test_other_programs_that_fit_get_partial_models_and_a_warning(ticking):
    with pytest.warns(hb.PartialFitWarning):
        scores = cross_val_score(hb.TreeClassifier(time_limit=0.5), X, Y, cv=3)
    assert len(scores) == 3


def test_the_report_says_that_the_tree_is_not_finished(ticking):
    with pytest.warns(hb.PartialFitWarning):
        model = hb.TreeClassifier(time_limit=0.5).fit(X, Y)
    report = hb.report(model, X, Y)
    assert STOPPED in str(report)
    assert STOPPED in report.to_html()
    assert report.to_dict()["partial"] == STOPPED
    assert "partial" not in hb.report(hb.TreeClassifier().fit(X, Y), X, Y).to_dict()


@pytest.mark.parametrize("name", ["core", "best first", "stepwise", "numbers", "absolute", "density"])
def test_a_leaf_that_is_whole_is_not_called_partial(name):
    constant = X if name == "density" else np.ones_like(Y, dtype=float if name in NUMBERS else int)
    limits = {"min_samples_split": 1000} if name == "density" else {}
    model = clone(MODELS[name]).set_params(time_limit=1e-9, **limits)
    with warnings.catch_warnings():
        warnings.simplefilter("error", hb.PartialFitWarning)
        model.fit(X) if name == "density" else model.fit(X, constant)
    assert not model.partial_
    assert model.tree_.n_leaves == 1


def test_ctrl_c_while_a_tree_is_pruned_leaves_a_model_that_is_partial(monkeypatch):
    def pressed(self, growing, table, target):
        growing.grow(table, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(CostComplexity, "learn", pressed)
    model = hb.TreeClassifier(pruning=CostComplexity(cv=5, random_state=0))
    with pytest.raises(GrowthKeyboardInterrupt, match="pruning was interrupted"):
        model.fit(X, Y)
    assert model.partial_
    check_answers(model)


@pytest.mark.parametrize("name", ["core", "stepwise", "forest", "numbers"])
def test_progress_that_is_no_function_is_refused_by_name(name):
    with pytest.raises(TypeError, match="progress=5 must be a function of the share"):
        clone(MODELS[name]).fit(X, Y, progress=5)
