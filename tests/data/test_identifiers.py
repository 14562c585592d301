"""A nominal column that names every row is pointed out, once for each fit."""
# ruff: noqa: N802 (a test is called by the number of its case)

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hornbeam as hb


def warned(X: Any, y: Any, estimator: Any = None, **fit: Any) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        (estimator or hb.TreeClassifier()).fit(X, y, **fit)
    return [one for one in found if one.category is UserWarning]


def with_names(name: str, column: str) -> tuple[Any, Any]:
    data = hb.datasets.load(name)
    X = pd.DataFrame(data.X)
    return X.assign(**{column: [f"number {k}" for k in range(len(X))]}), data.y


@pytest.mark.parametrize(("name", "column"), [("robots", "id"), ("tennis", "day")])
def test_P56_and_P57_a_column_of_unique_values_is_warned_of(name: str, column: str) -> None:
    found = warned(*with_names(name, column))
    assert len(found) == 1
    assert f"column {column!r} has a different value in each row" in str(found[0].message)
    assert found[0].filename == __file__, "the warning points at the library, not at who called fit"


def test_several_identifiers_are_one_warning() -> None:
    X, y = with_names("tennis", "day")
    found = warned(X.assign(night=X["day"]), y)
    assert len(found) == 1
    assert "columns 'day', 'night' have a different value" in str(found[0].message)


def test_every_fit_warns_again() -> None:
    X, y = with_names("tennis", "day")
    assert len(warned(X, y)) == len(warned(X, y)) == 1


def test_a_value_that_comes_twice_is_no_identifier() -> None:
    X, y = with_names("tennis", "day")
    X.loc[0, "day"] = X.loc[1, "day"]
    assert not warned(X, y)


def test_numbers_and_ordered_categories_never_warn() -> None:
    y = np.arange(20) % 2
    assert not warned(np.arange(20.0)[:, None], y)
    assert not warned(pd.DataFrame({"size": pd.Categorical(range(20), range(20), ordered=True)}), y)


def test_numbers_declared_nominal_do() -> None:
    model = hb.TreeClassifier(categorical_features=[0])
    assert len(warned(np.arange(20.0)[:, None], np.arange(20) % 2, model)) == 1


def test_a_handful_of_rows_may_well_differ() -> None:
    assert not warned({"colour": ["red", "green", "blue"]}, [0, 1, 0])
    assert warned({"colour": ["red", "green", "blue", "grey"]}, [0, 1, 0, 1])


def test_repeated_rows_share_their_value_and_rows_of_no_weight_have_none() -> None:
    X, y = {"name": list("abcdef")}, [0, 1, 0, 1, 0, 1]
    assert not warned(X, y, counts=[1, 1, 1, 1, 1, 2])
    assert warned({"name": list("abcdeaa")}, [*y, 0], sample_weight=[1, 1, 1, 1, 1, 1, 0]) == []
    assert warned({"name": list("abcdea")}, y, sample_weight=[1, 1, 1, 1, 1, 0])


def test_gaps_do_not_hide_an_identifier() -> None:
    assert warned({"name": [*"abcdef", None, None]}, [0, 1] * 4)


def test_declared_categories_that_no_row_has_do_not_count() -> None:
    names = pd.Categorical(["a", "b", "a", "b", "a", "c"], list("abcdefgh"))
    assert not warned(pd.DataFrame({"name": names}), [0, 1, 0, 1, 0, 1])


def test_a_regression_warns_as_well() -> None:
    assert warned({"name": list("abcdef")}, np.arange(6.0), hb.TreeRegressor())
