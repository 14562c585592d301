"""The tree around lines in its leaves: copies, readers, gaps, monotonic constraints, what is refused."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from tests.support.linear_tables import STEP, noisy_table

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.growing.leaves import LEAVES
from hornbeam.parts import Linear, Polynomial

# --- the tree around them -----------------------------------------------------------------------------------


def mixed_model():
    X, y, rng = noisy_table(1, n=120)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(city=rng.choice(["Aš", "Brno"], 120))
    return hb.TreeRegressor(leaf=Linear(nominal="synthetic"), min_samples_leaf=10).fit(frame, y), frame, y


def test_equations_survive_saving_copying_and_plain_dicts():
    model, frame, _ = mixed_model()
    tree = model.tree_
    assert hb.Tree.from_dict(tree.to_dict()) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    bare = {n: a for n, a in tree.arrays().items() if n.split("_")[0] not in ("model", "term", "member")}
    again = hb.Tree(**tree.attributes(), **bare, leaf_models=dict(tree.leaf_models))
    assert again == tree
    assert (again.predict(frame) == model.predict(frame)).all()


def test_a_collapsed_node_answers_with_its_own_line():
    model, frame, y = mixed_model()
    tree = model.tree_
    mask = np.zeros(len(tree), dtype=bool)
    mask[int(tree.first_child[0])] = True
    small = tree.collapse(mask)
    kept = small.leaf_models[1]
    assert kept == tree.leaf_models[int(tree.first_child[0])]
    root = tree.collapse(np.arange(len(tree)) == 0)
    assert dict(root.leaf_models) == {0: tree.leaf_models[0]}
    assert np.mean((root.predict(frame) - y) ** 2) <= tree.leaf_models[0]["error"] + 1e-9


def test_readers_show_the_equations():
    model, frame, _ = mixed_model()
    shown = hb.show(model)
    assert "*a" in shown
    assert re.search(r"[+-] \(-?[\d.]{1,6} if city (= |in \{)", shown)  # not all digits of the coefficient
    assert "within" in shown
    rule = hb.rules(model)[0]
    assert rule.equation in str(rule)
    told = hb.explain(model, frame.iloc[0])
    assert told.answer == pytest.approx(model.predict(frame.iloc[:1])[0])
    assert "answer" in str(told)
    assert model.tree_.text().count("*a") == sum("a" in r.equation.split("*")[1:][0] for r in hb.rules(model))


def test_a_missing_value_in_a_test_mixes_the_lines_of_all_leaves():
    X, y = STEP
    model = hb.TreeRegressor("sd", leaf=Linear(), max_depth=1).fit({**X, "z": [1, 2, 1, 2, 1, 2]}, y)
    told = hb.explain(model, {"x": None, "z": 1})
    assert [leaf.weight for leaf in told.reached] == [0.5, 0.5]
    assert model.predict({"x": [None], "z": [1]}) == pytest.approx([told.answer])


@pytest.mark.parametrize("missing", ["learn", "branch", "all-paths", "fractional", "majority", "surrogates"])
def test_every_way_with_gaps_fits_lines(missing):
    X, y, _ = noisy_table(4, gaps=0.2)
    model = hb.TreeRegressor(leaf=Linear(), missing=missing, min_samples_leaf=20).fit(X, y)
    assert model.tree_.has_models
    constant = hb.TreeRegressor(missing=missing, min_samples_leaf=20).fit(X, y)
    assert np.mean((model.predict(X) - y) ** 2) < np.mean((constant.predict(X) - y) ** 2)


def test_grown_step_by_step_the_leaves_have_lines_too():
    X, y, _ = noisy_table(4)
    model = hb.TreeRegressor(leaf=Linear(), split="oblique", max_depth=2, random_state=0).fit(X, y)
    assert set(model.tree_.leaves().tolist()) <= set(model.tree_.leaf_models)


# --- monotonic constraints: moving one value ----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_moving_a_constrained_value_never_turns_the_prediction_back(seed):
    rng = np.random.default_rng(seed)
    n = 400
    X = pd.DataFrame({"x": rng.uniform(0, 10, n), "z": rng.normal(size=n), "c": rng.choice(list("abc"), n)})
    y = 0.3 * X.x + 2 * np.sin(2 * X.x) - X.z + X.z**2 + (X.c == "b") * X.x + rng.normal(0, 0.5, n)
    if seed % 2:
        X = X.mask(rng.random(X.shape) < 0.1)
    leaf = [
        Linear(),
        Linear(clip=False, nominal="synthetic", smoothing=15),
        Linear("tested-below", drop="quinlan", smoothing=15, clip=False),
        Polynomial(3),
        Polynomial(2, clip=False),
        Linear(ridge=2.0),
    ][seed]
    model = hb.TreeRegressor(leaf=leaf, min_samples_leaf=8, monotonic_cst={"x": +1, "z": -1}).fit(X, y)
    assert model.tree_.n_leaves > 4
    some = X.sample(40, random_state=seed)
    for column, sign, steps in (("x", 1, np.linspace(-5, 15, 101)), ("z", -1, np.linspace(-6, 6, 101))):
        many = some.loc[some.index.repeat(len(steps))].reset_index(drop=True)
        many[column] = np.tile(steps, len(some))
        path = sign * model.predict(many).reshape(len(some), len(steps))
        assert np.diff(path, axis=1).min() >= -1e-9
        assert np.ptp(path, axis=1).max() > 0.5  # it moves at all
    free = hb.TreeRegressor(leaf=leaf, min_samples_leaf=8).fit(X, y)
    many = some.loc[some.index.repeat(101)].reset_index(drop=True)
    many["x"] = np.tile(np.linspace(-5, 15, 101), len(some))
    assert (
        np.diff(free.predict(many).reshape(40, 101), axis=1).min() < -0.1
    )  # unconstrained it does turn back


def test_collapsing_keeps_the_order():
    rng = np.random.default_rng(7)
    x = rng.uniform(0, 10, 300)
    y = x + 3 * np.sin(2 * x) + rng.normal(size=300)
    tree = (
        hb.TreeRegressor(leaf=Linear(clip=False), min_samples_leaf=10, monotonic_cst={"x0": 1})
        .fit(x[:, None], y)
        .tree_
    )
    for seed in range(5):
        mask = np.random.default_rng(seed).random(len(tree)) < 0.3
        mask[0] = False
        path = tree.collapse(mask).predict(np.linspace(-1, 11, 301)[:, None])
        assert np.diff(path).min() >= -1e-9


# --- slots, searches, errors --------------------------------------------------------------------------------


def test_the_user_script_of_houses_runs():
    rng = np.random.default_rng(0)
    houses = pd.DataFrame(
        {
            "area": rng.uniform(30, 250, 500),
            "age": rng.uniform(0, 90, 500),
            "city": rng.choice(["Aš", "Brno"], 500),
        }
    )
    price = 50 * houses.area - 8 * houses.age + 900 * (houses.city == "Brno") + rng.normal(0, 300, 500)
    model = hb.TreeRegressor(
        leaf=Linear(ridge=1.0), min_samples_leaf=20, monotonic_cst={"area": +1, "age": -1}
    )
    search = GridSearchCV(model, {"leaf__ridge": [0.1, 1, 10], "max_depth": [3, 6, None]}).fit(houses, price)
    shown = hb.show(search.best_estimator_)
    assert "*area" in shown
    assert search.best_score_ > 0.95
    moved = pd.DataFrame({"area": np.linspace(0, 300, 200), "age": 40.0, "city": "Brno"})
    assert np.diff(search.best_estimator_.predict(moved)).min() >= 0


@pytest.mark.parametrize(
    ("leaf", "sentence"),
    [
        (Linear(ridge=-1), "ridge=-1 must be a finite number of at least 0"),
        (Linear(ridge=np.inf), "ridge=inf must be"),
        (Linear(clip="yes"), "clip='yes' must be True or False"),
        (Linear(drop="all"), "drop='all' must be one of None, 'quinlan', 'weka', 'akaike'"),
        (Linear(nominal="codes"), "nominal='codes' must be one of 'none', 'synthetic'"),
        (Linear(smoothing=-2), "smoothing=-2 must be"),
        (Linear(columns="x"), "columns='x' must be None for all numeric columns"),
        (Linear(columns=["y"]), "columns names 'y', which X does not have"),
        (Linear(columns=["c"]), "columns names 'c', which is nominal"),
        (Polynomial(degree=0), "degree=0 must be a whole number from 1 to 9"),
        (Polynomial(degree=2.5), "degree=2.5 must be"),
    ],
)
def test_a_wrong_number_is_refused_with_a_sentence(leaf, sentence):
    with pytest.raises(ValueError, match=sentence):
        hb.TreeRegressor(leaf=leaf).fit({"x": [1, 2, 3], "c": list("aba")}, [1, 2, 3])


def test_too_many_variables_are_refused_with_a_sentence():
    X = np.zeros((3, 501))
    with pytest.raises(ValueError, match=r"1,002 variables take too much memory: name at most 1,000"):
        hb.TreeRegressor(leaf=Polynomial(2)).fit(X, [1.0, 2.0, 3.0])


def test_classes_are_refused_with_a_sentence():
    with pytest.raises(ValueError, match="answers with numbers: use it in a TreeRegressor"):
        hb.TreeClassifier(leaf="linear").fit([[1], [2]], ["a", "b"])
    assert {name for name, part in LEAVES.items() if "classes" in part.tasks} == {"constant"}


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ({"slope": 2}, "has an entry 'slope'"),
        ({"terms": {"x": 2.0}}, "finite intercept"),
        ({"intercept": 1.0, "terms": {"y": 2.0}}, "names the column 'y'"),
        ({"intercept": 1.0, "terms": [{"column": "x"}]}, "not finite"),
        ({"intercept": 1.0, "low": 3.0, "high": 2.0}, "low <= high"),
        ({"intercept": 1.0, "terms": [{"column": "x", "coefficient": 1.0, "power": -1}]}, "needs powers"),
        ({"intercept": 1.0, "terms": [{"column": "c", "coefficient": 1.0}]}, "needs powers"),
        ({"intercept": 1.0, "terms": [{"column": "c", "coefficient": 1.0, "values": ["q"]}]}, "'q'"),
    ],
)
def test_a_wrong_equation_written_by_hand_is_refused_with_a_sentence(model, sentence):
    columns = Table.learn({"x": [1.0, 2.0], "c": ["a", "b"]}).columns
    with pytest.raises(ValueError, match=sentence):
        hb.Tree.from_nested({"value": 1.0, "n": 2, "model": model}, columns=columns)


def test_a_tree_of_classes_has_no_equations():
    with pytest.raises(ValueError, match="trees of numbers"):
        hb.Tree.from_nested(
            {"column": "x", "<=": 1, "yes": {"label": "a", "model": {"intercept": 1.0}}, "no": "b"}
        )
