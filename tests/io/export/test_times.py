"""Times in exports: what Python and JavaScript have for them, compared as the tree compares it."""

import datetime as dt
import json
import shutil
import sqlite3
import subprocess

import numpy as np
import pandas as pd
import pytest
from tests.io.export.case import Case
from tests.io.export.cases import CASES
from tests.io.export.runners import expected, run_duckdb, run_javascript, run_python, run_sqlite
from tests.io.export.time_cases import AFTER, BEFORE, CUT, MICRO, cut_tree

import hornbeam as hb
from hornbeam.parts import ColumnSets, Predicates


def functions(tree):
    space = {}
    exec(hb.export(tree, "python"), space)
    return space


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CUT, CUT + MICRO),
        (pd.Timestamp(CUT), pd.Timestamp(CUT) + pd.Timedelta(1, "ns")),
        (np.datetime64(CUT), np.datetime64("2024-03-01T12:30:00.000000001")),
        (np.datetime64("2024-03"), np.datetime64("2024-04")),
        (dt.date(2024, 3, 1), dt.date(2024, 3, 2)),
        ("2024-03-01T12:30", "2024-03-01 12:30:00.000001"),
        ("2024-03-01", "2024-03-02"),
        (int(CUT.replace(tzinfo=dt.UTC).timestamp() * 1e6), 1709296200000001.0),
    ],
)
def test_the_python_export_takes_times_as_python_numpy_and_pandas_have_them(before, after):
    predict = functions(cut_tree())["predict"]
    assert predict({"when": before}) == "before"
    assert predict({"when": after}) == "after"


def test_gaps_among_times_are_gaps_in_the_python_export():
    predict = functions(cut_tree())["predict"]
    for gap in (None, pd.NaT, np.datetime64("NaT"), float("nan"), pd.NA):
        assert predict({"when": gap}) == "gap"
    assert predict({}) == "gap"


def test_the_python_export_compares_instants_in_any_zone():
    predict = functions(cut_tree(display="datetime64[us, UTC]"))["predict"]
    east = dt.timezone(dt.timedelta(hours=5, minutes=30))
    for same in (CUT.replace(tzinfo=dt.UTC), CUT.replace(tzinfo=dt.UTC).astimezone(east)):
        assert predict({"when": same}) == "before"
        assert predict({"when": same + MICRO}) == "after"
        assert predict({"when": same.isoformat()}) == "before"
        assert predict({"when": pd.Timestamp(same)}) == "before"
    assert predict({"when": "2024-03-01T12:30:00.000001Z"}) == "after"


@pytest.mark.parametrize(
    ("value", "fault", "why"),
    [
        ("March", ValueError, "column 'when': 'March' is no ISO text such as 2024-03-01 12:30:00"),
        ("2023-02-29", ValueError, "'2023-02-29' is no ISO text"),
        ("2024-03-01 24:00", ValueError, "is no ISO text"),
        (CUT.replace(tzinfo=dt.UTC), TypeError, "column 'when' takes a date or a time without a zone, or a"),
        (
            "2024-03-01T12:30Z",
            TypeError,
            "takes a date or a time without a zone, or a number of microseconds",
        ),
        (dt.time(12, 30), TypeError, "not datetime.time"),
        (dt.timedelta(1), TypeError, "of type timedelta"),
        (np.timedelta64(1, "s"), TypeError, "of type timedelta64"),
        ([], TypeError, "of type list"),
    ],
)
def test_the_python_export_names_the_column_of_what_is_no_such_time(value, fault, why):
    with pytest.raises(fault, match=why):
        functions(cut_tree())["predict"]({"when": value})


