"""Table: new rows are matched with the columns that were learned."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.people import BIG

from hornbeam.data.columns import UNSEEN
from hornbeam.data.table import Table

LEARNED = Table.learn(
    pd.DataFrame(
        {
            "age": [30.0, 40.0],
            "city": ["Brno", "Aš"],
            "code": pd.Categorical([1, 2]),
            "when": pd.to_datetime(["2024-01-01", "2024-02-01"]),
        }
    )
).columns


def matched(**changes):
    frame = {"age": [35.0], "city": ["Aš"], "code": [2], "when": [dt.datetime(2024, 1, 5)]}
    return dict(zip([c.name for c in LEARNED], Table.match(frame | changes, LEARNED).arrays, strict=True))


def test_columns_match_by_name_in_any_order_among_others():
    frame = pd.DataFrame(
        {
            "new": [0],
            "when": pd.to_datetime(["2024-01-05"]),
            "code": [1],
            "city": ["Brno"],
            "age": [1],
            "bad": [object()],
        }
    )
    arrays = Table.match(frame, LEARNED).arrays
    assert [array[0] for array in arrays[:3]] == [1.0, 1, 0]


def test_unseen_categories_have_a_code_of_their_own():
    assert matched(city=["Plzeň"])["city"].tolist() == [UNSEEN]
    assert matched(code=[7])["code"].tolist() == [UNSEEN]
    assert matched(city=[None])["city"].tolist() == [-1]
    assert matched(city=[np.nan])["city"].tolist() == [-1]
    assert np.isnan(matched(age=[None])["age"][0])
    assert np.isnan(matched(when=[None])["when"][0])
    assert np.isnan(matched(when=[float("nan")])["when"][0])


@pytest.mark.parametrize(
    "code", [[2], [2.0], np.array([2], dtype=np.float32), [Decimal(2)], pd.Categorical([2], [5, 2, 1])]
)
def test_numbers_as_categories_match_by_value_whatever_their_type(code):
    assert matched(code=code)["code"].tolist() == [1]


def test_categories_match_by_value_whatever_their_codes():
    other = pd.Series(pd.Categorical(["Brno", "Aš", "Zlín", None], ["Zlín", "Brno", "Aš"]))
    arrays = Table.match({"city": other}, [LEARNED[1]]).arrays
    assert arrays[0].tolist() == [1, 0, UNSEEN, -1]
    for same in (pl.Series(["Brno"], dtype=pl.Categorical), pa.array(["Brno"]).dictionary_encode(), ["Brno"]):
        assert Table.match({"city": same}, [LEARNED[1]]).arrays[0].tolist() == [1]


def test_booleans_match_the_numbers_zero_and_one():
    columns = Table.learn({"flag": [True, False]}).columns
    assert Table.match({"flag": [1, 0, 2]}, columns).arrays[0].tolist() == [1, 0, UNSEEN]
    numbers = Table.learn({"flag": [1, 0]}).columns
    assert Table.match({"flag": [True, False]}, numbers).arrays[0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"age": ["old"]}, "column 'age' was learned from numbers, but X holds text there; convert it"),
        ({"age": [dt.date(2024, 1, 1)]}, "column 'age' was learned from numbers, but X holds datetime64"),
        ({"age": pd.Categorical(["x"])}, "column 'age' was learned from numbers, but X holds categories"),
        ({"when": [17.0]}, "column 'when' was learned from times, but X holds numbers"),
        ({"when": ["yesterday"]}, "column 'when' was learned from times, but X holds text"),
        ({"when": [dt.timedelta(1)]}, "column 'when' was learned from times, but X holds timedelta64"),
        ({"city": [3]}, "column 'city' was learned from categories such as 'Aš', but X holds numbers"),
        ({"code": ["2"]}, "column 'code' was learned from categories such as 1, but X holds text"),
    ],
)
def test_a_column_of_another_type_than_in_training_is_refused(changes, message):
    with pytest.raises(TypeError, match=message):
        matched(**changes)


def test_times_with_and_without_zone_do_not_mix():
    zoned = [dt.datetime(2024, 1, 1, tzinfo=dt.UTC)]
    with pytest.raises(TypeError, match=r"column 'when' was learned without a time zone, but X has .*UTC"):
        matched(when=pl.Series(zoned))
    columns = Table.learn({"when": pl.Series(zoned)}).columns
    with pytest.raises(TypeError, match="was learned in the time zone UTC, but X has no time zone there"):
        Table.match({"when": [dt.datetime(2024, 1, 1)]}, columns)


def test_times_match_whatever_their_unit():
    exact = matched(when=np.array(["2024-01-05"], dtype="M8[D]"))["when"]
    assert matched(when=np.array(["2024-01-05"], dtype="M8[ns]"))["when"] == exact
    assert matched(when=[dt.date(2024, 1, 5)])["when"] == exact
    finer = matched(when=np.array(["2024-01-05T00:00:00.000000001"], dtype="M8[ns]"))["when"]
    assert exact < finer < exact + 1
    spans = Table.learn({"x": pd.to_timedelta([1, 2], unit="ns")}).columns
    assert Table.match({"x": [dt.timedelta(microseconds=3)]}, spans).arrays[0].tolist() == [3000.0]


def test_large_whole_numbers_are_rounded_up_when_predicting():
    columns = Table.learn(np.array([[1.0], [2.0]])).columns
    for X in (np.array([[BIG]]), {"x0": [BIG]}, {"x0": pd.Series([BIG], dtype="Int64")}):
        assert Table.match(X, columns).arrays[0].tolist() == [BIG + 1]


def test_a_column_that_had_no_value_in_training_takes_anything():
    columns = Table.learn({"empty": [None, None]}).columns
    for values, code in ((["a"], UNSEEN), ([1.5], UNSEEN), ([dt.date(2024, 1, 1)], UNSEEN), ([None], -1)):
        assert Table.match({"empty": values}, columns).arrays[0].tolist() == [code]


def test_a_missing_column_is_named_with_the_one_that_was_meant():
    columns = Table.learn({"petal width": [1.0], "sepal": [2.0]}).columns
    with pytest.raises(ValueError, match=r"X has no column 'petal width' \(did you mean 'petal_width'\?\)"):
        Table.match({"petal_width": [1.0], "sepal": [2.0]}, columns)
    with pytest.raises(ValueError, match=r"X has no column 'petal width' \(nor 'sepal'\), which MyTree was"):
        Table.match({"z": [1.0]}, columns, "MyTree")


@pytest.mark.parametrize(
    "X", [np.ones((2, 3)), [[1, 2, 3]], np.ones((2, 3), dtype=int), np.ones((2, 3), object)]
)
def test_arrays_match_by_position_and_their_width_is_checked(X):
    columns = Table.learn(pd.DataFrame(np.ones((2, 4)), columns=list("abcd"))).columns
    message = "X has 3 features, but TreeClassifier is expecting 4 features as input."
    with pytest.raises(ValueError, match=message):
        Table.match(X, columns, "TreeClassifier")
    assert Table.match(np.ones((5, 4)), columns).n_rows == 5


def test_a_frame_for_a_model_learned_without_names_matches_by_position():
    columns = Table.learn(np.array([[1.0, 2.0]])).columns
    frame = pd.DataFrame({"a": [3.0], "b": [4.0]})
    assert [array[0] for array in Table.match(frame, columns).arrays] == [3.0, 4.0]
    assert [array[0] for array in Table.match(pd.DataFrame([[3.0, 4.0]]), columns).arrays] == [3.0, 4.0]
    with pytest.raises(ValueError, match="X has 1 features, but Tree is expecting 2"):
        Table.match(frame[["a"]], columns)


def test_a_float_array_for_nominal_columns_is_matched_by_value():
    X = np.array([[5.0, 1.0], [3.0, 2.0]])
    columns = Table.learn(X, categorical_features=[0]).columns
    table = Table.match(np.array([[3, 1], [4, 2]]), columns)
    assert table.arrays[0].tolist() == [0, UNSEEN]
    dates = Table.learn({"x0": [dt.date(2024, 1, 1)]}).columns
    with pytest.raises(TypeError, match="column 'x0' was learned from times, but X holds numbers"):
        Table.match(np.ones((1, 1)), dates)


def test_no_rows_are_fine_when_predicting():
    assert Table.match(np.empty((0, 4)), Table.learn(np.ones((1, 4))).columns).n_rows == 0
    empty = Table.match(pd.DataFrame({"age": [], "city": [], "code": [], "when": []}), LEARNED)
    assert [len(array) for array in empty.arrays] == [0, 0, 0, 0]


@given(st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=1, max_size=20), st.randoms())
def test_the_codes_of_text_are_positions_in_the_sorted_domain(values, random):
    table = Table.learn({"x": values})
    domain = sorted({value for value in values if value is not None})
    assert table.columns[0].categories == tuple(domain)
    assert table.arrays[0].tolist() == [-1 if v is None else domain.index(v) for v in values]
    shuffled = random.sample(values, len(values))
    assert Table.learn({"x": shuffled}).columns == table.columns
