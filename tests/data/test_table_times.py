"""Table: dates and times."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.support.people import column_of

from hornbeam.data.table import Table


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_dates_of_any_unit_become_the_same_numbers(unit):
    when = np.array(["2024-05-01T13:00:00", "NaT"], dtype=f"M8[{unit}]")
    column, values = Table.learn({"x": when}).columns[0], Table.learn({"x": when}).arrays[0]
    assert column.display == "datetime64[us]"
    assert column.text(values[0]) == "2024-05-01T13:00:00"
    assert np.isnan(values[1])


@pytest.mark.parametrize("unit", ["D", "h", "m", "W", "M", "Y", "25s"])
def test_dates_in_coarse_units_are_read(unit):
    when = np.array(["2024-01-01"], dtype="M8[D]").astype(f"M8[{unit}]")
    assert column_of(when).low == when.astype("M8[us]").astype(np.int64)[0]


def test_dates_with_zones_are_instants_and_print_in_their_zone():
    prague = pd.Series(pd.to_datetime(["2024-07-01 12:00", None])).dt.tz_localize("Europe/Prague")
    table = Table.learn({"x": prague})
    assert table.columns[0].display == "datetime64[us, Europe/Prague]"
    assert table.columns[0].text(table.arrays[0][0]) == "2024-07-01T12:00:00+02:00"
    elsewhere = pl.Series([dt.datetime(2024, 7, 1, 10)]).dt.replace_time_zone("UTC")
    assert Table.match({"x": elsewhere}, table.columns).arrays[0][0] == table.arrays[0][0]


def test_nanoseconds_are_kept_where_float64_can_hold_them_and_refused_where_not():
    spans = pd.Series(pd.to_timedelta([1, 2_005], unit="ns"))
    assert column_of(spans).display == "timedelta64[ns]"
    assert Table.learn({"x": spans}).arrays[0].tolist() == [1.0, 2005.0]
    stamps = pd.Series(pd.to_datetime([1_700_000_000_000_000_001], unit="ns"))
    with pytest.raises(
        ValueError, match=r"column 'x' holds times .* finer than float64 can keep apart; round it"
    ):
        column_of(stamps)


def test_times_as_categories_are_plain_dates():
    frame = pd.DataFrame({"x": pd.to_datetime(["2024-01-02", None, "2024-01-01"])})
    table = Table.learn(frame, categorical_features=["x"])
    assert table.columns[0].categories == (dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2))
    np.testing.assert_array_equal(Table.match(frame, table.columns).arrays[0], [1, -1, 0])
    fine = pd.DataFrame({"x": pd.to_datetime([1], unit="ns")})
    with pytest.raises(ValueError, match="column 'x' holds times finer than a microsecond"):
        Table.learn(fine, categorical_features=["x"])
