"""Target: the weights of rows and of classes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.class_weight import compute_sample_weight
from tests.support.targets import INF, KINDS, NAN, OnlyArray

from hornbeam.data.target import Target

# Weights --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize(
    "weight",
    [
        [1, 0, 2],
        np.array([1, 0, 2], dtype=np.float32),
        pd.Series([1, 0, 2]),
        pl.Series([1, 0, 2]),
        OnlyArray([1, 0, 2]),
    ],
    ids=str,
)
def test_weights_and_counts_of_any_type_are_taken(make, weight):
    assert make([0, 1, 1], sample_weight=weight).weights.tolist() == [1.0, 0.0, 2.0]
    target = make([0, 1, 1], counts=weight)
    assert target.counts.tolist() == [1, 0, 2]
    assert target.counts.dtype == np.int64
    assert target.weights is None


@pytest.mark.parametrize("make", KINDS)
def test_one_weight_is_the_weight_of_every_row(make):
    assert make([0, 1], sample_weight=2).weights.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("name", ["sample_weight", "counts"])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, -2, 1], r"{name}\[1\]=-2 must be a finite number of at least 0"),
        ([1, NAN, 1], r"{name}\[1\]=nan must be a finite number"),
        ([1, 1, INF], r"{name}\[2\]=inf must be a finite number"),
        ([1, None, 1], r"{name}\[1\]=nan must be a finite number"),
        ([1, 2], r"{name}.shape == \(2,\), expected \(3,\): {name} must hold one number for each row"),
        ([[1, 2]] * 3, r"{name}.shape == \(3, 2\), expected \(3,\)"),
        (["a", "b", "c"], "{name} must be a list or array of numbers"),
    ],
    ids=str,
)
def test_wrong_weights_are_refused_with_one_sentence(make, name, values, message):
    with pytest.raises(ValueError, match=message.format(name=name)):
        make([0, 1, 1], **{name: values})


@pytest.mark.parametrize("make", KINDS)
def test_some_row_must_count(make):
    with pytest.raises(
        ValueError, match="sample_weight holds only zero weights; at least one row must count"
    ):
        make([0, 1], sample_weight=[0, 0])
    with pytest.raises(ValueError, match="counts is zero in every row; at least one row must count"):
        make([0, 1], counts=[0, 0])
    with pytest.raises(ValueError, match="sample_weight times counts leaves only zero weights"):
        make([0, 1], counts=[0, 1], sample_weight=[1, 0])


@pytest.mark.parametrize("make", KINDS)
def test_counts_are_whole_numbers(make):
    with pytest.raises(
        ValueError, match=r"counts\[1\]=1.5 must be a whole number of at least 0.*sample_weight"
    ):
        make([0, 1], counts=[1, 1.5])


# Class weights --------------------------------------------------------------------------------------------


def test_class_weights_multiply_the_row_weights():
    y = ["no", "yes", "no"]
    assert Target.classes_of(y, class_weight={"yes": 5}).weights.tolist() == [1.0, 5.0, 1.0]
    both = Target.classes_of(y, sample_weight=[1, 2, 3], class_weight={"yes": 5, "no": 0.5})
    assert both.weights.tolist() == [0.5, 10.0, 1.5]
    assert Target.classes_of([0, 1], class_weight={0.0: 3, True: 4}).weights.tolist() == [3.0, 4.0]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_balanced_class_weights_are_those_of_scikit_learn(y):
    expected = compute_sample_weight("balanced", y)
    np.testing.assert_array_equal(Target.classes_of(y, class_weight="balanced").weights, expected)


def test_balanced_class_weights_count_repetitions_as_rows():
    repeated = Target.classes_of(["a", "a", "a", "b"], class_weight="balanced")
    counted = Target.classes_of(["a", "b", "c"], counts=[3, 1, 0], class_weight="balanced")
    assert repeated.weights.tolist() == [2 / 3, 2 / 3, 2 / 3, 2.0]
    np.testing.assert_allclose(counted.weights, [4 / 9, 4 / 3, 0.0])


def test_the_weight_of_a_class_this_sample_lacks_is_ignored_if_all_others_are_named():
    target = Target.classes_of(["a", "b"], class_weight={"a": 1, "b": 2, "c": 3})
    assert target.weights.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({"c": 2}, "class_weight names 'c', which is no class of y; the classes are 'a', 'b'"),
        ({"a": 1, "c": 2}, "class_weight names 'c'"),
        ({"a": -1}, r"class_weight\['a'\]=-1 must be a finite number of at least 0"),
        ({"a": NAN}, r"class_weight\['a'\]=nan must be a finite number"),
        ({"a": INF}, r"class_weight\['a'\]=inf must be a finite number"),
        ({"a": "2"}, r"class_weight\['a'\]='2' must be a finite number"),
        ("equal", "class_weight='equal' must be None, 'balanced' or a dict"),
        ([1, 2], r"class_weight=\[1, 2\] must be None, 'balanced' or a dict"),
        ({"a": 0, "b": 0}, "sample_weight times class_weight leaves only zero weights"),
    ],
    ids=str,
)
def test_wrong_class_weights_are_refused_with_one_sentence(class_weight, message):
    with pytest.raises(ValueError, match=message):
        Target.classes_of(["a", "b", "a"], class_weight=class_weight)
