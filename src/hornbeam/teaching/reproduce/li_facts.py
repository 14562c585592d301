"""What Li prints about the film, the hours played, the code and the tennis days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from scipy.stats import norm

from hornbeam.estimators.tree_estimators import TreeRegressor
from hornbeam.teaching import datasets, measures
from hornbeam.teaching.datasets import Dataset
from hornbeam.teaching.reproduce.fact import PrintedFact
from hornbeam.teaching.reproduce.lecture_numbers import best, branches, builddt, gains, ratio_text, where_is


def gladiator() -> Iterator[PrintedFact]:
    """Eight students: entropies, gains, and three questions."""
    data, where = datasets.load("gladiator"), "Li, Gladiator"
    printed = {
        "Gender": ({"Male": ("0.75", "0.81"), "Female": ("0.25", "0.81")}, "0.81", "0.19"),
        "Major": ({"Math": ("0.5", "1"), "History": ("0", "0"), "CS": ("", "0")}, "0.5", "0.5"),
    }
    whole = measures.entropy(Counter(data.y or []))
    yield "E(Like)", where, "1", whole, "E8"
    for column, (values, left, gain) in printed.items():
        for value, counts in branches(data, column):
            yes = float(measures.shares(counts)[1])
            yield f"P(Yes | {value})", where, values[value][0], yes
            yield f"H(Like | {value})", where, values[value][1], measures.entropy(counts)
        x = data.X[column]
        yield f"H(Like | {column})", where, left, measures.conditional_entropy(x, data.y)
        yield f"I(Like, {column})", where, gain, measures.information_gain(x, data.y)
    yield "better column", where, "Major", best(gains(data))
    yield "Math, gain of Gender", where, "", gains(where_is(data, "Major", "Math"))["Gender"]
    model = builddt(data, min_gain=1e-9)
    yield "tree of ID3", where, "", model.tree_.text()
    students = {"Gender": ["Female", "Male", "Female"], "Major": ["CS", "Math", "Math"]}
    answers = model.predict(students).tolist()
    yield "a female student of CS", where, "Yes", answers[0]
    yield "a male student of Math", where, "", answers[1]
    yield "a female student of Math", where, "", answers[2]
    yield "P(Yes) of the latter", where, "", float(model.predict_proba(students)[2, 1])


# ---- hours played ----------------------------------------------------------------------------------------

_COLUMNS: Mapping[str, tuple[Mapping[str, str], str, str]] = {  # standard deviations, SDR, erratum of the SDR
    "Outlook": ({"Overcast": "3.49", "Rainy": "7.78", "Sunny": "10.87"}, "1.66", ""),
    "Humidity": ({"High": "9.36", "Normal": "8.37"}, "0.28", "E11"),
    "Temp": ({"Cool": "10.51", "Hot": "8.95", "Mild": "7.65"}, "0.17", "E12"),
    "Windy": ({"False": "7.87", "True": "10.59"}, "0.29", "E13"),
}
_SD_ERRATA: Mapping[str, str] = {"SD of Humidity=Normal": "E11"}
_BRANCHES: Mapping[str, tuple[str, str, Mapping[str, tuple[Mapping[str, str], str, str]]]] = {
    "Overcast": ("46.3", "8%", {}),
    "Rainy": (
        "35.2",
        "22%",
        {
            "Temp": ({"Cool": "0", "Hot": "2.5", "Mild": "6.5"}, "", ""),
            "Humidity": ({"High": "4.1", "Normal": "5.0"}, "3.32", "E13"),
            "Windy": ({"False": "5.6", "True": "9.0"}, "0.82", "E13"),
        },
    ),
    "Sunny": (
        "39.2",
        "28%",
        {
            "Temp": ({"Cool": "14.50", "Mild": "7.32"}, "0.678", "E13"),
            "Humidity": ({"High": "7.50", "Normal": "12.50"}, "0.370", "E13"),
            "Windy": ({"False": "3.09", "True": "3.50"}, "", ""),
        },
    ),
}


def hours() -> Iterator[PrintedFact]:
    """The version of the table that gives the numbers printed."""
    data = datasets.load("hours")
    yield from _summary(data, "")
    yield from _splits(data, "", "Li, SDR for different features", _COLUMNS)
    after = measures.sd_after_split(data.X["Outlook"], data.y)
    yield "joined SD of Outlook", "Li, Standard deviation reduction", "7.66", after
    reductions = {column: measures.sdr(x, data.y) for column, x in data.X.items()}
    yield "largest SDR", "Li, SDR for different features", "Outlook", best(reductions)
    for value, (mean, variation, columns) in _BRANCHES.items():
        part, where = where_is(data, "Outlook", value), f"Li, Outlook = {value}"
        yield f"{value}, mean", where, mean, measures.mean(part.y)
        yield f"{value}, CV", where, variation, measures.variation(part.y)
        yield from _splits(part, f"{value}, ", where, columns)
    yield from _hours_trees(data)
    yield from _normal_law()


def hours_a() -> Iterator[PrintedFact]:
    """The hours of the slide 'Standard deviation example'."""
    yield from _summary(datasets.load("hours_A"), "E10")


def hours_b() -> Iterator[PrintedFact]:
    """The hours of the slide 'Complete example dataset'."""
    yield from _summary(datasets.load("hours_B"), "E10")


def _summary(data: Dataset, erratum: str) -> Iterator[PrintedFact]:
    where, y = "Li, Standard deviation example", data.y
    yield "n", where, "14", data.n_rows
    yield "mean", where, "39.8", measures.mean(y), erratum
    yield "standard deviation", where, "9.32", measures.sd(y), erratum
    yield "coefficient of variation", where, "23%", measures.variation(y), erratum
    if erratum:
        reduction = measures.sdr(data.X["Outlook"], y)
        yield "SDR of Outlook", where, "1.66", reduction, erratum


def _splits(
    data: Dataset, prefix: str, where: str, columns: Mapping[str, tuple[Mapping[str, str], str, str]]
) -> Iterator[PrintedFact]:
    for column, (deviations, reduction, erratum) in columns.items():
        for value, printed in deviations.items():
            part = where_is(data, column, value if column != "Windy" else value == "True")
            what = f"{prefix}SD of {column}={value}"
            yield what, where, printed, measures.sd(part.y), _SD_ERRATA.get(what, "")
        computed = measures.sdr(data.X[column], data.y)
        yield f"{prefix}SDR of {column}", where, reduction, computed, erratum


def _hours_trees(data: Dataset) -> Iterator[PrintedFact]:
    where = "Li, Final result"
    stump = TreeRegressor("sd", split="multiway", min_variation=0.1, min_samples_split=4)
    yield "tree, CV < 10% or n <= 3", where, "", stump.fit(data.X, data.y).tree_.text()
    deeper = TreeRegressor("sd", split="multiway", min_variation=0.1)
    yield "tree, CV < 10% alone", where, "", deeper.fit(data.X, data.y).tree_.text()


def _normal_law() -> Iterator[PrintedFact]:
    for width, printed in ((1, ""), (2, "95%"), (3, "99.7%")):  # of the first the slide says "about 2/3"
        inside = float(norm.cdf(width) - norm.cdf(-width))
        what = f"normal law, within {width} SD of the mean"
        yield what, "Li, Standard deviation (cont.)", printed, inside


# ---- the code --------------------------------------------------------------------------------------------


def huffman() -> Iterator[PrintedFact]:
    """Huffman's code of four symbols."""
    data, where = datasets.load("huffman"), "Li, Huffman code"
    weights = dict(zip(data.X["symbol"], data.counts or [], strict=True))
    shares = dict(zip(weights, measures.shares(weights).tolist(), strict=True))
    lengths, words = measures.huffman_lengths(weights), measures.huffman_code(weights)
    printed = {
        "A": ("0.125", "000", "3", "0.375"),
        "B": ("0.125", "001", "3", "0.375"),
        "C": ("0.250", "01", "2", "0.500"),
        "D": ("0.500", "1", "1", "0.500"),
    }
    for symbol, (share, word, length, part) in printed.items():
        yield f"P({symbol})", where, share, shares[symbol]
        yield f"code of {symbol}", where, word, words[symbol]
        yield f"length of {symbol}", where, length, lengths[symbol]
        yield f"P x length of {symbol}", where, part, shares[symbol] * lengths[symbol]
    yield "average message length", where, "1.750", measures.mean_code_length(weights)
    yield "entropy", where, "1.75", measures.entropy(weights)


