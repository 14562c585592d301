"""Batches: the same rows as the whole, piece by piece; and Sheets taken apart."""

import gzip
import io
import subprocess
import sys
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

import hornbeam as hb
from hornbeam.data.files import TableError, batches

TABLE = {
    "n": [1.5, None, 3.0, 4.0, 5.5],
    "c": ["x", "y", None, "z", "x"],
    "w": [True, False, True, None, True],
}


def joined(pieces):
    return [row for piece in pieces for row in piece.to_pylist()]


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "feather", "arff", "jsonl", "xlsx", "mat"])
def test_batches_hold_the_rows_of_the_table(tmp_path, kind):
    if kind == "xlsx":
        pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    path = tmp_path / f"t.{kind}"
    hb.write_table(TABLE, path)
    sheet = hb.read_table(path)
    pieces = list(batches(path, sheet.facts, rows=2))
    assert [piece.num_rows for piece in pieces] == [2, 2, 1]
    assert joined(pieces) == sheet.data.to_pylist()
    assert joined(batches(io.BytesIO(path.read_bytes()), sheet.facts, format=kind)) == sheet.data.to_pylist()


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_packed_files_of_arrow_are_read(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    hb.write_table(TABLE, path)
    packed = tmp_path / f"t.{kind}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert hb.read_table(packed).data == hb.read_table(path).data
    assert [piece.num_rows for piece in batches(packed, None, rows=2)] == [2, 2, 1]


def test_a_model_reads_its_own_columns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "id,colour,size,buy\n"
        + "".join(f"{k},{'red' if k % 3 else 'blue'},{k},{k % 3 > 0}\n" for k in range(90))
    )
    X, y, _, _ = hb.read_table(path, columns="buy=nominal").split("buy", drop=["id"])
    model = hb.TreeClassifier().fit(X, y)
    found = [model.predict(piece) for piece in batches(path, model.tree_.columns, rows=16)]
    assert np.concatenate(found).tolist() == y.to_pylist()


