"""Table: any table becomes the same columns, borrowed where they can be."""

import datetime as dt
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.support.people import FRAMES, PEOPLE, codes_of, column_of

from hornbeam.data.columns import Column
from hornbeam.data.table import Table

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


def test_lazy_frames_of_this_machine_are_collected():
    lazy = pl.LazyFrame({"a": [1.0, 2.0, 5.0], "b": ["x", "y", "x"]}).filter(pl.col("a") < 4)
    table = Table.learn(lazy)
    assert [column.name for column in table.columns] == ["a", "b"]
    assert table.arrays[0].tolist() == [1.0, 2.0]
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("select unnest([1.0, 2.0]) as a, unnest(['x', 'y']) as b")
    assert [array.tolist() for array in Table.learn(relation).arrays] == [a.tolist() for a in table.arrays]
