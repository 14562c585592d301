"""Values and types of columns that databases treat in ways of their own.

Sums that leave the range of doubles, whole numbers that doubles cannot hold, decimals, fractions of seconds
before 1970, texts that a collation takes for equal, no rows, long names.

SQLite and DuckDB always run; PostgreSQL and MariaDB are slow tests, where they are installed.
"""

import decimal
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests.io.export.case import Case
from tests.io.export.databases import ENGINES
from tests.io.export.runners import expected, run_duckdb, run_sqlite

import hornbeam as hb
from hornbeam.data.columns import Column
from hornbeam.parts import Linear, Polynomial

LARGEST, TINY = 1.7976931348623157e308, 5e-324
EXTREMES = (-LARGEST, -1e300, -1e155, -3.0, -1e-160, -TINY, 0.0, TINY, 2e-310, 0.7, 1e154, 1e308, LARGEST)
ALL = [
    pytest.param(run_sqlite, id="sqlite"),
    pytest.param(run_duckdb, id="duckdb"),
    *(pytest.param(ENGINES[name], id=name, marks=pytest.mark.slow) for name in ("postgres", "mariadb")),
]
PAIRS = [{"x": x, "z": z} for x in (*EXTREMES, None) for z in (*EXTREMES, None)]


def check(run, case, **types):
    answers, shares = run(case, **types)
    with np.errstate(over="ignore", invalid="ignore"):
        said, expected_shares = expected(case)
    assert answers == said
    np.testing.assert_allclose(shares, expected_shares, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        *("x * z > 1", "x + z > 1e300", "x - z <= -1e308", "x / z > 2", "x * 1e300 <= z", "x * 1e-10 < z"),
        *(
            "x * z * x < 5",
            "x ** 3 > z",
            "x / 1e-300 > z",
            "x * 0.3 + z * 7 > 0.1",
            "2 ** x > 3",
            "x ** -3 > z",
        ),
    ],
)
@pytest.mark.parametrize("run", ALL)
def test_an_expression_may_leave_the_range_of_doubles(run, text):
    tree = hb.Tree.from_nested({"expression": text, "yes": "p", "no": "q"})
    pairs = PAIRS
    if run is ENGINES["mariadb"]:  # it has no infinity, which is the largest number there
        pairs = [pair for pair in PAIRS if LARGEST not in pair.values()]
    check(run, Case(tree, [{k: row[k] for k in ("x", "z") if k in text} for row in pairs]))


@pytest.mark.parametrize("weights", [(3.0, -2.0), (0.25, 1e-3), (1e200, 1.0), (-7e-300, 40.0)])
@pytest.mark.parametrize("run", ALL)
def test_a_weighted_sum_may_leave_the_range_of_doubles(run, weights):
    nested = {"weights": dict(zip("xz", weights, strict=True)), "<=": 0.5, "yes": "p", "no": "q"}
    with np.errstate(over="ignore", invalid="ignore"):
        totals = [np.multiply(weights, [pair["x"] or 0, pair["z"] or 0]).sum() for pair in PAIRS]
    # Terms that are infinite in both directions have no sum.
    pairs = [pair for pair, total in zip(PAIRS, totals, strict=True) if not np.isnan(total)]
    check(run, Case(hb.Tree.from_nested(nested), pairs))


@pytest.mark.parametrize("leaf", [Linear(), Linear(clip=False), Polynomial(degree=3)], ids=repr)
@pytest.mark.parametrize("run", ALL)
def test_an_equation_may_leave_the_range_of_doubles(run, leaf):
    rng = np.random.default_rng(0)
    X = {name: rng.normal(size=80) for name in "xz"}
    y = 3 * X["x"] + X["z"] ** 3 + (X["x"] > 0) * 5
    tree = hb.TreeRegressor(leaf=leaf, max_depth=1).fit(X, y).tree_
    pairs = [{"x": x, "z": z} for x in EXTREMES for z in (-3.0, 0.0, 0.7)]  # of one infinite term, not two
    pairs += [{"x": x, "z": z} for x in (-3.0, 0.7, None) for z in (*EXTREMES, None)]
    with np.errstate(over="ignore"):
        said = expected(Case(tree, pairs))[0]
    # Terms that are infinite in both directions have no sum; several leaves are added up to a lesser limit.
    is_known = [
        not np.isnan(answer) and (None not in row.values() or abs(answer) < 1e280)
        for row, answer in zip(pairs, said, strict=True)
    ]
    if run is ENGINES["mariadb"]:  # it has no infinity
        said = np.clip(said, -LARGEST, LARGEST)
    answers = np.array(run(Case(tree, pairs))[0], dtype=float)
    np.testing.assert_allclose(answers[is_known], np.array(said)[is_known], rtol=1e-12)


@pytest.mark.parametrize("kind", ["BIGINT", "NUMERIC(30,0)"])
@pytest.mark.parametrize("run", ALL)
def test_whole_numbers_that_doubles_cannot_hold_are_compared_exactly(run, kind):
    large = 2**53
    inner = {"column": "x", "<=": -float(large), "yes": "r", "no": "p"}
    tree = hb.Tree.from_nested({"column": "x", "<=": float(large), "yes": inner, "no": "q"})
    values = [large - 1, large, large + 1, large + 2, 2**62, -large, -large - 1, 1 - large, -(2**62)]
    check(run, Case(tree, [{"x": value} for value in values]), DOUBLE=kind)


