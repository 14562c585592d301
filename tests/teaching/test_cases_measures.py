"""The worked cases of the lectures about measures, through the public interface."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.every_test import every_test

import hornbeam as hb
from hornbeam.teaching import measures as m


def close(value):
    """Equal to six decimals."""
    return pytest.approx(value, abs=1e-6)


def each(measure, name, columns=None):
    """A measure of every column of a bundled table."""
    table = hb.datasets.load(name)
    return {column: measure(table.X[column], table.y, counts=table.counts) for column in columns or table.X}


def rows_where(name, column, value):
    """The rows of a bundled table that have a value: columns and target."""
    table = hb.datasets.load(name)
    kept = [row for row, found in enumerate(table.X[column]) if found == value]
    X = {key: [values[row] for row in kept] for key, values in table.X.items() if key != column}
    return X, [table.y[row] for row in kept]


# ---- groups ----------------------------------------------------------------------------------------------


def test_entropy_of_counts():
    groups = [[14, 0], [7, 7], [9, 5], [1] * 8]
    assert [m.entropy(group) for group in groups] == close([0.0, 1.0, 0.940286, 3.0])


def test_zero_counts_are_ignored():
    counts = [6, 4, 2, 0]
    assert m.entropy(counts) == close(1.459148)
    assert m.gini(counts) == close(0.611111)
    assert m.shares(counts) == close([0.5, 0.333333, 0.166667, 0.0])
    assert m.error(counts) == close(0.5)


def test_gini_examples_in_both_forms():
    assert [m.gini(p) for p in ([0.9, 0.1], [0.6, 0.4])] == close([0.18, 0.48])
    assert [m.gini_two(q) for q in (0.9, 0.6)] == close([0.18, 0.48])


POTENTIALS = {
    "error": [0.2, 0.4, 0.5, 0.0],
    "gini": [0.32, 0.48, 0.5, 0.0],
    "half_entropy": [0.360964, 0.485475, 0.5, 0.0],
    "variance": [0.4, 0.489898, 0.5, 0.0],
}


@pytest.mark.parametrize("name", POTENTIALS)
def test_the_four_potentials(name):
    assert m.potential([0.8, 0.6, 0.5, 1.0], name) == close(POTENTIALS[name])
    assert [m.val([q, 1 - q], name) for q in (0.8, 0.6, 0.5, 1.0)] == close(POTENTIALS[name])


@pytest.mark.parametrize(
    ("name", "before", "after", "drop"),
    [
        ("error", 0.2, 0.2, 0.0),
        ("gini", 0.32, 0.24, 0.08),
        ("half_entropy", 0.360964, 0.242738, 0.118226),
        ("variance", 0.4, 0.244949, 0.155051),
    ],
)
def test_the_split_of_figure_84(name, before, after, drop):
    assert m.potential(0.8, name) == close(before)
    assert m.val_split(0.5, 0.6, 1.0, name) == close(after)
    table = hb.datasets.load("fig84")
    assert m.val_branches(table.X["h"], table.y, potential=name, counts=table.counts) == close(after)
    assert m.gain(table.X["h"], table.y, potential=name, counts=table.counts) == close(drop)


def test_the_potentials_lie_one_above_the_other():
    q = np.arange(1001) / 1000
    error, gini, half, root = (m.potential(q, name) for name in ("error", "gini", "half-entropy", "root"))
    assert (error <= gini).all()
    assert (gini <= half).all()
    assert (half <= root).all()
    ends = [0, 500, 1000]
    assert (
        error[ends].tolist()
        == gini[ends].tolist()
        == half[ends].tolist()
        == root[ends].tolist()
        == [0, 0.5, 0]
    )


# ---- splits ----------------------------------------------------------------------------------------------


def test_gains_of_the_robots():
    assert m.entropy([4, 4]) == 1.0
    expected = {"head": 0.155639, "body": 0.655639, "smile": 0.188722, "neck": 0.5, "holds": 0.405639}
    assert each(m.information_gain, "robots") == close(expected)


def test_gains_among_the_robots_with_a_circular_body():
    X, y = rows_where("robots", "body", "circle")
    found = {column: m.information_gain(X[column], y) for column in X}
    assert found == close({"head": 0.251629, "smile": 0.918296, "neck": 0.918296, "holds": 0.918296})


def test_split_information_and_gain_ratio_of_the_robots():
    information = {"head": 1.405639, "body": 1.561278, "smile": 1.0, "neck": 1.5, "holds": 1.905639}
    ratio = {"head": 0.110725, "body": 0.419937, "smile": 0.188722, "neck": 0.333333, "holds": 0.212862}
    assert each(m.split_information, "robots") == close(information)
    assert each(m.gain_ratio, "robots") == close(ratio)


def test_gains_and_ratios_of_tennis():
    assert m.entropy([9, 5]) == close(0.940286)
    gains = {"Outlook": 0.24675, "Temperature": 0.029223, "Humidity": 0.151836, "Wind": 0.048127}
    ratios = {"Outlook": 0.156428, "Temperature": 0.018773, "Humidity": 0.151836, "Wind": 0.048849}
    assert each(m.information_gain, "tennis") == close(gains)
    assert each(m.gain_ratio, "tennis") == close(ratios)


def test_eighty_people():
    assert m.entropy([50, 30]) == close(0.954434)
    assert m.information_gain([[40, 0], [10, 30]]) == close(0.548795)
    assert m.information_gain([[30, 10], [20, 20]]) == close(0.048795)
    assert each(m.information_gain, "eighty") == close({"Refund": 0.548795, "MarSt": 0.048795})


def test_gladiator():
    found = m.tabulate(*_gladiator("Gender"))
    assert m.entropy(found.counts.sum(axis=0)) == 1.0
    assert m.entropy(found.counts[found.branches.index("Male")]) == close(0.811278)
    assert each(m.information_gain, "gladiator") == close({"Gender": 0.188722, "Major": 0.5})


def _gladiator(column):
    table = hb.datasets.load("gladiator")
    return table.X[column], table.y


def test_exclusive_or_with_three_more_columns():
    expected = {"X1": 0.0, "X2": 0.0, "X3": 0.311278, "X4": 1.0, "X5": 0.311278}
    assert each(m.information_gain, "xor5") == close(expected)


def test_a_test_on_two_columns():
    table = hb.datasets.load("xor2")
    pairs = list(zip(table.X["X1"], table.X["X2"], strict=True))
    found = [m.information_gain(x, table.y) for x in (table.X["X1"], table.X["X2"], pairs)]
    assert found == [0.0, 0.0, 1.0]


def test_a_useless_relation_and_a_perfect_column():
    table = hb.datasets.load("robots")
    same = [head == body for head, body in zip(table.X["head"], table.X["body"], strict=True)]
    assert m.information_gain(same, table.y) == 0.0
    assert m.is_useless(same, table.y)
    kept = [row for row, body in enumerate(table.X["body"]) if body != "circle"]
    body, y = [table.X["body"][row] for row in kept], [table.y[row] for row in kept]
    assert m.is_perfect(body, y)
    assert not m.is_useless(body, y)
    assert m.information_gain(body, y) == close(m.entropy([2, 3]))
    for column in table.X:
        assert not m.is_perfect(table.X[column], table.y)
        assert not m.is_useless(table.X[column], table.y)


def test_val_of_the_counted_columns():
    found = {"X1": 0.166667, "X2": 0.285714}
    table = hb.datasets.load("xcount")
    assert {
        column: m.val_branches(table.X[column], table.y, potential="gini", counts=table.counts)
        for column in found
    } == close(found)


def test_missing_as_a_value():
    table = hb.datasets.load("tennis")
    table.X["Outlook"][11] = None
    assert m.information_gain(table.X["Outlook"], table.y) == close(0.24675)
    assert m.split_information(table.X["Outlook"], table.y) == close(1.8092)
    found = every_test(table.X, table.y, split="multiway", columns="Outlook")[0]
    assert (found.gain, found.split_information) == close((0.24675, 1.8092))


def test_the_gain_of_the_known_rows():
    table = hb.datasets.load("tennis")
    table.X["Outlook"][11] = None
    known = m.tabulate(table.X["Outlook"], table.y, missing="drop")
    assert m.entropy(known.counts.sum(axis=0)) == close(0.961237)
    assert 13 / 14 * m.information_gain(known) == close(0.199041)


def test_an_identifier_gains_everything():
    table = hb.datasets.load("robots")
    table.X["id"] = list(range(8))
    assert m.information_gain(table.X["id"], table.y) == close(1.0)
    assert m.split_information(table.X["id"], table.y) == close(3.0)
    assert m.gain_ratio(table.X["id"], table.y) == close(0.333333)
    gains = {name: m.information_gain(x, table.y) for name, x in table.X.items()}
    ratios = {name: m.gain_ratio(x, table.y) for name, x in table.X.items()}
    assert max(gains, key=gains.get) == "id"
    assert max(ratios, key=ratios.get) == "body"


def test_the_identifier_of_the_tennis_days():
    table = hb.datasets.load("tennis")
    assert m.gain_ratio(list(range(14)), table.y) == close(0.246966)


def test_gains_and_ratios_of_two_tests():
    a, b = [[7, 3], [3, 7]], [[2, 0], [8, 10]]
    assert [m.information_gain(t) for t in (a, b)] == close([0.118709, 0.108032])
    assert [m.gain_ratio(t) for t in (a, b)] == close([0.118709, 0.230347])


# ---- codes and logistic regression -----------------------------------------------------------------------


def test_cross_entropy():
    assert m.cross_entropy([0.5, 0.5], [0.25, 0.75]) == close(1.207519)
    assert m.cross_entropy([0.5, 0.5], [0.5, 0.5]) == 1.0
    assert m.log_loss(1, 0.8) == close(0.223144)
    assert m.log_loss([1], [0.8]) == close(0.223144)


def test_the_gradient_of_logistic_regression():
    theta, x = [0.5, -1], [2, 1]
    assert m.logistic(np.dot(theta, x)) == 0.5
    assert m.logistic_gradient(theta, x, 1) == close([-1.0, -0.5])
    assert m.logistic_step(theta, x, 1, eta=0.1) == close([0.6, -0.95])


def test_huffman():
    shares = {"A": 0.125, "B": 0.125, "C": 0.25, "D": 0.5}
    assert m.huffman_lengths(shares) == {"A": 3, "B": 3, "C": 2, "D": 1}
    assert m.huffman_code(shares) == {"A": "000", "B": "001", "C": "01", "D": "1"}
    assert m.mean_code_length(shares) == m.entropy(shares) == 1.75


# ---- numbers ---------------------------------------------------------------------------------------------


def test_hours_played():
    y = hb.datasets.load("hours").y
    assert len(y) == 14
    assert (m.mean(y), m.sd(y), m.variation(y)) == close((39.785714, 9.321086, 0.234282))


def test_standard_deviation_reduction():
    expected = {"Outlook": 1.66215, "Temp": 0.479691, "Humidity": 0.272296, "Windy": 0.282149}
    assert each(m.sdr, "hours") == close(expected)


@pytest.mark.parametrize(
    ("outlook", "expected"),
    [
        ("Sunny", {"Temp": 0.679243, "Humidity": 0.370809, "Windy": 7.615419}),
        ("Rainy", {"Temp": 4.182031, "Humidity": 3.332541, "Windy": 0.847364}),
    ],
)
def test_standard_deviation_reduction_inside_a_branch(outlook, expected):
    X, y = rows_where("hours", "Outlook", outlook)
    assert {column: m.sdr(X[column], y) for column in X} == close(expected)


@pytest.mark.parametrize(
    ("outlook", "mean", "sd", "variation"),
    [
        ("Rainy", 35.2, 7.782031, 0.22108),
        ("Overcast", 46.25, 3.49106, 0.075482),
        ("Sunny", 39.2, 10.870143, 0.2773),
    ],
)
def test_mean_and_variation_of_the_branches(outlook, mean, sd, variation):
    y = rows_where("hours", "Outlook", outlook)[1]
    assert (m.mean(y), m.sd(y), m.variation(y)) == close((mean, sd, variation))


def test_standard_deviation_reduction_of_cuts():
    x, y = np.arange(1, 7), [10, 12, 14, 30, 32, 35]
    expected = {1.5: 2.313871, 2.5: 4.577631, 3.5: 8.490778, 4.5: 4.553684, 5.5: 2.488942}
    assert {cut: m.sdr(x <= cut, y) for cut in expected} == close(expected)


# ---- errors ----------------------------------------------------------------------------------------------


def test_the_definition_of_overfitting():
    assert m.is_overfitted((0, 0.37), (0.25, 0.25)) is True
    assert m.is_overfitted((0.1, 0.2), (0.1, 0.15)) is False


def test_the_error_of_a_tree_that_memorises():
    assert [m.memorising_error(0.25), m.error([0.25, 0.75])] == [0.375, 0.25]


def test_error_measures():
    y, p = [1, 0, 1, 1], np.array([0.8, 0.4, 0.3, 0.9])
    assert m.error_rate(y, p > 0.5) == 0.25
    assert m.log_loss(y, p) == close(0.510826)
    truth, answers = [1, 2, 4], [1, 3, 3]
    found = [m.mse(truth, answers), m.rmse(truth, answers), m.mae(truth, answers)]
    assert found == close([0.666667, 0.816497, 0.666667])


@pytest.mark.parametrize(
    ("name", "expected"),
    [("error", 0.21875), ("gini", 0.297481), ("half_entropy", 0.333073), ("variance", 0.374698)],
)
def test_the_potential_of_a_whole_tree(name, expected):
    leaves = [[20, 2], [3, 6], [5, 4], [2, 15], [4, 3]]
    assert m.val_tree(leaves, name) == close(expected)
    assert m.val_tree(hb.datasets.load_tree("pt"), name) == close(expected)
    sizes = [sum(leaf) for leaf in leaves]
    assert m.val_leaves(sizes, [leaf[1] / sum(leaf) for leaf in leaves], name) == close(expected)
