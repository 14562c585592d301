"""Forests and densities in files: the same answers, bit for bit, and closed to hostile files."""

import copy
import json

import numpy as np
import pandas as pd
import pytest
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.io.load import read
from hornbeam.parts import AllPaths, CrossValidated, DensityCostComplexity, Predicates


def data(n_classes, n=120):
    rng = np.random.default_rng(n_classes)
    X = random_columns(rng, n)
    return X, outcome(rng, X, n_classes)


FORESTS = {
    "classes": lambda: hb.ForestClassifier(5, random_state=0, oob_score=True).fit(*data(3)),
    "votes": lambda: hb.ForestClassifier(5, combine="vote", random_state=0, max_depth=3).fit(*data(3)),
    "costs": lambda: hb.ForestClassifier(
        4, costs={"class 0": {"class 1": 4.0}}, priors="equal", random_state=0, max_depth=3
    ).fit(*data(2)),
    "all paths": lambda: hb.ForestClassifier(
        4, split="multiway", missing=AllPaths(vote="leaf"), max_depth=2, random_state=1
    ).fit(*data(3)),
    "expressions": lambda: hb.ForestClassifier(
        3, split=Predicates(["age > 40 and city == 'Brno'"]), max_depth=2, random_state=1
    ).fit(*data(2)),
    "numbers": lambda: hb.ForestRegressor(5, random_state=0, oob_score=True).fit(*data(0)),
    "an array": lambda: hb.ForestRegressor(3, random_state=0).fit(
        np.random.default_rng(0).normal(size=(40, 3)), np.arange(40.0)
    ),
}


def saved(model, path):
    first = hb.save(model, path).read_bytes()
    again = hb.load(path)
    assert hb.save(again, path).read_bytes() == first
    return again


@pytest.mark.parametrize("name", FORESTS)
def test_a_loaded_forest_is_the_saved_one(name, tmp_path):
    forest = FORESTS[name]()
    again = saved(forest, tmp_path / "f.forest.json")
    assert type(again) is type(forest)
    assert repr(again) == repr(forest)
    assert again.trees_ == forest.trees_
    rows = strange_rows(np.random.default_rng(1), 100)
    if name == "an array":
        rows = np.random.default_rng(2).normal(size=(20, 3))
    np.testing.assert_array_equal(again.predict(rows), forest.predict(rows))
    if hasattr(forest, "classes_"):
        np.testing.assert_array_equal(again.predict_proba(rows), forest.predict_proba(rows))
        np.testing.assert_array_equal(again.classes_, forest.classes_)
    np.testing.assert_array_equal(again.apply(rows), forest.apply(rows))
    np.testing.assert_array_equal(again.feature_importances_, forest.feature_importances_)
    assert again.n_features_in_ == forest.n_features_in_
    assert hasattr(again, "feature_names_in_") == hasattr(forest, "feature_names_in_")
    for fact in ("oob_score_", "oob_error_"):
        assert getattr(again, fact, None) == getattr(forest, fact, None)
    with pytest.raises(ValueError, match="was loaded, put together from trees"):
        again.bootstrap_counts(0)


def test_a_forest_put_together_from_trees_of_other_columns_comes_back(tmp_path):
    trees = [
        hb.Tree.from_nested({"column": name, "<=": 1.5, "yes": {"value": v}, "no": {"value": 2.0 * v}})
        for name, v in (("x", 1.0), ("z", 3.0))
    ]
    forest = hb.ForestRegressor.from_trees(trees)
    again = saved(forest, tmp_path / "f.forest.json")
    rows = {"x": [1.0, 2.0], "z": [9.0, 0.0]}
    assert again.predict(rows).tolist() == forest.predict(rows).tolist() == [3.5, 2.5]
    assert again.n_features_in_ == 2


def test_columns_are_written_once_and_every_tree_has_a_line(tmp_path):
    path = hb.save(FORESTS["classes"](), tmp_path / "f.forest.json")
    text = path.read_text(encoding="utf-8")
    assert text.count('"name": "age"') == 1
    assert sum(line.lstrip().startswith('{"expressions"') for line in text.splitlines()) == 5


def test_an_unfitted_forest_is_refused(tmp_path):
    with pytest.raises(ValueError, match="this ForestClassifier has no trees yet: call fit first"):
        hb.save(hb.ForestClassifier(), tmp_path / "f.forest.json")


# --- densities ----------------------------------------------------------------------------------------------

