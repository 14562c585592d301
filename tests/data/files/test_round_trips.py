"""What is written comes back: every format, hostile text, gaps, dates, orders of categories."""

import datetime as dt
import io
import re
import zipfile

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.selection import examples

import hornbeam as hb
from hornbeam.data.files import TableError, batches

HOSTILE = [
    "a,b",
    "it's",
    'say "x"',
    "100%",
    "{x}",
    "a\\b",
    "%c",
    "tab\there",
    "=1+1",
    "é ž 漢",
    "x;y|z",
    "?x",
    "-",
]
LINES = ["two\nlines", "cr\rlf\r\n"]
EDGES = [" leading", "trailing ", "?", "NA", "null", "None", "."]
TEXT = st.one_of(
    st.sampled_from(HOSTILE), st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1)
)
MOMENT = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)).map(
    lambda m: m.replace(microsecond=0)
)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
WHOLE = st.integers(-(2**53), 2**53)
OPTIONS = settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def categories(codes, values, *, ordered=False):
    """Categories in declared order, which indices of 8 bits say of those without an order of size."""
    index = pa.int32() if ordered else pa.int8()
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, index), pa.array(values, pa.string()), ordered=ordered
    )


@st.composite
def tables(draw, text=TEXT):
    n = draw(st.integers(1, 6))

    def column(values):
        return draw(st.lists(st.none() | values, min_size=n, max_size=n))

    domain = draw(st.lists(text, min_size=1, max_size=4, unique=True))
    code = st.integers(0, len(domain) - 1)
    return pa.table(
        {
            "real": pa.array(column(NUMBER), pa.float64()),
            "whole": pa.array(column(WHOLE), pa.int64()),
            "flag": pa.array(column(st.booleans()), pa.bool_()),
            "when": pa.array(column(MOMENT), pa.timestamp("us")),
            'o\'dd, "name"': categories(column(code), domain),
            "grade": categories(column(code), domain, ordered=True),
        }
    )


def again(table, kind, **options):
    file = io.BytesIO()
    hb.write_table(table, file, format=kind)
    file.seek(0)
    return hb.read_table(file, format=kind, **options).data


def same(found, table):
    assert found.column_names == table.column_names
    assert found.to_pydict() == table.to_pydict()


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@OPTIONS
@given(table=tables(TEXT | st.sampled_from(LINES + EDGES + [""])))
def test_arrow_files_keep_everything(kind, table):
    found = again(table, kind)
    same(found, table)
    assert [str(field.type) for field in found.schema] == [str(field.type) for field in table.schema]
    for name in ('o\'dd, "name"', "grade"):
        assert found[name].chunk(0).dictionary.to_pylist() == table[name].chunk(0).dictionary.to_pylist()


@OPTIONS
@given(table=tables(TEXT | st.sampled_from([*LINES, *EDGES, ""])))
def test_arff_keeps_values_orders_and_text_of_any_kind(table):
    found = again(table, "arff")
    flags = [None if flag is None else str(flag).lower() for flag in table["flag"].to_pylist()]
    same(found, table.set_column(2, "flag", pa.array(flags, pa.string())))
    for name in ('o\'dd, "name"', "grade"):
        assert found[name].chunk(0).dictionary.to_pylist() == table[name].chunk(0).dictionary.to_pylist()


def test_text_without_a_declared_order_is_declared_sorted(tmp_path):
    """So a copy of a table learns the same tree, whatever the order of the rows."""
    table = pa.table({"colour": pa.array(["red", "blue", "red"]), "kind": pa.array(["z", "y", "x"])})
    assert again(table, "arff")["colour"].chunk(0).dictionary.to_pylist() == ["blue", "red"]
    hb.write_table(table, tmp_path / "t.names")
    assert (tmp_path / "t.names").read_text(encoding="utf-8") == "x, y, z.\ncolour: blue, red.\n"


@pytest.mark.parametrize("kind", ["csv", "tsv"])
@OPTIONS
@given(table=tables(TEXT | st.sampled_from(LINES)))
def test_delimited_text_keeps_what_is_declared(kind, table):
    order = table["grade"].chunk(0).dictionary.to_pylist()
    columns = {
        "real": "numeric",
        "whole": "numeric",
        "flag": "boolean",
        "when": "date",
        'o\'dd, "name"': "nominal",
    }
    found = again(table, kind, columns={**columns, "grade": order}, header=True, missing="")
    same(found, table)


