"""Target: classes of any type in class order, and numbers."""

import datetime as dt
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning
from tests.support.targets import INF, KINDS, NAN, OnlyArray

from hornbeam.data.target import Target

# Classes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        (("b", "a"), ("a", "b"), [1, 0]),
        (np.array(["b", "a"]), ("a", "b"), [1, 0]),
        (np.array(["b", "a"], dtype=object), ("a", "b"), [1, 0]),
        (["ä", "z", "Z"], ("Z", "z", "ä"), [2, 1, 0]),
        ([10, 9, -3], (-3, 9, 10), [2, 1, 0]),
        (np.array([3, 1], dtype=np.uint8), (1, 3), [1, 0]),
        (np.array([10**12, 5]), (5, 10**12), [1, 0]),
        (np.array([2**63 - 1, 2**63 - 2]), (2**63 - 2, 2**63 - 1), [1, 0]),
        (np.array([3, 1], dtype=object), (1, 3), [1, 0]),
        ([2.0, 1.0], (1.0, 2.0), [1, 0]),
        (np.array([1e300, -1.0]), (-1.0, 1e300), [1, 0]),
        ([True, False], (False, True), [1, 0]),
        (pd.Series(["b", "a"]), ("a", "b"), [1, 0]),
        (pd.Series(["b", "a"], dtype="category"), ("a", "b"), [1, 0]),
        (pd.Series([2, 1], dtype="Int64"), (1, 2), [1, 0]),
        (pd.Series([True, False], dtype="boolean"), (False, True), [1, 0]),
        (pd.Categorical([3, 1]), (1, 3), [1, 0]),
        (pl.Series(["b", "a"]), ("a", "b"), [1, 0]),
        (pl.Series([2, 1]), (1, 2), [1, 0]),
        (pa.array(["b", "a"]), ("a", "b"), [1, 0]),
        (pa.chunked_array([[2], [1]]), (1, 2), [1, 0]),
        ([Decimal(2), Decimal(1)], (1.0, 2.0), [1, 0]),
        (OnlyArray([2, 1]), (1, 2), [1, 0]),
        (["only"], ("only",), [0]),
    ],
    ids=str,
)
def test_classes_of_any_type_are_sorted(y, classes, codes):
    target = Target.classes_of(y)
    assert target.task == "classes"
    assert target.classes == classes
    assert [type(label) for label in target.classes] == [type(label) for label in classes]
    assert target.codes.tolist() == codes
    assert target.codes.dtype == np.int32
    assert target.labels.tolist() == list(classes)
    assert target.n_rows == len(codes)
    assert not target.ordered
    assert (target.values, target.weights, target.counts) == (None, None, None)


@pytest.mark.parametrize("ordered", [True, False])
def test_declared_classes_keep_their_order_without_the_absent_ones(ordered):
    y = pd.Series(pd.Categorical(["hi", "lo", "hi"], ["lo", "mid", "hi"], ordered=ordered))
    target = Target.classes_of(y)
    assert target.classes == ("lo", "hi")
    assert target.codes.tolist() == [1, 0, 1]
    assert target.labels.tolist() == ["hi", "lo"]
    assert target.ordered == ordered


def test_an_enum_of_polars_is_an_ordered_target():
    target = Target.classes_of(pl.Series(["hi", "lo"], dtype=pl.Enum(["lo", "mid", "hi"])))
    assert (target.classes, target.ordered, target.codes.tolist()) == (("lo", "hi"), True, [1, 0])


@pytest.mark.parametrize(
    ("y", "dtype"),
    [
        (["b", "aa"], "<U2"),
        (np.array(["b", "aa"]), "<U2"),
        (np.array(["b", "aa"], dtype=object), "O"),
        (pd.Series(["b", "aa"]), "O"),
        (pd.Series(["b", "aa"], dtype="category"), "O"),
        (np.array([2, 1], dtype=np.int16), "i2"),
        (np.array([2, 1], dtype=np.float32), "f4"),
        ([2, 1], "i8"),
        ([True, False], "?"),
        (pd.Categorical([2, 1]), "i8"),
    ],
    ids=str,
)
def test_the_labels_are_an_array_of_the_type_of_y(y, dtype):
    labels = Target.classes_of(y).labels
    assert labels.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(labels, np.unique(np.asarray(y)))


@given(st.lists(st.integers(-5, 5) | st.integers(-(2**62), 2**62), min_size=1, max_size=30))
def test_codes_of_whole_numbers_are_those_of_numpy(values):
    target = Target.classes_of(np.array(values))
    labels, codes = np.unique(values, return_inverse=True)
    assert target.classes == tuple(labels.tolist())
    np.testing.assert_array_equal(target.codes, codes)


def test_a_hundred_thousand_classes_are_fine():
    y = np.arange(200_000) % 100_000
    assert len(Target.classes_of(y).classes) == 100_000
    assert len(Target.classes_of(y.astype(str).astype(object)).classes) == 100_000


@pytest.mark.parametrize(
    "y", [[0.5, 1.0], np.array([0.5, 1.5]), pd.Series([0.5, 1.0]), np.array([0.5], object)]
)
def test_numbers_with_a_fraction_are_no_classes(y):
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        Target.classes_of(y)


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ([b"a", b"b"], TypeError, "labels represented as bytes is not supported"),
        (np.array([b"a"]), TypeError, "labels represented as bytes is not supported"),
        ([1j, 2j], ValueError, "Complex data not supported"),
        (["a", 1], TypeError, "column 'y' mixes values of the types 'int', 'str'"),
        ([{"a": 1}], TypeError, "argument must be a string or a number"),
        (pd.Series(pd.to_datetime(["2024-01-01"])), ValueError, "Unknown label type: y holds dates or times"),
    ],
    ids=str,
)
def test_what_is_no_class_is_refused(y, error, message):
    with pytest.raises(error, match=message):
        Target.classes_of(y)


