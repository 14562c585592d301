"""The numbers of Pošík on robots and temperatures, computed again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from hornbeam.editing.candidates import candidates
from hornbeam.estimators.tree_estimators import TreeClassifier
from hornbeam.teaching import datasets, measures
from hornbeam.teaching.reproduce.lecture_numbers import (
    best,
    branches,
    builddt,
    errors,
    gains,
    ratio_text,
    where_is,
)


def robots() -> Iterator[tuple[str, Any]]:
    """Slides 10, 15 and 16."""
    data = datasets.load("robots")
    yield "H(class)", measures.entropy(Counter(data.y or []))
    for column, x in data.X.items():
        for value, counts in branches(data, column):
            yield f"{column}={value}, allies:enemies", ratio_text(counts)
            yield f"H(class, {column}={value})", measures.entropy(counts)
        yield f"H(class | {column})", measures.conditional_entropy(x, data.y)
        yield f"Gain({column})", measures.information_gain(x, data.y)
        yield f"split information of {column}", measures.split_information(x, data.y)
        yield f"gain ratio of {column}", measures.gain_ratio(x, data.y)
    weights = sum(counts.sum() for _, counts in branches(data, "smile")) / data.n_rows
    yield "weights in the sum for smile", float(weights)
    yield "largest gain", best(gains(data))
    circles = where_is(data, "body", "circle")
    column_gains = gains(circles, ["head", "smile", "neck", "holds"])
    for column, gained in column_gains.items():
        yield f"body=circle, Gain({column})", gained
        for value, counts in branches(circles, column):
            yield f"body=circle, {column}={value}, allies:enemies", ratio_text(counts)
    perfect = [column for column in column_gains if measures.is_perfect(circles.X[column], circles.y)]
    yield "body=circle, columns that tell all", ", ".join(perfect)
    learned = builddt(data).tree_
    drawn = {"left": datasets.load_tree("game"), "right": datasets.load_tree("smallest")}
    for side, tree in (drawn | {"middle": learned}).items():
        sizes = tree.statistics()
        for name, key in (("depth", "depth"), ("leaves", "leaves"), ("conditions", "tests")):
            yield f"{name} of the {side} tree", sizes[key]
        yield f"errors of the {side} tree", errors(tree, data)
    yield "tree of BuildDT", learned.text()


def two_robots() -> Iterator[tuple[str, Any]]:
    """Slide 4: the tree of the game on its two robots."""
    answers = datasets.load_tree("game").predict(datasets.load("two_robots").X)
    for robot, answer in zip(("first", "second"), answers, strict=True):
        yield f"class of the {robot} robot", str(answer)


def temperature() -> Iterator[tuple[str, Any]]:
    """Slide 26: cuts only between examples of different class."""
    data = datasets.load("temperature")
    tests = candidates(TreeClassifier("entropy"), data.X, data.y, tests="all")
    for test in tests:
        yield f"gain of {test.test}", test.gain
    worth = ", ".join(f"{test.threshold:g}" for test in tests if test.boundary)
    yield "cuts between different classes", worth
    tree = builddt(data).tree_
    yield "chosen cut", float(tree.threshold[0])
    yield "tree", tree.text()
