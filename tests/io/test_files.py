"""Saving and loading: exact, readable by any JSON tool, and closed to hostile files."""

import copy
import itertools
import json
import math
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.io.load import read
from hornbeam.io.model_file import PARTS
from hornbeam.parts import AllPaths, ColumnSets, Constant, Oblique, OwnBranch, PerColumn, Predicates

BY_VOTE = (AllPaths(vote="leaf"), OwnBranch(vote="leaf"))


def same_file(model, path):
    """The model after a round trip, whose second file is the first one's, byte for byte."""
    first = hb.save(model, path).read_bytes()
    again = hb.load(path)
    assert hb.save(again, path).read_bytes() == first
    return again


def mixed_models(max_depth=4):
    """Models of every slot choice that changes what a prediction needs."""
    rng = np.random.default_rng(0)
    X = random_columns(rng, 300)
    three, number = outcome(rng, X, 3), outcome(rng, X, 0)
    whole = X.drop(columns=["city", "size", "owner"])
    grown = {"max_depth": max_depth, "random_state": 0}
    yield hb.TreeClassifier(**grown).fit(X, three)
    for missing in ("branch", "all-paths", "fractional", "majority", "surrogates", *BY_VOTE):
        yield hb.TreeClassifier(missing=missing, **grown).fit(X, three)
    for split in ("multiway", "one-vs-rest", PerColumn({"city": "multiway"}), ColumnSets(columns=None)):
        yield hb.TreeClassifier(split=split, **grown).fit(X, three)
    yield hb.TreeClassifier(split=Oblique(restarts=1), max_depth=2, random_state=0).fit(whole, three)
    said = Predicates(["age > 40 and city == 'Brno'", "age / rooms > 9"], columns=None)
    yield hb.TreeClassifier(split=said, **grown).fit(X, three)
    costly = {"class 0": {"class 2": 5.0}}
    yield hb.TreeClassifier(costs=costly, priors="equal", leaf=Constant("laplace"), **grown).fit(X, three)
    yield hb.TreeClassifier(**grown).fit(X, three, row_costs=rng.random((300, 3)))
    yield hb.TreeRegressor(leaf=Constant("m-estimate", m=3.5), **grown).fit(X, number)
    yield hb.TreeClassifier(max_depth=2).fit(rng.normal(size=(50, 2)), rng.integers(0, 2, 50))
    yield hb.chaid().fit(X, three)


MODELS = list(mixed_models())


def ids(model):
    return f"{type(model).__name__}-{model.missing}-{model.split}"[:60]


@pytest.mark.parametrize("model", MODELS, ids=ids)
def test_a_loaded_model_is_the_saved_one(model, tmp_path):
    again = same_file(model, tmp_path / "m.tree.json")
    assert type(again) is type(model)
    assert again.tree_ == model.tree_
    assert repr(again) == repr(model)
    rows = strange_rows(np.random.default_rng(1), 200)
    if model.n_features_in_ == 2:
        rows = np.random.default_rng(2).normal(size=(20, 2))
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    assert again.predict(rows).dtype == model.predict(rows).dtype
    assert hasattr(again, "feature_names_in_") == hasattr(model, "feature_names_in_")
    if hasattr(model, "classes_"):
        np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
        np.testing.assert_array_equal(again.classes_, model.classes_)
    assert again.set_params(max_depth=1).fit(*_small(model)).tree_.depth <= 1


def _small(model):
    rng = np.random.default_rng(3)
    X = random_columns(rng, 60, gaps=0)
    return X, outcome(rng, X, 0 if isinstance(model, hb.TreeRegressor) else 3)


def test_the_tennis_tree_predicts_the_same_after_a_round_trip(tmp_path):
    data = hb.datasets.load("tennis")
    model = hb.id3().fit(data.X, data.y)
    again = hb.load(hb.save(model, tmp_path / "tennis.tree.json"))
    values = [column.categories for column in model.tree_.columns]
    rows = [dict(zip(list(data.X), row, strict=True)) for row in itertools.product(*values)]
    assert len(rows) == 36
    assert (again.predict(rows) == model.predict(rows)).all()
    assert (again.predict(rows) == "Yes").sum() == 24
    tree = hb.load(hb.save(model.tree_, tmp_path / "alone.tree.json"))
    assert tree == model.tree_
    assert (tree.predict(rows) == model.predict(rows)).all()


def test_every_double_survives(tmp_path):
    rng = np.random.default_rng(5)
    cuts = np.frombuffer(rng.bytes(8 * 100), dtype=np.float64)
    for cut in [*cuts[np.isfinite(cuts)], 0.1, 5e-324, -0.0, 1.7976931348623157e308, 2**53 + 1.0]:
        tree = hb.Tree.from_nested({"column": "x", "<=": float(cut), "yes": "a", "no": "b"})
        again = hb.load(hb.save(tree, tmp_path / "t.tree.json"))
        assert again.threshold[0].tobytes() == tree.threshold[0].tobytes()


