"""Training, validation and test rows: shares, classes, any kind of table, any order of the rows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.selection import examples

import hornbeam as hb


def test_a_table_is_parted_by_its_shares_and_every_row_is_in_one_part():
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 4
    parts = hb.teaching.train_validation_test(X, y, (0.5, 0.3, 0.2))
    assert [len(part.rows) for part in parts] == [10, 6, 4]
    assert sorted(np.concatenate([part.rows for part in parts]).tolist()) == list(range(20))
    for part in parts:
        assert (X[part.rows] == part.X).all()
        assert (part.y == y[part.rows]).all()


def test_stratified_parts_have_their_share_of_every_class():
    y = np.repeat(["rare", "common"], [20, 180])
    X = np.arange(200.0)[:, None]
    parts = hb.teaching.train_validation_test(X, y, (0.5, 0.25, 0.25), stratify=y)
    assert [(part.y == "rare").sum() for part in parts] == [10, 5, 5]
    plain = hb.teaching.train_validation_test(X, y, (0.5, 0.25, 0.25))
    assert [len(part.y) for part in plain] == [100, 50, 50]


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.integers(0, 9), st.integers(0, 9))
def test_shares_are_kept_to_a_row_in_all_and_in_each_class(y, a, b):
    total = a + b + 1
    shares = (a / total, b / total, 1 / total)
    X = {"x": list(range(len(y)))}
    parts = hb.teaching.train_validation_test(X, y, shares, stratify=y)
    for part, share in zip(parts, shares, strict=True):
        assert abs(len(part.rows) - share * len(y)) < 2
        for k in set(y):
            assert abs(sum(v == k for v in part.y) - share * y.count(k)) < 2


def test_the_parts_follow_the_seed_and_not_the_order_of_the_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.integers(0, 2, 50)
    order = rng.permutation(50)
    one = hb.teaching.train_validation_test(X, y, stratify=y, random_state=7)
    two = hb.teaching.train_validation_test(X[order], y[order], stratify=y[order], random_state=7)
    for a, b in zip(one, two, strict=True):
        assert sorted(a.rows.tolist()) == sorted(order[b.rows].tolist())
    other = hb.teaching.train_validation_test(X, y, stratify=y, random_state=8)
    assert other.train.rows.tolist() != one.train.rows.tolist()
    again = hb.teaching.train_validation_test(X, y, stratify=y, random_state=7)
    assert again.train.rows.tolist() == one.train.rows.tolist()


def test_every_kind_of_table_is_parted_alike():
    frame = pd.DataFrame({"x": [1.5, 2.5, 3.5, 4.5, 5.5], "c": list("uvuvu")})
    y = [1, 0, 1, 0, 1]
    wanted = hb.teaching.train_validation_test(frame, y).train.rows.tolist()
    kinds = [
        pl.DataFrame(frame.to_dict("list")),
        pa.table(frame.to_dict("list")),
        frame.to_dict("list"),
        frame.to_dict("records"),
    ]
    for X in kinds:
        part = hb.teaching.train_validation_test(X, pd.Series(y)).train
        assert part.rows.tolist() == wanted
        assert type(part.X) is type(X)
        hb.TreeClassifier().fit(part.X, part.y)
    assert isinstance(hb.teaching.train_validation_test(frame, y).train.X, pd.DataFrame)
    assert hb.teaching.train_validation_test(frame).test.y is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"shares": (0.5, 0.5)}, r"shares=\(0.5, 0.5\) must be three numbers"),
        ({"shares": (0.5, 0.6, -0.1)}, "must be three numbers of at least 0 that add up to 1"),
        ({"shares": (0.5, 0.3, 0.3)}, "add up to 1"),
        ({"y": [1, 2]}, "X has 3 rows and y has 2"),
        ({"stratify": [1]}, "X has 3 rows and stratify has 1"),
        ({"random_state": -1}, "random_state=-1 must be"),
    ],
)
def test_what_cannot_be_parted_is_refused_with_a_sentence(changed, message):
    with pytest.raises(ValueError, match=message):
        hb.teaching.train_validation_test(**({"X": {"x": [1, 2, 3]}, "y": [0, 1, 0]} | changed))
