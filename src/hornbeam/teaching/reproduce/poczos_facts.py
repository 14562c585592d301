"""The numbers of Póczos on tennis, taxes, eighty people, votes, truth values and patients, computed again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import chi2, chi2_contingency

from hornbeam.editing.candidates import candidates
from hornbeam.estimators.tree_estimators import TreeClassifier
from hornbeam.teaching import datasets, demonstrations, measures
from hornbeam.teaching.reproduce.lecture_numbers import (
    best,
    branches,
    builddt,
    errors,
    gains,
    ratio_text,
    where_is,
)


def tennis() -> Iterator[tuple[str, Any]]:
    """Slides 7 and 38 to 41."""
    data = datasets.load("tennis")
    yield "H(Play)", measures.entropy(Counter(data.y or []))
    for column, x in data.X.items():
        for value, counts in branches(data, column):
            yield f"{column}={value}, Yes:No", ratio_text(counts[::-1])
            yield f"H(Play | {value})", measures.entropy(counts)
        yield f"I(Play, {column})", measures.information_gain(x, data.y)
        yield f"gain ratio of {column}", measures.gain_ratio(x, data.y)
    yield "best root", best(gains(data))
    sunny = gains(where_is(data, "Outlook", "Sunny"), ["Temperature", "Humidity", "Wind"])
    yield "best below Sunny", best(sunny)
    model = builddt(data)
    yield "tree", model.tree_.text()
    day = {"Outlook": ["Sunny"], "Temperature": ["Hot"], "Humidity": ["High"], "Wind": ["Strong"]}
    yield "Sunny, Hot, High, Strong", str(model.predict(day)[0])


def tax() -> Iterator[tuple[str, Any]]:
    """Slides 10 to 18: the tree drawn, and the one that is learned."""
    data, tree = datasets.load("tax"), datasets.load_tree("tax")
    yield "errors of the tree drawn", errors(tree, data)
    people = {"Refund": ["no", "no"], "MarSt": ["Married", "Single"], "TaxInc": [80.0, 80.0]}
    married, single = tree.predict(people).tolist()
    yield "no refund, married, 80K", married
    yield "no refund, single, 80K", single
    for column, gained in gains(data, ["Refund", "MarSt"]).items():
        yield f"gain of {column}", gained
    cut = candidates(TreeClassifier("entropy"), data.X, data.y, columns="TaxInc")[0]
    yield f"gain of {cut.test}", cut.gain
    yield "tree learned", builddt(data).tree_.text()


def eighty() -> Iterator[tuple[str, Any]]:
    """Slide 31: which of two columns to split on."""
    data = datasets.load("eighty")
    whole = measures.tabulate(data.X["Refund"], data.y, counts=data.counts)
    total = whole.counts.sum(axis=0)
    order = [whole.classes.index("Genuine"), whole.classes.index("Cheat")]
    yield "Genuine:Cheats", ratio_text(total[order])
    yield "H", measures.entropy(total)
    column_gains = gains(data)
    for column, gained in column_gains.items():
        for value, counts in branches(data, column):
            yield f"{column}={value}, Genuine:Cheats", ratio_text(counts[order])
            yield f"H({column}={value})", measures.entropy(counts)
        yield f"gain of {column}", gained
    yield "gives more information", best(column_gains)


def voting() -> Iterator[tuple[str, Any]]:
    """Slides 60 to 62: are votes independent of gender?"""
    data = datasets.load("voting")
    observed = measures.tabulate(data.X["Gender"], data.y, counts=data.counts)
    test = chi2_contingency(observed.counts, correction=False)
    for gender, votes in zip(observed.branches, test.expected_freq, strict=True):
        for vote, expected in zip(observed.classes, votes, strict=True):
            yield f"expected {gender}, {vote}", float(expected)
            if (gender, vote) == ("Female", "Independent"):
                yield "last denominator of the sum", float(expected)
    yield "chi-square", float(test.statistic)
    yield "degrees of freedom", int(test.dof)
    yield "p value", float(test.pvalue)


def xcount() -> Iterator[tuple[str, Any]]:
    """Slides 64 to 66: the test of one node."""
    data = datasets.load("xcount")
    for column, gained in gains(data).items():
        yield f"gain of {column}", gained
    tree = builddt(data).tree_
    yield "tree", tree.text()
    yield "root", tree.columns[int(tree.column[0])].name
    node = where_is(data, "X1", "F")
    table = measures.tabulate(node.X["X2"], node.y, counts=node.counts)
    test = chi2_contingency(table.counts, correction=False)
    yield "S", int(table.counts.sum())
    yield "p", int(table.counts[:, table.classes.index("T")].sum())
    yield "n", int(table.counts[:, table.classes.index("F")].sum())
    for value, numbers in zip(table.branches, test.expected_freq, strict=True):
        for label, expected in zip(table.classes, numbers, strict=True):
            yield f"expected X2={value}, Y={label}", float(expected)
    critical = float(chi2.isf(0.05, test.dof))
    yield "Z", float(test.statistic)
    yield "degrees of freedom", int(test.dof)
    yield "critical value at 0.05", critical
    yield "p value", float(test.pvalue)
    yield "node X2", "keep" if test.statistic > critical else "prune"


def patients() -> Iterator[tuple[str, Any]]:
    """Slides 27 and 28: a thousand patients, ten unrelated features."""
    few = demonstrations.overfitting(repetitions=1, n_test=1000)
    yield "ill of 1000", round(few.share * few.n_rows)
    yield "training error, binary features", demonstrations.expected_training_error(1000, 10, 0.25)
    yield "training error, continuous features", few.full_training
    yield "new data, tree learned by heart", few.memorising
    yield "training error of the best tree", few.leaf_training
    yield "new data, best tree", float(measures.error([250, 750]))


def pinwheel() -> Iterator[tuple[str, Any]]:
    """Slide 21: five regions that binary splits cannot give."""
    data = datasets.load("pinwheel")
    yield "regions", len(np.unique(data.y or []))
    yield "leaves of the tree learned", builddt(data).tree_.n_leaves
