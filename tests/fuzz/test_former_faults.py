"""The smallest inputs that once made a reader hang, or fail without a sentence."""

import datetime as dt
import io
import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest
from tests.fuzz.targets import PARTS_OF_WORKBOOK, READERS, workbook_parts

import hornbeam as hb
from hornbeam.cli.part_syntax import parse_call, parse_value
from hornbeam.data.files import TableError
from hornbeam.data.files.column_types import unique_names
from hornbeam.data.files.request import declarations
from hornbeam.tree.expressions.language import Expression

TENNIS = hb.datasets.load("tennis")
MANY = 50_000  # enough for an effort that grows by the square, or faster, to take minutes


# --- hangs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "x=ordinal(a" + '"' * 71,
        "x=ordinal(" + "'" * 71 + "b)",
        " " * MANY,
        "a" + " " * MANY + "b",
        "x=nominal(a" + " " * MANY + '"',
    ],
)
def test_declared_columns_take_no_longer_than_their_length(text):
    with pytest.raises(TableError, match="columns"):
        declarations(text)


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("'a" + " " * MANY + "b'", ["a" + " " * MANY + "b"]),
        ("a" + " " * MANY + "b", ["a" + " " * MANY + "b"]),
        ("a" + " " * MANY + "{2}", ["a"]),
        ("{0 a" + " " * MANY + "b}", ["a" + " " * MANY + "b"]),
    ],
    ids=["quoted", "bare", "weight", "sparse"],
)
def test_a_line_of_arff_takes_no_longer_than_its_length(line, cells):
    data = f"@relation r\n@attribute a string\n@data\n%\n{line}\n".encode()
    assert hb.read_table(io.BytesIO(data), format="arff").data["a"].to_pylist() == cells


def test_declared_values_of_arff_take_no_longer_than_their_length():
    data = b"@relation r\n@attribute a {x" + b" " * MANY + b"'}\n@data\nx\n"
    with pytest.raises(TableError, match="line 2 of the file: a quote is not closed"):
        hb.read_table(io.BytesIO(data), format="arff")


def test_a_cell_of_digits_and_a_letter_takes_no_longer_than_its_length():
    cell = "7" * MANY + "x"
    sheet = hb.read_table(io.BytesIO(f"a,b\n1,{cell}\n".encode()))
    assert sheet.data["b"].to_pylist() == [cell]
    assert parse_value(cell) == cell


def test_quotes_that_are_not_closed_are_looked_at_once():
    with pytest.raises(ValueError, match="cannot be read"):
        Expression.parse("x > " + "\\'" * MANY)


def test_chains_of_comparisons_within_each_other_are_refused():
    text = "x"
    for _ in range(60):
        text = f"(0 < +{text} < 1)"
    columns = hb.Tree.from_nested({"column": "x", "<=": 1, "yes": 0, "no": 1}).columns
    with pytest.raises(ValueError, match="holds comparisons within chains of comparisons"):
        Expression.parse(text).check(columns)
    Expression.parse("(0 < +(0 < x < 1) < 1) and x in (" + "1, " * 500 + "2)").check(columns)


def test_many_columns_of_one_name_get_numbers():
    names = unique_names(["a"] * MANY + ["a.2"])
    assert names[:3] == ["a", "a.3", "a.4"]
    assert len(set(names)) == MANY + 1


# --- no sentence --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["f(" + "-" * 900 + "x)", "x" + ".x" * 900, "f(" + "x+" * 900 + "1)"])
def test_foreign_parts_nested_deeply_are_refused(text):
    with pytest.raises(ValueError, match="nested more than 200 deep"):
        Expression.parse(text)


@pytest.mark.parametrize(
    "text", ["x > " + "y" * 3_000, "x > 1 " * 2_000, " " * 3_000, "f(" + "y" * 3_000 + ")"]
)
def test_a_sentence_about_a_long_expression_shows_its_beginning(text):
    with pytest.raises(ValueError) as fault:  # noqa: PT011 (several sentences)
        Expression.parse(text).check(
            [hb.Tree.from_nested({"column": "x", "<=": 1, "yes": 0, "no": 1}).columns[0]]
        )
    assert len(str(fault.value)) < 800


