"""The numbers of Pošík on robots, of Kerrigan on exclusive or, and of notes after Mansour, computed again."""

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

# ---- Pošík -----------------------------------------------------------------------------------------------


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


# ---- Kerrigan --------------------------------------------------------------------------------------------


def xor2() -> Iterator[tuple[str, Any]]:
    """Exclusive or: what no single column gains, and what stopping early makes of it."""
    data = datasets.load("xor2")
    for column, gained in gains(data).items():
        yield f"gain of {column}", gained
    pairs = list(zip(data.X["X1"], data.X["X2"], strict=True))
    yield "gain of X1 and X2 together", measures.information_gain(pairs, data.y)
    yield "decrease of Gini by any split", measures.gain(data.X["X1"], data.y, potential="gini")
    full = builddt(data).tree_
    yield "leaves, one for each example", full.n_leaves
    yield "tree", full.text()
    yield "tree if no gain means a leaf", builddt(data, min_gain=1e-9).tree_.text()


def xor5() -> Iterator[tuple[str, Any]]:
    """Exclusive or with three more columns."""
    data = datasets.load("xor5")
    column_gains = gains(data)
    for column, gained in column_gains.items():
        yield f"gain of {column}", gained
    yield "column that tells all", best(column_gains)
    yield "tree", builddt(data).tree_.text()


def cs178() -> Iterator[tuple[str, Any]]:
    """Class probabilities of twelve points; two Gini indices."""
    data = datasets.load("cs178")
    table = measures.tabulate(data.X["node"], data.y, counts=data.counts)
    nodes = dict(zip(table.branches, table.counts, strict=True))
    for label, share in zip(table.classes, measures.shares(nodes["vector"]).tolist(), strict=True):
        yield f"P(class {label})", share
    yield "Gini index of (0.9, 0.1)", measures.gini(nodes["first"])
    yield "Gini index of (0.6, 0.4)", measures.gini(nodes["second"])


# ---- the notes after Mansour -----------------------------------------------------------------------------


_POTENTIALS = {"error": "error", "gini": "Gini", "half-entropy": "half entropy", "root": "variance function"}


def fig84() -> Iterator[tuple[str, Any]]:
    """Figure 8.4: a split that the observed error cannot see."""
    data = datasets.load("fig84")
    table = measures.tabulate(data.X["h"], data.y, counts=data.counts)
    ones = table.classes.index(1)
    sizes, fractions = table.counts.sum(axis=1), table.counts[:, ones] / table.counts.sum(axis=1)
    u, r, p = float(sizes[1] / sizes.sum()), float(fractions[1]), float(fractions[0])
    q = float(table.counts[:, ones].sum() / sizes.sum())
    yield "share of the rows that go one way", u
    yield "fractions in the halves", f"{p:g} and {r:g}"
    for name, words in _POTENTIALS.items():
        yield f"{words} before", measures.potential(q, name)
        yield f"{words} after", measures.val_split(u, r, p, name)
    gap = measures.potential(0.5, "gini") - measures.potential(0.5, "error")
    yield "val - error of an even leaf", gap


def pt_s1() -> Iterator[tuple[str, Any]]:
    """The tree in place of figure 8.6, on the sample that grows it."""
    tree = datasets.load_tree("pt")
    yield "tree", tree.text()
    yield "rows", int(tree.n_rows[0])
    yield "errors", errors(tree, datasets.load("pt_S1"))
    for name, words in _POTENTIALS.items():
        yield f"val(T), {words}", measures.val_tree(tree, name)


def pt_s2() -> Iterator[tuple[str, Any]]:
    """The same tree on the sample that prunes it."""
    data = datasets.load("pt_S2")
    yield "rows", sum(data.counts or [])
    yield "errors of the full tree", errors(datasets.load_tree("pt"), data)
