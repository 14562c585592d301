"""Forests: what trees answer together, out-of-bag errors, and the rest of the door."""

import doctest
import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import accuracy_score, balanced_accuracy_score, mean_absolute_error, r2_score
from tests.support.small_forests import SHARES, leaf, mixed

import hornbeam as hb
from hornbeam import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor
from hornbeam.parts import LeafModel, Oblique

# ---- the cases of the specification ----------------------------------------------------------------------


def test_the_mean_of_three_trees_and_their_vote_name_different_classes():
    mean, by_mean = hb.teaching.combine(SHARES)
    votes, by_vote = hb.teaching.combine(SHARES, "vote")
    assert mean.tolist() == pytest.approx([0.583333, 0.416667], abs=1e-6)
    assert (by_mean, by_vote) == (0, 1)
    assert votes.tolist() == pytest.approx([1 / 3, 2 / 3])


def test_forests_put_together_from_trees_answer_the_same():
    trees = [leaf(90, 10), leaf(40, 60), leaf(45, 55)]
    rows = {"x": [1.0, 2.0]}
    mean = ForestClassifier.from_trees(trees)
    vote = ForestClassifier.from_trees(trees, combine="vote")
    assert mean.predict_proba(rows) == pytest.approx(np.array([[0.583333, 0.416667]] * 2), abs=1e-6)
    assert mean.predict(rows).tolist() == [0, 0]
    assert vote.predict(rows).tolist() == [1, 1]
    assert vote.predict_proba(rows) == pytest.approx(np.array([[1 / 3, 2 / 3]] * 2))


def test_one_tree_of_all_rows_and_columns_is_the_single_tree():
    tennis = hb.datasets.load("tennis")
    forest = ForestClassifier.from_tree(
        hb.teaching.builddt(), n_estimators=1, bootstrap=False, max_features=None
    )
    tree = forest.fit(tennis.X, tennis.y).trees_[0]
    assert tree.text() == (
        "Outlook[Overcast: Yes(0:4) | Rain: Wind[Strong: No(2:0) | Weak: Yes(0:3)]"
        " | Sunny: Humidity[High: No(3:0) | Normal: Yes(0:2)]]"
    )
    assert tree == hb.teaching.builddt().fit(tennis.X, tennis.y).tree_


# ---- combining -------------------------------------------------------------------------------------------


def test_ties_go_to_the_first_class():
    assert hb.teaching.combine([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]])[1] == 0
    assert hb.teaching.combine([[0.1, 0.9], [0.8, 0.2]], "vote")[1] == 0


def test_many_rows_are_combined_at_once():
    shares = np.array([[[0.9, 0.1], [0.2, 0.8]], [[0.3, 0.7], [0.4, 0.6]]])
    mean, named = hb.teaching.combine(shares)
    assert mean.tolist() == [pytest.approx([0.6, 0.4]), pytest.approx([0.3, 0.7])]
    assert named.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("shares", "how", "words"),
    [
        (SHARES, "median", "combine='median' is not known"),
        ([0.5, 0.5], "mean", r"shape \(2,\): give the probabilities of each tree"),
        ([[0.5, 0.6]], "mean", "adding up to 1"),
        (np.empty((0, 2)), "mean", "at least one of each"),
    ],
)
def test_what_cannot_be_combined_is_refused(shares, how, words):
    with pytest.raises(ValueError, match=words):
        hb.teaching.combine(shares, how)


def test_trees_of_a_forest_must_agree_on_their_classes():
    with pytest.raises(ValueError, match=r"trees\[1\] has task='classes' and the classes \(0, 1, 2\)"):
        ForestClassifier.from_trees([leaf(1, 2), leaf(1, 2, 3)])
    with pytest.raises(ValueError, match="at least one Tree"):
        ForestRegressor.from_trees([])
    with pytest.raises(TypeError, match=r"trees\[0\]=3 must be a Tree"):
        ForestClassifier.from_trees([3])


class Lines(LeafModel):
    """A leaf that would answer with a model of its own."""

    def answer_choices(self, target):
        return {}


