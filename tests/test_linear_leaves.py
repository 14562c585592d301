"""Lines and polynomials in the leaves: the specification's cases, and the twin on random tables."""
# ruff: noqa: N802 (a test is called by the number of its case)

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from tests.oracles import equations

import hornbeam as hb
from hornbeam.leaves import LEAVES, Linear, Polynomial
from hornbeam.table import Table
from hornbeam.target import Target

STEP = {"x": [1, 2, 3, 4, 5, 6]}, [10, 12, 14, 30, 32, 35]


def coefficients(model, node=0):
    """Intercept, then coefficients in the order of the terms."""
    found = model.tree_.leaf_models[node]
    return [found["intercept"], *(term["coefficient"] for term in found["terms"])]


def test_P46_linear_leaves_of_a_standard_deviation_split():
    X, y = STEP
    model = hb.TreeRegressor("sd", leaf=Linear(), max_depth=1).fit(X, y)
    assert model.tree_.threshold[0] == 3.5
    assert coefficients(model, 1) == pytest.approx([8.0, 2.0], abs=1e-6)
    assert coefficients(model, 2) == pytest.approx([19.833333, 2.5], abs=1e-6)
    assert model.tree_.answers()[1:] == pytest.approx([12.0, 32.333333], abs=1e-6)
    constant = hb.TreeRegressor("sd", max_depth=1).fit(X, y)
    assert constant.predict({"x": [1, 6]}) == pytest.approx([12.0, 32.333333], abs=1e-6)


def test_P47_polynomial_leaf():
    X, y = {"x": [0, 1, 2, 3]}, [1, 3, 7, 13]
    two = hb.TreeRegressor(leaf=Polynomial(degree=2), max_depth=0).fit(X, y)
    assert coefficients(two) == pytest.approx([1.0, 1.0, 1.0], abs=1e-6)
    assert two.tree_.leaf_models[0]["error"] * 4 == pytest.approx(0.0, abs=1e-6)
    one = hb.TreeRegressor(leaf=Polynomial(degree=1), max_depth=0).fit(X, y)
    assert coefficients(one) == pytest.approx([0.0, 4.0], abs=1e-6)


@pytest.mark.parametrize(("rows", "degree"), [(5, 3), (4, 3), (3, 2), (2, 1), (1, 0)])
def test_a_leaf_of_few_rows_lowers_the_degree(rows, degree):
    x = np.arange(rows, dtype=float)
    model = hb.TreeRegressor(leaf=Polynomial(degree=3), max_depth=0).fit({"x": x}, x**3 - 2 * x)
    terms = model.tree_.leaf_models[0]["terms"] if degree else []
    assert [term["power"] for term in terms] == list(range(1, degree + 1))
    assert len(model.tree_.leaf_models) == (degree > 0)


def test_powers_of_years_are_taken_around_a_round_year():
    year = np.arange(1953.0, 2015.0)
    y = 3 + (year - 1990) ** 2 / 100
    model = hb.TreeRegressor(leaf=Polynomial(2, clip=False), max_depth=0).fit({"year": year}, y)
    assert "(year - 1980)^2" in hb.show(model)
    assert model.predict({"year": [1990.0, 2100.0]}) == pytest.approx([3.0, 124.0], rel=1e-9)


# --- against the twin ---------------------------------------------------------------------------------------


def noisy_table(seed, n=300, d=4, gaps=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.1, 100, d) + rng.normal(size=d) * 10
    y = X @ rng.normal(size=d) + 5 * np.abs(X[:, 0] - X[:, 0].mean()) + rng.normal(size=n)
    X[rng.random(X.shape) < gaps] = np.nan
    return X, y, rng


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("ridge", [0.0, 3.0])
def test_every_node_has_the_line_of_its_own_rows(seed, ridge):
    X, y, rng = noisy_table(seed)
    weights = rng.uniform(0.5, 2, len(y)) if seed % 2 else None
    model = hb.TreeRegressor(leaf=Linear(ridge=ridge), min_samples_leaf=12).fit(X, y, weights)
    tree = model.tree_
    assert tree.n_leaves > 5
    for node, rows in equations.rows_of_nodes(tree, X).items():
        found = tree.leaf_models[node]
        inside = None if weights is None else weights[rows]
        intercept, slopes = equations.line(X[rows], y[rows], inside, ridge)
        assert found["intercept"] == pytest.approx(intercept, rel=1e-8, abs=1e-8)
        assert [t["coefficient"] for t in found["terms"]] == pytest.approx(slopes.tolist(), rel=1e-8)
        left = y[rows] - intercept - X[rows] @ slopes
        assert found["error"] == pytest.approx(np.average(left**2, weights=inside), rel=1e-8)
        assert (found["low"], found["high"]) == (y[rows].min(), y[rows].max())


