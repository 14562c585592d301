"""Short equations: at most so many terms, and numbers that people can use."""

import numpy as np
import pandas as pd
import pytest
from tests.oracles import equations
from tests.oracles.short_equations import rounded, short_equation, short_terms
from tests.support.linear_tables import noisy_table

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.parts import Linear, Polynomial


def compared(tree, nodes, X, y, weights, ridge, signs, most, names):
    """Every node's equation beside the twin's; how many were compared."""
    several = 0
    for node, rows in nodes.items():
        if len(rows) < 2:
            continue
        inside = None if weights is None else weights[rows]
        terms = short_terms(X[rows], y[rows], inside, ridge, signs, most)
        terms, slopes, intercept, slack = short_equation(X[rows], y[rows], inside, ridge, terms, signs)
        model = tree.leaf_models.get(node, {"terms": []})
        own = [names(term) for term in model["terms"]]
        assert own == terms
        if not terms:
            continue
        assert [term["coefficient"] for term in model["terms"]] == slopes
        assert model["intercept"] == intercept
        for term, j in zip(model["terms"], terms, strict=True):
            mean = np.average(X[rows, j], weights=inside)
            assert term["gap"] == pytest.approx(rounded(term["coefficient"] * mean, slack), abs=1e-9 * slack)
        left = y[rows] - intercept - X[rows][:, terms] @ np.array(slopes)
        assert model["error"] == pytest.approx(np.average(left**2, weights=inside), rel=1e-8, abs=1e-12)
        assert abs(model["low"] - y[rows].min()) <= slack
        assert abs(model["high"] - y[rows].max()) <= slack
        several += 1
    return several


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("most", [1, 2, 4])
def test_every_node_has_the_terms_and_the_digits_of_the_twin(seed, most):
    X, y, rng = noisy_table(seed, n=150, d=3 + 2 * (seed % 4))
    if seed % 3 == 1:
        X[:, 1] = X[:, 0] * 2 + 1
    weights = rng.uniform(0.5, 2, len(y)) if seed % 2 else None
    ridge = 2.0 if seed % 5 == 4 else 0.0
    leaf = Linear(max_terms=most, rounded=True, ridge=ridge)
    tree = hb.TreeRegressor(leaf=leaf, min_samples_leaf=12).fit(X, y, weights).tree_
    nodes = equations.rows_of_nodes(tree, X)
    signs = [0] * X.shape[1]
    names = [column.name for column in tree.columns].index
    done = compared(tree, nodes, X, y, weights, ridge, signs, most, lambda term: names(term["column"]))
    assert done >= 3


@pytest.mark.parametrize("seed", range(4))
def test_gaps_and_nominal_columns_are_those_of_the_twin(seed):
    X, y, rng = noisy_table(seed, n=200, d=3, gaps=0.1)
    frame = pd.DataFrame(X, columns=list("abc"))
    frame.insert(1, "city", rng.choice(["Aš", "Brno", "Cheb", "Děčín"], len(y)))
    y = y + frame.city.map({"Aš": 0.0, "Brno": 9.0, "Cheb": 3.0, "Děčín": -4.0}).to_numpy()
    leaf = Linear(nominal="synthetic", max_terms=3, rounded=True)
    tree = (
        hb.TreeRegressor(leaf=leaf, missing="majority", max_depth=2, min_samples_leaf=25).fit(frame, y).tree_
    )
    nodes = equations.rows_of_nodes(tree, frame)
    design = leaf.design(Table.learn(frame), Target.real_of(y), {})
    assert [variable.column for variable in design] == [0, 1, 1, 1, 2, 3]  # in the order of the columns
    values = np.column_stack([variable.values.astype(float) for variable in design])
    values = equations.filled(values, [nodes[leaf] for leaf in tree.leaves().tolist()])
    domain = tree.columns[1].categories

    def place(term):
        column = [c.name for c in tree.columns].index(term["column"])
        codes = tuple(domain.index(value) for value in term.get("values", ()))
        return [(v.column, v.codes) for v in design].index((column, codes))

    assert compared(tree, nodes, values, y, None, 0.0, [0] * 6, 3, place) >= 3


