"""Options, refusals and texts of the exports; hostile names in the formats that nobody runs."""

import re
import sqlite3
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from tests.io.export.case import HOSTILE
from tests.io.export.cases import CASES
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb
from hornbeam.io.export import FORMATS
from hornbeam.parts import Predicates

TREE = hb.Tree.from_nested(
    {"column": "width", "<=": 0.8, "yes": {"counts": {"a": 3}}, "no": {"counts": {"a": 1, "b": 3}}}
)


def test_an_unknown_format_or_option_is_refused_with_what_there_is():
    with pytest.raises(
        ValueError, match=r"format='pyhton' is not known \(did you mean 'python'\?\): use one of"
    ):
        hb.export(TREE, "pyhton")
    with pytest.raises(TypeError, match="table='x' is no option of format='python': its options are name"):
        hb.export(TREE, "python", table="x")
    with pytest.raises(TypeError, match="name='x' is no option of format='json': it takes none"):
        hb.export(TREE, "json", name="x")


@pytest.mark.parametrize("name", ["two words", "1st", "class", "int", "hb_walk", "é", ""])
@pytest.mark.parametrize("language", ["python", "javascript", "c"])
def test_a_name_must_be_a_word(language, name):
    with pytest.raises(ValueError, match="must be a word of ASCII letters"):
        hb.export(TREE, language, name=name)


def test_a_tree_that_tests_a_function_is_refused_everywhere():
    test = Predicates([lambda t: t["x"] > 2.5], columns=None)
    model = hb.TreeClassifier(split=test).fit({"x": [1, 2, 3, 4]}, list("aabb"))
    for name in ("python", "c", "javascript", "sql", "json"):
        with pytest.raises(
            ValueError, match="Python function 'function 0', which cannot be saved or exported"
        ):
            hb.export(model, name)


def test_sql_gives_all_columns_back_unless_told_which():
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE data AS SELECT 7 AS id, 0.5 AS width UNION SELECT 8, NULL")
    result = base.execute(hb.export(TREE, "sql"))
    names = [column[0] for column in result.description]
    assert names == ["width", "prediction", "prediction_a", "prediction_b"]
    for key in ("id", "rowid", ["id", "width"][:1]):
        result = base.execute(hb.export(TREE, "sql", key=key))
        assert [column[0] for column in result.description] == ["id", *names]
        assert [row[:3] for row in result] == [(7, 0.5, "a"), (8, None, "a")]
    kept = base.execute(hb.export(TREE, "sql", keep=["id"], name="said")).fetchall()
    assert sorted(kept)[0] == (7, "a", 1.0, 0.0)
    assert sorted(kept)[1][1:] == ("a", pytest.approx(4 / 7), pytest.approx(3 / 7))
    with pytest.raises(TypeError, match="keep='id' must be a list of columns"):
        hb.export(TREE, "sql", keep="id")


@pytest.mark.parametrize("dialect", ["standard", "duckdb"])
def test_duckdb_gives_all_columns_and_no_others(dialect):
    base = pytest.importorskip("duckdb", reason="duckdb is not installed").connect()
    base.execute("CREATE TABLE data AS SELECT 7 AS id, 0.5 AS width, 'x' AS r UNION SELECT 8, NULL, 'y'")
    key = "id" if dialect == "standard" else None
    result = base.execute(hb.export(TREE, "sql", dialect=dialect, key=key))
    assert [column[0] for column in result.description][:4] == ["id", "width", "r", "prediction"]
    assert not any(column[0].startswith("hb_") for column in result.description)
    assert {row[:4] for row in result.fetchall()} == {(7, 0.5, "x", "a"), (8, None, "y", "a")}


def test_rows_come_back_in_the_order_of_the_table():
    rng = np.random.default_rng(3)
    X = random_columns(rng, 300, gaps=0.3)
    for missing in ("surrogates", "all-paths", "learn"):
        model = hb.TreeClassifier(missing=missing, max_depth=5).fit(X, outcome(rng, X, 3))
        base = sqlite3.connect(":memory:")
        X.to_sql("data", base, index=False)
        for dialect in ("standard", "sqlite"):
            rows = base.execute(hb.export(model, "sql", keep=[], dialect=dialect)).fetchall()
            assert [row[0] for row in rows] == model.predict(X).tolist()


def test_a_dialect_that_is_not_known_or_lacks_a_key_is_refused():
    with pytest.raises(
        ValueError, match=r"dialect='postgre' is not known \(did you mean 'postgres'\?\): use"
    ):
        hb.export(TREE, "sql", dialect="postgre")
    with pytest.raises(ValueError, match=r"dialect='mysql' needs key=\.\.\., a column or columns"):
        hb.export(TREE, "sql", dialect="mysql")


