"""Why a column is chosen or not, in words: every number of the answer is the library's."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb
from hornbeam.parts import AverageGain, Multiway, PriceAware

TENNIS = hb.datasets.load("tennis")
ROBOTS = hb.datasets.load("robots")


def test_the_second_column_is_compared_with_the_first() -> None:
    answer = hb.candidates(hb.id3(), TENNIS.X, TENNIS.y).why("Humidity")
    assert answer == (
        "Humidity is second of 4: its gain is 0.152 bits, 0.095 less than Outlook's 0.247. On average its"
        " branches leave 0.788 of the 0.940 bits, those of Outlook 0.694. Outlook has a branch of one class,"
        " Overcast with 4 rows; Humidity has none."
    )


def test_the_winner_says_who_is_next() -> None:
    answer = hb.candidates(hb.id3(), TENNIS.X, TENNIS.y).why("Outlook")
    assert answer.startswith(
        "Outlook is first of 4: its gain, 0.247 bits, is the largest; Humidity is next with 0.152."
    )


def test_an_answer_is_the_same_if_only_that_column_is_listed() -> None:
    whole = hb.candidates(hb.id3(), TENNIS.X, TENNIS.y)
    for one in whole:
        alone = hb.candidates(hb.id3(), TENNIS.X, TENNIS.y, columns=one.column)
        assert alone.why(0) == whole.why(one) == whole.why(one.column)


def test_ties_are_settled_by_the_order_of_columns_and_said_so() -> None:
    circles = [k for k, body in enumerate(ROBOTS.X["body"]) if body == "circle"]
    X = {name: [values[k] for k in circles] for name, values in ROBOTS.X.items() if name != "body"}
    found = hb.candidates(hb.id3(), X, [ROBOTS.y[k] for k in circles])
    assert found.why("neck").startswith(
        "neck ties with smile: both have a gain of 0.918 bits. Of equals the first is taken, and smile stands"
        " before neck."
    )
    assert found.why("smile").startswith(
        "smile is taken: its gain is 0.918 bits, as is that of neck. Of equals the first is taken"
    )


def test_a_refusal_is_explained() -> None:
    model = hb.id3().fit(TENNIS.X, TENNIS.y)
    found = hb.candidates(model, TENNIS.X, TENNIS.y, node=3)
    assert found.why("Outlook") == (
        "Outlook is refused: its values were parted by a test above, one branch for each. All rows here have"
        " the same value of it: asking again would tell nothing."
    )
    pure = hb.candidates(model, TENNIS.X, TENNIS.y, node=1)
    assert pure.why("Wind").startswith("Nothing is tested here: all rows have the same target.")


def test_the_guard_of_the_gain_ratio_is_explained() -> None:
    rows = 40
    X = {"many": [f"v{k % 4}" for k in range(rows)], "rare": ["a"] + ["b"] * (rows - 1)}
    y = ["no" if k == 0 or k % 4 == 1 else "yes" for k in range(rows)]
    model = hb.TreeClassifier("gain-ratio", AverageGain(min_branch=1), split=Multiway())
    found = hb.candidates(model, X, y)
    assert found.best is not None
    assert found.best.column == "many"
    answer = found.why("rare")
    assert answer.startswith("rare is refused: its gain 0.0")
    assert "Gain ratios are compared only among columns of at least the mean gain" in answer
    ratio, best = found["rare"].gain_ratio, found.best.gain_ratio
    assert ratio is not None
    assert best is not None
    than = "larger" if ratio > best else "smaller"
    assert f"Its gain ratio, {ratio:.3f}, would be {than} than many's {best:.3f}." in answer


def test_the_criterion_that_would_choose_otherwise_is_named() -> None:
    X = {"six": [k % 6 for k in range(12)], "two": [k % 2 for k in range(12)]}
    X = {name: [f"v{value}" for value in values] for name, values in X.items()}
    y = ["a" if k % 6 in (0, 2, 4) or k == 1 else "b" for k in range(12)]
    found = hb.candidates(hb.id3(), X, y)
    best, other = found.best, found["two"]
    assert best is not None
    assert best.column == "six"
    assert other.gain_ratio is not None
    assert best.gain_ratio is not None
    assert f"By gain ratio ({other.gain_ratio:.3f} against {best.gain_ratio:.3f}) it would" in found.why(
        "two"
    )


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("branch", "3 of the 14 rows have no value of it: a branch of their own."),
        ("fractional", "3 of the 14 rows have no value of it: it is judged by the other rows"),
        ("learn", "3 of the 14 rows have no value of it: they follow the branch "),
    ],
)
def test_gaps_are_told(rule: str, words: str) -> None:
    X = {**TENNIS.X, "Humidity": [None, None, None, *TENNIS.X["Humidity"][3:]]}
    model = hb.TreeClassifier("entropy", split="multiway", missing=rule)
    assert words in hb.candidates(model, X, TENNIS.y).why("Humidity")


def test_prices_and_p_values_are_compared_as_such() -> None:
    dear = hb.TreeClassifier("entropy", PriceAware({"Outlook": 1.0, "Humidity": 0.1}), split="multiway")
    answer = hb.candidates(dear, TENNIS.X, TENNIS.y).why("Outlook")
    assert "its score, its gain weighed against its price, is " in answer
    X = {"a": list("xy" * 40), "b": list("xxyy" * 20)}
    y = [*"nnnyynny" * 10]
    by_p = hb.candidates(hb.chaid(), X, y)
    for one in by_p:
        assert ("p-value" in by_p.why(one)) == (one.rank is not None)


def test_numbers_of_an_answer_add_up_and_are_the_library_s() -> None:
    rng = np.random.default_rng(5)
    compared = 0
    for _ in range(20):
        X = random_columns(rng, 60)
        y = outcome(rng, X, 3)
        for model in (hb.id3(), hb.cart(), hb.c45(), hb.teaching.buildtree()):
            found = hb.candidates(model, X, y)
            for one in found:
                numbers = re.search(
                    r" is ([\d.]+)(?: bits)?, ([\d.]+) less than .*?'s ([\d.]+)\.", found.why(one)
                )
                if numbers is None:
                    continue
                here, less, best = (float(text.rstrip(".")) for text in numbers.groups())
                digits = len(numbers[1].partition(".")[2])
                assert round(best - here, digits) == less
                assert one.score is not None
                assert round(one.score, digits) == here
                compared += 1
    assert compared > 100


def test_every_candidate_of_mixed_tables_has_an_answer() -> None:
    rng = np.random.default_rng(8)
    X = random_columns(rng, 80)
    for model in (
        hb.id3(),
        hb.c45(),
        hb.cart(),
        hb.chaid(),
        hb.ctree(),
        hb.teaching.buildtree(),
        hb.teaching.builddt(),
    ):
        y = outcome(rng, X, 3)
        for tests in ("best", "all") if model.selection == "best" else ("best",):
            found = hb.candidates(model, X, y, tests=tests)
            for one in found:
                answer = found.why(one)
                assert one.column in answer
                assert answer.endswith(".")
    real = np.asarray(rng.normal(size=80))
    for regressor in (hb.cart("real"), hb.m5(), hb.TreeRegressor("absolute")):
        found = hb.candidates(regressor, X, real)
        assert all(one.column in found.why(one) for one in found)