def test_leaves_with_models_of_their_own_are_refused():
    with pytest.raises(ValueError, match=r"leaf=Lines\(\) is a model of its own"):
        ForestRegressor(2, leaf=Lines()).fit([[1.0], [2.0]], [1.0, 2.0])
    tree = hb.Tree.from_nested({"value": 1.0, "model": {"intercept": 2.0}})
    with pytest.raises(ValueError, match=r"trees\[0\] has models in its leaves"):
        ForestRegressor.from_trees([tree])


def test_trees_with_columns_of_their_own_are_put_together():
    a = hb.Tree.from_nested({"column": "x", "<=": 1, "yes": "u", "no": "v"})
    b = hb.Tree.from_nested({"column": "z", "<=": 5, "yes": "u", "no": "v"})
    forest = ForestClassifier.from_trees([a, b, a])
    assert forest.predict({"z": [9, 9], "x": [0, 2]}).tolist() == ["u", "v"]
    assert forest.apply({"z": [9, 9], "x": [0, 2]}).tolist() == [[1, 2, 1], [2, 2, 2]]


def test_fitted_trees_are_put_together():
    X, y = load_diabetes(return_X_y=True)
    trees = [TreeRegressor(max_depth=d).fit(X, y) for d in (1, 3)]
    together = ForestRegressor.from_trees(trees).predict(X)
    assert together == pytest.approx((trees[0].predict(X) + trees[1].predict(X)) / 2)


# ---- out of bag -------------------------------------------------------------------------------------------


def test_the_out_of_bag_error_is_that_of_trees_that_did_not_see_the_row():
    X, y = mixed(150)
    forest = ForestClassifier(9, random_state=0, oob_score=True).fit(X, y)
    total, times = np.zeros((150, 3)), np.zeros(150)
    for i, tree in enumerate(forest.estimators_):
        out = forest.bootstrap_counts(i) == 0
        total[out] += tree.predict_proba(X)[out]
        times += out
    judged = times > 0
    shares = total[judged] / times[judged, None]
    assert forest.oob_decision_function_[judged] == pytest.approx(shares)
    assert np.isnan(forest.oob_decision_function_[~judged]).all()
    right = forest.classes_[shares.argmax(axis=1)] == y[judged]
    assert forest.oob_error_ == pytest.approx(1 - right.mean())
    assert forest.oob_score_ == pytest.approx(right.mean())


def test_the_out_of_bag_error_is_near_that_on_new_rows():
    X, y = load_breast_cancer(return_X_y=True)
    forest = ForestClassifier(60, random_state=0, oob_score=True).fit(X[::2], y[::2])
    assert forest.oob_score_ == pytest.approx(accuracy_score(y[1::2], forest.predict(X[1::2])), abs=0.04)
    X, y = load_diabetes(return_X_y=True)
    forest = ForestRegressor(60, random_state=0, oob_score=True).fit(X, y)
    judged = ~np.isnan(forest.oob_prediction_)
    assert forest.oob_score_ == pytest.approx(r2_score(y[judged], forest.oob_prediction_[judged]))
    assert forest.oob_error_ == pytest.approx(np.mean((y - forest.oob_prediction_)[judged] ** 2))


def test_a_function_may_score_the_out_of_bag_answers():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    for model, own, metric in (
        (ForestClassifier, names, balanced_accuracy_score),
        (ForestRegressor, X[:, 3], mean_absolute_error),
        (ForestClassifier, np.column_stack([y, y > 0]), lambda a, b: (a == b).mean()),
        (ForestRegressor, X[:, 2:], mean_absolute_error),
    ):
        usual = model(20, random_state=0, oob_score=True).fit(X[:, :2], own)
        forest = model(20, random_state=0, oob_score=metric).fit(X[:, :2], own)
        if model is ForestRegressor:
            answers = usual.oob_prediction_
        elif own.ndim == 1:
            answers = usual.classes_[usual.oob_decision_function_.argmax(axis=1)]
        else:
            answers = usual.oob_decision_function_.argmax(axis=1)
        assert forest.oob_score_ == pytest.approx(metric(own, answers))
        assert forest.oob_error_ == usual.oob_error_


# ---- the rest of the door ---------------------------------------------------------------------------------


