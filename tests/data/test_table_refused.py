"""Table: what cannot be used is refused with one sentence."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from tests.support.people import column_of

import hornbeam as hb
from hornbeam.data.table import Table


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.ones(3), ValueError, "Expected 2D array, got 1D array instead.*Reshape your data"),
        ([1, 2, 3], ValueError, "Reshape your data"),
        (pd.Series([1, 2]), ValueError, "Reshape your data"),
        (pl.Series([1, 2]), ValueError, "Reshape your data"),
        (np.array(3.0), ValueError, "got scalar array.*Reshape your data"),
        (np.ones((2, 2, 2)), ValueError, "Found array with dim 3, while dim <= 2 is required"),
        (np.ones((2, 2)) * 1j, ValueError, "Complex data not supported"),
        (pd.DataFrame({"a": [1j]}), ValueError, "Complex data not supported: column 'a'"),
        (np.zeros(3, dtype=[("a", float)]), TypeError, "X is a structured array.*dict of its fields"),
        (scipy.sparse.csr_array(1j * np.eye(2)), ValueError, "Complex data not supported"),
        (scipy.sparse.coo_array(np.ones(3)), ValueError, "Found array with dim 1"),
        (None, TypeError, "X is of type 'NoneType', but it must be a table"),
        ("abc", TypeError, "X is of type 'str', but it must be a table"),
        (3, TypeError, "X is of type 'int', but it must be a table"),
        ([[1, 2], [3]], ValueError, "rows of different lengths"),
        ([{"a": 1}, [2]], TypeError, "list of dicts, but also holds list"),
        ({"a": [1], "b": [1, 2]}, ValueError, r"inconsistent lengths \{'a': 1, 'b': 2\}"),
        ({"a": 3}, ValueError, "column 'a' is the single value 3"),
        ({"a": "text"}, ValueError, "column 'a' is the single value 'text'"),
        ({"a": np.ones((2, 2))}, ValueError, "column 'a' has 2 dimensions"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "more than one column named 'a'"),
        (pa.table([[1], [2]], names=["a", "a"]), ValueError, "more than one column named 'a'"),
        ({"1": [1], 1: [2]}, TypeError, "Feature names are only supported if all input features have string"),
        (pd.DataFrame([[1, 2]], columns=["a", 1]), TypeError, "Feature names are only supported"),
        (np.empty((0, 3)), ValueError, r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required."),
        (
            np.empty((12, 0)),
            ValueError,
            r"0 feature\(s\) \(shape=\(12, 0\)\) while a minimum of 1 is required.",
        ),
        (pd.DataFrame({"a": []}), ValueError, r"0 sample\(s\)"),
        (pd.DataFrame(index=range(3)), ValueError, r"0 feature\(s\)"),
        ({}, ValueError, r"0 feature\(s\)"),
    ],
    ids=str,
)
def test_what_is_no_table_is_refused_with_one_sentence(X, error, message):
    with pytest.raises(error, match=message) as caught:
        Table.learn(X)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", 1], "column 'x' mixes values of the types 'int', 'str'"),
        ([True, 1], "column 'x' mixes values of the types 'bool', 'int'"),
        ([1.5, {"a": 1}], "mixes values of the types 'dict', 'float'"),
        ([{"a": 1}, {"a": 2}], "column 'x' has the type struct"),
        ([[1], [2]], "column 'x' has the type list"),
        pytest.param([object()], "column 'x' holds values of type 'object'", id="[object()]"),
        ([1j], "column 'x' holds values of type 'complex'"),
        (pd.Series(pd.period_range("2020", periods=2, freq="M")), "column 'x' has the type extension"),
        (pl.Series([[1]]), "column 'x' has the type large_list"),
        (pl.Series(["a", 1], dtype=pl.Object), "column 'x' mixes"),
    ],
    ids=str,
)
def test_cells_that_cannot_be_used_are_refused_as_scikit_learn_expects(values, message):
    with pytest.raises(TypeError, match=message) as caught:
        column_of(values)
    assert "argument must be a string or a number" in str(caught.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([b"\xff"], "holds bytes that are not UTF-8 text; decode it first"),
        (["\ud800"], "holds text that is not Unicode"),
        (np.array([1], dtype="m8[Y]"), "holds timedelta64\\[Y\\], which has no fixed length"),
        (np.array([10**15], dtype="M8[s]"), "holds times too far from 1970"),
        (np.zeros(2, dtype=[("a", float)]), "column 'x' holds records"),
    ],
    ids=str,
)
def test_cells_that_cannot_be_read_are_refused_with_one_sentence(values, message):
    with pytest.raises((TypeError, ValueError), match=message):
        column_of(values)


def test_times_with_and_without_a_zone_are_not_mixed():
    zoned = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    X = {"d": np.array([zoned, dt.datetime(2024, 1, 2), None] * 4, dtype=object)}
    with pytest.raises(TypeError, match="column 'd' mixes times with and without a time zone; give all"):
        hb.TreeClassifier().fit(X, list("abc") * 4)


@pytest.mark.parametrize("estimator", [hb.TreeClassifier, hb.TreeRegressor])
def test_weights_whose_sum_is_beyond_all_numbers_are_refused(estimator):
    X, y = [[1], [2], [3], [4]], [0, 0, 1, 1]
    for weights, counts in (([1e308] * 4, None), ([1e300] * 4, [2**50] * 4)):
        with pytest.raises(ValueError, match="weights of all rows together are beyond the range of float64"):
            estimator().fit(X, y, weights, counts=counts)
    model = estimator().fit(X, y, [1e307] * 4)
    assert model.predict(X).tolist() == y
