"""CSV: what is found out, what can be set, what stays text."""

import datetime as dt
import gzip
import io

import numpy as np
import pyarrow as pa
import pytest

import hornbeam as hb
from hornbeam.data.columns import Column
from hornbeam.data.files import TableError, batches
from hornbeam.data.files.read import kinds_like


def read(text, **options):
    return hb.read_table(io.BytesIO(text if isinstance(text, bytes) else text.encode()), **options)


def rows(text, **options):
    return read(text, **options).data.to_pydict()


def kinds(sheet):
    return {name: column["kind"] for name, column in sheet.facts["columns"].items()}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_out(delimiter):
    sheet = read("a,b,c\n1,x y,2.5\n2,z w,3.5\n".replace(",", delimiter))
    assert sheet.facts["delimiter"] == delimiter
    assert sheet.data.to_pydict() == {"a": [1, 2], "b": ["x y", "z w"], "c": [2.5, 3.5]}


def test_spaces_between_numbers_are_a_delimiter_but_names_of_people_are_one_column():
    assert rows("1 2\n3 4\n") == {"x0": [1, 3], "x1": [2, 4]}
    assert rows("name\nJohn Smith\nJane Doe\n") == {"name": ["John Smith", "Jane Doe"]}


def test_a_comma_inside_quotes_does_not_count():
    assert rows('a,b\n"x, y",1\n"z",2\n') == {"a": ["x, y", "z"], "b": [1, 2]}


def test_a_line_break_inside_quotes_does_not_count():
    assert rows('a,b\n"x\ny",1\nz,2\n') == {"a": ["x\ny", "z"], "b": [1, 2]}


def test_single_quotes_are_found_out():
    sheet = read("a|b\n'x|y'|2\n'z'|3\n'w'|4\n")
    assert sheet.facts["quote"] == "'"
    assert sheet.data["a"].to_pylist() == ["x|y", "z", "w"]


def test_quotes_can_be_switched_off():
    assert rows('a,b\n"x,1\ny",2\n', quote="")["a"] == ['"x', 'y"']


def test_a_decimal_comma_is_found_out():
    sheet = read("a;b\n1,5;x\n-2,25;y\n")
    assert sheet.facts["decimal"] == ","
    assert sheet.data["a"].to_pylist() == [1.5, -2.25]


def test_the_decimal_sign_can_be_set():
    assert rows("a;b\n1,5;1\n2,5;2\n", decimal=".")["a"] == ["1,5", "2,5"]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,2\n", True),
        ("1,2\n3,4\n", False),
        ("red,big\nred,small\nblue,big\n", False),
        ("colour,size\nred,small\nred,big\n", True),
        ("5.1,setosa\n4.9,setosa\n", False),
        ("?,1\n2,2\n", False),
    ],
)
def test_the_header_is_found_out(text, header):
    assert read(text).facts["header"] is header


def test_the_header_can_be_set():
    assert rows("1,2\n3,4\n", header=True) == {"1": [3], "2": [4]}
    assert rows("a,b\n1,2\n", header=False) == {"x0": ["a", "1"], "x1": ["b", "2"]}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "utf-16-le"])
def test_the_encoding_is_found_out(encoding):
    sheet = read("größe,ort\n1,café\n2,Köln\n".encode(encoding))
    assert sheet.facts["encoding"] == encoding
    assert sheet.data.to_pydict() == {"größe": [1, 2], "ort": ["café", "Köln"]}


def test_an_encoding_that_shows_itself_only_far_into_the_file_is_found_out():
    text = "a,b\n" + "1,plain\n" * 40_000 + "2,caf\xe9\n" + "3,plain\n" * 40_000
    sheet = read(text.encode("latin-1"))
    assert sheet.facts["encoding"] == "cp1252"
    assert set(sheet.data["b"].to_pylist()) == {"plain", "café"}


def test_words_are_gaps_everywhere_and_signs_only_among_numbers():
    sheet = read("n,t\n1,x\n-,-\nNA,?\n4,.\n")
    assert sheet.data.to_pydict() == {"n": [1, None, None, 4], "t": ["x", "-", None, "."]}
    assert sheet.facts["missing"] == ["-", "?", "NA"]
    assert [c["n_missing"] for c in sheet.facts["columns"].values()] == [2, 1]


def test_marks_of_gaps_can_be_set():
    assert rows("n,t\n-9,x\n3,NA\n", missing=["-9"]) == {"n": [None, 3], "t": ["x", "NA"]}
    assert rows("n,t\n-9,x\n3,-9\n", missing="-9")["t"] == ["x", None]