def test_importances_are_the_mean_over_the_trees():
    X, y = load_iris(return_X_y=True)
    forest = ForestClassifier(5, random_state=0).fit(X, y)
    mean = np.mean([tree.feature_importances_ for tree in forest.estimators_], axis=0)
    assert forest.feature_importances_ == pytest.approx(mean / mean.sum())
    assert ForestClassifier(2).fit(X, np.zeros(150)).feature_importances_.tolist() == [0, 0, 0, 0]


def test_rows_with_gaps_training_never_saw_follow_all_paths():
    X, y = load_iris(return_X_y=True)
    forest = ForestClassifier(4, random_state=0).fit(X, y)
    rows = X[::30].copy()
    rows[0, 2] = np.nan
    rows[1, :] = np.nan
    each = np.mean([tree.predict_proba(rows) for tree in forest.estimators_], axis=0)
    assert forest.predict_proba(rows) == pytest.approx(each)
    assert (
        forest.apply(rows).tolist() == np.stack([t.apply(rows) for t in forest.estimators_], axis=1).tolist()
    )


def test_leaves_and_paths_of_all_trees():
    X, y = mixed(80)
    forest = ForestClassifier(3, random_state=0).fit(X, y)
    leaves = forest.apply(X)
    passed, start = forest.decision_path(X)
    assert leaves.shape == (80, 3)
    assert start.tolist() == [0, *np.cumsum([len(tree) for tree in forest.trees_])]
    for i in range(3):
        assert (passed[np.arange(80), start[i] + leaves[:, i]] == 1).all()


def test_a_forest_is_copied_and_pickled():
    X, y = mixed(120)
    forest = ForestClassifier(3, random_state=0).fit(X, y)
    forest.predict(X)
    again = pickle.loads(pickle.dumps(forest))
    assert again.trees_ == forest.trees_
    assert (again.predict_proba(X) == forest.predict_proba(X)).all()
    assert repr(forest.trees_) == "<Trees: 3>"
    assert forest.trees_[-1] == forest.trees_[2]
    with pytest.raises(IndexError, match="there is no tree 3"):
        forest.bootstrap_counts(3)


def test_costs_priors_and_balanced_rows_reach_the_trees():
    X, y = mixed(200)
    costs = {"yes": {"no": 9}, "no": {"yes": 1}, "perhaps": {"yes": 1}}
    plain = ForestClassifier(5, random_state=0).fit(X, y)
    dear = ForestClassifier(5, random_state=0, costs=costs, max_depth=2).fit(X, y)
    assert (dear.predict(X) == "yes").sum() > (plain.predict(X) == "yes").sum()
    even = ForestClassifier(5, random_state=0, priors="equal").fit(X, y)
    tree = even.estimators_[2]
    alone = TreeClassifier(**tree.get_params(deep=False)).fit(X, y, counts=even.bootstrap_counts(2))
    assert alone.tree_ == even.trees_[2]
    balanced = ForestClassifier(3, random_state=0, class_weight="balanced_subsample").fit(X, y)
    weights = [balanced.trees_[i].stats[0] for i in range(3)]
    assert all(np.ptp(one) < 1e-9 * one.max() for one in weights), "the classes of each tree weigh the same"


def test_growing_can_be_watched_and_stopped():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30_000, 8)), rng.integers(0, 2, 30_000)
    seen = []
    ForestClassifier(2, max_depth=4, random_state=0).fit(X, y, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    with pytest.raises(hb.GrowthInterrupted, match=r"interrupted after \d+ of 500 trees") as caught:
        ForestClassifier(500, n_jobs=2).fit(X, y, progress=lambda share: share > 0.002)
    assert len(caught.value.trees) < 500
    assert caught.value.tree.n_rows[0] == 30_000
    again = pickle.loads(pickle.dumps(caught.value))
    assert len(again.trees) == len(caught.value.trees)
    with pytest.raises(ZeroDivisionError):
        ForestClassifier(3).fit(X, y, progress=lambda share: 1 / 0)
    small, labels = mixed(60)
    with pytest.raises(hb.GrowthInterrupted, match="after 0 of 4 trees"):
        ForestClassifier(4, split=Oblique()).fit(small, labels, progress=lambda share: True)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_estimators": 0}, "n_estimators=0 must be a whole number of at least 1"),
        ({"n_estimators": True}, "n_estimators=True must be"),
        ({"max_samples": 0.0}, "max_samples=0.0 must be None"),
        ({"max_samples": 2.5}, "max_samples=2.5 must be None"),
        ({"max_samples": 3, "bootstrap": False}, "bootstrap=False draws none"),
        ({"oob_score": True, "bootstrap": False}, "bootstrap=False shows every tree all"),
        ({"oob_score": "yes"}, "oob_score='yes' must be True, False or a function"),
        ({"combine": "men"}, "combine='men' is not known .did you mean 'mean'"),
        ({"class_weight": "even"}, "must be None, 'balanced', 'balanced_subsample' or a dict"),
        ({"max_features": 0}, "max_features=0 must be None"),
        ({"random_state": "x"}, "random_state='x' must be a whole number"),
    ],
)
def test_bad_parameters_get_one_sentence(params, words):
    with pytest.raises(ValueError, match=words):
        ForestClassifier(**params).fit([[1.0], [2.0]], ["a", "b"])


