"""What automatic trees say of their choice, and the sentences for what cannot be chosen."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError

import hornbeam as hb
from hornbeam.estimators.auto import SelectionReport
from hornbeam.estimators.auto.configurations import CLASSES, NUMBERS


@pytest.mark.parametrize("aim", ["mixed", "error", "log-loss", "auc"])
def test_the_account_names_what_decided(aim):
    X, y = load_breast_cancer(return_X_y=True)
    model = hb.AutoTreeClassifier(consider="entropy", budget=11, aim=aim).fit(X, y)
    words = {"mixed": "errors and Brier score", "error": "errors", "log-loss": "log loss", "auc": "AUC"}
    assert f"decided by {words[aim]}" in str(model.account_)
    assert model.score(X, y) > 0.9


def test_an_unknown_aim_is_refused():
    with pytest.raises(ValueError, match="aim='f1' must be"):
        hb.AutoTreeClassifier(aim="f1").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(TypeError, match="sums=1 must be True or False"):
        hb.AutoTreeClassifier(sums=1).fit([[1.0], [2.0]], [0, 1])


def test_few_rows_have_smoothed_shares_too():
    shares = hb.AutoTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]).predict_proba([[1.0]])
    assert shares.tolist() == [[5 / 6, 1 / 6]]


def test_the_account_tells_of_the_way_that_was_taken():
    X, y = load_breast_cancer(return_X_y=True)
    account = hb.AutoTreeClassifier(consider=("entropy", "c45", "gini")).fit(X, y).account_
    chosen = next(line for line in account.offers if line["name"] == account.chosen)
    assert (account.loss, account.leaves) == (chosen["taken_loss"], chosen["taken_leaves"])
    assert account.size == pytest.approx(2 * account.leaves - 1)  # tests of one column
    assert chosen["taken_aim"] <= min(line["taken_aim"] + line["error"] for line in account.offers)


def test_the_account_says_what_was_tried_and_what_won():
    X, y = load_iris(return_X_y=True)
    account = hb.AutoTreeClassifier(consider=("entropy", "gini")).fit(X, y).account_
    assert isinstance(account, SelectionReport)
    text = str(account)
    assert text.startswith("chose information gain, two branches with thrifty pruning: 0.9")
    assert "against 0.9" in text
    assert "for Gini index, two branches" in text
    assert "decided by errors and Brier score alike; reading size " in text
    assert text.endswith("by rows held out in 10 folds, dealt twice; 41 fits in all; ±: standard error")
    assert [line["name"] for line in account.to_dicts()] == ["entropy", "gini"]


def test_the_account_says_what_few_rows_a_small_budget_and_a_large_table_prevent():
    X, y = load_iris(return_X_y=True)
    few = hb.AutoTreeClassifier().fit(X[::6], y[::6]).account_
    assert str(few) == f"took {few.headline()}"
    assert few.headline() == (
        "information gain, two branches; fewer than 30 rows are too few to compare it with others"
    )
    assert few.against() == ""
    poor = hb.AutoTreeClassifier(budget=3).fit(X, y).account_
    assert poor.beyond_budget == ("Gini index, two branches",)
    assert str(poor).endswith("not tried, since the budget is too small: Gini index, two branches")
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(1000, 400))
    large = hb.AutoTreeClassifier(sums=True, budget=5).fit(wide, wide[:, 0] > 0).account_
    assert large.too_slow == ("information gain, sums of up to three columns",)
    assert "unless `consider` names it: information gain, sums of up to three columns" in str(large)


def test_the_warning_of_the_time_limit_names_what_was_not_tried(monkeypatch):
    X, y = load_iris(return_X_y=True)
    calls, learned = [], hb.TreeClassifier.learn_tree

    def slow(self, *given):
        calls.append(self)
        if len(calls) > 22:
            monkeypatch.setattr("hornbeam.growing.interruption.clock", lambda: float("inf"))
        return learned(self, *given)

    monkeypatch.setattr(hb.TreeClassifier, "learn_tree", slow)
    with pytest.warns(hb.PartialFitWarning, match="not tried: Gini index, two branches$"):
        model = hb.AutoTreeClassifier(time_limit=3600).fit(X, y)
    assert model.account_.untried == ("Gini index, two branches",)


def test_offers_have_names_of_their_own_and_make_estimators():
    for offers, estimator in ((CLASSES, hb.TreeClassifier), (NUMBERS, hb.TreeRegressor)):
        assert len({offer.name for offer in offers}) == len(offers)
        for offer in offers:
            assert estimator(**offer.make()).get_params()


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"budget": 2}, "budget=2 must be a whole number of at least 3"),
        ({"budget": 1.5}, r"budget=1\.5 must be a whole number"),
        ({"rule": "2-se"}, "rule='2-se'"),
        ({"consider": "entrpy"}, r"consider names 'entrpy', which is not known \(did you mean 'entropy'\?\)"),
        ({"consider": ()}, r"consider=\(\) leaves nothing to choose from"),
        ({"max_depth": -1}, "max_depth=-1"),
    ],
)
def test_bad_parameters_get_a_sentence(params, sentence):
    with pytest.raises(ValueError, match=sentence):
        hb.AutoTreeClassifier(**params).fit([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1])


def test_an_offer_that_does_not_suit_the_table_is_refused_if_it_is_the_only_one():
    with pytest.raises(ValueError, match="none of 'oblique' suits this table"):
        hb.AutoTreeClassifier(consider="oblique").fit({"a": ["x", "y"] * 5}, [0, 1] * 5)


def test_a_task_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="task='ranks' must be 'classes' or 'real'"):
        hb.auto("ranks")
    with pytest.raises(TypeError, match=r"takes no rows: write hb.auto\(\).fit\(X, y\)"):
        hb.auto([[1], [2]], [0, 1])


def test_an_unfitted_one_says_so():
    with pytest.raises(NotFittedError):
        hb.AutoTreeClassifier().predict([[1.0]])
    assert not hasattr(hb.AutoTreeRegressor(), "tree_")
