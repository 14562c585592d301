"""Numbers, dates and names as people write them into CSV files."""

from __future__ import annotations

import datetime as dt
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hornbeam as hb
from hornbeam.data.files import TableError


def read(text: str, **options: Any) -> Any:
    return hb.read_table(io.BytesIO(text.encode()), **options)


def column(cells: list[str], delimiter: str = ";") -> Any:
    return read(f"name{delimiter}other\n" + "".join(f"{cell}{delimiter}x\n" for cell in cells))


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["$52,000", "$3,500.50", "$12"], [52000, 3500.5, 12]),
        (["12.5%", "7%", "3 %"], [12.5, 7, 3]),
        (["€ 3.50", "€ 12.00"], [3.5, 12]),
        (["3.50 €", "-7 €"], [3.5, -7]),
        (["-$5", "$7"], [-5, 7]),
        (["1 234", "56"], [1234, 56]),
        (["1'234'567", "890"], [1234567, 890]),
        (["1,234,567.5", "1,000"], [1234567.5, 1000]),
        (["1.234,5", "7,25"], [1234.5, 7.25]),
        (["$1,200", "", "NA", "$3"], [1200, None, None, 3]),
        (["1 234", "12 345,5", "7"], [1234, 12345.5, 7]),
        (["52 000 Kč", "−3 000 Kč"], [52000, -3000]),
        (["20 EUR", "3.50 EUR"], [20, 3.5]),
        (["USD 5", "USD 1,200.50"], [5, 1200.5]),
        (["−5", "6.5"], [-5, 6.5]),
    ],
)
def test_numbers_are_read_without_what_is_written_for_people(cells: list[str], values: list[Any]) -> None:
    sheet = column(cells)
    assert sheet.data["name"].to_pylist() == values
    assert sheet.facts["columns"]["name"]["why"].startswith("read as numbers, without")
    assert sheet.notes[0].startswith("column 'name': read as numbers")


@pytest.mark.parametrize(
    "cells",
    [
        ["$5", "5%"],
        ["$5", "€5"],
        ["5%", "3"],
        ["$5", "3"],
        ["$", "$5"],
        ["$12,34", "$1"],
        ["1,23,456", "7"],
        ["007 €", "012 €"],
        ["10.0.0.1", "10.0.0.2"],
        ["1 234", "1 2345"],
        ["1'234", "12 345"],
        ["12 3", "45 6"],
        ["a%", "b%"],
        ["5% off", "7% off"],
    ],
)
def test_what_does_not_fit_stays_text(cells: list[str]) -> None:
    sheet = column(cells)
    assert sheet.facts["columns"]["name"]["kind"] == "nominal"
    assert sorted(set(cells)) == sorted(sheet.data["name"].unique().to_pylist())


def test_a_comma_in_quotes_between_commas_stands_between_thousands() -> None:
    sheet = read('a,b\n"1,234",x\n"5,678",y\n')
    assert sheet.data["a"].to_pylist() == [1234, 5678]
    assert read('a,b\n"1,23",x\n"5,678",y\n').data["a"].to_pylist() == [1.23, 5.678]
    assert read("a;b\n1,234;x\n5,678;y\n").data["a"].to_pylist() == [1.234, 5.678]


@given(st.lists(st.one_of(st.integers(-(10**9), 10**9), st.floats(-1e9, 1e9)), min_size=1))
def test_ordinary_numbers_are_read_as_before(numbers: list[Any]) -> None:
    sheet = column([repr(number) for number in numbers])
    assert sheet.data["name"].to_pylist() == numbers
    assert not sheet.notes


@given(st.lists(st.integers(0, 10**12), min_size=2), st.sampled_from(["$", "€", "£", ""]))
def test_what_is_written_with_signs_is_read_back(numbers: list[int], sign: str) -> None:
    sheet = column([f"{sign}{number:,}" for number in [*numbers, 1000, 1000000]])
    assert sheet.data["name"].to_pylist() == [*numbers, 1000, 1000000]


