"""Trees of several targets: every form of y, scikit-learn's shapes and trees, files, and what is refused."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import hornbeam as hb
from hornbeam.parts import CostComplexity

SIZES = {"size": [1.0, 2.0, 3.0, 4.0], "price": [10.0, 12.0, 30.0, 32.0], "days": [9.0, 9.0, 5.0, 5.0]}
X = {"size": SIZES["size"]}
Y = np.column_stack([SIZES["price"], SIZES["days"]])
FORMS = {
    "array": (X, Y),
    "lists": (X, Y.tolist()),
    "dict": (X, {"price": SIZES["price"], "days": SIZES["days"]}),
    "pandas": (X, pd.DataFrame(Y, columns=["price", "days"], index=[9, 7, 5, 3])),
    "polars": (X, pl.DataFrame({"price": SIZES["price"], "days": SIZES["days"]})),
    "names": (SIZES, ["price", "days"]),
    "names of pandas": (pd.DataFrame(SIZES), ("price", "days")),
    "names of rows": (pd.DataFrame(SIZES).to_dict("records"), ("price", "days")),
}


def drawn(seed, n=150, k=3):
    """A table of numbers, k targets of numbers, and k of classes."""
    rng = np.random.default_rng(seed)
    table = np.round(rng.normal(size=(n, 4)), 2).astype(np.float32)
    numbers = table[:, :1] * rng.normal(size=(1, k)) + rng.normal(size=(n, k)) * rng.uniform(0.1, 5, (1, k))
    classes = np.column_stack([np.digitize(table[:, j] + rng.normal(size=n), [-1, 1]) for j in range(k)])
    return table, numbers, classes, rng.random(n) if seed % 2 else None


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_y_gives_the_same_tree(form):
    model = hb.TreeRegressor(max_depth=1).fit(*FORMS[form])
    assert model.predict({"size": [1.0, 4.0]}).tolist() == [[11.0, 9.0], [31.0, 5.0]]
    names = [output.name for output in model.tree_.outputs]
    assert names == (["y0", "y1"] if form in ("array", "lists") else ["price", "days"])
    assert [column.name for column in model.tree_.columns] == ["size"]


def test_words_may_be_classes_or_names():
    rows = {"a": [1, 2, 3], "b": [0, 0, 1], "c": ["x", "y", "y"]}
    assert hb.TreeClassifier().fit(rows, ["b", "c"]).n_outputs_ == 2
    assert hb.TreeClassifier().fit(rows, ["b", "c", "c"]).n_outputs_ == 1
    assert hb.TreeClassifier().fit(rows, ["u", "v", "v"]).classes_.tolist() == ["u", "v"]
    assert hb.TreeClassifier().fit(rows, ["c"]).classes_.tolist() == ["x", "y"]
    with pytest.raises(ValueError, match="y names the column 'bb', which X does not have"):
        hb.TreeClassifier().fit(rows, ["bb", "c"])


def test_weights_may_be_named_with_the_targets():
    rows = SIZES | {"w": [1.0, 2.0, 1.0, 1.0]}
    model = hb.TreeRegressor(max_depth=0).fit(rows, ["price", "days"], "w")
    assert model.predict(X)[0] == pytest.approx([(10 + 24 + 30 + 32) / 5, (27 + 10) / 5])
    assert [column.name for column in model.tree_.columns] == ["size"]


@pytest.mark.parametrize("seed", range(12))
def test_numbers_are_answered_as_by_scikit_learn(seed):
    table, numbers, _, weight = drawn(seed)
    options = {"max_depth": 1 + seed % 5, "min_samples_leaf": 1 + seed % 4}
    theirs = DecisionTreeRegressor(random_state=0, **options).fit(table, numbers, weight)
    ours = hb.TreeRegressor(**options).fit(table, numbers, weight)
    assert ours.predict(table) == pytest.approx(theirs.predict(table), abs=1e-12)
    assert ours.tree_.impurity[0] == pytest.approx(theirs.tree_.impurity[0])
    assert ours.score(table, numbers) == pytest.approx(theirs.score(table, numbers))
    if theirs.get_n_leaves() <= 8:  # further down small nodes have tests that tie
        assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("seed", range(6))
def test_classes_are_answered_as_by_scikit_learn(seed, criterion):
    table, _, classes, weight = drawn(seed)
    given = "balanced" if seed % 3 == 0 else None
    options = {"max_depth": 3, "min_samples_leaf": 5, "criterion": criterion, "class_weight": given}
    theirs = DecisionTreeClassifier(random_state=0, **options).fit(table, classes, weight)
    ours = hb.TreeClassifier(**options).fit(table, classes, weight)
    for mine, their in zip(ours.predict_proba(table), theirs.predict_proba(table), strict=True):
        assert mine == pytest.approx(their, abs=1e-12)
    assert ours.predict(table).tolist() == theirs.predict(table).tolist()
    assert ours.predict(table).dtype == theirs.predict(table).dtype
    assert [own.tolist() for own in ours.classes_] == [own.tolist() for own in theirs.classes_]
    assert ours.n_classes_ == theirs.n_classes_.tolist()
    assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_)
    assert len(ours.predict_log_proba(table)) == ours.n_outputs_ == 3


def test_the_path_of_cost_complexity_is_scikit_learns():
    table, numbers, _, _ = drawn(4)
    theirs = DecisionTreeRegressor().cost_complexity_pruning_path(table, numbers)
    ours = hb.TreeRegressor().cost_complexity_pruning_path(table, numbers)
    assert ours.ccp_alphas == pytest.approx(theirs.ccp_alphas, abs=1e-9)
    assert ours.impurities == pytest.approx(theirs.impurities, abs=1e-9)
    pruned = hb.TreeRegressor(ccp_alpha=0.1).fit(table, numbers)
    assert pruned.get_n_leaves() == DecisionTreeRegressor(ccp_alpha=0.1).fit(table, numbers).get_n_leaves()
    path = hb.pruning_path(hb.TreeRegressor(max_depth=4).fit(table, numbers))
    assert path.risk[-1] == pytest.approx(numbers.var(axis=0).mean())
    smaller = hb.prune(hb.TreeRegressor(max_depth=4).fit(table, numbers), CostComplexity(alpha=0.3))
    assert smaller.predict(table).shape == numbers.shape


def test_the_score_of_classes_is_the_share_of_rows_right_in_all_targets():
    table, _, classes, _ = drawn(2)
    model = hb.TreeClassifier(max_depth=3).fit(table, classes)
    right = (model.predict(table) == classes).all(axis=1)
    assert model.score(table, classes) == right.mean()
    weight = np.arange(len(right)) % 3
    assert model.score(table, classes, weight) == pytest.approx(np.average(right, weights=weight))
    binary = (classes > 0).astype(int)  # scikit-learn scores no other classes than these
    theirs = DecisionTreeClassifier(max_depth=2, random_state=0).fit(table, binary)
    assert hb.TreeClassifier(max_depth=2).fit(table, binary).score(table, binary) == theirs.score(
        table, binary
    )


def test_each_target_has_classes_and_labels_of_its_own():
    rows = {"kind": ["u", "v", "u", "w"], "ok": [True, False, True, True]}
    model = hb.TreeClassifier().fit({"x": [1, 2, 3, 4]}, rows)
    assert [own.tolist() for own in model.classes_] == [["u", "v", "w"], [False, True]]
    assert model.predict({"x": [2, 4]}).tolist() == [["v", False], ["w", True]]
    assert [shares.shape for shares in model.predict_proba({"x": [2, 4]})] == [(2, 3), (2, 2)]
    assert model.score({"x": [1, 2, 3, 4]}, rows) == 1.0


def test_a_model_is_the_same_from_a_file_and_a_pickle(tmp_path):
    table, numbers, classes, _ = drawn(3)
    for model in (
        hb.TreeRegressor(max_depth=3).fit(table, numbers),
        hb.TreeClassifier(max_depth=3).fit(table, classes),
    ):
        hb.save(model, tmp_path / "model.tree.json")
        for again in (hb.load(tmp_path / "model.tree.json"), pickle.loads(pickle.dumps(model))):
            assert again.tree_ == model.tree_
            assert again.predict(table).tolist() == model.predict(table).tolist()
            assert again.score(table, classes if model.task.is_classes else numbers) == model.score(
                table, classes if model.task.is_classes else numbers
            )
        assert hb.Tree.from_dict(model.tree_.to_dict()) == model.tree_
        for k in range(3):
            assert np.array_equal(
                np.asarray(model.tree_.output(k).predict(table)), model.predict(table)[:, k]
            )


def test_model_selection_of_scikit_learn_takes_several_targets():
    table, numbers, classes, _ = drawn(6)
    assert cross_val_score(hb.TreeRegressor(max_depth=2), table, numbers) == pytest.approx(
        cross_val_score(DecisionTreeRegressor(max_depth=2, random_state=0), table, numbers)
    )
    search = GridSearchCV(hb.TreeClassifier(), {"max_depth": [1, 2]}).fit(table, classes)
    assert search.predict(table).shape == classes.shape
    assert clone(search.best_estimator_).fit(table, classes).n_outputs_ == 3


@pytest.mark.parametrize("missing", ["learn", "branch", "majority", "all-paths"])
def test_gaps_in_columns_are_treated_as_with_one_target(missing):
    rows = {"a": [1.0, None, 2.0, None, 3.0, 4.0], "c": ["u", "v", None, "u", "v", "v"]}
    y = np.array([1.0, 5.0, 1.0, 5.0, 9.0, 9.0])
    one = hb.TreeRegressor(missing=missing).fit(rows, y)
    two = hb.TreeRegressor(missing=missing).fit(rows, np.column_stack([y, y]))
    assert two.tree_.output(0).text() == one.tree_.text()
    assert two.predict(rows)[:, 1].tolist() == one.predict(rows).tolist()


@pytest.mark.parametrize(
    "limit", [{"max_leaf_nodes": 5}, {"max_nodes": 7}, {"min_gain": 0.05}, {"max_features": 2}]
)
def test_a_target_twice_is_the_target_once(limit):
    table, numbers, classes, weight = drawn(7)
    for model, y in ((hb.TreeRegressor, numbers[:, 0]), (hb.TreeClassifier, classes[:, 0])):
        one = model(random_state=0, **limit).fit(table, y, weight).tree_
        two = model(random_state=0, **limit).fit(table, np.column_stack([y, y]), weight).tree_
        assert two.output("y1").text() == one.text()
        assert two.gain == pytest.approx(one.gain, abs=1e-9)


def test_huge_and_tiny_numbers_are_learned():
    x = {"x": [1.0, 2.0, 3.0, 4.0]}
    model = hb.TreeRegressor().fit(x, np.column_stack([[1e300, 1e300, -1e300, -1e300], [1.0, 1.0, 2.0, 2.0]]))
    assert model.predict({"x": [1, 4]}).tolist() == [[1e300, 1.0], [-1e300, 2.0]]
    tiny = hb.TreeRegressor().fit(
        x, np.column_stack([[1e-300, 1e-300, 3e-300, 3e-300], [0.0, 0.0, 0.0, 0.0]])
    )
    assert tiny.predict({"x": [1, 4]}).tolist() == [[1e-300, 0.0], [3e-300, 0.0]]


def test_a_constant_target_a_single_row_and_many_targets_are_learned():
    table, numbers, _, _ = drawn(8, n=60)
    constant = np.column_stack([numbers[:, 0], np.ones(60)])
    assert hb.TreeRegressor().fit(table, constant).predict(table)[:, 1].tolist() == [1.0] * 60
    assert hb.TreeRegressor().fit(table, np.ones((60, 2))).get_n_leaves() == 1
    assert hb.TreeClassifier().fit([[1.0]], [["u", "v"]]).predict([[3.0]]).tolist() == [["u", "v"]]
    many = np.random.default_rng(0).normal(size=(60, 100))
    assert hb.TreeRegressor(max_depth=3).fit(table, many).predict(table).shape == (60, 100)
    zeros = np.arange(60) % 2
    half = hb.TreeRegressor(max_depth=2).fit(table, numbers, zeros).tree_
    assert half.text() == hb.TreeRegressor(max_depth=2).fit(table[zeros > 0], numbers[zeros > 0]).tree_.text()


REFUSED = {
    "a gap": (hb.TreeRegressor(), [[1.0, np.nan], [2.0, 3.0]], "target 'y1': "),
    "text": (hb.TreeRegressor(), {"a": [1, 2], "b": ["u", "v"]}, "target 'b': .*TreeClassifier"),
    "a fraction": (hb.TreeClassifier(), {"a": [1, 2], "b": [0.5, 1.5]}, "target 'b': .*TreeRegressor"),
    "too few rows": (hb.TreeRegressor(), [[1.0, 2.0]], "inconsistent numbers of samples"),
    "uneven rows": (hb.TreeRegressor(), [[1.0, 2.0], [3.0]], "rows of 1 to 2 values"),
    "three dimensions": (hb.TreeRegressor(), np.zeros((2, 2, 2)), r"shape \(2, 2, 2\)"),
    "no column": (hb.TreeRegressor(), np.zeros((2, 0)), r"shape \(2, 0\)"),
    "a name twice": (hb.TreeRegressor(), pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "a"),
    "a criterion": (hb.TreeRegressor("sd"), [[1.0, 2.0], [3.0, 4.0]], "with several targets criterion="),
    "costs": (hb.TreeClassifier(costs={0: {1: 2}}), [[0, 1], [1, 0]], "with several targets costs"),
    "surrogates": (hb.TreeRegressor(missing="surrogates"), [[1.0, 2.0], [3.0, 4.0]], "missing="),
    "oblique splits": (hb.TreeRegressor(split="oblique"), [[1.0, 2.0], [3.0, 4.0]], "split="),
    "equations": (hb.TreeRegressor(leaf="linear"), [[1.0, 2.0], [3.0, 4.0]], "leaf="),
    "a pruner": (hb.TreeRegressor(pruning="reduced-error"), [[1.0, 2.0], [3.0, 4.0]], "CostComplexity"),
    "a class weight": (hb.TreeClassifier(class_weight={0: 2}), [[0, 1], [1, 0]], "list of 2 dicts"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_learned_is_refused_by_a_sentence(what):
    model, y, sentence = REFUSED[what]
    with pytest.raises(ValueError, match=sentence):
        model.fit([[1.0], [2.0]], y)


def test_readers_of_one_target_say_how_to_get_it():
    model = hb.TreeRegressor().fit(SIZES, ["price", "days"])
    for read in (hb.rules, hb.draw, hb.shap_values, hb.counterfactuals):
        with pytest.raises(
            ValueError, match=r"give the tree of one of them, model\.tree_\.output\('price'\)"
        ):
            read(model) if read is not hb.shap_values and read is not hb.counterfactuals else read(model, X)
    assert len(hb.rules(model.tree_.output("price"))) == model.get_n_leaves()
    with pytest.raises(ValueError, match=r"no target 'prize' \(did you mean 'price'\?\)"):
        model.tree_.output("prize")
    with pytest.raises(ValueError, match="refit fills in one target"):
        model.tree_.refit(X, Y)


def test_every_leaf_is_shown_with_all_answers():
    model = hb.TreeRegressor(max_depth=1).fit(SIZES, ["price", "days"])
    assert hb.show(model, charset="ascii").splitlines() == [
        "size?  variance decrease 52  n=4",
        "|-- <= 2.5  -> price: 11 +- 1  days: 9 +- 0  n=2",
        "`-- > 2.5  -> price: 31 +- 1  days: 5 +- 0  n=2",
    ]
    assert model.tree_.text() == (
        "size[<=2.5: price=11.0000(n=2), days=9.0000(n=2) | >2.5: price=31.0000(n=2), days=5.0000(n=2)]"
    )
    with pytest.raises(ValueError, match="bars show the shares of one target"):
        hb.show(model, bars=True)


def test_of_many_targets_the_first_are_shown():
    many = np.random.default_rng(0).normal(size=(20, 100))
    shown = hb.show(hb.TreeRegressor(max_depth=0).fit(np.ones((20, 1)), many), charset="ascii")
    assert shown.endswith("and 92 more targets  n=20")


def test_rows_that_are_not_computed_yet_get_a_column_for_each_target():
    rows = X | {"price": SIZES["price"], "sold": ["yes", "yes", "no", "no"]}
    lazy = pl.DataFrame(X).lazy()
    said = hb.TreeOutputs().fit(rows, ["price", "sold"]).predict(lazy).collect()
    assert said.to_dict(as_series=False) == {
        "prediction_price": SIZES["price"],
        "prediction_sold": rows["sold"],
    }
    model = hb.TreeClassifier().fit(X, {"sold": rows["sold"], "days": SIZES["days"]})
    shares = model.predict_proba(lazy).collect()
    assert shares.columns == [
        f"probability_{name}" for name in ("sold_no", "sold_yes", "days_5.0", "days_9.0")
    ]
    assert shares["probability_days_5.0"].to_list() == [0.0, 0.0, 1.0, 1.0]