def test_numbers_that_arrow_cannot_read_are_read_all_the_same(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,x\n" * 5 + "+2.5,y\n" + " ?,z\n")
    expected = [1.0] * 5 + [2.5, None]
    assert [row["a"] for row in joined(batches(path, "a=numeric", rows=3))] == expected
    assert [
        row["a"] for row in joined(batches(io.BytesIO(path.read_bytes()), "a=numeric", rows=3))
    ] == expected


def test_a_cell_of_another_kind_is_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\ntwo,y\n")
    with pytest.raises(TableError, match="'two'"):
        list(batches(path, "a=numeric"))


def test_new_categories_are_let_in(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a\nlow\nhigh\n")
    found = hb.read_table(path, columns="a=ordinal(low<high)").facts
    path.write_text("a\nhigh\nhuge\n")
    (piece,) = batches(path, found)
    assert piece["a"].to_pylist() == ["high", "huge"]
    assert piece["a"].type.ordered


def test_dates_keep_their_format_and_zone(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("when,n\n31.12.2020,1\n01.01.2021,2\n")
    sheet = hb.read_table(path, columns="when=date(%d.%m.%Y)")
    assert joined(batches(path, sheet.facts, rows=1)) == sheet.data.to_pylist()
    path.write_text("when,n\n2020-01-01T00:00Z,1\n?,2\n")
    sheet = hb.read_table(path)
    types = {piece["when"].type for piece in batches(path, sheet.facts, rows=1)}
    assert types == {pa.timestamp("us", tz="UTC")}


def test_a_header_alone_has_no_batches():
    assert list(batches(io.BytesIO(b"a,b\n"), "a=numeric")) == []


def test_demonstrations_come_in_batches():
    assert sum(piece.num_rows for piece in batches("demo:tennis", None, rows=4)) == 14


def test_memory_does_not_grow_with_the_file(tmp_path):
    path = tmp_path / "t.csv"
    peaks = []
    for n in (40_000, 160_000):
        path.write_text("a,b,c\n" + "1.25,red,17\n" * n)
        before = pa.total_allocated_bytes()
        tracemalloc.start()
        most = 0
        for _ in batches(path, "a=numeric,c=numeric", rows=4096):
            most = max(most, pa.total_allocated_bytes() - before)
        peaks.append(most + tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 3 * peaks[0] + (8 << 20)


@pytest.mark.parametrize(
    ("like", "options"), [(5, {}), ("a=numeric", {"rows": 0}), ("a=numeric", {"speed": 1})]
)
def test_wrong_arguments_get_a_sentence(like, options):
    with pytest.raises(TableError):
        list(batches(io.BytesIO(b"a\n1\n"), like, **options))


# Sheets -----------------------------------------------------------------------------------------------------


def test_a_sheet_is_split_into_what_fit_takes():
    sheet = hb.read_table("demo:xcount")
    X, y, weight, counts = sheet.split(counts="count")
    assert X.column_names == ["X1", "X2"]
    assert y.to_pylist() == sheet.data["Y"].to_pylist()
    assert weight is None
    assert counts.tolist() == [2, 2, 5, 1]
    assert hb.TreeClassifier().fit(X, y, counts=counts).tree_.n_leaves > 1


def test_a_split_without_a_target_has_no_y():
    sheet = hb.read_table(io.BytesIO(b"a,b\n1,2\n"))
    assert sheet.target_hint is None
    assert sheet.split(drop="a")[:2] == (sheet.data.select(["b"]), None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"target": "clas"}, "target='clas' is no column (did you mean 'class'?)"),
        ({"drop": ["z"]}, "drop='z'"),
        ({"weight": "class"}, "holds no numbers"),
        ({"weight": "gap"}, "gaps"),
        ({"weight": "minus"}, "negative"),
        ({"counts": "minus"}, "negative"),
        ({"counts": "real"}, "not whole"),
        ({"target": "class", "weight": "class"}, "twice"),
        ({"target": "class", "drop": ["class"]}, "twice"),
    ],
)
def test_a_wrong_split_gets_a_sentence(arguments, words):
    sheet = hb.read_table(io.BytesIO(b"class,gap,minus,real\nx,1,-1,1.5\ny,?,2,2.5\n"))
    with pytest.raises(TableError) as caught:
        sheet.split(**arguments)
    assert words in str(caught.value)


def test_every_bundled_table_is_read():
    for name in hb.datasets.names():
        sheet = hb.read_table(f"demo:{name}")
        dataset = hb.datasets.load(name)
        assert sheet.data.num_rows == dataset.n_rows
        assert sheet.target_hint == (dataset.target or None)
        found = {n: c["kind"] for n, c in sheet.facts["columns"].items() if n in dataset.kinds}
        assert found == dataset.kinds
        assert str(sheet)


def test_findings_are_plain_values():
    import json

    text = "n,c,d,b\n1,x,2020-01-01,true\n?,y,2020-01-02,false\n"
    found = hb.read_table(io.BytesIO(text.encode())).facts
    assert json.loads(json.dumps(found)) == found


def test_importing_tables_needs_no_pandas_and_no_scikit_learn():

    code = "import sys, hornbeam.data.files; print([m for m in ('pandas', 'sklearn') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_batches_of_json_lines_have_the_same_columns_throughout(monkeypatch):
    monkeypatch.setattr("hornbeam.data.files.text_bytes._BLOCK", 40)
    lines = ['{"a": 1, "b": "x"}', '{"b": "y", "a": 2.5}', '{"a": null}', '{"a": 4, "b": null}'] * 5
    pieces = list(batches(io.BytesIO("\n".join(lines).encode()), "a=numeric"))
    assert len(pieces) > 5
    found = pa.concat_tables(
        [piece.cast(pa.schema({"a": pa.float64(), "b": pa.string()})) for piece in pieces]
    )
    assert found.to_pydict() == {"a": [1.0, 2.5, None, 4.0] * 5, "b": ["x", "y", None, None] * 5}


def test_batches_of_arff_agree_in_type(monkeypatch):
    monkeypatch.setattr("hornbeam.data.files.text_bytes._BLOCK", 16)
    text = (
        "@relation r\n@attribute n integer\n@attribute c {x,y}\n@data\n"
        + "1,x\n" * 9
        + "'2.5',y\n"
        + "3,x\n" * 9
    )
    pieces = list(batches(io.BytesIO(text.encode()), None))
    assert {piece["n"].type for piece in pieces} == {pa.float64()}
    assert sum(pa.concat_tables(pieces)["n"].to_pylist()) == 9 + 2.5 + 27
    assert hb.read_table(io.BytesIO(text.encode())).data["n"].type == pa.float64()