@pytest.mark.parametrize(
    ("cells", "form", "day"),
    [
        (["31.12.2024", "1.2.2025"], "%d.%m.%Y", dt.datetime(2025, 2, 1)),
        (["31/12/2024", "1/2/2025"], "%d/%m/%Y", dt.datetime(2025, 2, 1)),
        (["12/31/2024", "1/2/2025"], "%m/%d/%Y", dt.datetime(2025, 1, 2)),
        (["2024/12/31", "2025/1/2"], "%Y/%m/%d", dt.datetime(2025, 1, 2)),
        (["31/12/2024 23:59", "1/2/2025 7:05"], "%d/%m/%Y %H:%M", dt.datetime(2025, 2, 1, 7, 5)),
    ],
)
def test_the_whole_column_decides_which_number_is_the_day(cells: list[str], form: str, day: Any) -> None:
    sheet = column(cells)
    assert sheet.data["name"].to_pylist()[1] == day
    assert sheet.facts["columns"]["name"]["format"] == form
    assert sheet.notes == [f"column 'name': read as dates, {form}"]


def test_dates_that_could_be_two_are_left_and_said() -> None:
    found = column(["3/4/2024", "5/6/2024"]).facts["columns"]["name"]
    assert found["kind"] == "nominal"
    assert "the day or the month first" in found["why"]


def test_a_name_that_stands_there_twice_gets_a_number() -> None:
    sheet = read("a,b,a,a,a.2\n1,2,3,4,5\n6,7,8,9,10\n")
    assert sheet.data.column_names == ["a", "b", "a.3", "a.4", "a.2"]
    assert sheet.notes[0] == "column 'a.3': another column called a"
    assert read("a,a\n1,2\n").data.column_names == ["a", "a.2"]


@pytest.mark.parametrize("text", ["sep=;\na;b\n1;2,5\n3;4\n", "\ufeffSEP=;\r\na;b\r\n1;2,5\r\n3;4\r\n"])
def test_a_first_line_may_name_the_delimiter(text: str) -> None:
    data = hb.read_table(io.BytesIO(text.encode())).data
    assert data.to_pydict() == {"a": [1, 3], "b": [2.5, 4.0]}


def test_a_line_of_another_length_is_named_below_a_named_delimiter() -> None:
    with pytest.raises(TableError, match="line 4 of the file has 2 cells where 3 are expected"):
        hb.read_table(io.BytesIO(b"sep=;\na;b;c\n1;2;3\n4;5\n"))


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["$5", "€6"], "perhaps numbers, but written in several ways, such as $5"),
        (["12%", "0.5"], "perhaps numbers, but written in several ways"),
        (["(\u22125)", "3"], "perhaps numbers, but written in several ways"),
        ([*map(str, range(20)), "none yet"], "numbers but for 'none yet'"),
        ([*map(str, range(200)), "none yet"], "numbers but for 'none yet'"),
        ([*(f"${k}" for k in range(1, 100)), "€6"], "perhaps numbers, but written in several ways"),
        (["(a)", "b"], ""),
        (["5 a", "6 b"], ""),
    ],
)
def test_numbers_that_stay_text_say_why(cells: list[str], why: str) -> None:
    text = "v;y\n" + "".join(f"{cell};{k % 2}\n" for k, cell in enumerate(cells * 2))
    remark = hb.read_table(io.BytesIO(text.encode())).facts["columns"]["v"]["why"]
    assert remark.startswith(why)
    assert bool(remark) == bool(why)


def test_errors_of_spreadsheets_are_gaps() -> None:
    data = read("a,b\n1,x\n#DIV/0!,#REF!\n#VALUE!,y\n2.5,#NAME?\n").data
    assert data.to_pydict() == {"a": [1.0, None, None, 2.5], "b": ["x", None, "y", None]}


@pytest.mark.parametrize(
    ("name", "head"),
    [("t.xls", b"\xd0\xcf\x11\xe0"), ("t.ods", b"PK\x03\x04"), ("t.csv", b"\xd0\xcf\x11\xe0")],
)
def test_workbooks_of_other_kinds_are_refused_by_their_name(name: str, head: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(head + b"0" * 100)
    with pytest.raises(
        TableError, match=rf"{name} is a workbook of a kind that is not read; save it as .xlsx"
    ):
        hb.read_table(path)