def test_a_model_tree_with_a_column_of_many_values_is_a_short_query():
    rng = np.random.default_rng(0)
    n = 6000
    city = np.array([f"municipality {k}" for k in range(160)])[rng.integers(0, 160, n)]
    X = pd.DataFrame({"city": city, "size": rng.normal(size=n), "age": rng.normal(size=n)})
    effect = X["city"].str.split().str[1].astype(int) % 37
    y = effect * X["size"] + np.where(X["age"] > 0, 20 * X["size"] ** 2, effect) + rng.normal(size=n)
    model = hb.m5(min_samples_leaf=100).fit(X, y)
    assert model.tree_.n_leaves > 15
    text = hb.export(model, "sql", keep=[])
    assert len(text) < 5000 * model.tree_.n_leaves
    X = pd.concat(
        [X[:300], pd.DataFrame({"city": ["never seen", None], "size": [0.5, 0.1], "age": [1, 2.0]})]
    )
    base = sqlite3.connect(":memory:")
    X.to_sql("data", base, index=False)
    answers = [row[0] for row in base.execute(text)]
    np.testing.assert_allclose(answers, model.predict(X), rtol=1e-12)
    assert answers[:300] == model.predict(X)[:300].tolist()


def test_sql_takes_nan_for_a_gap_in_duckdb():
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    base = duckdb.connect()
    base.execute("CREATE TABLE data AS SELECT 1 AS id, CAST('nan' AS DOUBLE) AS width UNION SELECT 2, 0.5")
    rows = sorted(base.execute(hb.export(TREE, "sql", keep=["id"])).fetchall())
    assert rows[0][2] == pytest.approx(4 / 7)
    assert rows[1][2] == 1.0


def test_sql_refuses_a_null_character():
    tree = hb.Tree.from_nested({"column": "a\x00b", "equals": "x", "yes": 1, "no": 2})
    with pytest.raises(ValueError, match="null character, which SQL cannot write"):
        hb.export(tree, "sql")


def test_pmml_refuses_by_name_what_it_cannot_say():
    refused = 0
    for make in CASES.values():
        try:
            hb.export(make().tree, "pmml")
        except ValueError as fault:
            assert re.search(r"PMML('s trees)? (cannot|adds|answer)|XML cannot hold", str(fault))  # noqa: PT017
            refused += 1
    assert 0 < refused < len(CASES)


def test_dot_has_every_node_and_edge_and_quotes_every_name():
    for name in CASES:
        tree = CASES[name]().tree
        text = hb.export(tree, "dot")
        lines = text.rstrip("\n").split("\n")
        assert sum(" -> " in re.sub(r'"(\\.|[^"\\])*"', "", line) for line in lines) == len(tree) - 1
        strip = re.compile(r'"(\\.|[^"\\])*"')
        for line in lines[1:-1]:  # outside of strings nothing but DOT is left
            assert re.fullmatch(r"  (node|edge|n\d+|n\d+ -> n\d+) \[[a-z=,; ]*\];", strip.sub("", line)), line


def test_markdown_is_a_table_of_the_rules_whatever_names_hold():
    tree = CASES["hostile names"]().tree
    lines = hb.export(tree, "markdown").splitlines()
    assert len(lines) == 2 + len(hb.rules(tree))
    for line in lines:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 5
        assert "</script>" not in line
    assert hb.export(TREE, "markdown") == (
        "| if | then | rows | confidence |\n|---|---|--:|--:|\n"
        "| width \\<\\= 0\\.8 | a | 3 | 100 % |\n| width \\> 0\\.8 | b | 4 | 75 % |\n"
    )


def test_every_hostile_name_is_in_the_hostile_case():
    tree = CASES["hostile names"]().tree
    assert set(HOSTILE[:30]) <= {column.name for column in tree.columns}
    assert len({column for node in range(len(tree)) for column in tree.tested_columns(node)}) > 8


def test_every_format_of_the_table_is_documented():
    for write in FORMATS.values():
        assert ">>>" in (write.__doc__ or "")


def test_a_tree_deeper_than_xml_readers_take_is_refused_for_pmml():
    nested = {"counts": {"a": 1, "b": 0}}
    for k in range(501):
        nested = {"column": "x", "<=": float(-k), "yes": {"counts": {"a": 0, "b": 1}}, "no": nested}
    with pytest.raises(ValueError, match="the tree is 501 tests deep"):
        hb.export(hb.Tree.from_nested(nested), "pmml")


class OutOfTimeError(Exception):
    """What a caller's own alarm raises."""


@pytest.mark.parametrize("missing", ["branch", "all-paths"])
def test_an_alarm_while_pmml_is_written_comes_through_as_it_is(missing, monkeypatch):
    """ElementTree says "expected sequence" of an iterator that raises, whatever it raises."""

    def rung(*_):
        raise OutOfTimeError("alarm")
        yield

    model = hb.TreeClassifier(missing=missing).fit({"x": [1.0, None, 3.0, 4.0]}, list("abab"))
    writer = import_module("hornbeam.io.export.pmml")._PmmlWriter
    monkeypatch.setattr(writer, "_distribution", rung)
    with pytest.raises(OutOfTimeError, match="alarm"):
        hb.export(model, "pmml")