DENSITIES = {
    "plain": lambda: hb.TreeDensity(min_samples_leaf=5).fit(
        random_columns(np.random.default_rng(0), 80, gaps=0)
    ),
    "cross-validated": lambda: hb.TreeDensity(CrossValidated(cv=3), random_state=0).fit(
        np.random.default_rng(0).normal(size=(60, 2))
    ),
    "cost-complexity": lambda: hb.TreeDensity(DensityCostComplexity(alpha=0.01), support={"x": (-9, 9)}).fit(
        {"x": np.random.default_rng(0).normal(size=60)}
    ),
    "a column that is a point": lambda: hb.TreeDensity(max_depth=2).fit(
        {"x": [1.0, 2.0, 4.0], "one": [7, 7, 7]}
    ),
}


@pytest.mark.parametrize("name", DENSITIES)
def test_a_loaded_density_is_the_saved_one(name, tmp_path):
    model = DENSITIES[name]()
    again = saved(model, tmp_path / "d.tree.json")
    assert again.tree_ == model.tree_
    assert repr(again) == repr(model)
    drawn, same = model.sample(30, random_state=3), again.sample(30, random_state=3)
    assert type(drawn) is type(same)
    pd.testing.assert_frame_equal(pd.DataFrame(drawn), pd.DataFrame(same))
    np.testing.assert_array_equal(again.score_samples(drawn), model.score_samples(drawn))
    assert (again.path_ is None) == (model.path_ is None)
    if model.path_ is not None:
        assert again.path_.as_dict() == model.path_.as_dict()


# --- hostile files ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "f.forest.json"
    return json.loads(hb.save(FORESTS["classes"](), path).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def density(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "d.tree.json"
    return json.loads(hb.save(DENSITIES["cross-validated"](), path).read_text(encoding="utf-8"))


def changed(plain, place, value):
    altered = inner = copy.deepcopy(plain)
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return altered


HOSTILE = [
    (("trees",), [], "a forest needs at least one tree"),
    (("trees",), {}, "trees is {}, but must be an array"),
    (("trees", 2), 3, r"trees\[2\] is 3, but must be an object"),
    (
        ("trees", 1, "nodes", "first_child", 0),
        0,
        r"trees\[1\]: node 0 has a child that does not come after it",
    ),
    (("trees", 1, "classes"), ["a"], r"trees\[1\] has an entry 'classes'"),
    (("trees", 0, "policy"), {}, r"trees\[0\].policy has no 'missing'"),
    (("task",), "real", "a ForestClassifier needs a tree with task='classes'"),
    (("estimator", "class"), "TreeClassifier", "an estimator is called 'TreeClassifier'"),
    (("estimator", "parameters", "combine"), "sum", "combine='sum' is not known"),
    (("estimator", "parameters", "n_jobs"), "ls", "n_jobs='ls'"),
    (("estimator", "labels", "values"), ["a", "b", "c"], "are not the classes"),
    (("estimator", "judged"), {"oob_score": 1}, "estimator.judged has no 'oob_error'"),
    (("version",), 7, "it has version 7"),
    (("format",), "hornbeam-tree", "the document has no 'expressions'|an entry 'trees'|has no"),
]


@pytest.mark.parametrize(("place", "value", "sentence"), HOSTILE, ids=lambda v: str(v)[:40])
def test_a_hostile_forest_is_refused_with_a_sentence(place, value, sentence, plain):
    with pytest.raises(ValueError, match=f"x.json cannot be loaded: .*({sentence})") as error:
        read(json.dumps(changed(plain, place, value)).encode(), "x.json", edited=True)
    assert "\n" not in str(error.value)


def test_numbers_of_rows_beyond_32_bits_come_back(plain):
    """Found by breaking files: the number was cut to 32 bits, and the tree could not be made again."""
    large = changed(plain, ("trees", 1, "nodes", "n_rows", 1), 2**31)
    forest = read(json.dumps(large).encode(), "x.json", edited=True)
    assert forest.trees_[1].n_rows[1] == 2**31


HOSTILE_DENSITY = [
    (("estimator", "container"), "os", "estimator.container is 'os'"),
    (("estimator", "path", "chosen"), 10**6, "a chosen place among them"),
    (("estimator", "path", "alpha"), [1.0], "lists of one length"),
    (("pools", "box", "box_low", 0), 1e9, "has a box that is not low <= high"),
    (("pools", "box", "box_column", 0), 1, "needs a box with every column, in order"),
    (("nodes", "stats", 0), [0.0], "weigh|finite"),
]


@pytest.mark.parametrize(("place", "value", "sentence"), HOSTILE_DENSITY, ids=lambda v: str(v)[:40])
def test_a_hostile_density_is_refused_with_a_sentence(place, value, sentence, density):
    with pytest.raises(ValueError, match=f"x.json cannot be loaded: .*({sentence})"):
        read(json.dumps(changed(density, place, value)).encode(), "x.json", edited=True)
