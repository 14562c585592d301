"""Automatic trees: what is tried, what wins, what it costs, and what stands there afterwards."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.model_selection import cross_val_score
from tests.support.estimator_checks import sklearn_checks

import hornbeam as hb
from hornbeam.estimators.base import TreeModel
from hornbeam.pruning.nested_subtrees import price as priced


@sklearn_checks([hb.AutoTreeClassifier()], [hb.AutoTreeRegressor()])
def test_scikit_learn_accepts_automatic_trees(estimator, check):
    check(estimator)


@pytest.fixture
def growths(monkeypatch):
    """How many trees are grown."""
    made = []
    learned = TreeModel.learn_tree

    def counted(self, *given):
        made.append(self)
        return learned(self, *given)

    monkeypatch.setattr(TreeModel, "learn_tree", counted)
    return made


@pytest.mark.parametrize("budget", [3, 7, 20, 60])
def test_no_more_trees_are_grown_than_the_budget_says(growths, budget):
    X, y = load_wine(return_X_y=True)
    model = hb.AutoTreeClassifier(budget=budget, consider=("entropy", "c45", "gini")).fit(X, y)
    assert len(growths) <= budget
    assert model.account_.fits == len(growths)
    trees = (budget - 1) // len(model.account_.offers)
    assert model.account_.deals == (2 if trees >= 10 else 1)
    assert model.account_.folds == min(10, trees // model.account_.deals)


def test_what_is_chosen_is_an_ordinary_tree_that_can_be_made_by_hand():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = hb.AutoTreeClassifier(consider=("entropy", "gini")).fit(X, y)
    by_hand = clone(model.model_).fit(X, y)
    assert isinstance(model.model_, hb.TreeClassifier)
    assert by_hand.tree_ == model.tree_
    assert (by_hand.predict_proba(X) == model.predict_proba(X)).all()
    assert hb.show(model) == hb.show(by_hand)


def test_the_choice_does_not_depend_on_threads_or_on_the_order_of_the_rows():
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    first = hb.AutoTreeClassifier(n_jobs=1).fit(X, y)
    second = hb.AutoTreeClassifier(n_jobs=2).fit(X[order], y[order])
    assert first.account_ == second.account_
    assert first.tree_ == second.tree_


def test_the_seed_deals_the_folds():
    X, y = load_diabetes(return_X_y=True)
    fitted = [hb.AutoTreeRegressor(random_state=seed).fit(X, y) for seed in (0, 0, 1)]
    assert fitted[0].account_ == fitted[1].account_
    assert fitted[0].account_.loss != fitted[2].account_.loss


def test_sums_of_columns_win_where_classes_lie_on_both_sides_of_a_slanted_line():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + X[:, 1] > 0.2
    model = hb.AutoTreeClassifier(sums=True).fit(X, y)
    assert model.account_.chosen == "oblique"
    assert model.tree_.n_leaves == 2
    plain = hb.AutoTreeClassifier().fit(X, y)
    assert {plain.tree_.kind_of(node) for node in range(len(plain.tree_))} == {"leaf", "threshold"}


def test_sums_have_at_most_three_columns_and_count_by_their_terms():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 6))
    model = hb.AutoTreeClassifier(consider="oblique").fit(X, X.sum(axis=1) > 0)
    sums = [model.tree_.tested_columns(node) for node in range(len(model.tree_))]
    assert max(map(len, sums)) == 3
    assert model.tree_.reading_size == model.tree_.n_leaves + sum(map(len, sums))


def test_of_trees_that_are_equally_good_the_smallest_is_taken():
    bits = np.array([[(k >> j) & 1 for j in range(5)] for k in range(32)] * 8)
    X = {f"c{j}": np.where(bits[:, j], "on", "off") for j in range(5)}
    model = hb.AutoTreeClassifier(aim="error").fit(X, bits[:, :3].sum(axis=1) >= 2)
    assert {line["name"]: line["loss"] for line in model.account_.offers} == dict.fromkeys(
        ("entropy", "gini"), 0.0
    )
    assert model.tree_.n_leaves == 6
    assert model.predict({f"c{j}": ["on"] for j in range(5)}).tolist() == [True]


def test_of_equal_ways_the_first_stays():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    model = hb.AutoTreeClassifier().fit(X, y)
    losses = {line["name"]: line["loss"] for line in model.account_.offers}
    assert model.account_.chosen == "entropy"
    assert model.tree_.n_leaves == 1
    assert set(losses) == {"entropy", "gini"}


def test_smoothing_makes_probabilities_better_and_leaves_the_classes_alone():
    X, y = load_breast_cancer(return_X_y=True)
    smooth = hb.AutoTreeClassifier(consider="entropy")
    plain = hb.TreeClassifier("entropy", pruning="cost-complexity")
    better = cross_val_score(smooth, X, y, cv=5, scoring="neg_log_loss").mean()
    assert better > cross_val_score(plain, X, y, cv=5, scoring="neg_log_loss").mean()
    fitted = smooth.fit(X, y)
    bare = clone(fitted.model_).set_params(leaf="constant").fit(X, y)
    assert (bare.predict(X) == fitted.predict(X)).all()
    assert (bare.predict_proba(X) != fitted.predict_proba(X)).any()


def test_the_least_error_gives_a_tree_no_smaller_than_the_one_se_rule():
    X, y = load_breast_cancer(return_X_y=True)
    small, large = (
        hb.AutoTreeClassifier(rule=rule, consider="gini").fit(X, y).tree_.n_leaves for rule in ("1-se", "min")
    )
    assert small <= large


def test_the_one_se_rule_takes_the_smallest_tree_within_a_standard_error_of_the_least():
    X, y = load_breast_cancer(return_X_y=True)
    account = hb.AutoTreeClassifier(rule="1-se", consider="gini", aim="error").fit(X, y).account_
    best = account.offers[0]
    assert best["loss"] < account.loss <= best["loss"] + best["error"]
    assert account.leaves < best["leaves"]


def test_of_all_ways_and_sizes_the_best_bargain_is_taken():
    rng = np.random.default_rng(2)
    X = rng.random((300, 5))
    y = X[:, :3].sum(axis=1) + rng.normal(0, 0.3, 300) > 1.5
    account = hb.AutoTreeClassifier(consider=("entropy", "c45", "gini"), aim="error").fit(X, y).account_
    least = min(account.offers, key=lambda line: line["loss"])

    def price(loss, leaves, error=least["error"]):
        return float(priced(leaves, loss, error))

    paid = {line["name"]: price(line["taken_loss"], line["taken_leaves"]) for line in account.offers}
    assert account.chosen == min(paid, key=paid.get)
    assert paid[account.chosen] == price(account.loss, account.leaves)
    for line in account.offers:
        taken = price(line["taken_loss"], line["taken_leaves"], line["error"])
        assert taken <= price(line["loss"], line["leaves"], line["error"])
    assert account.leaves <= least["leaves"]
    for line in account.offers:  # what is said of the others is of the size that would be taken
        assert (
            f"{1 - line['taken_loss']:.3f} ± {line['error']:.3f}" in str(account)
            or line["name"] == account.chosen
        )


@pytest.mark.parametrize("estimator", [hb.AutoTreeClassifier(), hb.AutoTreeRegressor()])
def test_progress_never_goes_back(estimator):
    X, y = load_diabetes(return_X_y=True)
    shares = []
    estimator.fit(X, y > 150 if isinstance(estimator, hb.AutoTreeClassifier) else y, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) > 20


def test_gaps_strings_weights_and_counts_are_taken():
    rng = np.random.default_rng(4)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=120),
            "colour": rng.choice(["red", "green", "blue", None], 120),
        }
    )
    y = np.where(X["size"] > 0, "large", "small")
    X.loc[::7, "size"] = np.nan
    counts = rng.integers(1, 4, 120)
    repeated = np.repeat(np.arange(120), counts)
    once = hb.AutoTreeClassifier(consider=("entropy", "c45-multiway")).fit(X, y, counts=counts)
    again = hb.AutoTreeClassifier(consider=("entropy", "c45-multiway")).fit(X.iloc[repeated], y[repeated])
    assert once.account_ == again.account_
    assert once.tree_ == again.tree_
    heavy = hb.AutoTreeClassifier(consider="entropy").fit(X, y, sample_weight=np.ones(120))
    assert heavy.tree_ == hb.AutoTreeClassifier(consider="entropy").fit(X, y).tree_


def test_monotonic_constraints_leave_out_what_cannot_keep_them():
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"a": rng.uniform(size=150), "b": rng.uniform(size=150)})
    y = X["a"] + np.sin(8 * X["b"]) + rng.normal(0, 0.1, 150)
    model = hb.AutoTreeRegressor(monotonic_cst={"a": 1}).fit(X, y)
    assert {line["name"] for line in model.account_.offers} == {"short-lines", "long-lines", "means"}
    low, high = X.assign(a=X["a"] * 0.5), X
    assert (model.predict(low) <= model.predict(high)).all()
    classes = hb.AutoTreeClassifier(monotonic_cst={"a": 1}).fit(X, y > 1)
    assert {line["name"] for line in classes.account_.offers} == {"entropy", "gini"}


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_one_to_three_rows_give_a_tree(rows):
    X, y = np.arange(rows, dtype=float)[:, None], list("aba")[:rows]
    model = hb.AutoTreeClassifier().fit(X, y)
    assert model.predict(X).shape == (rows,)
    assert str(model.account_)


@pytest.mark.parametrize("names", [("b", "a"), ("no", "yes"), (7, 3)])
def test_neither_names_nor_order_of_the_classes_change_the_tree(names):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(0, 1.0, 200) > 0).astype(int)
    first, second = (hb.auto().fit(X, each) for each in (y, np.array(names)[y]))
    assert first.tree_.n_leaves > 1
    assert first.account_.to_dicts() == second.account_.to_dicts()
    assert (np.array(names)[first.predict(X)] == second.predict(X)).all()
    assert np.array_equal(first.tree_.threshold, second.tree_.threshold, equal_nan=True)


def test_whatever_takes_a_fitted_tree_takes_an_automatic_one(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = hb.AutoTreeClassifier(consider="entropy").fit(X, y)
    again = hb.load(hb.save(model, tmp_path / "iris.tree.json"))
    assert isinstance(again, hb.TreeClassifier)
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert hb.prune(model, "penalised").tree_.n_leaves <= model.tree_.n_leaves
    assert hb.teaching.simplify(model).tree_.n_leaves <= model.tree_.n_leaves
    assert hb.pruning_path(model, X, y, cv=3).choose("1-se").tree_.n_leaves >= 1
    assert hb.edit(model, X, y).collapse(0).tree.n_leaves == 1
    assert len(hb.teaching.learning_curves(hb.AutoTreeClassifier(consider="gini"), X, y)) >= 1
    assert hb.evaluate(model, X, y)["accuracy"].value == model.score(X, y)


@pytest.mark.parametrize(("at", "said"), [(2, "after 0 of 2"), (23, "after 1 of 2")])
def test_stopping_the_choice_gives_the_best_tree_so_far(monkeypatch, at, said):
    X, y = load_wine(return_X_y=True)
    learned, calls = TreeModel.learn_tree, []

    def stopping(self, *given):
        calls.append(self)
        found = learned(self, *given)
        if len(calls) == at:
            raise hb.GrowthInterrupted("stopped", found[0])
        return found

    monkeypatch.setattr(TreeModel, "learn_tree", stopping)
    with pytest.raises(hb.GrowthInterrupted, match=said) as caught:
        hb.AutoTreeClassifier(consider=["entropy", "gini"]).fit(X, y)
    tree = caught.value.tree
    assert (tree.predict(X) == y).mean() > 0.8
    assert tree.n_rows[0] < len(y)


def test_a_column_that_no_expression_can_name_is_learned_from_all_the_same():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"`a`": rng.normal(size=200), 'b "b"; --': rng.normal(size=200)})
    X["colour"] = rng.choice(["red", "green", "blue"], 200)
    y = X.iloc[:, 0] + X.iloc[:, 1] + (X["colour"] == "red") > 0.5
    model = hb.auto(consider=["oblique"], budget=4).fit(X, y)
    assert model.score(X, y) > 0.75