@pytest.mark.parametrize("run", ALL[1:])
def test_decimals_are_compared_with_the_cut_as_doubles(run):
    tree = hb.Tree.from_nested({"column": "x", "<=": 0.1, "yes": "p", "no": "q"})
    case = Case(tree, [{"x": x} for x in (0.1, 0.1000000001, 0.0999999999, -7.5, None)])
    check(run, case, DOUBLE="NUMERIC(20,10)")
    tree = hb.Tree.from_nested(
        {"column": "c", "branches": {1: "p", 2: "q", 3: "r"}}, [Column("c", "nominal", (1, 2, 3))]
    )
    check(run, Case(tree, [{"c": c} for c in (1, 2, 3, 4, None)]), DOUBLE="NUMERIC(5,2)")


@pytest.mark.parametrize("run", ALL)
def test_times_before_1970_with_fractions_of_a_second(run):
    texts = ["1700-03-01", "1850-01-01 00:00:00.5", "1969-12-31 23:59:58.5", "1969-12-31 23:59:59.999999"]
    texts += ["1970-01-01", "1970-01-01 00:00:00.000001", "1999-12-31 12:00:00.25"]
    when = pd.to_datetime(texts, format="ISO8601").astype("datetime64[us]")
    model = hb.TreeClassifier().fit(pd.DataFrame({"when": when}), texts)
    check(run, Case(model.tree_, [{"when": value} for value in (*when.to_pydatetime(), None)]))


@pytest.mark.parametrize("kind", ["VARCHAR(20)", "TEXT"])
@pytest.mark.parametrize("run", ALL)
def test_text_is_compared_letter_by_letter_whatever_the_collation(run, kind):
    values = ("a", "A", "a ", "a\\", "ä", "ae", "it's", "%")
    branches = {value: f"class {k}" for k, value in enumerate(values)}
    tree = hb.Tree.from_nested({"column": "c", "branches": branches}, [Column("c", "nominal", values)])
    case = Case(tree, [{"c": value} for value in (*values, "a  ", "Ä", "a\u0308", "AE", "a\\\\", None)])
    check(run, case, VARCHAR=kind)


@pytest.mark.parametrize("collation", ["NOCASE", "RTRIM"])
def test_a_collation_of_sqlite_or_duckdb_decides_nothing(collation):
    model = hb.TreeClassifier(split="multiway").fit({"s": ["a", "A", "a "] * 3}, ["u", "v", "w"] * 3)
    connections = {"sqlite": sqlite3.connect(":memory:")}
    if collation == "NOCASE":
        connections["duckdb"] = duckdb.connect()
    for dialect, connection in connections.items():
        connection.execute(f"CREATE TABLE t(s VARCHAR COLLATE {collation})")
        connection.executemany("INSERT INTO t VALUES (?)", [("a",), ("A",), ("a ",)])
        rows = connection.execute(hb.export(model, "sql", table="t", dialect=dialect, keep=["s"])).fetchall()
        assert {row[0]: row[1] for row in rows} == {"a": "u", "A": "v", "a ": "w"}
        connection.close()


@pytest.mark.parametrize("missing", ["all-paths", "learn"])
@pytest.mark.parametrize("run", ALL)
def test_a_table_without_rows_gives_none(run, missing):
    X = {"x": [1.0, 2.0, 3.0, np.nan], "c": list("abab")}
    tree = hb.TreeClassifier(missing=missing).fit(X, list("pqpq")).tree_
    assert run(Case(tree, [])) == ([], [])


def test_a_name_longer_than_the_database_takes_is_refused():
    nested = {"column": "é" * 32, "<=": 0, "yes": "p", "no": "q"}
    with pytest.raises(ValueError, match=r"names have at most 63 bytes; rename it$"):
        hb.export(hb.Tree.from_nested(nested), "sql", dialect="postgres")
    assert "é" * 32 in hb.export(hb.Tree.from_nested(nested), "sql", dialect="mysql", key="id")
    nested = {"column": "${x}", "<=": 0, "yes": "p", "no": "q"}
    with pytest.raises(ValueError, match=r"Spark puts the value of a variable in the place of \$\{\.\.\.\}"):
        hb.export(hb.Tree.from_nested(nested), "sql", dialect="spark")


@pytest.mark.parametrize("run", ALL)
def test_classes_may_have_long_names(run):
    tree = hb.Tree.from_nested({"column": "x", "<=": 0, "yes": "p" * 70 + "a", "no": "p" * 70 + "b"})
    check(run, Case(tree, [{"x": x} for x in (-1.0, 1.0, None)]))
    text = hb.export(tree, "sql", dialect="postgres")
    assert '"prediction_1"' in text
    assert '"prediction_2"' in text


def test_values_of_decimal_are_numbers_to_a_model_and_to_duckdb():
    X = pd.DataFrame({"x": [decimal.Decimal(text) for text in ("0.1", "0.2", "0.3", "0.4")]})
    model = hb.TreeClassifier().fit(X, list("ppqq"))
    case = Case(model.tree_, [{"x": float(value)} for value in X["x"]])
    check(run_duckdb, case, DOUBLE="DECIMAL(18,4)")
