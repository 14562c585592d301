"""Table: whole numbers beyond 2**53, ranges and infinity."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from tests.support.people import BIG, column_of

import hornbeam as hb
from hornbeam.data.floats import (
    ceiling_floats,
    ceiling_thousandths,
    column_range,
    dense_ranges,
    exact_floats,
    first_infinite,
)
from hornbeam.data.table import Table


@pytest.mark.parametrize("kind", ["f4", "f8", ">f8", "i4"])
def test_a_field_of_records_is_a_column_wherever_its_numbers_lie(kind):
    """Numbers of packed records lie at addresses that no processor likes; the core takes none of them."""
    records = np.zeros(6, dtype=[("flag", bool), ("x", kind), ("byte", "u1")])
    records["x"] = [0, 1, 2, 5, 6, 7]
    y = list("ppppqq")
    model = hb.TreeClassifier().fit({"x": records["x"]}, y)
    assert model.predict({"x": records["x"]}).tolist() == y
    assert model.tree_.text() == "x[<=5.5: p(4:0) | >5.5: q(0:2)]"


# Whole numbers beyond 2**53 -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        np.array([BIG, 1]),
        np.array([-BIG, 1]),
        np.array([2**64 - 1], dtype=np.uint64),
        np.array([2**63 - 1]),
        [BIG, None],
        [2**70 + 1],
        [BIG, 2.5],
        pd.Series([BIG, None], dtype="Int64"),
        pl.Series([BIG, None]),
        [Decimal(BIG), Decimal("0.5")],
    ],
    ids=str,
)
def test_whole_numbers_float64_cannot_hold_are_refused_when_learning(values):
    with pytest.raises(ValueError, match=r"column 'x' holds whole numbers such as .*; divide or shift it"):
        column_of(values)


@pytest.mark.parametrize(
    "values", [np.array([2**53, -(2**53)]), np.array([2**60]), [2**70], [Decimal(2**60)]]
)
def test_large_whole_numbers_float64_can_hold_are_kept(values):
    assert Table.learn({"x": values}).arrays[0][0] == float(values[0])


def test_large_whole_numbers_are_fine_as_categories():
    table = Table.learn({"x": np.array([BIG, BIG - 1])}, categorical_features=["x"])
    assert table.columns[0].categories == (BIG - 1, BIG)
    assert table.arrays[0].tolist() == [1, 0]


@given(st.integers(-(2**63), 2**63 - 1), st.floats(-1e19, 1e19))
def test_a_whole_number_rounded_up_answers_every_threshold_as_the_exact_one(number, threshold):
    rounded = ceiling_floats(np.array([number]), "x")[0]
    assert (number <= threshold) == (rounded <= threshold)
    assert number <= rounded < number + 2048


@given(st.integers(-(2**62), 2**62), st.integers(-3, 3))
def test_nanoseconds_rounded_up_to_microseconds_answer_every_threshold(nanoseconds, halves):
    threshold = nanoseconds // 1000 + halves / 2
    rounded = ceiling_thousandths(np.array([nanoseconds]))[0]
    assert (Fraction(nanoseconds, 1000) <= Fraction(threshold)) == (rounded <= threshold)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_whole_numbers_of_any_width_keep_their_value(dtype):
    limits = np.iinfo(dtype)
    values = np.array([max(limits.min, -(2**53)), min(limits.max, 2**53)], dtype=dtype)
    floats = exact_floats(values, "x")
    assert floats.dtype == (np.float32 if values.itemsize <= 2 else np.float64)
    assert [int(value) for value in floats] == values.tolist()


# Ranges and infinity --------------------------------------------------------------------------------------


some_floats = st.sampled_from([0.0, -1.0, 2.5, np.nan, np.inf, -np.inf, 3e38])


@given(npst.arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=some_floats))
def test_the_first_infinite_number_is_found(X):
    found = np.argwhere(np.isinf(X))
    assert first_infinite(X) == (tuple(found[0]) if len(found) else None)


@pytest.mark.parametrize("place", [(0, 0), (4_999, 6), (70_000, 3), (99_999, 6)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_first_infinite_number_is_found_in_a_long_table(place, order):
    X = np.asarray(np.random.default_rng(0).normal(size=(100_000, 7)).astype(np.float32), order=order)
    assert first_infinite(X) is None
    X[:, 1] = np.nan
    assert first_infinite(X) is None
    X[place] = -np.inf
    X[99_999, 6] = np.inf
    assert first_infinite(X) == place


@pytest.mark.parametrize(
    "shape", [(1, 1), (3, 2), (5_000, 1), (5_001, 3), (20_000, 7), (3, 5_000), (2, 2_048)]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_ranges_of_an_array_are_those_of_its_columns(shape, order):
    X = np.asarray(np.random.default_rng(1).normal(size=shape), order=order)
    X[-1, -1] = 9.0
    X[X > 2.5] = np.nan
    X[:, 0] = np.nan
    obvious = [column_range(np.ascontiguousarray(X[:, j])) for j in range(shape[1])]
    for span, expected, column in zip(dense_ranges(X), obvious, X.T, strict=True):
        np.testing.assert_equal(tuple(span), tuple(expected))
        present = column[~np.isnan(column)]
        assert span.has_missing == (len(present) < len(column))
        if len(present):
            assert (span.low, span.high) == (present.min(), present.max())


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_infinity_is_refused_when_learning_and_when_predicting(infinite):
    good, bad = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 2.0], [3.0, infinite]])
    sentence = r"column 'x1' holds infinity .*\(row 1\); replace it"
    for call in (
        lambda: Table.learn(bad),
        lambda: Table.match(bad, Table.learn(good).columns),
        lambda: Table.learn(pd.DataFrame(bad, columns=["x0", "x1"])),
        lambda: Table.match(pd.DataFrame(bad, columns=["x0", "x1"]), Table.learn(good).columns),
        lambda: Table.learn(bad.astype(object)),
        lambda: Table.learn(bad, categorical_features=[0]),
    ):
        with pytest.raises(ValueError, match=sentence):
            call()
