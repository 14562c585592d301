"""Table: any table becomes the same columns; what cannot be used is refused with one sentence."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from hornbeam.columns import UNSEEN, Column
from hornbeam.ranges import column_range, dense_ranges, first_infinite
from hornbeam.table import Table, one_row
from hornbeam.wholes import ceiling_floats, ceiling_thousandths, exact_floats

BIG = 2**53 + 1  # the first whole number float64 cannot hold

PEOPLE = {
    "age": [30.5, None, 41.0],
    "city": ["Brno", None, "Aš"],
    "member": [True, False, None],
    "visits": [3, 1, 2],
    "paid": [Decimal("1.10"), Decimal("2"), None],
    "since": [dt.date(2020, 1, 1), None, dt.date(2021, 6, 1)],
    "seen": [dt.datetime(2024, 5, 1, 13, 30), None, dt.datetime(2024, 5, 2)],
    "stay": [dt.timedelta(hours=5), dt.timedelta(days=-1), None],
}

FRAMES = {
    "dict": lambda: dict(PEOPLE),
    "records": lambda: [{k: v[i] for k, v in PEOPLE.items() if v[i] is not None} for i in range(3)],
    "pandas": lambda: pd.DataFrame(PEOPLE),
    "pandas nullable": lambda: pd.DataFrame(PEOPLE).convert_dtypes(),
    "polars": lambda: pl.DataFrame(PEOPLE),
    "pyarrow": lambda: pa.table(PEOPLE),
    "record batch": lambda: pa.record_batch(pa.table(PEOPLE).to_batches()[0].columns, names=list(PEOPLE)),
    "chunked pyarrow": lambda: pa.concat_tables([pa.table(PEOPLE).slice(0, 1), pa.table(PEOPLE).slice(1)]),
    "object array": lambda: np.array(list(zip(*PEOPLE.values(), strict=True)), dtype=object),
    "rows": lambda: list(zip(*PEOPLE.values(), strict=True)),
}


def column_of(values, **options) -> Column:
    return Table.learn({"x": values}, **options).columns[0]


def codes_of(values, **options) -> list[int]:
    return Table.learn({"x": values}, **options).arrays[0].tolist()


# Kinds ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", FRAMES)
def test_the_same_table_of_any_library_becomes_the_same_columns(library):
    table = Table.learn(FRAMES[library]())
    kinds = ["numeric", "nominal", "nominal", "numeric", "numeric", "numeric", "numeric", "numeric"]
    displays = ["", "", "", "int", "decimal", "datetime64[us]", "datetime64[us]", "timedelta64[us]"]
    assert table.n_rows == len(table) == 3
    assert [column.kind for column in table.columns] == kinds
    assert [column.display for column in table.columns] == displays
    assert table.columns[1].categories == ("Aš", "Brno")
    assert table.columns[2].categories == (False, True)
    assert [column.has_missing for column in table.columns] == [True] * 3 + [False] + [True] * 4
    assert table.columns[6].text(table.columns[6].low) == "2024-05-01T13:30:00"
    np.testing.assert_array_equal(table.arrays[0], [30.5, np.nan, 41.0])
    np.testing.assert_array_equal(table.arrays[1], [1, -1, 0])
    np.testing.assert_array_equal(table.arrays[2], [1, 0, -1])
    np.testing.assert_array_equal(table.arrays[4], [1.1, 2.0, np.nan])


@pytest.mark.parametrize("library", FRAMES)
def test_a_table_matches_itself_in_any_library(library):
    learned = Table.learn(PEOPLE)
    columns = learned.columns
    for expected, array in zip(learned.arrays, Table.match(FRAMES[library](), columns).arrays, strict=True):
        np.testing.assert_array_equal(array, expected)
        assert array.dtype == expected.dtype


def test_columns_are_named_by_the_frame_or_by_position():
    assert [c.name for c in Table.learn(FRAMES["pandas"]()).columns] == list(PEOPLE)
    assert [c.name for c in Table.learn(FRAMES["rows"]()).columns][:2] == ["x0", "x1"]
    assert [c.name for c in Table.learn(pd.DataFrame([[1, 2]])).columns] == ["0", "1"]
    assert [c.name for c in Table.learn(pd.DataFrame([[1, 2]], columns=[10, 20])).columns] == ["10", "20"]


@pytest.mark.parametrize(
    ("values", "kind", "categories"),
    [
        (np.array([1, 2], dtype=np.int8), "numeric", ()),
        (np.array([1.5, 2.5], dtype=np.float16), "numeric", ()),
        (np.array([True, False]), "nominal", (False, True)),
        (np.array(["b", "a"]), "nominal", ("a", "b")),
        (np.array([b"b", b"a"]), "nominal", ("a", "b")),
        (np.array([3, 2.5, None], dtype=object), "numeric", ()),
        (np.array(["b", np.nan], dtype=object), "nominal", ("b",)),
        (np.array([True, None], dtype=object), "nominal", (True,)),
        ([Fraction(1, 3), 2], "numeric", ()),
        ([np.datetime64("2020-01-01"), None], "numeric", ()),
        ([dt.time(1), dt.time(2)], "numeric", ()),
        ([None, None], "nominal", ()),
        (pd.Series(["b", "a"], dtype="category"), "nominal", ("a", "b")),
        (pd.Categorical(["a", "b"], ["c", "b", "a"]), "nominal", ("c", "b", "a")),
        (pd.Categorical(["a", "b"], ["c", "b", "a"], ordered=True), "ordinal", ("c", "b", "a")),
        (pd.Categorical([10, 9]), "nominal", (9, 10)),
        (pd.Series(["a", None], dtype="string"), "nominal", ("a",)),
        (pd.Series([True, None], dtype="boolean"), "nominal", (True,)),
        (pd.Series([1, None], dtype="Int64"), "numeric", ()),
        (pd.Series(pd.arrays.SparseArray([0.0, 1.0])), "numeric", ()),
        (pd.Series(pd.cut([1, 5], [0, 2, 9])), "ordinal", ("(0, 2]", "(2, 9]")),
        (pd.Series(pd.interval_range(0, 2)), "nominal", ("(0, 1]", "(1, 2]")),
        (pl.Series(["b", "a"], dtype=pl.Categorical), "nominal", ("a", "b")),
        (pl.Series(["b", "a"], dtype=pl.Enum(["c", "b", "a"])), "ordinal", ("c", "b", "a")),
        (pl.Series([1, 2.5], dtype=pl.Object), "numeric", ()),
        (pa.array(["b", "a"]).dictionary_encode(), "nominal", ("a", "b")),
        (pa.chunked_array([["b"], ["a"]]).dictionary_encode(), "nominal", ("a", "b")),
        (pa.DictionaryArray.from_arrays([1, 0], ["c", "a"], ordered=True), "ordinal", ("c", "a")),
        (pa.array([1, 2], pa.int16()), "numeric", ()),
    ],
    ids=lambda value: str(getattr(value, "dtype", getattr(value, "type", value)))[:40],
)
def test_the_kind_follows_from_the_type(values, kind, categories):
    column = column_of(values)
    assert (column.kind, column.categories) == (kind, categories)


def test_values_that_are_declared_but_absent_stay_in_the_domain_and_others_do_not():
    declared = pd.Series(pd.Categorical(["a", "b"], ["c", "b", "a"]))
    assert column_of(declared).categories == ("c", "b", "a")
    encoded = pa.array(["a", "b", "c"]).dictionary_encode().slice(0, 2)
    assert column_of(encoded).categories == ("a", "b")


def test_text_is_sorted_by_code_point_and_numbers_by_size():
    assert column_of(["b", "Z", "ä", "a"]).categories == ("Z", "a", "b", "ä")
    assert column_of([10, 9, 100], categorical_features=["x"]).categories == (9, 10, 100)
    assert column_of([0.0, -0.0, 2.0], categorical_features=["x"]).categories == (0.0, 2.0)


def test_missing_is_nan_none_na_and_nat():
    assert codes_of(np.array(["a", None, np.nan, pd.NA, pd.NaT], dtype=object)) == [0, -1, -1, -1, -1]
    frame = pd.DataFrame({"when": [pd.Timestamp("2024-01-01"), pd.NaT], "n": pd.array([1, pd.NA], "Int64")})
    assert [np.isnan(array).tolist() for array in Table.learn(frame).arrays] == [[False, True]] * 2
    assert np.isnan(Table.learn(pl.DataFrame({"f": [1.0, float("nan"), None]})).arrays[0]).tolist() == [
        0,
        1,
        1,
    ]
    masked = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]])
    np.testing.assert_array_equal(Table.learn(masked).arrays[1], [np.nan, 4.0])


def test_a_hundred_thousand_categories_are_learned_and_matched():
    values = np.arange(300_000) % 100_000
    frame = pd.DataFrame({"id": values.astype(str), "code": values})
    table = Table.learn(frame, categorical_features=["code"])
    matched = Table.match(frame, table.columns)
    assert [len(column.categories) for column in table.columns] == [100_000, 100_000]
    for one, other in zip(table.arrays, matched.arrays, strict=True):
        np.testing.assert_array_equal(one, other)


# Times ----------------------------------------------------------------------------------------------------


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


# Categorical features -------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", [["b"], [1], (1,), np.array([1]), [False, True], np.array([False, True])])
def test_columns_called_categorical_become_nominal(chosen):
    table = Table.learn(pd.DataFrame({"a": [1, 2], "b": [20, 10]}), categorical_features=chosen)
    assert [column.kind for column in table.columns] == ["numeric", "nominal"]
    assert table.columns[1].categories == (10, 20)
    assert table.arrays[1].tolist() == [1, 0]


def test_columns_of_an_array_are_called_categorical_by_position():
    table = Table.learn(np.array([[5.0, 1.0], [3.0, 2.0], [5.0, np.nan]]), categorical_features=[0])
    assert table.columns[0].categories == (3.0, 5.0)
    assert table.arrays[0].tolist() == [1, 0, 1]
    np.testing.assert_array_equal(table.arrays[1], [1.0, 2.0, np.nan])
    assert table.dense is None


@pytest.mark.parametrize("nothing", [None, [], [False] * 4])
def test_with_no_column_called_categorical_only_what_is_no_number_is_nominal(nothing):
    frame = pd.DataFrame(
        {
            "number": pd.Categorical([3, 1, None]),
            "text": pd.Categorical(["a", "b", "a"]),
            "flag": [True, False, True],
            "grade": pd.Categorical(["b", "a", "b"], ["b", "a"], ordered=True),
        }
    )
    table = Table.learn(frame, categorical_features=nothing)
    assert [column.kind for column in table.columns] == ["numeric", "nominal", "nominal", "ordinal"]
    np.testing.assert_array_equal(table.arrays[0], [3.0, 1.0, np.nan])
    encoded = {"x": pa.array([3, 1]).dictionary_encode()}
    assert Table.learn(encoded, categorical_features=None).columns[0].kind == "numeric"


def test_an_ordinal_column_called_categorical_is_nominal_with_its_declared_domain():
    grade = pd.DataFrame({"g": pd.Categorical(["b", "a"], ["b", "c", "a"], ordered=True)})
    column = Table.learn(grade, categorical_features=["g"]).columns[0]
    assert (column.kind, column.categories) == ("nominal", ("b", "c", "a"))


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ("age", "categorical_features='age' must be 'from_dtype', None, or a list"),
        ([1.5], r"categorical_features=\[1.5\] must be"),
        (["age", 1], "must be 'from_dtype', None, or a list"),
        ([7], "holds the position 7, which must be one of 0 to 1"),
        ([-1], "holds the position -1"),
        ([True], "has 1 booleans, but X has 2 columns"),
        (["agee"], r"names the column 'agee', which X does not have \(did you mean 'age'\?\)"),
    ],
)
def test_a_wrong_choice_of_categorical_features_is_one_sentence(chosen, message):
    with pytest.raises(ValueError, match=message):
        Table.learn({"age": [1], "size": [2]}, categorical_features=chosen)


def test_names_of_categorical_features_need_a_table_with_names():
    with pytest.raises(ValueError, match="names the column 'age', but X has no column names"):
        Table.learn(np.ones((2, 2)), categorical_features=["age"])


# Borrowing ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_float_array_is_kept_as_it_is(dtype, order):
    X = np.asarray(np.arange(12.0).reshape(4, 3), dtype=dtype, order=order)
    X.flags.writeable = False
    for table in (Table.learn(X), Table.match(X, Table.learn(X).columns)):
        assert table.dense is X
        assert all(np.shares_memory(array, X) for array in table.arrays)
    assert Table.learn(X).columns[1] == Column(
        "x1", "numeric", (), "float32" if dtype == np.float32 else "", 1.0, 10.0
    )


def test_float_columns_of_frames_are_views():
    values = np.arange(4.0)
    assert np.shares_memory(Table.learn({"x": values}).arrays[0], values)
    frame = pd.DataFrame({"x": values})
    assert np.shares_memory(Table.learn(frame).arrays[0], frame["x"].to_numpy())
    arrow = pa.table({"x": pa.array(values)})
    assert np.shares_memory(Table.learn(arrow).arrays[0], arrow["x"].chunk(0).to_numpy())


@pytest.mark.parametrize("dtype", ["i1", "i4", "u8", "f2", ">f4", ">f8", "longdouble"])
def test_arrays_of_other_numbers_are_converted_once(dtype):
    X = np.array([[1, 2], [3, 4]], dtype=dtype)
    table = Table.learn(X)
    assert table.dense.dtype in (np.float32, np.float64)
    assert table.dense.dtype.isnative
    np.testing.assert_array_equal(table.dense, X.astype(float))
    np.testing.assert_array_equal(Table.match(X, table.columns).dense, table.dense)


def test_an_unaligned_array_is_copied_to_an_aligned_one():
    X = np.frombuffer(b"\0" + np.arange(4.0).tobytes(), dtype=np.float64, offset=1).reshape(2, 2)
    assert not X.flags.aligned
    np.testing.assert_array_equal(Table.learn(X).dense, [[0, 1], [2, 3]])
    assert Table.match(X, Table.learn(X).columns).dense.flags.aligned


def test_a_table_says_what_it_is():
    assert repr(Table.learn({"a": [1], "b": ["x"]})) == "Table(1 rows: a numeric, b nominal)"


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


# Tables that are refused ----------------------------------------------------------------------------------


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
        (scipy.sparse.csr_array(np.eye(2)), TypeError, "Sparse data was passed for X.*toarray"),
        (scipy.sparse.coo_matrix(np.eye(2)), TypeError, "Sparse data was passed for X.*toarray"),
        (
            pl.LazyFrame({"a": [1]}),
            TypeError,
            r"'LazyFrame', whose rows are not in memory yet; call its collect",
        ),
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


# Matching -------------------------------------------------------------------------------------------------

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
        ({"when": ["2024-01-01"]}, "column 'when' was learned from times, but X holds text"),
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


# One row --------------------------------------------------------------------------------------------------


def test_one_row_is_taken_from_anything_that_holds_one():
    frame = pd.DataFrame(PEOPLE)
    frame["kind"] = pd.Categorical(["a", "b", "a"])
    frame["bin"] = pd.cut([1, 2, 3], [0, 1, 5])
    table = Table.learn(frame)
    for i in range(3):
        records = (
            frame.iloc[i],
            frame.iloc[i].to_dict(),
            frame.iloc[[i]],
            list(frame.iloc[i]),
            tuple(frame.iloc[i]),
            frame.iloc[i].to_numpy(),
            [frame.iloc[i].to_dict()],
        )
        for record in records:
            row = one_row(record, table.columns)
            assert row.n_rows == 1
            for one, many in zip(row.arrays, table.arrays, strict=True):
                np.testing.assert_array_equal(one, many[i : i + 1])


def test_one_row_of_numbers_is_a_plain_array():
    columns = Table.learn(np.array([[1.0, 2.0], [3.0, 4.0]])).columns
    for record in (
        np.array([5.0, 6.0]),
        np.array([[5.0, 6.0]]),
        [5, 6],
        (5, 6),
        pl.Series([5.0, 6.0]),
        [[5, 6]],
    ):
        assert [array[0] for array in one_row(record, columns).arrays] == [5.0, 6.0]


def test_one_row_refuses_several_rows_the_wrong_width_and_a_missing_name():
    columns = Table.learn(pd.DataFrame({"a": [1.0], "b": [2.0]})).columns
    with pytest.raises(ValueError, match="one row is expected, but 2 were given; pick one"):
        one_row(pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]}), columns)
    with pytest.raises(ValueError, match="X has 1 features, but TreeRegressor is expecting 2"):
        one_row([1.0], columns, "TreeRegressor")
    with pytest.raises(ValueError, match="X has no column 'b'"):
        one_row({"a": 1.0}, columns)
