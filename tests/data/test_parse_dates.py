"""Columns of text read as dates on request, in training and in prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hornbeam as hb
from hornbeam.data.date_text import UNCLEAR, date_format

DAYS = pd.date_range("2024-01-01", periods=60)
Y = (np.arange(60) >= 30).astype(int)
FORMS = ["%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d", "%Y-%m-%d %H:%M"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "dict", "dictionary"])
def test_text_becomes_dates(form: str, library: str) -> None:
    texts, x = DAYS.strftime(form).tolist(), (np.arange(60) % 7).tolist()
    table = {
        "pandas": lambda: pd.DataFrame({"day": texts, "x": x}),
        "polars": lambda: pl.DataFrame({"day": texts, "x": x}),
        "pyarrow": lambda: pa.table({"day": texts, "x": x}),
        "dict": lambda: {"day": texts, "x": x},
        "dictionary": lambda: pa.table({"day": pa.array(texts).dictionary_encode(), "x": x}),
    }[library]()
    model = hb.TreeClassifier(parse_dates="auto").fit(table, Y)
    twin = hb.TreeClassifier().fit(pd.DataFrame({"day": DAYS, "x": x}), Y)
    assert [column.kind for column in model.tree_.columns] == ["numeric", "numeric"]
    assert model.tree_.text() == twin.tree_.text()
    assert (model.predict(table) == Y).all(), "prediction reads text, too"
    assert (model.predict(pd.DataFrame({"day": DAYS, "x": x})) == Y).all()
    assert model.predict([{"day": texts[-1], "x": 1}]) == [1]


@pytest.mark.parametrize(
    ("values", "form"),
    [
        (["2024-02-30"], None),
        (["31/12/2024", "1/2/2025"], "%d/%m/%Y"),
        (["12/31/2024", "1/2/2025"], "%m/%d/%Y"),
        (["1/2/2025", "3/4/2025"], UNCLEAR),
        (["31/12/2024", "12/31/2024"], None),
        (["1.2.2025 10:30", "3.4.2025 9:15"], "%d.%m.%Y %H:%M"),
        (["1.2.2025 10:30", "3.4.2025"], None),
        (["2024-01-01T25:00"], None),
        (["1.2.2025", "1-2-2025"], None),
        (["１.2.2025"], None),
        ([], None),
    ],
)
def test_the_whole_column_decides(values: list[str], form: str | None) -> None:
    assert date_format(values) == form


def test_what_could_be_two_dates_stays_text() -> None:
    slashes = DAYS.strftime("%d/%m/%Y").tolist()
    assert hb.TreeClassifier(parse_dates="auto").fit({"day": slashes}, Y).tree_.columns[0].kind == "nominal"
    with pytest.raises(ValueError, match="parse_dates names the column 'day'"):
        hb.TreeClassifier(parse_dates=["day"]).fit({"day": slashes}, Y)
    with pytest.raises(ValueError, match="parse_dates names the column 'dy'"):
        hb.TreeClassifier(parse_dates=["dy"]).fit({"day": slashes}, Y)


def test_nothing_is_read_unless_asked_and_nominal_columns_stay() -> None:
    texts = DAYS.strftime("%Y-%m-%d").tolist()
    kinds = [
        hb.TreeClassifier(**params).fit({"day": texts}, Y).tree_.columns[0].kind
        for params in ({}, {"parse_dates": "auto", "categorical_features": ["day"]}, {"parse_dates": [0]})
    ]
    assert kinds == ["nominal", "nominal", "numeric"]


def test_gaps_zones_and_saved_models(tmp_path: Any) -> None:
    texts: list[Any] = [f"2024-01-{k % 28 + 1:02}T10:00Z" for k in range(60)]
    texts[5] = None
    for estimator in (hb.TreeClassifier(), hb.ForestClassifier(n_estimators=2), hb.auto(consider="gini")):
        model = estimator.set_params(parse_dates="auto").fit({"at": texts, "x": list(range(60))}, Y)
        assert len(model.predict({"at": texts, "x": list(range(60))})) == 60
    saved = hb.load(hb.save(hb.TreeClassifier(parse_dates="auto").fit({"at": texts}, Y), tmp_path / "m.json"))
    assert saved.parse_dates == "auto"
    assert len(saved.predict({"at": texts})) == 60
