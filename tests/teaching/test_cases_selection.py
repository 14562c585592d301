"""The worked cases of surrogates, identifiers, C4.5's guards and prices."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from tests.support.every_test import every_test

import hornbeam as hb
from hornbeam.parts import AverageGain, PriceAware, Surrogates


def close(value):
    """Equal to six decimals."""
    return pytest.approx(value, abs=1e-6)


def root(model, X, y):
    """The column tested at the root, None for a leaf."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # identifier-like columns are the point of some cases
        tree = model.fit(X, y).tree_
    return tree.columns[tree.column[0]].name if tree.column[0] >= 0 else None


def by_column(X, y, **given):
    """Gain, split information and gain ratio of the multiway test of each column."""
    return {c.column: c for c in every_test(X, y, criterion="entropy", split="multiway", **given)}


# ---- surrogates ------------------------------------------------------------------------------------------

X55 = {
    "x1": list(range(1, 11)),
    "x2": [2, 1, 4, 3, 5, 8, 6, 9, 7, 10],
    "x3": [5, 1, 9, 2, 8, 3, 7, 4, 10, 6],
}


def test_surrogates_of_a_cut_with_their_agreement_and_association():
    model = hb.TreeClassifier(missing="surrogates", max_depth=1).fit(X55, ["l"] * 5 + ["r"] * 5)
    assert model.tree_.threshold[0] == 5.5
    found = {
        s.column: [s.agreement, s.association, s.threshold, s.direction]
        for s in hb.teaching.surrogates(model)
    }
    assert found == {
        "x2": [close(1.0), close(1.0), 5.5, "<="],
        "x3": [close(0.7), close(0.4), 2.5, "<="],
    }
    assert [s.column for s in hb.teaching.surrogates(model)] == ["x2", "x3"]


def test_prediction_asks_the_first_surrogate_that_knows_then_the_majority():
    X = {name: [*values, 5] for name, values in X55.items()}
    model = hb.TreeClassifier(missing="surrogates", max_depth=1).fit(X, ["l"] * 5 + ["r"] * 5 + ["l"])
    ask = {"x1": [None, None, None, 9], "x2": [9, None, None, 1], "x3": [1, 1, None, 1]}
    assert model.predict(ask).tolist() == ["r", "l", "l", "r"]


def test_a_surrogate_may_run_against_the_test_or_be_a_set_of_values():
    y = ["l"] * 5 + ["r"] * 5
    X = {"x1": X55["x1"], "falling": [-v for v in X55["x1"]], "word": list("aabbbccccd")}
    found = {
        s.column: s
        for s in hb.teaching.surrogates(hb.TreeClassifier(missing="surrogates", max_depth=1).fit(X, y))
    }
    assert (found["falling"].test, found["falling"].association) == ("falling>-5.5", 1.0)
    assert (found["word"].values, found["word"].direction) == (("a", "b"), "in")


def test_only_surrogates_better_than_the_majority_are_kept():
    X = {"x1": X55["x1"], "noise": [1, 2, 1, 2, 1, 2, 1, 2, 1, 2]}
    model = hb.TreeClassifier(missing="surrogates", max_depth=1).fit(X, ["l"] * 3 + ["r"] * 7)
    assert hb.teaching.surrogates(model) == []
    none = hb.TreeClassifier(missing=Surrogates(max_surrogates=0), max_depth=1).fit(
        X55, ["l"] * 5 + ["r"] * 5
    )
    assert hb.teaching.surrogates(none) == []


def test_shares_of_rows_known_in_both_columns_are_larger():
    X = X55 | {"x2": [None, None, *X55["x2"][2:]]}
    y = ["l"] * 5 + ["r"] * 5
    agreement = {}
    for shares_of in ("known", "both"):
        model = hb.TreeClassifier(missing=Surrogates(shares_of=shares_of), max_depth=1).fit(X, y)
        agreement[shares_of] = next(s.agreement for s in hb.teaching.surrogates(model) if s.column == "x2")
    assert agreement == {"known": close(0.8), "both": close(1.0)}


# ---- identifiers and C4.5's guards -----------------------------------------------------------------------


