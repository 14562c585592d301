"""Text becomes codes in the core: the same as a dictionary of Python gives, from objects and from Arrow."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam import _core
from hornbeam.data import cells
from hornbeam.data.cells import CodedCells, codes_of_text, read_cells
from hornbeam.data.encoding import learn_column
from hornbeam.data.table import Table

GAPS = [None, np.nan, np.float64("nan"), float("nan"), pd.NA, pd.NaT]
KINDS = ["string", "large_string"]
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def twin(values):
    """The codes of the values in order, and those values."""
    domain = sorted({value for value in values if type(value) is str})
    code_of = {value: code for code, value in enumerate(domain)}
    return [code_of[value] if type(value) is str else -1 for value in values], tuple(domain)


def as_objects(values):
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


@given(st.lists(TEXT | st.sampled_from(["a", "b", ""]) | st.sampled_from(GAPS), min_size=2, max_size=60))
def test_objects_have_the_codes_of_a_dictionary(values):
    coded = read_cells(as_objects(values), "word")
    expected, domain = twin(values)
    if not domain:
        assert not isinstance(coded, CodedCells)
        return
    assert (coded.codes.tolist(), coded.domain, coded.declared) == (expected, domain, False)
    assert coded.has_gaps == (-1 in expected)


@given(st.lists(TEXT | st.none(), max_size=60), st.sampled_from(KINDS), st.integers(0, 9))
def test_text_of_arrow_has_the_codes_of_a_dictionary(values, kind, start):
    expected, domain = twin(values[start:])
    codes, values_ = codes_of_text(pa.array(values, pa.type_for_alias(kind)).slice(start))
    assert (codes.tolist(), values_) == (expected, domain)
    chunks = pa.chunked_array([values[start:][:3], values[start:][3:]], pa.type_for_alias(kind))
    codes, values_ = codes_of_text(chunks)
    assert (codes.tolist(), values_) == (expected, domain)


@pytest.mark.parametrize("size", range(25))
def test_texts_that_differ_in_one_byte_are_apart(size):
    words = {"x" * k + c + "x" * (size - 1 - k) for k in range(size) for c in "xyzř\0"} | {"x" * size}
    values = sorted(words) * 2
    expected, domain = twin(values)
    codes, values_ = codes_of_text(pa.array(values))
    assert (codes.tolist(), values_) == (expected, domain)


@pytest.mark.parametrize("n_values", [1, 33, 600, 20_000])
@pytest.mark.parametrize("shared", [True, False], ids=["the same objects", "objects of their own"])
def test_many_values_and_gaps_have_the_codes_of_pandas(n_values, shared):
    rng = np.random.default_rng(n_values)
    domain = [f"value {k}" for k in range(n_values)]
    values = as_objects([domain[k] for k in rng.integers(0, n_values, 30_000)])
    if not shared:
        values = as_objects([(value + "!")[:-1] for value in values])
    for gap in GAPS:
        values[rng.integers(0, len(values), 50)] = gap
    codes, distinct = pd.factorize(values, sort=True)
    coded = read_cells(values[::-1], "word")  # with a stride, from the last row to the first
    assert coded.domain == tuple(distinct)
    assert np.array_equal(coded.codes[::-1], codes)
    arrow = codes_of_text(pa.array(values, from_pandas=True))
    assert arrow[1] == tuple(distinct)
    assert np.array_equal(arrow[0], codes)


@pytest.mark.parametrize("seed", range(10))
def test_columns_are_the_same_however_their_text_is_held(seed):
    rng = np.random.default_rng(seed)
    words = as_objects(["", "a", "B", "ž", "a\0b", "10", "9", "a longer text", None])
    text = [words[rng.integers(0, len(words), 80)] for _ in range(4)]
    objects = pd.DataFrame({f"c{j}": pd.Series(column, dtype=object) for j, column in enumerate(text)})
    expected = Table.learn(pa.table({name: pa.array(objects[name]) for name in objects}))
    for dtype in ("str", "string"):
        assert_same(Table.learn(objects.astype(dtype)), expected)
    assert_same(Table.learn(objects), expected)
    assert_same(Table.learn({name: objects[name].tolist() for name in objects}), expected)


def assert_same(table, expected):
    assert table.columns == expected.columns
    for mine, other in zip(table.arrays, expected.arrays, strict=True):
        assert np.array_equal(mine, other)


@pytest.mark.parametrize("stranger", [1, 2.5, True, b"a", ["a"], "\ud800", np.str_("a"), pd.Timestamp(0)])
def test_objects_that_are_not_all_text_are_read_by_arrow(stranger, monkeypatch):
    values = as_objects(["a", None] * 100)
    values[150] = stranger
    mine = answer(values)
    monkeypatch.setattr(cells, "coded_text", lambda _: None)
    assert answer(values) == mine


def answer(values):
    """What comes of a column: its description, or the sentence that refuses it."""
    try:
        return learn_column(read_cells(values, "word"), "word")[0]
    except (TypeError, ValueError) as error:
        return str(error)


def test_text_needs_no_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert read_cells(as_objects(["b", None, "a"]), "word").domain == ("a", "b")


def test_fields_of_packed_records_are_read():
    records = np.zeros(3, dtype=np.dtype([("flag", "u1"), ("word", "O")]))
    records["word"] = ["b", None, "a"]
    assert read_cells(records["word"], "word").codes.tolist() == [1, -1, 0]


def test_arrays_of_another_length_are_refused():
    codes = np.zeros(2, dtype=np.int32)
    with pytest.raises(ValueError, match="one length"):
        _core.codes_of_objects(as_objects(["a"]), (), codes)
    with pytest.raises(ValueError, match="one length"):
        _core.codes_of_objects(np.array([1.0, 2.0]), (), codes)
    with pytest.raises(ValueError, match="one length"):
        _core.codes_of_arrow([pa.array(["a"]).__arrow_c_array__()[1]], False, codes)
    with pytest.raises(ValueError, match="one length"):
        _core.codes_of_arrow([pa.array(["a"] * 3).__arrow_c_array__()[1]], False, codes)