def test_labels_of_every_type_come_back_with_their_type(tmp_path):
    X = {"x": [1, 2, 3, 4]}
    for y in (
        [True, False, True, False],
        np.array([3, 1, 3, 1], dtype=np.int8),
        np.array([1.0, 2.0, 1.0, 2.0]),
        np.array(["a", "b", "a", "b"], dtype=object),
        pd.Series(pd.Categorical(["low", "high", "low", "high"], ["low", "high"], ordered=True)),
    ):
        model = hb.TreeClassifier().fit(X, y)
        again = same_file(model, tmp_path / "m.tree.json")
        assert again.classes_.dtype == model.classes_.dtype
        assert again.predict(X).tolist() == model.predict(X).tolist()
        assert again.tree_.classes == model.tree_.classes


def test_categories_that_are_dates_and_hostile_names_survive(tmp_path):
    names = ['"', "\n", "</script>", "'; DROP TABLE x --", "\\", "\u2028", "", "é\U0001f332"]
    X = {name: list("abab") for name in names} | {"day": pd.to_datetime(["2024-01-01", "2024-01-02"] * 2)}
    X["span"] = pd.Categorical(pd.to_timedelta([1, 2, 1, 2], unit="s"))
    model = hb.TreeClassifier().fit(X, ["p", "q", "p", "q"])
    again = same_file(model, tmp_path / "m.tree.json")
    assert again.tree_.columns == model.tree_.columns


def test_a_tree_as_a_predicate_and_arrays_as_costs_are_saved_with_the_model(tmp_path):
    X, y = {"x": [1, 2, 3, 4], "z": [4, 3, 2, 1]}, ["a", "a", "b", "b"]
    inner = hb.TreeClassifier(max_depth=1).fit(X, y)
    split = Predicates([(inner.tree_, "a")], columns=None)
    model = hb.TreeClassifier(split=split, costs=np.array([[0.0, 2.0], [1.0, 0.0]])).fit(X, y)
    again = same_file(model, tmp_path / "m.tree.json")
    assert again.split.predicates[0][0] == inner.tree_
    assert again.fit(X, y).predict(X).tolist() == y


def test_what_cannot_be_written_is_refused_by_name(tmp_path):
    X, y = {"x": [1, 2, 3, 4]}, ["a", "a", "b", "b"]
    path = tmp_path / "m.tree.json"
    test = Predicates([lambda t: t["x"] > 2.5], columns=None)
    with pytest.raises(ValueError, match="Python function 'function 0', which cannot be saved"):
        hb.save(hb.TreeClassifier(split=test).fit(X, y), path)
    drawn = hb.TreeClassifier(random_state=np.random.default_rng(0)).fit(X, y)
    with pytest.raises(ValueError, match=r"random_state=.*which a file cannot hold: set a plain value"):
        hb.save(drawn, path)

    class Mine(AllPaths):
        pass

    with pytest.raises(ValueError, match="part of your own"):
        hb.save(hb.TreeClassifier(missing=Mine()).fit(X, y), path)
    with pytest.raises(ValueError, match="call fit first"):
        hb.save(hb.TreeClassifier(), path)
    with pytest.raises(TypeError, match="not a str"):
        hb.save("tree", path)
    assert not path.exists()


def test_every_part_of_every_slot_is_known_by_its_name():
    from hornbeam.estimators.estimator_parameters import SLOTS

    for slot, table in SLOTS.items():
        for part in table.values():
            name = part.__name__.removesuffix("Selection") if slot == "selection" else part.__name__
            assert PARTS[("pruning." if slot == "pruning" else "") + name] is part


# --- hostile files ------------------------------------------------------------------------------------------


def plain_of(model) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        return json.loads(hb.save(model, Path(folder) / "m.tree.json").read_text(encoding="utf-8"))


def loaded(data):
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    return read(content, "hostile.tree.json", edited=True)


def changed(plain, place, value):
    altered = copy.deepcopy(plain)
    inner = altered
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return altered


SURROGATES = plain_of(MODELS[5])

