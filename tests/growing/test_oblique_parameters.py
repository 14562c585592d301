"""Oblique splits: the parameters of the part."""

import numpy as np
import pandas as pd
import pytest
from tests.support.tilted_tables import rotated

from hornbeam import TreeClassifier
from hornbeam.parts import Oblique
from hornbeam.tree.arrays import HYPERPLANE


def test_only_the_columns_named_are_summed():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd"))
    y = X["a"] + X["b"] > 0
    for columns, fits in ((["a", "b"], True), ([1, 0], True), (["c", "d"], False)):
        tree = TreeClassifier(split=Oblique(columns=columns)).fit(X, y).tree_
        assert (tree.n_leaves == 2) == fits
        allowed = {"abcd".index(c) if isinstance(c, str) else c for c in columns}
        assert set(tree.plane_column.tolist()) <= allowed


def test_max_columns_limits_a_sum():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = X.sum(axis=1) > 0
    for most in (2, 3):
        tree = TreeClassifier(split=Oblique(max_columns=most, sparsity=0.0)).fit(X, y).tree_
        assert np.diff(tree.plane_offset).max() == most


@pytest.mark.parametrize("others", ["binary", "multiway", "one-vs-rest"])
def test_nominal_columns_are_tested_as_told(others):
    X, u = rotated(300, 0)
    table = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "z": np.arange(300) % 3}).astype({"z": str})
    y = np.where(table["z"] == "0", u[:, 0] > 0, table["z"] == "1")
    plain = TreeClassifier(split=others).fit(table, y).tree_
    tree = TreeClassifier(split=Oblique(others=others)).fit(table, y).tree_
    assert tree.kind[0] == plain.kind[0]
    assert tree.n_leaves < plain.n_leaves
    assert (tree.kind == HYPERPLANE).any()


TABLE = pd.DataFrame(
    {"age": [1.0, 2.0, 3.0], "pay": [3.0, 1.0, 2.0], "city": ["Aš", "Brno", "Aš"], "born": pd.to_datetime(
        ["2001-01-01", "2002-01-01", "2003-01-01"])}
)  # fmt: skip


@pytest.mark.parametrize(
    ("part", "kind", "words"),
    [
        ({"columns": "age"}, TypeError, "columns='age' must be a list"),
        ({"columns": [["age", "pay"]]}, TypeError, "must be a list of columns"),
        ({"columns": ["age", "age"]}, ValueError, "at least two different columns"),
        ({"columns": ["age", "pey"]}, ValueError, "'pey', which X does not have (did you mean 'pay'?)"),
        ({"columns": [0, 7]}, ValueError, "the column 7, which X does not have"),
        ({"columns": ["age", "city"]}, ValueError, "the nominal column 'city', which has no place in a sum"),
        ({"columns": ["age", "born"]}, ValueError, "the time column 'born', which has no place in a sum"),
        ({"max_columns": 1}, ValueError, "max_columns=1 must be a whole number of at least 2"),
        ({"sparsity": 1.0}, ValueError, "sparsity=1.0 must be a number from 0 to below 1"),
        ({"aim": "speed"}, ValueError, "aim='speed' must be one of 'gain', 'leaves'"),
        ({"restarts": -1}, ValueError, "restarts=-1 must be a whole number of at least 0"),
        ({"restarts": True}, ValueError, "restarts=True must be a whole number"),
        ({"ridge": 0}, ValueError, "ridge=0 must be a number above 0"),
        ({"others": "oblique"}, ValueError, "others='oblique' is not known"),
    ],
)
def test_a_bad_parameter_gets_a_sentence(part, kind, words):
    with pytest.raises(kind) as error:
        TreeClassifier(split=Oblique(**part)).fit(TABLE, [0, 1, 0])
    assert words in str(error.value)


def test_monotonic_constraints_are_refused():
    with pytest.raises(ValueError, match="monotonic_cst cannot be kept with Oblique"):
        TreeClassifier(split="oblique", monotonic_cst={"age": 1}).fit(TABLE, [0, 1, 0])


def test_parameters_nest_as_in_scikit_learn():
    model = TreeClassifier(split=Oblique()).set_params(split__max_columns=2)
    assert model.split.max_columns == 2
