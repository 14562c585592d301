"""The numbers of Li on the film, the hours played, the code and the tennis days, computed again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from scipy.stats import norm

from hornbeam.estimators.tree_estimators import TreeRegressor
from hornbeam.teaching import datasets, measures
from hornbeam.teaching.datasets import Dataset
from hornbeam.teaching.reproduce.lecture_numbers import best, branches, builddt, gains, ratio_text, where_is


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


# ---- hours played ----------------------------------------------------------------------------------------


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


# ---- the code, and tennis --------------------------------------------------------------------------------


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


def tennis() -> Iterator[tuple[str, Any]]:
    """Li's two slides on the tennis days."""
    data = datasets.load("tennis")
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