HOSTILE = [
    (("nodes", "first_child", 0), 0, "node 0 has a child that does not come after it"),
    (("nodes", "first_child", 0), 10**9, "node 0 has children beyond the last node"),
    (("nodes", "first_child", 0), 10**30, r"nodes.first_child\[0\] is 1000.* at most 2147483647"),
    (("nodes", "first_child", 0), 1.5, r"nodes.first_child\[0\] is 1.5, but must be an integer"),
    (("nodes", "first_child", 0), True, r"nodes.first_child\[0\] is True"),
    (("nodes", "column", 0), 77, "node 0 tests a column outside 0 to 5"),
    (("nodes", "threshold", 0), "inf ", r"nodes.threshold\[0\] is 'inf ', but must be a number or None"),
    (("nodes", "threshold", 0), [1.0], r"nodes.threshold\[0\] is \[1.0\]"),
    (("nodes", "stats", 0), [1.0], "stats|inhomogeneous"),
    (("nodes", "gain"), [0.0], "gain has shape"),
    (("nodes", "kind", 0), "goto", r"nodes.kind\[0\] is 'goto', but must be one of 'leaf'"),
    (("nodes", "label", 1), 3, "answers a label outside 0 to 2"),
    (("classes",), None, "needs classes"),
    (("classes",), ["class 0", "class 0", "class 2"], "a class is there twice"),
    (("columns", 0, "name"), "pay", "two columns have the same name"),
    (("columns", 0, "kind"), "file", r"columns\[0\].kind is 'file'"),
    (("policy", "missing"), "exec", "policy.missing is 'exec'"),
    (("version",), 3, "it has version 3, and this release reads versions 1 to 2"),
    (("format",), "pickle", "it is no tree of Hornbeam"),
    (("estimator", "class"), "os.system", "an estimator is called 'os.system'"),
    (("estimator", "class"), "TreeRegressor", "needs a tree with task='real'"),
    (("estimator", "parameters", "n_jobs"), "ls", "n_jobs='ls' must be a whole number"),
    (("estimator", "parameters", "shell"), 1, "TreeClassifier has no parameter 'shell'"),
    (
        ("estimator", "parameters", "missing"),
        {"type": "part", "value": {"part": "os.system", "parameters": {}}},
        "a part is called 'os.system': known parts are",
    ),
    (("estimator", "labels", "values"), ["a", "b", "c"], "are not the classes"),
    (("estimator", "labels", "dtype"), "O,O", "estimator.labels.dtype is 'O,O'"),
    (("pools", "surrogate", "surrogate_low", 0), 2, "has a surrogate to a branch it has not"),
    (("pools", "surrogate", "surrogate_column", 0), -1, "names a column outside 0 to 5"),
    (("pools", "surrogate", "surrogate_offset", 1), 10**6, "surrogate_offset must never decrease"),
    (("meta", "answers"), {"costs": [[0, 1]]}, "has costs that are not"),
    (("meta", "answers"), {"shell": 1}, "has an entry 'shell': its entries are"),
    (("expressions",), {"0": "__import__('os')"}, "expressions are given for the nodes"),
    (("pools", "spam"), {}, "pools has an entry 'spam', which the format does not know"),
]


@pytest.mark.parametrize(("place", "value", "sentence"), HOSTILE, ids=lambda v: str(v)[:40])
def test_a_hostile_file_is_refused_with_a_sentence(place, value, sentence):
    with pytest.raises(
        ValueError, match=r"hostile.tree.json cannot be loaded: .*(" + sentence + ")"
    ) as error:
        loaded(changed(SURROGATES, place, value))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "not JSON, or cut short"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b"[" * 200_000, "nested more than 100 deep"),
        (b'{"a":' * 200_000, "nested more than 100 deep"),
        (b'{"format": "hornbeam-tree", "version": NaN}', "NaN is no JSON"),
        (b'{"format": "hornbeam-tree", "center": 1e999}', "1e999 is beyond a double"),
        (b'{"format": "hornbeam-tree", "version": ' + b"1" * 5000 + b"}", "5000 digits is too long"),
        (b'{"format": "hornbeam-tree", "format": 1}', "'format' is there twice"),
        (b'{"format": "hornbeam-tree", "version": 1}', "the document has no 'task'"),
        (b"3", "it is no tree"),
        (b"null", "it is no tree"),
    ],
    ids=lambda v: repr(v)[:30],
)
def test_what_is_no_file_of_a_tree_is_refused(data, sentence):
    with pytest.raises(ValueError, match=sentence):
        loaded(data)


def test_a_file_cut_short_anywhere_is_refused():
    data = json.dumps(SURROGATES).encode()
    for length in range(0, len(data) - 1, 97):
        with pytest.raises(ValueError, match="cannot be loaded"):
            loaded(data[:length])


def test_infinity_and_nan_have_their_words(tmp_path):
    tree = hb.TreeClassifier().fit({"x": [1.0, 2.0, None]}, ["a", "a", "b"]).tree_
    assert math.isinf(tree.threshold[0])
    plain = json.loads(hb.save(tree, tmp_path / "t.tree.json").read_text())
    assert plain["nodes"]["threshold"] == ["inf", None, None]
    assert hb.load(tmp_path / "t.tree.json") == tree
