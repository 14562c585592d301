"""Columns that mislead a tree are pointed out, once for each fit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hornbeam as hb
from hornbeam.data import suspicious_columns as suspicious
from hornbeam.data.target import Target


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
def test_a_column_of_unique_values_is_warned_of(name: str, column: str) -> None:
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


# Nearly an identifier -------------------------------------------------------------------------------------


def columns_named(X: Any, y: Any, estimator: Any = None) -> str:
    messages = warned(X, y, estimator)
    assert len(messages) <= 1, "one warning names them all"
    return str(messages[0].message) if messages else ""


def test_text_that_is_nearly_unique_is_named() -> None:
    keys, y = [f"k{max(i, 1)}" for i in range(1000)], np.arange(1000) % 2
    x = np.arange(1000.0) % 7
    sentence = columns_named({"key": keys, "x": x}, y)
    assert "column 'key' has so many different values that what they tell is chance" in sentence
    assert "exclude=['key']" in sentence


def test_184_values_in_195_rows() -> None:
    rng = np.random.default_rng(3)
    values = np.concatenate([np.arange(184), rng.integers(0, 184, 11)])
    X = {"text": [f"v{value}" for value in rng.permutation(values)], "x": rng.normal(size=195)}
    assert "column 'text'" in columns_named(X, rng.normal(size=195), hb.TreeRegressor())


@pytest.mark.parametrize("task", ["classes", "real"])
def test_between_a_third_and_seven_tenths_the_target_decides(task: str) -> None:
    rng = np.random.default_rng(5)
    families = np.repeat(np.arange(150), 1 + np.arange(150) % 2)
    n = len(families)
    of_family = rng.integers(0, 2, 150)[families] if task == "classes" else rng.normal(size=150)[families]
    by_chance = rng.integers(0, 2, n) if task == "classes" else rng.normal(size=n)
    X = {"family": [f"f{family}" for family in families], "x": rng.normal(size=n)}
    estimator = hb.TreeClassifier() if task == "classes" else hb.TreeRegressor()
    assert "family" not in columns_named(X, of_family, estimator)
    assert "column 'family'" in columns_named(X, by_chance, estimator)


@pytest.mark.parametrize("task", ["classes", "real"])
def test_the_chance_is_that_of_all_permutations(task: str) -> None:
    """The closed form beside permutations that are drawn: about one column of noise in a hundred agrees."""
    rng = np.random.default_rng(11)
    agree = 0
    for _ in range(1500):
        codes = rng.integers(0, 40, 60)
        y = rng.integers(0, 3, 60) if task == "classes" else rng.normal(size=60)
        target = Target.classes_of(y) if task == "classes" else Target.real_of(y)
        agree += suspicious._agree_within_values(codes, target)
    assert 0.003 < agree / 1500 < 0.03


def test_columns_of_a_few_values_are_never_named() -> None:
    rng = np.random.default_rng(7)
    for n in (20, 60, 200):
        X = {f"c{k}": rng.integers(0, k, n).astype(str) for k in range(2, n // 3)}
        assert not columns_named(X, rng.integers(0, 2, n))


# Dates as text --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y/%m/%d %H:%M"])
def test_dates_written_as_text_are_named(form: str) -> None:
    days = pd.date_range("2024-01-01", periods=60).strftime(form).repeat(3)
    assert "column 'day' holds dates as text" in columns_named(
        pd.DataFrame({"day": days}), np.arange(180) % 2
    )


@pytest.mark.parametrize("text", ["{}.5", "12-{}", "2024-13-{:02}", "10.0.0.{}", "1/{}", "a-b-{}"])
def test_other_text_is_no_date(text: str) -> None:
    values = [text.format(k % 9 + 1) for k in range(180)]
    assert "date" not in columns_named({"c": values}, np.arange(180) % 2)


# The target in other words --------------------------------------------------------------------------------


def test_a_column_that_tells_the_target_alone_is_named() -> None:
    rng = np.random.default_rng(1)
    survived = rng.integers(0, 2, 100)
    X = pd.DataFrame({"alive": np.where(survived, "yes", "no"), "fare": rng.normal(size=100)})
    sentence = columns_named(X, survived)
    assert "column 'alive' tells the target alone" in sentence
    assert "exclude=['alive']" in sentence
    assert "column 'survived'" in columns_named(X.assign(survived=survived)[["survived", "fare"]], X["alive"])
    both = columns_named(X.assign(living=X["alive"]), survived)
    assert "columns 'alive', 'living' tell the target alone, perhaps because they were made from it" in both


def test_one_mistake_few_rows_and_many_values_acquit_it() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 100)
    x = rng.normal(size=100)
    assert not columns_named({"a": [*y[:99].astype(str), str(1 - y[99])], "x": x}, y)
    assert not columns_named({"a": y[:29].astype(str), "x": x[:29]}, y[:29])
    assert not columns_named({"a": y + 2 * (np.arange(100.0) % 40), "x": x}, y)
    assert not columns_named({"constant": ["a"] * 100, "x": x}, [0] * 100)
    assert not columns_named({"only": y.astype(str)}, y), "nothing would be left"


def test_numbers_that_go_with_the_target_are_named_and_an_outlier_is_no_proof() -> None:
    rng = np.random.default_rng(2)
    y = rng.normal(size=2000)
    gaps = np.where(np.arange(2000) % 3 > 0, 5 - 2 * y, np.nan)
    X = pd.DataFrame({"copy": gaps, "close": y + 0.2 * rng.normal(size=2000)})
    assert "column 'copy' tells" in columns_named(X, y, hb.TreeRegressor())
    noise = rng.normal(size=2000)
    y[7] = noise[7] = 1e9
    assert not columns_named({"x": noise, "other": np.arange(2000) % 7}, y, hb.TreeRegressor())


def test_the_time_itself_is_named_where_survival_is_learned() -> None:
    rng = np.random.default_rng(0)
    time, event, x = rng.exponential(size=60), rng.random(60) < 0.7, rng.normal(size=60)
    with pytest.warns(UserWarning, match="column 'stop' tells the target alone"):
        hb.TreeSurvival(max_depth=1).fit({"stop": time * 365, "x": x}, np.c_[time, event])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hb.TreeSurvival(max_depth=1).fit({"died": event, "x": x}, np.c_[time, event])


def test_extreme_numbers_do_not_disturb() -> None:
    y, other = np.linspace(1e100, 1e120, 50), np.arange(50) % 7
    assert "column 'x' tells" in columns_named(
        {"x": y / 1e119 * 1e-300, "other": other}, y, hb.TreeRegressor()
    )
    assert not columns_named({"x": np.zeros(50), "other": other}, y, hb.TreeRegressor())


def test_everything_is_one_warning() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 100)
    X = {
        "id": [f"n{k}" for k in range(100)],
        "key": [f"n{max(k, 1)}" for k in range(100)],
        "day": [f"2024-{k % 12 + 1:02}-03" for k in range(100)],
        "alive": y.astype(str),
        "x": rng.normal(size=100),
    }
    for estimator in (hb.TreeClassifier(), hb.ForestClassifier(n_estimators=3), hb.auto(consider="gini")):
        sentence = columns_named(X, y, estimator)
        assert all(repr(name) in sentence for name in ("id", "key", "day", "alive"))
        assert "'x'" not in sentence


def test_reports_say_what_fit_said_of_columns(tmp_path):
    rows = range(40)
    X = {"name": [f"n{k}" for k in rows], "alive": [k % 2 > 0 for k in rows], "z": [k % 5 for k in rows]}
    y = [k % 2 for k in rows]
    with pytest.warns(UserWarning, match="exclude=") as caught:
        model = hb.TreeClassifier().fit(X, y)
    assert model.column_warning_ == str(caught[0].message)
    hb.save(model, tmp_path / "model.json")
    for described in (model, tmp_path / "model.json"):
        report = hb.report(described, X, y)
        assert report.to_dict()["caution"] == model.column_warning_
        assert f"caution: {model.column_warning_}" in str(report)
        assert "exclude=['name', 'alive']" in report.to_html()
    clean = hb.TreeClassifier(exclude=["name", "alive"]).fit(X, y)
    assert clean.column_warning_ == ""
    assert "caution" not in hb.report(clean, X, y).to_dict()


@pytest.mark.parametrize("seed", range(40))
def test_columns_of_one_outcome_for_each_value_are_those_that_a_dict_says(seed):
    rng = np.random.default_rng(seed)
    n, n_columns = int(rng.integers(30, 301)), int(rng.integers(1, 9))
    goal = np.sort(rng.integers(0, 3, n)) if seed % 2 else rng.integers(0, 3, n)
    columns = np.empty((n_columns, n))
    for column in columns:
        column[:] = [rng.integers(0, n, n), goal, goal * 7 + rng.integers(0, 7, n), np.arange(n)][
            rng.integers(4)
        ]
        column[rng.random(n) < 0.1] = np.nan
    expected = []
    for column in columns:
        outcomes: dict[float, list[int]] = {}
        for value, outcome in zip(column.tolist(), goal.tolist(), strict=True):
            if value == value:
                outcomes.setdefault(value, []).append(outcome)
        repeated = any(len(each) > 1 for each in outcomes.values())
        expected.append(repeated and all(len(set(each)) == 1 for each in outcomes.values()))
    assert suspicious._pure_in_sample(columns, goal).tolist() == expected
