"""Frames of pandas are read at once or by their arrays; the columns are those that are read one by one."""

import numpy as np
import pandas as pd
import pytest

import hornbeam as hb
from hornbeam.data import frames
from hornbeam.data.table import Table

LARGE = 2**53


def one_by_one(X: pd.DataFrame) -> dict[str, pd.Series]:
    """The same table as columns, which are read one after the other."""
    return {str(name): X[name] for name in X}


def numbers(seed: int) -> pd.DataFrame:
    """Columns of numbers, of one type or of several, with gaps, zeros of both signs and large numbers."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    types = ["f8", "f4", "f2", "i8", "i4", "i2", "u1", "u4", "u8", ">f8"]
    groups = [["f8"], ["f8", "i8"], ["f8", "i8", "i4", "u4"], ["i8"], ["f4", "i8"], ["i2", "u1"], types]
    columns = {}
    for j in range(int(rng.integers(1, 6))):
        values = np.round(rng.normal(scale=10, size=n))
        dtype = np.dtype(rng.choice(groups[seed % len(groups)]))
        if dtype.kind == "f":
            values = np.where(rng.random(n) < 0.2, np.nan, np.where(rng.random(n) < 0.2, -0.0, values / 3))
        else:
            values = np.abs(values)
        if dtype.str[1:] == "i8" and rng.random() < 0.3:
            columns[f"c{j}"] = values.astype(dtype) + LARGE - 200  # beyond it some numbers are refused
        else:
            columns[f"c{j}"] = values.astype(dtype)
    return pd.DataFrame(columns)


@pytest.mark.parametrize("seed", range(70))
def test_numbers_taken_at_once_are_those_taken_one_by_one(seed):
    X = numbers(seed)
    at_once, apart = Table.learn(X), Table.learn(one_by_one(X))
    assert at_once.columns == apart.columns
    for mine, other in zip(at_once.arrays, apart.arrays, strict=True):
        assert mine.dtype == other.dtype
        assert np.array_equal(mine, other, equal_nan=True)
    shuffled = X[X.columns[::-1]].assign(more="text") if seed % 3 else X[X.columns[::-1]]
    for rows in (X, X.iloc[:1], shuffled):
        matched, expected = (Table.match(form, apart.columns) for form in (rows, one_by_one(rows)))
        for mine, other in zip(matched.arrays, expected.arrays, strict=True):
            assert np.array_equal(mine, other, equal_nan=True)


@pytest.mark.parametrize(
    "fault",
    [
        {"a": [1.0, np.inf, 2.0]},
        {"b": [1.0, 2.0, np.inf], "a": [-np.inf, 1.0, 2.0]},
        {"a": [1, LARGE + 1, 2]},
        {"a": [1.0, 2.0, 3.0], "b": [1, LARGE + 1, 2]},
    ],
)
def test_numbers_that_cannot_be_used_are_refused_by_the_same_sentence(fault):
    X = pd.DataFrame(fault)
    with pytest.raises(ValueError, match="column") as apart:
        Table.learn(one_by_one(X))
    with pytest.raises(ValueError, match="column") as at_once:
        Table.learn(X)
    assert str(at_once.value) == str(apart.value)
    if np.isinf(X.to_numpy()).any():
        columns = Table.learn(pd.DataFrame({name: [1.0, 2.0] for name in fault})).columns
        with pytest.raises(ValueError, match="infinity") as apart:
            Table.match(one_by_one(X), columns)
        with pytest.raises(ValueError, match="infinity") as at_once:
            Table.match(X, columns)
        assert str(at_once.value) == str(apart.value)


def test_whole_numbers_that_floats_cannot_keep_apart_are_rounded_up_in_prediction():
    columns = Table.learn(pd.DataFrame({"a": [1, 2], "b": [1.0, 2.0]})).columns
    X = pd.DataFrame({"a": [LARGE + 1, 3], "b": [np.nan, 2.0]})
    assert Table.match(X, columns).arrays[0].tolist() == [LARGE + 2, 3]


def mixed() -> pd.DataFrame:
    n = 130
    letters = pd.Series(np.array(["b", "a", None], dtype=object)[np.arange(n) % 3])
    return pd.DataFrame(
        {
            "number": np.arange(n) / 7,
            "letters": letters,
            "category": pd.Categorical(letters, categories=["c", "b", "a"]),
            "ordered": pd.Categorical(letters, categories=["b", "a"], ordered=True),
            "coded": pd.Categorical(np.arange(n) % 4),
            "text": letters.astype("string"),
            "whole": (np.arange(n) % 5),
            "gaps": pd.array([None if k % 4 else k for k in range(n)], dtype="Int64"),
            "flag": np.arange(n) % 2 > 0,
            "day": pd.date_range("2024-01-01", periods=n),
            "zone": pd.date_range("2024-01-01", periods=n, tz="Europe/Prague"),
            "bins": pd.cut(np.arange(n), 3),
        }
    )


@pytest.mark.parametrize("how", ["as it is", "without the arrays of pandas", "names that are no text"])
def test_columns_of_all_kinds_are_those_of_a_dict(how, monkeypatch):
    X = mixed()
    expected = Table.learn(one_by_one(X))
    if how == "without the arrays of pandas":
        monkeypatch.delattr(pd.DataFrame, "_get_column_array")
    if how == "names that are no text":
        X.columns = range(X.shape[1])
        expected = Table.learn(one_by_one(X))
    learned = Table.learn(X)
    assert learned.columns == expected.columns
    for mine, other in zip(learned.arrays, expected.arrays, strict=True):
        assert np.array_equal(mine, other, equal_nan=mine.dtype.kind == "f")
    one = Table.match(X.iloc[[8]], expected.columns)
    assert [array[0] for array in one.arrays] == [array[8] for array in expected.arrays]


def test_a_large_frame_is_not_copied(monkeypatch):
    monkeypatch.setattr(frames, "MOST_CELLS", 10)
    X = pd.DataFrame({"a": np.arange(8.0), "b": np.arange(8.0)})
    source = frames.open_table(X)
    assert source.array is None
    assert np.shares_memory(Table.learn(X).arrays[0], X["a"].to_numpy())


def test_dates_written_in_objects_are_read_when_asked():
    X = pd.DataFrame({"day": pd.Series([f"2024-01-{1 + k % 28:02}" for k in range(100)], dtype=object)})
    model = hb.TreeClassifier(parse_dates="auto").fit(X, np.arange(100) % 28 > 10)
    assert model.tree_.columns[0].is_time
