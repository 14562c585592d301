"""The lectures' gains and reductions, as hb.candidates shows them at the nodes of a tree."""

from __future__ import annotations

from typing import Any

import pytest

import hornbeam as hb

HOURS = hb.datasets.load("hours")


def _root(name: str, model: Any, **given: Any) -> Any:
    data = hb.datasets.load(name)
    return hb.candidates(model.set_params(categorical_features=data.categorical), data.X, data.y, **given)


def test_the_gains_and_ratios_of_the_robots() -> None:
    found = _root("robots", hb.TreeClassifier("entropy", split="multiway"))
    assert found.impurity == pytest.approx(1.0)
    gain = {"head": 0.155639, "body": 0.655639, "smile": 0.188722, "neck": 0.5, "holds": 0.405639}
    assert {one.column: round(one.gain, 6) for one in found} == gain
    information = {"head": 1.405639, "body": 1.561278, "smile": 1.0, "neck": 1.5, "holds": 1.905639}
    assert {one.column: round(one.split_information, 6) for one in found} == information
    ratio = {"head": 0.110725, "body": 0.419937, "smile": 0.188722, "neck": 0.333333, "holds": 0.212862}
    assert {one.column: round(one.gain_ratio, 6) for one in found} == ratio


def test_the_gains_inside_body_circle() -> None:
    data = hb.datasets.load("robots")
    model = hb.id3().fit(data.X, data.y)
    found = hb.candidates(model, data.X, data.y, node=1)
    gains = {one.column: round(one.gain or 0, 6) for one in found if one.rank}
    assert gains == {"head": 0.251629, "smile": 0.918296, "neck": 0.918296, "holds": 0.918296}
    assert [one.column for one in found][:3] == ["smile", "neck", "holds"]  # tied: the first column wins
    assert found["body"].rank is None


def test_gladiator_and_exclusive_or() -> None:
    found = _root("gladiator", hb.TreeClassifier("entropy", split="multiway"))
    assert {one.column: round(one.gain, 6) for one in found} == {"Gender": 0.188722, "Major": 0.5}
    found = _root("xor5", hb.TreeClassifier("entropy", split="multiway"))
    gains = {one.column: round(one.gain, 6) for one in found}
    assert gains == {"X1": 0.0, "X2": 0.0, "X3": 0.311278, "X4": 1.0, "X5": 0.311278}


def test_the_reductions_inside_two_branches() -> None:
    model = hb.TreeRegressor("sd", split="multiway").fit(HOURS.X, HOURS.y)
    expected = {
        "Sunny": {"Temp": 0.679243, "Humidity": 0.370809, "Windy": 7.615419},
        "Rainy": {"Temp": 4.182031, "Humidity": 3.332541, "Windy": 0.847364},
    }
    for node, branch in enumerate(hb.candidates(model, HOURS.X, HOURS.y)["Outlook"].answers, start=1):
        if branch in expected:
            found = hb.candidates(model, HOURS.X, HOURS.y, node)
            reductions = {one.column: round(one.sdr or 0, 6) for one in found if one.rank}
            assert reductions == expected[branch]