# ---- tennis ----------------------------------------------------------------------------------------------

_TENNIS: Mapping[str, tuple[Mapping[str, tuple[str, str, str]], str, str, str, str]] = {
    # values as (Yes:No, entropy, erratum), then H(X|Y) with its erratum, I(X,Y) with its own
    "Outlook": (
        {"Sunny": ("2:3", "0.9710", ""), "Overcast": ("4:0", "0", ""), "Rain": ("4:1", "0.7219", "E5")},
        "0.6046",
        "E5",
        "0.3954",
        "E5",
    ),
    "Temperature": (
        {"Hot": ("2:2", "1", ""), "Mild": ("1:3", "0.8113", "E6"), "Cool": ("4:2", "0.9183", "E6")},
        "0.9111",
        "",
        "0.0889",
        "E7",
    ),
}


def tennis() -> Iterator[PrintedFact]:
    """Li's two slides on the tennis days."""
    data = datasets.load("tennis")
    whole = measures.entropy(Counter(data.y or []))
    for column, (values, left, left_erratum, gain, gain_erratum) in _TENNIS.items():
        where, x = f"Li, {column}", data.X[column]
        yield "H(X)", where, "1", whole, "E4"
        for value, counts in branches(data, column):
            number, entropy, erratum = values[value]
            yield f"{column}={value}, Yes:No", where, number, ratio_text(counts[::-1]), erratum
            yield f"H(X | {value})", where, entropy, measures.entropy(counts), erratum
        if column == "Temperature":
            share = max(float(counts.sum()) for _, counts in branches(data, column)) / data.n_rows
            yield "weight of the largest branch", where, "5/14", share, "E7"
        after = measures.conditional_entropy(x, data.y)
        yield f"H(X | {column})", where, left, after, left_erratum
        yield f"I(X, {column})", where, gain, measures.information_gain(x, data.y), gain_erratum
