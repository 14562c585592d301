"""Trees written by hand for the tests of the Tree: the lectures', and one of every kind of test."""

import numpy as np

from hornbeam import datasets
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.tree.tree import Tree

# body[circle: smile[no: enemy | yes: ally] | square: enemy | triangle: ally]
ROBOTS = {
    "column": "body",
    "branches": {
        "circle": {
            "column": "smile",
            "branches": {"no": {"counts": [0, 1]}, "yes": {"counts": [2, 0]}},
        },
        "square": {"counts": [0, 3]},
        "triangle": {"counts": [2, 0]},
    },
}
TENNIS = {
    "column": "Outlook",
    "branches": {
        "Overcast": {"counts": [0, 4]},
        "Rain": {"column": "Wind", "branches": {"Strong": {"counts": [2, 0]}, "Weak": {"counts": [0, 3]}}},
        "Sunny": {
            "column": "Humidity",
            "branches": {"High": {"counts": [3, 0]}, "Normal": {"counts": [0, 2]}},
        },
    },
}
TENNIS_TEXT = (
    "Outlook[Overcast: Yes(0:4) | Rain: Wind[Strong: No(2:0) | Weak: Yes(0:3)]"
    " | Sunny: Humidity[High: No(3:0) | Normal: Yes(0:2)]]"
)
GAME = {
    "column": "neck",
    "equals": "tie",
    "yes": {"column": "smile", "equals": "yes", "yes": "ally", "no": "enemy"},
    "no": {"column": "body", "equals": "triangle", "yes": "ally", "no": "enemy"},
}
# One test of every kind, side tables included.
EVERY_KIND = {
    "column": "age",
    "<=": 0.1,
    "missing_to": "no",
    "surrogates": [
        {"column": "height", "<=": 1.5, "low": "yes", "high": "no", "agreement": 0.9, "association": 0.5},
        {"column": "colour", "branches": {("red", "blue"): "no", "green": "yes"}},
    ],
    "yes": {
        "column": "colour",
        "branches": {("red", "green"): "a", "blue": "b"},
        "missing": "c",
    },
    "no": {
        "weights": {"age": 1, "height": -2.5},
        "<=": 0.5,
        "yes": {"column": "colour", "branches": {"red": "a", "blue": "b"}},
        "no": {
            "columns": ["size", "colour"],
            "branches": {
                (("S", "red"), ("L", "blue")): "a",
                ("M", "red"): "b",
                ("L", "red"): {
                    "expression": "age * height > 2 and colour != 'red'",
                    "yes": {"column": "size", "<=": "M", "yes": "a", "no": "b"},
                    "no": {"column": "colour", "equals": "red", "yes": "a", "no": "b", "missing": "c"},
                },
            },
        },
    },
}
EVERY_COLUMN = (
    Column("age", "numeric"),
    Column("height", "numeric"),
    Column("colour", "nominal", ("blue", "green", "red")),
    Column("size", "ordinal", ("S", "M", "L")),
)


def tennis() -> Tree:
    return Tree.from_nested(TENNIS, Table.learn(datasets.load("tennis").X), ["No", "Yes"])


def every_kind() -> Tree:
    return Tree.from_nested(EVERY_KIND, EVERY_COLUMN)


def leaf_arrays(**changes):
    arrays = {"kind": [0], "first_child": [-1], "n_children": [0], "label": [0], "stats": [[1.0, 0.0]]}
    return arrays | changes


def stump_arrays(**changes):
    arrays = {
        "kind": [1, 0, 0],
        "first_child": [1, -1, -1],
        "n_children": [2, 0, 0],
        "column": [0, -1, -1],
        "threshold": [0.5, np.nan, np.nan],
        "label": [0, 0, 1],
        "stats": [[2.0, 1.0], [2.0, 0.0], [0.0, 1.0]],
        "n_rows": [3, 2, 1],
    }
    return arrays | changes


def stump(**changes) -> Tree:
    return Tree(columns=[Column("x", "numeric")], classes=("p", "q"), **stump_arrays(**changes))