@OPTIONS
@given(table=tables(TEXT | st.sampled_from([*LINES, *EDGES, ""])))
def test_json_lines_keep_values(table):
    columns = {"when": "date", 'o\'dd, "name"': "nominal", "grade": "nominal", "real": "numeric"}
    same(again(table, "jsonl", columns=columns), table)


def test_workbooks_keep_values():
    pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    n = len(HOSTILE)
    table = pa.table(
        {
            "real": pa.array([None, 0.1, -1e300] + [1.5] * (n - 3)),
            "whole": pa.array([None, 2**53, -5] + [1] * (n - 3)),
            "flag": pa.array([None, True, False] + [True] * (n - 3)),
            "when": pa.array(
                [None, dt.datetime(1950, 2, 28, 23, 59, 59)] + [dt.datetime(2020, 1, 1)] * (n - 2)
            ),
            'o\'dd, "name"': categories(range(n), HOSTILE),
        }
    )
    same(again(table, "xlsx", missing=""), table)


@OPTIONS
@given(table=tables(st.sampled_from([*HOSTILE[:7], "a.b", "x|y", "p:q", "N/A", "?", "."])))
def test_c45_keeps_values_and_orders(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("c45") / "t.names"
    table = table.select(["real", 'o\'dd, "name"', "grade"])
    hb.write_table(table, path)
    found = hb.read_table(path).data
    assert found.to_pylist() == [
        {"real": r, 'o\'dd, "name"': o, "class": g}
        for r, o, g in zip(*table.to_pydict().values(), strict=True)
    ]
    assert found["class"].chunk(0).dictionary.to_pylist() == table["grade"].chunk(0).dictionary.to_pylist()


def test_one_column_with_gaps_comes_back_as_csv():
    same(again(pa.table({"a": [1, None, 3]}), "csv"), pa.table({"a": [1, None, 3]}))


def test_formulas_can_be_made_harmless():
    file = io.BytesIO()
    hb.write_table({"=a": ["=1+1", "@x", "ok", None]}, file, format="csv", escape_formulas=True)
    assert file.getvalue().decode().splitlines() == ['"\'=a"', '"\'=1+1"', '"\'@x"', '"ok"', '""']


def test_the_delimiter_can_be_chosen():
    file = io.BytesIO()
    hb.write_table({"a": [1], "b": ["x"]}, file, format="csv", delimiter=";")
    assert file.getvalue() == b'"a";"b"\n1;"x"\n'


def test_frames_dicts_records_and_arrays_can_be_written(tmp_path):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    import numpy as np

    columns = {"a": [1.5, None], "b": ["x", "y"]}
    records = [{"a": 1.5, "b": "x"}, {"a": None, "b": "y"}]
    for data in (columns, records, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        hb.write_table(data, tmp_path / "t.parquet")
        assert hb.read_table(tmp_path / "t.parquet").data.to_pydict() == columns
    hb.write_table(np.array([[1.0, np.nan]]), tmp_path / "t.csv")
    assert hb.read_table(tmp_path / "t.csv").data.to_pydict() == {"x0": [1], "x1": [None]}


@pytest.mark.parametrize(
    ("target", "options", "words"),
    [
        ("t.xyz", {}, "format"),
        ("t.csv", {"delimiter": "::"}, "delimiter"),
        ("t.parquet", {"delimiter": ";"}, "delimiter"),
        ("t.parquet", {"escape_formulas": True}, "escape_formulas"),
        ("t.csv", {"format": "cvs"}, "did you mean 'csv'?"),
        ("no/where/t.csv", {}, "folder"),
    ],
)
def test_what_cannot_be_written_gets_a_sentence(tmp_path, target, options, words):
    with pytest.raises(TableError) as caught:
        hb.write_table({"a": [1]}, tmp_path / target, **options)
    assert words in str(caught.value)


def test_values_within_values_cannot_be_written():
    with pytest.raises(TableError, match="within values"):
        hb.write_table(pa.table({"a": [[1], [2]]}), io.BytesIO(), format="csv")
    with pytest.raises(TableError, match="no file"):
        hb.write_table({"a": [1]}, 5)
    with pytest.raises(TableError, match="must be categories"):
        hb.write_table({"a": [1], "b": [2]}, "t.names")


def test_what_excel_cannot_hold_is_refused():
    pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    with pytest.raises(TableError, match="before 1900"):
        hb.write_table({"d": [dt.datetime(1800, 1, 1)]}, io.BytesIO(), format="xlsx")
    with pytest.raises(TableError, match="cannot be in an Excel sheet"):
        hb.write_table({"d": ["bell\a"]}, io.BytesIO(), format="xlsx")


def test_a_formula_is_written_as_text():
    openpyxl = pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    file = io.BytesIO()
    hb.write_table({"a": ["=1+1", "x"]}, file, format="xlsx")
    assert openpyxl.load_workbook(file).active["A2"].data_type == "s"


def test_sheets_are_chosen_by_name_or_number(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, "x"])
    second = book.create_sheet("second")
    for row in (["n", "mixed"], [1, "NA"], [None, 2], [3, 4.5]):
        second.append(row)
    book.save(tmp_path / "t.xlsx")
    assert hb.read_table(tmp_path / "t.xlsx").data.to_pydict() == {"a": [1], "b": ["x"]}
    for sheet in ("second", 1):
        found = hb.read_table(tmp_path / "t.xlsx", sheet=sheet)
        assert found.data.to_pydict() == {"n": [1, None, 3], "mixed": [None, 2.0, 4.5]}
        assert found.facts["missing"] == ["NA"]
    with pytest.raises(TableError, match="did you mean 'second'"):
        hb.read_table(tmp_path / "t.xlsx", sheet="secnd")


def test_a_name_that_an_excel_file_has_twice_gets_a_number(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    book = openpyxl.Workbook()
    for row in [["a", "b", "a"], [1, "x", 2], [3, "y", 4]]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    sheet = hb.read_table(tmp_path / "t.xlsx")
    assert sheet.data.to_pydict() == {"a": [1, 3], "b": ["x", "y"], "a.2": [2, 4]}
    assert sheet.notes == ["column 'a.2': another column called a"]
    assert hb.read_table(tmp_path / "t.xlsx", columns="a.2=drop").notes == []


def test_a_formula_that_nobody_computed_is_refused_and_a_computed_one_read(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    book = openpyxl.Workbook()
    for row in [["a", "b"], [1, "=A2*2"], [3, "=A3*2"]]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(TableError, match="2 formulas without a stored value, the first in cell B2; open the"):
        hb.read_table(tmp_path / "t.xlsx")
    with zipfile.ZipFile(tmp_path / "t.xlsx") as old, zipfile.ZipFile(tmp_path / "u.xlsx", "w") as new:
        for part in old.namelist():
            data = old.read(part)
            new.writestr(part, re.sub(rb"<v ?/>|<v></v>", b"<v>7</v>", data) if "sheet1" in part else data)
    assert hb.read_table(tmp_path / "u.xlsx").data.to_pydict() == {"a": [1, 3], "b": [7, 7]}


@pytest.mark.parametrize("batch", [None, 2])
def test_json_lines_keep_every_digit_of_whole_numbers(batch, tmp_path):
    ids = ["1" + "0" * n + "1" for n in (18, 24, 4999)]
    both = ["1e30", ids[0], "2"]
    rows = [f'{{"id": {n}, "x": 1e300, "both": {k}}}\n' for n, k in zip(ids, both, strict=True)]
    (tmp_path / "t.jsonl").write_text("".join(rows) + '{"x": 2.5}\n')
    if batch is None:
        table = hb.read_table(tmp_path / "t.jsonl")
        assert "whole numbers beyond 2^53, which a float cannot keep apart" in str(table)
        columns = table.data.to_pydict()
    else:
        kinds = {"id": "nominal", "x": "numeric", "both": "numeric"}
        pieces = list(batches(tmp_path / "t.jsonl", kinds, rows=batch))
        columns = {name: [v for p in pieces for v in p.to_pydict()[name]] for name in ("id", "x", "both")}
    assert columns["id"] == [*ids, None]
    assert columns["x"] == [1e300, 1e300, 1e300, 2.5]
    assert columns["both"] == [1e30, float(ids[0]), 2.0, None]