def test_an_identifier_has_the_largest_gain_but_not_the_largest_ratio():
    robots = hb.datasets.load("robots")
    X = {"id": [f"r{i}" for i in range(8)]} | robots.X
    found = by_column(X, robots.y)
    assert (found["id"].gain, found["id"].split_information) == (close(1.0), close(3.0))
    assert found["id"].gain_ratio == close(0.333333)
    assert hb.teaching.measures.entropy([4, 4]) == close(1.0)
    assert root(hb.TreeClassifier("entropy", split="multiway"), X, robots.y) == "id"
    assert root(hb.TreeClassifier("gain-ratio", split="multiway"), X, robots.y) == "body"


def test_plain_gain_ratio_takes_the_day_and_c45_does_not():
    tennis = hb.datasets.load("tennis")
    X = {"day": [f"d{i:02}" for i in range(14)]} | tennis.X
    found = by_column(X, tennis.y)
    assert found["day"].gain_ratio == close(0.246966)
    assert found["Outlook"].gain_ratio == close(0.156428)
    assert root(hb.TreeClassifier("gain-ratio", split="multiway"), X, tennis.y) == "day"
    assert root(hb.TreeClassifier("gain-ratio", AverageGain(), split="multiway"), X, tennis.y) == "Outlook"


def test_the_average_gain_guard():
    cells = {("a1", "b1"): (2, 0), ("a1", "b2"): (5, 3), ("a2", "b2"): (3, 7)}
    rows = [(a, b, c) for (a, b), (p, n) in cells.items() for c in "p" * p + "n" * n]
    X = {"A": [a for a, _, _ in rows], "B": [b for _, b, _ in rows]}
    y = [c for _, _, c in rows]
    found = by_column(X, y)
    assert [found[c].gain for c in "AB"] == close([0.118709, 0.108032])
    assert [found[c].gain_ratio for c in "AB"] == close([0.118709, 0.230347])
    assert np.mean([found[c].gain for c in "AB"]) == close(0.11337)
    assert root(hb.TreeClassifier("gain-ratio", split="multiway"), X, y) == "B"
    assert root(hb.TreeClassifier("gain-ratio", AverageGain(), split="multiway"), X, y) == "A"


def test_the_threshold_pays_for_being_one_of_many():
    cold = hb.datasets.load("temperature")
    best = max(every_test(cold.X, cold.y), key=lambda c: c.gain)
    assert best.gain == close(0.311278)
    distinct = len(set(cold.X["Temperature"]))
    assert AverageGain.corrected(best.gain, distinct - 1, 8) == close(-0.039641)
    tried = [c for c in every_test(cold.X, cold.y) if min(map(sum, c.stats)) >= 2]
    assert AverageGain.corrected(best.gain, len(tried), 8) == close(0.021037)
    for correction, gain in ((None, 0.311278), ("code", 0.021037)):
        model = hb.TreeClassifier("entropy", AverageGain(correction=correction), max_depth=1)
        assert model.fit(cold.X, cold.y).tree_.gain[0] == close(gain)
    assert root(hb.TreeClassifier("entropy", AverageGain(correction="paper")), cold.X, cold.y) is None


def test_columns_of_very_many_values_are_left_out_of_the_mean():
    tennis = hb.datasets.load("tennis")
    day = [f"d{i // 2}" for i in range(14)]  # seven values in 14 rows: 0.3 of the rows and more
    gains = {c.column: c.gain for c in every_test({"day": day} | tennis.X, tennis.y, split="multiway")}
    with_day = np.mean(list(gains.values()))
    without = np.mean([g for name, g in gains.items() if name != "day"])
    assert without < gains["Humidity"] < with_day  # so the mean decides whether Humidity may win
    X = {"day": day, "Humidity": tennis.X["Humidity"], "Wind": tennis.X["Wind"]}
    ratio = {c.column: c.gain_ratio for c in every_test(X, tennis.y, split="multiway")}
    assert root(hb.TreeClassifier("gain-ratio", AverageGain(), split="multiway"), X, tennis.y) == max(
        ratio, key=ratio.get
    )


# ---- prices ----------------------------------------------------------------------------------------------

PRICES = {"Outlook": 0.9, "Temperature": 0.1, "Humidity": 0.3, "Wind": 0.1}
PRICED_GAINS = {
    "tan-schlimmer": {1: (0.067651, 0.00854, 0.076847, 0.023162)},
    "nunez": {
        0: (0.186531, 0.020462, 0.110982, 0.033922),
        0.5: (0.135324, 0.01951, 0.097338, 0.032343),
        1: (0.098174, 0.018602, 0.085371, 0.030838),
    },
}


