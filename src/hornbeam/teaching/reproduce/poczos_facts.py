"""What Póczos prints about tennis, taxes, eighty people, votes, counted truth values and patients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
from scipy.stats import chi2, chi2_contingency

from hornbeam.editing.candidates import candidates
from hornbeam.teaching import datasets, demonstrations, measures
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

# Slides 38-41: values as (Yes:No, entropy), then the gain, its slide and its erratum.
_TENNIS: Mapping[str, tuple[Mapping[str, tuple[str, str]], str, str, str]] = {
    "Outlook": (
        {"Sunny": ("2:3", "0.9710"), "Overcast": ("4:0", "0"), "Rain": ("3:2", "0.9710")},
        "0.2465",
        "38",
        "E24",
    ),
    "Humidity": ({"High": ("3:4", "0.9852"), "Normal": ("6:1", "0.5917")}, "0.151", "39", "E24"),
    "Wind": ({"Weak": ("6:2", "0.811"), "Strong": ("3:3", "1")}, "0.048", "40", ""),
    "Temperature": ({}, "", "41", ""),
}


def tennis() -> Iterator[PrintedFact]:
    """Slides 7 and 38 to 41."""
    data = datasets.load("tennis")
    whole = measures.entropy(Counter(data.y or []))
    yield "H(Play)", "Póczos, slide 38", "0.9403", whole
    for column, (values, gain, slide, erratum) in _TENNIS.items():
        where, x = f"Póczos, slide {slide}", data.X[column]
        for value, counts in branches(data, column):
            number, entropy = values.get(value, ("", ""))
            yield f"{column}={value}, Yes:No", where, number, ratio_text(counts[::-1])
            yield f"H(Play | {value})", where, entropy, measures.entropy(counts)
        yield f"I(Play, {column})", where, gain, measures.information_gain(x, data.y), erratum
        yield f"gain ratio of {column}", where, "", measures.gain_ratio(x, data.y)
    yield "best root", "Póczos, slide 41", "Outlook", best(gains(data))
    sunny = gains(where_is(data, "Outlook", "Sunny"), ["Temperature", "Humidity", "Wind"])
    yield "best below Sunny", "Póczos, slide 41", "Humidity", best(sunny)
    model = builddt(data)
    yield "tree", "Póczos, slide 5", "", model.tree_.text()
    day = {"Outlook": ["Sunny"], "Temperature": ["Hot"], "Humidity": ["High"], "Wind": ["Strong"]}
    yield "Sunny, Hot, High, Strong", "Póczos, slide 7", "No", str(model.predict(day)[0])


def tax() -> Iterator[PrintedFact]:
    """Slides 10 to 18: the tree drawn, and the one that is learned."""
    data, tree = datasets.load("tax"), datasets.load_tree("tax")
    yield "errors of the tree drawn", "Póczos, slide 11", "0", errors(tree, data)
    people = {"Refund": ["no", "no"], "MarSt": ["Married", "Single"], "TaxInc": [80.0, 80.0]}
    married, single = tree.predict(people).tolist()
    yield "no refund, married, 80K", "Póczos, slide 18", "No", married
    yield "no refund, single, 80K", "Póczos, slide 11", "undefined", single, "E30"
    for column, gained in gains(data, ["Refund", "MarSt"]).items():
        yield f"gain of {column}", "Póczos, slide 10", "", gained
    cut = max(candidates(data.X, data.y, columns="TaxInc"), key=lambda test: test.gain)
    yield f"gain of {cut.test}", "Póczos, slide 10", "", cut.gain
    yield "tree learned", "Póczos, slide 10", "", builddt(data).tree_.text()


def eighty() -> Iterator[PrintedFact]:
    """Slide 31: which of two columns to split on."""
    data, where = datasets.load("eighty"), "Póczos, slide 31"
    printed = {
        "Refund": {"yes": ("40:0", "0"), "no": ("10:30", "")},
        "MarSt": {"Single/Divorced": ("30:10", ""), "Married": ("20:20", "1")},
    }
    whole = measures.tabulate(data.X["Refund"], data.y, counts=data.counts)
    total = whole.counts.sum(axis=0)
    order = [whole.classes.index("Genuine"), whole.classes.index("Cheat")]
    yield "Genuine:Cheats", where, "50:30", ratio_text(total[order])
    yield "H", where, "", measures.entropy(total)
    for column, values in printed.items():
        for value, counts in branches(data, column):
            number, entropy = values[value]
            yield f"{column}={value}, Genuine:Cheats", where, number, ratio_text(counts[order])
            yield f"H({column}={value})", where, entropy, measures.entropy(counts)
    column_gains = gains(data)
    for column, gained in column_gains.items():
        yield f"gain of {column}", where, "", gained
    yield "gives more information", where, "Refund", best(column_gains)


def voting() -> Iterator[PrintedFact]:
    """Slides 60 to 62: are votes independent of gender?"""
    data = datasets.load("voting")
    observed = measures.tabulate(data.X["Gender"], data.y, counts=data.counts)
    test = chi2_contingency(observed.counts, correction=False)
    printed = {
        "Male": {"Republican": "180", "Democrat": "180", "Independent": "40"},
        "Female": {"Republican": "270", "Democrat": "270", "Independent": "60"},
    }
    for gender, votes in printed.items():
        for vote, number in votes.items():
            cell = observed.branches.index(gender), observed.classes.index(vote)
            expected = float(test.expected_freq[cell])
            yield f"expected {gender}, {vote}", "Póczos, slide 61", number, expected
    last = float(test.expected_freq[observed.branches.index("Female"), observed.classes.index("Independent")])
    yield "last denominator of the sum", "Póczos, slide 61", "40", last, "E27"
    yield "chi-square", "Póczos, slide 61", "16.2", float(test.statistic)
    yield "degrees of freedom", "Póczos, slide 62", "2", int(test.dof)
    yield "p value", "Póczos, slide 62", "0.0003", float(test.pvalue)


def xcount() -> Iterator[PrintedFact]:
    """Slides 64 to 66: the test of one node."""
    data = datasets.load("xcount")
    for column, gained in gains(data).items():
        yield f"gain of {column}", "Póczos, slide 64", "", gained
    tree = builddt(data).tree_
    yield "tree", "Póczos, slide 64", "", tree.text()
    yield "root", "Póczos, slide 64", "X1", tree.columns[int(tree.column[0])].name
    node = where_is(data, "X1", "F")
    table = measures.tabulate(node.X["X2"], node.y, counts=node.counts)
    test = chi2_contingency(table.counts, correction=False)
    yes, no = table.classes.index("T"), table.classes.index("F")
    yield "S", "Póczos, slide 64", "6", int(table.counts.sum())
    yield "p", "Póczos, slide 64", "1", int(table.counts[:, yes].sum())
    yield "n", "Póczos, slide 64", "5", int(table.counts[:, no].sum())
    expected = {("F", yes): "1/6", ("T", yes): "5/6", ("F", no): "5/6", ("T", no): "25/6"}
    for (value, label), printed in expected.items():
        number = float(test.expected_freq[table.branches.index(value), label])
        what = f"expected X2={value}, Y={table.classes[label]}"
        yield what, "Póczos, slide 65", printed, number
    yield "Z", "Póczos, slide 65", "6", float(test.statistic), "E28"
    yield "degrees of freedom", "Póczos, slide 65", "1", int(test.dof)
    critical = float(chi2.isf(0.05, test.dof))
    yield "critical value at 0.05", "Póczos, slide 66", "3.8415", critical
    yield "p value", "Póczos, slide 66", "", float(test.pvalue)
    decision = "keep" if test.statistic > critical else "prune"
    yield "node X2", "Póczos, slide 66", "keep", decision


def patients() -> Iterator[PrintedFact]:
    """Slides 27 and 28: a thousand patients, ten unrelated features."""
    where = "Póczos, slide 28"
    few = demonstrations.overfitting(repetitions=1, n_test=1000)
    binary = demonstrations.expected_training_error(1000, 10, 0.25)
    yield "ill of 1000", "Póczos, slide 27", "250", round(few.share * few.n_rows)
    yield "training error, binary features", where, "0%", binary, "E23"
    yield "training error, continuous features", where, "0%", few.full_training
    yield "new data, tree learned by heart", where, "37%", few.memorising
    yield "training error of the best tree", where, "25%", few.leaf_training
    yield "new data, best tree", where, "25%", float(measures.error([250, 750]))


def pinwheel() -> Iterator[PrintedFact]:
    """Slide 21: five regions that binary splits cannot give."""
    data = datasets.load("pinwheel")
    yield "regions", "Póczos, slide 21", "5", len(np.unique(data.y or []))
    leaves = builddt(data).tree_.n_leaves
    yield "leaves of the tree learned", "Póczos, slide 21", "", leaves
