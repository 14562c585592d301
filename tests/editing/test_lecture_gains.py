"""The gains of the lectures' tables, as hb.candidates computes them."""

from __future__ import annotations

from tests.editing.test_every_test import close
from tests.support.every_test import every_test

import hornbeam as hb


def gains(name, criterion="entropy", split="multiway", rows=None, **extra):
    """Test -> gain, for a bundled table or some of its rows."""
    table = hb.datasets.load(name)
    keep = [i for i in range(table.n_rows) if rows is None or rows({c: v[i] for c, v in table.X.items()})]
    X = {column: [values[i] for i in keep] for column, values in (table.X | extra).items()}
    counts = None if table.counts is None else [table.counts[i] for i in keep]
    found = every_test(
        X,
        [table.y[i] for i in keep],
        criterion=criterion,
        split=split,
        counts=counts,
        categorical_features=[*table.categorical, *extra],
    )
    return {c.test: c.decrease for c in found}


def test_gains_of_robots():
    expected = {"head": 0.155639, "body": 0.655639, "smile": 0.188722, "neck": 0.5, "holds": 0.405639}
    assert gains("robots") == close(expected)


def test_gains_among_the_round_robots():
    found = gains("robots", rows=lambda robot: robot["body"] == "circle")
    assert found == close({"head": 0.251629, "smile": 0.918296, "neck": 0.918296, "holds": 0.918296})


def test_gain_ratios_of_robots():
    table = hb.datasets.load("robots")
    found = every_test(table.X, table.y, criterion="gain-ratio", split="multiway")
    assert [c.split_information for c in found] == close([1.405639, 1.561278, 1.0, 1.5, 1.905639])
    assert [c.gain_ratio for c in found] == close([0.110725, 0.419937, 0.188722, 0.333333, 0.212862])
    assert [c.score for c in found] == [c.gain_ratio for c in found]
    assert [c.gain for c in found] == close([0.155639, 0.655639, 0.188722, 0.5, 0.405639])


def test_gains_of_the_other_tables():
    tennis = {"Outlook": 0.24675, "Temperature": 0.029223, "Humidity": 0.151836, "Wind": 0.048127}
    assert gains("tennis") == close(tennis)
    assert gains("eighty") == close({"Refund": 0.548795, "MarSt": 0.048795})
    assert gains("gladiator") == close({"Gender": 0.188722, "Major": 0.5})
    assert gains("gladiator", rows=lambda s: s["Major"] == "Math") == close({"Gender": 0.311278})
    assert gains("xor5") == close({"X1": 0.0, "X2": 0.0, "X3": 0.311278, "X4": 1.0, "X5": 0.311278})


def test_standard_deviation_reductions_of_hours():
    found = gains("hours", "sd")
    assert found == close({"Outlook": 1.66215, "Temp": 0.479691, "Humidity": 0.272296, "Windy": 0.282149})
    sunny = gains("hours", "sd", rows=lambda day: day["Outlook"] == "Sunny")
    assert sunny == close({"Temp": 0.679243, "Humidity": 0.370809, "Windy": 7.615419})
    rainy = gains("hours", "sd", rows=lambda day: day["Outlook"] == "Rainy")
    assert rainy == close({"Temp": 4.182031, "Humidity": 3.332541, "Windy": 0.847364})


def test_standard_deviation_reductions_of_cuts():
    X, y = {"x": [1, 2, 3, 4, 5, 6]}, [10, 12, 14, 30, 32, 35]
    found = {c.threshold: c.decrease for c in every_test(X, y, criterion="sd")}
    assert found == close({1.5: 2.313871, 2.5: 4.577631, 3.5: 8.490778, 4.5: 4.553684, 5.5: 2.488942})


def test_a_gap_is_a_value():
    table = hb.datasets.load("tennis")
    outlook = [*table.X["Outlook"][:11], None, *table.X["Outlook"][12:]]
    (found,) = every_test({"Outlook": outlook}, table.y, split="multiway")
    assert (found.gain, found.split_information) == close((0.24675, 1.8092))
    assert found.answers == ("Overcast", "Rain", "Sunny", "Missing")
    assert found.stats == ((0, 3), (2, 3), (3, 2), (0, 1))


def test_an_identifier_gains_everything_and_has_a_poor_ratio():
    table = hb.datasets.load("robots")
    X = table.X | {"id": [f"r{i}" for i in range(8)]}
    found = {c.test: c for c in every_test(X, table.y, split="multiway")}
    assert (found["id"].gain, found["id"].split_information, found["id"].gain_ratio) == close((1, 3, 1 / 3))
    assert max(found.values(), key=lambda c: c.gain).test == "id"
    assert max(found.values(), key=lambda c: c.gain_ratio).test == "body"
