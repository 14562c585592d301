"""C4.5's pair of files."""

import pytest

import hornbeam as hb
from hornbeam.data.files import TableError, batches

NAMES = """| the classes
play, don't play.          | and what they mean

outlook: sunny, overcast, rain.
temperature:continuous.
windy: true, false
id: ignore.
kind: discrete 4.
note: label.
"""
DATA = """sunny, 85, false, 1, a, x, don't play.
overcast, ?, true, 2, b, y, play
| a comment
rain, 70.5, ?, 3, a, z, play.
"""


@pytest.fixture
def stem(tmp_path):
    (tmp_path / "golf.names").write_text(NAMES)
    (tmp_path / "golf.data").write_text(DATA)
    return tmp_path / "golf"


@pytest.mark.parametrize("ending", [".names", ".data"])
def test_either_file_reads_the_pair(stem, ending):
    sheet = hb.read_table(stem.with_suffix(ending))
    assert sheet.facts["format"] == "c45"
    assert sheet.data.to_pydict() == {
        "outlook": ["sunny", "overcast", "rain"],
        "temperature": [85.0, None, 70.5],
        "windy": ["false", "true", None],
        "kind": ["a", "b", "a"],
        "class": ["don't play", "play", "play"],
    }
    assert sheet.data["outlook"].chunk(0).dictionary.to_pylist() == ["sunny", "overcast", "rain"]
    assert sheet.target_hint == "class"


def test_plain_files_are_read_by_arrow_with_the_same_answer(stem):
    stem.with_suffix(".data").write_text(DATA.replace("| a comment\n", ""))
    assert hb.read_table(stem.with_suffix(".data")).data["class"].to_pylist() == [
        "don't play",
        "play",
        "play",
    ]


def test_the_class_may_be_one_of_the_columns(tmp_path):
    (tmp_path / "t.names").write_text("b.\na: continuous.\nb: x, y.\n")
    (tmp_path / "t.data").write_text("1,x\n2,y\n")
    sheet = hb.read_table(tmp_path / "t.names")
    assert (sheet.target_hint, sheet.data.column_names) == ("b", ["a", "b"])


def test_escapes_are_taken_apart(tmp_path):
    (tmp_path / "t.names").write_text("a\\, b, c\\..\nx\\:y: p\\|q, r.\n")
    (tmp_path / "t.data").write_text("p\\|q, a\\, b\nr, c\\.\n")
    assert hb.read_table(tmp_path / "t.names").data.to_pydict() == {
        "x:y": ["p|q", "r"],
        "class": ["a, b", "c."],
    }


def test_a_data_file_alone_is_read_as_csv(tmp_path):
    (tmp_path / "t.data").write_text("1,x\n2,y\n")
    assert hb.read_table(tmp_path / "t.data").facts["format"] == "csv"


def test_batches_are_those_rows(stem):
    sheet = hb.read_table(stem.with_suffix(".names"))
    found = list(batches(stem.with_suffix(".data"), sheet.facts, rows=2))
    assert [batch.num_rows for batch in found] == [2, 1]
    assert [row for batch in found for row in batch.to_pylist()] == sheet.data.to_pylist()


@pytest.mark.parametrize(
    ("names", "data", "words"),
    [
        ("", "1\n", "declares no classes"),
        ("a, b.\n", "1,a\n", "declares no columns"),
        ("a, b.\nx: continuous.\n", "1,c\n", "line 1 of t.data: 'c' in column 'class'"),
        ("a, b.\nx: continuous.\n", "1,a\nz,b\n", "line 2 of t.data: 'z' in column 'x' is not a number"),
        ("a, b.\nx: continuous.\n", "1,2,a\n", "3 cells where 2"),
        ("a, b.\nx: continuous.\nx: continuous.\n", "1,2,a\n", "two columns named 'x'"),
        ("a, b.\nx: continuous.\nnonsense.\n", "1,2,a\n", "declares no column"),
        ("a, b.\nx: continuous.\n", "\n", "no cases"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, names, data, words):
    (tmp_path / "t.names").write_text(names)
    (tmp_path / "t.data").write_text(data)
    with pytest.raises(TableError) as caught:
        hb.read_table(tmp_path / "t.data")
    assert words in str(caught.value)


def test_a_missing_half_is_named(tmp_path):
    (tmp_path / "t.names").write_text("a, b.\nx: continuous.\n")
    with pytest.raises(TableError, match=r"t\.data"):
        hb.read_table(tmp_path / "t.names")
