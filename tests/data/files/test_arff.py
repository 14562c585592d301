"""ARFF: what is declared is obeyed."""

import datetime as dt
import io

import pytest

import hornbeam as hb
from hornbeam.data.files import TableError, batches

HEADER = """% a comment
@RELATION 'some thing'
@attribute width REAL
@attribute 'the colour' {red,'light blue', green }
@ATTRIBUTE class{no,yes}

@data
"""


def read(text, **options):
    return hb.read_table(io.BytesIO(text.encode()), **options)


def rows(text):
    return [tuple(row.values()) for row in read(text).data.to_pylist()]


def refuse(text):
    with pytest.raises(TableError) as caught:
        read(text)
    return str(caught.value)


def test_types_values_and_their_order_are_as_declared():
    sheet = read(HEADER + "1.5,green,yes\n2,red,no\n")
    assert sheet.facts["format"] == "arff"
    assert [c["kind"] for c in sheet.facts["columns"].values()] == ["numeric", "nominal", "nominal"]
    assert sheet.data["the colour"].chunk(0).dictionary.to_pylist() == ["red", "light blue", "green"]
    assert sheet.facts["columns"]["class"]["values"] == ["no", "yes"]
    assert sheet.target_hint == "class"


def test_quotes_comments_and_gaps():
    text = HEADER + "1,'light blue',yes\n% between\n\n?, \"light blue\" ,?\n 3 , red,no\n"
    assert rows(text) == [(1.0, "light blue", "yes"), (None, "light blue", None), (3.0, "red", "no")]


def test_a_quoted_question_mark_is_a_value():
    text = "@relation r\n@attribute a {'?',x}\n@attribute b numeric\n@data\n'?',1\n?,2\nx,3\n"
    assert read(text).data["a"].to_pylist() == ["?", None, "x"]


def test_escapes_are_taken_apart():
    text = "@relation r\n@attribute a {'it\\'s',\"b\\\"c\",'x\\ny'}\n@data\n'it\\'s'\n\"b\\\"c\"\n'x\\ny'\n"
    assert read(text).data["a"].to_pylist() == ["it's", 'b"c', "x\ny"]


def test_sparse_rows_leave_out_zeros_and_first_values():
    text = HEADER + "{0 1.5, 2 yes}\n{1 'light blue'}\n{}\n{0 ?}\n"
    assert rows(text) == [
        (1.5, "red", "yes"),
        (0.0, "light blue", "no"),
        (0.0, "red", "no"),
        (None, "red", "no"),
    ]


def test_weights_at_the_end_of_rows_become_a_column():
    sheet = read(HEADER + "1,red,yes,{0.5}\n2,red,no\n{0 3},{4}\n")
    assert sheet.data["weight"].to_pylist() == [0.5, 1.0, 4.0]
    assert sheet.facts["weight"] == "weight"
    X, y, weight, _ = sheet.split(weight="weight")
    assert X.column_names == ["width", "the colour"]
    assert weight.tolist() == [0.5, 1.0, 4.0]
    assert y.to_pylist() == ["yes", "no", "no"]


def test_strings_and_whole_numbers():
    sheet = read("@relation r\n@attribute s string\n@attribute n integer\n@data\n'a b',1\nc,?\n")
    assert sheet.data.to_pydict() == {"s": ["a b", "c"], "n": [1, None]}
    assert str(sheet.data["n"].type) == "int64"


def test_dates_are_read_by_their_format():
    text = "@relation r\n@attribute d date 'dd/MM/yyyy HH:mm'\n@attribute e date\n@data\n"
    sheet = read(text + "'31/12/2020 10:30',2021-01-02T03:04:05\n?,?\n")
    assert sheet.data["d"].to_pylist() == [dt.datetime(2020, 12, 31, 10, 30), None]
    assert sheet.data["e"].to_pylist() == [dt.datetime(2021, 1, 2, 3, 4, 5), None]


def test_cells_may_be_parted_by_tabs_or_spaces():
    text = "@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1\t2\n3 4\n"
    assert rows(text) == [(1.0, 2.0), (3.0, 4.0)]


def test_without_a_class_the_last_column_is_the_hint():
    assert read("@relation r\n@attribute a numeric\n@attribute b {x}\n@data\n1,x\n").target_hint == "b"


def test_latin_letters_are_read():
    text = "@relation r\n@attribute größe {groß,klein}\n@data\ngroß\n"
    sheet = hb.read_table(io.BytesIO(text.encode("latin-1")))
    assert sheet.data.to_pydict() == {"größe": ["groß"]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEADER + "1,red\n", "line 8 of the file: 2 cells where 3 are expected"),
        (HEADER + "1,red,yes\n2,pink,no\n", "line 9 of the file: 'pink' in column 'the colour'"),
        (HEADER + "x,red,yes\n", "line 8 of the file: 'x' in column 'width' is not a number"),
        (HEADER + "{7 1}\n", "line 8"),
        (HEADER + "1,'red,yes\n", "line 8"),
        (HEADER + "1,red,yes,{heavy}\n", "no weight"),
        (HEADER, "no rows"),
        ("@relation r\n@attribute a numeric\n", "no @data"),
        ("@relation r\n@data\n1\n", "no attributes"),
        ("@relation r\n@attribute a relational\n@data\n", "tables within a table"),
        ("@relation r\n@attribute a float\n@data\n", "unknown type 'float'"),
        ("@relation r\n@attribute a {x,y\n@data\n", "lack their '}'"),
        ("@relation r\n@attribute a numeric\n@attribute a numeric\n@data\n1,1\n", "two columns named 'a'"),
        ("@relation r\n@attribute a date 'QQ'\n@data\n1\n", "date format"),
        ("@relation r\nhello\n@data\n1\n", "line 2"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, words):
    assert words in refuse(text)


def test_a_long_file_gives_the_same_in_blocks(monkeypatch):
    monkeypatch.setattr("hornbeam.data.files.text_bytes._BLOCK", 64)
    text = HEADER + "1.5,green,yes\n?,'light blue',no\n{0 2}\n" * 20
    sheet = read(text)
    assert sheet.data.num_rows == 60
    assert sheet.data["width"].to_pylist()[:3] == [1.5, None, 2.0]
    pieces = list(batches(io.BytesIO(text.encode()), sheet.facts, rows=7))
    assert [row for batch in pieces for row in batch.to_pylist()] == sheet.data.to_pylist()
    assert max(batch.num_rows for batch in pieces) <= 7
