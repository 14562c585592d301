"""hb.candidates: measures, calculations, refusals and forms."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb
from hornbeam.parts import AverageGain, Multiway, OneVsRest, PriceAware

TENNIS = hb.datasets.load("tennis")
HOURS = hb.datasets.load("hours")


# ---- the lectures ----------------------------------------------------------------------------------------


def test_tennis_has_the_gains_and_ratios_of_the_lectures() -> None:
    found = hb.candidates(hb.id3(), TENNIS.X, TENNIS.y, work=True)
    assert [one.column for one in found] == ["Outlook", "Humidity", "Wind", "Temperature"]
    assert [round(one.gain or 0, 6) for one in found] == [0.24675, 0.151836, 0.048127, 0.029223]
    assert [round(one.gain_ratio or 0, 6) for one in found] == [0.156428, 0.151836, 0.048849, 0.018773]
    outlook = found["Outlook"]
    assert outlook.split_information == pytest.approx(1.577406, abs=1e-6)
    assert dict(zip(outlook.answers, outlook.stats, strict=True)) == {
        "Overcast": (0, 4), "Rain": (2, 3), "Sunny": (3, 2),
    }  # fmt: skip
    assert outlook.work is not None
    assert outlook.work.lines[0] == (
        "gain = H(5,9) − 4/14·H(0,4) − 5/14·H(2,3) − 5/14·H(3,2) = 0.9403 − 0 − 0.3468 − 0.3468 = 0.2467 bits"
    )
    assert "H(5,9) = −5/14·log2(5/14) − 9/14·log2(9/14) = 0.9403 bits" in outlook.work.details
    assert outlook.work.lines[3].startswith("Gini decrease = G(5,9) − 4/14·G(0,4)")
    chi2 = sum(
        (o - e) ** 2 / e
        for row, wanted in zip(outlook.stats, outlook.work.expected, strict=True)
        for o, e in zip(row, wanted, strict=True)
    )
    assert outlook.chi2 == pytest.approx(chi2)
    assert (outlook.df, found.stops) == (2, None)


def test_hours_has_the_standard_deviation_reductions_of_the_lectures() -> None:
    model = hb.TreeRegressor("sd", split="multiway", missing="branch")
    found = hb.candidates(model, HOURS.X, HOURS.y, work=True)
    reductions = {one.column: round(one.sdr or 0, 6) for one in found}
    assert reductions == {"Outlook": 1.66215, "Temp": 0.479691, "Windy": 0.282149, "Humidity": 0.272296}
    work = found["Outlook"].work
    assert work is not None
    assert work.lines[0].startswith("SDR = S(T) − ")
    assert work.lines[0].endswith(" = 1.6622")
    assert found["Outlook"].gain is None


def test_the_work_adds_up_for_every_criterion() -> None:
    for criterion in ("gini", "entropy", "gain-ratio", "root", "error"):
        model = hb.TreeClassifier(criterion, split="multiway", missing="branch")
        for one in hb.candidates(model, TENNIS.X, TENNIS.y, work=True):
            assert one.work is not None
            for term in one.work.arithmetic:
                if "sum" not in term:
                    continue
                values = {each["name"]: each["value"] for each in one.work.arithmetic if "terms" in each}
                total = 0.0
                for name, factor in term["sum"]:
                    sign, _, text = str(factor).rpartition("-")
                    top, _, bottom = text.partition("/")
                    total += (
                        values[name]
                        * (-1 if sign or str(factor).startswith("-") else 1)
                        * float(top)
                        / float(bottom or 1)
                    )
                assert term["value"] == pytest.approx(total, abs=1e-12)
    decreases = {
        "entropy": "gain", "gain-ratio": "gain", "gini": "Gini decrease", "root": "root decrease",
        "error": "error decrease",
    }  # fmt: skip
    for criterion, name in decreases.items():
        model = hb.TreeClassifier(criterion, split="multiway", missing="branch")
        one = hb.candidates(model, TENNIS.X, TENNIS.y, work=True)["Outlook"]
        assert one.work is not None
        line = next(term for term in one.work.arithmetic if term["name"] == name)
        assert line["value"] == pytest.approx(one.decrease)


def test_selections_show_what_they_make_of_the_gain() -> None:
    prices = {"Outlook": 0.9, "Temperature": 0.1, "Humidity": 0.3, "Wind": 0.1}
    model = hb.TreeClassifier("entropy", PriceAware(prices), split="multiway")
    found = hb.candidates(model, TENNIS.X, TENNIS.y, work=True)
    assert found[0].column == "Humidity"
    assert found["Outlook"].score == pytest.approx(0.067651, abs=1e-6)
    work = found["Outlook"].work
    assert work is not None
    assert "score = 0.2467² / 0.9 = 0.0677" in work.lines
    model = hb.TreeClassifier("gain-ratio", "average-gain", split="multiway")
    found = hb.candidates(model, TENNIS.X, TENNIS.y)
    assert [one.rank for one in found] == [1, 2, None, None]
    assert "below the mean gain 0.1190" in str(found["Wind"].reason)
    X, y = {"x": [1, 2, 3, 4, 5, 6, 7, 8]}, list("aaaabbbb")
    charged = hb.candidates(hb.TreeClassifier("gain-ratio", AverageGain()), X, y, work=True)[0]
    assert charged.score == pytest.approx(1 - math.log2(5) / 8)
    assert charged.work is not None
    assert "gain after the charge = 1.0000 − log2(5)/8 = 0.7098" in charged.work.lines


def test_gaps_left_out_scale_the_gain_by_the_known_share() -> None:
    X, y = {"x": ["a", "a", "b", "b", None]}, list("ppqqq")
    model = hb.TreeClassifier("entropy", split="multiway", missing="fractional")
    one = hb.candidates(model, X, y, work=True)[0]
    assert one.gain == pytest.approx(0.8)
    assert one.split_information == pytest.approx(hb.teaching.measures.entropy([2, 2, 1]))
    assert (one.missing, one.missing_to) == (1, None)
    assert one.work is not None
    assert one.work.lines[0].startswith("gain = 0.8000·[H(2,2) − 2/4·H(2,0) − 2/4·H(0,2)] = 0.8000·[1.0000")
    own = hb.candidates(hb.TreeClassifier("entropy", split="multiway", missing="branch"), X, y)[0]
    assert (own.answers, own.missing_to) == (("a", "b", "Missing"), "Missing")
    learned = hb.candidates(hb.TreeClassifier("entropy", split="multiway", missing="learn"), X, y)[0]
    assert (learned.answers, learned.missing_to) == (("a", "b"), "b")


def test_every_cut_of_a_numeric_column_has_its_score() -> None:
    cold = hb.datasets.load("temperature")
    found = hb.candidates(hb.TreeClassifier("entropy"), cold.X, cold.y)["Temperature"]
    listed = hb.candidates(hb.TreeClassifier("entropy"), cold.X, cold.y, tests="all")
    assert found.cuts is not None
    assert found.cuts.threshold.tolist() == [one.threshold for one in listed]
    assert found.cuts.score == pytest.approx([one.gain for one in listed])
    assert found.cuts.allowed.all()
    few = hb.candidates(hb.TreeClassifier("entropy", min_samples_leaf=3), cold.X, cold.y)["Temperature"]
    assert few.cuts is not None
    assert not few.cuts.allowed[0]


def test_a_loss_that_keeps_the_order_of_y_is_shown_by_what_it_is_worth() -> None:
    found = hb.candidates(hb.TreeRegressor("absolute"), {"x": [1, 2, 3]}, [0, 2, 5], work=True)
    assert found.impurity == pytest.approx(5 / 3)
    assert found[0].decrease == pytest.approx(5 / 3 - 2 / 3)
    assert found[0].cuts is None
    assert found[0].work is not None
    assert found[0].work.lines[0] == "absolute error decrease = 1.0000"


def test_measures_are_those_of_the_table() -> None:
    rng = np.random.default_rng(5)
    X = random_columns(rng, 70, gaps=0)
    y = outcome(rng, X, 3)
    for one in hb.candidates(hb.TreeClassifier(), X, y):
        table = np.array(one.stats)
        assert one.gain == pytest.approx(hb.teaching.measures.information_gain(table))
        assert one.gini == pytest.approx(hb.teaching.measures.gain(table, potential="gini"))
        assert one.split_information == pytest.approx(hb.teaching.measures.split_information(table))
        assert one.gain_ratio == pytest.approx(hb.teaching.measures.gain_ratio(table))
        test = hb.teaching.chi_square(table)
        assert (one.chi2, one.df, one.p) == pytest.approx((test.chi2, test.df, test.p))
    from scipy import stats

    z = outcome(rng, X, 0)
    for one in hb.candidates(hb.TreeRegressor(), X, z):
        if one.kind == "threshold" and one.column == "age":
            left = X["age"].to_numpy() <= one.threshold
            f, p = stats.f_oneway(z[left], z[~left])
            assert (one.f, one.p) == pytest.approx((f, p))
            assert one.sdr == pytest.approx(
                z.std() - left.mean() * z[left].std() - (~left).mean() * z[~left].std()
            )
            assert one.r2 == pytest.approx((one.variance or 0) / z.var())


# ---- refusals --------------------------------------------------------------------------------------------


def test_a_refused_column_says_why() -> None:
    X = {
        "same": [1, 1, 1, 1, 1, 1], "gone": [None] * 6,
        "first": [0, 1, 1, 1, 1, 1], "good": [0, 0, 0, 1, 1, 1],
    }  # fmt: skip
    y = [0, 0, 0, 1, 1, 1]
    model = hb.TreeClassifier(min_samples_leaf=2)
    found = hb.candidates(model, X, y)
    assert found[0].column == "good"
    assert found["same"].reason == "constant at this node"
    assert found["gone"].reason == "missing in every row of this node"
    assert "min_samples_leaf=2" in str(found["first"].reason)
    assert "refused: constant" in str(found)
    falling = hb.candidates(hb.TreeClassifier(monotonic_cst={"good": -1}), X, y)
    assert "monotonic" in str(falling["good"].reason)
    drawn = hb.candidates(hb.TreeClassifier(max_features=1, random_state=0), X, y)
    assert any("max_features" in str(one.reason) for one in drawn)
    parted = hb.TreeClassifier(split="multiway").fit({"c": list("aabb"), "x": [1, 2, 1, 2]}, [0, 1, 2, 3])
    below = hb.candidates(parted, {"c": list("aabb"), "x": [1, 2, 1, 2]}, [0, 1, 2, 3], 1)
    assert "test above" in str(below["c"].reason)


def test_an_identifier_is_remarked_upon() -> None:
    X = {"name": list("abcdef"), "x": [1, 2, 3, 4, 5, 6]}
    found = hb.candidates(hb.TreeClassifier(split="multiway"), X, [0, 0, 1, 0, 1, 1])
    assert "identifier" in str(found["name"].remark)
    assert found["x"].remark is None


def test_a_leaf_says_what_stops_it() -> None:
    X, y = {"x": [1, 2, 3, 4]}, [0, 0, 1, 1]
    model = hb.TreeClassifier().fit(X, y)
    assert hb.candidates(model, X, y, 1).stops == "all rows have the same target"
    assert hb.candidates(hb.TreeClassifier(max_depth=0), X, y).stops == "max_depth=0 is reached"
    assert "min_samples_split=9" in str(hb.candidates(hb.TreeClassifier(min_samples_split=9), X, y).stops)
    assert "min_gain=0.9" in str(hb.candidates(hb.TreeClassifier(min_gain=0.9), X, y).stops)
    assert "min_impurity_decrease=0.9" in str(
        hb.candidates(hb.TreeClassifier(min_impurity_decrease=0.9), X, y).stops
    )


def test_bad_input_gets_one_sentence() -> None:
    X, y = {"x": [1, 2, 3, 4]}, [0, 0, 1, 1]
    model = hb.TreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="node=7 is not there: the tree has the nodes 0 to 2"):
        hb.candidates(model, X, y, 7)
    with pytest.raises(ValueError, match="only the root 0"):
        hb.candidates(hb.TreeClassifier(), X, y, 1)
    with pytest.raises(ValueError, match="node=True must be the number"):
        hb.candidates(model, X, y, True)
    with pytest.raises(ValueError, match="columns names 'X', which X does not have"):
        hb.candidates(model, X, y, columns="X")
    with pytest.raises(ValueError, match="reached by no row"):
        hb.candidates(model, {"x": [1]}, [0], 2)
    with pytest.raises(ValueError, match="exposure goes with numbers"):
        hb.candidates(model, X, y, exposure=[1, 1, 1, 1])
    with pytest.raises(ValueError, match="the class 5"):
        hb.candidates(model, X, [0, 0, 1, 5])
    with pytest.raises(ValueError, match="work=1 must be True or False"):
        hb.candidates(model, X, y, work=1)
    with pytest.raises(ValueError, match="density tree has no target"):
        hb.candidates(hb.TreeDensity(), X, y)
    with pytest.raises(ValueError, match="model='tree' is no file"):
        hb.candidates("tree", X, y)
    with pytest.raises(ValueError, match="trees_"):
        hb.candidates(hb.ForestClassifier(n_estimators=2).fit(X, y), X, y)
    with pytest.raises(ValueError, match="inconsistent"):
        hb.candidates(model, X, [0, 1])


# ---- forms -----------------------------------------------------------------------------------------------


def test_json_frames_and_text_hold_the_same() -> None:
    found = hb.candidates(hb.id3(), TENNIS.X, TENNIS.y, work=True)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["schema"] == "hornbeam/candidates/1"
    assert plain["candidates"][0]["table"][0] == ["Overcast", 0.0, 4.0]
    assert plain["candidates"][0]["arithmetic"][0]["name"] == "H(5,9)"
    assert found.to_frame()["column"].tolist() == [one.column for one in found]
    text = found.text("ascii")
    assert text.isascii()
    assert "Outlook      3-way  0.2467  ##############" in text
    with pytest.raises(ValueError, match="charset"):
        found.text("latin")
    with pytest.raises(KeyError, match="did you mean 'Wind'"):
        found["Wnd"]
    only = hb.candidates(hb.id3(), TENNIS.X, TENNIS.y, columns=["Wind"])
    assert [(one.column, one.rank) for one in only] == [("Wind", 3)]


def test_a_tree_alone_is_enough() -> None:
    for split in (Multiway(), OneVsRest()):
        model = hb.TreeClassifier("entropy", split=split, missing="branch").fit(TENNIS.X, TENNIS.y)
        for node in range(len(model.tree_)):
            by_tree = hb.candidates(model.tree_, TENNIS.X, TENNIS.y, node)
            assert [one.score for one in by_tree] == [
                one.score for one in hb.candidates(model, TENNIS.X, TENNIS.y, node)
            ]


def test_other_rows_show_what_they_would_have_chosen() -> None:
    X, y = {"a": [1, 2, 3, 4], "b": [1, 1, 2, 2]}, ["p", "p", "q", "q"]
    model = hb.TreeClassifier().fit(X, y)
    found = hb.candidates(model, {"a": [1, 2, 3, 4], "b": [1, 2, 1, 2]}, ["p", "q", "p", "q"])
    assert (found[0].column, found[0].chosen) == ("b", False)
    assert found["a"].chosen
    alone = hb.candidates(model, {"a": [1, 2], "b": [1, 2]}, ["p", "p"])
    assert alone.stops == "all rows have the same target"
    assert alone.classes == ("p", "q")