@pytest.mark.parametrize("seed", range(4))
def test_slopes_keep_their_constraints(seed):
    X, y, _ = noisy_table(seed, n=200, d=5)
    cst = [(-1) ** seed, 0, 1, -1, 0]
    leaf = Linear(max_terms=2, rounded=True)
    tree = hb.TreeRegressor(leaf=leaf, min_samples_leaf=20, monotonic_cst=cst).fit(X, y).tree_
    for node, rows in equations.rows_of_nodes(tree, X).items():
        terms = short_terms(X[rows], y[rows], None, 0.0, cst, 2)
        terms, slopes, _, _ = short_equation(X[rows], y[rows], None, 0.0, terms, cst)
        model = tree.leaf_models.get(node, {"terms": []})
        assert [int(term["column"][1:]) for term in model["terms"]] == terms
        assert [term["coefficient"] for term in model["terms"]] == slopes
        assert all(cst[j] * slope >= 0 for j, slope in zip(terms, slopes, strict=True))


@pytest.mark.parametrize("drop", [None, "quinlan", "weka", "akaike"])
@pytest.mark.parametrize("kind", [Linear, Polynomial])
def test_no_equation_has_more_terms_and_few_digits_are_enough(drop, kind):
    X, y, _ = noisy_table(7, n=2000, d=8)
    new, truth = X[1000:], y[1000:]
    free = hb.TreeRegressor(leaf=kind(drop=drop, max_terms=3), min_samples_leaf=40).fit(X[:1000], y[:1000])
    short = hb.TreeRegressor(leaf=kind(drop=drop, max_terms=3, rounded=True), min_samples_leaf=40)
    short.fit(X[:1000], y[:1000])
    for model in (free, short):
        assert max(len(m["terms"]) for m in model.tree_.leaf_models.values()) == 3
    error = [np.mean((model.predict(new) - truth) ** 2) for model in (free, short)]
    assert error[1] < error[0] * 1.01
    digits = [
        len(f"{abs(t['coefficient']):.14e}".split("e")[0].replace(".", "").rstrip("0"))
        for m in short.tree_.leaf_models.values()
        for t in m["terms"]
    ]
    assert np.mean(digits) < 3


def test_an_exact_line_has_its_own_numbers():
    x = np.arange(60.0)
    X = pd.DataFrame({"year": 1960 + x, "share": np.sin(x)})
    y = 0.025 * X.year - 3 * X.share - 7
    model = hb.TreeRegressor(leaf=Linear(rounded=True), max_depth=0).fit(X, y)
    assert hb.show(model).startswith("→ -7 + 0.025*year - 3*share  within")


@pytest.mark.parametrize("scale", [1e-140, 1e-12, 1.0, 1e12, 1e140])
def test_numbers_of_any_size_leave_finite_answers(scale):
    X, y, _ = noisy_table(2, n=100)
    for left, right in ((X, y * scale), (X * scale, y)):
        model = hb.TreeRegressor(leaf=Linear(max_terms=2, rounded=True), min_samples_leaf=10).fit(left, right)
        assert np.isfinite(model.predict(left)).all()


def test_a_term_that_rounds_to_nothing_goes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 2))
    y = X[:, 0] + 0.02 * X[:, 1] + rng.normal(size=20_000)
    kept = hb.TreeRegressor(leaf=Linear(drop="akaike"), max_depth=0).fit(X, y).tree_.leaf_models[0]
    short = hb.TreeRegressor(leaf=Linear(drop="akaike", rounded=True), max_depth=0).fit(X, y).tree_
    assert len(kept["terms"]) == 2
    assert [term["column"] for term in short.leaf_models[0]["terms"]] == ["x0"]


@pytest.mark.parametrize("seed", range(2))
def test_order_of_rows_and_threads_change_no_short_equation(seed):
    X, y, rng = noisy_table(seed, n=20_000, d=6, gaps=0.02)
    order = rng.permutation(len(y))
    leaf = Linear(drop="akaike", max_terms=2, rounded=True)
    one = hb.TreeRegressor(leaf=leaf, min_samples_leaf=30, n_jobs=1).fit(X, y)
    two = hb.TreeRegressor(leaf=leaf, min_samples_leaf=30, n_jobs=3).fit(X[order], y[order])
    assert one.tree_ == two.tree_


@pytest.mark.parametrize(
    ("leaf", "sentence"),
    [
        (
            Linear(max_terms=0),
            "max_terms=0 must be None for any number of terms, or a whole number of at least 1",
        ),
        (Polynomial(max_terms=2.5), "max_terms=2.5 must be None"),
        (Linear(rounded=1), "rounded=1 must be True or False"),
        (Linear(max_terms=4, smoothing=15), "leave smoothing=0, or leave out max_terms=4"),
        (Linear(rounded=True, smoothing=15), "leave smoothing=0, or leave out rounded=True"),
    ],
)
def test_what_cannot_be_short_is_refused_with_a_sentence(leaf, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        hb.TreeRegressor(leaf=leaf).fit([[1.0], [2.0]], [1.0, 2.0])
