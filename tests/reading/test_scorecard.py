"""Scorecards: weights of evidence, points and reasons, computed the slow way beside them."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from tests.io.export.test_excel import applicants

import hornbeam as hb
from hornbeam.reading.column_bins import Evidence, logistic

X, Y = applicants()
MODEL = hb.TreeClassifier(max_leaf_nodes=9, min_samples_leaf=40).fit(X, Y)
CARD = hb.scorecard(MODEL, X, Y, good="good")


def rows_of(bin_):
    """The rows of a bin, by reading its words."""
    values, text = X[bin_.column], bin_.text
    if text.endswith("is missing"):
        return values.isna()
    if "{" in text:
        return values.isin([v.strip("'\" ") for v in text.split("{")[1].rstrip("}").split(",")])
    if " = " in text:
        return values == text.split(" = ")[1].strip("'\"")
    low, high = -math.inf, math.inf
    parts = text.split()
    if len(parts) == 5:
        low, high = float(parts[0]), float(parts[4])
    elif parts[1] == "<=":
        high = float(parts[2])
    else:
        low = float(parts[2])
    return (values > low) & (values <= high)


def test_bins_part_every_column_that_is_tested_and_count_its_rows():
    n_good, n_bad = (Y == "good").sum(), (Y == "bad").sum()
    frame = CARD.to_frame()
    assert set(frame.column) == {X.columns[c] for c in MODEL.tree_.column if c >= 0}
    for name, group in frame.groupby("column"):
        assert group.n.sum() == len(X), name
    for one in CARD.bins:
        rows = rows_of(one) if one.column != "grade" else None
        if rows is None or not rows.any():
            continue
        good, bad = ((side == Y)[rows].sum() for side in ("good", "bad"))
        assert (one.good, one.bad) == (good, bad)
        assert one.woe == pytest.approx(math.log((good / n_good) / (bad / n_bad)))
        assert one.iv == pytest.approx((good / n_good - bad / n_bad) * one.woe)
    best = max(CARD.information_value.values())
    assert (
        next(iter(CARD.information_value.values()))
        == best
        == pytest.approx(frame[frame.column == next(iter(CARD.information_value))].iv.sum())
    )


def test_points_are_those_of_a_logistic_regression_on_the_weights_of_evidence():
    woe = np.zeros((len(X), len(CARD.coefficients)))
    for k, (name, tree) in enumerate(zip(CARD.coefficients, CARD.trees, strict=True)):
        by_leaf = dict(zip(tree.leaves().tolist(), (b for b in CARD.bins if b.column == name), strict=True))
        leaf = tree.route(X).leaf
        woe[:, k] = [by_leaf[one].woe for one in leaf.tolist()]
    peer = LogisticRegression(C=1e8, tol=1e-10, max_iter=1000).fit(woe, Y == "good")
    np.testing.assert_allclose(list(CARD.coefficients.values()), peer.coef_[0], rtol=1e-3)
    factor = 20 / math.log(2)
    wanted = 600 + factor * (peer.decision_function(woe) - math.log(50))
    assert np.abs(CARD.score(X) - wanted).max() <= 0.5 * len(CARD.trees) + 0.1  # each column is rounded
    chances = CARD.share_of_good(CARD.score(X))
    assert np.mean(chances) == pytest.approx((Y == "good").mean(), abs=0.01)
    assert CARD.share_of_good([600.0, 620.0]) == pytest.approx([50 / 51, 100 / 101])


def test_leaves_are_the_bins_without_rows():
    card = hb.scorecard(MODEL, good="good", points=0, odds=1, double=math.log(2) * 100)
    shares = MODEL.predict_proba(X.dropna())[:, list(MODEL.classes_).index("good")]
    np.testing.assert_allclose(card.score(X.dropna()), np.rint(100 * np.log(shares / (1 - shares))), atol=1)
    assert [one.n for one in card.bins] == MODEL.tree_.weight[MODEL.tree_.leaves()].tolist()


def test_reasons_are_the_columns_that_cost_most_in_words():
    row = {"income": 9.0, "debts": 6.0, "home": "rent", "grade": "low"}
    reasons = CARD.reasons(row, n=2)
    assert len(reasons) == 2
    assert reasons[0].cost >= reasons[1].cost > 0
    assert any("(it is 9)" in str(one) or "(it is 6)" in str(one) for one in reasons)
    mean = sum(one.points * one.n for one in CARD.bins) / len(X)
    lost = {r.column: r.cost for r in CARD.reasons(row, n=9)}
    score = int(CARD.score(pd.DataFrame([row]).astype({"grade": X.grade.dtype}))[0])
    if len(lost) == len(CARD.trees):
        assert sum(lost.values()) == pytest.approx(mean - score)
    gap = CARD.reasons(row | {"income": None}, n=4)
    assert all("it is nan" not in str(one) for one in gap)
    best = max((b for b in CARD.bins if b.column == "debts"), key=lambda b: b.points)
    assert "debts" not in {r.column for r in CARD.reasons(row | {"debts": 0.0}, n=9)} or "0" not in best.text
    with pytest.raises(ValueError, match="n=0 must be a whole number of at least 1"):
        CARD.reasons(row, n=0)


def test_weights_of_rows_count():
    weight = np.where(X.income > 20, 2.0, 1.0)
    weighted = hb.scorecard(MODEL, X, Y, weight, good="good")
    repeated = hb.scorecard(
        MODEL, pd.concat([X, X[weight == 2]]), np.concatenate([Y, Y[weight == 2]]), good="good"
    )
    for one, other in zip(weighted.bins, repeated.bins, strict=True):
        assert (one.text, one.n, one.points) == (other.text, other.n, other.points)


def test_a_bin_without_good_or_bad_rows_has_half_a_row_of_each():
    said = Evidence.of(np.array([10.0, 5.0, 0.0]), np.array([0.0, 5.0, 0.0]))
    assert said.woe.tolist() == pytest.approx(
        [math.log((10.5 / 15) / (0.5 / 5)), math.log((5 / 15) / (5 / 5)), 0]
    )
    apart = logistic(np.array([[-1.0], [1.0]]), np.array([0, 1]), np.ones(2))
    assert np.isfinite(apart).all()


@pytest.mark.parametrize(
    ("model", "options", "sentence"),
    [
        (
            hb.TreeClassifier().fit(*load_iris(return_X_y=True)),
            {},
            "weighs two classes, but this tree has 3 classes",
        ),
        (hb.TreeRegressor().fit([[1], [2]], [1, 2]), {}, "weighs two classes, but this tree has no classes"),
        (hb.TreeClassifier(max_depth=0).fit([[1], [2]], [1, 2]), {}, "this tree is a single leaf"),
        (MODEL, {"good": "fine"}, "good='fine' must be one of the classes 'bad' and 'good'"),
        (MODEL, {"odds": 0}, "odds=0 must be a number above 0"),
        (MODEL, {"X": X}, "give X and y, both or none"),
        (MODEL, {"X": X, "y": ["good"] * len(X)}, "y must hold both classes, 'bad' and 'good'"),
        (
            hb.TreeClassifier(split="oblique", max_depth=1).fit(*load_breast_cancer(return_X_y=True)),
            {},
            "a line of a scorecard is about one column",
        ),
    ],
)
def test_what_is_no_scorecard_is_refused(model, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        hb.scorecard(model, **options)