def test_a_mark_that_comes_late_is_found():
    text = "a,b\n" + "1,x\n" * 100_000 + "-,x\n"
    sheet = read(text)
    assert sheet.data["a"].null_count == 1
    assert sheet.data["a"].type == pa.int64()
    assert sheet.facts["missing"] == ["-"]


def test_a_word_that_comes_late_makes_the_column_text():
    sheet = read("a,b\n" + "1,x\n" * 200_000 + "one,x\n")
    assert kinds(sheet)["a"] == "nominal"
    assert sheet.data["a"].null_count == 0


def test_a_fraction_that_comes_late_makes_the_column_real():
    sheet = read("a,b\n" + "1,x\n" * 200_000 + "1.5,x\n")
    assert sheet.data["a"].type == pa.float64()


def test_codes_with_leading_zeros_stay_text_even_if_they_come_last():
    assert rows("zip,n\n01234,1\n90210,2\n")["zip"] == ["01234", "90210"]
    late = "zip,n\n" + "90210,1\n" * 100_000 + "01234,2\n" * 100
    assert read(late).data["zip"].to_pylist()[-1] == "01234"


def test_zero_and_fractions_below_one_are_no_codes():
    assert rows("a\n0\n0.5\n-0\n")["a"] == [0.0, 0.5, -0.0]


def test_whole_numbers_that_floats_would_merge_stay_text():
    sheet = read(f"id,n\n{2**53 + 1},1\n{2**53},2\n")
    assert sheet.data["id"].to_pylist() == [str(2**53 + 1), str(2**53)]
    assert "2^53" in sheet.facts["columns"]["id"]["why"]


def test_dates_become_timestamps():
    sheet = read("when,n\n2024-02-29,1\n2024-03-01 12:30,2\n")
    assert sheet.data["when"].to_pylist() == [dt.datetime(2024, 2, 29), dt.datetime(2024, 3, 1, 12, 30)]
    assert kinds(sheet)["when"] == "date"


def test_dates_that_are_none_stay_text():
    sheet = read("when,n\n2024-02-30,1\n2024-03-01,2\n")
    assert kinds(sheet)["when"] == "nominal"


def test_other_dates_are_read_by_their_format():
    text = "when,n\n31.12.2020,1\n1.1.2021,2\n"
    assert rows("when,n\n3/4/2020,1\n")["when"] == ["3/4/2020"]
    found = rows(text, columns="when=date(%d.%m.%Y)")["when"]
    assert found == [dt.datetime(2020, 12, 31), dt.datetime(2021, 1, 1)]


def test_true_and_false_are_booleans():
    assert rows("a,b\nTrue,1\nfalse,2\n,3\n")["a"] == [True, False, None]


def test_plus_signs_and_spaces_around_numbers_are_read():
    assert rows("a, b\n+1, 2.5\n2, +3\n") == {"a": [1, 2], "b": [2.5, 3.0]}


def test_spaces_after_delimiters_are_no_part_of_categories():
    sheet = read("30, yes, ?\n40, no, x\n50, yes, y\n")
    assert sheet.data.to_pydict() == {"x0": [30, 40, 50], "x1": ["yes", "no", "yes"], "x2": [None, "x", "y"]}


def test_columns_can_be_declared():
    sheet = read(
        "a,b,c,d,e\n1,2,low,x,yes\n2,3,high,y,no\n",
        columns="a=nominal,b=drop,c=ordinal(low<mid<high),e=boolean",
    )
    assert kinds(sheet) == {"a": "nominal", "c": "ordinal", "d": "nominal", "e": "boolean"}
    assert sheet.data["a"].to_pylist() == ["1", "2"]
    assert sheet.data["c"].chunk(0).dictionary.to_pylist() == ["low", "mid", "high"]
    assert sheet.data["c"].type.ordered
    assert sheet.data["e"].to_pylist() == [True, False]


def test_a_number_declared_nominal_keeps_a_dash():
    assert rows("a,b\n1,x\n-,y\n", columns="a=nominal")["a"] == ["1", "-"]


def test_a_limit_reads_so_many_rows():
    assert read("a\n" + "1\n" * 500_000, limit=7).data.num_rows == 7