# Both kinds -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, NAN], "Input y contains NaN: the target of row 1 is missing"),
        ([1.0, None], "Input y contains NaN: the target of row 1"),
        (pd.Series([1, None], dtype="Int64"), "Input y contains NaN: the target of row 1"),
        (pl.Series([None, 1]), "Input y contains NaN: the target of row 0"),
        ([1.0, INF], "Input y contains infinity .*row 1"),
        ([-INF, 1.0], "Input y contains infinity .*row 0"),
        (None, "This MyTree requires y to be passed, but the target y is None."),
        ("text", "y should be a 1d array"),
        (3, "y should be a 1d array"),
        ({"a": [1]}, "y should be a 1d array"),
        (
            [[1, 2], [3, 4]],
            r"y should be a 1d array, got an array of shape \(2, 2\) instead: one target is needed here",
        ),
        (np.ones((2, 1, 1)), "y should be a 1d array"),
        (np.array(1.0), "y should be a 1d array"),
        (pd.DataFrame({"a": [1, 2], "b": [3, 4]}), r"got an array of shape \(2, 2\)"),
        (np.array([1, 2j]), "Complex data not supported"),
        ([], r"0 sample\(s\)"),
    ],
    ids=str,
)
def test_a_target_that_is_none_is_refused_with_one_sentence(make, y, message):
    with pytest.raises(ValueError, match=message):
        make(y, estimator="MyTree")


@pytest.mark.parametrize("y", [["a", None], ["a", NAN], pd.Series(["a", None]), pd.Categorical(["a", None])])
def test_a_missing_class_is_refused(y):
    with pytest.raises(ValueError, match="Input y contains NaN: the target of row 1 is missing"):
        Target.classes_of(y)


@pytest.mark.parametrize("make", KINDS)
def test_a_sparse_target_is_refused(make):
    with pytest.raises(TypeError, match="Sparse data was passed for y"):
        make(scipy.sparse.csr_array([[1.0], [2.0]]))


@pytest.mark.parametrize("make", KINDS)
def test_the_length_must_be_that_of_the_table(make):
    assert make([1, 2, 3], n_rows=3).n_rows == 3
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[4, 3\]"):
        make([1, 2, 3], n_rows=4)


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize(
    "y", [np.array([[1], [2]]), [[1], [2]], pd.DataFrame({"a": [1, 2]}), pl.DataFrame({"a": [1, 2]})], ids=str
)
def test_a_column_vector_is_taken_with_a_warning(make, y):
    with pytest.warns(
        DataConversionWarning, match="A column-vector y was passed when a 1d array was expected"
    ):
        assert make(y).n_rows == 2


@pytest.mark.parametrize("make", KINDS)
def test_a_plain_target_causes_no_warning(make):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(np.arange(100))


# Numbers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        [1, 2.5],
        np.array([1, 2.5], dtype=np.float32),
        np.array([1, 2.5], dtype=object),
        pd.Series([1, 2.5], dtype="Float64"),
        pl.Series([1.0, 2.5]),
        pa.array([1, 2.5]),
        [Decimal(1), Decimal("2.5")],
        OnlyArray([1, 2.5]),
    ],
    ids=str,
)
def test_numbers_become_float64(y):
    target = Target.real_of(y)
    assert target.task == "real"
    assert target.values.tolist() == [1.0, 2.5]
    assert target.values.dtype == np.float64
    assert (target.codes, target.labels, target.classes) == (None, None, ())


def test_float64_numbers_are_borrowed():
    y = np.array([1.0, 2.0])
    assert np.shares_memory(Target.real_of(y).values, y)


def test_booleans_and_huge_whole_numbers_are_numbers_too():
    assert Target.real_of([True, False]).values.tolist() == [1.0, 0.0]
    assert Target.real_of(pd.Series([2**53 + 1], dtype="Int64")).values.tolist() == [2.0**53]


@pytest.mark.parametrize(
    ("y", "holds"),
    [
        (["a", "b"], "text"),
        (pd.Categorical(["a"]), "categories"),
        ([dt.date(2024, 1, 1)], "datetime64"),
        ([None], "no values"),
    ],
)
def test_what_is_no_number_cannot_be_regressed(y, holds):
    with pytest.raises(ValueError, match=f"y holds {holds}, but a regression needs numbers"):
        Target.real_of(y)


def test_a_target_whose_squares_overflow_is_refused():
    with pytest.raises(ValueError, match=r"y reaches -1e\+200, .* divide y"):
        Target.real_of([1.0, -1e200])


def test_numbers_that_differ_by_less_than_their_squares_can_say_are_refused_where_that_is_asked():
    with pytest.raises(
        ValueError, match=r"y varies by 1e-200 only, .* multiply y so that it varies by 1e-150"
    ):
        Target.real_of([0.0, 1e-200], least_range=1e-150)
    assert Target.real_of([0.0, 1e-200]).n_rows == 2
    assert Target.real_of([1e-200, 1e-200], least_range=1e-150).n_rows == 2
