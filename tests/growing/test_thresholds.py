"""Where thresholds lie between the two training values that they separate."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles.thresholds import round_threshold

import hornbeam as hb
from hornbeam import _core
from hornbeam.data.columns import Column
from hornbeam.growing.thresholds import round_thresholds
from hornbeam.parts import Binary


def place(low: float, high: float, *, single: bool = False) -> float:
    return float(
        _core.round_thresholds(np.array([float(low)]), np.array([float(high)]), np.array([single]))[0]
    )


@pytest.mark.parametrize(
    ("low", "high", "threshold"),
    [
        (0.499, 0.508, 0.5035),  # the midpoint has four digits
        (2.7, 2.8, 2.75),
        (12345, 12346, 12345.5),  # half of a whole number
        (28.7125, 29.0, 28.9),
        (7.9104, 7.925, 7.92),
        (0.1231, 0.1238, 0.1234),  # of two equally near the lower
        (-65.9302, 69.6603, 0.0),
        (99.31237, 100.41234, 100.0),
    ],
)
def test_a_threshold_is_the_roundest_number_near_the_middle(low, high, threshold):
    assert place(low, high) == threshold
    assert round_threshold(low, high) == threshold


finite = st.floats(allow_nan=False, allow_infinity=False)
plain = st.builds(lambda k, n: k / 10**n, st.integers(-(10**6), 10**6), st.integers(0, 8))


@given(st.one_of(finite, plain), st.one_of(finite, plain))
def test_round_thresholds_equal_their_twin_in_fractions(a, b):
    low, high = sorted((a, b))
    if low < high:
        assert place(low, high) == round_threshold(low, high)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False), st.integers(1, 1000))
def test_round_thresholds_of_single_precision_equal_their_twin(low, steps):
    high = low
    for _ in range(steps):
        high = float(np.nextafter(np.float32(high), np.float32(np.inf)))
    if math.isfinite(high):
        assert place(low, high, single=True) == round_threshold(low, high, single=True)


@given(finite)
def test_neighbouring_floats_are_separated(low):
    high = math.nextafter(low, math.inf)
    if math.isfinite(high):
        assert low <= place(low, high) < high


@pytest.mark.slow
def test_thousands_of_random_margins_equal_their_twin():
    rng = np.random.default_rng(0)
    low = rng.normal(size=20_000) * 10.0 ** rng.integers(-300, 300, 20_000)
    high = low + np.abs(low) * 10.0 ** rng.uniform(-16, 3, 20_000)
    keep = np.isfinite(high) & (low < high)
    low, high = low[keep], high[keep]
    thresholds = _core.round_thresholds(low, high, np.zeros(len(low), dtype=bool))
    margins = zip(low.tolist(), high.tolist(), strict=True)
    assert thresholds.tolist() == [round_threshold(a, b) for a, b in margins]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        ("2019-11-20", "2020-02-20", "2020-01-01"),
        ("2020-01-25", "2020-02-20", "2020-02-01"),
        ("2020-02-03", "2020-02-05", "2020-02-04"),
        ("2020-02-03T09:10", "2020-02-03T12:20", "2020-02-03T11:00"),
        ("2020-02-03T09:10:01", "2020-02-03T09:10:04", "2020-02-03T09:10:02"),
    ],
)
def test_times_are_cut_at_the_start_of_a_long_unit(low, high, expected):
    ends = [np.array([np.datetime64(x, "us").astype("int64")], dtype=float) for x in (low, high)]
    threshold = round_thresholds(*ends, Column("t", "numeric", display="datetime64[us]"))
    assert np.datetime64(int(threshold[0]), "us") == np.datetime64(expected, "us")


def test_days_begin_at_midnight_of_the_column_s_time_zone():
    zone = dt.timezone(dt.timedelta(hours=2))
    ends = [dt.datetime(2020, 5, day, 20, tzinfo=zone).timestamp() * 1e6 for day in (5, 7)]
    column = Column("t", "numeric", display="datetime64[us, +02:00]")
    threshold = round_thresholds(np.array(ends[:1]), np.array(ends[1:]), column)
    assert dt.datetime.fromtimestamp(threshold[0] / 1e6, zone) == dt.datetime(2020, 5, 7, tzinfo=zone)


X, Y = {"x": [0.1, 0.2, 0.499, 0.5081, 0.7, 0.9]}, list("aaabbb")


@pytest.mark.parametrize(
    ("where", "threshold"), [("round", 0.504), ("midpoint", 0.50355), ("lower", 0.499), ("value", 0.499)]
)
def test_threshold_at_says_where_a_numeric_column_is_cut(where, threshold):
    model = hb.TreeClassifier(split=Binary(threshold_at=where)).fit(X, Y)
    assert model.tree_.threshold[0] == pytest.approx(threshold, abs=1e-15)


def test_round_is_the_default_and_what_is_printed_decides():
    model = hb.TreeClassifier().fit(X, Y)
    assert model.tree_.threshold[0] == 0.504
    assert "0.504" in hb.show(model)
    assert model.predict({"x": [0.504, np.nextafter(0.504, 1)]}).tolist() == ["a", "b"]