def test_readers_ask_for_one_of_the_trees():
    forest = ForestClassifier(3, random_state=0).fit(*load_iris(return_X_y=True))
    with pytest.raises(ValueError, match=r"this ForestClassifier has 3 trees: .* model.trees_\[0\]"):
        hb.show(forest)
    assert hb.show(forest.trees_[1]) == hb.show(forest.estimators_[1])
    with pytest.raises(ValueError, match="call fit first"):
        hb.show(ForestClassifier())


def test_other_names_are_refused():
    with pytest.raises(TypeError, match=r"ForestClassifier has no parameter 'max_dept'.*max_depth"):
        ForestClassifier(max_dept=3)
    with pytest.raises(ValueError, match="put the part in first, missing=AllPaths"):
        ForestClassifier(missing="all-paths").set_params(missing__vote="leaf")
    with pytest.raises(TypeError, match="must be a TreeRegressor"):
        ForestRegressor.from_tree(TreeClassifier())
    with pytest.raises(ValueError, match=r"column 'x0' holds infinity .* .row 1."):
        ForestClassifier().fit([[1.0], [np.inf]], ["a", "b"])


def test_the_page_about_forests_says_what_is_computed():
    page = Path(__file__).resolve().parents[2] / "docs" / "algorithms" / "forests.md"
    text = page.read_text(encoding="utf-8").replace("```", "")  # or doctest takes it for output
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    outcome = runner.run(examples)
    assert outcome.attempted > 10
    assert outcome.failed == 0


def test_forests_of_medians_answer_with_medians():
    X, y = load_diabetes(return_X_y=True)
    forest = ForestRegressor(n_estimators=3, criterion="absolute", max_depth=3, random_state=0).fit(X, y)
    alone = [one.predict(X) for one in forest.estimators_]
    np.testing.assert_allclose(forest.predict(X), np.mean(alone, axis=0))
    counts, seed = forest.bootstrap_counts(1), forest.estimators_[1].random_state
    one = TreeRegressor("absolute", max_features=1 / 3, max_depth=3, random_state=seed)
    assert one.fit(X, y, counts=counts).tree_ == forest.trees_[1]


def test_intervals_of_a_forest_hold_as_many_outcomes_as_they_promise():
    draw = np.random.default_rng(0)
    X = draw.random((900, 3))
    y = 3 * X[:, 0] + draw.normal(size=900)
    forest = ForestRegressor(n_estimators=60, min_samples_leaf=10, oob_score=True, random_state=0)
    forest.fit(X[:500], y[:500])
    for coverage in (0.5, 0.9):
        low, high = forest.predict_interval(X[500:], coverage).T
        assert ((low <= y[500:]) & (y[500:] <= high)).mean() == pytest.approx(coverage, abs=0.06)
        assert (low < forest.predict(X[500:])).all()
    residuals = y[:500] - forest.oob_prediction_
    assert (high - low)[0] == pytest.approx(np.subtract(*np.quantile(residuals, [0.95, 0.05])), rel=0.03)
    with pytest.raises(ValueError, match="fit it with oob_score=True"):
        ForestRegressor(n_estimators=2).fit(X, y).predict_interval(X)
    with pytest.raises(ValueError, match=r"coverage=1.5 must"):
        forest.predict_interval(X, 1.5)