@pytest.mark.parametrize("text", ["a(b={[]: 1})", "a(b={{}: 1})"])
def test_a_key_on_the_command_line_is_a_name_a_number_or_a_text(text):
    with pytest.raises(ValueError, match="before ':' at place 6 a name, a number or a text is expected"):
        parse_call(text)


def test_values_on_the_command_line_may_be_nested_twenty_deep():
    assert parse_call("a(b=" + "[" * 20 + "]" * 20 + ")")[0] == "a"
    with pytest.raises(ValueError, match="nested more than 20 deep"):
        parse_call("a(b=" + "[" * 1_000)
    assert parse_value("[" * 1_000) == "[" * 1_000


def test_a_workbook_without_sheets_is_refused():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for part, content in workbook_parts().items():
            content = b"<workbook/>" if part == PARTS_OF_WORKBOOK[3] else content
            archive.writestr(part, content)
    with pytest.raises(TableError, match="the file has no sheets"):
        hb.read_table(io.BytesIO(packed.getvalue()))


@pytest.mark.parametrize(
    ("entry", "value", "sentence"),
    [
        (
            "estimator",
            {
                "parameters": {
                    "missing": {"type": "part", "value": {"part": "AllPaths", "parameters": {"odd": 1}}}
                }
            },
            "AllPaths has no parameter 'odd': its parameters are vote",
        ),
        ("meta", {"answers": {"odd": 1}}, r"meta\['answers'\] has an entry 'odd': its entries are"),
    ],
)
def test_a_model_file_with_an_unknown_entry_is_refused_by_its_name(entry, value, sentence, tmp_path):
    path = hb.save(hb.TreeClassifier().fit({"x": [1, 2, 3]}, ["a", "a", "b"]), tmp_path / "m.tree.json")
    document = json.loads(path.read_text())
    document[entry] |= value
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=sentence):
        hb.load(path, edited=True)


# --- answers ------------------------------------------------------------------------------------------------


def key_of(moments):
    return hb.key(hb.TreeClassifier().fit({"when": moments}, ["a", "a", "b", "b"]))


DAYS = ["2024-01-01", "2024-02-01", "2024-06-01", "2024-07-01"]


def test_a_time_with_a_zone_is_no_answer_where_times_have_none():
    key = key_of(np.array(DAYS, dtype="datetime64[s]"))
    with pytest.raises(ValueError, match="is no answer for 'when': answer a time, or 'unknown'"):
        key.answer("2024-01-01T12:00+02:00")
    assert key.answer("2024-01-01T12:00").result.answer == "a"


def test_an_answer_without_a_zone_is_in_that_of_the_column():
    zoned = [dt.datetime.fromisoformat(day).replace(tzinfo=dt.UTC) for day in DAYS]
    assert key_of(zoned).answer("2024-06-15").result.answer == "b"
    assert key_of(zoned).answer("2024-06-15T00:00+02:00").result.answer == "b"


@pytest.mark.parametrize("name", READERS)
def test_nothing_at_all_is_read_or_refused(name):
    assert READERS[name].target(b"") in (True, False)


@pytest.mark.parametrize("name", [[{"op": "prune"}], {}, None, 3])
def test_an_operation_whose_name_is_no_text_is_refused(name):
    with pytest.raises(ValueError, match="is no operation: operations are"):
        hb.replay([{"op": name}], hb.id3(), TENNIS.X, TENNIS.y)


def test_decimals_of_more_places_than_a_float_has_are_refused():
    data = io.BytesIO()
    table = pa.table({"dec": pa.array([None], pa.decimal128(25, 2)), "x": [1]})
    pa.feather.write_feather(table, data, compression="uncompressed")
    scale = (2).to_bytes(4, "little")
    changed = data.getvalue().replace(
        (25).to_bytes(4, "little") + scale, (25).to_bytes(4, "little") + b"\2\0\0\x20"
    )
    changed = changed.replace(scale + (25).to_bytes(4, "little"), b"\2\0\0\x20" + (25).to_bytes(4, "little"))
    with pytest.raises(TableError, match="holds decimals of 536870914 places, which no float has"):
        hb.read_table(io.BytesIO(changed), format="feather")