def test_the_ridge_is_that_of_scikit_learn():
    X, y, _ = noisy_table(3, n=60)
    model = hb.TreeRegressor(leaf=Linear(ridge=7.0, clip=False), max_depth=0).fit(X, y)
    other = Ridge(alpha=7.0, tol=1e-12).fit(X, y)
    assert model.predict(X) == pytest.approx(other.predict(X), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_predictions_are_those_of_the_equations_row_by_row(seed):
    X, y, rng = noisy_table(seed, gaps=0.1)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["city"] = rng.choice(["Aš", "Brno", "Cheb"], len(frame))
    leaf = Linear(nominal="synthetic", smoothing=seed)
    model = hb.TreeRegressor(leaf=leaf, missing="majority", min_samples_leaf=15).fit(frame, y)
    tree, leaves = model.tree_, model.apply(frame)
    expected = [
        equations.answer(tree.leaf_models[leaf], row)
        for leaf, row in zip(leaves.tolist(), frame.to_dict("records"), strict=True)
    ]
    assert model.predict(frame) == pytest.approx(expected, rel=1e-10)
    assert tree.predict(frame) == pytest.approx(expected, rel=1e-10)  # by the plain twin of the core


def test_a_gap_counts_as_the_mean_of_the_known_values_of_the_leaf():
    X, y, _ = noisy_table(9, n=200, gaps=0.15)
    model = hb.TreeRegressor(leaf=Linear(), missing="majority", max_depth=2, min_samples_leaf=25).fit(X, y)
    nodes = equations.rows_of_nodes(model.tree_, X)
    whole = equations.filled(X, [nodes[leaf] for leaf in model.tree_.leaves().tolist()])
    for node, rows in nodes.items():
        intercept, _slopes = equations.line(whole[rows], y[rows])
        found = model.tree_.leaf_models[node]
        assert found["intercept"] == pytest.approx(intercept, rel=1e-8)
        gaps = [term["gap"] / term["coefficient"] for term in found["terms"]]
        assert gaps == pytest.approx(whole[rows].mean(axis=0).tolist(), rel=1e-8)


def test_repetitions_are_rows():
    X, y, rng = noisy_table(5, n=40, d=2)
    counts = rng.integers(1, 4, len(y))
    model = hb.TreeRegressor(leaf=Linear(), min_samples_leaf=9).fit(X, y, counts=counts)
    copied = hb.TreeRegressor(leaf=Linear(), min_samples_leaf=9).fit(X.repeat(counts, 0), y.repeat(counts))
    assert model.predict(X) == pytest.approx(copied.predict(X), rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_order_of_rows_and_threads_change_nothing(seed):
    X, y, rng = noisy_table(seed, n=20_000, gaps=0.02)
    X = X.astype(np.float32)
    weights = rng.uniform(size=len(y)) if seed == 2 else None
    order = rng.permutation(len(y))
    leaf = Linear(drop="quinlan", smoothing=15.0 * seed)
    one = hb.TreeRegressor(leaf=leaf, min_samples_leaf=30, n_jobs=1).fit(X, y, weights)
    two = hb.TreeRegressor(leaf=leaf, min_samples_leaf=30, n_jobs=3).fit(
        X[order], y[order], None if weights is None else weights[order]
    )
    assert one.tree_ == two.tree_
    assert (one.predict(X) == two.predict(X)).all()


# --- odd columns --------------------------------------------------------------------------------------------


def test_constant_columns_and_copies_are_left_out():
    x = np.arange(10.0)
    X = np.column_stack([np.full(10, 7.0), x, x, -3 * x + 1, x**2])
    model = hb.TreeRegressor(leaf=Linear(clip=False), max_depth=0).fit(X, 1 + 2 * x)
    assert [t["column"] for t in model.tree_.leaf_models[0]["terms"]] == ["x1", "x4"]
    assert model.predict(X) == pytest.approx(1 + 2 * x)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_fewer_rows_than_coefficients_answer_with_the_mean_unless_there_is_a_ridge(rows):
    X, y = np.arange(30.0).reshape(10, 3)[:rows], np.arange(10.0)[:rows]
    model = hb.TreeRegressor(leaf=Linear(), max_depth=0).fit(X, y)
    assert not model.tree_.has_models
    assert model.predict(X) == pytest.approx([y.mean()] * rows)
    ridge = hb.TreeRegressor(leaf=Linear(ridge=1.0), max_depth=0).fit(X, y)
    assert ridge.tree_.has_models == (rows > 1)


def test_only_named_columns_enter_and_text_never_does():
    X = {"a": [1.0, 2, 3, 4], "b": [2.0, 1, 4, 3], "c": list("uvuv")}
    y = [1.0, 2, 3, 5]
    model = hb.TreeRegressor(leaf=Linear(columns=["b"]), max_depth=0).fit(X, y)
    assert [t["column"] for t in model.tree_.leaf_models[0]["terms"]] == ["b"]
    by_place = hb.TreeRegressor(leaf=Linear(columns=[1]), max_depth=0).fit(X, y)
    assert by_place.tree_ == model.tree_
    only_text = hb.TreeRegressor(leaf=Linear(), max_depth=0).fit({"c": X["c"]}, y)
    assert not only_text.tree_.has_models


def test_nominal_columns_enter_as_steps_in_order_of_their_means():
    X = {"c": list("aabbcc")}
    model = hb.TreeRegressor(leaf=Linear(nominal="synthetic"), max_depth=0).fit(X, [5, 7, 1, 1, 9, 11])
    terms = model.tree_.leaf_models[0]["terms"]
    assert [term["values"] for term in terms] == [["a", "c"], ["c"]]
    assert coefficients(model) == pytest.approx([1.0, 5.0, 4.0])
    assert model.predict({"c": ["a", "b", "c", None, "new"]}) == pytest.approx([6, 1, 10, 17 / 3, 17 / 3])


def test_huge_and_tiny_numbers_leave_finite_answers():
    X = np.array([[1e300, 1e-300], [-1e300, 2e-300], [1e299, 3e-300], [0.0, 4e-300]])
    model = hb.TreeRegressor(leaf=Linear(), max_depth=0).fit(X, [1.0, 2, 3, 4])
    assert np.isfinite(model.predict(X)).all()


def test_predictions_stay_within_the_range_of_the_leaf_unless_asked_otherwise():
    X, y = STEP
    inside = hb.TreeRegressor("sd", leaf="linear", max_depth=1).fit(X, y)
    assert inside.predict({"x": [-100, 100]}).tolist() == [10.0, 35.0]
    free = hb.TreeRegressor("sd", leaf=Linear(clip=False), max_depth=1).fit(X, y)
    assert free.predict({"x": [-100, 100]}) == pytest.approx([-192.0, 269.8333333])


def test_a_branch_no_row_took_answers_with_the_line_above_it():
    color = pd.Categorical(["r"] * 4 + ["g"] * 4, categories=["r", "g", "b"])
    X = pd.DataFrame({"color": color, "x": [0.0, 1, 2, 3] * 2})
    y = [0.0, 1, 2, 3, 10, 12, 14, 16]
    model = hb.TreeRegressor(leaf=Linear(clip=False), split="multiway", max_depth=1).fit(X, y)
    new = pd.DataFrame({"color": pd.Categorical(["b"], categories=["r", "g", "b"]), "x": [2.0]})
    root = model.tree_.leaf_models[0]
    assert model.predict(new) == pytest.approx([root["intercept"] + 2 * root["terms"][0]["coefficient"]])


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
    assert "[city in {" in shown
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


def test_dropping_terms_never_raises_the_adjusted_error():
    """The twin tries every subset that one path of dropping can reach: always the least harmful term."""
    X, y, _ = noisy_table(11, n=40, d=5)
    y = 3 * X[:, 0] + np.random.default_rng(0).normal(size=40) * 30
    model = hb.TreeRegressor(leaf=Linear(drop="quinlan"), max_depth=0).fit(X, y)

    def adjusted(columns):
        n, v = len(y), len(columns) + 1
        a, b = equations.line(X[:, columns], y) if columns else (y.mean(), np.zeros(0))
        return np.sqrt(np.mean((y - a - X[:, columns] @ b) ** 2)) * (n + v) / (n - v)

    columns = list(range(5))
    while columns:
        best = min(itertools.combinations(columns, len(columns) - 1), key=lambda kept: adjusted(list(kept)))
        if adjusted(list(best)) > adjusted(columns):
            break
        columns = list(best)
    found = model.tree_.leaf_models[0]
    assert [t["column"] for t in found["terms"]] == [f"x{j}" for j in columns]
    assert 0 < len(columns) < 5
    assert coefficients(model)[1:] == pytest.approx(equations.line(X[:, columns], y)[1].tolist(), rel=1e-9)


def test_a_tree_grown_on_residuals_spends_no_test_on_what_a_line_says():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 3))
    y = 20 * X[:, 0] + np.where(X[:, 1] > 0.5, 1.0, 0.0)
    on_target = hb.TreeRegressor("sd", leaf=Linear(), max_depth=1).fit(X, y)
    on_rest = hb.TreeRegressor("sd", leaf=Linear(grown_on="residuals"), max_depth=1).fit(X, y)
    assert on_target.tree_.columns[on_target.tree_.column[0]].name == "x0"
    assert on_rest.tree_.columns[on_rest.tree_.column[0]].name == "x1"
    assert np.abs(on_rest.predict(X) - y).max() < 1e-9