def test_gzip_is_unpacked(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,x\n2,y\n"))
    assert hb.read_table(path).data.to_pydict() == {"a": [1, 2], "b": ["x", "y"]}
    assert hb.read_table(path).facts["format"] == "csv"
    assert rows(gzip.compress(b"a,b\n1,x\n2,y\n"))["a"] == [1, 2]


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,x\n")))
    sheet = hb.read_table("-")
    assert sheet.facts["source"] == "standard input"
    assert sheet.data.num_rows == 1


def test_the_remark_tells_ids_free_text_and_few_whole_numbers():
    lines = ["id,code,text,few,name"]
    long = "a long remark about this and that, number"
    lines += [f'{k},k{k},"{long} {k}",{k % 3},{"abc"[k % 3]}' for k in range(30)]
    whys = {name: c["why"] for name, c in read("\n".join(lines)).facts["columns"].items()}
    assert whys["id"] == whys["code"] == "ids: every value differs"
    assert whys["text"] == "free text"
    assert whys["few"].startswith("whole numbers with 3 values")
    assert whys["name"] == ""


def test_what_is_read_can_be_learned_from():
    rng = np.random.default_rng(0)
    lines = [
        f"{x:.3f},{'red' if x > 0 else 'blue'},{'yes' if x > 0.5 else 'no'}" for x in rng.normal(size=200)
    ]
    X, y, weight, counts = read("x,colour,buy\n" + "\n".join(lines)).split("buy")
    assert (weight, counts) == (None, None)
    assert hb.TreeClassifier().fit(X, y).score(X, y) == 1.0


def test_a_table_read_twice_is_the_same(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n?,y\n")
    assert hb.read_table(path).data.equals(hb.read_table(path).data)
    with pytest.raises(TableError):
        hb.read_table(path, columns="a=boolean,b=numeric")


def test_numbers_with_signs_between_thousands_are_read_and_it_is_said():
    sheet = read("a;b\n1.234,56;x\n99,10;y\n")
    assert sheet.data["a"].to_pylist() == [1234.56, 99.1]
    assert "thousands" in sheet.facts["columns"]["a"]["why"]
    assert read("a;b\nx;1\ny;2\n").facts["columns"]["a"]["why"] == ""


def test_brackets_of_negative_numbers_are_read_beside_others_and_it_is_said():
    sheet = read('a,b,c,d\n"$52,000",(5),(1),"(3 %)"\n"($3,000)",7,(2),4 %\n"-$1,200.50",8.5,(3),"(0.5%)"\n')
    assert sheet.data["a"].to_pylist() == [52000.0, -3000.0, -1200.5]
    assert "without brackets of negative numbers, the sign $ and signs between" in sheet.notes[0]
    assert sheet.data["b"].to_pylist() == [-5.0, 7.0, 8.5]
    assert sheet.data["c"].to_pylist() == ["(1)", "(2)", "(3)"]  # brackets everywhere may be anything
    assert sheet.data["d"].to_pylist() == [-3.0, 4.0, -0.5]
    assert read("a,b\n(5),x\n(n/a),y\n7,z\n").data["a"].to_pylist() == ["(5)", "(n/a)", "7"]


def test_a_header_longer_than_what_is_looked_at_first_is_read_whole(tmp_path):
    names = [f"{'a long name':_<120} {k}" for k in range(2500)]
    text = ",".join(names) + "\n" + "".join(",".join([str(row)] * 2500) + "\n" for row in range(3))
    path = tmp_path / "wide.csv"
    path.write_text(text, encoding="utf-8")
    packed = tmp_path / "wide.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    for source in (path, packed, io.BytesIO(text.encode())):
        data = hb.read_table(source).data
        assert data.column_names == names
        assert data.column(2499).to_pylist() == [0, 1, 2]
    columns = [Column(names[0], "numeric"), Column(names[-1], "numeric")]
    (piece,) = batches(io.BytesIO(text.encode()), kinds_like(columns), format="csv")
    assert piece.column(names[-1]).to_pylist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("blank", ["\n", "\n\n\n", "\r\n"])
def test_blank_lines_above_the_header_are_no_rows(tmp_path, blank):
    path = tmp_path / "t.csv"
    path.write_bytes(f"{blank}a,b,t\n1,2,x\n3,4,y\n".encode())
    sheet = hb.read_table(path)
    assert sheet.data.to_pydict() == {"a": [1, 3], "b": [2, 4], "t": ["x", "y"]}
    (piece,) = batches(path, sheet.facts)
    assert piece.to_pydict() == sheet.data.to_pydict()
