"""Declared order: it decides ties and the order of classes, whatever the table is held in; other text is
sorted."""

import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hornbeam as hb
from hornbeam.data.cells import read_cells
from hornbeam.data.encoding import encode_classes
from hornbeam.data.table import Table

LABELS = ["B", "L", "R", "L", "B", "R"]
DECLARED = pd.Categorical(LABELS, categories=["L", "B", "R", "unused"])
ORDER = ("L", "B", "R")

ARFF = b"""@relation scale
@attribute side {right,left,none}
@attribute n numeric
@attribute class {L,B,R,unused}
@data
left,1,B
right,1,L
left,1,L
right,1,B
"""
NAMES = "L, B, R.\nside: right, left.\nn: continuous.\n"


def duckdb_enum():
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    rows = ", ".join(f"('{label}')" for label in LABELS)
    query = f"SELECT CAST(c AS ENUM('L', 'B', 'R', 'unused')) AS c FROM (VALUES {rows}) AS t(c)"
    found = duckdb.sql(query).arrow()
    return (found if isinstance(found, pa.Table) else found.read_all()).column("c")


def _few_bits():
    """The Categorical of polars with small codes, where polars has it."""
    if not hasattr(pl, "Categories"):
        return pl.Categorical
    return pl.Categorical(pl.Categories("letters of a test", physical=pl.UInt8))


DECLARING = {
    "pandas": lambda: DECLARED,
    "pandas series": lambda: pd.Series(DECLARED),
    "Arrow array of pandas categories": lambda: pa.array(DECLARED),
    "Arrow table of pandas categories": lambda: pa.Table.from_pandas(pd.DataFrame({"c": DECLARED})).column(
        "c"
    ),
    "Arrow codes and values": lambda: pa.DictionaryArray.from_arrays(
        pa.array(DECLARED.codes), pa.array(list(DECLARED.categories))
    ),
    "Arrow chunks": lambda: pa.chunked_array([pa.array(DECLARED[:2]), pa.array(DECLARED[2:])]),
    "pandas with Arrow's type": lambda: pd.Series(pd.arrays.ArrowExtensionArray(pa.array(DECLARED))),
    "enum of DuckDB": duckdb_enum,
    "Enum of polars": lambda: pl.Series(LABELS, dtype=pl.Enum(["L", "B", "R", "unused"])),
}
ENCODED = {
    "list": lambda rows: rows,
    "Arrow": lambda rows: pa.array(rows).dictionary_encode(),
    "Arrow chunks": lambda rows: pa.chunked_array([rows[:2], rows[2:]]).dictionary_encode(),
    "polars": lambda rows: pl.Series(rows, dtype=pl.Categorical),
    "polars, few bits": lambda rows: pl.Series(rows, dtype=_few_bits()),
    "Arrow of polars": lambda rows: pl.DataFrame({"c": pl.Series(rows, dtype=pl.Categorical)}).to_arrow()[
        "c"
    ],
    "pandas text": lambda rows: pd.Series(rows, dtype="string"),
}


@pytest.mark.parametrize("container", DECLARING)
def test_classes_keep_their_declared_order_in_the_tree_and_are_sorted_in_classes_(container):
    y = DECLARING[container]()
    model = hb.TreeClassifier().fit({"x": [0, 0, 0, 1, 1, 1]}, y)
    assert model.tree_.classes == ORDER
    assert model.classes_.tolist() == ["B", "L", "R"]
    assert model.tree_.label[0] == 0, "of equally many classes the first declared is answered"
    np.testing.assert_allclose(model.predict_proba({"x": [0]}).sum(), 1)


@pytest.mark.parametrize("container", DECLARING)
def test_columns_keep_their_declared_domain(container):
    column = Table.learn({"c": DECLARING[container]()}).columns[0]
    assert column.categories == (*ORDER, "unused")
    chosen = Table.learn({"c": DECLARING[container]()}, categorical_features=["c"]).columns[0]
    assert (chosen.kind, chosen.categories) == ("nominal", (*ORDER, "unused"))


@pytest.mark.parametrize("container", ENCODED)
def test_values_in_the_order_of_appearance_are_sorted_so_that_the_order_of_rows_decides_nothing(container):
    make = ENCODED[container]
    trees = set()
    for rows in (LABELS, LABELS[::-1], sorted(LABELS)):
        cells = make(rows)
        assert encode_classes(read_cells(cells, "y"))[1] == ("B", "L", "R")
        assert Table.learn({"c": cells}).columns[0].categories == ("B", "L", "R")
        trees.add(hb.TreeClassifier().fit({"x": [0.0] * 6}, cells).tree_.text())
    assert trees == {"B(2:2:2)"}


