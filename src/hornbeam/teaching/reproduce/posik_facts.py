"""What Pošík prints about robots and temperatures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from hornbeam.editing.candidates import candidates
from hornbeam.teaching import datasets, measures
from hornbeam.teaching.reproduce.fact import PrintedFact
from hornbeam.teaching.reproduce.lecture_numbers import (
    best,
    branches,
    builddt,
    errors,
    gains,
    ratio_text,
    where_is,
)

# Slide 15: for each attribute its branches as (allies:enemies, entropy), then H(C, S, A) and the gain.
_SLIDE_15: Mapping[str, tuple[Mapping[str, tuple[str, str]], str, str, str]] = {
    "head": (
        {"triangle": ("2:1", "0.92"), "circle": ("2:2", "1"), "square": ("0:1", "0")},
        "0.84",
        "0.16",
        "",
    ),
    "body": (
        {"triangle": ("2:0", "0"), "circle": ("2:1", "0.92"), "square": ("0:3", "0")},
        "0.35",
        "0.65",
        "E1",
    ),
    "smile": ({"yes": ("3:1", "0.81"), "no": ("1:3", "0.81")}, "0.81", "0.19", ""),
    "neck": ({"tie": ("2:2", "1"), "bow": ("0:2", "0"), "nothing": ("2:0", "0")}, "0.5", "0.5", ""),
    "holds": (
        {"ball": ("1:1", "1"), "sword": ("0:2", "0"), "flower": ("1:0", "0"), "nothing": ("2:1", "0.92")},
        "0.6",
        "0.4",
        "",
    ),
}
_SLIDE_16: Mapping[str, Mapping[str, str]] = {
    "head": {"triangle": "1:0", "circle": "1:1"},
    "smile": {"yes": "2:0", "no": "0:1"},
    "neck": {"tie": "2:0", "bow": "0:1"},
    "holds": {"nothing": "2:0", "sword": "0:1"},
}
_SLIDE_10 = {"left": ("2", "4", "3"), "middle": ("2", "4", "2"), "right": ("2", "3", "2")}


def robots() -> Iterator[PrintedFact]:
    """Slides 10, 15 and 16."""
    yield from _first_test()
    yield from _second_test()
    yield from _three_trees()


def _first_test() -> Iterator[PrintedFact]:
    data, where = datasets.load("robots"), "Pošík, slide 15"
    yield "H(class)", where, "1", measures.entropy(Counter(data.y or []))
    for column, (printed, left, gain, erratum) in _SLIDE_15.items():
        x = data.X[column]
        for value, counts in branches(data, column):
            number, entropy = printed[value]
            yield f"{column}={value}, allies:enemies", where, number, ratio_text(counts)
            yield f"H(class, {column}={value})", where, entropy, measures.entropy(counts)
        if column == "smile":
            weights = sum(counts.sum() for _, counts in branches(data, column)) / data.n_rows
            yield "weights in the sum for smile", where, "11/8", float(weights), "E2"
        after, gained = measures.conditional_entropy(x, data.y), measures.information_gain(x, data.y)
        yield f"H(class | {column})", where, left, after, erratum
        yield f"Gain({column})", where, gain, gained, erratum
    yield "largest gain", where, "body", best(gains(data))
    for column, x in data.X.items():
        information, ratio = measures.split_information(x, data.y), measures.gain_ratio(x, data.y)
        yield f"split information of {column}", "Pošík, slide 24", "", information
        yield f"gain ratio of {column}", "Pošík, slide 24", "", ratio


def _second_test() -> Iterator[PrintedFact]:
    circles, where = where_is(datasets.load("robots"), "body", "circle"), "Pošík, slide 16"
    for column, printed in _SLIDE_16.items():
        for value, counts in branches(circles, column):
            what = f"body=circle, {column}={value}, allies:enemies"
            yield what, where, printed[value], ratio_text(counts)
    column_gains = gains(circles, list(_SLIDE_16))
    for column, gained in column_gains.items():
        yield f"body=circle, Gain({column})", where, "", gained
    perfect = [column for column in column_gains if measures.is_perfect(circles.X[column], circles.y)]
    yield "body=circle, columns that tell all", where, "smile, neck, holds", ", ".join(perfect)


def _three_trees() -> Iterator[PrintedFact]:
    data, where = datasets.load("robots"), "Pošík, slide 10"
    trees = {
        "left": datasets.load_tree("game"),
        "middle": builddt(data).tree_,
        "right": datasets.load_tree("smallest"),
    }
    for side, tree in trees.items():
        sizes = tree.statistics()
        for name, key, printed in zip(
            ("depth", "leaves", "conditions"), ("depth", "leaves", "tests"), _SLIDE_10[side], strict=True
        ):
            yield f"{name} of the {side} tree", where, printed, sizes[key]
        yield f"errors of the {side} tree", where, "0", errors(tree, data)
    yield "tree of BuildDT", "Pošík, slide 17", "", trees["middle"].text()


def two_robots() -> Iterator[PrintedFact]:
    """Slide 4: the tree of the game on its two robots."""
    data, tree = datasets.load("two_robots"), datasets.load_tree("game")
    for robot, printed, answer in zip(("first", "second"), data.y or [], tree.predict(data.X), strict=True):
        yield f"class of the {robot} robot", "Pošík, slide 4", printed, str(answer)


def temperature() -> Iterator[PrintedFact]:
    """Slide 26: cuts only between examples of different class."""
    data, where = datasets.load("temperature"), "Pošík, slide 26"
    tests = candidates(data.X, data.y)
    for test in tests:
        yield f"gain of {test.test}", where, "", test.gain
    worth = ", ".join(f"{test.threshold:g}" for test in tests if test.boundary)
    yield "cuts between different classes", where, "", worth
    tree = builddt(data).tree_
    yield "chosen cut", where, "", float(tree.threshold[0])
    yield "tree", where, "", tree.text()
