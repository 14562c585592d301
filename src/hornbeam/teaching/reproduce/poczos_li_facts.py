"""The numbers of Póczos on tennis, taxes, votes and patients, of Li on a film and hours, computed again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import chi2, chi2_contingency, norm

from hornbeam.editing.candidates import candidates
from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.teaching import datasets, demonstrations, measures
from hornbeam.teaching.datasets import Dataset
from hornbeam.teaching.reproduce.lecture_numbers import (
    best,
    branches,
    builddt,
    errors,
    gains,
    ratio_text,
    where_is,
)

# ---- Póczos ----------------------------------------------------------------------------------------------


def tennis() -> Iterator[tuple[str, Any]]:
    """Slides 7 and 38 to 41; then those of Li on the same days."""
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
    yield from _tennis_of_li(data)


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


# ---- Li: the film ----------------------------------------------------------------------------------------


def gladiator() -> Iterator[tuple[str, Any]]:
    """Eight students: entropies, gains, and three questions."""
    data = datasets.load("gladiator")
    yield "E(Like)", measures.entropy(Counter(data.y or []))
    for column, x in data.X.items():
        for value, counts in branches(data, column):
            yield f"P(Yes | {value})", float(measures.shares(counts)[1])
            yield f"H(Like | {value})", measures.entropy(counts)
        yield f"H(Like | {column})", measures.conditional_entropy(x, data.y)
        yield f"I(Like, {column})", measures.information_gain(x, data.y)
    yield "better column", best(gains(data))
    yield "Math, gain of Gender", gains(where_is(data, "Major", "Math"))["Gender"]
    model = builddt(data, min_gain=1e-9)
    yield "tree of ID3", model.tree_.text()
    students = {"Gender": ["Female", "Male", "Female"], "Major": ["CS", "Math", "Math"]}
    answers = model.predict(students).tolist()
    yield "a female student of CS", answers[0]
    yield "a male student of Math", answers[1]
    yield "a female student of Math", answers[2]
    yield "P(Yes) of the latter", float(model.predict_proba(students)[2, 1])


# ---- Li: hours played ------------------------------------------------------------------------------------


def hours() -> Iterator[tuple[str, Any]]:
    """The version of the table that gives the numbers printed."""
    data = datasets.load("hours")
    yield from _summary(data)
    yield from _splits(data, "")
    yield "joined SD of Outlook", measures.sd_after_split(data.X["Outlook"], data.y)
    yield "largest SDR", best({column: measures.sdr(x, data.y) for column, x in data.X.items()})
    for value in ("Overcast", "Rainy", "Sunny"):
        part = where_is(data, "Outlook", value)
        yield f"{value}, mean", measures.mean(part.y)
        yield f"{value}, CV", measures.variation(part.y)
        yield from _splits(part, f"{value}, ")
    stump = TreeRegressor("sd", split="multiway", min_variation=0.1, min_samples_split=4)
    yield "tree, CV < 10% or n <= 3", stump.fit(data.X, data.y).tree_.text()
    deeper = TreeRegressor("sd", split="multiway", min_variation=0.1)
    yield "tree, CV < 10% alone", deeper.fit(data.X, data.y).tree_.text()
    for width in (1, 2, 3):
        yield f"normal law, within {width} SD of the mean", float(norm.cdf(width) - norm.cdf(-width))


def hours_a() -> Iterator[tuple[str, Any]]:
    """The hours of the slide 'Standard deviation example'."""
    yield from _summary(datasets.load("hours_A"))


def hours_b() -> Iterator[tuple[str, Any]]:
    """The hours of the slide 'Complete example dataset'."""
    yield from _summary(datasets.load("hours_B"))


def _summary(data: Dataset) -> Iterator[tuple[str, Any]]:
    yield "n", data.n_rows
    yield "mean", measures.mean(data.y)
    yield "standard deviation", measures.sd(data.y)
    yield "coefficient of variation", measures.variation(data.y)
    yield "SDR of Outlook", measures.sdr(data.X["Outlook"], data.y)


def _splits(data: Dataset, prefix: str) -> Iterator[tuple[str, Any]]:
    for column, x in data.X.items():
        for value in dict.fromkeys(x):
            yield f"{prefix}SD of {column}={value}", measures.sd(where_is(data, column, value).y)
        yield f"{prefix}SDR of {column}", measures.sdr(x, data.y)


# ---- Li: the code, and tennis ----------------------------------------------------------------------------


def huffman() -> Iterator[tuple[str, Any]]:
    """Huffman's code of four symbols."""
    data = datasets.load("huffman")
    weights = dict(zip(data.X["symbol"], data.counts or [], strict=True))
    lengths, words = measures.huffman_lengths(weights), measures.huffman_code(weights)
    for symbol, share in zip(weights, measures.shares(weights).tolist(), strict=True):
        yield f"P({symbol})", share
        yield f"code of {symbol}", words[symbol]
        yield f"length of {symbol}", lengths[symbol]
        yield f"P x length of {symbol}", share * lengths[symbol]
    yield "average message length", measures.mean_code_length(weights)
    yield "entropy", measures.entropy(weights)


def _tennis_of_li(data: Dataset) -> Iterator[tuple[str, Any]]:
    """Li's two slides on the tennis days."""
    yield "H(X)", measures.entropy(Counter(data.y or []))
    for column in ("Outlook", "Temperature"):
        x = data.X[column]
        for value, counts in branches(data, column):
            yield f"{column}={value}, Yes:No", ratio_text(counts[::-1])
            yield f"H(X | {value})", measures.entropy(counts)
        yield f"H(X | {column})", measures.conditional_entropy(x, data.y)
        yield f"I(X, {column})", measures.information_gain(x, data.y)
    share = max(float(counts.sum()) for _, counts in branches(data, "Temperature")) / data.n_rows
    yield "weight of the largest branch", share