@pytest.mark.parametrize(("formula", "w"), [("tan-schlimmer", 1), ("nunez", 0), ("nunez", 0.5), ("nunez", 1)])
def test_gains_against_prices(formula, w):
    tennis = hb.datasets.load("tennis")
    gains = {name: c.gain for name, c in by_column(tennis.X, tennis.y).items()}
    how = PriceAware(PRICES, formula, w)
    assert [how.score(gains[name], name) for name in PRICES] == close(list(PRICED_GAINS[formula][w]))
    best = "Humidity" if formula == "tan-schlimmer" else "Outlook"
    assert root(hb.TreeClassifier("entropy", how, split="multiway"), tennis.X, tennis.y) == best


def test_a_free_column_that_gains_anything_is_asked_first():
    tennis = hb.datasets.load("tennis")
    free = PriceAware(PRICES | {"Wind": 0.0})
    assert free.score(0.01, "Wind") == math.inf
    assert free.score(0.0, "Wind") == 0.0
    assert root(hb.TreeClassifier("entropy", free, split="multiway"), tennis.X, tennis.y) == "Wind"


@pytest.mark.parametrize("criterion", ["variance", "sd"])
@pytest.mark.parametrize("formula", ["tan-schlimmer", "nunez"])
def test_prices_weigh_on_regression_too(criterion, formula):
    x = np.arange(20.0)
    X = {"dear": x, "cheap": x + (x % 2) * 0.1}
    y = 1000 * (x > 9)
    model = hb.TreeRegressor(criterion, PriceAware({"dear": 1.0, "cheap": 0.5}, formula), max_depth=1)
    assert root(model, X, y) == "cheap"


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (PriceAware({"a": 2}), r"prices\['a'\]=2 must be a price from 0 to 1 for formula='tan-schlimmer'"),
        (
            PriceAware({"a": -1}, "nunez"),
            r"prices\['a'\]=-1 must be a price of 0 or more for formula='nunez'",
        ),
        (PriceAware({"a": 0.5}, "nunez", w=1.5), "w=1.5 must be a number from 0 to 1"),
        (PriceAware({"a": float("nan")}), r"prices\['a'\]=nan must be a price"),
        (
            PriceAware({"aa": 0.5}),
            r"prices names the column 'aa', which X does not have \(did you mean 'a'\?\)",
        ),
        (PriceAware({"a": 0.5}, "linear"), "formula='linear' must be 'tan-schlimmer' or 'nunez'"),
        (PriceAware({"a": 0.5}, default=7), "default=7 must be a price from 0 to 1"),
        (AverageGain(min_branch=0), "min_branch=0 must be a number above 0"),
        (AverageGain(n_branches=0), "n_branches=0 must be a whole number of at least 1"),
        (AverageGain(correction="book"), "correction='book' must be 'code', 'paper' or None"),
    ],
)
def test_bad_numbers_get_a_sentence(part, words):
    with pytest.raises(ValueError, match=words):
        hb.TreeClassifier("entropy", part).fit({"a": [1, 2, 3], "b": [1, 1, 2]}, ["x", "y", "x"])


def test_selections_that_do_not_fit_the_criterion_get_a_sentence():
    with pytest.raises(ValueError, match="criterion='gain-ratio' is no gain: use criterion='entropy'"):
        hb.TreeClassifier("gain-ratio", PriceAware({"a": 0.5})).fit({"a": [1, 2]}, ["x", "y"])
    with pytest.raises(ValueError, match="goes with classes, not with criterion='variance'"):
        hb.TreeRegressor(selection=AverageGain()).fit({"a": [1, 2]}, [1.0, 2.0])


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (Surrogates(max_surrogates=-1), "max_surrogates=-1 must be a whole number of at least 0"),
        (Surrogates(min_side=0), "min_side=0 must be a whole number of at least 1"),
        (Surrogates(shares_of="all"), "shares_of='all' must be 'known' or 'both'"),
    ],
)
def test_bad_surrogates_get_a_sentence(part, words):
    with pytest.raises(ValueError, match=words):
        hb.TreeClassifier(missing=part).fit({"a": [1, 2, 3]}, ["x", "y", "x"])


def test_surrogates_do_not_imitate_tests_of_many_branches():
    with pytest.raises(ValueError, match="column 'a' gets one for each value: use split='binary'"):
        hb.TreeClassifier(split="multiway", missing="surrogates").fit({"a": ["u", "v"]}, ["x", "y"])
