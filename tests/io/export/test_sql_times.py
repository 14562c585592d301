"""Times in SQL: rows on a cut and beside it, in the forms and types that databases have for them."""

import datetime as dt
import sqlite3

import numpy as np
import pandas as pd
import pytest
from tests.io.export.time_cases import AFTER, BEFORE, CUT, MICRO, cut_tree

import hornbeam as hb
from hornbeam.data.columns import Column


def ask(connection, tree, values, kind=""):
    """What a query answers for the values of one column."""
    connection.execute("DROP TABLE IF EXISTS data")
    connection.execute(f'CREATE TABLE data (id INTEGER, "when" {kind})')
    connection.executemany("INSERT INTO data VALUES (?, ?)", list(enumerate(values)))
    return [row[1] for row in sorted(connection.execute(hb.export(tree, "sql", keep=["id"])).fetchall())]


def ask_sqlite(tree, values):
    return ask(sqlite3.connect(":memory:"), tree, values)


def test_iso_text_of_every_form_is_compared_as_the_time_it_is_in_sqlite():
    tree = cut_tree()
    assert ask_sqlite(tree, BEFORE) == ["before"] * len(BEFORE)
    assert ask_sqlite(tree, AFTER) == ["after"] * len(AFTER)
    assert ask_sqlite(tree, [None, ""]) == ["gap", "gap"]


def test_a_day_on_a_cut_at_midnight_is_before_it_with_and_without_a_time_of_day():
    tree = cut_tree(dt.datetime(2024, 3, 1))
    same = ["2024-03-01", "2024-03-01 00:00", "2024-03-01T00:00:00.000"]
    assert ask_sqlite(tree, same) == ["before"] * 3
    assert ask_sqlite(tree, ["2024-03-01 00:00:00.000001", "2024-03-02"]) == ["after", "after"]


@pytest.mark.parametrize(
    "value",
    [
        *(1709296200, 2460371.02, "01.03.2024", "3/1/2024", "2024-3-1", "soon", "20240301"),
        *("2024-03-01 12:30:00+01:00", "2024-03-01T12:30:00Z", "2024-03-01 9:05", "2024-03-01 12:30:5"),
    ],
)
def test_what_is_no_iso_text_of_a_time_without_a_zone_makes_sqlite_fail(value):
    with pytest.raises(sqlite3.OperationalError, match="overflow"):
        ask_sqlite(cut_tree(), ["2024-03-01", value])


def test_text_of_times_with_a_zone_must_be_utc_in_sqlite():
    zoned = cut_tree(display="datetime64[us, Europe/Prague]")
    same = ["2024-03-01 12:30:00+00:00", "2024-03-01T12:30Z", "2024-03-01T12:30:00.000+00:00"]
    assert ask_sqlite(zoned, same) == ["before"] * 3
    assert ask_sqlite(zoned, ["2024-03-01T12:30:00.000001Z"]) == ["after"]
    for value in ("2024-03-01 12:30:00", "2024-03-01 13:30:00+01:00", "2024-03-01T12:30-00:00"):
        with pytest.raises(sqlite3.OperationalError, match="overflow"):
            ask_sqlite(zoned, [value])
    utc = cut_tree(display="datetime64[us, UTC]")
    assert ask_sqlite(utc, ["2024-03-01 12:30:00", "2024-03-01 12:30:00.1"]) == ["before", "after"]


def test_a_frame_that_pandas_wrote_to_sqlite_gets_the_answers_of_the_model():
    rng = np.random.default_rng(2)
    when = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 10**13, 150), unit="us"))
    X = pd.DataFrame({"when": when, "n": rng.integers(0, 5, 150).astype(float)})
    y = (X["when"] > "2024-02-15") ^ (X["n"] > 2)
    X.loc[::10, "when"] = None
    model = hb.TreeClassifier(max_depth=4).fit(X, y)
    connection = sqlite3.connect(":memory:")
    X.to_sql("data", connection, index_label="id")
    rows = sorted(connection.execute(hb.export(model, "sql", keep=["id"])).fetchall())
    assert [bool(row[1]) for row in rows] == model.predict(X).tolist()


@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMP_S", "DATE"])
def test_duckdb_compares_times_of_every_type(kind):
    base = pytest.importorskip("duckdb", reason="duckdb is not installed").connect()
    values = ["2024-02-29", "2024-03-01", "2024-03-02", None]
    assert ask(base, cut_tree(), values, kind) == ["before", "before", "after", "gap"]
    if kind in ("TIMESTAMP", "TIMESTAMP_NS"):
        beside = [str(CUT), str(CUT + MICRO), *(["2024-03-01 12:30:00.000000001"] * (kind == "TIMESTAMP_NS"))]
        assert ask(base, cut_tree(), beside, kind) == ["before", "after", "after"][: len(beside)]


def test_duckdb_compares_instants_whatever_the_zone_of_the_session():
    base = pytest.importorskip("duckdb", reason="duckdb is not installed").connect()
    base.execute("SET TimeZone = 'America/New_York'")
    zoned = cut_tree(display="datetime64[us, Europe/Prague]")
    values = ["2024-03-01 13:30:00+01:00", "2024-03-01 12:30:00.000001+00:00", None]
    assert ask(base, zoned, values, "TIMESTAMPTZ") == ["before", "after", "gap"]


@pytest.mark.parametrize("kind", ["VARCHAR", "BIGINT", "DOUBLE"])
def test_duckdb_refuses_columns_that_hold_no_times(kind):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    with pytest.raises(duckdb.BinderException, match="Cannot compare values of type"):
        ask(duckdb.connect(), cut_tree(), [None], kind)


def test_clock_times_are_compared_in_both():
    tree = cut_tree(dt.timedelta(hours=12, minutes=30), "time64[us]")
    values = ["12:30", "12:30:00.000", "12:30:00.000001", "00:00:00", "23:59:59.999999", None]
    said = ["before", "before", "after", "before", "after", "gap"]
    assert ask_sqlite(tree, values) == said
    with pytest.raises(sqlite3.OperationalError, match="overflow"):
        ask_sqlite(tree, ["9:30"])
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    assert ask(duckdb.connect(), tree, ["12:30:00", *values[1:]], "TIME") == said


def test_sql_refuses_what_databases_cannot_compare():
    for display in ("timedelta64[us]", "timedelta64[ns]"):
        with pytest.raises(
            ValueError, match="column 'when' holds spans of time, for which databases have no"
        ):
            hb.export(cut_tree(display=display), "sql")
    with pytest.raises(
        ValueError, match="column 'when' was learned in nanoseconds, which the times of datab"
    ):
        hb.export(cut_tree(dt.timedelta(hours=1), "time64[ns]"), "sql")
    tree = hb.Tree.from_nested(
        {"expression": "when > 5", "yes": "p", "no": "q"},
        [Column("when", "numeric", display="datetime64[us]")],
    )
    with pytest.raises(ValueError, match="the tree calculates with the times of column 'when', which SQL"):
        hb.export(tree, "sql")
    far = {"column": "when", "<=": 1e18, "yes": "p", "no": "q"}
    with pytest.raises(ValueError, match="cuts column 'when' outside of the years 1 to 9999"):
        hb.export(hb.Tree.from_nested(far, [Column("when", "numeric", display="datetime64[us]")]), "sql")