def test_the_python_export_takes_spans_and_clock_times():
    predict = functions(cut_tree(dt.timedelta(days=-1, hours=3), "timedelta64[us]"))["predict"]
    for span in (dt.timedelta(hours=-21), pd.Timedelta("-21h"), np.timedelta64(-21, "h"), -75600000000):
        assert predict({"when": span}) == "before"
    assert predict({"when": pd.Timedelta("-21h") + pd.Timedelta(1, "ns")}) == "after"
    with pytest.raises(
        TypeError, match="column 'when' takes a span of time, or a number of microseconds, not"
    ):
        predict({"when": "3 days"})
    fine = functions(cut_tree(dt.timedelta(microseconds=2), "timedelta64[ns]"))["predict"]
    assert fine({"when": pd.Timedelta(2, "ns")}) == "before"
    assert fine({"when": np.timedelta64(3, "ns")}) == "after"
    predict = functions(cut_tree(dt.timedelta(hours=12), "time64[us]"))["predict"]
    assert [predict({"when": v}) for v in (dt.time(12), "12:00", "12:00:00.1")] == [
        "before",
        "before",
        "after",
    ]
    with pytest.raises(TypeError, match="column 'when' takes a time of day"):
        predict({"when": CUT})


def test_the_javascript_export_takes_iso_text_and_dates_and_throws_at_others():
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    zoned = cut_tree(display="datetime64[us, UTC]")
    script = f"""
    {hb.export(cut_tree(), "javascript", name="plain")}
    {hb.export(zoned, "javascript", name="zoned")}
    {hb.export(cut_tree(dt.timedelta(hours=12), "time64[us]"), "javascript", name="clock")}
    {hb.export(cut_tree(dt.timedelta(hours=12), "timedelta64[us]"), "javascript", name="span")}
    const said = (tree, when) => {{
      try {{ return tree.predict({{when}}) }} catch (e) {{ return String(e) }}
    }};
    const lists = [
      [plain, {json.dumps([*BEFORE, *AFTER, None, 1709296200000000])}],
      [plain, [new Date(0), "2024-03-01T12:30Z", "2023-02-29", "03/01/2024", [], true]],
      [zoned, [new Date(Date.UTC(2024, 2, 1, 12, 30)), new Date(Date.UTC(2024, 2, 1, 12, 30, 0, 1)),
        "2024-03-01T12:30:00Z", "2024-03-01T13:30:00+01:00", "2024-03-01T07:00:00.000000001-05:30",
        "2024-03-01T12:30:00"]],
      [clock, ["12:00", "12:00:00.000001", "noon"]],
      [span, [43200000000, 43200000001, "12:00"]]];
    process.stdout.write(JSON.stringify(lists.map(([tree, values]) => values.map((v) => said(tree, v)))));
    """
    done = subprocess.run([node, "-e", script], capture_output=True, text=True, check=True)
    plain, refused, zoned, clock, span = json.loads(done.stdout)
    assert plain == ["before"] * len(BEFORE) + ["after"] * len(AFTER) + ["gap", "before"]
    assert all(
        "TypeError: column when takes ISO text such as 2024-03-01T12:30:00, or" in one for one in refused
    )
    assert zoned[:5] == ["before", "after", "before", "before", "after"]
    assert "takes ISO text such as 2024-03-01T12:30:00Z, a Date, or a number of microseconds" in zoned[5]
    assert clock[:2] == ["before", "after"]
    assert clock[2].endswith("ISO text such as 12:30:00, or a number of microseconds, not noon")
    assert span[:2] == ["before", "after"]
    assert span[2] == "TypeError: column when takes a number of microseconds, not 12:00"


def dated(split, **options):
    """A model of two columns of days."""
    rng = np.random.default_rng(7)
    days = pd.date_range("2024-02-27", periods=6)
    X = pd.DataFrame({"a": rng.choice(days, 90), "b": rng.choice(days, 90)})
    y = np.where((X["a"] > "2024-02-29") ^ (X["b"] == "2024-03-02"), "p", "q")
    tree = hb.TreeClassifier(split=split, missing="all-paths", **options).fit(X, y).tree_
    values = [*days.to_pydatetime(), dt.datetime(2030, 1, 1), dt.datetime(2024, 2, 27, 1), None]
    return Case(tree, [{"a": a, "b": b} for a in values for b in values])


