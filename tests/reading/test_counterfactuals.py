"""Counterfactuals: the nearest rows of another answer, which they truly get; nearest by trying everything."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.oracles.changes import all_changes
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.data.columns import Column
from hornbeam.data.table import Table, one_row
from hornbeam.parts import AllPaths, ColumnSets, Oblique, Predicates, Surrogates

KINDS = {
    "binary": {},
    "multiway": {"split": "multiway"},
    "one against the rest": {"split": "one-vs-rest"},
    "a branch for gaps": {"missing": "branch"},
    "fractions": {"missing": "fractional", "split": "multiway"},
    "votes": {"missing": AllPaths(vote="leaf"), "split": "multiway"},
    "surrogates": {"missing": Surrogates()},
    "sets of columns": {"split": ColumnSets([["city", "owner"]])},
}  # fmt: skip
PROMISED = {**KINDS, "sums with indicators": {"split": Oblique(indicators=True, restarts=1)}}


def small_table(rng, n, gaps):
    X = random_columns(rng, n, gaps=gaps)[["age", "rooms", "city", "size", "owner"]]
    X["rooms"] = X["rooms"].astype("Int64")
    return X


def nearest_of_all(tree, row, fixed):
    """(changed, distance) of the nearest row with another answer, by trying everything; None for none."""
    arrays = one_row(row, tree.columns).arrays
    now = tree.predict(Table(tree.columns, 1, arrays))[0]
    places = {i for i, c in enumerate(tree.columns) if c.name in fixed}
    return all_changes(tree, arrays, tree.predict, lambda a: a != now, places)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_the_first_is_the_nearest_of_all_there_are(name, seed):
    rng = np.random.default_rng(seed)
    X = small_table(rng, 50, 0.15)
    model = hb.TreeClassifier(max_depth=3, min_samples_leaf=4, **KINDS[name]).fit(X, outcome(rng, X, 3))
    tree = model.tree_
    for k, row in enumerate(small_table(rng, 5, 0.2).to_dict("records")):
        fixed = [[], ["age"], ["city", "size"]][k % 3]
        best = nearest_of_all(tree, row, fixed)
        found = hb.counterfactuals(model, row, fixed=fixed, n=1)
        if best is None:
            assert found == []
        else:
            assert (len(found[0].changes), found[0].distance) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("name", PROMISED)
def test_every_row_found_truly_gets_the_answer_promised(name):
    rng = np.random.default_rng(7)
    X = random_columns(rng, 120)
    model = hb.TreeClassifier(max_depth=4, **PROMISED[name]).fit(X, outcome(rng, X, 3))
    now = model.predict(X)
    rows = [*X.to_dict("records")[:40], *strange_rows(rng, 8).to_dict("records")]
    promised, said, shares = [], [], []
    for row in rows:
        found = hb.counterfactuals(model, row)
        costs = [(len(f.changes), f.distance) for f in found]
        assert costs == sorted(costs)
        promised += [f.row for f in found]
        said += [f.answer for f in found]
        shares += [f.probability for f in found]
        assert len({f.answer for f in found} - set(now)) == 0
    table = pd.DataFrame(promised)
    assert len(table) > 70
    assert model.predict(table).tolist() == said
    place = {label: k for k, label in enumerate(model.classes_)}
    probabilities = model.predict_proba(table)[np.arange(len(table)), [place[a] for a in said]]
    np.testing.assert_allclose(probabilities, shares)


def test_thousands_of_rows_of_numbers_get_what_they_were_promised():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    for dtype in (np.float64, np.float32):
        model = hb.TreeClassifier(max_depth=6).fit(X.astype(dtype), (X[:, 0] * X[:, 1] > 0).astype(int))
        rows = X[:130].astype(dtype)
        now = model.predict(rows)
        found = [hb.counterfactuals(model, row, n=8) for row in rows]
        changed = np.array([list(f.row.values()) for fs in found for f in fs], dtype=dtype)
        before = np.repeat(now, [len(fs) for fs in found])
        assert len(changed) > 1000
        assert (model.predict(changed) != before).all()


def test_hyperplanes_are_crossed_at_their_nearest_points():
    plane = {"weights": {"a": 1, "b": 2}, "<=": 10, "yes": "low", "no": "high"}
    tree = hb.Tree.from_nested(plane)
    found = hb.counterfactuals(tree, {"a": 1.0, "b": 1.0})
    assert found[0].columns == ("b",)  # b goes from 1 to 4.5, a would go from 1 to 8
    assert found[0].row["b"] == 4.501  # just beyond, with few digits
    assert found[0].distance == pytest.approx(3.5)
    assert tree.predict([found[0].row]).tolist() == ["high"]
    held = hb.counterfactuals(tree, {"a": 1.0, "b": 1.0}, fixed=["b"])
    assert held[0].row["a"] == pytest.approx(8, abs=0.002)
    assert hb.counterfactuals(tree, {"a": 1.0, "b": 1.0}, fixed=["a", "b"]) == []


def test_oblique_trees_keep_their_promises_with_as_few_columns_as_a_grid_finds():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 3))
    model = hb.TreeClassifier(split=Oblique(), max_depth=3).fit(X, (X @ [1, 2, -1] > 0.3).astype(int))
    assert (model.tree_.kind == 5).any()
    rows = X[:25]
    found = [hb.counterfactuals(model, row, n=2) for row in rows]
    flat = np.array([list(f.row.values()) for fs in found for f in fs])
    now = np.repeat(model.predict(rows), [len(fs) for fs in found])
    assert (model.predict(flat) != now).all()
    scale = X.max(axis=0) - X.min(axis=0)
    steps = np.linspace(-8, 8, 1601)
    for row, fs, label in zip(rows, found, model.predict(rows), strict=True):
        best = np.inf
        for column in range(3):
            tried = np.repeat(row[None, :], len(steps), axis=0)
            tried[:, column] += steps
            flips = np.abs(steps[model.predict(tried) != label]) / scale[column]
            best = min(best, flips.min(initial=np.inf))
        if np.isfinite(best):
            assert len(fs[0].changes) == 1
            assert fs[0].distance <= best + 1e-6
            assert fs[0].distance >= best - 0.011 / scale.min()


@pytest.mark.parametrize("missing", ["learn", "majority", "branch"])
def test_sums_of_categories_are_crossed_by_the_fewest_changes(missing):
    n_sums = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = {name: rng.choice(list("uvw")[:k], 80) for name, k in zip("abcd", (2, 3, 3, 2), strict=True)}
        X["c"] = np.where(rng.random(80) < 0.1, None, X["c"].astype(object))
        score = (X["a"] == "u") * 1.0 + (X["b"] == "v") + (X["c"] == "w") + (X["d"] == "u")
        split = Oblique(indicators=True)
        model = hb.TreeClassifier("entropy", split=split, max_depth=3, missing=missing).fit(X, score >= 2)
        tree = model.tree_
        n_sums += int((tree.kind == 7).sum())
        for k in range(8):
            row = {name: values[k] for name, values in X.items()}
            fixed = [[], ["a"], ["b", "d"]][k % 3]
            best = nearest_of_all(tree, row, fixed)
            found = hb.counterfactuals(model, row, fixed=fixed, n=1)
            assert (len(found) == 0) == (best is None)
            if best is not None:
                assert (len(found[0].changes), found[0].distance) == pytest.approx(best, abs=1e-9)
                assert tree.predict([found[0].row])[0] == found[0].answer != tree.predict([row])[0]
    assert n_sums > 5


def test_a_sum_of_numbers_and_categories_by_hand():
    test = {"expression": "x + 3 * (c in ('u', 'v')) - (c == 'w') <= 4", "yes": "low", "no": "high"}
    columns = [Column("x", "numeric", low=0.0, high=10.0), Column("c", "nominal", ("u", "v", "w"))]
    tree = hb.Tree.from_nested(test, columns)
    first = hb.counterfactuals(tree, {"x": 2.0, "c": "w"})[0]
    second = hb.counterfactuals(tree, {"x": 2.0, "c": "w"}, fixed=["x"])[0]
    assert (first.columns, first.distance) == (
        ("x",),
        pytest.approx(0.3),
    )  # from 2 beyond 5, of a range of 10
    assert first.row["x"] == pytest.approx(5.0, abs=0.02)
    assert (second.columns, second.distance) == (("c",), 1.0)
    assert (second.row["c"], str(second.changes[0])) == ("u", "c = u")
    assert hb.counterfactuals(tree, {"x": 0.5, "c": "w"}, fixed=["x"]) == []  # 3.5 is not above 4


def test_a_row_in_two_boxes_of_numbers_by_hand():
    inner = {"column": "debts", "<=": 5, "yes": "granted", "no": "refused"}
    tree = hb.Tree.from_nested({"column": "income", "<=": 30, "yes": "refused", "no": inner})
    (only,) = hb.counterfactuals(tree, {"income": 25, "debts": 8}, target="granted")
    assert str(only) == "income > 30 and debts ≤ 5 → granted 100 %"
    assert only.row == {"income": 30.01, "debts": 5.0}
    assert only.distance == 5 + 3
    assert only.changes[0].needed.low == 30
    near, far = hb.counterfactuals(tree, {"income": 40, "debts": 2})
    assert (near.columns, far.columns) == (("debts",), ("income",))  # 3 away, and 10
    assert hb.counterfactuals(tree, {"income": 40, "debts": 2}, fixed="debts")[0].columns == ("income",)


def test_numbers_to_be_reached_may_be_a_bound_or_an_interval():
    X = {"x": [1, 2, 3, 4, 5, 6, 7, 8]}
    model = hb.TreeRegressor().fit(X, [10, 10, 20, 20, 30, 30, 40, 40])
    assert hb.counterfactuals(model, {"x": 1}, target=(">=", 35))[0].row == {"x": 7}
    assert hb.counterfactuals(model, {"x": 8}, target=("<=", 20))[0].row == {"x": 4}
    assert hb.counterfactuals(model, {"x": 1}, target=(25, 35))[0].row == {"x": 5}
    assert [f.answer for f in hb.counterfactuals(model, {"x": 1})] == [20, 30, 40]
    assert hb.counterfactuals(model, {"x": 1}, target=("<=", 0)) == []
    assert str(hb.counterfactuals(model, {"x": 1}, n=1)[0]) == "2.5 < x ≤ 4.5 → 20"


def test_a_gap_is_filled_only_where_that_changes_the_answer():
    tree = hb.Tree.from_nested({"column": "x", "<=": 1, "yes": "p", "no": "q", "missing_to": "no"})
    (only,) = hb.counterfactuals(tree, {"x": None})
    assert only.changes[0].now is None
    assert (only.answer, only.distance) == ("p", 1.0)
    assert tree.predict([only.row]).tolist() == ["p"]


def test_dates_and_whole_numbers_stay_what_they_are():
    when = pd.to_datetime(["2024-01-01", "2024-02-01", "2024-03-01", "2024-04-01"])
    X = pd.DataFrame({"when": when, "n": [1, 2, 3, 4]})
    model = hb.TreeClassifier().fit(X[["when"]], list("aabb"))
    (only,) = hb.counterfactuals(model, X[["when"]].iloc[0])
    assert model.predict([only.row]).tolist() == ["b"]
    model = hb.TreeClassifier().fit(X[["n"]], list("aabb"))
    (only,) = hb.counterfactuals(model, {"n": 1})
    assert only.row == {"n": 3}
    assert isinstance(only.row["n"], int)
    assert only.distance == pytest.approx(2 / 3)


def test_a_counterfactual_as_a_dict_is_json():
    tree = hb.Tree.from_nested({"column": "c", "branches": {"u": "p", ("v", "w"): "q"}})
    (only,) = hb.counterfactuals(tree, {"c": "u"})
    told = json.loads(json.dumps(only.to_dict()))
    assert told["changes"] == [
        {"column": "c", "now": "u", "value": "v", "needed": {"values": ["v", "w"]}, "text": "c in {v, w}"}
    ]
    assert told["row"] == {"c": "v"}


def test_what_is_not_understood_gets_a_sentence():
    tree = hb.Tree.from_nested({"column": "x", "<=": 1, "yes": "p", "no": "q"})
    with pytest.raises(ValueError, match="target='r' must be one of the classes 'p', 'q'"):
        hb.counterfactuals(tree, {"x": 1}, target="r")
    with pytest.raises(ValueError, match="fixed names the column 'z'"):
        hb.counterfactuals(tree, {"x": 1}, fixed=["z"])
    with pytest.raises(ValueError, match="n=0 must be a whole number of at least 1"):
        hb.counterfactuals(tree, {"x": 1}, n=0)
    regression = hb.Tree.from_nested({"column": "x", "<=": 1, "yes": {"value": 1}, "no": {"value": 2}})
    with pytest.raises(ValueError, match="target=5 must be"):
        hb.counterfactuals(regression, {"x": 1}, target=5)
    lines = hb.TreeRegressor(leaf="linear", max_depth=1).fit([[1.0], [2.0], [3.0], [9.0]], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="equations"):
        hb.counterfactuals(lines, [1.0])
    X = {"a": [1, 2, 3, 4], "b": [4, 3, 2, 1]}
    grown = hb.TreeClassifier(split=Predicates(["a > b"]), max_depth=1).fit(X, list("ppqq"))
    if (grown.tree_.kind == 7).any():
        with pytest.raises(ValueError, match="expression 'a > b'"):
            hb.counterfactuals(grown, {"a": 1, "b": 2})
    with pytest.raises(ValueError, match="read one of them"):
        hb.counterfactuals(hb.ForestClassifier(n_estimators=2).fit(X, list("ppqq")), {"a": 1, "b": 2})
