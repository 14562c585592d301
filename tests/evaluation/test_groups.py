"""Groups, splitters, bootstrap intervals and drift, beside what is computed the plain way."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from tests.io.export.test_excel import applicants

import hornbeam as hb
from hornbeam.evaluation.estimate_intervals import wilson

X, Y = applicants(900)
MODEL = hb.TreeClassifier(max_leaf_nodes=6, min_samples_leaf=20)
FITTED = clone(MODEL).fit(X[:600], Y[:600])
NEW, TRUE = X[600:], Y[600:]


@pytest.mark.parametrize("groups", ["home", NEW.home, NEW.home.to_numpy(), NEW.home.tolist()], ids=type)
def test_each_group_is_measured_by_itself(groups):
    evaluation = hb.evaluate(FITTED, NEW, TRUE, groups=groups)
    assert [one.label for one in evaluation.groups] == ["other's", "own", "rent"]
    assert sum(one.n for one in evaluation.groups) == len(NEW)
    answers, shares = FITTED.predict(NEW), FITTED.predict_proba(NEW)[:, 1]
    for one in evaluation.groups:
        rows = (NEW.home == one.label).to_numpy()
        alone = hb.evaluate(FITTED, NEW[rows], TRUE[rows])
        assert one.metrics == alone.metrics
        good = one.rates[1]
        n, is_good, said = rows.sum(), TRUE[rows] == "good", answers[rows] == "good"
        assert good.answered == wilson(said.mean(), n)
        assert good.true == wilson(is_good.mean(), n)
        assert good.recall == wilson(said[is_good].mean(), is_good.sum())
        assert good.false_alarm == wilson(said[~is_good].mean(), (~is_good).sum())
        assert good.calibration.value == pytest.approx(shares[rows].mean() - is_good.mean())
        assert good.calibration.low < good.calibration.value < good.calibration.high
    assert "probability - share" in str(evaluation)
    assert json.loads(json.dumps(evaluation.to_dict()))["groups"][1]["group"] == "own"
    frame = pd.DataFrame(evaluation.group_columns())
    assert set(frame["measure"]) >= {"accuracy", "answered", "recall", "calibration"}


def test_groups_of_numbers_gaps_and_repeated_rows():
    X, y = load_diabetes(return_X_y=True)
    model = hb.TreeRegressor(max_depth=3).fit(X[:300], y[:300])
    groups = np.where(X[:, 1] > 0, "m", "f").astype(object)
    groups[:5] = None
    evaluation = hb.evaluate(model, X, y, groups=groups)
    assert [one.label for one in evaluation.groups] == ["f", "m", "missing"]
    assert evaluation.groups[2].n == 5
    assert (
        evaluation.groups[0].metrics["rmse"] == hb.evaluate(model, X[groups == "f"], y[groups == "f"])["rmse"]
    )
    counts = np.full(len(y), 2)
    twice = hb.evaluate(model, X, y, groups=groups, counts=counts)
    assert [one.n for one in twice.groups] == [2 * one.n for one in evaluation.groups]
    for wrong in ("shoe", groups[:-1]):
        with pytest.raises(ValueError, match="groups"):
            hb.evaluate(model, X, y, groups=wrong)


def test_splitters_of_scikit_learn_are_followed():
    X, y = load_breast_cancer(return_X_y=True)
    model = hb.TreeClassifier(max_depth=2)
    cv = StratifiedKFold(4, shuffle=True, random_state=1)
    evaluation = hb.evaluate(model, X, y, cv=cv)
    assert evaluation["accuracy"].value == accuracy_score(y, cross_val_predict(model, X, y, cv=cv))
    shares = cross_val_predict(model, X, y, cv=cv, method="predict_proba")[:, 1]
    assert evaluation["auc"].value == pytest.approx(roc_auc_score(y, shares))
    assert evaluation.folds["accuracy"] == pytest.approx(cross_val_score(model, X, y, cv=cv).tolist())
    assert hb.evaluate(model, X, y, cv=list(cv.split(X, y)))["accuracy"] == evaluation["accuracy"]


def test_repetitions_are_averaged():
    X, y = load_breast_cancer(return_X_y=True)
    model = hb.TreeClassifier(max_depth=2)
    each = [
        hb.evaluate(model, X, y, cv=StratifiedKFold(3, shuffle=True, random_state=k), groups=y)
        for k in (0, 1)
    ]
    pairs = [pair for k in (0, 1) for pair in StratifiedKFold(3, shuffle=True, random_state=k).split(X, y)]
    both = hb.evaluate(model, X, y, cv=pairs, groups=y)
    assert both.n_repetitions == 2
    assert len(both.folds["accuracy"]) == 6
    for end in ("value", "low", "high"):
        mean = np.mean([getattr(one["accuracy"], end) for one in each])
        assert getattr(both["accuracy"], end) == pytest.approx(mean)
        mean = np.mean([getattr(one.groups[1].rates[0].answered, end) for one in each])
        assert getattr(both.groups[1].rates[0].answered, end) == pytest.approx(mean)
    np.testing.assert_allclose(both.confusion, (each[0].confusion + each[1].confusion) / 2)
    assert "6 folds in 2 repetitions" in str(both)
    repeated = hb.evaluate(model, X, y, cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0))
    assert repeated.n_repetitions == 4


def test_groups_stay_together_and_rows_that_are_not_asked_do_not_count():
    X, y = load_diabetes(return_X_y=True)
    model, school = hb.TreeRegressor(max_depth=2), np.arange(len(y)) % 7
    evaluation = hb.evaluate(model, X, y, cv=GroupKFold(7), groups=school)
    wanted = cross_val_predict(model, X, y, cv=GroupKFold(7), groups=school)
    assert evaluation["mae"].value == pytest.approx(np.abs(wanted - y).mean())
    assert hb.evaluate(model, X, y, cv=TimeSeriesSplit(4)).n == len(y) - len(y) // 5 - len(y) % 5
    assert hb.evaluate(model, X, y, cv=ShuffleSplit(3, test_size=0.25, random_state=0)).n_repetitions == 3
    assert hb.evaluate(model, X, y, cv=RepeatedKFold(n_splits=2, n_repeats=2, random_state=0)).n == len(y)
    for wrong, sentence in (
        ([([0, 1], [len(y)])], "row numbers from 0 to 441"),
        ([(np.arange(10), np.arange(0))], "without rows"),
    ):
        with pytest.raises(ValueError, match=sentence):
            hb.evaluate(model, X, y, cv=wrong)


def test_bootstrap_intervals_are_seeded_and_near_those_of_formulas():
    by_formula = hb.evaluate(FITTED, NEW, TRUE)
    drawn = hb.evaluate(FITTED, NEW, TRUE, bootstrap=300)
    again = hb.evaluate(FITTED, NEW[::-1], TRUE[::-1], bootstrap=300)
    assert drawn.metrics == again.metrics
    for name, one in by_formula.metrics.items():
        other = drawn[name]
        assert other.value == one.value
        assert other.low < one.value < other.high
        width = one.high - one.low
        assert other.high - other.low == pytest.approx(width, rel=0.35), name
    with pytest.raises(ValueError, match="bootstrap=3 must be None, or a number of samples of at least 20"):
        hb.evaluate(FITTED, NEW, TRUE, bootstrap=3)


# ---- drift -------------------------------------------------------------------------------------------------


def test_rows_like_those_of_training_do_not_drift():
    same = hb.drift(FITTED, X[:600])
    assert same.index == pytest.approx(0, abs=1e-3)
    assert same.p > 0.9
    assert all(one.outside.value == 0 for one in same.columns_)
    assert "little drift" in str(same)
    new = hb.drift(FITTED, NEW)
    assert new.p > 0.001


def test_weights_of_classes_are_no_drift():
    model = hb.TreeClassifier(max_leaf_nodes=6, class_weight={"bad": 9.0}, missing="majority").fit(X, Y)
    assert hb.drift(model, X).index == pytest.approx(0, abs=1e-12)


def test_shifted_rows_are_named_by_column_and_leaf():
    shifted = NEW.assign(income=NEW.income + 60, home=["boat"] * len(NEW))
    shifted.loc[shifted.index[:30], "debts"] = np.nan
    drift = hb.drift(FITTED, shifted)
    facts = {one.column: one for one in drift.columns_}
    high = X[:600].income.max()
    known = shifted.income.dropna()
    assert facts["income"].outside.value == pytest.approx((known > high).mean())
    assert facts["home"].outside.value == 1.0
    assert facts["debts"].missing.value == pytest.approx(30 / len(NEW))
    assert not facts["debts"].missing_before
    assert facts["income"].missing_before
    assert drift.index > 0.25
    assert drift.p < 1e-6
    assert sum(one.before for one in drift.leaves) == pytest.approx(1)
    assert sum(one.now.value for one in drift.leaves) == pytest.approx(1)
    assert abs(drift.leaves[0].now.value - drift.leaves[0].before) >= abs(
        drift.leaves[-1].now.value - drift.leaves[-1].before
    )
    assert "never in training" in str(drift)
    assert json.loads(json.dumps(drift.to_dict()))["columns"][0]["column"] == "income"


def test_a_tree_without_counts_has_nothing_to_compare_with():
    tree = hb.Tree.from_nested({"column": "x", "<=": 1, "yes": "a", "no": "b"})
    with pytest.raises(ValueError, match="there must be both"):
        hb.drift(tree, {"x": [1]})


def test_curves_of_scikit_learn_are_drawn_of_these_models():
    pytest.importorskip("matplotlib").use("Agg")
    from sklearn.calibration import CalibrationDisplay
    from sklearn.metrics import RocCurveDisplay

    roc = RocCurveDisplay.from_estimator(FITTED, NEW, TRUE, pos_label="good")
    assert roc.roc_auc == pytest.approx(hb.evaluate(FITTED, NEW, TRUE)["auc"].value)
    calibration = CalibrationDisplay.from_estimator(FITTED, NEW, TRUE == "good", pos_label="good", n_bins=5)
    assert len(calibration.prob_true) >= 2
