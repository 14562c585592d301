"""The specification's cases on predicates, sets of columns, unknown values and identifiers, through the
public API."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.support.every_test import every_test

import hornbeam as hb
from hornbeam.parts import ColumnSets, Predicates


def load(name: str) -> tuple[pd.DataFrame, Any, Any]:
    data = hb.datasets.load(name)
    return pd.DataFrame(data.X), data.y, data.counts


def by_test(X: Any, y: Any, **params: Any) -> dict[str, Any]:
    return {found.test: found for found in every_test(X, y, **params)}


def close(value: Any) -> Any:
    return pytest.approx(value, abs=1e-6)


@pytest.fixture
def unknown() -> tuple[pd.DataFrame, Any]:
    """Tennis with the Outlook of row 12 unknown."""
    X, y, _ = load("tennis")
    X.loc[11, "Outlook"] = None
    return X, y


@pytest.mark.parametrize("as_nominal", [False, True])
def test_two_columns_together_gain_what_neither_gains_alone(as_nominal: bool) -> None:
    X, y, _ = load("xor2")
    X = X.astype(str) if as_nominal else X
    found = by_test(X, y, split=ColumnSets(columns="multiway"))
    alone = [name for name in found if name != "(X1,X2)"]
    assert [found[name].gain for name in alone] == close([0, 0])
    assert found["(X1,X2)"].gain == close(1)
    assert len(found["(X1,X2)"].answers) == 4


def test_hyperplanes_as_predicates() -> None:
    X, y, _ = load("xor2")
    lines = Predicates(["X1 + X2 > 0.5", "X1 + X2 > 1.5"], columns=None)
    assert [found.gain for found in every_test(X, y, split=lines)] == close([0.311278, 0.311278])
    model = hb.TreeClassifier("entropy", split=lines).fit(X, y)
    assert model.tree_.n_leaves == 3
    assert model.score(X, y) == 1.0


def test_head_equals_body_is_useless_and_body_perfect_where_it_is() -> None:
    X, y, _ = load("robots")
    same = Predicates(["head == body"], columns=None)
    (useless,) = every_test(X, y, split=same)
    assert useless.gain == close(0)
    shares = [stats[0] / sum(stats) for stats in useless.stats]
    assert shares == [0.5, 0.5], "every branch has the parent's distribution"
    some = X["body"].isin(["triangle", "square"])
    (perfect,) = every_test(X[some], np.asarray(y)[some], split="multiway", columns="body")
    assert perfect.gain == close(perfect.before)
    assert perfect.after == close(0)


def test_val_of_h_is_the_impurity_after_the_test() -> None:
    X, y, counts = load("xcount")
    found = by_test(X, y, counts=counts, criterion="gini", split="multiway")
    assert {name: h.after for name, h in found.items()} == close({"X1": 0.166667, "X2": 0.285714})
    tree = hb.TreeClassifier("gini", split="multiway").fit(X, y, counts=counts).tree_
    assert tree.text() == "X1[F: X2[F: T(0:1) | T: F(5:0)] | T: T(0:4)]"


def test_as_predicates() -> None:
    """The same H, written as predicates; D2's tree with the branches named by h."""
    X, y, counts = load("xcount")
    H = Predicates(["X1 == 'T'", "X2 == 'T'"], columns=None)
    found = every_test(X, y, counts=counts, criterion="gini", split=H)
    assert [h.after for h in found] == close([0.166667, 0.285714])
    tree = hb.TreeClassifier("gini", split=H).fit(X, y, counts=counts).tree_
    assert tree.text() == "(X1 == 'T')[yes: T(0:4) | no: (X2 == 'T')[yes: F(5:0) | no: T(0:1)]]"


def test_a_missing_value_at_prediction_goes_down_all_branches_by_their_share() -> None:
    X, y, _ = load("robots")
    model = hb.TreeClassifier("entropy", split="multiway", missing="fractional").fit(X, y)
    row = {"head": None, "body": None, "smile": "yes", "neck": None, "holds": None}
    assert model.predict_proba([row])[0] == close([0.625, 0.375])
    assert model.predict([row])[0] == "ally"


def test_missing_as_a_value(unknown: Any) -> None:
    found = by_test(*unknown, split="multiway")["Outlook"]
    assert (found.gain, found.split_information) == close((0.24675, 1.8092))
    assert found.answers[-1] == "Missing"


def test_the_gain_on_known_rows_times_their_share(unknown: Any) -> None:
    found = by_test(*unknown, split="multiway", missing="fractional")["Outlook"]
    assert found.before == close(0.961237)
    assert found.gain == close(0.199041)
    assert found.split_information == close(1.8092)
    assert found.gain_ratio == close(0.110016)
    weight = dict(zip(found.answers, map(sum, found.stats), strict=True))
    shares = [weight[value] / sum(weight.values()) for value in ("Sunny", "Overcast", "Rain")]
    assert shares == close([0.384615, 0.230769, 0.384615])
    model = hb.TreeClassifier("gain-ratio", split="multiway", missing="fractional").fit(*unknown)
    ratios = by_test(*unknown, criterion="gain-ratio", split="multiway", missing="fractional")
    assert model.tree_.gain[0] == close(max(found.score for found in ratios.values()))


@pytest.fixture
def fractional(unknown: Any) -> Any:
    model = hb.TreeClassifier("entropy", split="multiway", missing="fractional", max_depth=2)
    return model.fit(*unknown)


def test_an_unknown_value_below_fractional_cases(fractional: Any) -> None:
    row = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": None, "Wind": "Weak"}
    assert fractional.predict_proba([row])[0] == close([0.557143, 0.442857])


def test_the_weights_in_the_leaves_after_growing_with_an_unknown(fractional: Any) -> None:
    tree = fractional.tree_
    leaves = tree.leaves().tolist()
    expected = [[0, 3.230769], [2, 0.384615], [0, 3], [3, 0.384615], [0, 2]]
    np.testing.assert_allclose([tree.stats[leaf] for leaf in leaves], expected, atol=1e-6)
    assert [tree.classes[tree.label[leaf]] for leaf in leaves] == ["Yes", "No", "Yes", "No", "Yes"]
    names = {tree.columns[c].name for c in tree.column.tolist() if c >= 0}
    assert names == {"Outlook", "Wind", "Humidity"}


@pytest.mark.filterwarnings("ignore:column")
def test_an_identifier_wins_by_gain_and_loses_by_gain_ratio() -> None:
    X, y, _ = load("robots")
    X = X.assign(id=[f"robot {k}" for k in range(8)])
    found = by_test(X, y, split="multiway")["id"]
    assert (found.gain, found.before, found.split_information) == close((1, 1, 3))
    assert found.gain_ratio == close(0.333333)
    for criterion, chosen in (("entropy", "id"), ("gain-ratio", "body")):
        tree = hb.TreeClassifier(criterion, split="multiway").fit(X, y).tree_
        assert tree.columns[tree.column[0]].name == chosen


@pytest.mark.filterwarnings("ignore:column")
def test_on_tennis_the_day_wins_even_by_plain_gain_ratio() -> None:
    X, y, _ = load("tennis")
    X = X.assign(day=[f"day {k}" for k in range(14)])
    found = by_test(X, y, split="multiway", criterion="gain-ratio")
    assert found["day"].score == close(0.246966)
    assert found["Outlook"].score == close(0.156428)
    tree = hb.TreeClassifier("gain-ratio", split="multiway").fit(X, y).tree_
    assert tree.columns[tree.column[0]].name == "day"
