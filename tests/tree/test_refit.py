"""Refitting: the same tests, the counts, labels and gains of other rows."""

import numpy as np
import pytest

from hornbeam import datasets
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.tree.tree import Tree

# The tree of the robot game: neck=tie? then smile=yes?, else body=triangle?
GAME = {
    "column": "neck",
    "equals": "tie",
    "yes": {"column": "smile", "equals": "yes", "yes": "ally", "no": "enemy"},
    "no": {"column": "body", "equals": "triangle", "yes": "ally", "no": "enemy"},
}
TENNIS = {
    "column": "Outlook",
    "branches": {
        "Overcast": "Yes",
        "Rain": {"column": "Wind", "branches": {"Strong": "No", "Weak": "Yes"}},
        "Sunny": {"column": "Humidity", "branches": {"High": "No", "Normal": "Yes"}},
    },
}


def tennis() -> Tree:
    return Tree.from_nested(TENNIS, Table.learn(datasets.load("tennis").X))


def test_b1_the_game_tree_refitted_on_the_robots():
    data = datasets.load("robots")
    tree = Tree.from_nested(GAME, Table.learn(data.X)).refit(data.X, data.y)
    assert tree.text() == (
        "neck=tie[yes: smile=yes[yes: ally(2:0) | no: enemy(0:2)]"
        " | no: body=triangle[yes: ally(2:0) | no: enemy(0:2)]]"
    )
    assert (tree.predict(data.X) == data.y).all()
    assert tree.gain[0] == 0


def test_refitting_uses_counts_and_weights():
    data = datasets.load("xcount")
    nested = {"column": "X1", "branches": {"F": {"column": "X2", "branches": {"F": "T", "T": "T"}}, "T": "F"}}
    tree = Tree.from_nested(nested, classes=["F", "T"])
    refitted = tree.refit(data.X, Target.classes_of(data.y, counts=data.counts))
    assert refitted.text() == "X1[F: X2[F: T(0:1) | T: F(5:0)] | T: T(0:4)]"
    assert refitted.n_rows.tolist() == [10, 6, 4, 1, 5]
    weighted = tree.refit(data.X, Target.classes_of(data.y, sample_weight=[0.5, 0.0, 1, 1]))
    assert weighted.text() == "X1[F: X2[F: T(0:1) | T: F(1:0)] | T: T(0:0.5)]"
    assert weighted.n_rows.tolist() == [3, 2, 1, 1, 1]


def test_refitting_regression_gives_the_means_of_the_rows():
    data = datasets.load("hours")
    nested = {
        "column": "Outlook",
        "branches": {"Overcast": {"value": 0}, "Rainy": {"value": 0}, "Sunny": {
            "column": "Windy", "branches": {False: {"value": 0}, True: {"value": 0}}}},
    }  # fmt: skip
    tree = Tree.from_nested(nested, meta={"criterion": "sd"}).refit(data.X, data.y)
    assert tree.text() == (
        "Outlook[Overcast: 46.2500(n=4) | Rainy: 35.2000(n=5)"
        " | Sunny: Windy[False: 47.6667(n=3) | True: 26.5000(n=2)]]"
    )
    assert tree.gain[0] == pytest.approx(1.662150, abs=1e-6)


def test_refitting_shares_a_missing_value_among_the_branches():
    data = datasets.load("tennis")
    outlook = list(data.X["Outlook"])
    outlook[11] = None
    tree = tennis().refit(data.X | {"Outlook": outlook}, data.y)
    leaves = tree.stats[[1, 4, 5, 6, 7]]
    expected = [[0, 3.230769], [2, 0.384615], [0, 3], [3, 0.384615], [0, 2]]
    assert leaves == pytest.approx(np.array(expected), abs=1e-6)


def test_a_subtree_no_row_reaches_answers_as_its_ancestor():
    tree = tennis().refit(
        {"Outlook": ["Rain"], "Temperature": ["Hot"], "Humidity": ["High"], "Wind": ["Weak"]}, ["No"]
    )
    assert tree.text() == (
        "Outlook[Overcast: No(0:0) | Rain: Wind[Strong: No(0:0) | Weak: No(1:0)]"
        " | Sunny: Humidity[High: No(0:0) | Normal: No(0:0)]]"
    )
    assert tree.answers()[7].tolist() == [1.0, 0.0]


def test_refitting_refuses_unknown_classes_and_other_lengths():
    data = datasets.load("tennis")
    with pytest.raises(ValueError, match="class 'Perhaps', which the tree does not know"):
        tennis().refit(data.X, ["Perhaps"] * 14)
    with pytest.raises(ValueError, match="14 rows and the target 2"):
        tennis().refit(data.X, ["No", "Yes"])
