"""Column: what a person reads for a number or a code, and that saving loses nothing."""

import datetime as dt
import json
import math
import pickle
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.data.columns import Column

PRAGUE = ZoneInfo("Europe/Prague")


def micros(*when: int) -> float:
    return (dt.datetime(*when) - dt.datetime(1970, 1, 1)) / dt.timedelta(microseconds=1)


def numeric(display: str = "") -> Column:
    return Column("x", "numeric", display=display)


@pytest.mark.parametrize(
    ("display", "value", "text"),
    [
        ("", 3.0, "3"),
        ("", 2.50, "2.5"),
        ("", 0.1, "0.1"),
        ("", -0.0, "0"),
        ("", 1e-7, "1e-07"),
        ("", 1e22, "1e+22"),
        ("", math.inf, "inf"),
        ("", math.nan, "Missing"),
        ("", 0.1 + 0.2, "0.30000000000000004"),
        ("float32", float(np.float32(0.1)), "0.1"),
        ("float32", 0.1, "0.1"),
        ("float32", 1e300, "1e+300"),
        ("float32", (float(np.float32(0.1)) + float(np.float32(0.2))) / 2, "0.15000000223517418"),
        ("int", 2.5, "2.5"),
        ("int", 2.0**53, "9007199254740992"),
        ("decimal", 1e-7, "0.0000001"),
        ("datetime64[us]", 0.0, "1970-01-01"),
        ("datetime64[us]", micros(2024, 5, 1), "2024-05-01"),
        ("datetime64[us]", micros(2024, 5, 1, 13, 0, 5), "2024-05-01T13:00:05"),
        ("datetime64[us]", micros(2024, 5, 1, 13, 0, 5, 250_000), "2024-05-01T13:00:05.25"),
        ("datetime64[us]", micros(1960, 5, 1, 13), "1960-05-01T13:00:00"),
        ("datetime64[us]", 1e18, "33658-09-27T01:46:40"),
        ("datetime64[us]", math.nan, "Missing"),
        ("datetime64[ns]", 1_000_000_001.0, "1970-01-01T00:00:01.000000001"),
        ("datetime64[us, Europe/Prague]", micros(2024, 4, 30, 22), "2024-05-01"),
        ("datetime64[us, Europe/Prague]", micros(2024, 5, 1, 22, 0, 1), "2024-05-02T00:00:01+02:00"),
        ("datetime64[us, -03:30]", micros(2024, 5, 1, 4, 30), "2024-05-01T01:00:00-03:30"),
        ("datetime64[us, No/Where]", micros(2024, 5, 1, 4, 30), "2024-05-01T04:30:00+00:00"),
        ("timedelta64[us]", 86_400e6, "1 day"),
        ("timedelta64[us]", 3 * 86_400e6 + 3_661e6, "3 days 01:01:01"),
        ("timedelta64[us]", -7_200e6, "-02:00:00"),
        ("timedelta64[us]", 0.0, "00:00:00"),
        ("timedelta64[ns]", 5.0, "00:00:00.000000005"),
        ("time64[us]", 13 * 3_600e6 + 60e6, "13:01:00"),
    ],
)
def test_a_number_is_written_with_the_fewest_digits_or_as_the_time_it_is(display, value, text):
    assert numeric(display).text(value) == text


@given(st.floats(allow_nan=False))
def test_the_text_of_a_number_reads_back_as_the_same_number(value):
    assert float(numeric().text(value)) == value


@given(st.floats(width=32, allow_nan=False))
def test_the_text_of_a_float32_reads_back_as_the_same_float32(value):
    assert np.float32(float(numeric("float32").text(value))) == np.float32(value)


@given(st.datetimes())
def test_the_text_of_a_date_is_iso(moment):
    value = (moment - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)
    column = numeric("datetime64[us]")
    if float(value) == value:
        assert dt.datetime.fromisoformat(column.text(float(value))) == moment


@pytest.mark.parametrize(
    ("category", "text"),
    [
        ("red", "red"),
        (True, "True"),
        (2, "2"),
        (2.0, "2"),
        (2.5, "2.5"),
        (dt.date(2024, 5, 1), "2024-05-01"),
        (dt.datetime(2024, 5, 1), "2024-05-01"),
        (dt.datetime(2024, 5, 1, 13), "2024-05-01T13:00:00"),
        (dt.timedelta(days=2), "2 days"),
        (dt.time(13), "13:00:00"),
    ],
)
def test_a_code_is_written_as_its_category(category, text):
    assert Column("x", "nominal", (category,)).text(0) == text


def test_a_negative_code_is_missing_and_a_cut_names_the_last_category_below():
    size = Column("size", "ordinal", ("small", "medium", "large"))
    assert size.text(-1) == "Missing"
    assert size.text(math.nan) == "Missing"
    assert size.text(1.5) == "medium"


SAVED = [
    Column("plain", "numeric"),
    Column("range", "numeric", low=0.1, high=1e300, has_missing=True),
    Column("infinite", "numeric", low=-math.inf, high=math.inf),
    Column("when", "numeric", display="datetime64[us, Europe/Prague]", low=1.0, high=2.0),
    Column("letters", "nominal", ("a", "ä", "", "\U0001f600")),
    Column("flag", "nominal", (False, True)),
    Column("ids", "nominal", (2**53, 2**53 + 1, -(2**70))),
    Column("floats", "nominal", (1.0, 2.5, math.inf)),
    Column("days", "nominal", (dt.date(2020, 2, 29),)),
    Column("moments", "nominal", (dt.datetime(2020, 1, 1, 2, 3, 4, 5),)),
    Column("zoned", "nominal", (dt.datetime(2020, 7, 1, tzinfo=PRAGUE),)),
    Column("offset", "nominal", (dt.datetime(2020, 7, 1, tzinfo=dt.timezone(dt.timedelta(hours=-3))),)),
    Column("spans", "ordinal", (dt.timedelta(days=-1, microseconds=7),)),
    Column("clock", "ordinal", (dt.time(1, 2, 3),)),
]


@pytest.mark.parametrize("column", SAVED, ids=lambda column: column.name)
def test_saving_as_json_loses_nothing(column):
    back = Column.from_dict(json.loads(json.dumps(column.to_dict(), allow_nan=False)))
    assert back == column
    assert hash(back) == hash(column)
    assert [type(value) for value in back.categories] == [type(value) for value in column.categories]
    assert [str(value) for value in back.categories] == [str(value) for value in column.categories]


def test_what_json_cannot_hold_is_refused_with_a_sentence():
    with pytest.raises(TypeError, match=r"category .* of type 'object' cannot be saved"):
        Column("x", "nominal", (object(),)).to_dict()


def test_columns_are_equal_by_content_even_without_a_range():
    assert Column("x", "numeric", low=float("nan")) == Column("x", "numeric", low=np.float64("nan"))
    assert Column("x", "numeric") != Column("y", "numeric")
    assert Column("x", "numeric") != "x"


def test_a_column_survives_pickling_without_what_it_cached():
    column = Column("x", "nominal", ("a", "b"))
    assert column.code_of == {"a": 0, "b": 1}
    back = pickle.loads(pickle.dumps(column))
    assert back == column
    assert "code_of" not in back.__dict__
    assert back.code_of == {"a": 0, "b": 1}


def test_a_column_refuses_an_unknown_kind_and_a_name_that_is_no_text():
    with pytest.raises(ValueError, match="kind='boolean' of column 'x' must be one of numeric"):
        Column("x", "boolean")
    with pytest.raises(TypeError, match="name=3 of a column must be text; use '3'"):
        Column(3, "numeric")