def test_rows_in_another_order_make_the_same_tree_of_declared_categories():
    rng = np.random.default_rng(0)
    table = pa.table(
        {
            "a": pa.array(pd.Categorical(rng.choice(["v", "u", "w"], 60), categories=["w", "v", "u"])),
            "b": pa.array(rng.choice(["q", "p"], 60)).dictionary_encode(),
            "y": pa.array(pd.Categorical(rng.choice(["n", "y"], 60), categories=["y", "n"])),
        }
    )
    trees = []
    for _ in range(4):
        table = table.take(rng.permutation(60))
        trees.append(hb.teaching.builddt().fit(table.select(["a", "b"]), table["y"]).tree_)
    assert all(tree == trees[0] for tree in trees)
    assert trees[0].classes == ("y", "n")
    assert trees[0].columns[0].categories == ("w", "v", "u")
    assert trees[0].columns[1].categories == ("p", "q")


def test_what_arff_declares_decides_ties_and_names_every_branch():
    sheet = hb.read_table(io.BytesIO(ARFF), format="arff")
    X, y, _, _ = sheet.split()
    model = hb.TreeClassifier("entropy", split="multiway", max_depth=1, missing="branch").fit(X, y)
    assert model.tree_.classes == ("L", "B")
    assert model.tree_.text() == "side[right: L(1:1) | left: L(1:1) | none: L(0:0)]"
    kept = X.column("side").slice(1, 2)
    assert Table.learn({"side": kept}).columns[0].categories == ("right", "left", "none")


def test_a_pandas_table_of_the_same_categories_learns_the_same_tree_as_arff():
    sheet = hb.read_table(io.BytesIO(ARFF), format="arff")
    X, y, _, _ = sheet.split()
    mine = hb.j48(min_cases=1).fit(X, y).tree_
    frame = sheet.data.to_pandas()
    theirs = hb.j48(min_cases=1).fit(frame[["side", "n"]], frame["class"]).tree_
    assert mine.text() == theirs.text()
    assert mine.columns[0] == theirs.columns[0]


def test_c45_and_declarations_of_columns_keep_their_order_and_guesses_are_sorted(tmp_path):
    (tmp_path / "t.names").write_text(NAMES, encoding="utf-8")
    (tmp_path / "t.data").write_text("left, 1, B\nright, 1, L\n", encoding="utf-8")
    X, y, _, _ = hb.read_table(tmp_path / "t.names").split()
    assert hb.TreeClassifier().fit(X, y).tree_.classes == ("L", "B")
    assert Table.learn(X).columns[0].categories == ("right", "left")
    csv = b"size,y\nm,no\nl,yes\nxl,no\ns,yes\ns,yes\n"
    said = hb.read_table(io.BytesIO(csv), columns="size=nominal(s<m<l),y=nominal(yes<no)")
    X, y, _, _ = said.split("y")
    assert Table.learn(X).columns[0].categories == ("s", "m", "l", "xl")
    assert hb.TreeClassifier().fit(X, y).tree_.classes == ("yes", "no")
    X, y, _, _ = hb.read_table(io.BytesIO(csv)).split("y")
    assert Table.learn(X).columns[0].categories == ("l", "m", "s", "xl")
    assert hb.TreeClassifier().fit(X, y).tree_.classes == ("no", "yes")


@pytest.mark.parametrize("kind", ["parquet", "feather", "arff"])
def test_declared_order_survives_a_file(kind, tmp_path):
    sheet = hb.read_table(io.BytesIO(ARFF), format="arff")
    path = tmp_path / f"copy.{kind}"
    hb.write_table(sheet, path)
    X, y, _, _ = hb.read_table(path).split("class")
    assert Table.learn(X).columns[0].categories == ("right", "left", "none")
    assert hb.TreeClassifier().fit(X, y).tree_.classes == ("L", "B")


def test_a_domain_of_many_values_stays_declared():
    values = [f"v{k}" for k in range(40_000)][::-1]
    declared = "{" + ",".join(values) + "}"
    text = f"@relation r\n@attribute v {declared}\n@attribute y {{b,a}}\n@data\nv5,a\nv3,b\n"
    sheet = hb.read_table(io.BytesIO(text.encode()), format="arff")
    column = Table.learn(sheet.data.select(["v"])).columns[0]
    assert column.categories == tuple(values)
    assert sheet.facts["columns"]["v"]["distinct"] == 2