def test_nodes_of_a_tree_grown_on_residuals_hold_the_sums_of_the_target():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(120, 4)), rng.normal(size=120)
    counts, weight = rng.integers(1, 4, 120), rng.uniform(0.5, 2, 120)
    model = hb.TreeRegressor("variance", leaf=Linear(grown_on="residuals"), min_samples_leaf=10)
    tree = model.fit(X, y, weight, counts=counts).tree_
    again = tree.refit(X, Target.real_of(y, weight, counts))
    assert np.allclose(tree.answers(), again.answers(), rtol=1e-12)
    assert np.allclose(tree.impurity, again.impurity, rtol=1e-9)
    assert np.allclose(tree.gain, again.gain, rtol=1e-7, atol=1e-12)
    assert (tree.n_rows == again.n_rows).all()


def test_the_order_of_the_rows_does_not_matter_for_a_tree_grown_on_residuals():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    order = rng.permutation(200)
    model = hb.TreeRegressor("sd", leaf=Linear(grown_on="residuals"), min_samples_leaf=15)
    one, two = model.fit(X, y).tree_, clone(model).fit(X[order], y[order]).tree_
    assert one == two


def test_parabolas_can_be_grown_on_residuals_too():
    x = np.linspace(-1, 1, 201)
    y = x**2 + np.where(x > 0.3, 1.0, 0.0)
    model = hb.TreeRegressor(leaf=Polynomial(2, grown_on="residuals"), max_depth=1).fit(x[:, None], y)
    assert np.abs(model.predict(x[:, None]) - y).max() < 1e-6


def test_without_a_column_for_a_line_residuals_are_the_target():
    X, y = {"colour": ["red", "blue", "red", "blue"]}, [1.0, 2.0, 1.0, 2.0]
    model = hb.TreeRegressor(leaf=Linear(grown_on="residuals")).fit(X, y)
    assert model.predict(X).tolist() == y


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"criterion": "absolute"}, "criterion='absolute' judges targets"),
        ({"monotonic_cst": {"x0": 1}}, "monotonic_cst orders targets"),
    ],
)
def test_what_residuals_cannot_keep_is_refused(params, sentence):
    X, y = np.arange(20.0)[:, None], np.arange(20.0) ** 2
    with pytest.raises(ValueError, match=f"grown_on='residuals' cannot be kept: {sentence}"):
        hb.TreeRegressor(leaf=Linear(grown_on="residuals"), **params).fit(X, y)
    with pytest.raises(ValueError, match="grown_on='rest' must be one of 'target', 'residuals'"):
        hb.TreeRegressor(leaf=Linear(grown_on="rest")).fit(X, y)