@pytest.mark.parametrize(
    "case",
    [
        lambda: dated("multiway", categorical_features=["a", "b"]),
        lambda: dated("one-vs-rest", categorical_features=["a", "b"]),
        lambda: dated(Predicates(["a == b"], columns="binary"), categorical_features=["a", "b"]),
        lambda: dated(ColumnSets(columns=None)),
        lambda: dated("binary"),
    ],
    ids=["multiway", "one-vs-rest", "compared", "column sets", "binary"],
)
def test_days_as_categories_and_in_sets_are_the_same_days_everywhere(case):
    case = case()
    said, shares = expected(case)
    for run in (run_sqlite, run_duckdb, run_python, run_javascript):
        answers, exported_shares = run(case)
        assert answers == said, run.__name__
        np.testing.assert_allclose(exported_shares, shares, atol=1e-12)


def test_days_as_categories_may_be_dates_or_text_without_a_time_of_day():
    case = dated("multiway", categorical_features=["a", "b"])
    days = [row for row in case.rows if None not in row.values() and row["a"].hour == row["b"].hour == 0]
    said = expected(Case(case.tree, days))[0]
    predict = functions(case.tree)["predict"]
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE data (id INTEGER, a DATE, b DATE)")
    short = [(k, str(row["a"].date()), str(row["b"].date())) for k, row in enumerate(days)]
    connection.executemany("INSERT INTO data VALUES (?, ?, ?)", short)
    rows = sorted(connection.execute(hb.export(case.tree, "sql", keep=["id"])).fetchall())
    assert [row[1] for row in rows] == said
    assert [predict({"a": row["a"].date(), "b": np.datetime64(row["b"])}) for row in days] == said
    assert [predict({"a": a, "b": b}) for _, a, b in short] == said


def test_a_density_of_times_is_zero_outside_its_box():
    rng = np.random.default_rng(9)
    X = pd.DataFrame({"when": pd.Timestamp(CUT) + pd.to_timedelta(rng.integers(0, 10**6, 60), unit="s")})
    tree = hb.TreeDensity(min_samples_leaf=10).fit(X).tree_
    low, high = X["when"].min().to_pydatetime(), X["when"].max().to_pydatetime()
    ends = [low - MICRO, low, low + MICRO, high - MICRO, high, high + MICRO, None]
    case = Case(tree, [{"when": one} for one in [*X["when"].dt.to_pydatetime(), *ends]])
    said = expected(case)[0]
    assert said[-7] == said[-2] == 0.0 < min(said[:-7])
    for run in (run_sqlite, run_duckdb, run_python, run_javascript):
        np.testing.assert_allclose(run(case)[0], said, rtol=1e-12)


def test_a_test_for_gaps_alone_is_written_for_times():
    X = pd.DataFrame({"when": pd.to_datetime(["2024-01-01", "2024-01-02", None, None])})
    tree = hb.TreeClassifier().fit(X, list("aabb")).tree_
    assert np.isinf(tree.threshold[0])
    case = Case(tree, [{"when": CUT}, {"when": None}])
    for run in (run_sqlite, run_duckdb, run_python, run_javascript):
        assert run(case)[0] == ["a", "b"]


def test_formats_without_times_name_the_unit_of_their_numbers():
    tree = CASES["times with a zone"]().tree
    head = hb.export(tree, "c").split("*/")[0]
    assert "x[0]  when: microseconds since 1970-01-01 UTC" in head
    assert "x[1]  day: microseconds since 1970-01-01\n" in head
    assert "x[2]  clock: microseconds since midnight" in head
    text = hb.export(tree, "pmml")
    assert 'displayName="clock (microseconds since midnight)"' in text
    assert '<MiningField name="when" invalidValueTreatment="returnInvalid"' in text
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    graph = onnx.load_model_from_string(hb.export(tree, "onnx")).graph
    assert [one.doc_string for one in graph.input][:1] == ["microseconds since 1970-01-01 UTC"]
