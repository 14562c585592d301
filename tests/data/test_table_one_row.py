"""Table: one row, from anything that holds one."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.support.people import PEOPLE

from hornbeam.data.table import Table, one_row


def test_one_row_is_taken_from_anything_that_holds_one():
    frame = pd.DataFrame(PEOPLE)
    frame["kind"] = pd.Categorical(["a", "b", "a"])
    frame["bin"] = pd.cut([1, 2, 3], [0, 1, 5])
    table = Table.learn(frame)
    for i in range(3):
        records = (
            frame.iloc[i],
            frame.iloc[i].to_dict(),
            frame.iloc[[i]],
            list(frame.iloc[i]),
            tuple(frame.iloc[i]),
            frame.iloc[i].to_numpy(),
            [frame.iloc[i].to_dict()],
        )
        for record in records:
            row = one_row(record, table.columns)
            assert row.n_rows == 1
            for one, many in zip(row.arrays, table.arrays, strict=True):
                np.testing.assert_array_equal(one, many[i : i + 1])


def test_one_row_of_numbers_is_a_plain_array():
    columns = Table.learn(np.array([[1.0, 2.0], [3.0, 4.0]])).columns
    for record in (
        np.array([5.0, 6.0]),
        np.array([[5.0, 6.0]]),
        [5, 6],
        (5, 6),
        pl.Series([5.0, 6.0]),
        [[5, 6]],
    ):
        assert [array[0] for array in one_row(record, columns).arrays] == [5.0, 6.0]


def test_one_row_refuses_several_rows_the_wrong_width_and_a_missing_name():
    columns = Table.learn(pd.DataFrame({"a": [1.0], "b": [2.0]})).columns
    with pytest.raises(ValueError, match="one row is expected, but 2 were given; pick one"):
        one_row(pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]}), columns)
    with pytest.raises(ValueError, match="X has 1 features, but TreeRegressor is expecting 2"):
        one_row([1.0], columns, "TreeRegressor")
    with pytest.raises(ValueError, match="X has no column 'b'"):
        one_row({"a": 1.0}, columns)
