"""What Pošík prints about robots and temperatures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from hornbeam.editing.candidates import candidates
from hornbeam.teaching import datasets, measures
from hornbeam.teaching.reproduce.fact import Fact, fact
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


def robots() -> Iterator[Fact]:
    """Slides 10, 15 and 16."""
    yield from _first_test()
    yield from _second_test()
    yield from _three_trees()


def _first_test() -> Iterator[Fact]:
    data, where = datasets.load("robots"), "Pošík, slide 15"
    yield fact("robots", "H(class)", where, "1", measures.entropy(Counter(data.y or [])))
    for column, (printed, left, gain, erratum) in _SLIDE_15.items():
        x = data.X[column]
        for value, counts in branches(data, column):
            number, entropy = printed[value]
            yield fact("robots", f"{column}={value}, allies:enemies", where, number, ratio_text(counts))
            yield fact("robots", f"H(class, {column}={value})", where, entropy, measures.entropy(counts))
        if column == "smile":
            weights = sum(counts.sum() for _, counts in branches(data, column)) / data.n_rows
            yield fact("robots", "weights in the sum for smile", where, "11/8", float(weights), "E2")
        after, gained = measures.conditional_entropy(x, data.y), measures.information_gain(x, data.y)
        yield fact("robots", f"H(class | {column})", where, left, after, erratum)
        yield fact("robots", f"Gain({column})", where, gain, gained, erratum)
    yield fact("robots", "largest gain", where, "body", best(gains(data)))
    for column, x in data.X.items():
        information, ratio = measures.split_information(x, data.y), measures.gain_ratio(x, data.y)
        yield fact("robots", f"split information of {column}", "Pošík, slide 24", "", information)
        yield fact("robots", f"gain ratio of {column}", "Pošík, slide 24", "", ratio)


def _second_test() -> Iterator[Fact]:
    circles, where = where_is(datasets.load("robots"), "body", "circle"), "Pošík, slide 16"
    for column, printed in _SLIDE_16.items():
        for value, counts in branches(circles, column):
            what = f"body=circle, {column}={value}, allies:enemies"
            yield fact("robots", what, where, printed[value], ratio_text(counts))
    found = gains(circles, list(_SLIDE_16))
    for column, gained in found.items():
        yield fact("robots", f"body=circle, Gain({column})", where, "", gained)
    perfect = [column for column in found if measures.is_perfect(circles.X[column], circles.y)]
    yield fact(
        "robots", "body=circle, columns that tell all", where, "smile, neck, holds", ", ".join(perfect)
    )


def _three_trees() -> Iterator[Fact]:
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
            yield fact("robots", f"{name} of the {side} tree", where, printed, sizes[key])
        yield fact("robots", f"errors of the {side} tree", where, "0", errors(tree, data))
    yield fact("robots", "tree of BuildDT", "Pošík, slide 17", "", trees["middle"].text())


def two_robots() -> Iterator[Fact]:
    """Slide 4: the tree of the game on its two robots."""
    data, tree = datasets.load("two_robots"), datasets.load_tree("game")
    for robot, printed, found in zip(("first", "second"), data.y or [], tree.predict(data.X), strict=True):
        yield fact("two_robots", f"class of the {robot} robot", "Pošík, slide 4", printed, str(found))


def temperature() -> Iterator[Fact]:
    """Slide 26: cuts only between examples of different class."""
    data, where = datasets.load("temperature"), "Pošík, slide 26"
    found = candidates(data.X, data.y)
    for test in found:
        yield fact("temperature", f"gain of {test.test}", where, "", test.gain)
    worth = ", ".join(f"{test.threshold:g}" for test in found if test.boundary)
    yield fact("temperature", "cuts between different classes", where, "", worth)
    tree = builddt(data).tree_
    yield fact("temperature", "chosen cut", where, "", float(tree.threshold[0]))
    yield fact("temperature", "tree", where, "", tree.text())
